"""What is shown: the same parts in every format, nothing of a document obeyed, the same bytes each time."""

import io
import json
import re
import sys
import time
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from digests import HOSTILE, act, hostile, lease, unverified
from docx import Document as Word
from icalendar import Calendar
from opened import MAIN, csv_rows, workbook

from conspectus.digesting.missing import missing_clauses
from conspectus.document import Detail, Digest, Language, TermKind, Verdict
from conspectus.errors import UsageError
from conspectus.render import RENDERERS
from conspectus.render.brief import view_of
from conspectus.render.formats import NEEDS, SUFFIXES, chosen_formats
from conspectus.render.safe import cell, one_line
from conspectus.render.said import why
from conspectus.render.view import PartName, View
from conspectus.render.words import WORDS
from conspectus.render.xlsx import height

LINK = "../papers/lease.pdf"


def titles(view: View) -> list[str]:
    return [part.title for part in view.parts]


def html_sections(page: str) -> list[tuple[str, int, int]]:
    found = []
    for section in re.findall(r"<section class=.*?</section>", page, re.S):
        title = re.search(r"<h[23][^>]*>(.*?)</h[23]>", section, re.S)
        assert title
        found.append((title.group(1), section.count('<li class="line'), section.count("<tr") - section.count("<thead")))
    return found


def markdown_sections(text: str) -> Iterator[tuple[str, int, int]]:
    parts = re.split(r"^##+ (.*)$", text, flags=re.M)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = re.findall(r"^- [✓❝?] ", body, re.M)
        rows = re.findall(r"^\| ", body, re.M)
        yield title, len(lines), max(0, len(rows) - 1)


def word_sections(content: bytes) -> list[tuple[str, int, int]]:
    found: list[list[object]] = []
    for item in Word(io.BytesIO(content)).iter_inner_content():
        if not hasattr(item, "style") or hasattr(item, "rows"):
            found[-1][2] = len(item.rows) - 1
        elif item.style.name.startswith("Heading"):
            found.append([item.text, 0, 0])
        elif item.style.name == "List Bullet":
            found[-1][1] += 1  # type: ignore[operator]
    return [tuple(row) for row in found]  # type: ignore[misc]


@pytest.mark.parametrize(
    "digest", [lease(), lease(Detail.BRIEF), act(), unverified(lease())], ids=["en", "brief", "zh", "partial"]
)
def test_every_format_has_the_same_sections_and_lines(digest: Digest) -> None:
    view = view_of(digest)
    wanted = [(one_line(p.title), len(p.lines), len(p.table.short) if p.table else 0) for p in view.parts]
    shared = WORDS[digest.document.language]["parts"]["section"]
    page = html_sections(RENDERERS["html"](digest, LINK).decode())
    assert [row[0] for row in page] == titles(view)
    assert page == [(p.title, len(p.lines), len(p.table.rows) if p.table else 0) for p in view.parts]
    plain = [row for row in markdown_sections(RENDERERS["md"](digest, "").decode()) if row[0] != shared]
    assert [(title.replace("\\", ""), *counts) for title, *counts in plain] == wanted
    assert [row for row in word_sections(RENDERERS["docx"](digest, "")) if row[0] != shared] == wanted
    sheets = workbook(RENDERERS["xlsx"](digest, ""))
    names = WORDS[digest.document.language]["sheets"]
    assert set(sheets) >= {names[part.name.value] for part in view.parts}
    counted: Counter[str] = Counter()
    for part in view.parts:
        counted[names[part.name.value]] += len(part.table.rows) if part.table else len(part.lines)
    counted[names["method"]] = len(view.parts[-1].notes)
    assert {name: len(rows) - 1 for name, rows in sheets.items() if name in counted} == dict(counted)


