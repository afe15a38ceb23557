"""One server of a pool: its connection, what it may be given, whether it is trusted. Lives in the pool's event loop."""

import asyncio
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import httpx

from conspectus.errors import UsageError
from conspectus.llama.contract import Completion, Finish, Message, Request
from conspectus.llama.pool.address import Address
from conspectus.llama.pool.facts import ServerFacts, read_facts
from conspectus.llama.pool.faults import Fault, Kind, from_answer, from_transport
from conspectus.llama.pool.settings import PoolSettings
from conspectus.llama.pool.wire import Dialect, Incoming, count_payload, payload, sendable

_ENOUGH_GOOD = 8  # answers in a row before a lowered limit is raised by one
_MOST_BAD = 3  # failures in a row before a server must prove itself
# cpp-httplib closes an idle connection after five seconds; one that we would use just then is lost.
_KEEPALIVE_S = 3.0


class State(StrEnum):
    """Whether a server gets work."""

    NEW = "new"  # not asked yet
    UP = "up"
    OUT = "out"  # failed; it gets work again after a tiny completion went well
    SHUT = "shut"  # for good: another model, or a key that it refuses


@dataclass(slots=True)
class Figures:
    """What a server has done, for the report of a run."""

    calls: int = 0
    answers: int = 0
    faults: dict[Kind, int] = field(default_factory=dict)
    outages: int = 0


