"""What reading gives and what it may use: the contract between the reader and the rest of the program."""

from collections.abc import Callable
from dataclasses import dataclass

from conspectus.document import Bookmark, PageStatus

Progress = Callable[[int, int], None]


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
    again with pypdfium2 where that is installed. `ocr` runs ocrmypdf first where pages have no text, in `ocr_languages`
    (tesseract's names: `chi_sim`, `eng+chi_sim`; empty: by the text of the other pages). `workers` 0 means: choose by
    the number of pages and cores. `detect` looks for hidden text and columns; without it reading is faster and such
    text stands in the result.
    """

    memory_mb: int = 2048
    seconds: float = 120.0
    seconds_a_page: float = 1.0
    password: str | None = None
    second_opinion: bool = True
    ocr: bool = False
    ocr_languages: str = ""
    workers: int = 0
    detect: bool = True

    @property
    def page_seconds(self) -> float:
        """CPU seconds that one page may take before it is skipped: a quarter of the file's basic time."""
        return max(self.seconds / 4, self.seconds_a_page)

    def __repr__(self) -> str:
        """Without the password: options end up in tracebacks and logs."""
        return (
            f"ReadOptions(memory_mb={self.memory_mb}, seconds={self.seconds}, workers={self.workers}, ocr={self.ocr})"
        )
