"""The run journal: what each run did to each document and each model call, kept for people who ask the day after.

It is written while a run goes on and survives its end by any means; the work itself never depends on it: a note that
cannot be written is kept and tried again, and told once. Digests are resumed from stored answers, not from here.
"""

import contextlib
import os
import re
import secrets
import shlex
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus import __version__
from conspectus.errors import UsageError
from conspectus.filelock import FileLock, Share
from conspectus.journal.file import copied, copy_of, open_file
from conspectus.journal.notes import NoteWriter, plain
from conspectus.journal.read import read_run, read_runs
from conspectus.journal.types import (
    CallNote,
    CallRow,
    CallState,
    Cost,
    DocumentRow,
    DocumentState,
    Outcome,
    RunEnd,
    RunRecord,
    RunRow,
)
from conspectus.paths import state_dir

__all__ = [
    "CallNote",
    "CallRow",
    "CallState",
    "Cost",
    "DocumentRow",
    "DocumentState",
    "Journal",
    "Outcome",
    "RunEnd",
    "RunRecord",
    "RunRow",
    "command_line",
]

RUNS_KEPT = 500
CALLS_KEPT = 30  # runs of which the single calls are kept; of older ones the sums of their documents stay
_START = "INSERT INTO runs (started, command, out, model, program, lock, ended) VALUES (?,?,?,?,?,?,'running')"
_SECRET = re.compile(r"--?[\w-]*(?:key|token|secret|password)(?!-env|-file)[\w-]*", re.I)


def command_line(arguments: Sequence[str]) -> str:
    """The arguments as a person would type them, the values of flags that name a secret left out."""
    shown: list[str] = []
    hidden = False
    for argument in arguments:
        flag, equals, _ = argument.partition("=")
        secret = _SECRET.fullmatch(flag) is not None
        if hidden:
            shown.append("…")
        else:
            shown.append(f"{flag}=…" if secret and equals else shlex.quote(argument))
        hidden = secret and not equals and not hidden
    return " ".join(shown)


def _tell(message: str) -> None:
    print(f"conspectus: {message}", file=sys.stderr)


