"""What stands before the clauses: the table of contents and the recitals."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.document import Clause, ClauseKind
from conspectus.evidence.numbering import LIMB_LEVEL, Heading, in_sequence

TOC_LEADERS = re.compile(r"(?:(?:\.[ \u00a0]?){4,}|…{2,}|·{4,}|_{4,})[ \t\u00a0]*[0-9ivxlcA-Z-]{0,7}\s*$")
_TOC_PAGE = re.compile(r"[^\s.;:。；][ \t\u00a0]+(?P<page>[0-9]{1,4}|[A-Z]{1,2}-[0-9]{1,3}|[ivxl]{1,6})\s*$")
_TOC_TITLE = re.compile(
    r"^[ \t#*]*(?:table[ \t]+of[ \t]+contents|contents|arrangement of (?:sections|regulations|clauses)|"
    r"目[ \t\u3000]*[录錄次])[ \t*:：]*$",
    re.I,
)
ENTRY_MOST = 160  # characters between two headings of a table of contents
_WHEREAS = re.compile(r"^[ \t\u00a0\u3000]*(?:WHEREAS|Whereas|鉴于)[,:：，]?(?=\s|\S)", re.M)
_DIGIT = re.compile(r"^[ \t]*\((?P<mark>[0-9]{1,3})\)[ \t\u00a0]+\S", re.M)
_LETTER = re.compile(r"^[ \t]*(?:\((?P<mark>[A-Z])\)|(?P<plain>[A-Z])\.)[ \t\u00a0]+\S", re.M)
_CUE = re.compile(
    r"^[ \t\u00a0\u3000]*(?:whereas|recitals?|background|preliminary statements?|witnesseth|鉴于)[ \t]*[:：.;]?[ \t]*$",
    re.I | re.M,
)
_RECITALS_END = re.compile(
    r"^[ \t\u00a0\u3000]*(?:NOW,?[ \t]+THEREFORE|IT[ \t]+IS[ \t]+(?:HEREBY[ \t]+)?AGREED|AGREED[ \t]+TERMS|"
    r"HAVE[ \t]+ADOPTED|HAS[ \t]+ADOPTED|(?:The|the) [Pp]arties[ \t]+(?:hereby[ \t]+)?agree|In consideration of|"
    r"据此|为此|现|双方)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text with their offsets; `before[i]` is how the last line with words above line i ends."""

    texts: list[str]
    starts: list[int]
    before: list[str]


def contents(lines: Lines, found: Sequence[Heading], text: str) -> tuple[int, int]:
    """(start, end) of the table of contents; (0, 0) where there is none.

    It is a run of at least three headings close to each other of which most end with a page number or dotted
    leaders, or all come again later, as a 目录 without page numbers does.
    """
    title = next((i for i, line in enumerate(lines.texts) if _TOC_TITLE.match(line)), None)
    later = {(heading.kind, heading.values, heading.suffix): heading.start for heading in found}
    best = (0, 0)
    run: list[Heading] = []
    for heading in [*found, None]:
        # A running head repeats one number; the entries of a table of contents do not.
        if heading and run and _near(run[-1], heading) and _entry(run[-1], heading, later, text):
            run.append(heading)
            continue
        if run and heading and len(run) >= 2 and _again(run[-1], later):
            end = _end_of_run(run, heading, text)
        else:
            run = run[:-1] if run and not _paged(run[-1], text) else run
            end = run[-1].line_end if run else 0
        if len(run) >= 3 and run[0].start * 5 <= len(text) * 2 and _is_contents(run, later, text):
            best = (run[0].start, min(end + 1, len(text)))
            break
        run = [heading] if heading else []
    if best[1] and title is not None and lines.starts[title] < best[0] < lines.starts[title] + 2000:
        best = (lines.starts[title], best[1])
    return best


def _near(before: Heading, heading: Heading) -> bool:
    other = (before.kind, before.values) != (heading.kind, heading.values)
    return other and heading.start - before.line_end <= ENTRY_MOST


def _again(heading: Heading, later: dict[tuple[str, tuple[int, ...], int], int]) -> bool:
    return later[(heading.kind, heading.values, heading.suffix)] > heading.start


def _paged(heading: Heading, text: str) -> bool:
    """True where the entry's line, or the line that its title runs on to, ends with a page number or leaders."""
    rest = heading.rest.strip()
    if TOC_LEADERS.search(rest) or (len(rest) > 4 and _TOC_PAGE.search(rest)):
        return True
    second = text.find("\n", heading.line_end + 1)
    return bool(TOC_LEADERS.search(text[heading.line_end + 1 : second])) if second > 0 else False


