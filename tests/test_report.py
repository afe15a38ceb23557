"""The morning report: what each document became, and pages that obey nothing."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import digests
import pytest

from conspectus.document import Language
from conspectus.journal.journal import CallNote, CallState, DocumentState, Journal, Outcome, RunEnd
from conspectus.render.json import render_json as render_digest
from conspectus.report.changes import (
    Changes,
    Point,
    TableName,
    changes_between,
    points_of,
)
from conspectus.report.render import render_html, render_json, render_markdown, render_report
from conspectus.report.report import Report, report_of
from conspectus.report.words import WORDS

KEY = "ab" * 32


def line(text: str, clause: str = "1") -> Point:
    return Point(TableName.LINES, "", f"restated: {text}", text, clause, "1")


# The report.

HOSTILE = '</td><script>alert(1)</script>\u202e"onload=alert(2)\x1b[31m|**x**](javascript:alert(3)).pdf'


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.sqlite") as opened:
        yield opened


@pytest.fixture
def changes() -> dict[Path, Changes]:
    hostile = replace(line(HOSTILE), text=HOSTILE, clause=HOSTILE, pages=HOSTILE, label=HOSTILE)
    return {
        Path("in/lease.pdf"): changes_between([line("The rent is £10.")], [line("The rent is £12."), hostile]),
        Path("in/old.pdf"): changes_between([line("Never shown.")], []),
    }


def night(journal: Journal, out: Path, end: RunEnd = RunEnd.TIME_UP) -> int:
    run = journal.start_run(f"batch in {HOSTILE}", out, f"starter {HOSTILE}")
    names = (
        "lease.pdf",
        "sub/扫描.pdf",
        "b.pdf",
        "copy.pdf",
        "old.pdf",
        "late.pdf",
        "cut.pdf",
        HOSTILE.replace("/", ""),
    )
    numbers = journal.add_documents(run, [Path("in") / name for name in names])
    lease, scan, broken, copy, old, _, cut, hostile = numbers
    journal.note_state(lease, DocumentState.RUNNING)
    journal.note_call(lease, CallNote(KEY, CallState.REFUSED, HOSTILE, 2, f"loop,{HOSTILE}", 300, 20, 4.0))
    journal.note_call(lease, CallNote(KEY, CallState.ERROR, "map 2", reason=HOSTILE))
    digest = out / "lease.pdf.digest.html"
    done = Outcome(DocumentState.DONE, pages=4, pages_read=4, clauses=12, verified=9, unverified=1, digest=digest)
    journal.note_outcome(lease, done)
    scanned = out / "sub" / "扫描.pdf.digest.html"
    partial = Outcome(DocumentState.PARTIAL, "pages not read: 3", "Use --ocr", pages=3, pages_read=2, digest=scanned)
    journal.note_outcome(scan, partial)
    journal.note_outcome(broken, Outcome(DocumentState.UNREADABLE, "in/b.pdf: is encrypted", "Use --password-file"))
    journal.note_outcome(copy, Outcome(DocumentState.DUPLICATE, same_as=Path("in/lease.pdf")))
    journal.note_outcome(old, Outcome(DocumentState.UNCHANGED))
    journal.note_state(cut, DocumentState.RUNNING)
    journal.note_outcome(hostile, Outcome(DocumentState.FAILED, HOSTILE, HOSTILE))
    journal.finish_run(run, end, 3)
    return run


@pytest.fixture
def report(journal: Journal, tmp_path: Path, changes: dict[Path, Changes]) -> Report:
    return report_of(journal, night(journal, tmp_path / "out"), changes)


def test_the_states_of_a_night(report: Report) -> None:
    assert report.counts == {
        "failed": 1, "unreadable": 1, "partial": 1, "cut short": 1, "not started": 1, "done": 1, "unchanged": 1,
        "duplicate": 1,
    }  # fmt: skip
    assert report.needs_attention and report.base == "in"
    assert report.sentence() == (
        "run 1 time up: 1 failed, 1 unreadable, 1 partial, 1 cut short, 1 not started, 1 done, 1 unchanged, 1 duplicate"
    )
    assert [entry.name for entry in report.of("partial")] == ["sub/扫描.pdf"]
    assert [entry.name for entry in report.entries if entry.changes] == ["lease.pdf"], "of the old digest nothing"


def test_the_json(report: Report, tmp_path: Path) -> None:
    data = json.loads(render_json(report, tmp_path / "out"))
    assert data["schema"] == "conspectus-report-1" and data["needs_attention"] is True
    assert (data["pages"], data["pages_read"], data["run"]["ended"]) == (7, 6, "time up")
    by_name = {document["name"]: document for document in data["documents"]}
    assert by_name["lease.pdf"]["link"] == "lease.pdf.digest.html"
    assert by_name["sub/扫描.pdf"]["link"] == "sub/%E6%89%AB%E6%8F%8F.pdf.digest.html"
    assert by_name["b.pdf"]["remedy"] == "Use --password-file" and by_name["b.pdf"]["state"] == "unreadable"
    assert len(by_name["lease.pdf"]["changes"]["added"]) == 1
    assert by_name["lease.pdf"]["retries"]["loop"] == 1
    assert by_name["late.pdf"]["state"] == "not started" and by_name["cut.pdf"]["state"] == "cut short"


class Page(HTMLParser):
    """Tags, attributes and links of a page, and its text."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.text = ""
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids |= {value or "" for name, value in attrs if name == "id"}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_obeys_nothing_and_loses_nothing(report: Report, tmp_path: Path) -> None:
    page = Page(render_html(report, tmp_path / "out"))
    assert not {"script", "iframe", "img", "form", "object", "base"} & page.tags
    assert not {name for name in page.attributes if name.startswith("on")}
    assert not [link for link in page.links if re.match(r"(?!data:,$)[a-z]+:", link)]
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    assert "<script>alert(1)</script>" in page.text, "shown as it is called"
    assert not re.search("[\x00-\x08\x1b\u202a-\u202e]", page.text)
    for said in ("pages not read: 3", "Use --password-file", "late.pdf", "The time was up", "1 NOT verified", "£"):
        assert said in page.text, said
    assert "lease.pdf.digest.html" in page.links


