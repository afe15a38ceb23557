"""A journal of another layout, on a disk that is full, or in a folder that may not be written to."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conspectus.errors import UsageError
from conspectus.journal import journal as journal_module
from conspectus.journal.journal import CallNote, DocumentState, Journal, Outcome, RunEnd

KEY = "ab" * 32


def never(message: str) -> None:
    raise AssertionError(message)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def one_run(journal: Journal, *names: str) -> tuple[int, list[int]]:
    run = journal.start_run("batch in -o out", Path("out"), "starter")
    return run, journal.add_documents(run, [Path(name) for name in names])


@pytest.mark.parametrize("change", ["ALTER TABLE runs DROP COLUMN calls_kept", "ALTER TABLE calls DROP COLUMN cached"])
def test_a_file_of_another_layout_under_this_version_is_moved_aside(path: Path, change: str) -> None:
    with Journal.open(path, never) as journal:
        one_run(journal, "a.pdf")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    told: list[str] = []
    with Journal.open(path, told.append) as journal:
        one_run(journal, "a.pdf")
        assert len(journal.runs()) == 1
    assert len(told) == 1 and change.split()[-1] in told[0] and "moved to" in told[0]


def test_words_of_another_version_ask_for_a_look(path: Path) -> None:
    with Journal.open(path, never) as journal:
        run, (document,) = one_run(journal, "a.pdf")
        journal.note_outcome(document, Outcome(DocumentState.DONE))
        journal.note_call(document, CallNote(KEY))
        journal.finish_run(run, RunEnd.FINISHED, 0)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE runs SET ended = 'paused'")
        connection.execute("UPDATE documents SET state = 'odd'")
        connection.execute("UPDATE calls SET state = 'odd'")
        connection.commit()
    with Journal.open(path, never) as journal:
        record = journal.show(run)
    assert record.run.end is RunEnd.INTERRUPTED
    assert record.documents[0].outcome.state is DocumentState.FAILED


def test_what_cannot_be_written_is_read_all_the_same(path: Path) -> None:
    """The morning report of a night on a full disk tells what became of each document."""
    with Journal.open(path, lambda _: None) as journal:
        run, (first, second) = one_run(journal, "a.pdf", "b.pdf")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            journal._connection.execute("PRAGMA busy_timeout = 10")
            other.execute("BEGIN IMMEDIATE")
            journal.note_outcome(first, Outcome(DocumentState.DONE, pages=3))
            journal.note_outcome(second, Outcome(DocumentState.FAILED, "no space"))
            journal.finish_run(run, RunEnd.STOPPED, 3)
            record = journal.show(run)
            assert journal.runs()[0].end is RunEnd.STOPPED
            other.execute("ROLLBACK")
        assert [row.outcome.state.value for row in record.documents] == ["done", "failed"]
        assert (record.run.end, record.run.exit_code) == (RunEnd.STOPPED, 3)
        assert journal.show(run) == record, "and once there is room it is written, once"


def test_a_journal_that_may_not_be_written_to_can_be_read(fresh_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open() as journal:
        run, _ = one_run(journal, "a.pdf")
        journal.finish_run(run, RunEnd.FINISHED, 0)
    before = journal.path.read_bytes()

    def full(*_: object) -> sqlite3.Connection:
        raise UsageError("the disk is full")

    monkeypatch.setattr(journal_module, "open_file", full)
    with Journal.to_read() as read:
        assert [row.id for row in read.runs()] == [run] and read.show(run).run.end is RunEnd.FINISHED
    assert journal.path.read_bytes() == before
    journal.path.write_text("no journal")
    with pytest.raises(UsageError, match="full"):
        Journal.to_read()
