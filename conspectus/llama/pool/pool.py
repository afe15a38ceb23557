"""The servers of a pool behind the `Model` contract: one event loop in one thread, called from any thread."""

import asyncio
import atexit
import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

from conspectus.errors import ConspectusError, EngineError, ModelError, UsageError
from conspectus.llama.contract import Completion, Message, ModelInfo, Request
from conspectus.llama.pool.address import Address
from conspectus.llama.pool.counting import Counter
from conspectus.llama.pool.dispatch import Dispatcher
from conspectus.llama.pool.endpoint import Endpoint, Figures, State
from conspectus.llama.pool.faults import Fault, Kind
from conspectus.llama.pool.jobs import Job, at_start, over_context
from conspectus.llama.pool.settings import PoolSettings

# Raised with each change of payload, grammar or reading of answers: stored answers depend on it.
_POOL_VERSION = 1
_WAIT_S = 0.2
_CLOSE_S = 2.5
T = TypeVar("T")


class ServerPool:
    """One model on one or more servers.

    Connecting begins with `start` or the first use; only the given addresses are contacted. `note` is told, from
    another thread, what happens to servers, each time in words for people; nothing of a document is in it.
    """

    def __init__(
        self,
        addresses: Sequence[Address],
        settings: PoolSettings | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        if not addresses:
            raise UsageError("no address of a model server was given", "Give one with --model http://host:8080")
        self._settings = settings or PoolSettings()
        self._note = note or (lambda _message: None)
        self._endpoints = [Endpoint(address, self._settings, self._note) for address in addresses]
        self._dispatcher = Dispatcher(self._endpoints, self._settings, self._note)
        self._counter: Counter | None = None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._opened: Future[ModelInfo] = Future()
        self._opening: Future[None] | None = None  # held, since a loop alone keeps no task alive
        self._is_closed = False

    @property
    def info(self) -> ModelInfo:
        """Facts about the model; waits until one server has proved itself.

        Raises ModelError where none can be used, UsageError where they hold different models.
        """
        self.start()
        return self._wait(self._opened)

    @property
    def is_exact(self) -> bool:
        """Whether tokens are counted by the servers; false: estimated from above."""
        self._wait(self._opened)
        return self._counter is not None and self._counter.is_exact

    @property
    def figures(self) -> dict[str, Figures]:
        """What each server has done so far, by address."""
        return {str(endpoint.address): endpoint.figures for endpoint in self._endpoints}

    @property
    def hedged(self) -> int:
        """How many requests were sent a second time because they were late."""
        return self._dispatcher.hedged

    def start(self) -> None:
        """Begins to connect; returns at once, and does nothing the second time."""
        with self._lock:
            if self._is_closed:
                raise EngineError("The model was closed", retryable=False)
            if self._thread:
                return
            started: Future[asyncio.AbstractEventLoop] = Future()
            self._thread = threading.Thread(target=self._run, args=(started,), name="conspectus-servers", daemon=True)
            self._thread.start()
            self._loop = started.result()
            self._opening = asyncio.run_coroutine_threadsafe(self._open(), self._loop)
            atexit.register(self.close)

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt, chat template and generation prompt included; see `is_exact`."""
        return self._call(self._counting().prompt(messages))

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, tokenised as document text (special tokens off); see `is_exact`."""
        return self._call(self._counting().texts(texts))

    def complete(
        self,
        requests: Sequence[Request],
        progress: Callable[[int, int], None] | None = None,
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Completion]:
        """Answers in the order of the requests; `progress(prompt_tokens, generated_tokens)` sums over all of them.

        Raises EngineError for a call that failed (the others are then dropped) and once `stop` says so, ContextExceeded
        for one that no server can hold, ModelError where no server has the model any more. Nothing is cut to fit.
        """
        context = self.info.context
        counts = self._call(self._counting().prompts([request.messages for request in requests]))
        jobs = [Job(request, counted) for request, counted in zip(requests, counts, strict=True)]
        for job in jobs:
            if job.need > context:
                raise over_context(job, context)
        try:
            self._soon(self._dispatcher.submit, jobs)
            return self._answers(jobs, progress, stop)
        except BaseException:
            # Also for Ctrl-C: nobody waits for these answers any more.
            with contextlib.suppress(ConspectusError):
                self._soon(self._dispatcher.drop, jobs)
            raise

    def close(self) -> None:
        """Ends all calls with EngineError and the connections, within three seconds."""
        with self._lock:
            self._is_closed = True
            loop, thread = self._loop, self._thread
        if not self._opened.done():
            with contextlib.suppress(Exception):
                self._opened.set_exception(EngineError("The model was closed", retryable=False))
        atexit.unregister(self.close)
        if loop is None or thread is None or thread is threading.current_thread():
            return
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_S)

    def _answers(
        self, jobs: Sequence[Job], progress: Callable[[int, int], None] | None, stop: Callable[[], bool] | None
    ) -> list[Completion]:
        last = (0, 0)
        found = []
        for job in jobs:
            while not job.future.done():
                with contextlib.suppress(NotYet):
                    job.future.exception(_WAIT_S)
                now = (sum(j.progress[0] for j in jobs), sum(j.progress[1] for j in jobs))
                if progress and now != last:
                    last = now
                    progress(*now)
                if (self._is_closed or (stop and stop())) and not job.future.done():
                    job.fail(EngineError("The model was closed", retryable=False))
            found.append(job.future.result())
        return found

    def _counting(self) -> Counter:
        self.start()
        self._wait(self._opened)
        assert self._counter is not None
        return self._counter

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop is None or self._is_closed:
            work.close()
            raise EngineError("The model was closed", retryable=False)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return self._wait(future)
        except BaseException:
            future.cancel()
            raise

    def _wait(self, future: "Future[T]") -> T:
        """The result of `future`; ends when the pool is closed meanwhile."""
        while True:
            try:
                return future.result(_WAIT_S)
            except NotYet:
                if self._is_closed:
                    raise EngineError("The model was closed", retryable=False) from None
            except CancelledError:
                raise EngineError("The model was closed", retryable=False) from None

    def _soon(self, act: Callable[[Sequence[Job]], None], jobs: Sequence[Job]) -> None:
        try:
            assert self._loop is not None
            self._loop.call_soon_threadsafe(act, jobs)
        except RuntimeError as error:
            raise EngineError("The model was closed", retryable=False) from error

    def _run(self, started: "Future[asyncio.AbstractEventLoop]") -> None:
        loop = asyncio.new_event_loop()
        # Resolving names takes threads; our own, so that one that hangs keeps nobody.
        resolver = ThreadPoolExecutor(max_workers=4, thread_name_prefix="conspectus-names")
        loop.set_default_executor(resolver)
        asyncio.set_event_loop(loop)
        started.set_result(loop)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(self._shut_down())
            resolver.shutdown(wait=False, cancel_futures=True)
            loop.close()

    async def _shut_down(self) -> None:
        await self._dispatcher.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for endpoint in self._endpoints:
            with contextlib.suppress(Exception):
                await endpoint.close()

    async def _open(self) -> None:
        try:
            self._counter = Counter(self._endpoints, self._settings)
            info = await self._first_server()
        except ConspectusError as error:
            self._finish_open(error)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self._finish_open(ModelError(f"the servers cannot be used: unexpected {type(error).__name__}"))
        else:
            if not self._opened.done():
                self._opened.set_result(info)

    def _finish_open(self, error: ConspectusError) -> None:
        if not self._opened.done():
            self._opened.set_exception(error)

    async def _first_server(self) -> ModelInfo:
        """Asks all servers what they are, until one has proved itself. Raises ConspectusError."""
        end = time.monotonic() + self._settings.loading_s
        while True:
            await asyncio.gather(*(self._try(e) for e in self._endpoints if e.state is not State.UP))
            up = [e for e in self._endpoints if e.state is State.UP]
            if up:
                return self._begin(up)
            waits = any(e.why and e.why.kind is Kind.LOADING for e in self._endpoints)
            if not waits or time.monotonic() > end:
                first = self._endpoints[0]
                raise at_start(first.address, first.why or Fault(Kind.UNREACHABLE, "?"), self._settings)
            await asyncio.sleep(min(1.0, self._settings.cooldown_s * 2))

    async def _try(self, endpoint: Endpoint) -> None:
        try:
            endpoint.admit(await endpoint.open())
            return
        except Fault as fault:
            endpoint.why = fault
        except TimeoutError:
            endpoint.why = Fault(Kind.SILENT, f"it gave no answer in {self._settings.probe_s:.0f} seconds")
        endpoint.state = State.OUT
        if endpoint.why.kind in (Kind.KEY, Kind.TLS):
            endpoint.state = State.SHUT
        if endpoint.why.kind is Kind.LOADING:
            self._dispatcher.once(f"{endpoint.address}: {endpoint.why.text}, waiting for it")

    def _begin(self, up: Sequence[Endpoint]) -> ModelInfo:
        facts = [endpoint.facts for endpoint in up if endpoint.facts]
        for endpoint, other in zip(up, facts, strict=True):
            if other.identity != facts[0].identity:
                raise UsageError(
                    f"the servers hold different models: {up[0].address} {facts[0].name}, "
                    f"{endpoint.address} {other.name}",
                    "Give --model only addresses that serve the same file",
                )
        self._tell(up)
        builds = sorted({one.build for one in facts})
        self._dispatcher.open(facts[0].identity, builds)
        settings = {"identity": facts[0].identity, "builds": builds, "pool": _POOL_VERSION}
        return ModelInfo(
            name=facts[0].name,
            fingerprint=hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest(),
            context=min(one.context for one in facts),
            slots=sum(one.slots for one in facts),
        )

    def _tell(self, up: Sequence[Endpoint]) -> None:
        """Says what was found: servers, those that are missing, and what a user should know about them."""
        for endpoint in self._endpoints:
            facts = endpoint.facts
            if endpoint in up and facts:
                told = "" if facts.told else " (our settings: it does not tell; tokens are estimated)"
                self._note(f"{endpoint.address}: {facts.name}, {facts.slots} x {facts.context} tokens{told}")
                if facts.told and facts.context < self._settings.context:
                    self._note(f"{endpoint.address}: {self._settings.context} tokens of context were asked for")
            elif endpoint.why:
                self._note(f"{endpoint.address}: {endpoint.why.text}; the run begins without it")
            if self._settings.api_key and endpoint.address.is_plain:
                self._note(f"{endpoint.address}: the key is sent without encryption, use https")
