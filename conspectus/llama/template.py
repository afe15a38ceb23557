"""Chat messages to a prompt, by the model's own template, with the content kept apart from the scaffolding."""

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from conspectus.llama.contract import Message

# A template may print the date; a moving date would change every prompt, and with it every stored answer, each day.
_FROZEN_DATE = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a prompt. Only in a special one may the tokenizer read control tokens."""

    text: str
    is_special: bool


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt. `plain` is true where the model's template was missing or unusable."""

    pieces: tuple[Piece, ...]
    plain: bool

    @property
    def head(self) -> "Prompt":
        """What stands before the last text: the instructions, which other requests share. Empty where that is first."""
        texts = [place for place, piece in enumerate(self.pieces) if not piece.is_special]
        return Prompt(self.pieces[: texts[-1]] if texts else (), self.plain)


class ChatTemplate:
    """The chat template of one model, compiled once.

    `source` is the jinja text from the GGUF (None: the model has none), `bos` and `eos` the texts of these tokens.
    """

    def __init__(self, source: str | None, bos: str = "", eos: str = "") -> None:
        self._tokens = {"bos_token": bos, "eos_token": eos}
        self._template = None
        if source:
            try:
                self._template = _environment().from_string(source)
            except TemplateError:
                # What jinja cannot compile is handled like a missing template; the prompt says so by `plain`.
                self._template = None

    def render(self, messages: Sequence[Message]) -> Prompt:
        """The prompt for `messages`, the start of the answer included, with thinking switched off.

        The contents stand in it letter by letter, each once. Where the template refuses the system role or leaves it
        out, the system message is put before the first user message; where that fails too, the plain form is used.
        """
        for attempt in (list(messages), _merge_system(messages)):
            pieces = self._try(attempt)
            if pieces:
                return Prompt(_close_thinking(pieces), plain=False)
        return Prompt(_plain(messages), plain=True)

    def _try(self, messages: Sequence[Message]) -> tuple[Piece, ...]:
        if self._template is None or not messages:
            return ()
        marks = [f"C{secrets.token_hex(16)}C" for _ in messages]
        stand_ins = [{"role": m.role, "content": mark} for m, mark in zip(messages, marks, strict=True)]
        try:
            text = self._template.render(
                messages=stand_ins, add_generation_prompt=True, enable_thinking=False, **self._tokens
            )
        except Exception:
            # A template is foreign code: besides its own refusals it fails in as many ways as Python does.
            return ()
        found = re.split("(" + "|".join(marks) + ")", text)
        if sorted(found[1::2]) != sorted(marks):
            return ()
        contents = {mark: m.content for m, mark in zip(messages, marks, strict=True)}
        pieces = (Piece(contents.get(part, part), part not in contents) for part in found)
        return tuple(piece for piece in pieces if piece.text)


def template_error(source: str) -> str:
    """Why a text cannot be used as a chat template; empty where it can: the words of a message must come through."""
    try:
        _environment().from_string(source)
    except TemplateError as error:
        return f"line {getattr(error, 'lineno', 1)}: {error.message or type(error).__name__}"
    made = ChatTemplate(source).render([Message("user", "a word")])
    return "it does not give back the words of a message" if made.plain else ""


def strip_thinking(text: str) -> str:
    """`text` without the model's reasoning, closed or not. Empty where the answer was reasoning only."""
    text = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL)
    text = text.rpartition("</think>")[2]
    return text.partition("<think>")[0]


class _Generation(Extension):
    """Reads `{% generation %}`, which marks training spans in some templates, as nothing."""

    tags = {"generation"}  # noqa: RUF012 - the attribute of jinja's base class

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _FROZEN_DATE.strftime
    return environment


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:  # noqa: ANN401
    # jinja's own filter escapes for HTML, which is noise in a prompt.
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)


def _merge_system(messages: Sequence[Message]) -> list[Message]:
    system = "\n\n".join(m.content for m in messages if m.role == "system")
    others = [m for m in messages if m.role != "system"]
    if not system or not others or others[0].role != "user":
        return []
    return [replace(others[0], content=f"{system}\n\n{others[0].content}"), *others[1:]]


def _close_thinking(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    # Some reasoning models open the thinking in the prompt itself and know no switch.
    if pieces[-1].is_special and pieces[-1].text.rstrip().endswith("<think>"):
        return (*pieces, Piece("\n\n</think>\n\n", is_special=True))
    return pieces


def _plain(messages: Sequence[Message]) -> tuple[Piece, ...]:
    headings = {"system": "", "user": "### Instruction:\n", "assistant": "### Response:\n"}
    pieces: list[Piece] = []
    for message in messages:
        pieces += [
            Piece(headings[message.role], is_special=True),
            Piece(message.content, is_special=False),
            Piece("\n\n", is_special=True),
        ]
    pieces.append(Piece(headings["assistant"], is_special=True))
    return tuple(piece for piece in pieces if piece.text)
