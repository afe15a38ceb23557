"""Where numbers say nothing: paragraphs, titles on lines of their own, Markdown headings, PDF bookmarks."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from conspectus.document import Clause, ClauseKind, Document
from conspectus.evidence.numbering import INNER_CONTAINER, PARTS_LEVEL, Heading
from conspectus.evidence.outline_front import Lines
from conspectus.text import fold

PARAGRAPH_MIN = 200  # shorter paragraphs are joined to the next
PARAGRAPH_MOST = 3000  # longer ones are split at the end of a sentence, else of a line, else anywhere
_BLANK = re.compile(r"\n[ \t\u3000\r]*\n\s*|[\f\u2029]")
_MARKDOWN = re.compile(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+(?P<rest>\S.*)")
_NUMBER_ALONE = re.compile(r"[○〇◯]?[ 　]*[0-9０-９一二三四五六七八九十.)]+[ 　]*")  # 第２項 as "○２"
_VERB = re.compile(r"\b(?:shall|must|may|will|is|are|was|were|has|have|means?|applies|agrees?|can|does)\b")
_SENTENCES = re.compile(r"[a-z)]{3}\.[ \t]+[A-Z]|[。；]")
_END = re.compile(r"(?:[.!?][\"”’)]?[ \t]*\n|[。！？；][”」』）]?|[.!?;][\"”’)]?[ \t]+)")
_CUT = re.compile(r"[\n，,、 \t]")


def titular(words: str, most: int = 80) -> bool:
    """True for what may be a title: short, no full stop, no verb; a sentence taken for a title would be lost."""
    if not words or len(words) > most or words.endswith((".", ";", ",", "。", "；", "，")) or _VERB.search(words):
        return False
    if _SENTENCES.search(words):
        return False
    return words[0].isupper() or (not words[0].isascii() and words[0].isalpha() and len(words) <= 40)


def capitalised(words: str) -> bool:
    """True for a run-in heading such as "Notice of Default": most of its longer words begin with a capital."""
    longer = [word for word in words.split() if len(word) > 3] or words.split()
    return sum(word[0].isupper() for word in longer) * 2 > len(longer)


def markdown(line: str, start: int) -> Heading | None:
    """A Markdown heading without a number. It needs no sequence."""
    match = _MARKDOWN.match(line)
    if not match or _NUMBER_ALONE.fullmatch(match["rest"]):
        return None
    level = min(len(match["marks"]) - 1, INNER_CONTAINER)
    return Heading(start, level, "title", (), "", match["rest"], start + len(line))


def nested(found: Sequence[Heading], text: str) -> list[Heading]:
    """Markdown lists in lists: an indented "2." under "3." is 3.2, as it is shown when the file is rendered."""
    made: list[Heading] = []
    open_: list[tuple[int, tuple[int, ...]]] = []
    for heading in found:
        if heading.kind != "numbered" or len(heading.values) != 1:
            made.append(heading)
            continue
        indent = _indent(text[heading.start : heading.line_end])
        open_ = [(depth, values) for depth, values in open_ if depth < indent]
        values = (*open_[-1][1], *heading.values) if open_ else heading.values
        open_.append((indent, values))
        if len(values) > 1:
            number = ".".join(map(str, values))
            heading = replace(heading, values=values, number=number, level=PARTS_LEVEL + len(values))
        made.append(heading)
    return made


def bookmarked(document: Document, lines: Lines, found: Sequence[Heading]) -> tuple[set[int], list[Heading]]:
    """What the PDF's own outline says: starts of candidates that it confirms, and headings without a number.

    A bookmark counts where its title stands at the start of a line of its page, or of the next where the page turns.
    """
    if not document.bookmarks:
        return set(), []
    by_page: dict[int, list[int]] = {}
    for index, start in enumerate(lines.starts):
        by_page.setdefault(document.page_at(start), []).append(index)
    numbered = {heading.start: heading for heading in found}
    confirmed: set[int] = set()
    levels: dict[int, Counter[int]] = {}
    plain: list[tuple[int, int]] = []
    for mark in document.bookmarks:
        wanted = _bare(mark.title)
        if len(wanted) < 3 or len(wanted) > 120:
            continue
        for index in (*by_page.get(mark.page, ()), *by_page.get(mark.page + 1, ())[:3]):
            line = _bare(lines.texts[index])
            if len(line) < 3 or not (wanted == line or (wanted.startswith(line) and _goes_on(lines, index, wanted))):
                continue
            start = lines.starts[index]
            if start in numbered:
                confirmed.add(start)
                levels.setdefault(mark.level, Counter())[numbered[start].level] += 1
            elif titular(fold(lines.texts[index])):
                plain.append((index, mark.level))
            break
    taken: set[int] = set()
    titles: list[Heading] = []
    for index, depth in plain:
        start = lines.starts[index]
        if start in taken:
            continue
        taken.add(start)
        level = levels[depth].most_common(1)[0][0] if depth in levels else min(depth, INNER_CONTAINER)
        line = lines.texts[index]
        titles.append(Heading(start, min(level, INNER_CONTAINER), "title", (), "", line, start + len(line)))
    return confirmed, titles


def _bare(title: str) -> str:
    return "".join(char for char in title.casefold() if char.isalnum())


def _goes_on(lines: Lines, index: int, wanted: str) -> bool:
    """True where the title stands on this line and the next ones."""
    joined = ""
    for line in lines.texts[index : index + 4]:
        joined += _bare(line)
        if joined == wanted:
            return True
    return False


def _standalone(line: str, before: str) -> bool:
    """True for a title on a line of its own in a document without numbers."""
    words = fold(line)
    if len(words) < 4 or len(words) > 70 or not titular(words) or not any(char.isalpha() for char in words):
        return False
    if words.isupper():
        return not before.isupper() or before.endswith((".", ":", ";"))
    return (
        words[0].isascii()
        and capitalised(words)
        and (not before or before.endswith((".", ":", ";", "*")))
        and ":" not in words
    )


def paragraphs(
    text: str, lines: Lines, start: int, end: int, *, path: tuple[str, ...] = (), titles: bool = True
) -> list[Clause]:
    """The paragraphs of `text[start:end]`, between PARAGRAPH_MIN and PARAGRAPH_MOST characters where that is possible.

    They end at blank lines, at indented lines, and before titles; ids are given by the caller.
    """
    marks: dict[int, str] = {}
    bounds = {match.end() for match in _BLANK.finditer(text, start, end) if match.end() < end}
    for index, at in enumerate(lines.starts):
        if not start <= at < end:
            continue
        line = lines.texts[index]
        below = next((words.strip() for words in lines.texts[index + 1 : index + 4] if words.strip()), "")
        if titles and not below[:1].isdecimal() and _standalone(line, lines.before[index]):
            marks[at] = fold(line)
        elif (
            index and _indent(line) > _indent(lines.texts[index - 1]) and lines.before[index].endswith((".", "。", ":"))
        ):
            bounds.add(at)
    cuts = [start]
    for at in sorted(bounds | set(marks)):
        if at > cuts[-1] and (at in marks or at - cuts[-1] >= PARAGRAPH_MIN):
            cuts.append(at)
    whole = [bound for a, b in pairwise([*cuts, end]) for bound in _pieces(text, a, b)]
    found: list[Clause] = []
    above = ""
    for a, b in pairwise([*whole, end]):
        above = marks.get(a, above)
        trail = path if a in marks or not above else (*path, above)
        found.append(Clause("", ClauseKind.PARAGRAPH, "", marks.get(a, ""), trail, a, b))
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\u3000")) if line.strip() else 99


def _pieces(text: str, start: int, end: int) -> list[int]:
    """Where the pieces of a paragraph begin; none is longer than PARAGRAPH_MOST."""
    starts = [start]
    while end - starts[-1] > PARAGRAPH_MOST:
        low, high = starts[-1] + PARAGRAPH_MOST // 3, starts[-1] + PARAGRAPH_MOST
        ends = [match.end() for match in _END.finditer(text, low, high)]
        if not ends:
            ends = [match.end() for match in _CUT.finditer(text, low, high)]
        starts.append(ends[-1] if ends else high)
    return starts
