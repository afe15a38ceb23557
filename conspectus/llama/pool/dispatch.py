"""Which request goes to which server, what happens to one that failed, and when a server gets work again.

Everything here runs in the event loop of the pool, so nothing is locked.
"""

import asyncio
import random
import statistics
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace

from conspectus.errors import ConspectusError, EngineError, UsageError
from conspectus.llama.contract import Completion
from conspectus.llama.pool.endpoint import Endpoint, State
from conspectus.llama.pool.facts import ServerFacts
from conspectus.llama.pool.faults import Fault, Kind
from conspectus.llama.pool.jobs import Job, error_of, gone, over_context
from conspectus.llama.pool.settings import PoolSettings
from conspectus.plural import many

_TICK_S = 0.1
_FINAL = (Kind.KEY, Kind.TLS, Kind.CHANGED)
_WAITS = (Kind.LOADING, Kind.UNREACHABLE)
_LOST = (Kind.UNREACHABLE, Kind.BROKEN)
_MOST_CROWDED = 40
_PREFIXES = 4096


class Dispatcher:
    """The queue of a pool. `submit` and `drop` may be called through `call_soon_threadsafe`."""

    def __init__(self, endpoints: Sequence[Endpoint], settings: PoolSettings, note: Callable[[str], None]) -> None:
        self.endpoints = endpoints
        self.hedged = 0
        self._settings = settings
        self._note = note
        self._said: set[str] = set()
        self._queue: deque[Job] = deque()
        self._running: set[Job] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._identity = ""
        self._builds: frozenset[str] = frozenset()
        self._durations: deque[float] = deque(maxlen=64)
        self._served: OrderedDict[str, Endpoint] = OrderedDict()
        self._down_since: float | None = None
        self._was_loading = False

    def open(self, identity: str, builds: Iterable[str]) -> None:
        """Begins; from now on only servers with this model and one of these builds get work."""
        self._identity, self._builds = identity, frozenset(builds)
        for endpoint in self.endpoints:
            if endpoint.state is State.OUT:
                self._spawn(self._recover(endpoint))
        self._spawn(self._tick())

    def submit(self, jobs: Iterable[Job]) -> None:
        """Takes requests; each ends through its future."""
        self._queue.extend(jobs)
        self._pump()

    def drop(self, jobs: Iterable[Job]) -> None:
        """Ends requests for whose answers nobody waits."""
        for job in jobs:
            job.fail(EngineError("the call was cancelled", retryable=False))
            for task in job.running.values():
                task.cancel()

    async def close(self) -> None:
        """Ends all requests and all that runs for them."""
        for job in [*self._queue, *self._running]:
            job.fail(EngineError("The model was closed", retryable=False))
        self._queue.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def once(self, message: str) -> None:
        """Tells something, the first time only."""
        if message not in self._said:
            self._said.add(message)
            self._note(message)

    def is_same_model(self, facts: ServerFacts) -> bool:
        """Whether a server has the model that this pool began with."""
        return facts.identity == self._identity and facts.build in self._builds

    def _spawn(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _pump(self) -> None:
        """Sends what can be sent now, in order."""
        now, waiting = time.monotonic(), deque[Job]()
        while self._queue:
            job = self._queue.popleft()
            if job.future.done():
                continue
            if not any(e.state is State.UP and e.in_flight < e.limit for e in self.endpoints):
                waiting.append(job)
                break
            error = self._hopeless(job)
            endpoint = None if error or job.not_before > now else self._choose(job)
            if error:
                job.fail(error)
            elif endpoint:
                self._send(job, endpoint)
            else:
                waiting.append(job)
        self._queue.extendleft(reversed(waiting))

    def _choose(self, job: Job) -> Endpoint | None:
        """The server for a request: the one that has its beginning in its cache, else the least busy, then fastest."""
        fit = [e for e in self.endpoints if e.has_room(job.need) and e not in job.running and e not in job.refused]
        others = [e for e in self.endpoints if e.state is State.UP and e not in job.refused and e is not job.avoid]
        if job.avoid and others:
            fit = [e for e in fit if e is not job.avoid]
        known = self._served.get(job.prefix)
        if known in fit:
            return known
        return min(fit, key=lambda e: (e.in_flight / e.limit, e.pace), default=None)

    def _hopeless(self, job: Job) -> ConspectusError | None:
        """Why no server will ever take a request, if so."""
        left = [e for e in self.endpoints if e.state is not State.SHUT]
        if not left:
            return gone(self.endpoints, self._settings)
        contexts = [e.context for e in left if e.facts]
        # A server that was never reached may have more; one that refused the request for its length will not take it.
        able = [e for e in left if e not in job.refused and (e.facts is None or e.context >= job.need)]
        return None if able else over_context(job, max(contexts, default=0))

    def _send(self, job: Job, endpoint: Endpoint) -> None:
        job.start_clock()
        self._running.add(job)
        self._served[job.prefix] = endpoint
        self._served.move_to_end(job.prefix)
        if len(self._served) > _PREFIXES:
            self._served.popitem(last=False)
        endpoint.in_flight += 1
        endpoint.needed += job.need
        task = self._spawn(self._attempt(job, endpoint))
        job.running[endpoint] = task
        task.add_done_callback(lambda _task, need=job.need: self._let_go(job, endpoint, need))  # type: ignore[misc]

    def _let_go(self, job: Job, endpoint: Endpoint, need: int) -> None:
        # By callback: a task that is cancelled before it began runs no `finally`.
        endpoint.in_flight -= 1
        endpoint.needed -= need
        job.running.pop(endpoint, None)
        if not job.running:
            self._running.discard(job)
        self._pump()

    async def _attempt(self, job: Job, endpoint: Endpoint) -> None:
        begun = time.monotonic()

        def progress(prompt: int, generated: int) -> None:
            job.progress = (max(job.progress[0], prompt), max(job.progress[1], generated))

        try:
            await self._verify(endpoint, begun)
            completion = await endpoint.ask(job.request, job.counted, job.deadline, progress)
        except Fault as fault:
            self._failed(job, endpoint, fault)
        except ConspectusError as error:
            job.fail(error)
        except Exception as error:
            # The type only: the text may quote the document.
            job.fail(EngineError(f"{endpoint.address}: unexpected {type(error).__name__}", retryable=False))
        else:
            endpoint.went_well()
            self._durations.append(time.monotonic() - begun)
            self._compare_counts(job, completion, endpoint)
            job.progress = (completion.prompt_tokens, completion.generated_tokens)
            if job.answer(completion):
                for other, task in job.running.items():
                    if other is not endpoint:
                        task.cancel()

    async def _verify(self, endpoint: Endpoint, now: float) -> None:
        if now - endpoint.verified < self._settings.verify_s:
            return
        endpoint.verified = now  # one question for all that wait
        facts = await endpoint.verify()
        if not self.is_same_model(facts):
            raise Fault(Kind.CHANGED, f"it serves another model now: {facts.name}")
        self._adopt(endpoint, facts)

    def _adopt(self, endpoint: Endpoint, facts: ServerFacts) -> None:
        """Takes what a server says of itself now; it may have fewer slots or less context than before."""
        known = endpoint.facts
        if known and facts.context < known.context:
            self.once(f"{endpoint.address}: its context is {facts.context} tokens now, {known.context} before")
        if known and facts.slots < known.slots:
            self.once(f"{endpoint.address}: it has {many(facts.slots, 'slot')} now, {known.slots} before")
        endpoint.facts = facts
        endpoint.limit = max(1, min(endpoint.limit, facts.slots))

    def _compare_counts(self, job: Job, completion: Completion, endpoint: Endpoint) -> None:
        gap = abs(completion.prompt_tokens - job.counted)
        is_llama = endpoint.facts is not None and endpoint.facts.is_llama
        over = completion.prompt_tokens > job.counted
        # An estimate is meant to be too high; a count is meant to be right.
        if gap > max(8, job.counted // 50) and (is_llama or over):
            self.once(
                f"{endpoint.address}: it counts tokens otherwise than we do: {completion.prompt_tokens} in a prompt "
                f"where we count {job.counted}"
            )

    def _failed(self, job: Job, endpoint: Endpoint, fault: Fault) -> None:
        """Notes a failure and decides what becomes of the server and of the request."""
        if endpoint.went_wrong(fault) and fault.kind not in _FINAL:
            self._note(f"{endpoint.address}: {fault.text}; its work goes elsewhere until it answers again")
            self._spawn(self._recover(endpoint))
        if fault.kind in _FINAL and endpoint.state is not State.SHUT:
            endpoint.shut(fault)
            self._note(f"{endpoint.address}: {fault.text}; it gets no more work")
        if job.future.done() or len(job.running) > 1:
            return
        error = self._verdict(job, endpoint, fault)
        if error:
            job.fail(error)
        else:
            job.avoid = endpoint
            if fault.kind in _LOST and not any(e.state is State.UP for e in self.endpoints):
                # How long it waits for a server is a matter of patience, not of the seconds for its answer.
                job.deadline = 0.0
            self._queue.append(job)

    def _verdict(self, job: Job, endpoint: Endpoint, fault: Fault) -> ConspectusError | None:
        """The error that ends a request after a failure; None: it is sent again."""
        now = time.monotonic()
        if fault.kind is Kind.TOO_LONG:
            self._shrink(job, endpoint, fault)
            return self._hopeless(job)
        if fault.kind is Kind.LOADING:
            job.deadline = 0.0  # its seconds are for the answer: they begin when it is sent to a loaded model
            return self._hopeless(job)
        if fault.kind is Kind.CROWDED:
            job.crowded += 1
            job.not_before = now + min(2.0, 0.05 * 2 ** min(job.crowded, 5)) * random.uniform(0.7, 1.3)
        elif fault.kind not in (*_WAITS, *_FINAL):
            job.sends += 1
            job.not_before = now + 0.05 * 2**job.sends * random.uniform(0.7, 1.3)
        most = 2 if fault.kind is Kind.EMPTY else self._settings.attempts
        is_spent = job.sends >= most or job.crowded >= _MOST_CROWDED or now >= job.deadline
        if fault.kind is Kind.REFUSED or is_spent:
            return error_of(endpoint.address, fault, self._settings)
        return self._hopeless(job)

    def _shrink(self, job: Job, endpoint: Endpoint, fault: Fault) -> None:
        """Learns from a server that a prompt was over its context."""
        job.refused.add(endpoint)
        facts = endpoint.facts
        if facts and 0 < fault.n_ctx < facts.context:
            self._adopt(endpoint, replace(facts, context=fault.n_ctx))
        if fault.prompt_tokens:
            job.need = max(job.need, fault.prompt_tokens + job.request.max_tokens)

    async def _recover(self, endpoint: Endpoint) -> None:
        """Tries a server again until it has proved itself."""
        while endpoint.state is State.OUT:
            await asyncio.sleep(endpoint.cooldown() * random.uniform(0.9, 1.1))
            try:
                facts = await endpoint.open()
                if not self.is_same_model(facts):
                    raise Fault(Kind.CHANGED, f"it serves another model than the others: {facts.name}")
            except Fault as fault:
                if fault.kind is Kind.LOADING:
                    self.once(f"{endpoint.address}: {fault.text}, waiting for it")
                if fault.kind in _FINAL:
                    endpoint.shut(fault)
                    self._note(f"{endpoint.address}: {fault.text}; it gets no more work")
                endpoint.why = fault
            except UsageError as error:
                endpoint.shut(Fault(Kind.REFUSED, error.message))
            except TimeoutError:
                endpoint.why = Fault(Kind.SILENT, "it does not answer in time")
            else:
                endpoint.admit(facts)
                self._note(f"{endpoint.address}: answers again")
        self._pump()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self._lose_patience()
            self._pump()
            self._hedge()

    def _lose_patience(self) -> None:
        """Ends the requests that have waited too long for any server."""
        if any(e.state is State.UP for e in self.endpoints) or not self._queue:
            self._down_since, self._was_loading = None, False
            return
        now = time.monotonic()
        self._down_since = self._down_since or now
        if all(e.state is State.SHUT for e in self.endpoints):
            error = gone(self.endpoints, self._settings)
        else:
            is_loading = any(e.why and e.why.kind is Kind.LOADING for e in self.endpoints)
            if is_loading and not self._was_loading:
                self._down_since = now  # one that is back gets its own time to load
            self._was_loading = is_loading
            patience = max(self._settings.loading_s if is_loading else 0.0, self._settings.patience_s)
            if now - self._down_since < patience:
                return
            why = "; ".join(f"{e.address}: {e.why.text}" for e in self.endpoints if e.why)
            error = EngineError(f"no server answers ({why})", "Look at the servers, then run the same command again")
        for job in self._queue:
            job.fail(error)
        self._queue.clear()

    def _hedge(self) -> None:
        """Sends the last requests a second time where another server has room: the first answer counts."""
        if self._queue or len(self._durations) < 4:
            return
        usual = statistics.median(self._durations)
        late = max(self._settings.hedge_least_s, self._settings.hedge_factor * usual)
        now = time.monotonic()
        for job in list(self._running):
            if len(job.running) != 1 or now - job.began < late or job.future.done():
                continue
            endpoint = self._choose(job)
            if endpoint:
                self.hedged += 1
                self._send(job, endpoint)