def test_the_parts_of_a_contract_and_of_a_statute_stand_in_their_order() -> None:
    order = list(PartName)
    contract = [part.name for part in view_of(lease()).parts]
    assert all(order.index(a) <= order.index(b) for a, b in pairwise(contract))
    statute = list(dict.fromkeys(part.name for part in view_of(act()).parts))
    assert statute.index(PartName.DUTIES) < statute.index(PartName.DATES)


def test_words_have_the_same_keys_in_both_languages() -> None:
    english, chinese = WORDS[Language.EN], WORDS[Language.ZH]
    assert english.keys() == chinese.keys()
    for key, value in english.items():
        if isinstance(value, dict):
            assert value.keys() == chinese[key].keys(), key
            assert [len(v) for v in value.values() if isinstance(v, tuple)] == [
                len(v) for v in chinese[key].values() if isinstance(v, tuple)
            ]


def test_the_reasons_of_the_ledger_are_told_in_chinese() -> None:
    for row in act(Detail.BRIEF).ledger:
        assert not re.search("[a-z]{3}", why(row.reason, Language.ZH)), row.reason
    assert why("beyond the length: obligation, right", Language.ZH) == "超出篇幅：义务、权利"
    assert why("said in the same words in 4.2", Language.EN) == "said in the same words in 4.2"


def test_what_is_partial_or_not_verified_is_said_first_and_again_at_the_end() -> None:
    text = RENDERERS["md"](unverified(lease()), "").decode()
    assert text.index("PARTIAL") < text.index("## The document") < text.index("## Overview")
    assert "Page iv was not read (image-only: scan)." in text
    last = text.split("## Not read")[1]
    assert "Page iv was not read" in last and "- ? " in last


def test_an_overview_line_names_all_clauses_and_pages_it_rests_on() -> None:
    digest = unverified(lease())
    line = next(part for part in view_of(digest).parts if part.name is PartName.OVERVIEW).lines[0]
    assert line.cites == (1, 2, 3)
    assert line.cite.clause == ", ".join(dict.fromkeys(digest.statements[at].clause for at in (1, 2, 3)))
    page = RENDERERS["html"](digest, LINK).decode()
    assert all(f'<a class="to" href="#s{at}">[{at}]</a>' in page and f'id="s{at}"' in page for at in (2, 3, 4))


def test_long_tables_are_short_where_they_are_read_from_top_to_bottom() -> None:
    digest = lease(Detail.BRIEF)
    duties = next(part for part in view_of(digest).parts if part.name is PartName.DUTIES).table
    assert duties and len(duties.short) == min(15, len(duties.rows))
    assert len(csv_rows(RENDERERS["duties.csv"](digest, ""))) == len(duties.rows) + 1


def test_missing_clauses_are_named_and_present_ones_are_not() -> None:
    assert "governing law" in missing_clauses("The Tenant shall pay.", Language.EN)
    assert "governing law" not in missing_clauses("It is governed by the law of England.", Language.EN)
    assert "保密" in missing_clauses("乙方应当付款。", Language.ZH)
    assert "保密" not in missing_clauses("乙方应当保密。", Language.ZH)
    flags = next(part for part in view_of(lease()).parts if part.name is PartName.FLAGS).table
    assert flags and {row.cells[0] for row in flags.rows} >= {"high", "low"}


