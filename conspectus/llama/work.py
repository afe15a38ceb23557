"""What the scheduler of many requests deals with: requests, the native side, the shape of the context, its pace."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from conspectus.llama.answer import Answer
from conspectus.llama.batch import Batch, Tokens


class Sampling(Protocol):
    """A way to choose tokens that needs the logits themselves."""

    def choose(self, logits: npt.NDArray[np.float32]) -> int:
        """The next token."""
        ...

    def close(self) -> None:
        """Frees what it holds."""
        ...


class Decoder(Protocol):
    """The native side: one batch at a time, sequences that can be copied, cut and emptied. See `Context`."""

    batch: Batch
    step: int
    can_trim: bool

    def decode(self) -> int:
        """Computes the batch; returns llama_decode's code."""
        ...

    def decode_until(self, due: Callable[[], bool]) -> int:
        """Like `decode`, ended early with code 2 once `due` says so."""
        ...

    def best(self) -> npt.NDArray[np.int64]:
        """The likeliest token for each output of the last batch; -1 where there is none."""
        ...

    def logits(self, outputs: int) -> npt.NDArray[np.float32]:
        """One row for each output of the last batch."""
        ...

    def copy(self, source: int, target: int) -> None:
        """Makes `target` the same text as `source`."""
        ...

    def trim(self, sequence: int, size: int) -> bool:
        """Cuts a sequence to `size` tokens; false where it cannot."""
        ...

    def clear(self) -> None:
        """Empties all sequences."""
        ...


@dataclass(slots=True, eq=False)
class Work:
    """One request. `due` says that it must end (its deadline or a cancellation); `alone`: nothing may run beside it.

    `head`: how many tokens of the prompt stand before what is said in this request alone; others may begin so too.
    `new_sampling` makes what chooses its tokens, where the likeliest one will not do; it may raise ValueError.
    At its end `error` is None, or says what failed; `stopped` is true where `due` ended it.
    """

    prompt: Tokens
    new_answer: Callable[[], Answer]
    due: Callable[[], bool]
    alone: bool = False
    head: int = 0
    new_sampling: Callable[[], Sampling] | None = None
    sampling: Sampling | None = field(init=False, default=None)
    answer: Answer = field(init=False)
    cached: int = 0
    stopped: bool = False
    error: str | None = None
    retryable: bool = False
    attempts: int = 0
    pending: Tokens = field(init=False)
    prefilled: int = 0

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forgets what was answered so far."""
        self.answer = self.new_answer()
        self.prefilled = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """What the scheduler must know of the context.

    `slots` sequences of up to `context` tokens each. `unified`: they share one buffer of cells. `joins`: a prompt's
    last token goes into the common step of all sequences, so that its own steps need no waiting (GPU); otherwise each
    prompt's tokens are decoded in steps of its own, which makes its numbers independent of the others' (CPU).
    """

    slots: int
    context: int
    unified: bool
    joins: bool


class Pace:
    """Tokens per second since the last look."""

    def __init__(self) -> None:
        self._last = (time.monotonic(), 0, 0)

    def look(self, prompt_tokens: int, generated_tokens: int) -> tuple[float, float]:
        """Prompt and generated tokens per second since the call before."""
        now = time.monotonic()
        then, prompt, generated = self._last
        self._last = (now, prompt_tokens, generated_tokens)
        seconds = max(now - then, 1e-6)
        return (prompt_tokens - prompt) / seconds, (generated_tokens - generated) / seconds
