"""How one answer grows, token by token: what is fed, what is kept, when it ends. Knows nothing of llama.cpp."""

import codecs
from typing import Protocol

from conspectus.llama.contract import Finish
from conspectus.llama.template import strip_thinking

THOUGHT_ONLY = "<think>"
_THINK, _THINK_END = b"<think>", b"</think>"
# At most this part of an answer's tokens may be thinking: 1 / _THINK_SHARE.
_THINK_SHARE = 2
_LOOP_TOKENS = 12
_LOOP_TIMES = 3


class Vocabulary(Protocol):
    """What an answer must know of the model's tokens."""

    @property
    def newline(self) -> list[int]:
        """The tokens of a line break."""
        ...

    @property
    def thought_end(self) -> list[int]:
        """The tokens that end a model's thinking."""
        ...

    def tokens(self, text: str) -> list[int]:
        """The tokens of `text`, special tokens off."""
        ...

    def piece(self, token: int) -> bytes:
        """The bytes that `token` stands for; nothing for a control token."""
        ...

    def ends(self, token: int) -> bool:
        """True for every end-of-generation token."""
        ...


class Answer(Protocol):
    """An answer being written. The engine takes `feed()`, decodes it, and gives the next token to `accept()`.

    `finish` is set once the answer is complete; `used` counts the tokens of the answer, forced ones included, and never
    exceeds max_tokens by what stands in the context.
    """

    finish: Finish | None

    @property
    def used(self) -> int:
        """Tokens of the answer so far."""
        ...

    def feed(self) -> list[int]:
        """The tokens to decode before the next one is chosen."""
        ...

    def accept(self, token: int) -> None:
        """Takes the chosen token."""
        ...

    def lines(self) -> tuple[str, ...]:
        """The text so far, as `Completion.lines` wants it."""
        ...

    def cut(self) -> tuple[int, ...]:
        """The places of the lines that did not end by themselves."""
        ...


def new_answer(vocabulary: Vocabulary, max_tokens: int, forced: tuple[str, ...], line_tokens: int) -> Answer:
    """An empty answer: one with forced line starts, or free text where there are none. Limits are in tokens."""
    if forced:
        return _ForcedAnswer(vocabulary, max_tokens, forced, line_tokens)
    return _FreeAnswer(vocabulary, max_tokens)


class _FreeAnswer:
    def __init__(self, vocabulary: Vocabulary, max_tokens: int) -> None:
        self.finish: Finish | None = None if max_tokens > 0 else Finish.LENGTH
        self.used = 0
        self._vocabulary = vocabulary
        self._max_tokens = max_tokens
        self._queue: list[int] = []
        self._bytes = bytearray()
        self._loop = _LoopGuard()
        self._thought = 0  # tokens of thinking so far
        self._may_think = True

    def feed(self) -> list[int]:
        queue, self._queue = self._queue, []
        return queue

    def accept(self, token: int) -> None:
        self.used += 1
        if self._vocabulary.ends(token):
            self.finish = Finish.STOP
            return
        piece = self._vocabulary.piece(token)
        self._bytes += piece
        self._queue = [token]
        if self._loop.repeats(token, piece):
            self.finish = Finish.LOOP
        elif self.used >= self._max_tokens:
            self.finish = Finish.LENGTH
        elif self._may_think:
            self._bound_thinking()

    def _bound_thinking(self) -> None:
        """Ends the thinking of a model that cannot switch it off, while there is still room for its answer."""
        start = bytes(self._bytes[: len(_THINK)])
        if start != _THINK:
            # Thinking comes first or not at all.
            self._may_think = len(start) < len(_THINK) and _THINK.startswith(start)
        elif _THINK_END in self._bytes:
            self._may_think = False
        else:
            self._thought += 1
            ending = self._vocabulary.thought_end
            if self._thought * _THINK_SHARE >= self._max_tokens and self.used + len(ending) < self._max_tokens:
                self._queue += ending
                self.used += len(ending)
                self._bytes += _THINK_END
                self._may_think = False

    def lines(self) -> tuple[str, ...]:
        return (_text(self._bytes),)

    def cut(self) -> tuple[int, ...]:
        return () if self.finish is Finish.STOP else (0,)


