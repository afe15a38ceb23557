"""From the pages as read to a document: running heads out, pages joined, language found."""

import re
from collections import Counter
from pathlib import Path

from conspectus.document import Document, Language, Page, PageStatus
from conspectus.errors import InputError
from conspectus.pdf import Reading
from conspectus.text import fold, language_of

EDGE_LINES = 3
REPEATED_SHARE = 0.6
_DIGITS = re.compile(r"[0-9]+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(r"^\s*[-—–·]?\s*(?:page\s+)?[0-9]{1,4}(?:\s*(?:of|/)\s*[0-9]{1,4})?\s*[-—–·]?\s*$", re.I)


def _mask(line: str) -> str:
    return _DIGITS.sub("#", fold(line).lower())


def _edges(lines: list[str]) -> list[int]:
    """Indexes of the first and last lines of a page that have something on them."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return sorted({*filled[:EDGE_LINES], *filled[-EDGE_LINES:]})


def running_lines(pages: list[list[str]]) -> set[str]:
    """Masked lines that stand at the edge of most pages: running heads, footers, page numbers.

    Digits are masked so that "Page 3 of 14" counts as one line with "Page 4 of 14" (facts: docling#1272).
    """
    seen = Counter(mask for lines in pages for mask in {_mask(lines[index]) for index in _edges(lines)})
    filled = sum(1 for lines in pages if any(line.strip() for line in lines))
    return {mask for mask, count in seen.items() if filled >= 3 and count > REPEATED_SHARE * filled and mask}


def strip_furniture(text: str, running: set[str]) -> tuple[str, tuple[str, ...]]:
    """The page's text without running lines at its edges, and the lines taken out."""
    lines = text.split("\n")
    edges = _edges(lines)
    gone: list[int] = []
    for index in edges:
        if _mask(lines[index]) in running:
            gone.append(index)
    outermost = [index for index in (edges[:1] + edges[-1:]) if _PAGE_NUMBER.match(lines[index])]
    gone = sorted({*gone, *outermost})
    kept = [line for index, line in enumerate(lines) if index not in gone]
    return "\n".join(kept).strip("\n"), tuple(fold(lines[index]) for index in gone)


def to_document(path: Path, reading: Reading, language: Language | None = None) -> Document:
    """The document of a reading; `language` None means: find it.

    Raises InputError where no page has text.
    """
    if not any(page.status is PageStatus.TEXT for page in reading.pages):
        raise InputError(_no_text(path, reading), f"Recognise its text first: ocrmypdf {path} with-text.pdf")
    running = running_lines([page.text.split("\n") for page in reading.pages])
    pages: list[Page] = []
    offset = 0
    for read in reading.pages:
        text, furniture = strip_furniture(read.text, running)
        pages.append(Page(read.index, read.label, read.status, text, offset, furniture, read.reason))
        offset += len(text) + 1
    text = "\n".join(page.text for page in pages)
    return Document(path.name, reading.sha256, language or language_of(text), text, tuple(pages), _title(text))


def _no_text(path: Path, reading: Reading) -> str:
    unread = [page for page in reading.pages if page.status is not PageStatus.EMPTY]
    if not unread:
        return f"{path}: all {len(reading.pages)} pages are blank"
    first = unread[0]
    return f"{path}: no text on any of its {len(reading.pages)} pages (page {first.label}: {first.reason})"


def _title(text: str) -> str:
    """The first line with at least four letters, cut to 100 characters."""
    for line in text.split("\n")[:40]:
        if sum(char.isalpha() for char in line) >= 4:
            return fold(line)[:100]
    return ""