def test_markdown_shows_hostile_text_and_does_nothing(report: Report, tmp_path: Path) -> None:
    text = render_markdown(report, tmp_path / "out").decode()
    assert "<script" not in text.replace("\\<script", "") and "\x1b" not in text and "\u202e" not in text
    assert "](javascript" not in text.replace("\\](javascript", "")
    rows = [row for row in text.splitlines() if row.startswith("| ") and "alert" in row]
    assert rows and all(len(re.findall(r"(?<!\\)\|", row)) in (3, 4, 6) for row in rows), "no cell is split"
    assert "changed (line; 1, p. 1): The rent is £**10**. → The rent is £**12**." in text
    assert "[sub/扫描.pdf](<sub/%E6%89%AB%E6%8F%8F.pdf.digest.html>)" in text


def test_the_same_run_gives_the_same_bytes(
    journal: Journal, tmp_path: Path, changes: dict[Path, Changes], report: Report
) -> None:
    made = render_report(report, tmp_path)
    assert set(made) == {"report.md", "report.html", "report.json"}
    assert render_report(report_of(journal, 1, changes), tmp_path) == made
    other = report_of(journal, night(journal, tmp_path / "out"), changes)
    first, second = (json.loads(render_json(one, tmp_path)) for one in (report, other))
    for data in (first, second):
        del data["run"]
        for document in data["documents"]:
            del document["seconds"]
            document["made_in"] = None
    assert first == second, "another run of the same night differs in its times alone"


def test_a_chinese_report(journal: Journal, tmp_path: Path, changes: dict[Path, Changes]) -> None:
    report = report_of(journal, night(journal, tmp_path / "out"), changes, Language.ZH)
    page = Page(render_html(report, tmp_path / "out"))
    assert "晨报：第 1 次运行" in page.text and "8 个文件中有 5 个需要查看：失败 1、无法读取 1" in page.text
    assert '<html lang="zh"' in render_html(report, tmp_path).decode()
    assert (
        "改动（要点" in render_markdown(report, tmp_path).decode()
        or "改动 (要点" in render_markdown(report, tmp_path).decode()
    )


def test_a_chinese_report_has_no_english_words(journal: Journal, tmp_path: Path) -> None:
    """Names of files, of the model and of commands stay; all else that is shown is Chinese."""
    run = journal.start_run("batch 合同 -o 摘要", Path("摘要"), "模型")
    numbers = journal.add_documents(run, [Path("合同") / f"{name}.pdf" for name in "甲乙丙丁戊"])
    journal.note_state(numbers[0], DocumentState.RUNNING)
    for label, reason in (("sentences restated 3", "transport"), ("refused lines asked again 1", "refused,loop")):
        journal.note_call(numbers[0], CallNote(KEY, CallState.OK, label, 2, reason, 300, 20, 4.0))
    failed = "A model call failed: the context had no room left"
    journal.note_call(numbers[0], CallNote(KEY, CallState.ERROR, "overviews worded 1", reason=failed))
    for number, outcome in zip(
        numbers,
        (
            Outcome(DocumentState.DONE, pages=4, pages_read=4, clauses=12, verified=9, unverified=1),
            Outcome(DocumentState.PARTIAL, "pages not read: 3, 4 (as before)", pages=4, pages_read=2),
            Outcome(DocumentState.UNREADABLE, "合同/丙.pdf: has no pages", "Export it again"),
            Outcome(DocumentState.FAILED, "合同/丁.pdf: unexpected Oops: 7", "Run it alone with -v"),
            Outcome(DocumentState.PARTIAL, f"model calls failed: {failed}; the call was not made"),
        ),
        strict=True,
    ):
        journal.note_outcome(number, outcome)
    journal.finish_run(run, RunEnd.FINISHED, 3)
    report = report_of(journal, run, {}, Language.ZH)
    shown = re.sub("(?s)<style>.*?</style>|<[^>]*>", "", render_html(report, tmp_path).decode())
    names = re.compile(r"[甲乙丙丁戊]\.pdf|batch|Oops|report\.json|conspectus(?: runs show| [\d.]+\w*)?")
    for text in (shown, render_markdown(report, tmp_path).decode()):
        assert "重问未通过的行 1" in text and not re.findall(".*[A-Za-z]{2,}.*", names.sub("", text))