class Endpoint:
    """A server. All methods belong to one event loop.

    `limit` is the number of requests it may have at once: its slots, or fewer after it was crowded. `budget` is the sum
    of tokens that they may need together: known only after a server with one context for all slots overflowed
    (llama.cpp#23652).
    """

    def __init__(self, address: Address, settings: PoolSettings, note: Callable[[str], None]) -> None:
        self.address = address
        self.settings = settings
        self.state = State.NEW
        self.why: Fault | None = None
        self.facts: ServerFacts | None = None
        self.limit = 0
        self.budget: int | None = None
        self.in_flight = 0
        self.needed = 0
        self.figures = Figures()
        self.verified = 0.0
        self.pace = 0.0  # seconds for one generated token, lately
        self.answers_as = ""  # the model that its answers name
        self._note = note
        self._bad = 0
        self._good = 0
        self._cooldown = settings.cooldown_s
        self._extras = True
        self._client: httpx.AsyncClient | None = None

    @property
    def context(self) -> int:
        """Tokens of one request."""
        return self.facts.context if self.facts else 0

    def has_room(self, need: int) -> bool:
        """Whether a request of `need` tokens may be sent now."""
        if self.state is not State.UP or self.in_flight >= self.limit or need > self.context:
            return False
        return self.budget is None or not self.in_flight or self.needed + need <= self.budget

    async def open(self) -> ServerFacts:
        """Asks the server what it is and proves it by a tiny completion. Raises Fault, UsageError."""
        self.facts = await read_facts(self.client(), self.address.model, self.settings, self._note)
        self.verified = time.monotonic()
        ping = Request((Message("user", "Say: yes"),), max_tokens=4)
        incoming = await self._stream(ping, time.monotonic() + self.settings.probe_s, lambda *_: None)
        if not incoming.pieces and not incoming.generated_tokens:
            raise Fault(Kind.BROKEN, "it generates nothing")
        return self.facts

    async def verify(self) -> ServerFacts:
        """Asks the server again what it is. Raises Fault."""
        facts = await read_facts(self.client(), self.address.model, self.settings, self._note)
        self.verified = time.monotonic()
        return facts

    async def ask(
        self, request: Request, counted: int, deadline: float, progress: Callable[[int, int], None]
    ) -> Completion:
        """The answer to one request; at the `deadline` (monotonic) what came until then. Raises Fault."""
        begun = time.monotonic()
        incoming = Incoming()
        try:
            await self._stream(request, deadline, progress, incoming)
        except TimeoutError:
            return incoming.completion(request, counted, time.monotonic() - begun, Finish.DEADLINE)
        seconds = time.monotonic() - begun
        if incoming.looping:
            return incoming.completion(request, counted, seconds, Finish.LOOP)
        if not incoming.text:
            what = "it only reasoned and gave no answer" if incoming.is_reasoning_only else "it gave an empty answer"
            raise Fault(Kind.EMPTY, what)
        if incoming.generated_tokens:
            self.pace = 0.8 * self.pace + 0.2 * seconds / incoming.generated_tokens
        return incoming.completion(request, counted, seconds)

    async def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt by the server's own template and tokenizer (llama.cpp only). Raises Fault."""
        content = count_payload(messages, self._dialect())
        found = await self._post("/v1/chat/completions/input_tokens", content)
        if found is not None and isinstance(found.get("input_tokens"), int):
            return int(found["input_tokens"])
        prompt = (await self._post("/apply-template", content) or {}).get("prompt")
        if not isinstance(prompt, str):
            raise Fault(Kind.BROKEN, "it cannot count tokens")
        return await self._tokens(prompt, special=True)

    async def count_text(self, text: str) -> int:
        """Tokens of a text alone, special tokens off (llama.cpp only). Raises Fault."""
        return await self._tokens(text, special=False)

    def client(self) -> httpx.AsyncClient:
        """The connection; a fresh one after the server failed. Raises UsageError where the CA file is unusable."""
        if self._client is None:
            settings = self.settings
            key = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
            self._client = httpx.AsyncClient(
                base_url=self.address.base,
                headers={**key, "User-Agent": "conspectus"},
                verify=_trust(settings),
                # The environment may name a proxy; what is meant for this machine must not leave it.
                trust_env=not self.address.is_loopback,
                follow_redirects=False,
                timeout=httpx.Timeout(settings.probe_s, connect=settings.connect_s, pool=None),
                limits=httpx.Limits(max_connections=None, keepalive_expiry=_KEEPALIVE_S),
            )
        return self._client

    async def close(self) -> None:
        """Ends the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def admit(self, facts: ServerFacts) -> None:
        """Gives it work from now on."""
        self.facts, self.state, self.why = facts, State.UP, None
        self.limit = facts.slots if not self.limit else max(1, min(self.limit, facts.slots))
        self._bad = 0

    def shut(self, fault: Fault) -> None:
        """Gives it no work any more."""
        self.state, self.why = State.SHUT, fault

    def went_well(self) -> None:
        """Notes a good answer."""
        self.figures.answers += 1
        self._bad = 0
        self._good += 1
        self._cooldown = self.settings.cooldown_s
        if self.facts and self.limit < self.facts.slots and self._good >= _ENOUGH_GOOD:
            self._good = 0
            self.limit += 1

    def went_wrong(self, fault: Fault) -> bool:
        """Notes a failure; true where the server must prove itself before it gets more work."""
        self.figures.faults[fault.kind] = self.figures.faults.get(fault.kind, 0) + 1
        self._good = 0
        if fault.kind is Kind.CROWDED:
            self.limit = max(1, min(self.limit, self.in_flight) - 1)
            if "overflowed" in fault.text and self.facts:
                self.budget = self.facts.context
            return False
        if fault.kind in (Kind.TOO_LONG, Kind.REFUSED, Kind.EMPTY):
            return False
        self._bad += 1
        if self.state is not State.UP or (fault.kind is Kind.BROKEN and self._bad < _MOST_BAD):
            return False
        self.state, self.why = State.OUT, fault
        self.figures.outages += 1
        return True

    def cooldown(self) -> float:
        """Seconds until it may be tried again; twice as long the next time."""
        if self.why and self.why.kind is Kind.LOADING:
            return min(1.0, self._cooldown * 2)
        now, self._cooldown = self._cooldown, min(self._cooldown * 2, self.settings.cooldown_most_s)
        return now

    def _dialect(self) -> Dialect:
        assert self.facts is not None
        model = self.address.model if self.facts.is_llama else self.facts.name
        return Dialect(self.facts.is_llama, model, self._extras)

    async def _stream(
        self,
        request: Request,
        deadline: float,
        progress: Callable[[int, int], None],
        incoming: Incoming | None = None,
    ) -> Incoming:
        """Sends the request and reads its stream. Raises Fault; TimeoutError at the deadline."""
        incoming = incoming if incoming is not None else Incoming()
        loop = asyncio.get_running_loop()
        last = deadline - time.monotonic() + loop.time()
        self.figures.calls += 1
        try:
            async with asyncio.timeout_at(min(last, loop.time() + self.settings.first_byte_s)) as limit:
                await self._read_lenient(request, incoming, progress, lambda: limit.reschedule(
                    min(last, loop.time() + self.settings.silence_s)
                ))  # fmt: skip
        except TimeoutError as error:
            if loop.time() >= last:
                raise
            raise Fault(Kind.SILENT, "it fell silent in the middle of a call") from error
        except httpx.HTTPError as error:
            raise from_transport(error) from error
        self._same_model(incoming)
        return incoming

    async def _read_lenient(
        self,
        request: Request,
        incoming: Incoming,
        progress: Callable[[int, int], None],
        heard: Callable[[], None],
    ) -> None:
        try:
            await self._read(request, incoming, progress, heard)
        except Fault as fault:
            dialect = self._dialect()
            if fault.kind is not Kind.REFUSED or dialect.llama or not dialect.extras:
                raise
            # Strict servers refuse fields that they do not know.
            self._extras = False
            await self._read(request, incoming, progress, heard)

    async def _read(
        self,
        request: Request,
        incoming: Incoming,
        progress: Callable[[int, int], None],
        heard: Callable[[], None],
    ) -> None:
        body = payload(request, self._dialect())
        async with self.client().stream("POST", "/v1/chat/completions", json=body, timeout=self._timeout()) as response:
            if response.status_code != 200:
                raise from_answer(response.status_code, await response.aread())
            async for chunk in response.aiter_bytes():
                heard()
                incoming.feed(chunk)
                progress(incoming.prompt_seen or incoming.prompt_tokens, incoming.generated_tokens or incoming.pieces)
                if incoming.done or incoming.looping:
                    return
        incoming.feed(b"\n")
        if not incoming.finish:
            raise Fault(Kind.BROKEN, "it closed the connection in the middle of an answer")

    def _timeout(self) -> httpx.Timeout:
        # Silence is watched by `_stream`, which knows the deadline too.
        return httpx.Timeout(None, connect=self.settings.connect_s)

    def _same_model(self, incoming: Incoming) -> None:
        """What an answer says of its server must be what the server said of itself. Raises Fault."""
        facts = self.facts
        if facts is None:
            return
        other_build = facts.is_llama and facts.build and incoming.build and incoming.build != facts.build
        if other_build:
            raise Fault(Kind.CHANGED, "another program answers than at the start")
        if not self.answers_as:
            self.answers_as = incoming.model
        elif incoming.model and incoming.model != self.answers_as:
            raise Fault(Kind.CHANGED, f"{incoming.model[:80]!r} answers instead of {self.answers_as[:80]!r}")

    async def _tokens(self, text: str, *, special: bool) -> int:
        body: dict[str, Any] = {"content": sendable(text), "add_special": special, "parse_special": special}
        if self.address.model:
            body["model"] = self.address.model
        found = await self._post("/tokenize", body)
        tokens = (found or {}).get("tokens")
        if not isinstance(tokens, list):
            raise Fault(Kind.BROKEN, "it cannot count tokens")
        return len(tokens)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The JSON object that comes back; None where the server knows no such path. Raises Fault."""
        try:
            response = await self.client().post(path, json=body)
        except httpx.HTTPError as error:
            raise from_transport(error) from error
        if response.status_code in (404, 501):
            return None
        if response.status_code != 200:
            raise from_answer(response.status_code, response.content)
        try:
            content = response.json()
        except ValueError as error:
            raise Fault(Kind.BROKEN, "it answers garbage") from error
        return content if isinstance(content, dict) else None


def _trust(settings: PoolSettings) -> ssl.SSLContext | bool:
    if settings.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=str(settings.ca_file))
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"{settings.ca_file}: no certificates can be read from it", "Name a PEM file with --ca-file"
        ) from error
