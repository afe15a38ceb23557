"""The changes of one document as a report shows them: each changed sentence once, its changed words marked."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from conspectus.report.changes import Changes, Point, TableName

TOKENS = 800  # between the first and the last changed word, up to which the words between them are compared
AROUND = 12  # tokens that stay on each side of a changed word in a long sentence
LONG = 3 * AROUND  # tokens that stay the same in a row, from which they are left out
CUT = 400  # characters of a sentence that is new or gone

_TOKEN = re.compile(
    r"[〇零一二两三四五六七八九十百千万亿]+|[\u2e80-\u9fff]|\d(?:[\d.,]*\d)?|[^\W\u2e80-\u9fff]+|\s+|[^\w\s]"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words; `marked` where the other version has others in their place."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One change: `kind` is added, removed or changed; `before` is empty of an added one, `now` of a removed one.

    `tables` are where in the digest it shows; clause and pages those of the present version, if it is there.
    """

    kind: str
    tables: tuple[TableName, ...]
    clause: str
    pages: str
    before: tuple[Piece, ...] = ()
    now: tuple[Piece, ...] = ()


def items_of(changes: Changes) -> tuple[Item, ...]:
    """The changes of a document: changed, added, removed; those of key terms and duties before those of lines alone.

    A sentence that shows in several tables is one item.
    """
    pairs: dict[tuple[str, str], list[tuple[Point, Point]]] = {}
    for before, now in changes.changed:
        same = before.quote == now.quote
        key = (before.text, now.text) if same else (before.quote or before.text, now.quote or now.text)
        pairs.setdefault(key, []).append((before, now))
    items = [
        Item("changed", _tables(now for _, now in found), found[0][1].clause, found[0][1].pages, *marked(*texts))
        for texts, found in pairs.items()
    ]
    told_before = {text for text, _ in pairs} | {before.quote for before, _ in changes.changed}
    told_now = {text for _, text in pairs} | {now.quote for _, now in changes.changed}
    for text, points in _grouped(changes.added, told_now).items():
        items.append(Item("added", _tables(points), points[0].clause, points[0].pages, now=(Piece(_cut(text)),)))
    for text, points in _grouped(changes.removed, told_before).items():
        items.append(Item("removed", _tables(points), points[0].clause, points[0].pages, before=(Piece(_cut(text)),)))
    order = ("changed", "added", "removed")
    return tuple(sorted(items, key=lambda item: (order.index(item.kind), item.tables == (TableName.LINES,))))


def _tables(points: Iterable[Point]) -> tuple[TableName, ...]:
    found = {point.table for point in points}
    return tuple(table for table in TableName if table in found)


def _grouped(points: Sequence[Point], told: set[str]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        text = point.quote or point.text
        if text not in told:
            found.setdefault(text, []).append(point)
    return found


def _cut(text: str) -> str:
    return text if len(text) <= CUT else f"{text[: CUT - 1]}…"


def marked(before: str, now: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces, what differs marked; long runs of the same words are left out as `…`.

    A number is one piece, in figures or in Chinese numerals; any other Chinese character is one.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(now)
    pieces: tuple[list[Piece], list[Piece]] = ([], [])
    codes = _codes(old, new)
    for place, (same, a, b, c, d) in enumerate(codes):
        for made, tokens in zip(pieces, (old[a:b], new[c:d]), strict=True):
            if not tokens:
                continue
            if same:
                made.append(Piece(_without_middle(tokens, first=place == 0, last=place == len(codes) - 1)))
            else:
                made.append(Piece(_cut("".join(tokens)), marked=True))
    return tuple(pieces[0]), tuple(pieces[1])


def _codes(old: list[str], new: list[str]) -> list[tuple[bool, int, int, int, int]]:
    """Runs of tokens, whether they are the same in both: old[a:b] and new[c:d]."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    ends = len(old) - tail, len(new) - tail
    codes = [(True, 0, head, 0, head)] if head else []
    if max(ends) - head > TOKENS:
        codes.append((False, head, ends[0], head, ends[1]))
    else:
        matcher = SequenceMatcher(None, old[head : ends[0]], new[head : ends[1]], autojunk=False)
        codes += [(tag == "equal", head + a, head + b, head + c, head + d) for tag, a, b, c, d in matcher.get_opcodes()]
    return [*codes, (True, ends[0], len(old), ends[1], len(new))] if tail else codes


def _alike(old: list[str], new: list[str]) -> int:
    """How many tokens are the same before the first one that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _without_middle(tokens: Sequence[str], *, first: bool, last: bool) -> str:
    """Equal words between two changes: those near a change stay."""
    if len(tokens) <= LONG:
        return "".join(tokens)
    head = "" if first else "".join(tokens[:AROUND])
    tail = "" if last else "".join(tokens[-AROUND:])
    return f"{head}…{tail}"