class Journal:
    """An open journal. Thread-safe; `with` closes it. One process may have several runs in it, one after another.

    A run holds a lock while its process lives: that is how another process, or the next one, knows that a run which
    says nothing of its end was interrupted. Durations are taken from the monotonic clock; a run's start is the wall
    clock's and only shown.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, tell: Callable[[str], None]) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._runs: dict[int, tuple[float, FileLock, Path]] = {}  # when it began, its lock, where that lies
        self._began: dict[int, float] = {}  # by document
        self._notes = NoteWriter(connection, self._lock, tell, self._durations)

    @classmethod
    def open(cls, path: Path | None = None, note: Callable[[str], None] = _tell) -> Self:
        """The journal at `path`; None: that of this user, in the state folder.

        `note` is told of a damaged file that was moved aside, and later of notes that cannot be written. Raises
        UsageError where the folder cannot be used.
        """
        path = state_dir() / "journal.sqlite" if path is None else path
        journal = cls(open_file(path, note), path, note)
        try:
            journal._end_the_dead()
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def to_read(cls) -> Self:
        """The journal of this user for who only reads it: also where its folder is full or may not be written to.

        Raises UsageError where it cannot be read.
        """
        path = state_dir() / "journal.sqlite"
        try:
            return cls.open(path)
        except UsageError:
            if not path.exists():
                raise
            try:
                journal = cls(copy_of(path), path, _tell)
            except (OSError, sqlite3.Error):
                journal = None
            if journal is None:
                raise
            journal._end_the_dead()
            return journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def start_run(self, command: str, out: Path | None = None, model: str = "") -> int:
        """Begins a run and gives its number. Raises UsageError where that cannot be written."""
        token = secrets.token_hex(8)
        row = (time.time(), plain(command), _blob(out), plain(model), f"conspectus {__version__}", token)
        lock_path = self._lock_path(token)
        with self._writing():
            lock_path.parent.mkdir(mode=0o700, exist_ok=True)
            lock = FileLock(lock_path)
            # Before the row can be seen: a running run without its lock is a dead one.
            lock.take(Share.ALONE)
            made = self._connection.execute(_START, row)
            self._prune()
        run = int(made.lastrowid or 0)
        self._runs[run] = (time.monotonic(), lock, lock_path)
        return run

    def add_documents(self, run: int, paths: Sequence[Path]) -> list[int]:
        """Queues documents of a run and gives a number for each. Raises UsageError where that cannot be written."""
        statement = "INSERT INTO documents (run, path, state) VALUES (?, ?, 'queued')"
        with self._writing():
            made = [self._connection.execute(statement, (run, _blob(path))).lastrowid or 0 for path in paths]
        return made

    def note_state(self, document: int, state: DocumentState) -> None:
        """A document is being read, or its calls are under way; its seconds begin."""
        now = time.monotonic()
        if state is DocumentState.RUNNING:
            self._began[document] = now
        else:
            self._began.setdefault(document, now)
        self._notes.document(("state",), (state.value,), document)

    def note_outcome(self, document: int, outcome: Outcome) -> None:
        """A document has ended; of several outcomes the last one holds."""
        began = self._began.get(document)
        seconds = 0.0 if began is None else time.monotonic() - began
        values = {
            "state": outcome.state.value,
            "why": plain(outcome.why),
            "remedy": plain(outcome.remedy),
            "sha256": outcome.sha256,
            "pages": outcome.pages,
            "pages_read": outcome.pages_read,
            "clauses": outcome.clauses,
            "verified": outcome.verified,
            "verbatim": outcome.verbatim,
            "unverified": outcome.unverified,
            "digest": _blob(outcome.digest),
            "same_as": _blob(outcome.same_as),
            "seconds": seconds,
        }
        self._notes.document(tuple(values), tuple(values.values()), document)

    def note_call(self, document: int, note: CallNote) -> None:
        """A model call, or an answer from the store. Costs microseconds: it is written a moment later."""
        self._notes.call(document, note)

    def finish_run(self, run: int, end: RunEnd, exit_code: int) -> None:
        """Ends a run; all its notes are written first."""
        self.flush()
        if run not in self._runs:
            return
        began, lock, lock_path = self._runs.pop(run)
        self._notes.last("UPDATE runs SET ended = ?, exit_code = ?, seconds = ? WHERE id = ?",
                         (end.value, exit_code, time.monotonic() - began, run))  # fmt: skip
        with contextlib.suppress(OSError):
            lock_path.unlink()
        lock.close()

    def flush(self) -> None:
        """Writes what is still to be written; where that is not possible it is kept."""
        self._notes.flush()

    def close(self) -> None:
        """Writes what is left; runs that were not finished are interrupted. Again does nothing."""
        for run in list(self._runs):
            self.finish_run(run, RunEnd.INTERRUPTED, 130)
        self._notes.close()
        with self._lock:
            self._connection.close()

    def runs(self, limit: int = 20) -> tuple[RunRow, ...]:
        """The last runs, the newest first. Raises UsageError where the journal cannot be read."""
        with self._complete() as connection:
            return read_runs(connection, limit)

    def show(self, run: int) -> RunRecord:
        """A run with its documents. Raises UsageError for a number that no run has."""
        with self._complete() as connection:
            found = read_run(connection, run)
        if found is None:
            raise UsageError(f"there is no run {run} in {self.path}", "List them: conspectus runs")
        return found

    def _durations(self) -> Iterable[tuple[float, int]]:
        now = time.monotonic()
        return [(now - began, run) for run, (began, _, _) in list(self._runs.items())]

    def _lock_path(self, token: str) -> Path:
        return self.path.with_name(f"{self.path.stem}-runs") / f"{token}.lock"

    def _end_the_dead(self) -> None:
        """Runs whose process is gone are interrupted from now on; their lock files are removed."""
        # In a transaction: no other process is between the lock of a new run and its row.
        with self._writing():
            alive = {path.stem for path in self._lock_path("").parent.glob("*.lock") if not _removed(path)}
            for run, token in self._connection.execute("SELECT id, lock FROM runs WHERE ended = 'running'").fetchall():
                if token not in alive:
                    self._connection.execute("UPDATE runs SET ended = 'interrupted' WHERE id = ?", (run,))

    def _prune(self) -> None:
        old = "SELECT id FROM runs WHERE ended != 'running' ORDER BY id DESC LIMIT -1 OFFSET ?"
        of_old = f"SELECT documents.id FROM documents JOIN runs ON run = runs.id WHERE runs.id IN ({old})"
        self._connection.execute(f"DELETE FROM calls WHERE document IN ({of_old} AND calls_kept)", (CALLS_KEPT,))
        self._connection.execute(f"UPDATE runs SET calls_kept = 0 WHERE calls_kept AND id IN ({old})", (CALLS_KEPT,))
        self._connection.execute(f"DELETE FROM documents WHERE run IN ({old})", (RUNS_KEPT,))
        self._connection.execute(f"DELETE FROM runs WHERE id IN ({old})", (RUNS_KEPT,))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, of which other processes see all or nothing."""
        with self._reading():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _complete(self) -> Iterator[sqlite3.Connection]:
        """A connection by which all notes can be read: to a copy in memory while they cannot be written."""
        written = self._notes.flush()
        with self._reading():
            if written:
                yield self._connection
                return
            with contextlib.closing(copied(self._connection)) as copy:
                self._notes.write_into(copy)
                yield copy

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except (OSError, sqlite3.Error) as error:
                raise UsageError(
                    f"The run journal {self.path} cannot be used: {error}",
                    "Look at free space and access of its folder, or set CONSPECTUS_STATE to another folder",
                ) from error


def _blob(path: Path | None) -> bytes | None:
    # File names need not be text.
    return None if path is None else os.fsencode(path)


def _removed(path: Path) -> bool:
    """Removes a lock file that nobody holds, and says whether nobody does; one that cannot be opened may be held."""
    try:
        lock = FileLock(path)
    except OSError:
        return False
    free = lock.take(Share.ALONE)
    if free:
        with contextlib.suppress(OSError):
            path.unlink()
    lock.close()
    return free
