"""Calls and drafts, the token budget, what travels with a sentence into its prompt, and lines as models write them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conspectus import prompts
from conspectus.check.check import Reason
from conspectus.digesting.kind import DocumentKind
from conspectus.document import Clause, Document, Language, Source
from conspectus.errors import ContextTooSmall
from conspectus.llama import Message, Model, Request
from conspectus.text import fold, ideographs

LINE_TOKENS = 160
MARK_TOKENS = 8  # "[12] " before a sentence, "12: " before a line
TEMPLATE_RESERVE = 24  # tokens that counting pieces apart may miss
CHUNK_TOKENS = 1500
HEADER_RESERVE = 120
TERMS_MAX = 5
TERMS_SHARE = 16  # at most this part of the context for the terms that travel with a sentence
TERMS_TOKENS = 200
PATH_CHARACTERS: Mapping[Language, int] = {Language.EN: 200, Language.ZH: 60}
MEANING_CHARACTERS: Mapping[Language, int] = {Language.EN: 160, Language.ZH: 60}


@dataclass(frozen=True, slots=True)
class MapCall:
    """One model call that asks for one line: the sentence that it restates, by index."""

    sentence: int
    request: Request


@dataclass(frozen=True, slots=True)
class Draft:
    """A line as the model wrote it, the sentence that it rests on, and what speaks against it.

    `stuck` marks a refused line that asking again did not better: it is not asked a third time.
    """

    sentence: int
    text: str
    reasons: tuple[Reason, ...]
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What a prompt says of the document besides the sentences: its kind and its defined terms with their meanings."""

    kind: DocumentKind
    terms: Mapping[str, str]


def messages_of(prompt: prompts.Prompt) -> tuple[Message, ...]:
    """The chat messages of a prompt."""
    return (Message("system", prompt.system), Message("user", prompt.user))


def map_prompt(kind: DocumentKind) -> str:
    """The name of the prompt that restates a sentence of such a document."""
    return {DocumentKind.CONTRACT: "map-contract", DocumentKind.STATUTE: "map-statute"}.get(kind, "map-generic")


