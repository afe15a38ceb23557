"""A scripted model: answers and failures come from a queue, then from a rule; it counts every call."""

import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from conspectus.errors import EngineError
from conspectus.llama import Completion, Finish, Message, ModelInfo, Request

Step = Completion | Exception | Callable[[Request], Completion]
_NUMBERED = re.compile(r"^\[(\d+)\] (.*)$", re.M)


def lines_of(request: Request) -> dict[int, str]:
    """The numbered texts that a prompt shows."""
    return {int(number): text for number, text in _NUMBERED.findall(request.messages[-1].content)}


def answer(request: Request, lines: Iterable[str], finish: Finish = Finish.STOP) -> Completion:
    """A completion with these lines."""
    return Completion(tuple(lines), finish, tokens("".join(m.content for m in request.messages)), 0, 7, 0.01)


def copied(request: Request) -> Completion:
    """Each forced line is the sentence it stands for, word for word."""
    shown = lines_of(request)
    return answer(request, [shown[int(start.rstrip(": "))] for start in request.forced])


def shortened(request: Request) -> Completion:
    """Each forced line is its sentence without a word that carries nothing: true, and no copy."""
    return answer(
        request,
        [
            re.sub(r"^(The|Each|Every|This) ", "", line, count=1).replace("shall", "must")
            for line in copied(request).lines
        ],
    )


def tokens(text: str) -> int:
    """A crude tokenizer that is not additive, as real ones are not: joined texts may need one token less."""
    return len(re.findall(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^A-Za-z0-9\s]", text)) + 1


class FakeModel:
    """The `Model` contract on a script. `asked` has every request that was completed or failed, in order."""

    def __init__(
        self,
        *script: Step,
        rule: Callable[[Request], Completion] = copied,
        context: int = 4096,
        slots: int = 1,
        fingerprint: str = "f" * 64,
    ) -> None:
        self.info = ModelInfo("fake", fingerprint, context, slots)
        self.asked: list[Request] = []
        self.closed = False
        self._script = deque(script)
        self._rule = rule
        self._lock = threading.Lock()

    def count(self, messages: Sequence[Message]) -> int:
        return sum(tokens(message.content) + 5 for message in messages) + 3

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        return [tokens(text) for text in texts]

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Completion:
        with self._lock:
            self.asked.append(request)
            step: Step = self._script.popleft() if self._script else self._rule
        if self.count(request.messages) + request.max_tokens > self.info.context:
            raise EngineError("over the context", retryable=False)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Completion) else step(request)

    def close(self) -> None:
        self.closed = True
