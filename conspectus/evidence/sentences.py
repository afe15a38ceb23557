"""Sentences and limbs of clauses, with exact offsets: the evidence that statements rest on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.document import Clause, ClauseKind, Document, Language, Sentence, Span
from conspectus.evidence.sentence_blocks import Kind, parts
from conspectus.evidence.sentence_ends import sentence_spans
from conspectus.evidence.sentence_limbs import limbs, trimmed
from conspectus.text import fold, ideographs

ELLIPSIS = " […] "
LONGEST = {Language.EN: 1600, Language.ZH: 500}  # characters; what has no sentence end for longer is cut into pieces
_SEPARATORS = ["\n\n", "；", ";", "。", "，", ",", "\n", " ", ""]
# Many PDFs have the Greek question mark for a semicolon. They look the same and are equal in Unicode (NFC).
_SAME = {0x37E: ";"}


def quote_of(text: str, spans: Sequence[Span], sentence: Span) -> str:
    """The spans as a reader would quote them: folded, `[…]` wherever words of their sentence are left out."""
    parts: list[str] = [ELLIPSIS.lstrip()] if text[sentence.start : spans[0].start].strip() else []
    for index, span in enumerate(spans):
        if index:
            between = text[spans[index - 1].end : span.start]
            parts.append(ELLIPSIS if between.strip() else " ")
        parts.append(fold(text[span.start : span.end]))
    if text[spans[-1].end : sentence.end].strip():
        parts.append(ELLIPSIS.rstrip())
    return "".join(parts).strip()


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, limb, piece, row or block: its own words, what they need, and the sentence that it is part of."""

    own: Span
    context: tuple[Span, ...]
    sentence: Span
    is_row: bool = False


def find_units(document: Document, clauses: Sequence[Clause]) -> Iterator[tuple[int, Unit]]:
    """Each sentence, limb, table row and block of lines, in order, with the position of its clause."""
    text = document.text.translate(_SAME)
    for position, clause in enumerate(clauses):
        for unit in _units(text, clause, document.language):
            yield position, unit


def _units(text: str, clause: Clause, language: Language) -> Iterator[Unit]:
    for part in parts(text, after_heading(text, clause), clause.end, language):
        if part.kind is Kind.PROSE:
            for sentence in sentence_spans(text, part.start, part.end, language):
                yield from _of_sentence(text, sentence, language)
            continue
        own = trimmed(text, part.start, part.end)
        if part.kind is Kind.ROW:
            header = trimmed(text, part.header.start, part.header.end) if part.header else None
            context = (header,) if header else ()
            yield Unit(own, context, Span(header.start if header else own.start, own.end), is_row=True)
        else:
            yield from (Unit(piece, (), own) for piece in split_long(text, own, language))


def _of_sentence(text: str, sentence: Span, language: Language) -> Iterator[Unit]:
    for own, context in limbs(text, sentence, language):
        for piece in split_long(text, own, language):
            apart = tuple(span for span in context if span.end <= piece.start or span.start >= piece.end)
            yield Unit(piece, apart, sentence)


def split_long(text: str, span: Span, language: Language) -> list[Span]:
    """The span in pieces of at most LONGEST characters, joined again they are the span.

    The splitter is asked for character lengths without overlap or stripping and with separators kept at the end:
    the one setting in which its pieces are exactly the text, so that offsets follow by adding up.
    """
    if span.end - span.start <= LONGEST[language]:
        return [span]
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        _SEPARATORS,
        keep_separator="end",
        chunk_size=LONGEST[language],
        chunk_overlap=0,
        strip_whitespace=False,
    )
    pieces: list[Span] = []
    at = span.start
    for piece in splitter.split_text(text[span.start : span.end]):
        if piece.strip():
            pieces.append(trimmed(text, at, at + len(piece)))
        at += len(piece)
    return pieces


_BETWEEN = " \t\r\n\f\u00a0\u3000#*_.:·—–-"
_GAPS = " \t\r\n\f\u00a0\u3000\u00ad"


def _along(text: str, start: int, end: int, words: str) -> int:
    """Where `words` end in `text[start:end]`, white space and case apart; 0 where they do not stand there."""
    at = start
    for char in words:
        if char.isspace():
            continue
        while at < end and text[at] in _GAPS:
            at += 1
        if at >= end or text[at].casefold() != char.casefold():
            return 0
        at += 1
    return 0 if at < end and text[at].isalnum() and text[at - 1].isalnum() and text[at].isascii() else at


_PART_OF_SENTENCE = re.compile(
    r"(?:['’][sS]|[sS]['’]|,|\b(?:a|an|and|any|as|at|between|by|each|for|from|if|in|into|its|may|must|of|on|or|shall|"
    r"such|that|the|their|this|to|under|which|will|with))$"
)
_GOES_ON = re.compile(r"\s+[a-z](?![.)])")


def after_heading(text: str, clause: Clause) -> int:
    """Where the body of a clause begins: after its number and the words of its heading, where they stand there.

    Nothing else is passed over, so every word of a clause is in its number, its heading or a sentence. What was taken
    for a heading and is the first line of a sentence ("Subject to the General Terms and Conditions of Transporter's")
    is not passed over: a sentence is shown whole.
    """
    start = clause.start
    for words, is_heading in ((clause.number, False), (clause.heading, True)):
        words = words.translate(_SAME)
        at = start
        while at < clause.end and text[at] in _BETWEEN:
            at += 1
        past = _along(text, at, clause.end, words) if words else 0
        if is_heading and past and _runs_on(text, at, past, clause):
            past = 0
        start = past or start
    while clause.start < start < clause.end and text[start] in ".:)、．—–-":
        start += 1
    return start


def _runs_on(text: str, start: int, past: int, clause: Clause) -> bool:
    """True where the text goes on in the sentence or the table that the heading `text[start:past]` begins."""
    heading = text[start:past].rstrip()
    if heading[-1] in ".:;?!。：；" or ideographs(heading):
        return False
    following = text[past : clause.end].lstrip()
    if following[:3] in ("---", "==="):
        return "   " in heading
    if not following or following[0] in ".:—–-":
        return False
    # The heading of an article may have a second line that was not taken for one; it is no sentence for that.
    goes_on = clause.kind is not ClauseKind.ARTICLE and _GOES_ON.match(text, past, clause.end) is not None
    return goes_on or _PART_OF_SENTENCE.search(heading) is not None


def find_sentences(document: Document, clauses: Sequence[Clause]) -> tuple[Sentence, ...]:
    """All sentences, limbs and table rows of the clauses in the order of the text.

    `own` spans do not overlap; what lies between them is white space, numbers and headings.
    """
    found: list[Sentence] = []
    for position, unit in find_units(document, clauses):
        spans = sorted((unit.own, *unit.context), key=lambda span: span.start)
        quote = quote_of(document.text, spans, unit.sentence)
        found.append(Sentence(len(found), position, unit.own, unit.context, quote, unit.is_row))
    return tuple(found)
