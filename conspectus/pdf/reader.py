"""The parent side of reading: checks the file, runs the child, turns what went wrong into an InputError."""

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.document import Bookmark, PageStatus
from conspectus.errors import InputError

MEMORY_BYTES = 2 << 30
BASE_SECONDS = 120.0
SECONDS_A_PAGE = 1.0


@dataclass(frozen=True, slots=True)
class PageRead:
    """One page as it came from the reader: its text with hidden text left out, nothing repaired yet.

    `engine` is pypdf, pdfium or text. `seconds` is what reading it took. `warnings` say what is odd: hidden text left
    out, form fields or annotations put in, columns put in order.
    """

    index: int
    label: str
    text: str
    status: PageStatus
    reason: str
    engine: str = "pypdf"
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One file as it came from the reader: its pages in order and the sha256 of its bytes.

    `warnings` are about the file: attachments and portfolios that were not read.
    """

    sha256: str
    pages: tuple[PageRead, ...]
    bookmarks: tuple[Bookmark, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Limits and wishes for reading a file.

    `memory_mb` bounds each reading process, `seconds` + `seconds_a_page` for each page its time. `password` opens an
    encrypted file; it is never logged and never on a command line of a child. `second_opinion` reads suspicious pages
    again with pypdfium2 where that is installed. `ocr` runs ocrmypdf first where pages have no text. `workers` 0 means:
    choose by the number of pages and cores.
    """

    memory_mb: int = 2048
    seconds: float = 120.0
    seconds_a_page: float = 1.0
    password: str | None = None
    second_opinion: bool = True
    ocr: bool = False
    workers: int = 0


def check_file(path: Path) -> bytes:
    """The bytes of a file that may be a PDF.

    Raises InputError for what certainly is none; a PDF may have junk before its header, so that is searched.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file", f"Check the name, for example with: ls {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder, not a file", f"Name files: conspectus digest {path}/*.pdf")
    if not path.is_file():
        raise InputError(f"{path}: is not a regular file", "Copy it to a file first")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror})", f"Check its rights: ls -l {path}") from error
    if not data:
        raise InputError(f"{path}: the file is empty (0 bytes)", "Fetch or export it again")
    if b"%PDF-" not in data[: 1 << 16]:
        raise InputError(f"{path}: is not a PDF (it starts with {data[:8]!r})", "Export it as PDF first")
    return data


def _refused(path: Path, kind: str, detail: str) -> InputError:
    if kind == "encrypted":
        return InputError(
            f"{path}: is encrypted and needs a password",
            f"Decrypt it first: qpdf --password=... --decrypt {path} open.pdf",
        )
    if kind == "memory":
        return InputError(f"{path}: reading it took more than {MEMORY_BYTES >> 30} GB of memory", "Split the file")
    return InputError(f"{path}: is a broken PDF ({detail})", f"Repair it first: qpdf {path} repaired.pdf")


def _page(row: dict[str, Any]) -> PageRead:
    return PageRead(row["index"], row["label"], row["text"], PageStatus(row["status"]), row["reason"])


def read_pdf(path: Path, progress: Callable[[int, int], None] | None = None) -> Reading:
    """All pages of a PDF, read in a child process within limits of memory and time.

    `progress(done, total)` is called for each page. Pages that the child did not reach before its time was up, or
    before it died, come out as failed, so that no page is without a status. Raises InputError where not one page can
    be read.
    """
    data = check_file(path)
    digest = hashlib.sha256(data).hexdigest()
    del data
    command = [sys.executable, "-P", "-m", "conspectus.pdf.child", str(path), str(MEMORY_BYTES)]
    pages: list[PageRead] = []
    total = -1
    late = threading.Event()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", start_new_session=True
    ) as child:

        def expire() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(BASE_SECONDS, expire)
        timer.start()
        try:
            assert child.stdout is not None
            for line in child.stdout:
                row = json.loads(line)
                if "error" in row:
                    raise _refused(path, row["kind"], row["error"])
                if "pages" in row:
                    total = row["pages"]
                    timer.cancel()
                    timer = threading.Timer(BASE_SECONDS + total * SECONDS_A_PAGE, expire)
                    timer.start()
                    continue
                pages.append(_page(row))
                if progress:
                    progress(len(pages), total)
        except BaseException:
            child.kill()
            raise
        finally:
            timer.cancel()
    return Reading(digest, _complete(path, pages, total, late.is_set()))


def _complete(path: Path, pages: list[PageRead], total: int, late: bool) -> tuple[PageRead, ...]:
    """The pages with a failed one for each that is missing."""
    why = "the time limit was reached" if late else "the reading process died"
    if total == 0:
        raise InputError(f"{path}: has no pages", "Export it again")
    if total < 0:
        raise InputError(f"{path}: could not be opened ({why})", f"Repair it first: qpdf {path} repaired.pdf")
    missing = [PageRead(index, str(index + 1), "", PageStatus.FAILED, why) for index in range(len(pages), total)]
    return (*pages, *missing)
