"""The limbs of a list that is one sentence: "(a) ...; (b) ...; and (c) ...", （一）……；（二）……。"""

import re
from collections.abc import Iterator
from itertools import pairwise

from conspectus.document import Language, Span
from conspectus.evidence.zh_numbers import chinese_number
from conspectus.text import fold

LIMB_MIN = {Language.EN: 280, Language.ZH: 90}

_MARK_EN = r"\((?:[a-z]{1,2}|[ivx]{1,5}|[0-9]{1,2}|[A-Z])\)"
_LIMB_EN = re.compile(
    rf"(?<=\n)[ \t]*(?P<opening>{_MARK_EN}|[a-z]\)(?=\s)|[ivx]{{1,5}}\)(?=\s)|[•▪●◦](?=\s))(?=\s|[A-Za-z(])"
    rf"|(?:(?<=[;:,.—–-])\s+|(?<=\band)\s+|(?<=\bor)\s+)(?P<mark>{_MARK_EN})(?=\s)"
)
# An item opens a line or follows a stop: 依照第一款第（二）项 refers to one.
_LIMB_ZH = re.compile(
    r"(?:(?<=[：:；;。，,])|(?<=\n))\s*(?P<opening>)(?P<mark>[（(](?:[一二三四五六七八九十]{1,3}|[0-9]{1,2})[）)]|[①-⑳]|"
    r"(?<![0-9])[0-9]{1,2}[、．](?![0-9]))"
)
_PROVISO = re.compile(r"[;,.]\s*(?:and\s+|but\s+)?(?=(?:provided|save|except)\s+(?:always\s+|however\s+)?that\b)", re.I)
# Under such words a list is one condition, exception or choice: no item of it says anything true alone.
_INSEPARABLE = re.compile(
    r"\b(?:except\w*|unless|if|provided|save|where|when|only|subject to|other than|until|lower|lesser|higher|greater|"
    r"earlier|later|lowest|highest|earliest|latest)\b[^.;]{0,80}$|(?:除|如果|同时|并且)[^，。；]{0,40}$",
    re.I,
)
# "clauses (1) and (2) of subsection (a)", "(a) above": these refer to items.
_REFERS = re.compile(
    r"\b(?:clauses?|(?:sub-?)?paragraphs?|(?:sub-?)?sections?|points?|items?|parts?|articles?|rules?|exhibits?|schedules?|"
    r"(?:sub-?)?clauses?)\s*$",
    re.I,
)
_REFERRED = re.compile(
    r"\s+(?:of (?:this|that|these|the)? ?(?:sub|section|clause|paragraph|article)|above\b|below\b|hereof\b)", re.I
)
# "(a), (b) or (c)": marks with nothing between them are a reference to items, each of which has words of its own.
_JOINED = r"\s*(?:,\s*(?:(?:and|or)\s+)?|(?:and|or|and/or)\s+)"
_MARK_BEFORE = re.compile(rf"{_MARK_EN}{_JOINED}$")
_MARK_AFTER = re.compile(rf"{_JOINED}{_MARK_EN}")
_FIRST_MARKS = 12  # marks that are tried as the first of the list
_BULLETS = "•▪●◦"
_ROMAN = {"i": 1, "v": 5, "x": 10}


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    inner = text[start:end]
    return Span(start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip()))


def _roman(letters: str) -> int:
    values = [_ROMAN[letter] for letter in letters]
    return sum(-a if a < b else a for a, b in pairwise([*values, 0]))


def _places(mark: str) -> Iterator[tuple[str, int]]:
    """Each style of numbering that a mark fits, with its place in it: `(i)` is the ninth letter and the first Roman."""
    inner = mark.strip("()（）、．")
    if inner in _BULLETS:
        yield "•", 0
        return
    if inner in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳":
        yield "①", ord(inner) - ord("①") + 1
    elif inner.isascii() and inner.isdigit():
        yield ("1." if mark[-1] in "、．" else "1"), int(inner)
    elif not inner.isascii():
        yield "一", chinese_number(inner)
    elif inner.isupper():
        yield "A", ord(inner) - ord("A") + 1
    else:
        if set(inner) <= set(_ROMAN):
            yield "i", _roman(inner)
        if len(set(inner)) == 1:
            yield "a", ord(inner[0]) - ord("a") + 1 + 26 * (len(inner) - 1)


def _joined(text: str, match: re.Match[str]) -> bool:
    """Whether a mark stands in a row of marks."""
    start = match.start("mark") if match["mark"] else match.start()
    return bool(_MARK_BEFORE.search(text, max(0, start - 16), start) or _MARK_AFTER.match(text, match.end()))


def _series(text: str, sentence: Span, language: Language) -> list[int]:
    """Where the items of the outermost list begin: the first marks of one style that count up from where they start.

    What refers to an item ("under clause (b)"), what a nested list has and what is numbered otherwise is passed over.
    """
    pattern = _LIMB_ZH if language is Language.ZH else _LIMB_EN
    found = (
        match
        for match in pattern.finditer(text, sentence.start, sentence.end)
        if not _REFERRED.match(text, match.end())
        and not _REFERS.search(text, max(0, match.start() - 20), match.start())
        and not _joined(text, match)
    )
    spans = ((match.start(group), match[group]) for match in found for group in ("opening", "mark") if match[group])
    marks = [(start, dict(_places(mark))) for start, mark in spans]
    for first, (begin, styles) in enumerate(marks[:_FIRST_MARKS]):
        best: list[int] = []
        for style, place in styles.items():
            starts = [begin]
            for start, places in marks[first + 1 :]:
                following = places.get(style, -1)
                if (style == "•" and not following) or place < following <= place + 2:
                    starts.append(start)
                    place = following
            best = max(best, starts, key=len)
        if len(best) > 1:
            return best
    return []


def limbs(text: str, sentence: Span, language: Language) -> list[tuple[Span, tuple[Span, ...]]]:
    """(own, context) of each limb of a long list sentence; the whole sentence alone where it is no list or short.

    The first limb owns the lead and the last one the proviso: all words of the sentence are somebody's own.
    """
    whole: list[tuple[Span, tuple[Span, ...]]] = [(sentence, ())]
    if sentence.end - sentence.start < LIMB_MIN[language]:
        return whole
    starts = _series(text, sentence, language)
    if len(starts) < 2:
        return whole
    lead = trimmed(text, sentence.start, starts[0])
    if _INSEPARABLE.search(fold(text[lead.start : lead.end])):
        return whole
    context: tuple[Span, ...] = (lead,) if lead.end > lead.start else ()
    if proviso := _PROVISO.search(text, starts[-1], sentence.end):
        context += (trimmed(text, proviso.end(), sentence.end),)
    return [(trimmed(text, a, b), context) for a, b in pairwise([sentence.start, *starts[1:], sentence.end])]
