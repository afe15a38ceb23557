"""Five pages before and after repair: `python benchmarks/reading/before_after.py [CORPUS]`.

Prints what the reader gave and what the digest is made from, side by side in time, with what was taken out and the
time that the repair of the whole document took.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from conspectus.document import Page, PageStatus
from conspectus.evidence.reading import to_document
from conspectus.pdf import PageRead, Reading, read_pdf

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
LINES = 14  # of a page, from its start and from its end


@dataclass(frozen=True)
class Case:
    what: str
    file: str
    page: int
    unread: bool = False  # the page is shown as a scan, between pages that have text


CASES = (
    Case("an English contract", "contracts/cuad_test_02_service_martinmidstream.pdf", 1),
    Case("a Chinese statute", "statutes/zh_civil_code_distiller_234p.pdf", 9),
    Case("two columns", "nasty_synth/s32_two_columns_row_interleaved.pdf", 0),
    Case("line numbers", "nasty_synth/s44_pleading_line_numbers_headers.pdf", 1),
    Case("a scan in the middle of text", "contracts/cuad_train_06_license_morganstanley.pdf", 3, unread=True),
)


def shown(text: str) -> str:
    """The first and last lines; what cannot be seen is written out."""
    lines = [line.translate({0xA0: "·", 0xAD: "¬", 0x3000: "□", 0: "␀"}) for line in text.split("\n")]
    if len(lines) > 2 * LINES:
        lines = [*lines[:LINES], f"    ... {len(lines) - 2 * LINES} lines ...", *lines[-LINES:]]
    return "\n".join(f"  | {line[:110]}" for line in lines)


def with_scan(reading: Reading, index: int) -> Reading:
    """The same document with one page as if it had been scanned in."""
    pages = list(reading.pages)
    scan = PageRead(index, pages[index].label, "", PageStatus.IMAGE, "content without text, probably a scan")
    pages[index] = scan
    return Reading(reading.sha256, tuple(pages), reading.bookmarks, reading.warnings)


def report(page: Page) -> str:
    """What is known of a page besides its text."""
    changed = (
        "each character where it was read" if not page.origin else "every character mapped to its place on the page"
    )
    notes = [f"status {page.status}", f"{len(page.text)} characters", changed]
    notes += [f"taken out: {line[:70]!r}" for line in page.furniture]
    notes += [f"warning: {warning}" for warning in page.warnings]
    return "\n".join(f"  * {note}" for note in notes)


def show(case: Case, corpus: Path) -> None:
    path = corpus / case.file
    reading = read_pdf(path)
    if case.unread:
        reading = with_scan(reading, case.page)
    start = time.process_time()
    document = to_document(path, reading)
    seconds = time.process_time() - start
    indexes = range(case.page - 1, case.page + 2) if case.unread else [case.page]
    print(f"== {case.what}: {case.file}, page {case.page + 1} of {len(document.pages)}")
    print(f"   title {document.title!r}, language {document.language}, repaired in {seconds:.3f} s of CPU")
    for index in indexes:
        print(f"-- before (page {index + 1}, {len(reading.pages[index].text)} characters)")
        print(shown(reading.pages[index].text))
        print("-- after")
        print(shown(document.pages[index].text))
        print(report(document.pages[index]))
    print()


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    if not corpus.is_dir():
        sys.exit(f"missing: {corpus}")
    for case in CASES:
        show(case, corpus)


if __name__ == "__main__":
    main()
