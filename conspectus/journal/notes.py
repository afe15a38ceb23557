"""The notes of a run on their way into the journal: gathered by any thread, written together by one."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from conspectus.journal.types import CallNote

EVERY_SECONDS = 0.25
CALLS_WAITING = 200_000  # that cannot be written; above it the oldest are given up
MESSAGE = 500  # characters of a message

_CALL = (
    "INSERT INTO calls (document, key, state, label, attempt, reason, prompt_tokens, generated_tokens, seconds, cached)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COST = (
    "UPDATE documents SET calls = calls + ?, cached = cached + ?, prompt_tokens = prompt_tokens + ?, "
    "generated_tokens = generated_tokens + ?, again = again + ? WHERE id = ?"
)

Row = tuple[Any, ...]


def plain(text: str) -> str:
    """Text on one line that SQLite can store, no longer than a message needs to be."""
    line = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return line if len(line) <= MESSAGE else f"{line[: MESSAGE - 1]}…"


def _spent(document: int, note: CallNote) -> Row:
    """What a call adds to the sums of its document; an answer from the store cost nothing in this run."""
    if note.cached:
        return 0, 1, 0, 0, 0, document
    return 1, 0, note.prompt_tokens, note.generated_tokens, int(note.attempt > 1), document


def _row(document: int, note: CallNote) -> Row:
    return (
        document, note.key, note.state.value, plain(note.label), note.attempt, plain(note.reason),
        note.prompt_tokens, note.generated_tokens, note.seconds, int(note.cached),
    )  # fmt: skip


class NoteWriter:
    """Writes notes through a connection that it shares under `lock`; a failure is told once and tried again.

    `durations` gives (seconds, run) of the runs under way; they are written along.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        tell: Callable[[str], None],
        durations: Callable[[], Iterable[tuple[float, int]]],
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._tell = tell
        self._durations = durations
        self._gathering = threading.Lock()
        self._documents: list[tuple[str, Row]] = []
        self._calls: list[tuple[int, CallNote]] = []
        self._told = False
        self._wake = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    def document(self, columns: tuple[str, ...], values: Row, document: int) -> None:
        """Sets columns of a document."""
        statement = f"UPDATE documents SET {', '.join(f'{column} = ?' for column in columns)} WHERE id = ?"
        with self._gathering:
            self._documents.append((statement, (*values, document)))
            self._begin()

    def call(self, document: int, note: CallNote) -> None:
        """Adds a call."""
        with self._gathering:
            self._calls.append((document, note))
            self._begin()

    def last(self, statement: str, row: Row) -> None:
        """A statement that is written at once, or with the next notes."""
        with self._gathering:
            self._documents.append((statement, row))
        self.flush()

    def flush(self) -> bool:
        """Writes all that was gathered; false where that failed: then it is still there."""
        with self._lock:
            with self._gathering:
                documents, self._documents = self._documents, []
                calls, self._calls = self._calls, []
            if not documents and not calls:
                return True
            try:
                self._write(self._connection, documents, calls)
            except sqlite3.Error as error:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                with self._gathering:
                    self._documents[:0] = documents
                    self._calls[:0] = calls
                    del self._calls[: max(0, len(self._calls) - CALLS_WAITING)]
                if not self._told:
                    self._told = True
                    self._tell(f"The run journal cannot be written at present ({error}); the run goes on")
                return False
        return True

    def write_into(self, copy: sqlite3.Connection) -> None:
        """Writes what is gathered into a copy of the journal; it stays gathered. Raises sqlite3.Error."""
        with self._gathering:
            documents, calls = list(self._documents), list(self._calls)
        self._write(copy, documents, calls)

    def close(self) -> None:
        """Writes what is left and ends the thread."""
        self._closing = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with contextlib.suppress(sqlite3.ProgrammingError):
            self.flush()

    def _begin(self) -> None:
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="conspectus-journal", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._wake.wait(EVERY_SECONDS):
            self.flush()

    def _write(
        self, connection: sqlite3.Connection, documents: list[tuple[str, Row]], calls: list[tuple[int, CallNote]]
    ) -> None:
        connection.execute("BEGIN IMMEDIATE")
        # In their order: of two notes on one document the later one holds.
        for statement, group in groupby(documents, key=lambda note: note[0]):
            connection.executemany(statement, [row for _, row in group])
        connection.executemany(_CALL, [_row(*call) for call in calls])
        connection.executemany(_COST, [_spent(*call) for call in calls])
        connection.executemany("UPDATE runs SET seconds = ? WHERE id = ?", list(self._durations()))
        connection.execute("COMMIT")