@pytest.mark.parametrize("suffix", RENDERERS)
def test_the_same_digest_gives_the_same_bytes_at_another_time(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = unverified(lease())
    first = RENDERERS[suffix](digest, LINK)
    now = time.time() + 86_400 * 40
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(now))
    assert RENDERERS[suffix](digest, LINK) == first
    if first[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(first)) as made:
            assert {member.date_time for member in made.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            stamps = re.findall(rb'(?:w:date="|W3CDTF">)([^"<]*)', b"".join(map(made.read, made.namelist())))
            assert set(stamps) == {b"1980-01-01T00:00:00Z"}


def test_quotations_stand_in_comments_of_the_word_document() -> None:
    digest = lease()
    comments = [comment.text for comment in Word(io.BytesIO(RENDERERS["docx"](digest, ""))).comments]
    assert comments == [s.quote for s in digest.statements if s.verdict is not Verdict.VERBATIM] and comments


def test_a_csv_row_has_its_place_and_a_link_to_the_page() -> None:
    head, *rows = csv_rows(RENDERERS["duties.csv"](lease(), LINK))
    assert head[-4:] == ["clause", "page", "source", "link"]
    assert {row[-1] for row in rows} <= {f"{LINK}#page=1", f"{LINK}#page=2"}
    rent = next(row for row in rows if "yearly rent" in row[2])
    assert rent[:2] == ["The Tenant", "must"] and rent[-4:-2] == ["2.1", "1"]


def test_a_file_of_no_rows_has_its_titles() -> None:
    from dataclasses import replace

    (head,) = csv_rows(RENDERERS["duties.csv"](replace(lease(), duties=()), ""))
    assert head[0] == "who"


@pytest.mark.parametrize("first", "=+-@\t\r")
def test_no_cell_of_a_csv_is_a_formula(first: str) -> None:
    assert not cell(f"{first}1+1").startswith(("=", "+", "-", "@"))


def events(content: bytes) -> list[Calendar]:
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    return list(Calendar.from_ical(content).walk("VEVENT"))


def test_days_become_events_and_periods_do_not() -> None:
    digest = lease()
    days = {term.computed for term in digest.key_terms if term.kind is TermKind.DATE and term.computed}
    made = events(RENDERERS["ics"](digest, LINK))
    assert {event["DTSTART"].dt.isoformat() for event in made} == days == {"2027-03-01", "2032-03-01"}
    for event in made:
        assert event["DTEND"].dt - event["DTSTART"].dt == timedelta(days=1)
        assert event["DTSTART"].params["VALUE"] == "DATE"
        assert "#page=1" in event["DESCRIPTION"]
    assert len({event["UID"] for event in made}) == len(made)
    assert [e["DTSTART"].dt for e in events(RENDERERS["ics"](act(), ""))] == [date(2027, 3, 1)]


# What may never stand in a file as it is: a control character, an override, a lone surrogate.
OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe]|[\ud800-\udfff]")


@pytest.mark.parametrize("suffix", [suffix for suffix in RENDERERS if suffix != "json"])
def test_nothing_of_a_document_is_obeyed(suffix: str) -> None:
    content = RENDERERS[suffix](hostile(), "a.pdf")
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as made:
            parts = [made.read(name) for name in made.namelist() if name.endswith((".xml", ".rels"))]
        for part in parts:
            ET.fromstring(part)
            assert not OBEYED.search(part.decode())
            assert b"http://x" not in b"".join(re.findall(rb'Target="([^"]*)"', part))
    else:
        assert not OBEYED.search(content.decode("utf-8-sig"))
    if suffix == "xlsx":
        workbook(content)
    if suffix.endswith("csv"):
        cells = [value for row in csv_rows(content) for value in row]
        assert not [value for value in cells if value.startswith(("=", "+", "-", "@"))]
    if suffix == "ics":
        assert all("\n" not in str(event["SUMMARY"]) for event in events(content))
    if suffix == "md":
        assert not re.search(r"(?<!\\)[<>*\[\]]", content.decode().replace("**PARTIAL", "").replace("document.**", ""))


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_the_page_of_a_hostile_document_has_the_elements_of_ours_alone() -> None:
    page = RENDERERS["html"](hostile(), "").decode()
    assert page.count("<script") == page.count("</script") == 3
    assert page.count("<!--") == page.count("-->") == 0
    seen = Elements()
    seen.feed(page)
    assert not {name for name in seen.attributes if name.startswith("on")}
    assert not seen.tags & {"img", "iframe", "object", "embed", "form", "base", "svg"}
    assert {link for link in re.findall(r'href="([^"#]*)', page) if link} <= {
        "data:,", re.findall(r'data-file="([^"]*)"', page)[0]
    }  # fmt: skip
    assert re.findall(r'data-file="([^"]*)"', page)[0].startswith("a%3Ab%3Fc%23d")
    assert "{{ 7*7 }}" in page and HOSTILE[:9] not in page.replace("</script>\n", "")


