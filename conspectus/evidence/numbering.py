"""Which numbered lines are headings: those whose numbers form a sequence.

At each level the chain of candidates is chosen that explains most of them: 1, 2, 3, with small gaps where a page was
misread, starting anew under a heading further out. A cross reference at the start of a line ("Section 5 shall not
apply") would need a jump there and back and is left out.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Levels of headings, outermost first. A number of n parts (4.2.1) stands at PARTS + n, whatever word precedes it.
SCHEDULE_LEVEL = 0
INNER_CONTAINER = 4
ARTICLE_LEVEL = 5
SECTION_LEVEL = 6
NUMBER_LEVEL = 7
LIMB_LEVEL = 8
PARTS_LEVEL = 8

GAP = 3
JUMP = 3.0
NEAR = 6000  # characters in which 1.1 follows its 1
KEPT = 16  # chain ends that a heading is compared with, besides those with the numbers just below its own
LISTS = ("numbered", "roman", "、", "（）")


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that may be a heading: `level` 0 is outermost, `values` its number, `rest` what stands after it.

    `suffix` counts what was inserted beside a number: 第十条之一, § 104A. `weight` says how much it looks like a
    heading apart from its number: 1 for "§ 5 · Fees" on a line of its own, less for what may be a cross reference.
    """

    start: int
    level: int
    kind: str
    values: tuple[int, ...]
    number: str
    rest: str
    line_end: int
    weight: float = 1.0
    suffix: int = 0

    @property
    def slot(self) -> tuple[int, str]:
        """Headings of one level and kind count together."""
        return (self.level, self.kind)


def _opening(values: tuple[int, ...]) -> float:
    """What it costs to start a chain at a number above 1."""
    return min(JUMP, 0.5 * (values[-1] - 1)) if values[-1] > 1 else 0.0


def _step(before: Heading, after: Heading, fresh: bool) -> float | None:
    """What it costs to go from one number to the next; None where no chain may do so. `fresh`: under a new heading."""
    a, b = before.values, after.values
    if before.start == after.start:
        return None  # two readings of one line
    if a[:-1] != b[:-1]:
        return _opening(b) if b[:-1] > a[:-1] or fresh else None
    gap = b[-1] - a[-1]
    if gap == 0 and after.suffix > before.suffix:
        return 0.25 * (after.suffix - before.suffix - 1)
    if gap >= 1:
        inserted = 0.5 if after.suffix else 0.0
        if len(b) > 1:
            return min(JUMP, 0.3 * (gap - 1))  # its parent vouches for it
        return inserted + (0.5 * (gap - 1) if gap <= GAP else 0.5 if fresh else JUMP)
    if fresh:
        return _opening(b)
    # Exhibits that are listed first and attached later: one of the two runs, not both.
    return JUMP * (1 if after.level >= ARTICLE_LEVEL else 3) if b[-1] == 1 and gap < 0 else None


class _Chains:
    """The best chains so far of one slot, by their last heading."""

    def __init__(self, candidates: Sequence[Heading], outer: Sequence[int]) -> None:
        self.candidates = candidates
        self.epochs = [bisect_right(outer, heading.start) for heading in candidates]
        self.scores: list[float] = []
        self.back: list[int] = []
        self._by_values: dict[tuple[int, ...], int] = {}
        self._by_suffix: dict[tuple[tuple[int, ...], int], int] = {}
        self._top: list[int] = []
        self._before_epoch = -1
        self._best = -1

    def _sources(self, index: int) -> list[int]:
        """Chain ends that the heading may follow, the latest first."""
        heading = self.candidates[index]
        *parent, last = heading.values
        found = {*self._top, *range(max(0, index - 3), index)}
        if self._before_epoch >= 0:
            found.add(self._before_epoch)
        for value in range(last - GAP, last + 1):
            if (known := self._by_values.get((*parent, value))) is not None:
                found.add(known)
        for suffix in range(max(0, heading.suffix - 2), heading.suffix):
            if (known := self._by_suffix.get((heading.values, suffix))) is not None:
                found.add(known)
        return sorted(found, reverse=True)

    def add(self, index: int) -> None:
        """Finds the best chain that ends with a heading."""
        heading = self.candidates[index]
        if index and self.epochs[index] != self.epochs[index - 1]:
            self._before_epoch = self._best
        score, source = heading.weight - _opening(heading.values) - 0.5 * (heading.suffix > 0), -1
        for previous in self._sources(index):
            cost = _step(self.candidates[previous], heading, self.epochs[index] > self.epochs[previous])
            if cost is not None and self.scores[previous] + heading.weight - cost > score:
                score, source = self.scores[previous] + heading.weight - cost, previous
        self.scores.append(score)
        self.back.append(source)
        self._remember(index, heading)

    def _remember(self, index: int, heading: Heading) -> None:
        score = self.scores[index]
        if self._best < 0 or score >= self.scores[self._best]:
            self._best = index
        known = self._by_values.get(heading.values)
        if known is None or score >= self.scores[known]:
            self._by_values[heading.values] = index
        key = (heading.values, heading.suffix)
        known = self._by_suffix.get(key)
        if known is None or score >= self.scores[known]:
            self._by_suffix[key] = index
        self._top.append(index)
        if len(self._top) > KEPT:
            self._top.remove(min(self._top, key=lambda at: (self.scores[at], at)))

    def best(self) -> list[Heading]:
        """The best chain. Of equal ones the last wins: a list of exhibits comes before what it lists."""
        at = self._best
        if at < 0 or self.scores[at] <= 0:
            return []
        chain: list[Heading] = []
        while at >= 0:
            chain.append(self.candidates[at])
            at = self.back[at]
        return chain[::-1]


