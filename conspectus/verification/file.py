"""A digest proved against its document, without a model: does what digest.json says hold?

The file is read again and everything that code can derive is derived again: quotes from their offsets, pages, tables,
ledger, numbers. What the model worded is put before the checker again. A line that agrees with its evidence may still
say less than a reader needs; that is not what is proved here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conspectus.document import Source
from conspectus.errors import InputError
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import RECOGNISED, Reading, ReadOptions, named, read_pdf
from conspectus.render.json import text_hash, versions
from conspectus.schema import DigestFile, checksum_of, dump, load
from conspectus.verification.again import again
from conspectus.verification.check import Judging
from conspectus.verification.lines import lines
from conspectus.verification.types import Finding

STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at, and what does not hold; sound where `findings` is empty.

    `notes` are no faults: what a reader of the findings should know.
    """

    digest: DigestFile
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def verify_file(
    digest: Path,
    document: Path,
    reading: ReadOptions | None = None,
    *,
    strict: bool = False,
    stage: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verification:
    """The digest in one file against the document in another; either may be `-` for stdin.

    `strict` also asks that nothing is left open: no unverified line, no unread page, no failed call, the file as it
    was written. `stage` is told what begins, `progress` how many pages are read. Raises InputError where one of the
    two cannot be read at all.
    """
    tell = stage or _nothing
    file, data = load(digest)
    options = reading or ReadOptions()
    notes = [note for page in file.document.pages for note in page.warnings if note.startswith(RECOGNISED)]
    if notes:
        codes = notes[0].removeprefix(RECOGNISED).strip(" ()")
        options = replace(options, ocr=True, ocr_languages=codes)
    with Judging(file) as judging:
        read = read_pdf(document, options, progress)
        if read.sha256 != file.document.sha256:
            what = f"this is another file: its sha256 is {read.sha256}, that of the digest is {file.document.sha256}"
            finding = Finding("other-document", "document", what)
            return Verification(file, (finding,), (f"it is the digest of {file.document.name}",))
        tell("finding clauses and sentences")
        source = _source(document, read, file)
        tell("checking lines against their evidence")
        found = tuple(verify(file, source, judging, strict=strict))
    if strict and dump(file) != data:
        what = "it holds the same, but it was written anew by another program"
        found = (*found, Finding("reformatted", "file", what))
    return Verification(file, found, tuple(_notes(file)))


def _nothing(_: str) -> None:
    return None


def _source(path: Path, read: Reading, file: DigestFile) -> Source:
    try:
        return to_source(to_document(named(path), read, file.document.language))
    except InputError as error:
        raise InputError(f"{error.message}, though the digest is of this file", error.remedy) from error


def verify(file: DigestFile, source: Source, judging: Judging, *, strict: bool = False) -> Iterator[Finding]:
    """What does not hold of a digest whose document is read again; `judging` is of the same digest."""
    if file.checksum != checksum_of(file):
        yield Finding("edited", "file", "its content does not agree with its checksum: it was edited after it was made")
    if file.document.text_sha256 != text_hash(source.document.text):
        what = "this is the same file, but its text is read otherwise here: offsets cannot be compared"
        yield Finding("other-text", "document", what)
        return
    made_again = tuple(again(file, source))
    yield from lines(file, source.document.text, judging.result())
    yield from made_again
    if strict:
        yield from _open(file)


def _open(file: DigestFile) -> Iterator[Finding]:
    """What a sound digest may leave open, and a strict reader does not accept."""
    count = file.coverage.verdicts.unverified
    if count:
        yield Finding("unverified", "statements", f"{count} of {len(file.statements)} are not verified")
    for page in file.unread_pages:
        row = file.document.pages[page] if page < len(file.document.pages) else None
        if row is not None:
            yield Finding("unread", f"page {row.label}", f"was not read ({row.status.value}: {row.reason})")
    for error in file.engine_errors:
        yield Finding("failed-calls", "model", f"calls failed: {error}")


def _notes(file: DigestFile) -> Iterator[str]:
    here = versions()
    for name in sorted(here.keys() | file.provenance.versions.keys()):
        then, now = file.provenance.versions.get(name, "not installed"), here.get(name, "not installed")
        if then != now:
            yield f"made with {name} {then}; here it is {now}"
