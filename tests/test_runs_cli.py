"""`conspectus runs`: the list, the explanation of one run, and what is said of a wrong number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conspectus.cli.main import run
from conspectus.errors import ExitCode
from conspectus.journal.facts import took
from conspectus.journal.journal import CallNote, CallState, DocumentState, Journal, Outcome, RunEnd
from conspectus.report.changes import Point, TableName, changes_as_dict, changes_between

pytestmark = pytest.mark.usefixtures("fresh_folders")
KEY = "ab" * 32


@pytest.fixture
def night(fresh_folders: Path) -> int:
    """A run that ended because the time was up; its number."""
    with Journal.open() as journal:
        number = journal.start_run("batch in -o out", Path("out"), "starter")
        names = ("lease.pdf", "扫描件.pdf", "copy.pdf", "same.pdf", "begun.pdf", "z\x1b[31m\n\u202e.pdf")
        lease, scan, copy, same, begun, _ = journal.add_documents(number, [Path("in") / name for name in names])
        journal.note_state(lease, DocumentState.RUNNING)
        journal.note_call(lease, CallNote(KEY, label="map 1", prompt_tokens=900, generated_tokens=80, seconds=1.5))
        journal.note_call(lease, CallNote(KEY, CallState.REFUSED, "retry 1", 2, "loop", 300, 20, 4.0))
        journal.note_call(lease, CallNote(KEY, CallState.ERROR, "map 2", reason="the server is gone"))
        journal.note_call(lease, CallNote(KEY, cached=True))
        done = Outcome(DocumentState.PARTIAL, "pages not read: 3", pages=4, pages_read=3, clauses=12, verified=9)
        journal.note_outcome(lease, done)
        journal.note_outcome(scan, Outcome(DocumentState.UNREADABLE, "in/扫描件.pdf: is encrypted", "Use --password"))
        journal.note_outcome(copy, Outcome(DocumentState.DUPLICATE, same_as=Path("in/lease.pdf")))
        journal.note_outcome(same, Outcome(DocumentState.UNCHANGED))
        journal.note_state(begun, DocumentState.RUNNING)
        journal.finish_run(number, RunEnd.TIME_UP, 3)
    return number


def test_no_runs_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs"]) == ExitCode.OK
    assert "No runs yet" in capsys.readouterr().out
    assert run(["runs", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == []
    assert run(["runs", "show"]) == ExitCode.USAGE
    assert "no runs yet" in capsys.readouterr().err


def test_the_list(night: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs"]) == ExitCode.OK
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["run", "started", "took", "end", "exit", "documents", "command"]
    assert line.startswith(str(night)) and line.endswith("batch in -o out") and "time up" in line
    assert "1 unreadable, 1 partial, 1 cut short, 1 not started, 1 unchanged, 1 duplicate" in line


def test_the_list_as_json(night: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "--json", "--limit", "5"]) == ExitCode.OK
    (facts,) = json.loads(capsys.readouterr().out)
    assert (facts["id"], facts["ended"], facts["exit_code"], facts["out"]) == (night, "time up", 3, "out")
    assert facts["documents"]["not started"] == 1 and facts["started"].endswith("+00:00")


@pytest.mark.parametrize("number", [[], ["1"]])
def test_a_run_is_explained(number: list[str], night: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "show", *number]) == ExitCode.OK
    out = capsys.readouterr().out
    for said in (
        f"run {night}: time up, exit code 3",
        "3 model calls, 1 answer from the cache (25%), 1,200 + 100 tokens",
        "partial: in/lease.pdf",
        "why: pages not read: 3",
        "3 of 4 pages read, 12 clauses, 9 verified lines",
        "asked again: loop 1",
        "error: the server is gone (1 time)",
        "slowest: retry 1 4.0 s, map 1 1.5 s",
        "unreadable: in/扫描件.pdf",
        "next: Use --password",
        "the same file as in/lease.pdf",
        "cut short: in/begun.pdf",
    ):
        assert said in out, said
    assert "not started: in/z\ufffd[31m \ufffd.pdf" in out, "nothing in a name is obeyed by the terminal"


def test_a_run_as_json(night: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "show", str(night), "--json"]) == ExitCode.OK
    facts = json.loads(capsys.readouterr().out)
    assert facts["retries"] == {"loop": 1} and facts["model_calls"] == 3 and facts["cache_share"] == 0.25
    states = [file["state"] for file in facts["files"]]
    assert states == ["partial", "unreadable", "duplicate", "unchanged", "cut short", "not started"]
    assert facts["files"][1]["remedy"] == "Use --password"
    assert [call["label"] for call in facts["slowest"]] == ["retry 1", "map 1", "map 2"]


def test_the_report_of_a_run_that_wrote_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    digest = out / "租约.pdf.digest.html"
    old, new = (Point(TableName.LINES, "", text, text) for text in ("The rent is £10.", "The rent is £12."))
    facts = {"changes": changes_as_dict(changes_between([old], [new]))}
    (out / "租约.pdf.run.json").write_text(json.dumps(facts))
    with Journal.open() as journal:
        number = journal.start_run("batch in", out)
        first, *_ = journal.add_documents(number, [Path("in/租约.pdf"), Path("in/b.pdf")])
        journal.note_outcome(first, Outcome(DocumentState.DONE, digest=digest))
    assert run(["runs", "report"]) == ExitCode.OK
    assert capsys.readouterr().out.split() == [str(out / f"report.{suffix}") for suffix in ("md", "html", "json")]
    page = (out / "report.html").read_text("utf-8")
    assert "<del>10</del>" in page and "<ins>12</ins>" in page and 'href="%E7%A7%9F' in page
    assert json.loads((out / "report.json").read_bytes())["counts"] == {"not started": 1, "done": 1}
    assert run(["runs", "report", str(number), "-o", "-", "--language", "zh"]) == ExitCode.OK
    assert "晨报" in capsys.readouterr().out
    assert run(["runs", "report", "-o", str(tmp_path / "new" / "folder")]) == ExitCode.OK
    assert (tmp_path / "new" / "folder" / "report.md").exists()
    capsys.readouterr()
    assert run(["runs", "report", "-o", str(out / "report.md")]) == ExitCode.USAGE
    (out / "租约.pdf.run.json").write_text("{")
    assert run(["runs", "report", "-o", "-"]) == ExitCode.OK
    assert "£" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runs", "show", "77"], "there is no run 77"),
        (["runs", "show", "twelve"], "twelve"),
        (["runs", "report", "77"], "there is no run 77"),
        (["runs", "report", "--language", "fr"], "fr"),
        (["runs", "show", "-1"], ""),
        (["runs", "--limit", "0"], "--limit 0"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], said: str, night: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert said in captured.err and not captured.out


def test_a_name_that_is_no_text_is_shown_in_any_locale(fresh_folders: Path) -> None:
    with Journal.open() as journal:
        journal.add_documents(journal.start_run("batch"), [Path(os.fsdecode(b"in/\xff.pdf"))])
    code = "from conspectus.cli.main import main; main()"
    for more in ([], ["--json"]):
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, "runs", "show", *more],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.returncode == ExitCode.OK, done.stderr
        if more:
            assert json.loads(done.stdout)["files"][0]["path"].startswith("in/")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.04, "0.0 s"),
        (59.9, "59.9 s"),
        (59.96, "1 min 0 s"),
        (60, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (29520, "8 h 12 min"),
    ],
)
def test_lengths_of_time(seconds: float, shown: str) -> None:
    assert took(seconds) == shown
