"""The run journal: what is noted is found again, whatever happened to the process, the file or the clock."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.errors import UsageError
from conspectus.journal import file as journal_file
from conspectus.journal import journal as journal_module
from conspectus.journal.journal import (
    CallNote,
    CallState,
    Cost,
    DocumentState,
    Journal,
    Outcome,
    RunEnd,
    command_line,
)

KEY = "ab" * 32


def never(message: str) -> None:
    raise AssertionError(message)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal.open(path, never) as opened:
        yield opened


def one_run(journal: Journal, *names: str) -> tuple[int, list[int]]:
    run = journal.start_run("batch in -o out", Path("out"), "starter")
    return run, journal.add_documents(run, [Path(name) for name in names])


def test_what_is_noted_is_found_again(journal: Journal) -> None:
    run, (lease, scan, copy, late) = one_run(journal, "in/lease.pdf", "in/scan.pdf", "in/租约.pdf", "in/z.pdf")
    journal.note_state(lease, DocumentState.READING)
    journal.note_state(lease, DocumentState.RUNNING)
    journal.note_call(lease, CallNote(KEY, label="map 1", prompt_tokens=900, generated_tokens=80, seconds=1.5))
    refused = CallNote(KEY, CallState.REFUSED, "retry 1", 2, "number-not-in-evidence,loop", 300, 20, 4.0)
    journal.note_call(lease, refused)
    journal.note_call(lease, CallNote(KEY, CallState.ERROR, "map 2", reason="server gone", seconds=0.1))
    journal.note_call(lease, CallNote(KEY, label="map 3", prompt_tokens=900, generated_tokens=80, cached=True))
    done = Outcome(DocumentState.DONE, sha256=KEY, pages=4, pages_read=4, clauses=12, verified=9, verbatim=2,
                   digest=Path("out/lease.pdf.digest.html"))  # fmt: skip
    journal.note_outcome(lease, done)
    journal.note_outcome(scan, Outcome(DocumentState.UNREADABLE, "scan.pdf: is encrypted", "Give --password"))
    journal.note_outcome(copy, Outcome(DocumentState.DUPLICATE, same_as=Path("in/lease.pdf")))
    journal.finish_run(run, RunEnd.TIME_UP, 3)

    record = journal.show(run)
    assert (record.run.end, record.run.exit_code, record.run.model) == (RunEnd.TIME_UP, 3, "starter")
    assert record.run.out == Path("out") and record.run.command == "batch in -o out"
    assert dict(record.run.documents) == {
        DocumentState.QUEUED: 1, DocumentState.DONE: 1, DocumentState.UNREADABLE: 1, DocumentState.DUPLICATE: 1,
    }  # fmt: skip
    assert [row.path.name for row in record.documents] == ["lease.pdf", "scan.pdf", "租约.pdf", "z.pdf"]
    assert record.documents[0].outcome == done
    assert record.documents[2].outcome.same_as == Path("in/lease.pdf")
    assert record.documents[3].id == late and record.documents[3].state is DocumentState.QUEUED
    cost = record.documents[0].cost
    assert (cost.calls, cost.cached, cost.prompt_tokens, cost.generated_tokens) == (3, 1, 1200, 100)
    assert cost.cache_share == 0.25
    assert record.documents[0].retries == {"loop": 1, "number-not-in-evidence": 1}
    assert record.documents[0].errors == {"server gone": 1}
    assert [call.label for call in record.slowest] == ["retry 1", "map 1", "map 2"]
    assert record.cost == cost and Cost().cache_share == 0


def test_runs_are_listed_the_newest_first(journal: Journal) -> None:
    numbers = [one_run(journal, "a.pdf")[0] for _ in range(3)]
    assert [run.id for run in journal.runs()] == numbers[::-1]
    assert [run.id for run in journal.runs(limit=1)] == numbers[-1:]
    assert journal.runs()[0].end is RunEnd.RUNNING


def test_an_unknown_run_is_a_clear_error(journal: Journal) -> None:
    with pytest.raises(UsageError, match="no run 77") as caught:
        journal.show(77)
    assert "conspectus runs" in caught.value.remedy


def test_ten_thousand_calls_from_many_threads(journal: Journal) -> None:
    run, documents = one_run(journal, *(f"{number}.pdf" for number in range(8)))

    def note(document: int) -> None:
        for number in range(1250):
            journal.note_call(document, CallNote(KEY, label=f"map {number}", prompt_tokens=2, generated_tokens=1))

    threads = [threading.Thread(target=note, args=(document,)) for document in documents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert journal.show(run).cost == Cost(10_000, 0, 20_000, 10_000)


def test_the_file_is_for_its_user_alone(journal: Journal, path: Path) -> None:
    one_run(journal, "a.pdf")
    for file in path.parent.glob("journal.sqlite*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_names_that_are_no_text(journal: Journal) -> None:
    name = os.fsdecode(b"in/\xff\xfe\n<script>.pdf")
    run, (document,) = one_run(journal, name)
    journal.note_outcome(document, Outcome(DocumentState.FAILED, f"{name}: broke\n" + "x" * 2000, digest=Path(name)))
    row = journal.show(run).documents[0]
    assert row.path == Path(name) and row.outcome.digest == Path(name)
    assert "\n" not in row.outcome.why and len(row.outcome.why) <= 500


NIGHT = """
    import os, sys, time
    from pathlib import Path
    from conspectus.journal.journal import CallNote, DocumentState, Journal, Outcome
    journal = Journal.open(Path(sys.argv[1]))
    run = journal.start_run("batch in", Path("out"))
    first, second = journal.add_documents(run, [Path("a.pdf"), Path("b.pdf")])
    journal.note_outcome(first, Outcome(DocumentState.DONE))
    journal.note_state(second, DocumentState.RUNNING)
    journal.note_call(second, CallNote("ab" * 32, prompt_tokens=5))
    journal.flush()
    print(run, flush=True)
    number = 0
    while True:
        journal.note_call(second, CallNote("ab" * 32, seconds=number))
        number += 1
        time.sleep(0.0005)
