"""Sentences and limbs of clauses, with exact offsets: the evidence that statements rest on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conspectus.document import Clause, Document, Language, Sentence, Span
from conspectus.text import fold

ELLIPSIS = " […] "
LIMB_MIN = {Language.EN: 280, Language.ZH: 90}
LONGEST = {Language.EN: 1600, Language.ZH: 500}  # characters; what has no sentence end for longer is cut into pieces
_SEPARATORS = ["\n\n", "；", ";", "。", "，", ",", "\n", " ", ""]

_ABBREVIATION = re.compile(
    r"(?:\b(?:No|Nos|Sec|Secs|Art|Arts|Reg|Para|para|Cl|cl|Sch|Ch|Pt|Inc|Ltd|Co|Corp|L\.P|LLC|Bros|St|Mr|Mrs|Ms|Dr|Messrs|"
    r"Prof|Jr|Sr|Esq|Hon|approx|est|vs|v|e\.g|i\.e|etc|viz|cf|al|seq|p|pp|Vol|vol|Fig|fig|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|"
    r"Sept|Oct|Nov|Dec|U\.S|U\.S\.C|C\.F\.R|U\.K|E\.U|D\.C|a\.m|p\.m)|"
    r"(?<!Exhibit )(?<!Schedule )(?<!Annex )(?<!Appendix )(?<!Part )\b[A-Z])\.$"
)
_END_EN = re.compile(r"[.?!][\"”’')\]]*(?=\s+[A-Z\"“‘(\[0-9§•]|\s*$)|\n[ \t]*\n")
_END_ZH = re.compile(r"[。！？][”’」』）)]*")
_LIMB_EN = re.compile(
    r"(?:(?<=\n)|(?<=[;:,.—–-])\s+|(?<=\band)\s+|(?<=\bor)\s+)"
    r"[ \t]*(?P<mark>\((?:[a-z]{1,2}|[ivx]{1,5}|[0-9]{1,2}|[A-Z])\))(?=\s)"
)
_LIMB_ZH = re.compile(r"(?P<mark>[（(][一二三四五六七八九十]{1,3}[）)])")
_PROVISO = re.compile(r"[;,.]\s*(?:and\s+|but\s+)?(?=(?:provided|save|except)\s+(?:always\s+|however\s+)?that\b)", re.I)
# Under such words a list is one condition, exception or choice: no item of it says anything true alone.
_INSEPARABLE = re.compile(
    r"\b(?:except\w*|unless|if|provided|save|where|when|only|subject to|other than|until|lower|lesser|higher|greater|"
    r"earlier|later|lowest|highest|earliest|latest)\b[^.;]{0,80}$|(?:除|如果|同时|并且)[^，。；]{0,40}$",
    re.I,
)
_CELL = re.compile(r"(?:[£$€¥]\s?)?[0-9][0-9,.]*%?")


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


def _trim(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    inner = text[start:end]
    return Span(start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip()))


def _row_like(line: str) -> bool:
    """True for a line of a table: short, at least two numbers, and not the end or the middle of prose."""
    folded = fold(line)
    words = folded.split()
    cells = [word for word in words if _CELL.fullmatch(word)]
    return 1 < len(words) <= 14 and len(cells) >= 2 and len(cells) * 3 >= len(words) and folded[-1] not in ".;:,。；"


def _table_rows(text: str, start: int, end: int) -> list[tuple[Span, Span]]:
    """Runs of at least two table rows in `text[start:end]`: (header, row) of each."""
    lines: list[Span] = []
    position = start
    for words in text[start:end].split("\n"):
        lines.append(Span(position, position + len(words)))
        position += len(words) + 1
    rows = [_row_like(text[line.start : line.end]) for line in lines]
    found: list[tuple[Span, Span]] = []
    header = Span(start, start)
    for index, line in enumerate(lines):
        neighbour = (index > 0 and rows[index - 1]) or (index + 1 < len(rows) and rows[index + 1])
        if not rows[index] or not neighbour:
            continue
        if index and not rows[index - 1]:
            above = text[lines[index - 1].start : lines[index - 1].end].rstrip()
            header = lines[index - 1] if above and above[-1] not in ".;。；" else Span(line.start, line.start)
        found.append((header, line))
    return found


def _prose(text: str, start: int, end: int, language: Language) -> Iterator[Span]:
    """The sentences of `text[start:end]`."""
    pattern = _END_ZH if language is Language.ZH else _END_EN
    at = start
    for match in pattern.finditer(text, start, end):
        if match[0][0] == "." and _ABBREVIATION.search(text, max(start, match.start() - 16), match.start() + 1):
            continue
        if match[0][0] == "." and re.fullmatch(r"\s*(?:\(?[0-9ivxa-z]{1,4}\)?)", text[at : match.start()]):
            continue
        if text[at : match.end()].strip():
            yield _trim(text, at, match.end())
        at = match.end()
    if text[at:end].strip():
        yield _trim(text, at, end)


def _style(mark: str) -> str:
    inner = mark.strip("()（）")
    if inner.isdigit():
        return "1"
    if inner.isupper():
        return "A"
    return "a" if inner.isascii() else "一"


def _limbs(text: str, sentence: Span, language: Language) -> list[tuple[Span, tuple[Span, ...]]]:
    """(own, context) of each limb of a long list sentence; the whole sentence alone where it is no list or short."""
    whole: list[tuple[Span, tuple[Span, ...]]] = [(sentence, ())]
    if sentence.end - sentence.start < LIMB_MIN[language]:
        return whole
    pattern = _LIMB_ZH if language is Language.ZH else _LIMB_EN
    marks = [match for match in pattern.finditer(text, sentence.start, sentence.end)]
    if not marks:
        return whole
    first = _style(marks[0]["mark"])
    starts = [match.start("mark") for match in marks if _style(match["mark"]) == first]
    if len(starts) < 2:
        return whole
    lead = _trim(text, sentence.start, starts[0])
    if _INSEPARABLE.search(fold(text[lead.start : lead.end])):
        return whole
    # The first limb owns the lead and the last one the proviso: all words of the sentence are somebody's own.
    context: tuple[Span, ...] = (lead,) if lead.end > lead.start else ()
    if proviso := _PROVISO.search(text, starts[-1], sentence.end):
        context += (_trim(text, proviso.end(), sentence.end),)
    return [(_trim(text, a, b), context) for a, b in pairwise([sentence.start, *starts[1:], sentence.end])]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, limb, piece or row: its own words, what they need, and the sentence that it is part of."""

    own: Span
    context: tuple[Span, ...]
    sentence: Span
    is_row: bool = False


