"""The digest page in a real Chromium: what a reader does with it."""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from browser import CHROMIUM, chromium
from digests import HOSTILE, act, hostile, lease, unverified
from pypdf import PdfReader

from conspectus.render import RENDERERS
from conspectus.render.brief import view_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="missing: chromium (apt install chromium)"),
]
DIGESTS = {"en": unverified(lease()), "zh": act(), "hostile": hostile()}
# Text and what lies behind it: WCAG's relative luminance and contrast.
CONTRAST = """
(selectors) => {
  const parts = (color) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return Array.from(canvas.getImageData(0, 0, 1, 1).data);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const light = (color) => color.slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, place) => sum + c * [0.2126, 0.7152, 0.0722][place], 0);
  return selectors.map((selector) => {
    const element = document.querySelector(selector);
    if (!element) return [selector, -1];
    const a = light(parts(getComputedStyle(element).color)), b = light(behind(element));
    return [selector, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}
"""
COLOURED = (
    ".verdict.verified", ".verdict.verbatim", ".verdict.unverified", ".text", ".cite", ".cite a", ".coverage",
    ".alert", ".alert.first", "nav.contents a", "th", "td", ".to", "#source-body mark", "#source-body a", ".break",
    ".source-title",
    "#search", "select", "#close", ".line.chosen .text", ".line.chosen .cite a", "h2", "h3",
)  # fmt: skip


