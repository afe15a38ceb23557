"""The requests that a pool is working on, and how one ends."""

import asyncio
import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from conspectus.errors import ConspectusError, ContextExceeded, EngineError, ModelChanged, ModelError
from conspectus.llama.contract import Completion, Request
from conspectus.llama.pool.address import Address
from conspectus.llama.pool.endpoint import Endpoint
from conspectus.llama.pool.faults import Fault, Kind
from conspectus.llama.pool.settings import PoolSettings

_PREFIX = 400  # characters of the last message: what calls on one chunk share
_START = "Start one with: conspectus model serve"


@dataclass(slots=True, eq=False)
class Job:
    """One request on its way. `future` ends once, with the answer or with one error.

    `counted` is the prompt by our count, `need` the tokens it takes with its answer. `deadline` is monotonic, set when
    it is first sent.
    """

    request: Request
    counted: int
    future: "Future[Completion]" = field(default_factory=Future)
    need: int = 0
    deadline: float = 0.0
    not_before: float = 0.0
    sends: int = 0
    crowded: int = 0
    began: float = 0.0
    progress: tuple[int, int] = (0, 0)
    avoid: Endpoint | None = None
    refused: set[Endpoint] = field(default_factory=set)
    running: "dict[Endpoint, asyncio.Task[None]]" = field(default_factory=dict)
    prefix: str = ""

    def __post_init__(self) -> None:
        self.need = self.counted + self.request.max_tokens
        start = self.request.messages[-1].content[:_PREFIX] if self.request.messages else ""
        self.prefix = hashlib.sha256(start.encode("utf-8", "replace")).hexdigest()

    def start_clock(self) -> None:
        """Sets the deadline when it is first sent."""
        if not self.deadline:
            self.began = time.monotonic()
            self.deadline = self.began + self.request.deadline_s

    def answer(self, completion: Completion) -> bool:
        """Ends it with an answer; false where it has ended before."""
        if self.future.done():
            return False
        self.future.set_result(completion)
        return True

    def fail(self, error: ConspectusError) -> None:
        """Ends it with an error, unless it has ended before."""
        if not self.future.done():
            self.future.set_exception(error)


def error_of(address: Address, fault: Fault, settings: PoolSettings) -> ConspectusError:
    """The error that a user sees for a fault that nothing more can be done about."""
    what = f"{address}: {fault.text}"
    if fault.kind is Kind.KEY:
        return ModelError(what, f"Put the key into the environment variable {settings.key_variable}")
    if fault.kind is Kind.TLS:
        return ModelError(what, "Name the certificate of its authority with --ca-file FILE.pem")
    if fault.kind is Kind.CHANGED:
        return ModelChanged(what, "Let it serve one model for the whole run, then run the same command again")
    if fault.kind is Kind.UNREACHABLE:
        return EngineError(what, _START)
    return EngineError(what, "Look at the log of the server", retryable=fault.kind not in (Kind.EMPTY, Kind.REFUSED))


def gone(endpoints: Sequence[Endpoint], settings: PoolSettings) -> ConspectusError:
    """The error of a pool that has lost all its servers for good: a changed model says more than a refused key."""
    shut = [(e.address, e.why) for e in endpoints if e.why]
    address, why = min(shut, key=lambda pair: pair[1].kind is not Kind.CHANGED)
    return error_of(address, why, settings)


def over_context(job: Job, context: int) -> ContextExceeded:
    """The error of a request that no server of the pool can hold."""
    return ContextExceeded(
        f"a prompt of {job.need - job.request.max_tokens} tokens and an answer of up to {job.request.max_tokens} "
        f"do not fit the context of {context} tokens",
        "Give the server more context for each slot",
        prompt_tokens=job.need - job.request.max_tokens,
        context=context,
    )


def at_start(address: Address, fault: Fault, settings: PoolSettings) -> ConspectusError:
    """The error of a pool that never had a server."""
    error = error_of(address, fault, settings)
    return error if isinstance(error, ModelError) else ModelError(error.message, error.remedy)
