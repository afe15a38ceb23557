"""What is shown: the same parts in every format, nothing of a document obeyed, the same bytes each time."""

import csv
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

from conspectus.document import Detail, Digest, Language, TermKind, Verdict
from conspectus.errors import UsageError
from conspectus.missing import missing_clauses
from conspectus.render import RENDERERS
from conspectus.render.brief import view_of
from conspectus.render.formats import NEEDS, SUFFIXES, chosen_formats
from conspectus.render.safe import cell, one_line
from conspectus.render.view import PartName, View
from conspectus.render.words import WORDS, why

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
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


def workbook(content: bytes) -> dict[str, list[list[str]]]:
    """The cells of each sheet as text; a formula anywhere fails."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        strings = ["".join(si.itertext()) for si in ET.fromstring(book.read("xl/sharedStrings.xml"))]
        names = [s.get("name", "") for s in ET.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet")]
        made = {}
        for place, name in enumerate(names, 1):
            sheet = ET.fromstring(book.read(f"xl/worksheets/sheet{place}.xml"))
            assert not list(sheet.iter(f"{MAIN}f")) and not list(sheet.iter(f"{MAIN}hyperlink"))
            rows = []
            for row in sheet.iter(f"{MAIN}row"):
                cells = list(row.iter(f"{MAIN}c"))
                assert all(c.get("t") == "s" or c.find(f"{MAIN}v") is None for c in cells)
                values = [c.findtext(f"{MAIN}v") for c in cells]
                rows.append([strings[int(value)] if value is not None else "" for value in values])
            made[name] = rows
        return made


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


def csv_rows(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


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