@dataclass
class Opened:
    """A page with what it complained of and whom it asked."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, digest in DIGESTS.items():
        (folder / f"{name}.html").write_bytes(RENDERERS["html"](digest, ""))
    return folder


@pytest.fixture
def open_page(browser: Any, folder: Path) -> Iterator[Any]:
    contexts = []

    def opened(name: str, width: int = 1280, **options: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        made = Opened(context.new_page())
        made.page.on("console", lambda message: made.complaints.append(message.text))
        made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
        made.page.on("request", lambda request: made.asked.append(request.url))
        made.page.goto((folder / f"{name}.html").as_uri())
        made.page.wait_for_selector("html[data-ready]")
        return made

    yield opened
    for context in contexts:
        context.close()


def sound(opened: Opened) -> None:
    """Nothing went wrong, and no request left: the page itself is the only thing that was read."""
    assert opened.complaints == []
    assert [url for url in opened.asked if not url.startswith("data:")] == [opened.page.url.split("#")[0]]


def marked(page: Any) -> str:
    page.wait_for_selector("#source-body mark")
    return " ".join("".join(page.locator("#source-body mark").all_inner_texts()).split())


@pytest.mark.parametrize("name", DIGESTS)
def test_the_page_loads_without_complaint(open_page: Any, name: str) -> None:
    opened = open_page(name)
    view = view_of(DIGESTS[name])
    assert opened.page.locator("li.line").count() == sum(len(part.lines) for part in view.parts)
    assert opened.page.locator("main section").count() == len(view.parts)
    opened.page.locator("li.line").last.click()
    opened.page.wait_for_selector("#source-body .source-text")
    sound(opened)


def test_a_hostile_document_is_shown_and_not_obeyed(open_page: Any) -> None:
    opened = open_page("hostile")
    opened.page.on("dialog", lambda dialog: opened.complaints.append(dialog.message))
    assert "<script>alert(1)</script>" in opened.page.locator("h1").inner_text()
    assert opened.page.locator("main img, main script, aside img").count() == 0
    opened.page.locator("li.line[id]").first.click()
    opened.page.wait_for_selector("#source-body mark")
    assert HOSTILE[:9] in opened.page.locator("#source-body").inner_text()
    sound(opened)


@pytest.mark.parametrize("name", ["en", "zh"])
def test_a_click_on_a_statement_marks_its_evidence(open_page: Any, name: str) -> None:
    opened, digest = open_page(name), DIGESTS[name]
    for number, statement in enumerate(digest.statements):
        opened.page.locator(f"#s{number + 1}").click()
        opened.page.wait_for_function(f"document.getElementById('s{number + 1}').matches('[aria-current]')")
        text = digest.document.text
        spans = "".join(text[span.start : span.end] for span in statement.spans)
        opened.page.wait_for_function(
            "(want) => [...document.querySelectorAll('#source-body mark')].map((m) => m.textContent).join('') === want",
            arg=spans,
        )
        link = unquote(opened.page.locator("#source-body a.open").get_attribute("href"))
        assert link == f"{digest.document.name}#page={statement.pages[0] + 1}"
    sound(opened)


def test_an_overview_line_shows_all_that_it_rests_on(open_page: Any) -> None:
    opened = open_page("en")
    opened.page.locator("section.overview li.line").first.click()
    opened.page.wait_for_selector("#source-body mark")
    assert opened.page.locator("#source-body .source-title").count() == 3
    opened.page.locator("section.overview a.to").nth(1).click()
    assert opened.page.evaluate("location.hash") == "#s3"
    opened.page.wait_for_selector("#s3[aria-current]")
    assert opened.page.locator("#s3").is_visible()
    sound(opened)


def test_a_link_with_a_number_opens_that_statement(open_page: Any, folder: Path) -> None:
    opened = open_page("en")
    opened.page.goto((folder / "en.html").as_uri() + "#s4")
    opened.page.reload()
    opened.page.wait_for_selector("#s4[aria-current]")
    assert marked(opened.page)


def rows(page: Any) -> list[list[str]]:
    found = page.locator("#table-duties tbody tr:not([hidden])").all()
    return [row.locator("td").all_inner_texts() for row in found]


def test_duties_are_narrowed_by_party_and_by_kind(open_page: Any) -> None:
    opened = open_page("en")
    everything = rows(opened.page)
    who, kind = (opened.page.locator(f"select[data-table=table-duties][data-column='{at}']") for at in (0, 1))
    who.select_option("the tenant")
    tenants = rows(opened.page)
    assert tenants == [row for row in everything if row[0].lower() == "the tenant"] and tenants != everything
    kind.select_option("must not")
    both = rows(opened.page)
    assert both == [row for row in tenants if row[1] == "must not"] and both
    who.select_option("")
    kind.select_option("")
    assert rows(opened.page) == everything
    sound(opened)


def test_search_finds_lines_and_says_how_many(open_page: Any) -> None:
    opened = open_page("en")
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("PETROL")
    shown = opened.page.locator("[data-clause]:not([hidden])")
    assert opened.page.locator("#found").inner_text() == f"{shown.count()} lines"
    assert all("petrol" in text.lower() for text in shown.all_inner_texts()) and shown.count()
    opened.page.locator("#search").fill("zzzz")
    assert opened.page.locator("#found").inner_text() == "Nothing found."
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("[data-clause][hidden]").count() == 0


def test_the_keyboard_is_enough(open_page: Any) -> None:
    opened = open_page("en")
    page = opened.page
    current = "document.activeElement.matches('[aria-current]') && document.activeElement.textContent"
    page.keyboard.press("j")
    first = page.evaluate(current)
    page.keyboard.press("j")
    second = page.evaluate(current)
    assert first and second and first != second
    page.keyboard.press("k")
    assert page.evaluate(current) == first
    page.keyboard.press("Tab")  # to the link of the line, then on to the next line
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('li.line, tr')"):
            break
    page.keyboard.press("Enter")
    assert page.evaluate(current)
    page.keyboard.press("Escape")
    assert not page.locator("#source.open").count()
    sound(opened)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_the_contrast_of_wcag_aa(open_page: Any, scheme: str) -> None:
    opened = open_page("en", color_scheme=scheme)
    opened.page.locator("#s3").click()
    marked(opened.page)
    found = dict(opened.page.evaluate(CONTRAST, list(COLOURED)))
    assert {selector: ratio for selector, ratio in found.items() if ratio < 4.5} == {}


def test_verdicts_are_told_by_word_and_sign(open_page: Any) -> None:
    texts = set(open_page("en").page.locator(".verdict").all_text_contents())
    assert texts == {"✓ verified", "❝ verbatim", "? unverified"}
    assert set(open_page("zh").page.locator(".verdict").all_text_contents()) <= {"✓ 已核对", "❝ 原文"}


@pytest.mark.parametrize("name", DIGESTS)
@pytest.mark.parametrize("width", [320, 400, 1280])
def test_nothing_runs_out_of_the_window(open_page: Any, name: str, width: int) -> None:
    opened = open_page(name, width)
    opened.page.add_style_tag(content="main > section, .line { content-visibility: visible !important; }")
    opened.page.locator("li.line").nth(1).click()
    opened.page.wait_for_selector("#source-body .source-text")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    if width < 900:
        assert opened.page.locator("#source").bounding_box()["y"] > 300
        opened.page.locator("#close").click()
        assert not opened.page.locator("#source").is_visible()


def test_a_small_window_names_every_cell_and_keeps_the_chosen_line_in_sight(open_page: Any) -> None:
    opened = open_page("en", 400)
    columns = next(part for part in view_of(DIGESTS["en"]).parts if part.name == "duties").table.columns
    named = opened.page.evaluate(
        "() => [...document.querySelector('#table-duties tbody tr').cells].map((cell) => "
        "getComputedStyle(cell, '::before').content)"
    )
    assert named == ["none", *(f'"{column}"' for column in columns[1:]), '"source"']
    for number in (1, 5, len(DIGESTS["en"].statements)):
        opened.page.locator(f"#s{number}").click()
        opened.page.wait_for_selector(f"#s{number}[aria-current]")
        opened.page.wait_for_function(
            "(id) => document.getElementById(id).getBoundingClientRect().top < "
            "document.getElementById('source').getBoundingClientRect().top - 20",
            arg=f"s{number}",
        )
    assert opened.page.locator("#close").is_visible()
    sound(opened)


def test_the_bar_does_not_repeat_a_title_that_is_in_sight(open_page: Any) -> None:
    opened = open_page("en")
    opened.page.wait_for_selector("body.at-top")
    assert not opened.page.locator("header.bar b").is_visible()
    opened.page.evaluate("scrollTo(0, 900)")
    opened.page.locator("header.bar b").wait_for(state="visible")
    sound(opened)


def test_lines_that_only_the_page_ended_run_on(open_page: Any) -> None:
    opened = open_page("en")
    number = next(at for at, one in enumerate(DIGESTS["en"].statements, 1) if "six (6) months" in one.quote)
    opened.page.locator(f"#s{number}").click()
    assert "written notice, unless rent is unpaid" in marked(opened.page)
    assert opened.page.locator("#source-body mark .soft").count() == 1
    assert "\n" in opened.page.locator("#source-body mark").first.text_content()  # what is copied is the file's text
    sound(opened)


RADICALS = str.maketrans("⻚⻓⻔⻋⻅⻢⻛⻝", "页长门车见马风食")  # those that NFKC leaves


def plain(text: str) -> str:
    """Without white space, ligatures and the radicals that a PDF has for Chinese characters."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).translate(RADICALS)


@pytest.mark.parametrize("name", ["en", "zh"])
def test_the_printed_page_is_a4_and_holds_every_line(open_page: Any, name: str, tmp_path: Path) -> None:
    opened = open_page(name)
    path = tmp_path / "print.pdf"
    opened.page.pdf(path=str(path), prefer_css_page_size=True)
    pages = PdfReader(path).pages
    assert 1 <= len(pages) <= 12
    assert {(round(float(p.mediabox.width)), round(float(p.mediabox.height))) for p in pages} == {(595, 842)}
    printed = plain("".join(page.extract_text() for page in pages))
    view = view_of(DIGESTS[name])
    for part in view.parts:
        for text in (*part.notes, *(line.text for line in part.lines)):
            assert plain(text)[:20] in printed, text
        for row in part.table.short if part.table else ():
            assert all(plain(word) in printed for word in row.cells[0].split()), row.cells
    assert "Search" not in printed and "搜索（" not in printed


def test_it_can_be_read_without_the_script(browser: Any, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "en.html").as_uri())
    text = page.content()
    context.close()
    digest = DIGESTS["en"]
    assert all(html.escape(statement.text, quote=False) in text for statement in digest.statements)
