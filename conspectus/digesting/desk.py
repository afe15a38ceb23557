"""The desk of a run: it holds the requests and the model, so that only small specs travel through Prefect."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from conspectus.digesting.answers import storage_key
from conspectus.errors import ConspectusError
from conspectus.llama.contract import Completion, Model, Request
from conspectus.llama.remote import Place, Remote


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One model call as Prefect sees it. `key` is the sha256 hex of `Request.key`, `run` names the desk.

    `label` ("lease.pdf: sentences restated, calls 3") is shown to people. With a `place` the call is made in another
    process, which finds there what the desk has here. Raises ValueError for what is no key.
    """

    key: str
    label: str
    run: str
    place: Place | None = None

    def __post_init__(self) -> None:
        storage_key(self.key)


@dataclass(frozen=True, slots=True)
class CallMade:
    """One call as it ended: its answer, or the `error` it ended in; `attempt` counts from 1 for each key.

    `cached` answers were taken from the store; `seconds` are those of the call, waiting for a slot included.
    """

    key: str
    label: str
    completion: Completion | None
    error: str = ""
    attempt: int = 1
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, slots=True)
class DeskCounts:
    """What a run has cost so far: calls sent to the model, answers taken from the store, tokens of the calls."""

    model_calls: int = 0
    cache_hits: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0

    def __add__(self, more: "DeskCounts") -> "DeskCounts":
        """Both together."""
        return DeskCounts(
            model_calls=self.model_calls + more.model_calls,
            cache_hits=self.cache_hits + more.cache_hits,
            prompt_tokens=self.prompt_tokens + more.prompt_tokens,
            generated_tokens=self.generated_tokens + more.generated_tokens,
        )


class Desk:
    """The requests, the models and the counters of one run. Thread-safe; registered from `with` to its end.

    Requests go to `model`, those that are put with `reducing` to `reduce_model` (None: to `model` too).
    `progress(prompt_tokens, generated_tokens)` is called while a model works, `on_call` for each call that ended, from
    any thread. Tasks must run in this process, unless `remote` lays the requests where others find them.
    """

    def __init__(
        self,
        model: Model,
        progress: Callable[[int, int], None] | None = None,
        reduce_model: Model | None = None,
        on_call: Callable[[CallMade], None] | None = None,
        remote: Remote | None = None,
    ) -> None:
        self._remote = remote
        self._on_call = on_call or (lambda _: None)
        self._labels: dict[str, str] = {}
        self._attempts: Counter[str] = Counter()
        self.run = secrets.token_hex(8)
        self._model = model
        self._reduce_model = reduce_model or model
        self._fingerprint = model.info.fingerprint
        self._reduce_fingerprint = self._reduce_model.info.fingerprint
        self._progress = progress
        self._lock = threading.Lock()
        self._requests: dict[str, Request] = {}
        self._reducing: set[str] = set()
        self._counts = DeskCounts()

    def __enter__(self) -> Self:
        with _registry_lock:
            _desks[self.run] = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with _registry_lock:
            _desks.pop(self.run, None)

    @property
    def model(self) -> Model:
        """The model of the run."""
        return self._model

    @property
    def counts(self) -> DeskCounts:
        """The counters as they stand."""
        with self._lock:
            return self._counts

    def put(self, request: Request, label: str, *, reducing: bool = False) -> CallSpec:
        """Lays a request on the desk and gives its spec. Equal requests share a key: map each key once."""
        key = request.key(self._reduce_fingerprint if reducing else self._fingerprint)
        with self._lock:
            self._requests[key] = request
            self._labels.setdefault(key, label)
            if reducing:
                self._reducing.add(key)
        place = None if self._remote is None else self._remote.lay(key, request, reducing=reducing)
        return CallSpec(key=key, label=label, run=self.run, place=place)

    def request(self, key: str) -> Request:
        """The request behind a key. Raises LookupError where it was never put here."""
        with self._lock:
            if key not in self._requests:
                raise LookupError(f"no request {key[:12]} on the desk of run {self.run}")
            return self._requests[key]

    def complete(self, key: str) -> Completion:
        """Asks the model and counts the call. Raises what `Model.complete` raises."""
        request = self.request(key)
        self._add(DeskCounts(model_calls=1))
        with self._lock:
            model = self._reduce_model if key in self._reducing else self._model
            self._attempts[key] += 1
            label, attempt = self._labels[key], self._attempts[key]
        began = time.monotonic()
        try:
            (completion,) = model.complete([request], self._progress)
        except ConspectusError as error:
            self._on_call(CallMade(key, label, None, error.message, attempt, time.monotonic() - began))
            raise
        self._add(DeskCounts(prompt_tokens=completion.prompt_tokens, generated_tokens=completion.generated_tokens))
        self._on_call(CallMade(key, label, completion, "", attempt, time.monotonic() - began))
        return completion

    def note_made(self, key: str, completion: Completion | None, error: str = "") -> None:
        """Counts a call that was made in another process."""
        with self._lock:
            self._attempts[key] += 1
            label, attempt = self._labels[key], self._attempts[key]
        if completion is None:
            self._add(DeskCounts(model_calls=1))
            self._on_call(CallMade(key, label, None, error, attempt))
            return
        self._add(DeskCounts(1, 0, completion.prompt_tokens, completion.generated_tokens))
        self._on_call(CallMade(key, label, completion, "", attempt, completion.seconds))

    def note_hit(self, key: str = "", completion: Completion | None = None) -> None:
        """Counts an answer that was taken from the store."""
        self._add(DeskCounts(cache_hits=1))
        with self._lock:
            label = self._labels.get(key, "")
        self._on_call(CallMade(key, label, completion, cached=True))

    def _add(self, more: DeskCounts) -> None:
        with self._lock:
            self._counts += more


_desks: dict[str, Desk] = {}
_registry_lock = threading.Lock()


def desk_of(run: str) -> Desk:
    """The open desk of a run. Raises LookupError in a process, or at a time, that has no such desk."""
    with _registry_lock:
        if run not in _desks:
            raise LookupError(
                f"no desk of run {run} is open in this process: model calls need a task runner with threads, "
                "inside `with Desk(...)`"
            )
        return _desks[run]
