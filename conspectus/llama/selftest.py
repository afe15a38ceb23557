"""Whether this model may be decoded several sequences at a time: some cannot (llama.cpp#29002), and nothing warns."""

from collections.abc import Callable, Sequence

import numpy as np

from conspectus.llama.answer import Answer
from conspectus.llama.batch import Tokens
from conspectus.llama.contract import Finish
from conspectus.llama.engine import Engine
from conspectus.llama.work import Work

TOKENS = 16
COPIES = 4
# Repeated until any language model goes on with it: no near ties between words, whatever the model knows.
TEXT = "The tenant shall pay the rent on the first day of each month.\n" * 4


class Probe:
    """An answer that takes the first tokens, whatever they are."""

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self.taken: list[int] = []
        self._queue: list[int] = []

    @property
    def used(self) -> int:
        """Tokens taken."""
        return len(self.taken)

    def feed(self) -> list[int]:
        """The token to decode next."""
        queue, self._queue = self._queue, []
        return queue

    def accept(self, token: int) -> None:
        """Takes a token."""
        self.taken.append(token)
        self._queue = [token]
        if len(self.taken) >= TOKENS:
            self.finish = Finish.LENGTH

    def lines(self) -> tuple[str, ...]:
        """No text."""
        return ()

    def cut(self) -> tuple[int, ...]:
        """Nothing."""
        return ()


def batches_well(engine: Engine, prompt: Sequence[int], copies: int = COPIES) -> bool:
    """True where `copies` equal requests, decoded at once, each give the first tokens of one decoded alone.

    `engine` must be idle; it is left empty. Takes two times sixteen steps.
    """
    tokens = np.array(prompt, dtype=np.int32)
    (alone,) = _answers(engine, tokens, 1)
    engine.forget()
    together = _answers(engine, tokens, min(copies, engine.width))
    engine.forget()
    return len(alone) == TOKENS and all(answer == alone for answer in together)


def _answers(engine: Engine, prompt: Tokens, copies: int) -> list[list[int]]:
    probes: list[Probe] = []
    make = _keep(probes)
    for _ in range(copies):
        engine.add(Work(prompt, make, lambda: False))
    engine.run_quietly()
    return [probe.taken for probe in probes]


def _keep(probes: list[Probe]) -> Callable[[], Answer]:
    def make() -> Answer:
        probes.append(Probe())
        return probes[-1]

    return make
