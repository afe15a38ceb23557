"""What differs between two wordings of a clause, and of what kind it is: operators, numbers, dates, amounts, parties.

Words are compared as they stand; the kind of a difference says how much it may matter, never whether it is shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest

from rapidfuzz.distance import Indel

from conspectus.check.salient import salient
from conspectus.document import Language
from conspectus.text import fold, normalise

SHORT = 3  # pieces of a range in which one number, name or operator stands for all of it
SLOW = 250_000  # cells above which the quicker, plainer comparison is taken


class MarkKind(StrEnum):
    """What a difference is about, the weightiest first."""

    OPERATOR = "operator"  # shall, may, not, unless, and, or; 应当、可以、不得、除外
    AMOUNT = "amount"  # money and percentages
    DATE = "date"
    PERIOD = "period"  # 30 days, 三个月
    NUMBER = "number"
    PARTY = "party"
    REFERENCE = "reference"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Mark:
    """One difference: the words of both sides, "" where one has none; values are canonical (30 day, 2027-03-01)."""

    kind: MarkKind
    old: str
    new: str
    old_value: str = ""
    new_value: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a side's words; `kind` is that of the difference it is, None for words that both sides have.

    The runs of a side joined are its words as a reader would copy them.
    """

    text: str
    kind: MarkKind | None = None


_WEIGHT = {kind: place for place, kind in enumerate(MarkKind)}
_KINDS = {
    "money": MarkKind.AMOUNT,
    "percent": MarkKind.AMOUNT,
    "date": MarkKind.DATE,
    "time": MarkKind.DATE,
    "duration": MarkKind.PERIOD,
    "number": MarkKind.NUMBER,
    "ordinal": MarkKind.NUMBER,
    "reference": MarkKind.REFERENCE,
}
_EN_OPERATORS = re.compile(
    r"\b(?:(?:is|are) (?:not )?(?:entitled|obliged|required|permitted) to|"
    r"(?:shall|must|may|will|can|need|does|do|is|are) (?:not|never)|shall|must|may|will|cannot|can|not|no|never|"
    r"neither|nor|without|unless|"
    r"except(?:ing)?(?: that| where| for| to the extent)?|provided (?:however )?that|save (?:that|for|as)|subject to|"
    r"notwithstanding|other than|only if|if|where|when|only|solely|at least|at most|up to|within|"
    r"not (?:less|more|later|earlier) than|no (?:less|more|later|earlier) than|(?:more|less|later|earlier) than|"
    r"(?:not )?exceed(?:s|ing)?|on or before|on or after|before|after|until|prior|written|in writing|and/or|and|or|"
    r"either|both|all|any|each)\b",
    re.I,
)
_ZH_OPERATORS = re.compile(
    "不得少于|不得超过|不得低于|不得高于|不少于|不多于|不超过|不低于|不高于|不得|不应|不能|不必|无须|无需|应当|应该|必须|"
    "可以|有权|无权|有义务|禁止|严禁|未经|除非|除外|但是|如果|或者|并且|以及|以上|以下|以内|以外|至少|至多|之前|之后|"
    "书面|事先|仅限|任何|全部|应|须|可|但|除|若|或|并|和|及|与|仅|均|不|未|无|非"
)
_EN_PARTY = re.compile(r"(?<![.;:] )(?<!^)\b[A-Z][a-z]+(?:[- ][A-Z][a-z]+)*\b|\b[A-Z]{2,}(?: [A-Z&]{2,})+\b")
_ZH_PARTY = re.compile(
    r"[甲乙丙丁]方|(?:双|各|任何一|任一|另一|对)方|(?:出租|承租|出卖|买受|受让|转让|发包|承包|委托|受托|担保|保证|抵押|"
    r"质押|借款|贷款|许可|被许可|投保|被保险|保险|受益|债权|债务|承揽|定作|用人|劳动)(?:人|者|方|单位)|供应商|采购人"
)
_EXCEPTING = re.compile(
    r"^\W*(?:unless|except|provided|save|subject to|notwithstanding|other than|if|where|only|除|但|未经|如果|若)", re.I
)
_EN_PIECE = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
_ZH_PIECE = re.compile(r"[A-Za-z0-9]+|[^\s]")


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is compared as a whole: a word, an operator, a number with its unit, a date, a name."""

    start: int
    end: int
    same: str
    kind: MarkKind | None
    value: str = ""


def plain_run(words: str) -> Run:
    """Words without a difference as one run."""
    return Run(fold(words))


def compared(old: str, new: str, language: Language) -> tuple[tuple[Run, ...], tuple[Run, ...], tuple[Mark, ...]]:
    """Both wordings in runs, and the differences in order. Joined, the runs are the folded words."""
    sides = _shown(old), _shown(new)
    first, second = (_pieces(side, language) for side in sides)
    marks: list[Mark] = []
    spans: tuple[list[tuple[int, int, MarkKind]], ...] = ([], [])
    for (a, b), (c, d) in _differences([p.same for p in first], [p.same for p in second]):
        found = _marks(sides, first[a:b], second[c:d])
        marks += found
        strongest = min((mark.kind for mark in found), key=_WEIGHT.__getitem__)
        for side, own in zip(spans, (first[a:b], second[c:d]), strict=True):
            if own:
                side.append((own[0].start, own[-1].end, strongest))
    runs = tuple(tuple(_runs(side, own)) for side, own in zip(sides, spans, strict=True))
    return runs[0], runs[1], tuple(marks)


def _shown(text: str) -> str:
    """The words as they are shown; in the plain form where places in both would differ (ligatures)."""
    folded = fold(text)
    plain = normalise(folded)
    return folded if len(plain) == len(folded) else plain


def _pieces(text: str, language: Language) -> list[_Piece]:
    """The pieces of folded words, in order, without white space."""
    plain = normalise(text)
    special = [
        _Piece(token.start, token.end, "", _KINDS.get(token.kind, MarkKind.NUMBER), token.value)
        for token in salient(text)
    ]
    chinese = language is Language.ZH
    for pattern, kind in (
        (_ZH_OPERATORS if chinese else _EN_OPERATORS, MarkKind.OPERATOR),
        (_ZH_PARTY if chinese else _EN_PARTY, MarkKind.PARTY),
    ):
        special += [_Piece(match.start(), match.end(), "", kind) for match in pattern.finditer(plain)]
    taken = 0
    found: list[_Piece] = []
    # A number, date or amount goes before an operator inside it ("not less than" stands beside it, never in it).
    for piece in sorted(special, key=lambda p: (p.start, not p.value, _WEIGHT[p.kind or MarkKind.WORDS], -p.end)):
        if piece.start >= taken and piece.end > piece.start:
            found += _plain(plain, taken, piece.start, chinese)
            words = plain[piece.start : piece.end]
            found.append(_Piece(piece.start, piece.end, _squeezed(words), piece.kind, piece.value))
            taken = piece.end
    return [*found, *_plain(plain, taken, len(plain), chinese)]


def _squeezed(words: str) -> str:
    """Words in the form in which they are equal: where a line ended says nothing."""
    return re.sub(r"\s+", "", words)


def _plain(text: str, start: int, end: int, chinese: bool) -> Iterator[_Piece]:
    pattern = _ZH_PIECE if chinese else _EN_PIECE
    return (_Piece(m.start(), m.end(), m[0], None) for m in pattern.finditer(text, start, end))


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The ranges of pieces that differ; what both begin and end with is set aside first."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first, second = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(first) * len(second) <= SLOW:
        blocks = [
            block[1:]
            for block in SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
            if block[0] != "equal"
        ]
    else:
        blocks = [
            (block.src_start, block.src_end, block.dest_start, block.dest_end)
            for block in Indel.opcodes(first, second)
            if block.tag != "equal"
        ]
    for a, b, c, d in _joined(blocks):
        yield (head + a, head + b), (head + c, head + d)


def _joined(blocks: Sequence[tuple[int, int, int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Blocks that touch are one: a deletion and an insertion at one place are a replacement."""
    last: tuple[int, int, int, int] | None = None
    for block in blocks:
        if last is not None and last[1] == block[0] and last[3] == block[2]:
            last = (last[0], block[1], last[2], block[3])
            continue
        if last is not None:
            yield last
        last = block
    if last is not None:
        yield last