def test_a_calm_night_needs_nobody(journal: Journal, tmp_path: Path) -> None:
    run = journal.start_run("batch in", tmp_path)
    (document,) = journal.add_documents(run, [tmp_path / "in" / "a.pdf"])
    journal.note_outcome(document, Outcome(DocumentState.DONE, pages=1, pages_read=1))
    journal.finish_run(run, RunEnd.FINISHED, 0)
    report = report_of(journal, run)
    assert not report.needs_attention and report.base == str(tmp_path / "in")
    text = render_markdown(report, tmp_path).decode()
    assert "Every document was delivered whole." in text and "Nothing against the digests" in text


def test_a_resumed_night_is_reported_whole(journal: Journal, tmp_path: Path, changes: dict[Path, Changes]) -> None:
    path = Path("in/lease.pdf")
    reports = []
    for end, state in (
        (RunEnd.INTERRUPTED, DocumentState.DONE),
        (RunEnd.FINISHED, DocumentState.UNCHANGED),
        (RunEnd.FINISHED, DocumentState.UNCHANGED),
    ):
        run = journal.start_run("batch in", tmp_path)
        (document,) = journal.add_documents(run, [path])
        journal.note_outcome(document, Outcome(state))
        journal.finish_run(run, end, 0)
        reports.append(report_of(journal, run, changes))
    assert [bool(report.entries[0].changes) for report in reports] == [True, True, False]
    assert [len(report.resumed) for report in reports] == [0, 1, 0]
    assert "cut short (1)" in render_markdown(reports[1], tmp_path).decode()


def test_a_run_without_documents_and_one_under_way(journal: Journal, tmp_path: Path) -> None:
    empty = journal.start_run("batch in", tmp_path)
    assert "still under way" in render_markdown(report_of(journal, empty), tmp_path).decode()
    journal.finish_run(empty, RunEnd.FINISHED, 0)
    assert "No document was given" in render_markdown(report_of(journal, empty), tmp_path).decode()
    assert report_of(journal, empty).sentence().endswith("no documents")
    run = journal.start_run("batch in", tmp_path)
    numbers = journal.add_documents(run, [Path("a.pdf"), Path("b.pdf")])
    journal.note_state(numbers[0], DocumentState.RUNNING)
    assert report_of(journal, run).counts == {"running": 1, "queued": 1}
    for content in render_report(report_of(journal, run), tmp_path).values():
        assert b"a.pdf" in content


def test_names_that_are_no_text(journal: Journal, tmp_path: Path) -> None:
    name = os.fsdecode(b"in/\xff.pdf")
    run = journal.start_run("batch", tmp_path)
    (document,) = journal.add_documents(run, [Path(name)])
    digest = tmp_path / os.fsdecode(b"\xff.pdf.digest.html")
    journal.note_outcome(document, Outcome(DocumentState.DONE, digest=digest))
    made = render_report(report_of(journal, run), tmp_path)
    assert json.loads(made["report.json"])["documents"][0]["link"] == "%FF.pdf.digest.html"
    assert b"%FF.pdf.digest.html" in made["report.html"] and b"%FF.pdf.digest.html" in made["report.md"]


def test_hostile_digests_have_points_that_can_be_shown(journal: Journal, tmp_path: Path) -> None:
    made = render_digest(digests.hostile())
    changes = changes_between((), points_of(json.loads(made)))
    run = night(journal, tmp_path)
    report = report_of(journal, run, {Path("in/lease.pdf"): changes})
    page = Page(render_html(report, tmp_path))
    assert "script" not in page.tags and "img" not in page.tags
    assert json.loads(render_json(report, tmp_path))


def keys(words: Any) -> Any:
    return {key: keys(value) for key, value in words.items()} if isinstance(words, dict) else type(words)


def test_both_languages_have_the_same_words() -> None:
    assert keys(WORDS[Language.EN]) == keys(WORDS[Language.ZH])

    def fields(words: Any) -> list[set[str]]:
        if isinstance(words, dict):
            return [found for value in words.values() for found in fields(value)]
        return [set(re.findall(r"{(\w+)", words))] if isinstance(words, str) else []

    assert fields(WORDS[Language.EN]) == fields(WORDS[Language.ZH])
