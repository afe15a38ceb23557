"""Running heads, footers and page numbers: lines at the edges of pages that are no part of the document's text."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conspectus.repair.map import MARKED
from conspectus.repair.page_numbers import PageNumber, certain_numbers, page_number, roman
from conspectus.text import normalise

EDGE = 5  # so many lines from the edge of a page are looked at
WHOLE_SHARE = 0.6  # a line at the edge of so many of all pages runs through the document
LOCAL_COUNT = 4  # a line at the edge of so many pages close to each other runs through a chapter
UNDER_COUNT = 3  # ... where it stands under a line that runs through the document
NEAR = 2  # pages: heads may alternate
NAMED_LETTERS = 8
FEW = 5
KIN_LETTERS = 20  # a head that begins with so many letters of another is that head, wrapped in another way

_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*|\b[ivxlc]+\b")
_HEADING = re.compile(
    r"(?:article|section|clause|schedule|annex|exhibit|appendix|part|chapter|title|recital|item|§|sec\.?)#?[a-z]?[.:]?$|"
    r"第.{1,9}[编章节条部].*|附件.*|附录.*|附表.*|[#a-z][.)]$|\([#a-z]+\)$"
)
_OPEN_END = re.compile(r"[.;:,_。；，：、]$")
_CONTENTS = re.compile(r"(?:\.{4,}|(?:\. ){4,}|…{2,})\s*[0-9ivxlc]{1,5}\s*$")
_CELL = re.compile(r"(?:[£$€¥]\s?)?[0-9][0-9,.]*%?")


@dataclass(frozen=True, slots=True)
class Line:
    """A line near the edge of a page: its place, its words as they are compared, and the numbers in it."""

    page: int
    index: int
    depth: int
    text: str
    mask: str
    numbers: tuple[int, ...]


def _line(page: int, index: int, depth: int, raw: str) -> Line:
    text = normalise(raw).lower()
    values = tuple(_value(match[0]) for match in _NUMBER.finditer(text))
    masked = re.sub(r"_+", "_", _NUMBER.sub("#", text))
    # Page numbers stand before the head on even pages and after it on odd ones.
    core = re.sub(r"^#\s+|\s*(?<![.,(§])\s#$", "", masked.strip())
    return Line(page, index, depth, text, re.sub(r"\s+|[.…]+$", "", core), values)


def _value(number: str) -> int:
    return int(re.sub(r"\D", "", number)[:9]) if number[0].isdigit() else roman(number)


@dataclass(frozen=True, slots=True)
class Edges:
    """The filled lines at the top and at the bottom of a page, outermost first, and how many the page has in all."""

    top: tuple[Line, ...]
    bottom: tuple[Line, ...]
    filled: int


def _edges(page: int, text: str) -> tuple[Edges, set[str]]:
    """The edges of a page and the masks of the lines between them."""
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip() and not MARKED.match(line)]
    top = tuple(_line(page, index, at, lines[index]) for at, index in enumerate(filled[:EDGE]))
    bottom = tuple(_line(page, index, at, lines[index]) for at, index in enumerate(filled[: -EDGE - 1 : -1]))
    inner = {_line(page, index, EDGE, lines[index]).mask for index in filled[EDGE : max(EDGE, len(filled) - EDGE)]}
    return Edges(top, bottom, len(filled)), inner


def _steady(lines: Sequence[Line]) -> bool:
    """True where the numbers in the lines are the same on all pages or grow with them: body lines do not do that."""
    shapes: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        shapes[len(line.numbers)].append(line)
    for count, group in shapes.items():
        steps = max(1, len(group) - 1)
        for slot in range(count):
            falls = sum(b.numbers[slot] < a.numbers[slot] for a, b in pairwise(group))
            if falls * 5 > steps:
                return False
    return True


def _near(lines: Sequence[Line]) -> int:
    """How many of the lines have the same line on a page close by."""
    pages = [line.page for line in lines]
    close = {page for a, b in pairwise(pages) if b - a <= NEAR for page in (a, b)}
    return len(close)


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalpha())


def _named(texts: Sequence[str]) -> str:
    """The letters of the title pages and of all tables of contents, where the heads of a document have their words."""
    first = [text for text in texts if text.strip()][:2]
    contents = [line for text in texts for line in text.split("\n") if _CONTENTS.search(line)]
    return "|".join(_letters(normalise(part)) for part in (*first, *contents))


def _kin(mask: str, running: set[str]) -> bool:
    return len(mask) >= KIN_LETTERS and any(mask[:KIN_LETTERS] == other[:KIN_LETTERS] for other in running)


class _Document:
    """What the edges of all pages show together."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.edges: list[Edges] = []
        self.inner: dict[str, int] = defaultdict(int)
        for page, text in enumerate(texts):
            edges, inner = _edges(page, text)
            self.edges.append(edges)
            for mask in inner:
                self.inner[mask] += 1
        self.filled = sum(edges.filled > 0 for edges in self.edges)
        self.named = _named(texts)
        self.running: tuple[set[str], set[str]] = (set(), set())
        self.repeated: tuple[set[str], set[str]] = (set(), set())
        for side in (0, 1):
            self._find(side)
        self._spare_copies()

    def side(self, page: int, side: int) -> tuple[Line, ...]:
        """The lines at the top (0) or bottom (1) of a page."""
        return self.edges[page].bottom if side else self.edges[page].top

    def _find(self, side: int) -> None:
        groups: dict[str, dict[int, Line]] = defaultdict(dict)
        for page in range(len(self.edges)):
            for line in self.side(page, side):
                groups[line.mask].setdefault(page, line)
        found = {mask: list(by_page.values()) for mask, by_page in groups.items() if len(by_page) >= 2}
        self.repeated[side].update(mask for mask, lines in found.items() if len(lines) >= UNDER_COUNT)
        proper = {mask: lines for mask, lines in found.items() if self._may_run(mask, lines)}
        whole = {mask for mask, lines in proper.items() if self._whole(lines)}
        local = {mask for mask, lines in proper.items() if mask not in whole and self._local(mask, lines, side, whole)}
        kin = {mask for mask, lines in proper.items() if len(lines) >= UNDER_COUNT and _kin(mask, whole | local)}
        self.running[side].update(whole | local | kin)

    def _may_run(self, mask: str, lines: list[Line]) -> bool:
        words = mask.replace("#", "")
        letters = sum(char.isalpha() for char in words)
        if letters < (2 if any(ord(char) > 0x2E80 for char in words) else 3) or _HEADING.fullmatch(mask):
            return False
        # On pages of a few lines nothing tells head from text; a line that stands within pages as well is body.
        short = sum(self.edges[line.page].filled < FEW for line in lines)
        return short * 2 <= len(lines) and self.inner[mask] * 10 <= len(lines) * 4 and _steady(lines)

    def _whole(self, lines: list[Line]) -> bool:
        if len(lines) >= 3:
            return len(lines) > WHOLE_SHARE * self.filled
        same = len({line.text for line in lines}) == 1
        long = all(self.edges[line.page].filled >= 2 * EDGE for line in lines)
        return self.filled == 2 == len(lines) and same and long and not _OPEN_END.search(lines[0].text)

    def _local(self, mask: str, lines: list[Line], side: int, whole: set[str]) -> bool:
        """A head that changes by chapter.

        The head of a table or a placeholder may stand at the edge of some pages too: the head must have a number that
        grows with the pages, or be named on the title page or in the table of contents.
        """
        grows = any(len({line.numbers[slot] for line in lines if len(line.numbers) > slot}) > 1 for slot in range(3))
        letters = _letters(mask)
        if not grows and (len(letters) < NAMED_LETTERS or letters not in self.named):
            return False
        if sum(bool(_OPEN_END.search(line.text)) for line in lines) * 2 > len(lines) or mask.startswith(("[", "(")):
            return False
        under = sum(any(o.mask in whole for o in self.side(line.page, side)[: line.depth + 2]) for line in lines)
        wanted = UNDER_COUNT if under * 2 > len(lines) else LOCAL_COUNT
        tables = sum(self._over_row(line, side) for line in lines)
        return _near(lines) >= wanted and tables * 2 <= len(lines)

    def _over_row(self, line: Line, side: int) -> bool:
        for inner in self.side(line.page, side)[line.depth + 1 : line.depth + 2]:
            words = inner.text.split()
            return sum(bool(_CELL.fullmatch(word)) for word in words) * 3 >= len(words) and len(words) > 1
        return False

    def _spare_copies(self) -> None:
        """Takes back what covers most of its pages: those are copies of one form, not pages under one head."""
        copied: dict[tuple[int, str], list[bool]] = defaultdict(list)
        for page, edges in enumerate(self.edges):
            lines = {(side, line.mask): line.index for side in (0, 1) for line in self.side(page, side)}
            running = {key: index for key, index in lines.items() if key[1] in self.running[key[0]]}
            for key in running:
                copied[key].append(len(set(running.values())) * 2 > edges.filled)
        for (side, mask), pages in copied.items():
            if sum(pages) * 2 > len(pages):
                self.running[side].discard(mask)


