"""The parent side of reading: from a path to a Reading, with what went wrong as an InputError of one line."""

import sys
from dataclasses import replace
from pathlib import Path

from conspectus.document import Bookmark, PageStatus
from conspectus.errors import InputError
from conspectus.pdf import second
from conspectus.pdf.files import Snapshot, check_file, shown, snapshot_of, take_snapshot
from conspectus.pdf.ocr import languages, recognised, require
from conspectus.pdf.opening import Refusal
from conspectus.pdf.opinion import ask, pages_to_ask, settle, status_of
from conspectus.pdf.pool import Pool, lost
from conspectus.pdf.textfiles import read_text
from conspectus.pdf.types import PageRead, Progress, Reading, ReadOptions

__all__ = ["STDIN", "PageRead", "ReadOptions", "Reading", "check_file", "named", "read_bytes", "read_pdf"]

STDIN = Path("-")
OCR_SECONDS_A_PAGE = 60.0
RECOGNISED = "its text was recognised by ocrmypdf"


def named(path: Path) -> Path:
    """The name under which a file's results go: its own; what came on stdin is called so."""
    return Path("stdin") if path == STDIN else path


def read_pdf(path: Path, options: ReadOptions | None = None, progress: Progress | None = None) -> Reading:
    """All pages of a file: a PDF, a plain text, a Markdown file; `-` is stdin.

    PDFs are read in child processes within limits of memory and time. `progress(done, total)` is called for each page.
    Pages that could not be read come out as failed or skipped, so that no page is without a status. The sha256 is of
    the very bytes that were read, even where the file changes meanwhile. Raises InputError where not one page can be
    read.
    """
    options = options or ReadOptions()
    if path == STDIN:
        return read_bytes(sys.stdin.buffer.read(), "stdin", options, progress)
    with take_snapshot(path, options.memory_mb) as snapshot:
        return _read(snapshot, options, progress)


def read_bytes(data: bytes, name: str, options: ReadOptions | None = None, progress: Progress | None = None) -> Reading:
    """A file that came as bytes: a PDF where it has a PDF header, else a text. Raises InputError as `read_pdf`."""
    if not data:
        raise InputError(f"{name}: is empty (0 bytes)", "Pipe a file into it, for example with: < lease.txt")
    with snapshot_of(data, name) as snapshot:
        return _read(snapshot, options or ReadOptions(), progress)


def _read(snapshot: Snapshot, options: ReadOptions, progress: Progress | None) -> Reading:
    if not snapshot.is_pdf:
        pages = read_text(snapshot.data(), shown(snapshot.path))
        if progress:
            progress(len(pages), len(pages))
        return Reading(snapshot.sha256, pages)
    reading = _read_pages(snapshot, options, progress)
    if options.ocr and any(page.status is PageStatus.IMAGE for page in reading.pages):
        seconds = options.seconds + len(reading.pages) * OCR_SECONDS_A_PAGE
        require(snapshot.path)
        text = "\n".join(page.text for page in reading.pages if page.status is PageStatus.TEXT)
        codes = languages(snapshot.path, options.ocr_languages, text)
        with recognised(snapshot, codes, seconds, 4 * options.memory_mb) as better:
            after = _read_pages(better, replace(options, ocr=False, password=None), progress)
            return _merged(reading, after, f"{RECOGNISED} ({codes})")
    return reading


def _merged(before: Reading, after: Reading, note: str) -> Reading:
    """The recognised pages, with the note, in place of the scanned ones; the sha256 stays that of the user's file."""
    if len(before.pages) != len(after.pages):
        return before
    pages = tuple(
        replace(new, label=old.label, warnings=(*new.warnings, note))
        if old.status is PageStatus.IMAGE and new.status is PageStatus.TEXT
        else old
        for old, new in zip(before.pages, after.pages, strict=True)
    )
    return replace(before, pages=pages)


def _read_pages(snapshot: Snapshot, options: ReadOptions, progress: Progress | None) -> Reading:
    first = Pool(snapshot, options, "pypdf", progress or _silent)
    try:
        first.run()
    except Refusal as refusal:
        return _last_resort(snapshot, options, progress, refusal)
    pages = [_page(first, index, "pypdf") for index in range(first.head["pages"])]
    warnings = list(first.head["warnings"])
    if options.second_opinion and second.installed():
        suspects = {index for index, row in first.rows.items() if row["suspect"] or row["status"] == "skipped"}
        for index, row in ask(snapshot, options, pages_to_ask(pages, suspects)).items():
            pages[index] = settle(pages[index], row, index in suspects)
    marks = tuple(Bookmark(title, level, page) for title, level, page in first.head["bookmarks"])
    return Reading(snapshot.sha256, tuple(pages), marks, tuple(warnings))


def _page(pool: Pool, index: int, engine: str) -> PageRead:
    row = pool.rows.get(index) or lost("its reading process gave no answer", "failed")
    return PageRead(
        index,
        pool.head["labels"][index],
        row["text"],
        PageStatus(row["status"]),
        row["reason"],
        engine,
        row["seconds"],
        tuple(row["warnings"]),
    )


def _silent(_: int, __: int) -> None:
    return None


def _last_resort(snapshot: Snapshot, options: ReadOptions, progress: Progress | None, refusal: Refusal) -> Reading:
    """The whole file with pdfium, where pypdf cannot open it at all. Raises InputError where pdfium cannot either."""
    if refusal.kind not in ("broken", "died", "no-pages") or not second.installed():
        raise _refused(snapshot.path, refusal, options)
    pool = Pool(snapshot, options, "pdfium", progress or _silent)
    try:
        pool.run()
    except Refusal as again:
        # pypdf's reason says more, except about passwords, which only the second may have got as far as.
        kinds = ("encrypted", "wrong-password")
        raise _refused(snapshot.path, again if again.kind in kinds else refusal, options) from again
    pages: list[PageRead] = []
    for index, row in sorted(pool.rows.items()):
        status, reason, verdict = status_of(row)
        warnings = ["it shows text invisibly, which was not left out"] if row.get("hidden") else []
        row.update(status=status, reason=reason, warnings=[*warnings, *verdict.warnings])
        pages.append(_page(pool, index, "pdfium"))
    if not any(page.status is PageStatus.TEXT for page in pages):
        raise _refused(snapshot.path, refusal, options)
    said = f"the file is damaged ({refusal}): it was read with pdfium, and hidden text was not looked for"
    return Reading(snapshot.sha256, tuple(pages), (), (said,))


def _refused(path: Path, refusal: Refusal, options: ReadOptions) -> InputError:
    """The error that a user sees."""
    name, kind = shown(path), refusal.kind
    if kind == "encrypted":
        return InputError(
            f"{name}: is encrypted and needs a password",
            "Write its password into a file and name that: --password-file password.txt",
        )
    if kind == "wrong-password":
        return InputError(
            f"{name}: is encrypted and the given password does not open it",
            "Check the password: it is the first line of what --password-file names",
        )
    if kind == "memory":
        return InputError(f"{name}: reading it took more than {options.memory_mb} MB of memory", "Split the file")
    if kind == "time":
        return InputError(f"{name}: could not be opened in time ({refusal})", f"Repair it first: {_repair(name)}")
    if kind == "no-pages":
        return InputError(f"{name}: has no pages", "Export it again")
    return InputError(f"{name}: is a broken PDF ({refusal})", f"Repair it first: {_repair(name)}")


def _repair(name: str) -> str:
    return f"qpdf {name} repaired.pdf"
