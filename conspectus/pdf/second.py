"""The second reader, pdfium, through pypdfium2: fast and good with fonts, but it aborts the process on some files.

So it runs in a child alone, and only where it is installed (extra `pdfium`).
"""

import importlib
import importlib.util
from typing import Any

from conspectus.pdf.layers import Value
from conspectus.pdf.opening import Refusal, describe, spellings


def installed() -> bool:
    """True where pypdfium2 can be imported."""
    return importlib.util.find_spec("pypdfium2") is not None


class Pdfium:
    """A file open in pdfium. Offers what `engine.Pypdf` offers: a head, and rows of pages."""

    name = "pdfium"

    def __init__(self, data: bytes, password: str | None) -> None:
        self._library: Any = importlib.import_module("pypdfium2")
        self._raw: Any = importlib.import_module("pypdfium2.raw")
        last: Exception | None = None
        for spelled in spellings(password):
            text = spelled.decode("latin-1") if isinstance(spelled, bytes) else spelled
            try:
                self._file = self._library.PdfDocument(data, password=text or None)
                return
            except self._library.PdfiumError as error:
                last = error
        if "password" in str(last).lower():
            raise Refusal("wrong-password" if password else "encrypted")
        raise Refusal("broken", "pdfium cannot open it either")

    def head(self) -> dict[str, Any]:
        """Number of pages and their labels."""
        count = len(self._file)
        labels = [self._file.get_page_label(index) or str(index + 1) for index in range(count)]
        return {"pages": count, "labels": labels, "bookmarks": [], "warnings": []}

    def page(self, index: int) -> dict[str, Any]:
        """One page as a row; what goes wrong is the page's own."""
        try:
            page = self._file[index]
            text = self._text(page)
            kinds = [] if text.strip() else [item.type for item in page.get_objects(max_depth=5)]
            images = kinds.count(self._raw.FPDF_PAGEOBJ_IMAGE)
            hidden = self._invisible(page)
            page.close()
        except Exception as error:
            return {"text": "", "failed": describe(error)}
        return {"text": text, "images": images, "objects": len(kinds), "hidden": hidden}

    def _invisible(self, page: Value) -> bool:
        """True where text is shown invisibly and no image is there that it could be the text of."""
        raw = self._raw
        found = list(page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_IMAGE], max_depth=5))
        if any(item.type == raw.FPDF_PAGEOBJ_IMAGE for item in found):
            return False
        return any(raw.FPDFTextObj_GetTextRenderMode(item.raw) in (3, 7) for item in found)

    def _text(self, page: Value) -> str:
        text_page = page.get_textpage()
        text = str(text_page.get_text_range(errors="replace"))
        text_page.close()
        # pdfium marks a hyphen at a line's end as U+FFFE; elsewhere that is a character it could not read.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.replace("\ufffe\n", "-\n").replace("\x02\n", "-\n")
