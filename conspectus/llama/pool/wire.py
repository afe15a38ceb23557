"""One call on the wire: the JSON that is sent, and the stream of server-sent events that comes back."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conspectus.llama.contract import Completion, Finish, Message, Request
from conspectus.llama.pool.faults import Fault, Kind, from_error
from conspectus.llama.pool.lines import grammar, is_looping, line_characters, read_lines
from conspectus.llama.template import strip_thinking

# Servers read control tokens in the text of a prompt too, so a document could end its own message (llama.cpp#24382,
# #26273). A space inside takes their meaning away. The embedded engine needs none of this.
_CONTROL = re.compile(
    r"<(?=[|｜][^<>]{1,60}[|｜]>|/?s>|/?think>|/?(?:bos|eos|pad|unk)>"
    r"|(?:start|end)_of_(?:turn|image|text)>|/?(?:tool_call|tool_response|SYS)>|<SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS)\])"
)
_MOST_BYTES = 8 * 1024 * 1024  # of one answer; a stream without an end must not fill the memory


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands: with `llama` llama.cpp's own fields, with `extras` template switches and usage."""

    llama: bool
    model: str = ""
    extras: bool = True


def sendable(text: str) -> str:
    """The text without lone surrogates, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def chat_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages as they are sent and counted: control tokens in them are broken up."""
    return [{"role": m.role, "content": _CONTROL.sub(r"\g<0> ", sendable(m.content))} for m in messages]


def count_payload(messages: Sequence[Message], dialect: Dialect) -> dict[str, Any]:
    """What decides the rendered prompt, as `payload` sends it."""
    content: dict[str, Any] = {"messages": chat_messages(messages)}
    if dialect.extras:
        content["chat_template_kwargs"] = {"enable_thinking": False}
    if dialect.model:
        content["model"] = dialect.model
    return content


def payload(request: Request, dialect: Dialect) -> dict[str, Any]:
    """The body of the call: streamed, thinking off; for llama.cpp with its grammar, or one for the forced lines."""
    content = count_payload(request.messages, dialect)
    content |= {"max_tokens": request.max_tokens, "temperature": request.temperature, "stream": True}
    if request.temperature > 0:
        content["seed"] = request.seed
    if dialect.extras:
        content["stream_options"] = {"include_usage": True}
    if dialect.llama:
        # Penalties change greedy answers too, and a server may have them on by its own settings.
        content |= {"cache_prompt": True, "return_progress": True, "repeat_penalty": 1.0, "dry_multiplier": 0.0}
        content |= {"presence_penalty": 0.0, "frequency_penalty": 0.0}
        if request.forced or request.grammar:
            content["grammar"] = request.grammar or grammar(request.forced, bound_of(request))
    return content


def bound_of(request: Request) -> int:
    """Characters of one forced line."""
    return line_characters(request.line_tokens or request.max_tokens, request.messages[-1].content)


@dataclass(slots=True)
class Incoming:
    """An answer as it comes in. `feed` takes the bytes of the stream; `done` is set by its proper end.

    `model` and `build` are what the server says of itself with each answer. Raises Fault for what is no such stream.
    """

    done: bool = False
    looping: bool = False
    finish: str = ""
    model: str = ""
    build: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    prompt_seen: int = 0
    pieces: int = 0
    _content: list[str] = field(default_factory=list)
    _has_reasoning: bool = False
    _buffer: bytes = b""
    _size: int = 0

    @property
    def text(self) -> str:
        """The answer so far, without reasoning."""
        return strip_thinking("".join(self._content)).strip()

    @property
    def is_reasoning_only(self) -> bool:
        """True where something was generated, none of it an answer."""
        return not self.text and (self._has_reasoning or bool(self._content))

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes. Lines end at a line feed only: text may hold other line separators."""
        self._size += len(chunk)
        if self._size > _MOST_BYTES:
            raise Fault(Kind.BROKEN, "its answer does not end")
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._take(line.strip())

    def _take(self, line: bytes) -> None:
        name, colon, value = line.partition(b":")
        if not line or not colon or name in (b"", b"event", b"id", b"retry"):
            if line and not colon:
                raise Fault(Kind.BROKEN, "it answers something that is no stream of events")
            return
        if name not in (b"data", b"error"):
            raise Fault(Kind.BROKEN, "it answers something that is no stream of events")
        value = value.strip()
        if value == b"[DONE]":
            self.done = True
            return
        try:
            event = json.loads(value)
        except ValueError as error:
            raise Fault(Kind.BROKEN, "it answers garbage") from error
        if not isinstance(event, dict):
            raise Fault(Kind.BROKEN, "it answers garbage")
        if name == b"error" or "error" in event:
            found = event.get("error", event)
            raise from_error(found if isinstance(found, dict) else {"message": str(found)})
        self._event(event)

    def _event(self, event: dict[str, Any]) -> None:
        self.model = _string(event.get("model")) or self.model
        self.build = _string(event.get("system_fingerprint")) or self.build
        self._numbers(event)
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        delta = choices[0].get("delta")
        if isinstance(delta, dict):
            piece = _string(delta.get("content"))
            if piece:
                self._content.append(piece)
                self.pieces += 1
                if "\n" in piece:
                    self.looping = is_looping("".join(self._content))
            if _string(delta.get("reasoning_content")) or _string(delta.get("reasoning")):
                self._has_reasoning = True
                self.pieces += 1
        self.finish = _string(choices[0].get("finish_reason")) or self.finish

    def _numbers(self, event: dict[str, Any]) -> None:
        usage, timings, progress = (_dict(event.get(name)) for name in ("usage", "timings", "prompt_progress"))
        details = _dict(usage.get("prompt_tokens_details"))
        self.prompt_tokens = _number(usage.get("prompt_tokens")) or self.prompt_tokens
        self.generated_tokens = _number(usage.get("completion_tokens")) or self.generated_tokens
        self.cached_tokens = (
            _number(details.get("cached_tokens")) or _number(timings.get("cache_n")) or self.cached_tokens
        )
        self.prompt_seen = _number(progress.get("processed")) or self.prompt_seen

    def completion(self, request: Request, counted: int, seconds: float, finish: Finish | None = None) -> Completion:
        """The answer as the rest of the program knows it; `counted` stands in where the server tells no tokens.

        `finish` is given where we ended it. A line is cut where it was the last one of an answer that did not end by
        itself, or filled the grammar's bound.
        """
        if finish is None:
            finish = Finish.LENGTH if self.finish == "length" else Finish.STOP
        text = self.text
        lines = read_lines(text, request.forced) if request.forced else (text,)
        cut = {len(lines) - 1} if finish is not Finish.STOP and lines else set()
        if request.forced:
            cut |= {place for place, line in enumerate(lines) if len(line) >= bound_of(request) - 1}
        return Completion(
            lines=lines,
            finish=finish,
            prompt_tokens=self.prompt_tokens or counted,
            cached_tokens=min(self.cached_tokens, self.prompt_tokens),
            generated_tokens=self.generated_tokens or self.pieces,
            seconds=seconds,
            cut=tuple(sorted(cut)),
        )


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