def _lone(chain: Sequence[Heading], children: Mapping[tuple[int, ...], Sequence[int]]) -> set[int]:
    """Starts of headings of list kinds that are alone in their run: a single "1." is no list, but 1. with 1.1 is.

    `children` has the offsets of the candidates under each number.
    """
    lone: set[int] = set()
    run: list[Heading] = []
    for heading in [*chain, None]:
        if heading is None or (run and heading.values <= run[-1].values):
            first = run[0] if len(run) == 1 else None
            if first and (first.kind in LISTS or first.level == LIMB_LEVEL) and len(first.values) == 1:
                below = children.get(first.values, ())
                at = bisect_right(below, first.start)
                if at == len(below) or below[at] - first.start > NEAR:
                    lone.add(first.start)
            run = []
        if heading is not None:
            run.append(heading)
    return lone


def _under(candidates: Sequence[Heading], accepted: Sequence[Heading]) -> list[Heading]:
    """The candidates that may stand where they are: 4.2 under 4, or where 4 may be missing, after 3.

    The last heading of each kind is asked: a stray "200 Main Street." does not part 9.4 from Article 9.
    """
    if not candidates or len(candidates[0].values) == 1:
        return list(candidates)
    parts = len(candidates[0].values)
    parents = [other for other in accepted if len(other.values) == parts - 1 and other.level >= ARTICLE_LEVEL]
    last: dict[str, tuple[int, ...]] = {}
    paused: dict[str, tuple[int, ...]] = {}  # what a list inside 4.1 that counts from 1 interrupts
    kept: list[Heading] = []
    at = 0
    for heading in candidates:
        while at < len(parents) and parents[at].start < heading.start:
            kind, values = parents[at].kind, parents[at].values
            if values <= last.get(kind, (0,)):
                paused[kind] = last[kind]
            last[kind] = values
            at += 1
        wanted = heading.values[:-1]
        if (
            wanted in paused.values()
            or not last
            or any(
                wanted == above or (wanted[:-1] == above[:-1] and 0 < wanted[-1] - above[-1] <= GAP)
                for above in last.values()
            )
        ):
            kept.append(heading)
    return kept


def in_sequence(found: Sequence[Heading], fixed: Sequence[Heading] = ()) -> list[Heading]:
    """The candidates that are headings, in the order of the text. Levels are decided from the outside in.

    `fixed` are headings that need no sequence (Markdown titles, bookmarks); numbers may start anew under them.
    """
    slots: dict[tuple[int, str], list[Heading]] = {}
    children: dict[tuple[int, ...], list[int]] = {}
    for heading in sorted(found, key=lambda heading: heading.start):
        slots.setdefault(heading.slot, []).append(heading)
        if len(heading.values) > 1:
            children.setdefault(heading.values[:-1], []).append(heading.start)
    accepted: list[Heading] = list(fixed)
    for slot in sorted(slots):
        outer = [heading.start for heading in accepted if heading.level < slot[0]]
        chains = _Chains(_under(slots[slot], accepted), outer)
        for index in range(len(chains.candidates)):
            chains.add(index)
        chain = chains.best()
        taken = {heading.start for heading in accepted} | _lone(chain, children)
        accepted += [heading for heading in chain if heading.start not in taken]
        accepted.sort(key=lambda heading: heading.start)
    return accepted
