"""Runs and documents of the journal as plain JSON data and as short words, for `conspectus runs` and the report."""

from collections.abc import Mapping
from typing import Any

from conspectus.journal.types import CallRow, Cost, DocumentRow, DocumentState, RunEnd, RunRecord, RunRow

NOT_STARTED = "not started"
CUT_SHORT = "cut short"
# In the order in which they are told: what needs somebody first.
STATES = (
    "failed", "unreadable", "partial", CUT_SHORT, NOT_STARTED, "reading", "running", "queued", "done", "unchanged",
    "duplicate",
)  # fmt: skip


def state_of(run: RunRow, state: DocumentState) -> str:
    """A document's state; of a run that has ended, what was never begun and what was begun and not ended."""
    if run.end is RunEnd.RUNNING:
        return state.value
    if state is DocumentState.QUEUED:
        return NOT_STARTED
    return CUT_SHORT if state in (DocumentState.READING, DocumentState.RUNNING) else state.value


def by_state(run: RunRow) -> dict[str, int]:
    """How many documents of a run are in which state, in the order of STATES."""
    counts: dict[str, int] = {}
    for state, count in run.documents.items():
        shown = state_of(run, state)
        counts[shown] = counts.get(shown, 0) + count
    return {state: counts[state] for state in STATES if state in counts}


def speed(cost: Cost, seconds: float) -> float:
    """Tokens read and written a second of the run; 0 where nothing was computed."""
    return (cost.prompt_tokens + cost.generated_tokens) / seconds if seconds > 0 else 0.0


def run_facts(run: RunRow) -> dict[str, Any]:
    """A run in plain data; `started` is UTC in ISO 8601, `seconds` those of the clock on the wall."""
    return {
        "id": run.id,
        "started": run.started.isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 1),
        "command": run.command,
        "out": None if run.out is None else str(run.out),
        "model": run.model,
        "program": run.program,
        "ended": run.end.value,
        "exit_code": run.exit_code,
        "documents": by_state(run),
    }


def cost_facts(cost: Cost) -> dict[str, Any]:
    """What calls cost, without seconds."""
    return {
        "model_calls": cost.calls,
        "cache_hits": cost.cached,
        "cache_share": round(cost.cache_share, 4),
        "prompt_tokens": cost.prompt_tokens,
        "generated_tokens": cost.generated_tokens,
        "asked_again": cost.again,
    }


def call_facts(call: CallRow) -> dict[str, Any]:
    """A call in plain data."""
    return {
        "label": call.label,
        "key": call.key,
        "state": call.state.value,
        "attempt": call.attempt,
        "seconds": round(call.seconds, 2),
        "prompt_tokens": call.prompt_tokens,
        "generated_tokens": call.generated_tokens,
    }


def document_facts(run: RunRow, row: DocumentRow) -> dict[str, Any]:
    """A document in plain data."""
    outcome = row.outcome
    return {
        "path": str(row.path),
        "state": state_of(run, row.state),
        "why": outcome.why,
        "remedy": outcome.remedy,
        "sha256": outcome.sha256,
        "pages": outcome.pages,
        "pages_read": outcome.pages_read,
        "clauses": outcome.clauses,
        "statements": {
            "verified": outcome.verified,
            "verbatim": outcome.verbatim,
            "unverified": outcome.unverified,
        },
        "digest": None if outcome.digest is None else str(outcome.digest),
        "same_as": None if outcome.same_as is None else str(outcome.same_as),
        "made_in": row.made_in,
        **cost_facts(row.cost),
        "seconds": round(row.cost.seconds, 1),
        "retries": dict(row.retries),
        "errors": dict(row.errors),
        "slowest": [call_facts(call) for call in row.slowest],
    }


def record_facts(record: RunRecord) -> dict[str, Any]:
    """A run with its documents in plain data."""
    return {
        **run_facts(record.run),
        **cost_facts(record.cost),
        "tokens_per_second": round(speed(record.cost, record.run.seconds), 1),
        "retries": record.retries,
        "calls_kept": record.calls_kept,
        "slowest": [{"path": str(call.path), **call_facts(call)} for call in record.slowest],
        "files": [document_facts(record.run, row) for row in record.documents],
    }


def took(seconds: float, units: tuple[str, str, str] = ("s", "min", "h")) -> str:
    """A length of time as people say it: 12.3 s, 4 min 10 s, 8 h 12 min."""
    second, minute, hour = units
    if seconds < 59.95:
        return f"{seconds:.1f} {second}"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} {minute} {rest} {second}"
    return f"{minutes // 60} {hour} {minutes % 60} {minute}"


def counted(counts: Mapping[str, int]) -> str:
    """Counts in one line: "3 done, 1 partial"."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())
