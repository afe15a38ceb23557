"""What changed between two digests of one file: key terms, duties and lines that came, went or say something else.

It compares what is in two digest.json, never two documents: a line may also come or go because the length of the
digest, its model or this program changed. `conspectus compare` aligns the documents themselves.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy
from rapidfuzz import fuzz, process

from conspectus.document import Language
from conspectus.render.words import WORDS
from conspectus.text import normalise

ALIKE = 60.0  # likeness, of 100, from which one point is another one changed
SAME_LABEL = 30.0  # what speaks for a pair besides: the same kind and name of a term, who and must of a duty
SAME_CLAUSE = 5.0
PAIRS = 250_000  # pairs up to which all are compared; above, those of the same clause


class TableName(StrEnum):
    """Where in a digest a point stands; the values are stored and shown."""

    DOCUMENT = "document"
    TERMS = "key terms"
    DUTIES = "duties"
    LINES = "statements"


TABLES = (TableName.TERMS, TableName.DUTIES, TableName.LINES)


@dataclass(frozen=True, slots=True)
class Point:
    """One row of a digest, as text. Of DOCUMENT there is one, whose text is the sha256 of the file.

    `label` names what it is about ("date expiry", "the Tenant must"), `quote` are the words of the document.
    """

    table: TableName
    label: str
    text: str
    quote: str = ""
    clause: str = ""
    pages: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """What makes two points the same, wherever they stand: of a line its evidence, of a row its cells.

        The model may word a line anew when another line of its chunk changed: that is no change of the document.
        """
        return self.label, normalise(self.quote if self.table is TableName.LINES else self.text)


@dataclass(frozen=True, slots=True)
class Changes:
    """Points that came, that went, and pairs (before, now). Empty where both digests say the same.

    `same_document`: the file itself is the same to the byte; then only its digest was made anew.
    """

    added: tuple[Point, ...] = ()
    removed: tuple[Point, ...] = ()
    changed: tuple[tuple[Point, Point], ...] = ()
    same_document: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def read_points(path: Path) -> tuple[Point, ...] | None:
    """The points of a digest.json; None where the file is missing, torn, or no digest."""
    try:
        digest = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return points_of(digest) if isinstance(digest, dict) and "statements" in digest else None


def points_of(digest: Mapping[str, Any]) -> tuple[Point, ...]:
    """The points of a digest.json as plain data. Fields that are missing or odd are taken as empty, not as errors."""
    document = digest.get("document")
    about = document if isinstance(document, Mapping) else {}
    sha256 = _text(about.get("sha256"))
    said = WORDS[Language.ZH if about.get("language") == Language.ZH else Language.EN]["modality"]
    return (
        Point(TableName.DOCUMENT, "", sha256),
        *(_point(TableName.TERMS, row, *_term(row)) for row in _rows(digest, "key_terms")),
        *(_point(TableName.DUTIES, row, *_duty(row, said)) for row in _rows(digest, "duties")),
        *(_point(TableName.LINES, row, "", _text(row.get("text"))) for row in _rows(digest, "statements")),
    )


def _rows(digest: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = digest.get(name)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _joined(row: Mapping[str, Any], *names: str, by: str = " ") -> str:
    return by.join(filter(None, (_text(row.get(name)) for name in names)))


def _term(row: Mapping[str, Any]) -> tuple[str, str]:
    return _joined(row, "kind", "role", "name"), _joined(row, "name", "value", by=": ")


def _duty(row: Mapping[str, Any], said: Mapping[str, str]) -> tuple[str, str]:
    """`said` has the words for may and must in the language of the document."""
    modality = _text(row.get("modality"))
    label = _joined({**row, "modality": said.get(modality, modality)}, "who", "modality")
    return label, _joined({**row, "label": label}, "label", "what", "when", "condition", "exception")


def _point(table: TableName, row: Mapping[str, Any], label: str, text: str) -> Point:
    labels = row.get("page_labels")
    pages = ", ".join(map(str, labels)) if isinstance(labels, list | tuple) else ""
    return Point(table, label, text, _text(row.get("quote")), _text(row.get("clause")), pages)


def changes_between(old: Sequence[Point], new: Sequence[Point]) -> Changes:
    """What came, went and changed, each in the order of its digest. Pure: the same points, the same changes."""
    gone = _without(old, new)
    come = _without(new, old)
    pairs = [pair for table in TABLES for pair in _paired(_of(gone, table), _of(come, table))]
    before = {id(point) for point, _ in pairs}
    now = {id(point) for _, point in pairs}
    shas = [{point.text for point in points if point.table is TableName.DOCUMENT} for points in (old, new)]
    return Changes(
        added=tuple(point for table in TABLES for point in _of(come, table) if id(point) not in now),
        removed=tuple(point for table in TABLES for point in _of(gone, table) if id(point) not in before),
        changed=tuple(pairs),
        same_document=shas[0] == shas[1] and shas[0] not in (set(), {""}),
    )


def _of(points: Iterable[Point], table: TableName) -> list[Point]:
    return [point for point in points if point.table is table]


def _without(points: Sequence[Point], others: Sequence[Point]) -> list[Point]:
    """Points that have no equal among the others; two equal ones need two."""
    left = Counter((point.table, point.identity) for point in others)
    found: list[Point] = []
    for point in points:
        if left[point.table, point.identity]:
            left[point.table, point.identity] -= 1
        else:
            found.append(point)
    return found


def _paired(gone: list[Point], come: list[Point]) -> list[tuple[Point, Point]]:
    """The likest pairs first, each point in one pair at most; in the order of the new digest."""
    if len(gone) * len(come) <= PAIRS:
        groups = [(list(range(len(gone))), list(range(len(come))))]
    else:
        by_clause: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for place, points in enumerate((gone, come)):
            for at, point in enumerate(points):
                by_clause[point.clause][place].append(at)
        groups = [group for group in by_clause.values() if len(group[0]) * len(group[1]) <= PAIRS]
    scored = sorted(
        (-score, after, before)
        for befores, afters in groups
        for score, before, after in _scores(gone, come, befores, afters)
    )
    taken_before: set[int] = set()
    taken_after: dict[int, int] = {}
    for _, after, before in scored:
        if before not in taken_before and after not in taken_after:
            taken_before.add(before)
            taken_after[after] = before
    return [(gone[taken_after[after]], come[after]) for after in sorted(taken_after)]


def _scores(
    gone: list[Point], come: list[Point], befores: list[int], afters: list[int]
) -> Iterable[tuple[float, int, int]]:
    """(score, place before, place after) of the pairs of these places that are alike enough."""
    if not befores or not afters:
        return
    old = [gone[at] for at in befores]
    new = [come[at] for at in afters]
    scores = process.cdist(
        [point.identity[1] for point in old], [point.identity[1] for point in new], scorer=fuzz.ratio
    ).astype(float)
    for weight, names in (
        (SAME_LABEL, [[point.label for point in points] for points in (old, new)]),
        (SAME_CLAUSE, [[point.clause for point in points] for points in (old, new)]),
    ):
        first, second = (numpy.array(name, dtype=object) for name in names)
        scores += weight * ((first[:, None] == second[None, :]) & (first != "")[:, None]).astype(float)
    for row, column in zip(*numpy.nonzero(scores >= ALIKE), strict=True):
        yield float(scores[row, column]), befores[int(row)], afters[int(column)]


def changes_as_dict(changes: Changes) -> dict[str, Any]:
    """As JSON data; `changes_from` reads it back."""
    return asdict(changes)


def changes_from(data: object) -> Changes | None:
    """What `changes_as_dict` made; None for anything else."""
    if not isinstance(data, Mapping):
        return None
    try:
        return Changes(
            added=tuple(_point_from(row) for row in data["added"]),
            removed=tuple(_point_from(row) for row in data["removed"]),
            changed=tuple((_point_from(before), _point_from(now)) for before, now in data["changed"]),
            same_document=bool(data["same_document"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _point_from(row: Mapping[str, Any]) -> Point:
    cells = {name: str(row[name]) for name in ("label", "text", "quote", "clause", "pages")}
    return Point(TableName(row["table"]), **cells)
