"""Two readers on one page: which pages a second one looks at, and whose text stands.

On 466 public files the two agree almost wholly (median 1.000 of the characters, facts/pdf.md C2), and where they do not
one of them is wrong: below AGREE the page is alarmed, even where its text looks like text.
"""

import contextlib
from dataclasses import replace

from conspectus.document import PageStatus
from conspectus.pdf.files import Snapshot
from conspectus.pdf.judge import AGREE, Judgement, agreement, judge, whole_characters
from conspectus.pdf.opening import Refusal
from conspectus.pdf.pool import Pool, Row
from conspectus.pdf.types import PageRead, ReadOptions

MIN_CHARACTERS = 20  # fewer say nothing about agreement
MAX_SUSPECTS = 200


def pages_to_ask(pages: list[PageRead], suspects: set[int]) -> list[int]:
    """First, middle and last page, and those that look wrong: silent garbage looks right."""
    usual = {0, len(pages) // 2, len(pages) - 1}
    readable = {index for index in usual | suspects if pages[index].status not in (PageStatus.EMPTY, PageStatus.IMAGE)}
    return sorted(readable)[:MAX_SUSPECTS]


def ask(snapshot: Snapshot, options: ReadOptions, indexes: list[int]) -> dict[int, Row]:
    """pdfium's rows of these pages; none where it cannot open the file."""
    if not indexes:
        return {}
    with contextlib.suppress(Refusal):
        return Pool(snapshot, options, "pdfium").run(indexes)
    return {}


def status_of(row: Row) -> tuple[PageStatus, str, Judgement]:
    """What a row of pdfium is worth on its own."""
    if "status" in row:
        return PageStatus(row["status"]), row["reason"], Judgement()
    if "failed" in row:
        return PageStatus.FAILED, row["failed"], Judgement()
    text = whole_characters(row["text"])
    if not text.strip():
        if row["images"]:
            return PageStatus.IMAGE, "an image without text, probably a scan", Judgement()
        if row["objects"]:
            return PageStatus.FAILED, "content without readable text", Judgement()
        return PageStatus.EMPTY, "", Judgement()
    verdict = judge(text)
    return (PageStatus.GARBLED if verdict.garbled else PageStatus.TEXT), verdict.reason, verdict


def settle(page: PageRead, row: Row, suspect: bool) -> PageRead:
    """The page after a second reading of it."""
    status, _, verdict = status_of(row)
    other = whole_characters(row["text"])
    if status is not PageStatus.TEXT or row.get("hidden") or any("hidden" in warning for warning in page.warnings):
        # pdfium reads hidden text as well: it must not come back in this way.
        return page
    own, added = _own(page.text)
    if page.status in (PageStatus.FAILED, PageStatus.SKIPPED):
        return page if "XFA" in page.reason else _taken(page, other, added, page.reason)
    size, other_size = (sum(len(part) for part in text.split()) for text in (own, other))
    if min(size, other_size) < MIN_CHARACTERS:
        agree = 1.0 if page.status is PageStatus.TEXT else 0.0
    else:
        agree = agreement(own, other)
    if page.status is PageStatus.GARBLED:
        # Where both read the same, the file's own tables are wrong and no reader can help.
        return page if agree > 0.8 else _taken(page, other, added, page.reason)
    if suspect and not verdict.suspect and agree < 0.999 and other_size > 0.8 * size:
        return _taken(page, other, added, "some characters have no meaning")
    if agree < AGREE:
        if suspect:
            return _taken(
                page, other, added, f"its font does not say which characters it shows, two readers agree on {agree:.0%}"
            )
        return replace(
            page, status=PageStatus.GARBLED, reason=f"two readers agree on {agree:.0%} of its characters only"
        )
    return page


def _own(text: str) -> tuple[str, list[str]]:
    """The page's own text, and the lines that our reader put behind it."""
    lines = text.split("\n")
    added = [line for line in lines if line.startswith(("[Form field ", "[Annotation: "))]
    return "\n".join(line for line in lines if line not in added), added


def _taken(page: PageRead, text: str, added: list[str], why: str) -> PageRead:
    """The page with pdfium's text; lines that our reader added (form fields, annotations) stay."""
    warnings = tuple(warning for warning in page.warnings if "could not be read" not in warning)
    said = f"read with pdfium ({why}); hidden text was not looked for"
    return replace(
        page,
        text="\n".join([text.rstrip("\n"), *added]),
        status=PageStatus.TEXT,
        reason="",
        engine="pdfium",
        warnings=(*warnings, said),
    )
