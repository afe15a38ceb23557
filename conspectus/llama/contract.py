"""What a model is to the rest of the program: token counts and completions, nothing else."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Literal, Protocol


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"  # the model ended it, or every forced line was answered
    LENGTH = "length"  # max_tokens was used up
    DEADLINE = "deadline"  # the request's seconds were used up
    LOOP = "loop"  # the model repeated itself and was stopped


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message. `content` is data: it is tokenised with special tokens off."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One model call, complete in itself: equal requests to equal models may share an answer.

    `forced` holds the starts of the lines the answer must have (`"3: "`): the engine feeds their tokens, less the last
    space, and lets the model write only the rest of each line, at most `line_tokens` tokens each. Without `forced` the
    answer is free text. `max_tokens` bounds the whole answer, forced tokens included. `deadline_s` bounds its seconds
    once it runs and is no part of `key`.

    The likeliest token is taken at each place, unless `temperature` is above 0: then `seed` makes the choice
    repeatable. `grammar` (GBNF with a rule `root`) bounds what may be written; forcing is cheaper where it will do.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    forced: tuple[str, ...] = ()
    line_tokens: int = 0
    deadline_s: float = 600.0
    temperature: float = 0.0
    seed: int = 0
    grammar: str = ""

    def key(self, fingerprint: str) -> str:
        """sha256 (hex) over all that decides the answer: messages, limits, forcing and the model's `fingerprint`."""
        content = asdict(self)
        del content["deadline_s"]
        for name in ("temperature", "seed", "grammar"):
            if not content[name]:
                # Keys of plain requests stay what they were before there was a choice.
                del content[name]
        content["model"] = fingerprint
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Completion:
    """The raw answer to one request.

    `lines` has one entry for each forced line, without its forced start (shorter than `forced` where the answer ended
    early), or the free answer as a single entry. `cut` has the places of the lines that did not end by themselves: at
    their share of tokens, or in a loop. `prompt_tokens` counts the rendered prompt, `cached_tokens` those of them that
    were still in the context from other calls. `seconds` is the time in which it ran, beside others or alone.
    """

    lines: tuple[str, ...]
    finish: Finish
    prompt_tokens: int
    cached_tokens: int
    generated_tokens: int
    seconds: float
    cut: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What the rest of the program may know of a model.

    `fingerprint` is the sha256 of the model file with the engine settings that change answers. `context` is the number
    of tokens of one sequence (prompt + answer), `slots` how many requests run at the same time.
    """

    name: str
    fingerprint: str
    context: int
    slots: int


class Model(Protocol):
    """A loaded model. Implementations are thread-safe."""

    @property
    def info(self) -> ModelInfo:
        """Facts about the model; waits until its vocabulary is loaded.

        Raises ModelError where the file cannot be used.
        """
        ...

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt, chat template and generation prompt included."""
        ...

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, tokenised as document text (special tokens off)."""
        ...

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        """Answers in the order of the requests; `progress(prompt_tokens, generated_tokens)` is called meanwhile.

        Raises EngineError for a call that failed, ModelError where the model cannot be used at all. A request whose
        prompt and max_tokens exceed the context is refused before anything is decoded, never cut.
        """
        ...

    def close(self) -> None:
        """Ends the engine; running calls end with EngineError."""
        ...