def _clause_units(document: Document, clause: Clause) -> Iterator[_Unit]:
    """Each sentence, limb and table row of a clause, in order."""
    text = document.text
    start = after_heading(text, clause)
    rows = _table_rows(text, start, clause.end)
    at = start
    for header, row in rows:
        yield from _sentences_between(document, at, row.start)
        context = (_trim(text, header.start, header.end),) if header.end > header.start else ()
        own = _trim(text, row.start, row.end)
        yield _Unit(own, context, Span(context[0].start if context else own.start, own.end), is_row=True)
        at = row.end
    yield from _sentences_between(document, at, clause.end)


def _sentences_between(document: Document, start: int, end: int) -> Iterator[_Unit]:
    for sentence in _prose(document.text, start, end, document.language):
        for own, context in _limbs(document.text, sentence, document.language):
            for piece in split_long(document.text, own, document.language):
                apart = tuple(span for span in context if span.end <= piece.start or span.start >= piece.end)
                yield _Unit(piece, apart, sentence)


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
            pieces.append(_trim(text, at, at + len(piece)))
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


def after_heading(text: str, clause: Clause) -> int:
    """Where the body of a clause begins: after its number and the words of its heading, where they stand there.

    Nothing else is passed over, so every word of a clause is in its number, its heading or a sentence.
    """
    start = clause.start
    for words in (clause.number, clause.heading):
        at = start
        while at < clause.end and text[at] in _BETWEEN:
            at += 1
        if words and (past := _along(text, at, clause.end, words)):
            start = past
    while clause.start < start < clause.end and text[start] in ".:)、．—–-":
        start += 1
    return start


def find_sentences(document: Document, clauses: Sequence[Clause]) -> tuple[Sentence, ...]:
    """All sentences, limbs and table rows of the clauses in the order of the text.

    `own` spans do not overlap; what lies between them is white space, numbers and headings.
    """
    found: list[Sentence] = []
    for position, clause in enumerate(clauses):
        for unit in _clause_units(document, clause):
            spans = sorted((unit.own, *unit.context), key=lambda span: span.start)
            quote = quote_of(document.text, spans, unit.sentence)
            found.append(Sentence(len(found), position, unit.own, unit.context, quote, unit.is_row))
    return tuple(found)