def _marks(sides: tuple[str, str], old: Sequence[_Piece], new: Sequence[_Piece]) -> list[Mark]:
    """The differences of one range: those of each kind against each other, the rest as words."""
    texts = [side[own[0].start : own[-1].end] if own else "" for side, own in zip(sides, (old, new), strict=True)]
    if not (old and new) and _EXCEPTING.match(texts[0] or texts[1]):
        return [Mark(MarkKind.OPERATOR, texts[0], texts[1])]
    found = [mark for kind in MarkKind for mark in _of_kind(kind, sides, old, new)]
    if len(found) == 1 and old and new and not (found[0].old and found[0].new) and max(len(old), len(new)) <= SHORT:
        # "first" became "fifth": what is no number on one side is what the number took the place of.
        return [replace(found[0], old=texts[0], new=texts[1])]
    plain = [[p.same for p in own if p.kind is None and re.search(r"\w", p.same)] for own in (old, new)]
    if not found or plain[0] != plain[1]:
        found.append(Mark(MarkKind.WORDS, *texts))
    return found


def _of_kind(kind: MarkKind, sides: tuple[str, str], old: Sequence[_Piece], new: Sequence[_Piece]) -> Iterator[Mark]:
    """The pieces of one kind that one side of a range has and the other lacks, in order against each other."""
    both = ([p for p in old if p.kind is kind], [p for p in new if p.kind is kind])
    there = [{p.same for p in own} for own in both]
    kept = [[p for p in own if p.same not in other] for own, other in zip(both, reversed(there), strict=True)]
    for mine, yours in zip_longest(*kept):
        yield Mark(
            kind,
            sides[0][mine.start : mine.end] if mine else "",
            sides[1][yours.start : yours.end] if yours else "",
            mine.value if mine else "",
            yours.value if yours else "",
        )


def _runs(text: str, spans: Sequence[tuple[int, int, MarkKind]]) -> Iterator[Run]:
    at = 0
    for start, end, kind in spans:
        if start > at:
            yield Run(text[at:start])
        yield Run(text[start:end], kind)
        at = end
    if at < len(text):
        yield Run(text[at:])
