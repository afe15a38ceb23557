"""Page numbers: `21`, `- 3 -`, `Page 3 of 14`, `xiv`, `第 3 页`."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_WORDED = re.compile(
    r"[-\s|]*(?:page|pg\.?|p\.)\s*(?P<n>[0-9]{1,4})\s*(?:(?:of|/)\s*(?P<m>[0-9]{1,4}))?[-\s|]*|"
    r"[-\s]*第\s*(?P<zn>[0-9]{1,4})\s*页[\s,，/]*(?:共\s*(?P<zm>[0-9]{1,4})\s*页)?[-\s]*|"
    r"(?P<sn>[0-9]{1,4})\s*(?:of|/)\s*(?P<sm>[0-9]{1,4})"
)
_DASHED = re.compile(r"[-~·•|]{1,2}\s*(?P<n>[0-9]{1,4}|[ivxlc]{1,7})\s*[-~·•|]{1,2}")
_BARE = re.compile(r"(?P<n>[0-9]{1,4}|[ivxlc]{1,7})")
_LETTERED = re.compile(r"(?P<letters>[a-z]{1,2})-(?P<n>[0-9]{1,3})")


def roman(numeral: str) -> int:
    """The value of a lower-case Roman numeral."""
    values = [_ROMAN_VALUES[char] for char in numeral]
    return sum(-value if value < following else value for value, following in pairwise([*values, 0]))


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A line that may be a page number. `alone` 1 means: needs no other, 2 and 3: so many of one series must agree."""

    page: int
    line: int
    side: int
    kind: str
    value: int
    alone: int


def page_number(text: str, page: int, line: int, side: int, label: str) -> PageNumber | None:
    """The number that a folded lower-case line is, if it is nothing else.

    Numbers in round brackets or with a dot are those of clauses.
    """
    text = text.strip()
    if worded := _WORDED.fullmatch(text):
        value = int(worded["n"] or worded["zn"] or worded["sn"])
        total = int(worded["m"] or worded["zm"] or worded["sm"] or 9999)
        # `3/14` without a word may be a date or a fraction.
        return PageNumber(page, line, side, "worded", value, (2 if worded["sn"] else 1) if value <= total else 9)
    for kind, pattern in (("dashed", _DASHED), ("bare", _BARE), ("lettered", _LETTERED)):
        if match := pattern.fullmatch(text):
            digits = match["n"]
            if not digits.isdigit() and not _ROMAN.fullmatch(digits):
                return None
            value = int(digits) if digits.isdigit() else roman(digits)
            expected = digits == label.lower() or value == page + 1
            kind = f"{match['letters']}-" if kind == "lettered" else kind if digits.isdigit() else f"{kind} roman"
            if digits == label.lower() and label != str(page + 1):
                return PageNumber(page, line, side, kind, value, 1)  # the PDF itself calls the page so
            if kind.startswith("dashed"):
                return PageNumber(page, line, side, kind, value, 1 if expected else 2)
            # Two are enough at the foot of the pages that they name; at the top a clause number may stand alone.
            return PageNumber(page, line, side, kind, value, 2 if side and expected and kind == "bare" else 3)
    return None


def certain_numbers(candidates: Sequence[PageNumber]) -> list[PageNumber]:
    """Those that belong to a series: in the same form, growing by one from page to page."""
    series: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number in candidates:
        series[(number.kind, number.value - number.page)].add(number.page)
    return [number for number in candidates if len(series[(number.kind, number.value - number.page)]) >= number.alone]
