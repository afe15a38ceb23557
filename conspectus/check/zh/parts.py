"""A Chinese evidence in parts, each with what of it stands in the statement: laid side by side, character by character.

A part is a stretch between pauses. Parts make propositions (conditions, then what follows from them), propositions
make the sentences of a text; a lead with its limbs is one text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from rapidfuzz.distance import Indel

from conspectus.check.zh.lexicon import (
    AFTER,
    BEFORE,
    BUT,
    IF,
    LIGHT,
    MODALS,
    NUMBER_BASE,
    OPERATORS,
    PALE,
    UNLESS,
    WORDS,
)
from conspectus.check.zh.reading import Reading, is_number

_BREAK = re.compile(r"([。;；\n]| *\[(?:…|\.\.\.)\] *|[,，:：()（）])")
_PAUSE = re.compile(r"[。;；\n,，:：()（）\[]")
_HARD = re.compile(r"[。;；\n]|\[")
_LIST = re.compile("下列|以下|如下")
_VALUE_BASE = 0x100000
_GONE = 0.34


@dataclass(frozen=True)
class Part:
    """A stretch of the evidence: its text, the units of it that carry meaning, which of them the statement has."""

    text: str
    group: int
    units: tuple[tuple[int, str], ...]
    kept: frozenset[int]
    lead: bool = False
    limb: bool = False

    @cached_property
    def content(self) -> list[int]:
        """Places of the characters, roles and numbers, without operators and words that say little."""
        return [place for place, char in self.units if char not in OPERATORS and char not in PALE]

    @cached_property
    def share(self) -> float:
        """How much of it the statement has; 1 of nothing."""
        mine = self.content
        return sum(place in self.kept for place in mine) / len(mine) if mine else 1.0

    @cached_property
    def gone(self) -> bool:
        """Whether the statement leaves it out."""
        number = any(place in self.kept and char >= chr(_VALUE_BASE) for place, char in self.units)
        return bool(self.content) and self.share < _GONE and not number and not self._said_in_part

    @property
    def _said_in_part(self) -> bool:
        """Whether a stretch of it is there: the line restates it, however little of it."""
        mine = self.content
        return any(one in self.kept and other in self.kept for one, other in pairwise(mine))

    @cached_property
    def excepts(self) -> bool:
        """Whether it takes something out of what stands before it."""
        return UNLESS in self.text or self.text.lstrip().startswith(BUT)

    @cached_property
    def condition(self) -> bool:
        """Whether it says when or for whom, not what."""
        return bool(re.search(f"[的时]$|[{AFTER}{BEFORE}]$|^{IF}|期间$|情形$", self.text)) or UNLESS in self.text

    @cached_property
    def modal(self) -> bool:
        """Whether it says what must, may or must not be."""
        return any(char in MODALS for char in self.text)


def _units(text: str, reading: Reading, values: dict[str, str]) -> list[tuple[int, str]]:
    """(place, character) of all that carries meaning; equal numbers have equal characters."""
    found = []
    for place, char in enumerate(text):
        if is_number(char):
            value = reading.tokens[ord(char) - NUMBER_BASE].value.split()[0].strip("第条")
            found.append((place, values.setdefault(value, chr(_VALUE_BASE + len(values)))))
        elif char in OPERATORS or ((char.isalnum() or char >= "\U000f0000") and char not in LIGHT):
            found.append((place, char))
    return found


def _runs(places: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _aligned(said: str, source: str) -> set[int]:
    """Places of the source that stand in the statement: in order first, then what changed places."""
    kept: set[int] = set()
    used: set[int] = set()
    for op in Indel.opcodes(said, source):
        if op.tag == "equal":
            used |= set(range(op.src_start, op.src_end))
            kept |= set(range(op.dest_start, op.dest_end))
    while found := _next(said, source, used, kept):
        used |= {at for at, _ in found}
        kept |= {there for _, there in found}
    return kept


def _slid(kept: set[int], source: str, opens: set[int]) -> set[int]:
    """The same counterparts with each gap moved, where the text allows it, so that it begins where a part begins.

    Of "A, B A C" without "B A" the alignment may as well have lost "A B": what is gone is the part, not its half.
    """
    kept = set(kept)
    for run in list(_runs([i for i in range(len(source)) if i not in kept])):
        if run[0] not in opens and (moved := _moved_gap(run, kept, source, opens)):
            kept = (kept | set(run)) - set(moved)
    return kept


def _moved_gap(run: list[int], kept: set[int], source: str, opens: set[int]) -> range | None:
    """Where a gap may stand as well, at the beginning of a part; None where nowhere."""
    for step in (-1, 1):
        first, last = run[0], run[-1]
        while True:
            gone, back = (last, first - 1) if step < 0 else (first, last + 1)
            if back not in kept or source[gone] != source[back]:
                break
            first, last = first + step, last + step
            if first in opens:
                return range(first, last + 1)
    return None


def _next(said: str, source: str, used: set[int], kept: set[int]) -> list[tuple[int, int]]:
    """Pairs of equal places in the first two stretches, both without a counterpart so far, that share something."""
    open_said = list(_runs([i for i in range(len(said)) if i not in used]))
    for run in _runs([i for i in range(len(source)) if i not in kept]):
        for mine in open_said:
            if pairs := _moved(said[mine[0] : mine[-1] + 1], source[run[0] : run[-1] + 1]):
                return [(mine[0] + at, run[0] + there) for at, there in pairs]
    return []


def _moved(said: str, source: str) -> list[tuple[int, int]]:
    """Pairs of equal places in the longest stretches of two texts: two characters or more, a word, role or number."""
    blocks = SequenceMatcher(None, said, source, autojunk=False).get_matching_blocks()
    return [
        (block.a + n, block.b + n)
        for block in blocks
        if block.size >= 2 or (block.size and (said[block.a] >= "\U000f0000" or said[block.a] in WORDS))
        for n in range(block.size)
    ]


def _openings(text: str, units: list[tuple[int, str]]) -> set[int]:
    """Which units are the first of a part."""
    ends = [0, *(place for place, _ in units)]
    return {index for index, (place, _) in enumerate(units) if not index or _PAUSE.search(text[ends[index] : place])}


def parts_of(said: Reading, source: Reading) -> tuple[Part, ...]:
    """The parts of an evidence with what of each stands in the statement."""
    values: dict[str, str] = {}
    units = _units(source.text, source, values)
    mine, whole = ("".join(char for _, char in row) for row in (_units(said.text, said, values), units))
    kept = {units[index][0] for index in _slid(_aligned(mine, whole), whole, _openings(source.text, units))}
    lead_ends = _lead_end(source.text)
    found: list[Part] = []
    at = group = 0
    for piece in _BREAK.split(source.text):
        if _BREAK.fullmatch(piece):
            group += bool(_HARD.search(piece))
        elif piece.strip():
            own = tuple((place - at, char) for place, char in units if at <= place < at + len(piece))
            there = frozenset(place for place, _ in own if place + at in kept)
            found.append(Part(piece, group, own, there, at < lead_ends, -1 < lead_ends <= at))
        at += len(piece)
    return tuple(found)


def _lead_end(text: str) -> int:
    """Where the lead of a list ends; -1 where there is none."""
    colon = re.search("[:：]", text)
    if colon and _LIST.search(text[: colon.start()]):
        return colon.start()
    ahead = re.search(rf"(?:{_LIST.pattern})[^。]{{0,40}}?(?=\s*\[)", text)
    return ahead.end() if ahead else -1
