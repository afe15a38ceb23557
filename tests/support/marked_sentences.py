"""The sentences marked by hand in the shared corpus: where they are and how a splitter is measured against them.

`tests/sentences/marks.jsonl` holds no word of the corpus. A line is a passage: its file (with the sha256 of the bytes),
the hash of its first WINDOW characters and of all of it, and its units in order. All offsets are counted in characters
that are no white space, from the start of the passage, so that they outlive a change in how lines are joined.

A unit is a sentence, a heading or a block (address, signature, form, row of a table). Its end is a boundary; `sure` is
false where a careful reader may see one or not (before a list, an address). `limbs` are the places inside a
sentence where a limb of its list ends, `free` those where a cut is neither right nor wrong: after a number that
opens a clause, at the line ends of an address. Neither sort counts against a splitter.
"""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MARKS = ROOT / "tests" / "sentences" / "marks.jsonl"
# Marked when the rules were done, at random places: no rule was made to fit them.
HELD_OUT = ROOT / "tests" / "sentences" / "held_out.jsonl"
CORPUS = ROOT.parent / "shared" / "corpus"
WINDOW = 24
_SAME = {0x37E: ";"}  # the Greek question mark, which many of the PDFs have for a semicolon


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, heading or block: where it ends, what makes it hard, and the cuts in it that do no harm."""

    end: int
    kind: str
    tag: str
    sure: bool
    limbs: tuple[int, ...]
    free: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of units in a file of the corpus."""

    file: str
    sha256: str
    language: str
    window: str
    text_hash: str
    nth: int
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Flat:
    """A text without its white space: `at[k]` is the offset of its k-th character that is none."""

    text: str
    words: str = field(init=False)
    at: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        at = tuple(i for i, char in enumerate(self.text) if not char.isspace())
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "words", "".join(self.text[i] for i in at).translate(_SAME))

    def count(self, offset: int) -> int:
        """How many characters that are no white space stand before `offset`."""
        return bisect_left(self.at, offset)


def digest(words: str) -> str:
    """The hash that the marks hold of a stretch of text."""
    return hashlib.sha256(words.encode()).hexdigest()[:32]


def passages(marks: Path = MARKS) -> list[Passage]:
    """All marked passages."""
    made = []
    for line in marks.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        units = tuple(
            Unit(end, kind, tag, bool(sure), tuple(limbs), tuple(free))
            for end, kind, tag, sure, limbs, free in row["units"]
        )
        made.append(Passage(row["file"], row["sha256"], row["language"], row["window"], row["text"], row["nth"], units))
    return made


def found(flat: Flat, wanted: Sequence[Passage]) -> dict[Passage, int]:
    """Where in `flat.words` each passage begins; a passage is left out where the text reads otherwise now."""
    windows: dict[str, list[int]] = {passage.window: [] for passage in wanted}
    for start in range(len(flat.words) - WINDOW + 1):
        places = windows.get(digest(flat.words[start : start + WINDOW]))
        if places is not None:
            places.append(start)
    where: dict[Passage, int] = {}
    for passage in wanted:
        length = passage.units[-1].end
        same = [s for s in windows[passage.window] if digest(flat.words[s : s + length]) == passage.text_hash]
        if len(same) > passage.nth:
            where[passage] = same[passage.nth]
    return where


@dataclass(slots=True)
class Score:
    """Boundaries found, missed and made up, and sentences got exactly right."""

    right: int = 0
    missed: int = 0
    false: int = 0
    exact: int = 0
    sentences: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.false)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.missed + self.false)

    def add(self, other: "Score") -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def scored(passage: Passage, cuts: set[int]) -> Iterator[tuple[Unit, Score, list[int]]]:
    """Each unit with its score and the cuts in it that should not be there. `cuts` as `Unit.end` is counted."""
    start = 0
    sure_start = True
    for unit in passage.units:
        inside = {cut for cut in cuts if start < cut < unit.end}
        false = sorted(inside - set(unit.limbs) - set(unit.free))
        hit = unit.end in cuts
        score = Score(false=len(false))
        if unit.sure:
            score.right, score.missed = int(hit), int(not hit)
        if unit.kind == "sentence":
            begun = not sure_start or start == 0 or start in cuts
            score.sentences, score.exact = 1, int(begun and not false and (hit or not unit.sure))
        yield unit, score, false
        start, sure_start = unit.end, unit.sure
