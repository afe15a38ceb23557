"""A native side without a model: each next token follows from all that stands in the sequence, so a mistake shows."""

import hashlib
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from conspectus.llama.batch import Batch, Tokens
from conspectus.llama.contract import Finish

VOCABULARY = 50


def follows(tokens: Iterable[int]) -> int:
    """The token after these; any other history gives another one."""
    return hashlib.sha256(bytes(token % 256 for token in tokens)).digest()[0] % VOCABULARY


class Writing:
    """An answer of exactly `size` tokens."""

    def __init__(self, size: int) -> None:
        self.finish: Finish | None = None
        self.taken: list[int] = []
        self._size, self._queue = size, list[int]()

    @property
    def used(self) -> int:
        return len(self.taken)

    def feed(self) -> list[int]:
        queue, self._queue = self._queue, []
        return queue

    def accept(self, token: int) -> None:
        self.taken.append(token)
        self._queue = [token]
        if len(self.taken) >= self._size:
            self.finish = Finish.LENGTH

    def lines(self) -> tuple[str, ...]:
        return ()

    def cut(self) -> tuple[int, ...]:
        return ()


class FakeDecoder:
    """Keeps what stands in each sequence; a position that does not follow its last one is refused, as llama.cpp does.

    `codes` are returned by the next decodes in place of their work (0: do it); after 1 the memory is as before, after 2
    and below -1 a part of the batch may stand there.
    """

    def __init__(self, slots: int, step: int, context: int, *, can_trim: bool = True) -> None:
        self.batch = Batch(max(step, slots), slots)
        self.step = step
        self.can_trim = can_trim
        self.codes: list[int] = []
        self.during: Callable[[], None] = lambda: None
        self.decodes = 0
        self._context = context
        self._texts: list[list[int]] = [[] for _ in range(slots)]
        self._outputs: list[int] = []

    def decode(self) -> int:
        return self.decode_until(lambda: False)

    def decode_until(self, due: Callable[[], bool]) -> int:
        self.decodes += 1
        self.during()
        code = self.codes.pop(0) if self.codes else 0
        if code in (1, -1):
            return code
        batch, self._outputs = self.batch, []
        assert 0 < batch.size <= batch.capacity
        for i in range(batch.size):
            text = self._texts[batch.sequences[i]]
            if batch.positions[i] != len(text) or len(text) >= self._context:
                return -1
            if i >= batch.size // 2 and (code or due()):
                return code or 2
            text.append(int(batch.tokens[i]))
            if batch.outputs[i]:
                self._outputs.append(follows(text))
        return 0

    def best(self) -> npt.NDArray[np.int64]:
        return np.array(self._outputs, dtype=np.int64)

    def logits(self, outputs: int) -> npt.NDArray[np.float32]:
        raise NotImplementedError

    def copy(self, source: int, target: int) -> None:
        self._texts[target] = list(self._texts[source])

    def trim(self, sequence: int, size: int) -> bool:
        if size and not self.can_trim and size != len(self._texts[sequence]):
            return False
        self._texts[sequence] = self._texts[sequence][:size]
        return True

    def clear(self) -> None:
        for text in self._texts:
            text.clear()


def expected(prompt: Tokens, size: int) -> list[int]:
    """What the fake model answers to a prompt."""
    text, taken = prompt.tolist(), list[int]()
    for _ in range(size):
        taken.append(follows(text))
        text.append(taken[-1])
    return taken