"""


@pytest.fixture
def night(path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process in the middle of a run, and the number of that run."""
    code = textwrap.dedent(NIGHT)
    with subprocess.Popen([sys.executable, "-P", "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        yield child, int(child.stdout.readline())
        child.kill()


def test_a_killed_run_is_interrupted_and_keeps_its_notes(path: Path, night: tuple[subprocess.Popen[str], int]) -> None:
    child, run = night
    with Journal.open(path, never) as journal:
        assert journal.show(run).run.end is RunEnd.RUNNING, "its process lives"
        child.send_signal(signal.SIGKILL)
        child.wait()
    with Journal.open(path, never) as journal:
        record = journal.show(run)
        assert record.run.end is RunEnd.INTERRUPTED and record.run.exit_code is None
        assert [row.state for row in record.documents] == [DocumentState.DONE, DocumentState.RUNNING]
        assert record.documents[1].cost.prompt_tokens == 5
    assert not list((path.parent / "journal-runs").iterdir()), "the lock of a dead run is removed"


def test_nothing_is_left_of_a_run_that_was_killed_before_it_could_be_seen(path: Path) -> None:
    Journal.open(path, never).close()
    folder = path.parent / "journal-runs"
    folder.mkdir()
    (folder / "0123456789abcdef.lock").touch()
    Journal.open(path, never).close()
    assert not list(folder.iterdir())


def test_a_damaged_file_opened_by_many_is_moved_once(path: Path) -> None:
    path.write_bytes(b"broken" * 1000)
    told: list[str] = []
    barrier = threading.Barrier(4)

    def begin() -> None:
        barrier.wait()
        with Journal.open(path, told.append) as journal:
            one_run(journal, "a.pdf")

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 1
    with Journal.open(path, never) as journal:
        assert len(journal.runs()) == 4


def test_two_processes_write_at_once(journal: Journal, path: Path, night: tuple[subprocess.Popen[str], int]) -> None:
    _, other = night
    run, (document,) = one_run(journal, "c.pdf")
    for _ in range(200):
        journal.note_call(document, CallNote(KEY))
        journal.flush()
    journal.finish_run(run, RunEnd.FINISHED, 0)
    assert journal.show(run).cost.calls == 200
    assert journal.show(other).run.end is RunEnd.RUNNING


def test_a_run_that_is_closed_without_an_end_is_interrupted(path: Path) -> None:
    with Journal.open(path, never) as journal:
        run, _ = one_run(journal, "a.pdf")
    with Journal.open(path, never) as journal:
        assert (journal.show(run).run.end, journal.show(run).run.exit_code) == (RunEnd.INTERRUPTED, 130)
    journal.close()


@pytest.mark.parametrize("break_it", ["torn", "text", "zeros", "foreign", "emptied"])
def test_a_damaged_file_is_moved_aside(break_it: str, path: Path) -> None:
    with Journal.open(path, never) as journal:
        _, documents = one_run(journal, *(f"{number}.pdf" for number in range(300)))
        for document in documents:
            journal.note_call(document, CallNote(KEY))
    content = path.read_bytes()
    if break_it == "torn":
        path.write_bytes(content[: len(content) // 2])
    elif break_it == "zeros":
        path.write_bytes(content[:8192] + bytes(len(content) - 8192))
    elif break_it == "text":
        path.write_text("this is no database, and it is longer than a page header of SQLite would be" * 20)
    else:
        path.unlink()
        with sqlite3.connect(path) as foreign:
            foreign.execute("CREATE TABLE mine (text TEXT)" if break_it == "foreign" else "PRAGMA user_version = 1")
        foreign.close()
    damaged = path.read_bytes()
    told: list[str] = []
    with Journal.open(path, told.append) as journal:
        assert journal.runs() == ()
        one_run(journal, "a.pdf")
    assert len(told) == 1 and "journal.damaged-1.sqlite" in told[0]
    assert (path.parent / "journal.damaged-1.sqlite").read_bytes() == damaged, "nothing of it is lost"


def test_a_second_damaged_file_does_not_replace_the_first(path: Path) -> None:
    for _ in range(2):
        path.write_bytes(b"broken" * 1000)
        Journal.open(path, lambda _: None).close()
    assert {file.name for file in path.parent.glob("journal.damaged*")} == {
        "journal.damaged-1.sqlite",
        "journal.damaged-2.sqlite",
    }


def test_a_newer_file_is_left_alone(path: Path) -> None:
    with Journal.open(path, never) as journal:
        one_run(journal, "a.pdf")
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    told: list[str] = []
    with Journal.open(path, told.append) as journal:
        one_run(journal, "b.pdf")
        assert len(journal.runs()) == 1
    assert "newer version" in told[0] and len(told) == 1
    with sqlite3.connect(path) as newer:
        assert newer.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    newer.close()


def test_an_older_file_is_brought_forward(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(path, never) as journal:
        run, _ = one_run(journal, "a.pdf")
    later = (*journal_file.MIGRATIONS, "ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT ''")
    monkeypatch.setattr(journal_file, "MIGRATIONS", later)
    for _ in range(2):
        with Journal.open(path, never) as journal:
            assert journal.show(run).run.id == run
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (len(later),)
    file.close()


def test_a_clock_that_is_put_back(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([2_000_000_000.0, 1_000_000_000.0, 1e300])
    monkeypatch.setattr(time, "time", lambda: next(moments))
    for number in range(3):
        run, (document,) = one_run(journal, "a.pdf")
        journal.note_state(document, DocumentState.RUNNING)
        journal.note_outcome(document, Outcome(DocumentState.DONE))
        journal.finish_run(run, RunEnd.FINISHED, 0)
        assert run == number + 1
    runs = journal.runs()
    assert [row.id for row in runs] == [3, 2, 1], "in the order in which they began"
    assert all(0 <= row.seconds < 60 for row in runs)
    assert [row.started.year for row in runs] == [1970, 2001, 2033]
    assert 0 <= journal.show(1).documents[0].cost.seconds < 60


def test_a_full_disk_is_told_once_and_nothing_is_lost(path: Path) -> None:
    told: list[str] = []
    with Journal.open(path, told.append) as journal:
        run, (document,) = one_run(journal, "a.pdf")
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        for _ in range(500):
            journal.note_call(document, CallNote(KEY, prompt_tokens=1))
        journal.flush()
        journal.note_outcome(document, Outcome(DocumentState.DONE))
        journal.flush()
        assert len(told) == 1 and "cannot be written" in told[0] and "full" in told[0]
        journal._connection.execute("PRAGMA max_page_count = 1000000")
        record = journal.show(run)
        assert record.cost.prompt_tokens == 500 and record.documents[0].state is DocumentState.DONE


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        Journal.open(tmp_path / "file" / "journal.sqlite", never)
    assert "CONSPECTUS_STATE" in caught.value.remedy


def test_old_calls_and_older_runs_are_removed(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "CALLS_KEPT", 2)
    monkeypatch.setattr(journal_module, "RUNS_KEPT", 4)
    for _ in range(6):
        run, (document,) = one_run(journal, "a.pdf")
        journal.note_call(document, CallNote(KEY, attempt=2, reason="loop", prompt_tokens=7))
        journal.finish_run(run, RunEnd.FINISHED, 0)
    assert [row.id for row in journal.runs()] == [6, 5, 4, 3, 2]
    old, new = journal.show(3), journal.show(6)
    assert (old.calls_kept, old.retries, old.cost.prompt_tokens) == (False, {}, 7)
    assert (new.calls_kept, new.retries) == (True, {"loop": 1})


def test_the_night_of_a_digest_that_is_unchanged_now(journal: Journal) -> None:
    ends = (RunEnd.FINISHED, RunEnd.INTERRUPTED, RunEnd.TIME_UP, RunEnd.FINISHED)
    states = (DocumentState.DONE, DocumentState.DUPLICATE, DocumentState.UNCHANGED, DocumentState.UNCHANGED)
    for end, state in zip(ends, states, strict=True):
        run, (document,) = one_run(journal, "a.pdf")
        journal.note_outcome(document, Outcome(state))
        journal.finish_run(run, end, 0)
    assert (journal.show(4).since, journal.show(4).documents[0].made_in) == (1, 2)
    assert (journal.show(1).since, journal.show(1).documents[0].made_in) == (0, None)
    other = journal.start_run("batch in", Path("elsewhere"))
    assert journal.show(other).since == 0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(DocumentState), st.integers(0, 2)), max_size=30))
def test_the_last_note_on_a_document_holds(notes: list[tuple[DocumentState, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, Journal.open(Path(folder) / "j.sqlite", never) as journal:
        run, documents = one_run(journal, "a.pdf", "b.pdf", "c.pdf")
        expected = dict.fromkeys(documents, DocumentState.QUEUED)
        for state, place in notes:
            expected[documents[place]] = state
            if state in (DocumentState.READING, DocumentState.RUNNING):
                journal.note_state(documents[place], state)
            else:
                journal.note_outcome(documents[place], Outcome(state))
        assert {row.id: row.state for row in journal.show(run).documents} == expected


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["batch", "in dir", "-o", "out"], "batch 'in dir' -o out"),
        (["batch", "--password", "hunter2", "x"], "batch --password … x"),
        (["batch", "--server-token=abc"], "batch --server-token=…"),
        (["batch", "--api-key-env", "NAME", "--password-file", "p"], "batch --api-key-env NAME --password-file p"),
    ],
)
def test_a_command_line_shows_no_secret(arguments: list[str], shown: str) -> None:
    assert command_line(arguments) == shown


def test_no_text_of_a_document_has_a_place_in_it(journal: Journal, path: Path) -> None:
    one_run(journal, "a.pdf")
    columns = {
        table: [row[1] for row in journal._connection.execute(f"PRAGMA table_info({table})")]
        for table in ("runs", "documents", "calls")
    }
    assert not {"text", "quote", "prompt", "answer", "statement"} & set(json.dumps(columns).split('"'))
