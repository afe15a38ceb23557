"""Line numbers of pleadings, transcripts and bills: 1 to 28 down the page, beside each line or all at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.repair.map import Edit, Mapped, line_spans

_NUMBERED = re.compile(r"[ \t]*(?P<number>[0-9]{1,2})(?:[ \t]+(?P<rest>\S[^\n]*)|[ \t]*)$")
_LEAST = 10  # lines numbered on a page of a document whose other pages are numbered too
_LEAST_ALONE = 20  # on a page that stands alone


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers 1 to `last` found on a page: `bare` lines hold nothing else, `beside` is before the line's words."""

    last: int
    bare: tuple[int, ...]
    beside: tuple[Edit, ...]
    sure: bool


def find_line_numbers(text: str) -> LineNumbers:
    """The longest count 1, 2, 3 ... down the page; `sure` where that alone shows that it numbers the lines.

    Numbers all at once must follow each other without words between them; a number that stands before words counts
    only where most lines of the page have theirs, or a numbered list would be taken for them.
    """
    bare, beside, continued, filled = [], [], 0, 0
    wanted, blocks, before = 1, 0, -2
    for index, (start, end) in enumerate(line_spans(text)):
        if start == end or not text[start:end].strip():
            continue
        filled += 1
        match = _NUMBERED.match(text, start, end)
        if not match or int(match["number"]) != wanted:
            continue
        wanted += 1
        if match["rest"]:
            beside.append(Edit(start, match.start("rest")))
            continued += match["rest"][0].islower()
        else:
            bare.append(index)
            blocks += index == before + 1
            before = index
    last = wanted - 1
    at_once = bool(bare) and not beside and blocks >= last - 2
    each = (last - len(bare)) * 10 >= (filled - len(bare)) * 8
    apart = not beside and not at_once and (filled - len(bare)) <= last * 2
    if last < _LEAST or not (at_once or (beside and each) or apart):
        return LineNumbers(0, (), (), False)
    sure = _LEAST_ALONE <= last <= 40 and (at_once or continued * 5 >= len(beside) > 0)
    return LineNumbers(last, tuple(bare), tuple(beside), sure)


def numbered_pages(texts: Sequence[str]) -> list[LineNumbers | None]:
    """The line numbers of each page; None where there are none or where they may be something else.

    Line numbers begin again on each page. Half of the pages with text must have them, two at least; one page alone
    must show them beyond doubt.
    """
    found = [find_line_numbers(text) for text in texts]
    filled = sum(bool(text.strip()) for text in texts)
    several = sum(numbers.last > 0 for numbers in found)
    agreed = several >= 2 and several * 2 >= filled and sum(numbers.last >= 20 for numbers in found) * 2 >= several
    return [numbers if numbers.last and (agreed or numbers.sure) else None for numbers in found]


def drop_line_numbers(page: Mapped, numbers: LineNumbers) -> Mapped:
    """The page without its line numbers."""
    spans = line_spans(page.text)
    edits = [Edit(spans[index][0], min(spans[index][1] + 1, len(page.text))) for index in numbers.bare]
    return page.edit(sorted([*edits, *numbers.beside], key=lambda edit: edit.start))