def _numbers(document: _Document, labels: Sequence[str]) -> set[tuple[int, int]]:
    """(page, line) of what is a page number: at an edge, with nothing but running lines outside of it."""
    candidates: list[PageNumber] = []
    for page in range(len(document.edges)):
        for side in (0, 1):
            for line in document.side(page, side):
                number = page_number(line.text, page, line.index, side, labels[page])
                if number:
                    candidates.append(number)
                elif line.mask not in document.running[side] and not _beside(document, page, side, line):
                    break
    return {(number.page, number.line) for number in certain_numbers(candidates)}


def _beside(document: _Document, page: int, side: int, line: Line) -> bool:
    """True for a repeated line outside of a running one, such as `§ 109` over the head: the body never stands there."""
    inner = document.side(page, side)[line.depth + 1 : line.depth + 3]
    running = document.running[side]
    if _HEADING.fullmatch(line.mask) and line.mask.strip("#") != "§":
        return False
    kin = line.mask in document.repeated[side] or any(line.mask == mask.strip("#") for mask in running)
    return kin and len(line.text) <= 60 and any(other.mask in running for other in inner)


def _peel(document: _Document, page: int, side: int, numbers: set[tuple[int, int]]) -> Iterator[int]:
    """Indexes of the lines to go, from the edge inwards up to the first that is none."""
    for line in document.side(page, side):
        number = (page, line.index) in numbers
        if not number and line.mask not in document.running[side] and not _beside(document, page, side, line):
            return
        yield line.index


def find_furniture(texts: Sequence[str], labels: Sequence[str]) -> list[tuple[int, ...]]:
    """For each page the indexes of its lines that are running heads, footers or page numbers.

    Digits are masked before lines are compared, so that `Page 3 of 14` is `Page 4 of 14`; the masked numbers must stay
    or grow from page to page. What stands alone on its pages, within pages, or looks like the heading of a clause is
    no running line.
    """
    document = _Document(texts)
    numbers = _numbers(document, labels)
    found: list[tuple[int, ...]] = []
    for page in range(len(texts)):
        gone = {index for side in (0, 1) for index in _peel(document, page, side, numbers)}
        found.append(tuple(sorted(gone)))
    return found
