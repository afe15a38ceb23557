"""From the pages as read to a document: text repaired with a map back to the page, pages joined, language found."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from conspectus.document import Document, Language, Page, PageStatus
from conspectus.errors import InputError
from conspectus.pdf import PageRead, Reading
from conspectus.plural import many
from conspectus.repair.characters import UNREADABLE, repair_characters
from conspectus.repair.furniture import find_furniture
from conspectus.repair.lines import (
    close_cjk_gaps,
    close_spaced_headings,
    cut_words,
    drop_double_struck,
    glued,
    join_cut_words,
    undouble_glyphs,
)
from conspectus.repair.map import Mapped
from conspectus.repair.numbers import drop_line_numbers, numbered_pages
from conspectus.repair.title import find_title
from conspectus.text import fold, language_of, other_language, second_language

GLUED = "words stand without gaps between them: what the page says may be misread"
ONLY_FURNITURE = "nothing on it but running heads and page numbers: if there is more to see, it is a scan"
_LOST = (
    "character could not be read: the font does not say what it is",
    "characters could not be read: the font does not say what they are",
)


def repair_page(page: Mapped) -> Mapped:
    """All repairs that need no other page. Done twice they change nothing more."""
    while (repaired := _repaired(page)) is not page:
        page = repaired
    return page


def _repaired(page: Mapped) -> Mapped:
    page = repair_characters(page).trimmed()
    page = undouble_glyphs(page)
    page = drop_double_struck(page)
    page = close_cjk_gaps(page)
    return close_spaced_headings(page)


def repair_pages(texts: Sequence[str], labels: Sequence[str]) -> list[tuple[Mapped, tuple[str, ...]]]:
    """The pages of one document repaired, each with the lines that were taken out of it.

    Again until nothing changes: a page number may have stood between a head and the edge of its page.
    """
    pages = [repair_page(Mapped.of(text)) for text in texts]
    furniture: list[list[str]] = [[] for _ in pages]
    while _together(pages, furniture, labels):
        pages = [repair_page(page) for page in pages]
    return [(page, tuple(lines)) for page, lines in zip(pages, furniture, strict=True)]


def _together(pages: list[Mapped], furniture: list[list[str]], labels: Sequence[str]) -> bool:
    """One round of the repairs that need all pages, in place; True where it changed one of them."""
    before = list(pages)
    for index, numbers in enumerate(numbered_pages([page.text for page in pages])):
        if numbers:
            pages[index] = drop_line_numbers(pages[index], numbers).trimmed()
            furniture[index].append(f"1-{numbers.last} (line numbers)")
    for index, gone in enumerate(find_furniture([page.text for page in pages], labels)):
        if gone:
            lines = pages[index].text.split("\n")
            furniture[index] += (fold(lines[line]) for line in gone)
            pages[index] = pages[index].without_lines(gone).trimmed()
    known = cut_words(pages)
    pages[:] = [join_cut_words(page, known) for page in pages]
    return any(new is not old for new, old in zip(pages, before, strict=True))


def to_document(path: Path, reading: Reading, language: Language | None = None) -> Document:
    """The document of a reading; `language` None means: find it.

    Pages that were not read contribute no text. Raises InputError where no page has any.
    """
    if not any(page.status is PageStatus.TEXT for page in reading.pages):
        raise InputError(_no_text(path, reading), f"Recognise its text first: ocrmypdf {path} with-text.pdf")
    texts = [page.text if page.status is PageStatus.TEXT else "" for page in reading.pages]
    repaired = repair_pages(texts, [page.label for page in reading.pages])
    if not any(page.text.strip() for page, _ in repaired):
        where = "on its only page" if len(texts) == 1 else f"on any of its {len(texts)} pages"
        what = f"{path}: no text {where} but page numbers and running heads"
        raise InputError(what, f"Recognise its text first: ocrmypdf {path} with-text.pdf")
    text, starts = _join(reading.pages, [page.text for page, _ in repaired])
    pages = tuple(
        _page(read, page, lines, start)
        for read, (page, lines), start in zip(reading.pages, repaired, starts, strict=True)
    )
    found = language or language_of(text)
    warnings = (*reading.warnings, *_language_warnings(text, found, language is not None))
    title = find_title("\n".join(islice((page.text for page in pages if page.text), 2)))
    return Document(
        path.name, reading.sha256, found, text, pages, title, bookmarks=reading.bookmarks, warnings=warnings
    )


def _join(reads: Sequence[PageRead], texts: Sequence[str]) -> tuple[str, list[int]]:
    """The text of all pages and where each begins.

    One line feed between pages: a sentence that runs over a page end stays one, and a heading still begins a line. A
    blank page adds none, or the sentence around it would end there; an unread one does, for words may be missing.
    """
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for read, text in zip(reads, texts, strict=True):
        starts.append(at)
        if text or read.status not in (PageStatus.EMPTY, PageStatus.TEXT):
            parts.append(text)
            at += len(text) + 1
    joined = "\n".join(parts)
    return joined, [min(start, len(joined)) for start in starts]


def _page(read: PageRead, page: Mapped, furniture: tuple[str, ...], start: int) -> Page:
    warnings = list(read.warnings)
    if glued(page.text):
        warnings.append(GLUED)
    if lost := page.text.count(UNREADABLE):
        warnings.append(many(lost, *_LOST))
    if furniture and not page.text:
        warnings.append(ONLY_FURNITURE)
    return Page(
        read.index,
        read.label,
        read.status,
        page.text,
        start,
        furniture,
        read.reason,
        engine=read.engine,
        warnings=tuple(warnings),
        origin=page.map_to(read.text),
    )


def _language_warnings(text: str, language: Language, chosen: bool) -> list[str]:
    other = other_language(text)
    if other and not chosen:
        return [f"language not supported: {other}, handled generically"]
    second = second_language(text, language)
    return [f"part of the text is in {second}; it is read by the rules of the rest"] if second else []


def _no_text(path: Path, reading: Reading) -> str:
    unread = [page for page in reading.pages if page.status is not PageStatus.EMPTY]
    if not unread:
        pages = len(reading.pages)
        return f"{path}: its only page is blank" if pages == 1 else f"{path}: all {pages} pages are blank"
    first = unread[0]
    where = "on its only page" if len(reading.pages) == 1 else f"on any of its {len(reading.pages)} pages"
    return f"{path}: no text {where} (page {first.label}: {first.reason})"
