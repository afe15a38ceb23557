"""What the run journal keeps, as plain data: runs, documents and model calls.

Names of files, counts, codes and messages: no text of a document is ever in it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path


class DocumentState(StrEnum):
    """Where a document is in its run; the values are stored and shown."""

    QUEUED = "queued"  # of a run that has ended: not started
    READING = "reading"
    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    UNREADABLE = "unreadable"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    DUPLICATE = "duplicate"


class CallState(StrEnum):
    """How a model call ended: an answer, an answer of which lines were refused, an error of the engine."""

    OK = "ok"
    REFUSED = "refused"
    ERROR = "error"


class RunEnd(StrEnum):
    """How a run ended. `RUNNING` is that of a run whose process lives; one whose process is gone was interrupted."""

    RUNNING = "running"
    FINISHED = "finished"
    TIME_UP = "time up"
    STOPPED = "stopped"  # at the first failure, as was asked
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class CallNote:
    """One model call, or one answer from the store.

    `key` is the sha256 hex of the request. `attempt` above 1: it was asked again, and `reason` says why (codes of
    `Reason` joined by commas, "transport" for the engine's failures); of an ERROR `reason` is the message. The tokens
    and seconds of a `cached` answer were not spent in this run.
    """

    key: str
    state: CallState = CallState.OK
    label: str = ""
    attempt: int = 1
    reason: str = ""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a document ended, with what is known of it.

    `why` and `remedy` are for people and hold no text of the document. `digest` is the file that a reader opens,
    `same_as` (DUPLICATE) the file that was digested in its place.
    """

    state: DocumentState
    why: str = ""
    remedy: str = ""
    sha256: str = ""
    pages: int = 0
    pages_read: int = 0
    clauses: int = 0
    verified: int = 0
    verbatim: int = 0
    unverified: int = 0
    digest: Path | None = None
    same_as: Path | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Model calls, answers from the store, tokens of the calls; `seconds` of the document, calls overlapping.

    `again` are those of the calls that asked for something a second time or more.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    again: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.calls + other.calls,
            self.cached + other.cached,
            self.prompt_tokens + other.prompt_tokens,
            self.generated_tokens + other.generated_tokens,
            self.seconds + other.seconds,
            self.again + other.again,
        )

    @property
    def cache_share(self) -> float:
        """Answers from the store among all answers, 0 to 1."""
        return self.cached / (self.calls + self.cached) if self.calls + self.cached else 0.0


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call as it is shown: its seconds, and what it was for."""

    path: Path
    label: str
    key: str
    state: CallState
    attempt: int
    seconds: float
    prompt_tokens: int
    generated_tokens: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document of a run. `made_in` (UNCHANGED) is the run that made its digest, where the journal knows it."""

    id: int
    path: Path
    outcome: Outcome
    cost: Cost = Cost()
    retries: Mapping[str, int] = field(default_factory=dict)  # by reason
    errors: Mapping[str, int] = field(default_factory=dict)  # by message
    slowest: tuple[CallRow, ...] = ()
    made_in: int | None = None

    @property
    def state(self) -> DocumentState:
        """Where it stands."""
        return self.outcome.state


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in one line. `seconds` of an interrupted run is the time of its last note."""

    id: int
    started: datetime
    seconds: float
    command: str
    out: Path | None
    model: str
    program: str
    end: RunEnd
    exit_code: int | None
    documents: Mapping[DocumentState, int]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with its documents in their order. `since`: the last run before it on the same output that finished, or 0.

    `calls_kept` is false for an old run: its single calls were removed, the sums of its documents were not.
    """

    run: RunRow
    documents: tuple[DocumentRow, ...]
    slowest: tuple[CallRow, ...]
    since: int
    calls_kept: bool = True

    @property
    def retries(self) -> dict[str, int]:
        """Calls asked again, by reason, the commonest first."""
        return summed(document.retries for document in self.documents)

    @property
    def cost(self) -> Cost:
        """All documents together."""
        return sum((document.cost for document in self.documents), Cost())


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sums of some counts, the largest first, then by name."""
    total: dict[str, int] = {}
    for count in counts:
        for name, number in count.items():
            total[name] = total.get(name, 0) + number
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))
