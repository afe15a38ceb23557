"""Reading order from positions: columns that were drawn row by row, lines that were drawn from the bottom up.

Most files draw their columns one after the other and need nothing. Here only pages are touched whose rows jump from
column to column and whose columns are filled with prose: a table jumps as well, but its cells are short and ragged.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from conspectus.pdf.walk import Show

MIN_ROWS = 6
FILLED = 0.5  # of the column's width: the middle one of its lines
EVEN = 0.7  # this share of its lines is at least this share of its long ones
GAP_EMS = 1.6
SNAP = 4.0


@dataclass(slots=True)
class Segment:
    """A run of text on one row: its operators and where it begins and about ends."""

    ops: list[int]
    x: float
    end: float
    y: float
    size: float


@dataclass(frozen=True, slots=True)
class Order:
    """Groups of operators, each to be read as a text of its own, in this order; `why` is for the reader."""

    groups: tuple[frozenset[int], ...]
    why: str


def rows_of(shows: list[Show]) -> list[list[Segment]]:
    """The rows of a page from top to bottom, each as its segments from left to right."""
    rows: list[list[Segment]] = []
    ordered = sorted((show for show in shows if show.width > 0), key=lambda show: (-show.y, show.x))
    for show in ordered:
        if rows and abs(rows[-1][0].y - show.y) <= 0.3 * max(show.size, 1.0):
            rows[-1].append(Segment([show.op], show.x, show.x + show.width, show.y, show.size))
        else:
            rows.append([Segment([show.op], show.x, show.x + show.width, show.y, show.size)])
    return [_merged(row) for row in rows]


def _merged(row: list[Segment]) -> list[Segment]:
    row.sort(key=lambda segment: segment.x)
    merged = [row[0]]
    for segment in row[1:]:
        last = merged[-1]
        if segment.x - last.end < GAP_EMS * segment.size:
            last.ops += segment.ops
            last.end = max(last.end, segment.end)
        else:
            merged.append(segment)
    return merged


def _starts(rows: list[list[Segment]]) -> list[float]:
    """Left edges of the columns: those at which segments begin on at least half of the rows with several segments."""
    several = [row for row in rows if len(row) in (2, 3)]
    if len(several) < MIN_ROWS or len(several) < 0.4 * len(rows):
        return []
    edges = Counter(round(segment.x / SNAP) for row in several for segment in row)
    starts: list[float] = []
    for edge, _ in edges.most_common(6):
        count = edges[edge] + edges[edge - 1] + edges[edge + 1]
        if count >= 0.5 * len(several) and all(abs(edge * SNAP - start) > 60 for start in starts):
            starts.append(edge * SNAP)
    return sorted(starts)


def _column(segment: Segment, starts: list[float]) -> int | None:
    """The column that holds a segment as a whole; None for one that crosses a gutter or begins before the first."""
    inside = [index for index, start in enumerate(starts) if segment.x >= start - 1.5 * SNAP]
    if not inside:
        return None
    column = inside[-1]
    # Widths are estimates: only what reaches well into the next column crosses.
    crosses = column + 1 < len(starts) and segment.end > starts[column + 1] + 4 * segment.size
    return None if crosses else column


def _prose(rows: list[list[Segment]], starts: list[float]) -> bool:
    """True where in each column most rows are filled, as lines of prose are; cells of a table are not."""
    width = min(after - before for before, after in pairwise(starts))
    for column in range(len(starts)):
        lengths = sorted(
            segment.end - segment.x for row in rows for segment in row if _column(segment, starts) == column
        )
        if len(lengths) < MIN_ROWS:
            return False
        usual = lengths[int(0.9 * (len(lengths) - 1))]
        full = sum(length >= EVEN * usual for length in lengths)
        if lengths[len(lengths) // 2] < FILLED * width or full < EVEN * len(lengths):
            return False
    return True


def _jumps(rows: list[list[Segment]], starts: list[float]) -> bool:
    """True where the drawing order goes from column to column on most rows."""
    drawn = sorted((min(segment.ops), _column(segment, starts)) for row in rows for segment in row)
    columns = [column for _, column in drawn if column is not None]
    changes = sum(one != other for one, other in pairwise(columns))
    return changes >= 0.6 * len(rows)


def find_order(shows: list[Show]) -> Order | None:
    """The order to read a page in where it is not the order of drawing; None for nearly all pages."""
    if len(shows) < MIN_ROWS or not all(show.upright for show in shows):
        return None
    rows = rows_of(shows)
    if len(rows) < MIN_ROWS:
        return None
    firsts = [min(min(segment.ops) for segment in row) for row in rows]
    backwards = sum(one > other for one, other in pairwise(firsts))
    if backwards == len(rows) - 1:
        return Order(tuple(_ops(row) for row in rows), "lines drawn from the bottom up were put in order")
    starts = _starts(rows)
    if len(starts) not in (2, 3) or not _prose(rows, starts) or not _jumps(rows, starts):
        return None
    return Order(tuple(_bands(rows, starts)), f"{len(starts)} columns were put in order")


def _ops(row: list[Segment]) -> frozenset[int]:
    return frozenset(op for segment in row for op in segment.ops)


def _bands(rows: list[list[Segment]], starts: list[float]) -> list[frozenset[int]]:
    """Rows over the whole width one by one; between them column after column."""
    groups: list[frozenset[int]] = []
    band: list[list[Segment]] = [[] for _ in starts]

    def close() -> None:
        groups.extend(_ops(column) for column in band if column)
        for column in band:
            column.clear()

    for row in rows:
        places = [_column(segment, starts) for segment in row]
        if None in places:
            close()
            groups.append(_ops(row))
            continue
        for segment, place in zip(row, places, strict=True):
            band[place or 0].append(segment)
    close()
    return groups
