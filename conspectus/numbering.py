"""Which numbered lines are headings: those whose numbers form a sequence.

At each level the chain of candidates is chosen that explains most of them: 1, 2, 3, with small gaps where a page was
misread, starting anew under a heading further out. A cross reference at the start of a line ("Section 5 shall not
apply") would need a jump there and back and is left out.
"""

from bisect import bisect_right
from dataclasses import dataclass

ARTICLE_LEVEL = 5
GAP = 3
WINDOW = 300
JUMP = 3.0
OUT_OF_LOOKS = 0.4


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that may be a heading: `level` 0 is outermost, `values` its number, `rest` what stands after it.

    `likely` is true where its looks, apart from the number, are those of a heading.
    """

    start: int
    level: int
    kind: str
    values: tuple[int, ...]
    number: str
    rest: str
    line_end: int
    likely: bool = True

    @property
    def slot(self) -> tuple[int, str]:
        """Headings of one level and kind count together."""
        return (self.level, self.kind)


def _opening(values: tuple[int, ...]) -> float:
    """What it costs to start a chain at a number above 1."""
    return min(JUMP, 0.5 * (values[-1] - 1)) if values[-1] > 1 else 0.0


def _parent(heading: Heading) -> tuple[int, ...]:
    """The number of the heading that this one must stand under; 第十条之一 counts beside 第十条."""
    return () if heading.kind == "条" else heading.values[:-1]


def _step(before: Heading, after: Heading, new_container: bool) -> float | None:
    """What it costs to go from one number to the next; None where no chain may do so."""
    a, b = before.values, after.values
    if _parent(before) != _parent(after):
        return _opening(b) if b[:-1] > a[:-1] or new_container else None
    if after.kind == "条":
        if b[0] == a[0]:
            return 0.0 if b[1] == a[1] + 1 or (a[1] == 0 and b[1] == 1) else None
        gap = b[0] - a[0]
    else:
        gap = b[-1] - a[-1]
    if gap >= 1:
        return 0.5 * (gap - 1) if gap <= GAP else JUMP
    if b[-1 if after.kind != "条" else 0] == 1:
        return 0.0 if new_container else JUMP
    return None


def _chain(candidates: list[Heading], outer: list[int]) -> list[Heading]:
    """The best chain of one slot. `outer` has the offsets of the accepted headings further out, ascending."""
    best: list[float] = []
    back: list[int] = []
    for index, heading in enumerate(candidates):
        gain = 1.0 if heading.likely else 1.0 - OUT_OF_LOOKS
        score, source = gain - _opening(heading.values), -1
        for previous in range(index - 1, max(-1, index - 1 - WINDOW), -1):
            before = candidates[previous]
            container = bisect_right(outer, heading.start) > bisect_right(outer, before.start)
            cost = _step(before, heading, container)
            if cost is not None and best[previous] + gain - cost > score:
                score, source = best[previous] + gain - cost, previous
            if cost == 0.0 and candidates[previous].values != heading.values and index - previous > 40:
                break
        best.append(score)
        back.append(source)
    if not best or max(best) <= 0:
        return []
    # Of equal chains the last wins: a list of exhibits or a table of contents comes before what it lists.
    at = max(range(len(best)), key=lambda index: (best[index], index))
    chain = []
    while at >= 0:
        chain.append(candidates[at])
        at = back[at]
    return chain[::-1]


def _under(heading: Heading, accepted: list[Heading]) -> bool:
    """True where the latest accepted heading one level out has the number that this one continues."""
    parent = _parent(heading)
    if not parent:
        return True
    above = [other for other in accepted if other.level == heading.level - 1 and other.start < heading.start]
    return not above or above[-1].values[-len(parent) :] == parent


def in_sequence(found: list[Heading]) -> list[Heading]:
    """The candidates that are headings, in the order of the text. Levels are decided from the outside in."""
    accepted: list[Heading] = []
    slots = sorted({heading.slot for heading in found})
    for slot in slots:
        outer = sorted(heading.start for heading in accepted if heading.level < slot[0])
        candidates = [heading for heading in found if heading.slot == slot and _under(heading, accepted)]
        accepted.extend(_chain(candidates, outer))
        accepted.sort(key=lambda heading: heading.start)
    return accepted
