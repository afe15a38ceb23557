"""The morning report of a run as data: what became of each document, what changed in it, what needs somebody."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conspectus.document import Language
from conspectus.journal.facts import CUT_SHORT, NOT_STARTED, STATES, counted, state_of
from conspectus.journal.journal import DocumentRow, DocumentState, Journal, RunRecord
from conspectus.report.changes import Changes, changes_from

_DIGEST = re.compile(r"\.digest\.[\w.]+$")
# What needs somebody in the morning, the worst first.
ATTENTION = ("failed", "unreadable", "partial", CUT_SHORT, NOT_STARTED)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document in the report. `name` is its path below the folder that all documents share."""

    row: DocumentRow
    name: str
    state: str
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A run as it is reported: its documents by state, those that need somebody first, then by name."""

    record: RunRecord
    entries: tuple[Entry, ...]
    base: str
    language: Language = Language.EN

    @property
    def needs_attention(self) -> bool:
        """Whether a document is partial, unreadable, failed, cut short or not started."""
        return any(entry.state in ATTENTION for entry in self.entries)

    @property
    def counts(self) -> dict[str, int]:
        """Documents by state, in the order of the report."""
        return {state: len(found) for state in STATES if (found := self.of(state))}

    @property
    def resumed(self) -> tuple[Entry, ...]:
        """Unchanged documents whose digests were made in runs that were cut short since the last that finished."""
        return tuple(entry for entry in self.entries if _resumed(entry.row, self.record))

    def of(self, state: str) -> tuple[Entry, ...]:
        """The documents of a state."""
        return tuple(entry for entry in self.entries if entry.state == state)

    def sentence(self) -> str:
        """One line for stderr and notifications: what became of how many documents."""
        return f"run {self.record.run.id} {self.record.run.end.value}: {counted(self.counts) or 'no documents'}"


def report_of(
    journal: Journal,
    run: int,
    previous: Mapping[Path, Changes] | None = None,
    language: Language = Language.EN,
) -> Report:
    """The report of a run. `previous` has what changed against the digest before, by the path of the document.

    Of an unchanged document that is told only where its digest was made in a run that was cut short: a night that was
    resumed is reported whole. Raises UsageError for a number that no run has.
    """
    record = journal.show(run)
    base = _base([row.path for row in record.documents])
    entries = [_entry(row, record, base, previous or {}) for row in record.documents]
    return Report(
        record=record,
        entries=tuple(sorted(entries, key=lambda entry: (STATES.index(entry.state), entry.name, entry.row.id))),
        base="" if base is None else str(base),
        language=language,
    )


def changes_beside(record: RunRecord) -> dict[Path, Changes]:
    """What a run told of changes, read from the `<name>.run.json` beside each digest; by the path of the document.

    For the report of a run that ended without one. Files that are missing or odd are passed over.
    """
    found: dict[Path, Changes] = {}
    for row in record.documents:
        digest = row.outcome.digest
        if digest is None:
            continue
        try:
            facts = json.loads(digest.with_name(_DIGEST.sub(".run.json", digest.name)).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        changes = changes_from(facts.get("changes")) if isinstance(facts, dict) else None
        if changes is not None:
            found[row.path] = changes
    return found


def _entry(row: DocumentRow, record: RunRecord, base: Path | None, previous: Mapping[Path, Changes]) -> Entry:
    made_now = row.state in (DocumentState.DONE, DocumentState.PARTIAL)
    name = str(row.path) if base is None else str(row.path.relative_to(base))
    changes = previous.get(row.path) if made_now or _resumed(row, record) else None
    return Entry(row, name, state_of(record.run, row.state), changes)


def _resumed(row: DocumentRow, record: RunRecord) -> bool:
    return row.state is DocumentState.UNCHANGED and (row.made_in or 0) > record.since


def _base(paths: list[Path]) -> Path | None:
    """The folder that all documents share; None where there is none worth telling."""
    try:
        common = Path(os.path.commonpath([path.parent for path in paths]))
    except ValueError:  # no paths at all, or some absolute and some not
        return None
    return None if common in (Path(), Path("/")) else common
