"""Two versions of a document, clause against clause: what was added, removed, changed, moved and renumbered.

By code alone. A model may word a change afterwards (conspectus.compare.words); it never finds one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from conspectus.check.salient import salient
from conspectus.compare.align import Pair, align, units_of
from conspectus.compare.marks import Mark, MarkKind, Run, compared, plain_run
from conspectus.document import Document, Source, Verdict

# Of the smaller document's characters; below it two files are no versions of one document.
RELATED = 0.2


class Kind(StrEnum):
    """What became of a clause; each has exactly one, the first of these that is true of it."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    FOLLOWED = "reference followed"  # nothing but references that follow the new numbers
    MOVED = "moved"
    RENUMBERED = "renumbered"


class Status(StrEnum):
    """What a comparison found."""

    SAME = "no change"
    CHANGED = "changed"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Line:
    """One line about a side of a change: worded by a model and verified against `quote`, or the quote itself."""

    text: str
    verdict: Verdict
    quote: str
    pages: tuple[int, ...]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """A clause of one version: where it stands, its words in runs, and what a model said of its changed sentences.

    `pages` are 0-based indexes; `sentences` are indexes into the sentences of its document that the other side lacks.
    """

    clause: int
    label: str
    number: str
    heading: str
    path: tuple[str, ...]
    pages: tuple[int, ...]
    page_labels: tuple[str, ...]
    runs: tuple[Run, ...]
    sentences: tuple[int, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def quote(self) -> str:
        """The words of the clause as they stand in the document, white space folded."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Change:
    """One clause that is not as it was. `old` is None where it was added, `new` where it was removed.

    A changed clause may have been moved or renumbered besides.
    """

    kind: Kind
    old: Side | None
    new: Side | None
    marks: tuple[Mark, ...] = ()
    moved: bool = False
    renumbered: bool = False


@dataclass(frozen=True)
class Comparison:
    """All changes in the order of the new version; a removed clause stands where it stood in the old one.

    `unchanged` counts clauses with the same words under the same number and in the same order. `likeness` is the part
    of the smaller document's characters that stands in both. `failures` say why model calls failed.
    """

    old: Document
    new: Document
    status: Status
    changes: tuple[Change, ...]
    unchanged: int
    clauses: tuple[int, int]
    likeness: float
    model: str = ""
    fingerprint: str = ""
    failures: tuple[str, ...] = field(default=())

    @property
    def partial(self) -> bool:
        """True where a page of either file was not read, or a model call failed: a change may be missing."""
        return bool(self.failures) or any(page.unread for side in (self.old, self.new) for page in side.pages)

    def counts(self) -> dict[str, int]:
        """How many clauses of each kind, and how many are unchanged."""
        found = {kind.value: sum(change.kind is kind for change in self.changes) for kind in Kind}
        return {**found, "unchanged": self.unchanged}


def compare(old: Source, new: Source) -> Comparison:
    """The comparison of two versions. Nothing is asked of a model."""
    before, after = units_of(old), units_of(new)
    pairs = align(before, after)
    shared = sum(min(len(before[p.old].body), len(after[p.new].body)) * p.likeness for p in pairs)
    least = max(1, min(sum(len(unit.body) for unit in side) for side in (before, after)))
    likeness = min(1.0, shared / least)
    clauses = (len(before), len(after))
    if old.language is not new.language or likeness < RELATED:
        return Comparison(old.document, new.document, Status.UNRELATED, (), 0, clauses, likeness)
    numbers = {_as_cited(before[p.old].number): _as_cited(after[p.new].number) for p in pairs if before[p.old].number}
    changes = [change for pair in pairs if (change := _change(old, new, pair, numbers)) is not None]
    found = {pair.old for pair in pairs}, {pair.new for pair in pairs}
    changes += [_alone(old, unit.clause, Kind.REMOVED) for unit in before if unit.clause not in found[0]]
    changes += [_alone(new, unit.clause, Kind.ADDED) for unit in after if unit.clause not in found[1]]
    status = Status.CHANGED if changes else Status.SAME
    ordered = tuple(_in_order(changes, pairs))
    return Comparison(old.document, new.document, status, ordered, _unchanged(pairs), clauses, likeness)


def _unchanged(pairs: Sequence[Pair]) -> int:
    return sum(pair.same and not pair.moved and not pair.renumbered for pair in pairs)


def _change(old: Source, new: Source, pair: Pair, numbers: Mapping[str, str]) -> Change | None:
    """What became of a clause that stands in both versions; None where nothing did."""
    if pair.same:
        if not pair.moved and not pair.renumbered:
            return None
        kind = Kind.MOVED if pair.moved else Kind.RENUMBERED
        sides = (_side(old, pair.old, None), _side(new, pair.new, None))
        return Change(kind, *sides, moved=pair.moved, renumbered=pair.renumbered)
    first, second, marks = compared(_words(old, pair.old), _words(new, pair.new), new.language)
    follows = bool(marks) and all(_follows(mark, numbers) for mark in marks)
    mine, yours = _own_sentences(old, pair.old), _own_sentences(new, pair.new)
    return Change(
        Kind.FOLLOWED if follows else Kind.CHANGED,
        _side(old, pair.old, first, [index for index, words in mine.items() if words not in yours.values()]),
        _side(new, pair.new, second, [index for index, words in yours.items() if words not in mine.values()]),
        marks,
        moved=pair.moved,
        renumbered=pair.renumbered,
    )


def _as_cited(number: str) -> str:
    """A clause's number as a reference names it: 8.2, 第20条."""
    found = [token.value for token in salient(f"clause {number}") if token.kind == "reference"]
    return found[0] if found else number


def _follows(mark: Mark, numbers: Mapping[str, str]) -> bool:
    """True where a reference names what its old one named, under the new number; limbs are the same.

    In "clauses 3.2, 6.6 and 14.2" the later ones are numbers to look at.
    """
    if mark.kind is MarkKind.NUMBER:
        return "." in mark.old and numbers.get(mark.old) == mark.new
    if mark.kind is not MarkKind.REFERENCE or not (mark.old and mark.new):
        return False
    old, new = mark.old_value.partition("("), mark.new_value.partition("(")
    return old[2] == new[2] and numbers.get(old[0]) == new[0]


def _alone(source: Source, clause: int, kind: Kind) -> Change:
    side = _side(source, clause, None, list(_own_sentences(source, clause)))
    return Change(kind, side, None) if kind is Kind.REMOVED else Change(kind, None, side)


def _words(source: Source, clause: int) -> str:
    found = source.clauses[clause]
    return source.document.text[found.start : found.end]


def _own_sentences(source: Source, clause: int) -> dict[int, str]:
    """The words of each sentence of a clause, with what leads into a limb, by the sentence's index."""
    return {sentence.index: sentence.text for sentence in source.sentences if sentence.clause == clause}


def _side(source: Source, clause: int, runs: Sequence[Run] | None, sentences: Sequence[int] = ()) -> Side:
    found, document = source.clauses[clause], source.document
    words = _words(source, clause)
    start = found.start + len(words) - len(words.lstrip())
    pages = document.pages_of(start, max(start + 1, found.start + len(words.rstrip())))
    return Side(
        clause,
        found.label,
        found.number,
        found.heading,
        found.path,
        pages,
        tuple(document.pages[page].label for page in pages) if document.pages else (),
        tuple(runs) if runs is not None else (plain_run(words),),
        tuple(sentences),
    )


def _in_order(changes: Sequence[Change], pairs: Sequence[Pair]) -> Iterator[Change]:
    """By the place in the new version; a removed clause behind the last one before it that is still there."""
    place_of = {pair.old: pair.new for pair in pairs if not pair.moved}

    def place(change: Change) -> tuple[int, int]:
        if change.new is not None:
            return (change.new.clause, -1)
        assert change.old is not None
        before = [place_of[clause] for clause in range(change.old.clause) if clause in place_of]
        return (max(before, default=-1), change.old.clause)

    yield from sorted(changes, key=place)