def chunk_budget(document: Document, kind: DocumentKind, model: Model) -> int:
    """How many tokens of sentences a chunk may have: CHUNK_TOKENS, and fewer where the context is small.

    A call shows one sentence of a chunk, so the longest that a chunk may hold must fit with its answer, which is never
    longer: half of what the bare prompt and the terms leave. Raises ContextTooSmall where that is next to nothing.
    """
    bare = prompts.render(map_prompt(kind), document.language, title=document.title, path="", terms=(), sentence="")
    left = model.info.context - model.count(messages_of(bare)) - TEMPLATE_RESERVE - HEADER_RESERVE - terms_budget(model)
    if left < 64:
        raise ContextTooSmall(
            f"{document.name}: a context of {model.info.context} tokens leaves {max(0, left)} for the document",
            "Use a model or a --context of more tokens",
        )
    return min(CHUNK_TOKENS, left // 2)


def terms_budget(model: Model) -> int:
    """Tokens that defined terms may take in a prompt."""
    return min(TERMS_TOKENS, model.info.context // TERMS_SHARE)


def terms_for(setting: Setting, shown: str, model: Model) -> tuple[tuple[str, str], ...]:
    """The defined terms that a text uses and does not define, the most used first, each with the start of its meaning.

    As many as TERMS_MAX and `terms_budget` allow.
    """
    language = Language.ZH if ideographs(shown) else Language.EN
    limit = MEANING_CHARACTERS[language]
    used: list[tuple[int, str]] = []
    for name, meaning in setting.terms.items():
        count = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)" if name.isascii() else re.escape(name), shown))
        if count and meaning[:24] not in shown:
            used.append((-count, name))
    chosen = [name for _, name in sorted(used)[:TERMS_MAX]]
    pairs = [(name, shorten(defuse(fold(setting.terms[name])), limit)) for name in chosen]
    left = terms_budget(model)
    kept: list[tuple[str, str]] = []
    for pair, tokens in zip(pairs, model.count_texts([f"- {name}: {meaning}" for name, meaning in pairs]), strict=True):
        if tokens + 2 <= left:
            kept.append(pair)
            left -= tokens + 2
    return tuple(kept)


def shorten(text: str, limit: int) -> str:
    """The text, or its beginning with a mark that it goes on."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[limit // 2 :] else cut}…"


_FAKE_NUMBER = re.compile(r"\[(\d{1,3})\]")


def defuse(text: str) -> str:
    """Text as a prompt shows it: [3] is written (3), so that it cannot pass for the number of a sentence."""
    return _FAKE_NUMBER.sub(r"(\1)", text)


def path_of(clause: Clause, language: Language) -> str:
    """Under which headings a clause stands, its own last, the outermost left out where too long.

    Without their numbers: these help no model, and a clause that is only renumbered keeps its stored answer.
    """
    parts = [bare for part in [*clause.path, clause.heading] if (bare := _without_number(fold(part)))]
    limit = PATH_CHARACTERS[language]
    while len(parts) > 1 and len(" > ".join(parts)) > limit:
        parts = parts[1:]
    return shorten(" > ".join(parts), limit) or "-"


_NUMBERED = re.compile(
    r"^(?:(?:(?:article|section|sec\.|clause|part|chapter|title|schedule|annex|appendix|exhibit|regulation|§+)\s*"
    r"(?:[0-9][\w.]{0,7}|[ivxlc]{1,7}|[a-z])|[0-9]{1,3}(?:\.[0-9]{1,3})*|(?:[ivxlc]{1,7}|[a-z])(?=[.)]))"
    r"(?:\s*[-–—:.)]\s*|\s+|$)|"
    r"第[〇零一二三四五六七八九十百千0-9]{1,9}[编章节条款分]{1,2}(?:之[一二三四五六七八九十]+)?\s*|"
    r"[一二三四五六七八九十]{1,3}[、.．]\s*|[（(][一二三四五六七八九十0-9]{1,3}[）)]\s*)",
    re.I,
)


def _without_number(heading: str) -> str:
    """A heading's words; nothing where it is a number alone."""
    return _NUMBERED.sub("", heading, count=1).strip()


def sentence_tokens(source: Source, model: Model) -> list[int]:
    """Tokens of each sentence as the prompt shows it."""
    return [count + MARK_TOKENS for count in model.count_texts([defuse(s.text) for s in source.sentences])]


def line_request(prompt: prompts.Prompt, tokens: Sequence[int]) -> Request:
    """A request for a forced line about each text of so many tokens; no line may be longer than the longest text."""
    line = min(LINE_TOKENS, max(tokens))
    return Request(
        messages_of(prompt),
        max_tokens=len(tokens) * (line + MARK_TOKENS),
        forced=tuple(f"{number}: " for number in range(1, len(tokens) + 1)),
        line_tokens=line,
    )


def fits(request: Request, model: Model) -> bool:
    """Whether the rendered prompt and the longest answer fit into the model's context."""
    return model.count(request.messages) + request.max_tokens <= model.info.context


_OPENING = re.compile(r"^\s*(?:\[?[0-9]{1,3}\]?\s*[:.)、](?!\d)\s*|\[[0-9]{1,3}\]\s*|[-*•]\s+)+")
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|$)|^.*</(?:think|thinking|reasoning)>", re.S | re.I)
_CONTROL = re.compile(
    r"<\|[^|<>]*\|?>?|</?s>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>|</?(?:think|thinking|reasoning)>"
    r"|[\u0000-\u0008\u000b-\u001f\ufffd]",
    re.I,
)


def clean(line: str) -> str:
    """A line without reasoning and what models put around it: list marks, repeated numbers, quotes, Markdown."""
    text = _OPENING.sub("", fold(_THOUGHT.sub("", line))).strip().strip("*_`").strip()
    if len(text) > 2 and text[0] in '"“' and text[-1] in '"”' and text.count('"') + text.count("“") < 3:
        text = text[1:-1].strip()
    return text


def faults(raw: str, text: str, evidence: str, *, cut: bool) -> list[Reason]:
    """What is wrong with a line before it is compared with its evidence; `cut` where the engine ended it.

    An answer that was reasoning and nothing else has a reason of its own: more tokens or another template may help
    there, a better prompt does not.
    """
    found: list[Reason] = []
    if not any(char.isalnum() for char in text):
        return [Reason.REASONING if _THOUGHT.search(raw) else Reason.EMPTY]
    if cut:
        found.append(Reason.CUT_OFF)
    if any(mark not in evidence for mark in _CONTROL.findall(text)):
        found.append(Reason.ECHO)
    return found