class _ForcedAnswer:
    def __init__(self, vocabulary: Vocabulary, max_tokens: int, forced: tuple[str, ...], line_tokens: int) -> None:
        self.finish: Finish | None = None
        self.used = 0
        self._vocabulary = vocabulary
        self._max_tokens = max_tokens
        self._forced = forced
        self._line_tokens = line_tokens or max_tokens
        self._queue: list[int] = []
        self._done: list[str] = []
        self._line = bytearray()
        self._line_used = 0
        self._cut: list[int] = []
        self._loop = _LoopGuard()
        self._open_line()

    def feed(self) -> list[int]:
        queue, self._queue = self._queue, []
        return queue

    def accept(self, token: int) -> None:
        self.used += 1
        self._line_used += 1
        if self._vocabulary.ends(token):
            self._break_line(self._vocabulary.newline)
            return
        head, newline, tail = self._vocabulary.piece(token).partition(b"\n")
        self._line += head
        if not newline:
            self._queue = [token]
            if self.used >= self._max_tokens:
                self._cut.append(len(self._done))
                self._finish_line()
                self.finish = Finish.LENGTH
            elif self._loop.repeats(token, head) or self._line_used >= self._line_tokens:
                self._cut.append(len(self._done))
                self._break_line(self._vocabulary.newline)
        elif tail:
            # The token runs on past the line break; what is dropped must not stand in the context either.
            kept = self._vocabulary.tokens(head.decode("utf-8", "ignore")) if head else []
            self._break_line([*kept, *self._vocabulary.newline])
        else:
            self._queue = [token]
            self._break_line([])

    def lines(self) -> tuple[str, ...]:
        open_line = (_text(self._line),) if self._line else ()
        return (*self._done, *open_line)

    def cut(self) -> tuple[int, ...]:
        return (*self._cut, *((len(self._done),) if self._line else ()))

    def _break_line(self, ending: list[int]) -> None:
        self._finish_line()
        if len(self._done) == len(self._forced):
            self.finish = Finish.STOP
            return
        self._queue += ending
        self.used += len(ending)
        self._open_line()

    def _finish_line(self) -> None:
        self._done.append(_text(self._line))
        self._line = bytearray()
        self._line_used = 0
        self._loop = _LoopGuard()

    def _open_line(self) -> None:
        # Without its last space: a lone space token makes models write the number a second time, since in what they
        # learnt the space belongs to the next word's token.
        start = self._vocabulary.tokens(self._forced[len(self._done)].rstrip(" "))
        if self.used + len(start) >= self._max_tokens:
            self.finish = Finish.LENGTH
            return
        self._queue += start
        self.used += len(start)


class _LoopGuard:
    """Sees the same twelve tokens, or the same line, for the third time."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._spans: dict[tuple[int, ...], tuple[int, int]] = {}
        self._line = bytearray()
        self._lines: dict[bytes, int] = {}

    def repeats(self, token: int, piece: bytes) -> bool:
        return self._span_repeats(token) | self._line_repeats(piece)

    def _span_repeats(self, token: int) -> bool:
        self._tokens.append(token)
        if len(self._tokens) < _LOOP_TOKENS:
            return False
        span = tuple(self._tokens[-_LOOP_TOKENS:])
        times, last = self._spans.get(span, (0, -_LOOP_TOKENS))
        here = len(self._tokens)
        # Overlapping finds are one: a row of dashes is no loop before it is three spans long.
        if here - last < _LOOP_TOKENS and times:
            return False
        self._spans[span] = (times + 1, here)
        return times + 1 >= _LOOP_TIMES

    def _line_repeats(self, piece: bytes) -> bool:
        if b"\n" not in piece:
            self._line += piece
            return False
        *complete, rest = (bytes(self._line) + piece).split(b"\n")
        self._line = bytearray(rest)
        found = False
        for line in filter(None, map(bytes.strip, complete)):
            self._lines[line] = self._lines.get(line, 0) + 1
            found |= self._lines[line] >= _LOOP_TIMES
        return found


def _text(data: bytearray) -> str:
    # Not final: half a character at the place where an answer was cut is left out instead of shown as a mark.
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(data))
    answer = strip_thinking(text).strip()
    # What a model thought is never kept, but that it did nothing else is: an empty answer has other causes.
    return THOUGHT_ONLY if not answer and _THINK in data.lstrip() else answer
