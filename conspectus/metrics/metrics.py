"""Figures of a run for Prometheus: what was digested, what it cost, what is under way. Never a name or a text.

Counting is off until `serving` or `join` turns it on; `current()` gives a counter that does nothing before that. The
runs of a schedule are processes of their own: they count in files of a folder that the serving process sums up.
"""

import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.errors import ConspectusError, ExitCode, UsageError
from conspectus.journal.types import CallNote, CallState, DocumentState
from conspectus.llama import Completion, Model, ModelInfo, Request
from conspectus.llama.contract import Message

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

LOOPBACK = "127.0.0.1"
# prometheus_client's own variable: where it is set before its import, values are kept in files of this folder.
SHARED = "PROMETHEUS_MULTIPROC_DIR"
_RATE_SECONDS = 60.0
_BUCKETS = (0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600)


class Metrics:
    """Counts nothing; `Counting` is the one that does. Methods may be called from any thread."""

    def document(self, which: Hashable, state: DocumentState) -> None:
        """A document has come to this state; `which` tells it from others and is not shown."""

    def call(self, note: CallNote) -> None:
        """A model call has ended, or an answer was taken from the store."""

    def under_way(self, calls: int, tokens: int, room: int) -> None:
        """So many calls are with the model now; they hold `tokens` of the `room` in its context."""

    def ended(self, code: ExitCode) -> None:
        """A run has come to its end."""


_ON_THE_WAY = (DocumentState.QUEUED, DocumentState.READING, DocumentState.RUNNING)


class Counting(Metrics):
    """The figures, in a registry of their own."""

    def __init__(self, registry: "CollectorRegistry") -> None:
        from prometheus_client import Counter, Gauge, Histogram

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"conspectus_{name}", text, labels, registry=registry)

        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(f"conspectus_{name}", text, labels, registry=registry, multiprocess_mode="livesum")

        def last(name: str, text: str) -> Gauge:
            return Gauge(f"conspectus_{name}", text, registry=registry, multiprocess_mode="mostrecent")

        self._documents = counter("documents", "Documents that came to an end, by how", "state")
        self._now = gauge("documents_now", "Documents of the run under way that are not at their end", "state")
        self._calls = counter("calls", "Model calls, one or more for each chunk, by how they ended", "state")
        self._hits = counter("cache_hits", "Answers that were taken from the store")
        self._retries = counter("retries", "Calls made again, by reason", "reason")
        self._prompt = counter("prompt_tokens", "Tokens of prompts that the model read")
        self._generated = counter("generated_tokens", "Tokens that the model wrote")
        self._speed = gauge("tokens_per_second", "Tokens read and written, over the last minute")
        self._flying = gauge("calls_in_flight", "Calls that are with the model now")
        self._kv = gauge("kv_used_ratio", "Share of the model's context that the calls under way hold")
        self._took = Histogram(
            "conspectus_call_seconds", "Seconds of a model call", buckets=_BUCKETS, registry=registry
        )
        self._code = last("last_run_exit_code", "Exit code of the last run: 0 whole, 3 partial")
        self._at = last("last_run_timestamp_seconds", "When the last run ended, in Unix time")
        self._lock = threading.Lock()
        self._recent: deque[tuple[float, int]] = deque()
        self._states: dict[Hashable, DocumentState] = {}

    def document(self, which: Hashable, state: DocumentState) -> None:  # noqa: D102
        with self._lock:
            before = self._states.pop(which, None)
            if state in _ON_THE_WAY:
                self._states[which] = state
                self._now.labels(state.value).inc()
            else:
                self._documents.labels(state.value).inc()
            if before is not None:
                self._now.labels(before.value).dec()

    def call(self, note: CallNote) -> None:  # noqa: D102
        if note.cached:
            self._hits.inc()
            return
        self._calls.labels(note.state.value).inc()
        self._prompt.inc(note.prompt_tokens)
        self._generated.inc(note.generated_tokens)
        self._took.observe(note.seconds)
        if note.attempt > 1:
            # Of a call that failed the reason is a message for people, which is no label.
            codes = note.reason.split(",") if note.reason and note.state is not CallState.ERROR else ["transport"]
            for code in codes:
                self._retries.labels(code).inc()
        self._speed.set(self._rate(note.prompt_tokens + note.generated_tokens))

    def _rate(self, tokens: int) -> float:
        now = time.monotonic()
        with self._lock:
            self._recent.append((now, tokens))
            while now - self._recent[0][0] > _RATE_SECONDS:
                self._recent.popleft()
            return sum(count for _, count in self._recent) / _RATE_SECONDS

    def under_way(self, calls: int, tokens: int, room: int) -> None:  # noqa: D102
        self._flying.set(calls)
        self._kv.set(tokens / room if room else 0.0)
        if not calls:
            self._speed.set(0.0)

    def ended(self, code: ExitCode) -> None:  # noqa: D102
        self._code.set(int(code))
        self._at.set(time.time())
        with self._lock:
            for state in self._states.values():
                self._now.labels(state.value).dec()
            self._states.clear()


