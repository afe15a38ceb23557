"""Token counts by the servers of a pool, remembered; for servers that cannot count, an estimate from above."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from conspectus.llama.contract import Message
from conspectus.llama.pool.endpoint import Endpoint, State
from conspectus.llama.pool.faults import Fault, Kind
from conspectus.llama.pool.jobs import error_of, gone
from conspectus.llama.pool.settings import PoolSettings

_AT_ONCE = 8  # questions to one server
_TRIES = 6
_REMEMBERED = 200_000
_MESSAGE_TOKENS = 8  # what a chat template puts around a message
T = TypeVar("T")


def estimate(text: str) -> int:
    """Tokens of a text from above, for a server that cannot count: marked as an estimate by the pool.

    Half a token for an ASCII byte, two for three other bytes (one Chinese character). Tokenizers of today take about a
    quarter and one; rows of odd signs can take more, so the server's own count is compared after each call.
    """
    narrow = sum(1 for character in text if character < "\x80")
    wide = len(text.encode("utf-8", "replace")) - narrow
    return (narrow + 1) // 2 + (2 * wide + 2) // 3


def estimate_messages(messages: Sequence[Message]) -> int:
    """Tokens of a rendered prompt from above."""
    return sum(estimate(message.content) + _MESSAGE_TOKENS for message in messages) + 2 * _MESSAGE_TOKENS


class Counter:
    """Counts in the event loop of the pool. What was counted once is not asked again."""

    def __init__(self, endpoints: Sequence[Endpoint], settings: PoolSettings) -> None:
        self._endpoints = endpoints
        self._settings = settings
        self._known: OrderedDict[str, int] = OrderedDict()
        self._gates = {endpoint: asyncio.Semaphore(_AT_ONCE) for endpoint in endpoints}
        self._turn = 0

    @property
    def is_exact(self) -> bool:
        """Whether the servers count by their own tokenizer."""
        return all(e.facts.is_llama for e in self._endpoints if e.facts)

    async def prompt(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt. Raises EngineError where no server answers."""
        if not self.is_exact:
            return estimate_messages(messages)
        key = _key("chat", *(part for message in messages for part in (message.role, message.content)))
        return await self._remembered(key, lambda endpoint: endpoint.count(messages))

    async def prompts(self, many: Sequence[Sequence[Message]]) -> list[int]:
        """The same for many prompts."""
        return list(await asyncio.gather(*(self.prompt(messages) for messages in many)))

    async def texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, special tokens off. Raises EngineError where no server answers."""
        if not self.is_exact:
            return [estimate(text) for text in texts]
        return list(await asyncio.gather(*(self._text(text) for text in texts)))

    async def _text(self, text: str) -> int:
        return await self._remembered(_key("text", text), lambda endpoint: endpoint.count_text(text))

    async def _remembered(self, key: str, ask: Callable[[Endpoint], Awaitable[int]]) -> int:
        if key not in self._known:
            self._known[key] = await self._anywhere(ask)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    async def _anywhere(self, ask: Callable[[Endpoint], Awaitable[T]]) -> T:
        """The answer of whichever server gives one."""
        began, attempt, failed = time.monotonic(), 0, 0
        while True:
            up = [e for e in self._endpoints if e.state is State.UP] or [
                e for e in self._endpoints if e.state is not State.SHUT
            ]
            if not up:
                raise gone(self._endpoints, self._settings)
            self._turn += 1
            endpoint = up[self._turn % len(up)]
            try:
                async with self._gates[endpoint]:
                    return await ask(endpoint)
            except Fault as fault:
                attempt += 1
                failed += fault.kind not in (Kind.UNREACHABLE, Kind.LOADING)
                waited = time.monotonic() - began
                patience = self._settings.loading_s if fault.kind is Kind.LOADING else self._settings.patience_s
                if failed >= _TRIES or (attempt >= _TRIES and not failed and waited >= patience):
                    raise error_of(endpoint.address, fault, self._settings) from None
            # Long enough for a server that starts again; others are asked at once.
            pause = 0.1 * 2 ** min(attempt - 1, _TRIES)
            await asyncio.sleep(pause if len(up) == 1 or attempt > len(up) else 0.01)


def _key(*parts: str) -> str:
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.hexdigest()