def test_formats_are_chosen_by_name() -> None:
    assert chosen_formats("md, JSON,csv") == ("md", "json", "duties.csv", "dates.csv")
    assert {suffix for form in SUFFIXES for suffix in SUFFIXES[form]} == set(RENDERERS)
    for names, said in (("md,pdf", "no format pdf"), (",", "names nothing")):
        with pytest.raises(UsageError, match=said) as caught:
            chosen_formats(names)
        assert "docx" in caught.value.remedy


@pytest.mark.parametrize("form", NEEDS)
def test_a_format_without_its_library_says_how_to_get_it(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NEEDS[form], None)
    with pytest.raises(UsageError) as caught:
        RENDERERS[form](lease(), "")
    assert "uv sync --extra export" in caught.value.line()


def test_json_is_not_changed_by_the_place_of_the_file() -> None:
    assert json.loads(RENDERERS["json"](lease(), LINK)) == json.loads(RENDERERS["json"](lease(), ""))


def test_tables_of_the_word_document_fit_the_page_and_repeat_their_head() -> None:
    paper = Word(io.BytesIO(RENDERERS["docx"](unverified(lease()), "")))
    assert len(paper.tables) > 5
    for table in paper.tables:
        head, *rows = table.rows
        assert sum(cell.width.mm for cell in head.cells) == pytest.approx(170, abs=0.5)
        assert "w:tblHeader" in head._tr.xml and all("w:cantSplit" in row._tr.xml for row in table.rows)
        assert not any("w:tblHeader" in row._tr.xml for row in rows)
        order = [child.tag.split("}")[1] for child in table._tbl.tblPr]
        assert order.index("tblBorders") < order.index("tblLayout") < order.index("tblLook")


def test_rows_of_the_workbook_are_as_high_as_their_text() -> None:
    with zipfile.ZipFile(io.BytesIO(RENDERERS["xlsx"](act(), ""))) as book:
        for name in (name for name in book.namelist() if "/sheet" in name):
            rows = list(ET.fromstring(book.read(name)).iter(f"{MAIN}row"))[1:]
            assert all(15 <= float(row.get("ht", 15)) <= 409 for row in rows), name
    heights = [height(("字" * count, "b"), [40, 10]) for count in (1, 20, 30, 5000)]
    assert heights == [15.0, 15.0, 30.0, 405.0]


def test_the_header_names_courts_apart_from_the_law() -> None:
    from dataclasses import replace

    from conspectus.document import KeyTerm

    made = lease()
    terms = tuple(KeyTerm(TermKind.LAW, "", role, 0, role) for role in ("law", "jurisdiction", "arbitration"))
    digest = replace(made, key_terms=terms, evidence=made.evidence[:1] * 3)
    header = view_of(digest).parts[0].table
    assert header and [row.cells[0] for row in header.rows[:3]] == ["governing law", "jurisdiction", "arbitration"]
    assert [row.cells[0] for row in header.rows[3:]] == ["file", "pages"], "the rest stands in how it was made"


def test_pages_that_were_not_read_for_one_reason_are_told_in_one_sentence() -> None:
    from dataclasses import replace

    from conspectus.document import Page, PageStatus

    made = lease()
    scans = [Page(at, f"{at + 1}", PageStatus.IMAGE, "", 10**6, reason="scan") for at in (2, 3, 4, 6)]
    pages = (*(replace(page, warnings=("odd",)) for page in made.document.pages), *scans)
    view = view_of(replace(made, document=replace(made.document, pages=pages)))
    assert "Pages 3–5, 7 were not read (image-only: scan)." in view.alerts
    assert view.alerts[-1] == "p. 1–2: odd" and len(view.alerts) == 3