class Metered:
    """A model whose calls under way are counted. A `Model` itself."""

    def __init__(self, model: Model, metrics: Metrics) -> None:
        self._model, self._metrics = model, metrics
        self._lock = threading.Lock()
        self._held: dict[int, int] = {}
        self._next = 0

    @property
    def info(self) -> ModelInfo:
        """That of the model."""
        return self._model.info

    def count(self, messages: Sequence[Message]) -> int:
        """As the model counts."""
        return self._model.count(messages)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """As the model counts."""
        return self._model.count_texts(texts)

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        """The model's answers. Raises what the model raises."""
        with self._lock:
            self._next += 1
            ours = self._next
        self._hold(ours, 0)

        def told(prompt: int, generated: int) -> None:
            self._hold(ours, prompt + generated)
            if progress is not None:
                progress(prompt, generated)

        try:
            return self._model.complete(requests, told)
        finally:
            self._hold(ours, None)

    def _hold(self, call: int, tokens: int | None) -> None:
        info = self._model.info
        with self._lock:
            if tokens is None:
                self._held.pop(call, None)
            else:
                self._held[call] = tokens
            self._metrics.under_way(len(self._held), sum(self._held.values()), info.context * info.slots)

    def close(self) -> None:
        """Ends the model."""
        self._model.close()


_off = Metrics()
_current = _off


def current() -> Metrics:
    """Where this process counts."""
    return _current


def metered(model: Model) -> Model:
    """The model, counted where counting is on."""
    return model if _current is _off else Metered(model, _current)


@contextmanager
def serving(port: int | None, address: str = LOOPBACK, shared: Path | None = None) -> Iterator[None]:
    """Counts, and answers at http://address:port/metrics, meanwhile; without a port nothing is counted.

    With `shared`, a folder that is emptied first, processes started meanwhile count too once they call `join`; to be
    used before anything imports prometheus_client. Raises UsageError where the port is taken.
    """
    global _current
    if port is None:
        yield
        return
    if shared is not None:
        shutil.rmtree(shared, ignore_errors=True)
        shared.mkdir(parents=True, mode=0o700)
        os.environ[SHARED] = str(shared)
    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    if shared is not None:
        from conspectus.metrics.shared import AliveCollector

        registry.register(AliveCollector(str(shared)))
    else:
        _current = Counting(registry)
    try:
        server, thread = start_http_server(port, addr=address, registry=registry)
    except (OSError, OverflowError) as error:
        _current = _off
        raise UsageError(
            f"--metrics-port {port}: cannot be listened on at {address} ({getattr(error, 'strerror', error)})",
            "Name a free port above 1023",
        ) from error
    try:
        yield
    finally:
        _current = _off
        os.environ.pop(SHARED, None)
        server.shutdown()
        server.server_close()
        thread.join()


def join() -> None:
    """Counts into the folder of the process that serves the figures; does nothing where there is none."""
    global _current
    if os.environ.get(SHARED) and _current is _off:
        from prometheus_client import CollectorRegistry

        _current = Counting(CollectorRegistry())


class _Both(Metrics):
    def __init__(self, first: Metrics, second: Metrics) -> None:
        self._all = (first, second)

    def document(self, which: Hashable, state: DocumentState) -> None:
        for one in self._all:
            one.document(which, state)

    def call(self, note: CallNote) -> None:
        for one in self._all:
            one.call(note)

    def under_way(self, calls: int, tokens: int, room: int) -> None:
        for one in self._all:
            one.under_way(calls, tokens, room)

    def ended(self, code: ExitCode) -> None:
        for one in self._all:
            one.ended(code)


@contextmanager
def also(listener: Metrics) -> Iterator[None]:
    """Tells `listener` too, meanwhile. Calls under way are counted in it only where the model was `metered` since."""
    global _current
    before, _current = _current, _Both(_current, listener)
    try:
        yield
    finally:
        _current = before


@contextmanager
def run_counted() -> Iterator[Callable[[ExitCode], None]]:
    """Notes how the run inside ends: by the code it is told, or by the error that passes."""
    codes: list[ExitCode] = []
    try:
        yield codes.append
    except KeyboardInterrupt:
        codes.append(ExitCode.INTERRUPTED)
        raise
    except BaseException as error:
        codes.append(error.exit_code if isinstance(error, ConspectusError) else ExitCode.UNEXPECTED)
        raise
    finally:
        _current.ended(codes[-1] if codes else ExitCode.OK)
