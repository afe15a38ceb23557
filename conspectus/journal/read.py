"""What the journal holds, read back as plain data."""

import os
import sqlite3
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

from conspectus.journal.types import (
    CallRow,
    CallState,
    Cost,
    DocumentRow,
    DocumentState,
    Outcome,
    RunEnd,
    RunRecord,
    RunRow,
    summed,
)

Word = TypeVar("Word", bound=StrEnum)
SLOWEST_OF_DOCUMENT = 3
SLOWEST = 10


class _Run(NamedTuple):
    """A row of `runs`, its fields named as the columns."""

    id: int
    started: float
    seconds: float
    command: str
    out: bytes | None
    model: str
    program: str
    ended: str
    exit_code: int | None
    calls_kept: int


class _Document(NamedTuple):
    """A row of `documents`, its fields named as the columns."""

    id: int
    path: bytes
    state: str
    why: str
    remedy: str
    sha256: str
    pages: int
    pages_read: int
    clauses: int
    verified: int
    verbatim: int
    unverified: int
    digest: bytes | None
    same_as: bytes | None
    calls: int
    cached: int
    prompt_tokens: int
    generated_tokens: int
    seconds: float
    again: int


_RUN = ", ".join(_Run._fields)
_DOCUMENT = ", ".join(_Document._fields)
_CALL = "document, label, key, calls.state, attempt, calls.seconds, calls.prompt_tokens, calls.generated_tokens"
_OF_RUN = "FROM calls JOIN documents ON document = documents.id WHERE run = ?"


def read_runs(connection: sqlite3.Connection, limit: int) -> tuple[RunRow, ...]:
    """The last runs, the newest first: by their numbers, because clocks can be put back."""
    rows = connection.execute(f"SELECT {_RUN} FROM runs ORDER BY id DESC LIMIT ?", (limit,)).fetchall()
    return tuple(_run(connection, _Run(*row)) for row in rows)


def read_run(connection: sqlite3.Connection, run: int) -> RunRecord | None:
    """A run with its documents; None where there is none."""
    found = connection.execute(f"SELECT {_RUN} FROM runs WHERE id = ?", (run,)).fetchone()
    if found is None:
        return None
    row = _Run(*found)
    query = f"SELECT {_DOCUMENT} FROM documents WHERE run = ? ORDER BY id"
    records = [_Document(*record) for record in connection.execute(query, (run,))]
    retries = _counts(connection, run, "attempt > 1 AND NOT calls.cached AND calls.state != 'error'", codes=True)
    errors = _counts(connection, run, "calls.state = 'error'", codes=False)
    slowest = _slowest(connection, run, {record.id: _path(record.path) for record in records})
    made_in = _made_in(connection, run, row.out)
    documents = tuple(
        DocumentRow(
            id=record.id,
            path=_path(record.path),
            outcome=_outcome(record),
            cost=Cost(*record[-6:]),
            retries=retries.get(record.id, {}),
            errors=errors.get(record.id, {}),
            slowest=slowest.get(record.id, ()),
            made_in=made_in.get(record.path) if record.state == DocumentState.UNCHANGED else None,
        )
        for record in records
    )
    ranked = sorted((call for calls in slowest.values() for call in calls), key=lambda call: -call.seconds)
    return RunRecord(
        _run(connection, row), documents, tuple(ranked[:SLOWEST]), _since(connection, run, row.out),
        bool(row.calls_kept),
    )  # fmt: skip


def _word(kind: type[Word], stored: str, unknown: Word) -> Word:
    """A stored word; one that another version wrote is taken for `unknown`, which asks for a look."""
    return kind(stored) if stored in list(kind) else unknown


def _path(stored: bytes) -> Path:
    return Path(os.fsdecode(stored))


def _run(connection: sqlite3.Connection, row: _Run) -> RunRow:
    counts = connection.execute("SELECT state, count(*) FROM documents WHERE run = ? GROUP BY state", (row.id,))
    by_state = dict(counts.fetchall())
    return RunRow(
        id=row.id,
        started=_moment(row.started),
        seconds=row.seconds,
        command=row.command,
        out=_path(row.out) if row.out is not None else None,
        model=row.model,
        program=row.program,
        end=_word(RunEnd, row.ended, RunEnd.INTERRUPTED),
        exit_code=row.exit_code,
        documents={state: by_state[state.value] for state in DocumentState if state.value in by_state},
    )


def _moment(stored: float) -> datetime:
    """The wall clock's time; what a broken clock wrote is shown as the beginning of time."""
    try:
        return datetime.fromtimestamp(stored, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _outcome(record: _Document) -> Outcome:
    return Outcome(
        state=_word(DocumentState, record.state, DocumentState.FAILED),
        why=record.why,
        remedy=record.remedy,
        sha256=record.sha256,
        pages=record.pages,
        pages_read=record.pages_read,
        clauses=record.clauses,
        verified=record.verified,
        verbatim=record.verbatim,
        unverified=record.unverified,
        digest=_path(record.digest) if record.digest is not None else None,
        same_as=_path(record.same_as) if record.same_as is not None else None,
    )


def _counts(connection: sqlite3.Connection, run: int, condition: str, *, codes: bool) -> dict[int, dict[str, int]]:
    """By document: how often each reason stands in the calls of a condition; of `codes` a call may have several."""
    rows = connection.execute(
        f"SELECT document, reason, count(*) {_OF_RUN} AND {condition} GROUP BY document, reason", (run,)
    )
    found: dict[int, list[dict[str, int]]] = {}
    for document, reason, count in rows:
        names = [name.strip() for name in reason.split(",")] if codes else [reason]
        found.setdefault(document, []).append({name or "unknown": count for name in names})
    return {document: summed(counts) for document, counts in found.items()}


def _slowest(connection: sqlite3.Connection, run: int, paths: dict[int, Path]) -> dict[int, tuple[CallRow, ...]]:
    """By document: its slowest calls."""
    ranked = (
        f"SELECT {_CALL}, row_number() OVER (PARTITION BY document ORDER BY calls.seconds DESC, calls.id) AS place "
        f"{_OF_RUN} AND NOT calls.cached"
    )
    rows = connection.execute(f"SELECT * FROM ({ranked}) WHERE place <= ?", (run, SLOWEST_OF_DOCUMENT))
    found: dict[int, list[CallRow]] = {}
    for document, label, key, state, attempt, seconds, prompt_tokens, generated_tokens, _ in rows:
        call = CallRow(
            paths[document],
            label,
            key,
            _word(CallState, state, CallState.ERROR),
            attempt,
            seconds,
            prompt_tokens,
            generated_tokens,
        )
        found.setdefault(document, []).append(call)
    return {document: tuple(calls) for document, calls in found.items()}


def _since(connection: sqlite3.Connection, run: int, out: object) -> int:
    """The last run before this one, on the same output, that went to its end."""
    found = connection.execute(
        "SELECT max(id) FROM runs WHERE id < ? AND out IS ? AND ended = 'finished'", (run, out)
    ).fetchone()[0]
    return int(found or 0)


def _made_in(connection: sqlite3.Connection, run: int, out: object) -> dict[bytes, int]:
    """By path of this run's documents: the last earlier run on the same output that made a digest of it."""
    rows = connection.execute(
        "SELECT path, max(run) FROM documents JOIN runs ON run = runs.id WHERE run < ? AND out IS ? "
        "AND state IN ('done', 'partial', 'duplicate') "
        "AND path IN (SELECT path FROM documents WHERE run = ?) GROUP BY path",
        (run, out, run),
    )
    return dict(rows.fetchall())
