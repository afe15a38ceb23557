"""Text that knows where each of its characters stood before it was repaired."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MARKED = re.compile(r"(?m)^\[(?:Form field|Annotation)\b[^\n\0]*\]$")

_integers: list[int] = []


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[start:end]` becomes `text`; start < end, so that what comes in always has a place that it came from."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A text and, for each of its characters, the offset in the raw text that it came from.

    `len(origin) == len(text)` and origins never decrease. What replaces a span comes from the first character of it.
    """

    text: str
    origin: tuple[int, ...]

    @staticmethod
    def of(text: str) -> "Mapped":
        """A text that nothing was done to yet."""
        return Mapped(text, identity(len(text)))

    def edit(self, edits: Iterable[Edit]) -> "Mapped":
        """With the edits done; they are in order and do not overlap. Lines that the reader marked stay as they are."""
        wanted = list(edits)
        if wanted and MARKED.search(self.text):
            wanted = _outside_marks(self.text, wanted)
        if not wanted:
            return self
        texts: list[str] = []
        origin: list[int] = []
        at = 0
        for edit in wanted:
            if not at <= edit.start < edit.end <= len(self.text):
                raise ValueError(f"edit {edit} overlaps the one before it, is empty or is outside the text")
            texts += (self.text[at : edit.start], edit.text)
            origin += self.origin[at : edit.start]
            origin += [self.origin[edit.start]] * len(edit.text)
            at = edit.end
        texts.append(self.text[at:])
        origin += self.origin[at:]
        return Mapped("".join(texts), tuple(origin))

    def without_lines(self, gone: Iterable[int]) -> "Mapped":
        """Without the lines of these indexes and the line feeds after them."""
        dropped = set(gone)
        if not dropped:
            return self
        spans = line_spans(self.text)
        edits = [
            Edit(start, min(end + 1, len(self.text))) for start, end in (spans[index] for index in sorted(dropped))
        ]
        return self.edit(edit for edit in edits if edit.start < edit.end)

    def trimmed(self) -> "Mapped":
        """Without blank lines at its start and without white space at its end."""
        end = len(self.text.rstrip())
        blank = self.text[: len(self.text) - len(self.text.lstrip())].rfind("\n") + 1
        start = min(blank, end)
        return self if (start, end) == (0, len(self.text)) else Mapped(self.text[start:end], self.origin[start:end])

    def map_to(self, raw: str) -> tuple[int, ...]:
        """The origins; `()` where they say nothing: the text stands in `raw` as it is, from its first character on."""
        return () if raw.startswith(self.text) and self.origin == identity(len(self.origin)) else self.origin


def identity(length: int) -> tuple[int, ...]:
    """0, 1, 2 ...; all pages share these integers, else a map of a thousand pages would fill the memory with them."""
    if length > len(_integers):
        _integers.extend(range(len(_integers), length))
    return tuple(_integers[:length])


def line_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each line, without its line feed."""
    spans: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        spans.append((at, at + len(line)))
        at += len(line) + 1
    return spans


def _outside_marks(text: str, edits: list[Edit]) -> list[Edit]:
    marks = [match.span() for match in MARKED.finditer(text)]
    return [edit for edit in edits if not any(edit.start < end and start < edit.end for start, end in marks)]
