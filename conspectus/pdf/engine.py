"""A file open in pypdf: its head and its pages as rows of plain data. Runs in the reading child."""

import contextlib
from typing import Any

from conspectus.pdf import extras
from conspectus.pdf.extract import SCAN_SHARE, Extractor, PageText, fonts_without_meaning
from conspectus.pdf.judge import judge, whole_characters
from conspectus.pdf.layers import Value
from conspectus.pdf.opening import Refusal, describe, open_pdf
from conspectus.plural import many

FOOTER_CHARACTERS = 250
LOGO_SHARE = 0.005  # one image of less than this share of the page is an ornament on a blank page


def cache_fonts() -> None:
    """Makes pypdf build each font once a file instead of once a page: a quarter of the time on CJK files.

    pypdf keeps the font's dictionary alive while its file is open, so its identity is a safe key.
    """
    from pypdf.generic import _font

    built: dict[int, tuple[Any, Any]] = {}
    original = _font.Font.from_font_resource.__func__  # type: ignore[attr-defined]

    def once(cls: Value, resource: Value) -> Value:
        kept = built.get(id(resource))
        if kept is None or kept[0] is not resource:
            kept = built[id(resource)] = (resource, original(cls, resource))
        return kept[1]

    _font.Font.from_font_resource = classmethod(once)  # type: ignore[assignment,method-assign]


class Pypdf:
    """A file open in pypdf. Raises Refusal where it cannot be opened."""

    name = "pypdf"

    def __init__(self, data: bytes, password: str | None, detect: bool = True) -> None:
        self.reader, self.count = open_pdf(data, password)
        self.extractor = Extractor(self.reader, detect)
        self.xfa = False
        with contextlib.suppress(Exception):
            self.xfa = extras.is_xfa(self.reader)

    def head(self) -> dict[str, Any]:
        """Number of pages, their labels, the bookmarks, warnings of the file as a whole."""
        labels: list[str] = []
        with contextlib.suppress(Exception):
            labels = [extras.plain(label) for label in self.reader.page_labels][: self.count]
        labels += [str(index + 1) for index in range(len(labels), self.count)]
        marks: list[tuple[str, int, int]] = []
        with contextlib.suppress(Exception):
            marks = extras.bookmarks(self.reader)
        warnings: list[str] = []
        with contextlib.suppress(Exception):
            warnings = extras.file_warnings(self.reader)
        return {"pages": self.count, "labels": labels, "bookmarks": marks, "warnings": warnings}

    def page(self, index: int) -> dict[str, Any]:
        """One page as a row; any exception is the page's own, not the file's.

        Keys: text, status, reason, warnings, and suspect where a second reader should look.
        """
        try:
            page = self.reader.pages[index]
            found = self.extractor.read(page)
            row = self._judged(page, found)
        except Exception as error:
            return {"text": "", "status": "failed", "reason": describe(error), "warnings": [], "suspect": True}
        with contextlib.suppress(Exception):
            self._add_extras(page, row)
        return row

    def _judged(self, page: Value, found: PageText) -> dict[str, Any]:
        text = whole_characters(found.text).replace("\r\n", "\n").replace("\r", "\n")
        row = {"text": text, "status": "text", "reason": "", "warnings": found.warnings, "suspect": False}
        if not text.strip():
            row["status"], row["reason"] = _without_text(found)
            row.update(text="", suspect=row["status"] == "failed")
            return row
        if self.xfa and extras.is_placeholder(text):
            row.update(status="failed", reason="XFA form: its content is not in the page")
            return row
        if found.image_share >= SCAN_SHARE and found.edges_only and len(text) < FOOTER_CHARACTERS:
            row.update(status="image-only", reason="a scan with nothing but a running line as text")
            return row
        verdict = judge(text)
        row["warnings"] = [*found.warnings, *verdict.warnings]
        row["suspect"] = verdict.suspect
        with contextlib.suppress(Exception):
            row["suspect"] = verdict.suspect or fonts_without_meaning(page)
        if verdict.garbled:
            row.update(status="garbled", reason=verdict.reason)
        return row

    def _add_extras(self, page: Value, row: dict[str, Any]) -> None:
        """Appends form fields and annotations to the page's text as marked lines."""
        fields, notes, attached = extras.page_lines(page)
        row["warnings"] += [f"attachment not read: {name}" for name in attached]
        if not fields and not notes:
            return
        row["text"] = "\n".join(filter(None, [row["text"].rstrip("\n"), *fields, *notes]))
        said = f"{many(len(fields), 'form field')} and {many(len(notes), 'annotation')}"
        row["warnings"].append(f"{said} stand at the end of its text")
        if row["status"] == "empty":
            row["status"] = "text"


def _without_text(found: PageText) -> tuple[str, str]:
    """Status and reason of a page that gave no text."""
    if found.images and (found.images > 1 or found.image_share == 0 or found.image_share > LOGO_SHARE):
        return "image-only", "an image without text, probably a scan"
    if found.hidden:
        return "empty", "all of its text is hidden"
    if found.marks or (found.shows and not found.text):  # word processors show a single space on blank pages
        return "failed", "content without readable text"
    return "empty", ""


__all__ = ["Pypdf", "Refusal", "cache_fonts"]