def _entry(heading: Heading, following: Heading, later: dict[tuple[str, tuple[int, ...], int], int], text: str) -> bool:
    """True for what may be an entry: it has a page number, or comes again and has hardly any words of its own."""
    return _paged(heading, text) or (_again(heading, later) and following.start - heading.line_end <= 80)


def _is_contents(run: Sequence[Heading], later: dict[tuple[str, tuple[int, ...], int], int], text: str) -> bool:
    paged = sum(_paged(heading, text) for heading in run)
    again = sum(_again(heading, later) for heading in run)
    return again == len(run) or (paged * 10 >= len(run) * 7 and (again * 2 >= len(run) or paged == len(run)))


def _end_of_run(run: Sequence[Heading], following: Heading, text: str) -> int:
    """Where the last entry ends: at its line, or after the lines that its title takes."""
    end = run[-1].line_end
    for _ in range(2):
        line_end = text.find("\n", end + 1, following.start)
        line = text[end + 1 : line_end] if line_end > 0 else ""
        if not line.strip() or not (TOC_LEADERS.search(line) or _TOC_PAGE.search(line)):
            break
        end = line_end
    return end


def recitals(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """(start, end, label) of the recitals in `text[start:end]`: (1)…(173), (A), (B) or paragraphs with WHEREAS."""
    cue = _CUE.search(text, start, end)
    stop = _RECITALS_END.search(text, cue.end() if cue else start, end)
    upto = stop.start() if stop else end
    found: list[tuple[int, str]] = []
    if cue:
        found = _marked(_DIGIT, text, cue.end(), upto, 2) or _marked(_LETTER, text, cue.end(), upto, 2)
    if not found:
        marks = [match.start() for match in _WHEREAS.finditer(text, start, end) if not _CUE.match(text, match.start())]
        found = [(mark, f"Recital {index}") for index, mark in enumerate(marks, 1)]
        if found:
            stop = _RECITALS_END.search(text, found[-1][0], end)
            upto = stop.start() if stop else end
    if not found:
        found = _marked(_LETTER, text, start, upto, 2)
    bounds = [mark for mark, _ in found] + [upto]
    return [(mark, bounds[index + 1], label) for index, (mark, label) in enumerate(found)]


def _marked(pattern: re.Pattern[str], text: str, start: int, end: int, least: int) -> list[tuple[int, str]]:
    """Paragraphs with marks that form a sequence from the first one on."""
    candidates: list[Heading] = []
    for match in pattern.finditer(text, start, end):
        groups = match.groupdict()
        mark = groups["mark"] or groups["plain"]
        value = int(mark) if mark.isdecimal() else ord(mark) - 64
        label = mark if groups.get("plain") else f"({mark})"
        candidates.append(Heading(match.start(), LIMB_LEVEL, "recital", (value,), label, "", match.end()))
    chain = in_sequence(candidates)
    if len(chain) < least or chain[0].values != (1,):
        return []
    return [(heading.start, heading.number) for heading in chain]


def front(text: str, toc: tuple[int, int], end: int) -> list[Clause]:
    """The clauses before the first heading: front matter, the table of contents as one clause, recitals."""
    if not end:
        return []
    marks = recitals(text, toc[1] if toc[0] < end else 0, end)
    pieces: list[tuple[int, ClauseKind, str, str]] = [(0, ClauseKind.FRONT, "", "")]
    if toc[1] and toc[0] < end:
        title = _TOC_TITLE.match(text[toc[0] : text.find("\n", toc[0]) if "\n" in text[toc[0] : end] else end])
        pieces.append((toc[0], ClauseKind.FRONT, "", " ".join(title[0].split()).strip("#*: ") if title else ""))
        if toc[1] < end:
            pieces.append((toc[1], ClauseKind.FRONT, "", ""))
    for start, stop, label in marks:
        pieces.append((start, ClauseKind.RECITAL, label, ""))
        if stop < end and (start, stop, label) == marks[-1]:
            pieces.append((stop, ClauseKind.FRONT, "", ""))
    starts = {start: (kind, number, heading) for start, kind, number, heading in pieces}
    order = [*sorted(starts), end]
    return [
        Clause("", starts[a][0], starts[a][1], starts[a][2], (), a, b) for a, b in itertools.pairwise(order) if b > a
    ]
