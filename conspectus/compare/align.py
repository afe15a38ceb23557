"""Which clause of one version is which of another: by their words, by their numbers, by likeness."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel, LCSseq

from conspectus.document import ClauseKind, Language, Source
from conspectus.text import normalise

ALIKE = 0.5  # likeness from which a clause is another one changed
ALIKE_IN_PLACE = 0.3  # the same, under the same number between the same neighbours or under the same heading
SAME_NUMBER, SAME_HEADING, SAME_PLACE = 0.2, 0.1, 0.05  # what speaks for a pair besides its words
EVERY_PAIR = 40_000  # pairs up to which all are compared
RARE = 12  # clauses that a run of words may stand in, to lead from one to another
BEST = 6  # likeliest partners that are compared in a long document
SHINGLE = 4
_LEADERS = re.compile(r"(?:\.\s?){3,}|…+|·{3,}|_{3,}")
_PAGE_NUMBER = re.compile(r"(?:[\s.…·_]+)(?:\d{1,4}|[ivxlc]{1,6})[ \t]*$", re.M | re.I)
_NUMBER_END = " \t.:)）、．—–-"


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause as it is compared: its words without its number, in the form in which texts are compared.

    White space is no part of `words`: where a line ends says nothing.
    """

    clause: int
    number: str
    heading: str
    parent: str
    body: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A clause of the old version and what it is in the new one, by position; `likeness` is 1.0 for the same words."""

    old: int
    new: int
    likeness: float
    renumbered: bool = False
    moved: bool = False

    @property
    def same(self) -> bool:
        """True where both have the same words."""
        return self.likeness == 1.0


def units_of(source: Source) -> tuple[Unit, ...]:
    """The clauses of a document as they are compared; page numbers of a table of contents do not count."""
    units: list[Unit] = []
    for position, clause in enumerate(source.clauses):
        text = source.document.text[clause.start : clause.end]
        if clause.kind is ClauseKind.FRONT and (clause.heading or _LEADERS.search(text)):
            text = _PAGE_NUMBER.sub("", _LEADERS.sub(" ", text))
        number = normalise(clause.number)
        body = _without_number(normalise(text), number)
        parent = _bare(normalise(clause.path[-1])) if clause.path else ""
        words = tuple(_words_of(body, source.language))
        units.append(Unit(position, number.strip(_NUMBER_END), normalise(clause.heading), parent, body, words))
    return tuple(units)


def _words_of(body: str, language: Language) -> Iterator[str]:
    pattern = r"[A-Za-z0-9.,]+|\S" if language is Language.ZH else r"\w+|[^\w\s]"
    return (match[0] for match in re.finditer(pattern, body))


def _without_number(body: str, number: str) -> str:
    plain = body.lstrip("#* ")
    return plain[len(number) :].lstrip(_NUMBER_END) if number and plain.startswith(number) else body


def _bare(heading: str) -> str:
    """A heading without its number: the same part of a document, whatever stands before it."""
    return re.sub(r"^(?:[\dIVXLC.]+|第\S+?[编章节部])[.\s:、]*", "", heading) or heading


def align(old: Sequence[Unit], new: Sequence[Unit]) -> tuple[Pair, ...]:
    """The clauses that stand in both versions, in the order of the new one; each is in one pair at most.

    First those with the same number and words in the same order, then those with the same words in the same order,
    then anywhere, then those that are alike. `moved` are the fewest that must be taken out for the rest to be in order.
    """
    pairs: list[Pair] = []
    left = list(range(len(old))), list(range(len(new)))
    for key in (lambda unit: (unit.number, unit.words), lambda unit: unit.words):
        pairs += _in_sequence(old, new, left, key)
    pairs += _anywhere(old, new, left)
    pairs += _alike(old, new, left, pairs)
    pairs.sort(key=lambda pair: pair.new)
    stay = _longest_rising([pair.old for pair in pairs])
    return tuple(
        replace(pair, renumbered=old[pair.old].number != new[pair.new].number, moved=place not in stay)
        for place, pair in enumerate(pairs)
    )


Left = tuple[list[int], list[int]]


def _in_sequence(old: Sequence[Unit], new: Sequence[Unit], left: Left, key: Callable[[Unit], Hashable]) -> list[Pair]:
    """The longest sequence of clauses with the same key in both; they are taken out of `left`."""
    first, second = ([key(side[i]) for i in rest] for side, rest in ((old, left[0]), (new, left[1])))
    numbers = {value: place for place, value in enumerate(dict.fromkeys([*first, *second]))}
    found: list[Pair] = []
    for block in LCSseq.opcodes([numbers[k] for k in first], [numbers[k] for k in second]):
        if block.tag == "equal":
            places = zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)
            found += [Pair(left[0][a], left[1][b], 1.0) for a, b in places]
    _take(left, found)
    return found


def _anywhere(old: Sequence[Unit], new: Sequence[Unit], left: Left) -> list[Pair]:
    """Clauses with the same words, wherever they went."""
    there: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in reversed(left[1]):
        there[new[place].words].append(place)
    found = [Pair(place, there[words].pop(), 1.0) for place in left[0] if (words := old[place].words) and there[words]]
    _take(left, found)
    return found


def _alike(old: Sequence[Unit], new: Sequence[Unit], left: Left, anchors: Sequence[Pair]) -> list[Pair]:
    """Of the clauses that are left those that are likely the same one changed, the likeliest first."""
    gaps = _gaps(left[0], [pair.old for pair in anchors]), _gaps(left[1], [pair.new for pair in anchors])
    partner = {pair.old: pair.new for pair in anchors}
    scored: list[tuple[float, int, int, float]] = []
    for a, b in _candidates(old, new, left):
        likeness = _likeness(old[a], new[b])
        before = gaps[0][a]
        beside = partner.get(before, -1) == gaps[1][b]
        number = bool(old[a].number) and old[a].number == new[b].number
        heading = bool(old[a].heading) and old[a].heading == new[b].heading
        # Front matter and paragraphs have neither number nor heading: then the place alone speaks for a pair.
        placed = (number and (beside or old[a].parent == new[b].parent)) or heading
        if likeness >= ALIKE or (placed and likeness >= ALIKE_IN_PLACE):
            score = likeness + number * SAME_NUMBER + heading * SAME_HEADING + beside * SAME_PLACE
            scored.append((-score, a, b, min(likeness, 0.999)))
    taken: tuple[set[int], set[int]] = (set(), set())
    found: list[Pair] = []
    for _, a, b, likeness in sorted(scored):
        if a not in taken[0] and b not in taken[1]:
            taken[0].add(a)
            taken[1].add(b)
            found.append(Pair(a, b, likeness))
    _take(left, found)
    return found


def _likeness(one: Unit, other: Unit) -> float:
    return Indel.normalized_similarity(one.words, other.words, score_cutoff=ALIKE_IN_PLACE)


def _candidates(old: Sequence[Unit], new: Sequence[Unit], left: Left) -> Iterator[tuple[int, int]]:
    """Pairs worth comparing: all of them, or in a long document those with a number or rare words in common."""
    if len(left[0]) * len(left[1]) <= EVERY_PAIR:
        yield from ((a, b) for a in left[0] for b in left[1])
        return
    numbered: dict[str, list[int]] = defaultdict(list)
    shingled: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for b in left[1]:
        numbered[new[b].number].append(b)
        for shingle in _shingles(new[b]):
            shingled[shingle].append(b)
    for a in left[0]:
        votes = Counter(b for s in _shingles(old[a]) if len(shingled.get(s, ())) <= RARE for b in shingled.get(s, ()))
        likely = [b for b, _ in votes.most_common(BEST)]
        same = numbered[old[a].number][:RARE] if old[a].number else []
        yield from ((a, b) for b in dict.fromkeys([*likely, *same]))


def _shingles(unit: Unit) -> set[tuple[str, ...]]:
    return {unit.words[at : at + SHINGLE] for at in range(max(1, len(unit.words) - SHINGLE + 1))}


def _gaps(left: Sequence[int], anchors: Sequence[int]) -> dict[int, int]:
    """For each clause that is left the last aligned one before it; -1 where there is none."""
    placed = sorted(anchors)
    return {place: placed[at - 1] if (at := bisect_left(placed, place)) else -1 for place in left}


def _take(left: Left, found: Sequence[Pair]) -> None:
    gone = {pair.old for pair in found}, {pair.new for pair in found}
    for rest, taken in zip(left, gone, strict=True):
        rest[:] = [place for place in rest if place not in taken]


def _longest_rising(values: Sequence[int]) -> set[int]:
    """Places of the longest rising sequence among distinct values."""
    ends: list[int] = []  # places, by the length of the sequence that ends there
    tops: list[int] = []
    before: dict[int, int] = {}
    for place, value in enumerate(values):
        at = bisect_left(tops, value)
        before[place] = ends[at - 1] if at else -1
        ends[at:] = [place, *ends[at + 1 :]]
        tops[at:] = [value, *tops[at + 1 :]]
    found: set[int] = set()
    place = ends[-1] if ends else -1
    while place >= 0:
        found.add(place)
        place = before[place]
    return found
