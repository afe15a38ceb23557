"""The digest as a workbook, one sheet a part. Every cell is text: nothing of a document becomes a formula or a link."""

import io
import math
import unicodedata

from conspectus.document import Digest
from conspectus.render.files import FIXED, need
from conspectus.render.safe import one_line
from conspectus.render.sheets import Sheet, sheets_of

_LONGEST = 32_767  # characters of a cell
_WIDTHS = (8, 46)  # of a column, in characters
_LINE, _HIGHEST = 15.0, 405.0  # points of a line of text, and what Excel allows of a row
_SLACK = 1.1  # lines end at words, before the edge of the cell


def _shown_width(text: str) -> int:
    """Columns that a text takes: two for a Chinese character."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def _width(sheet: Sheet, column: int) -> int:
    longest = max((_shown_width(row[column]) for row in sheet.rows), default=0)
    return min(max(longest + 1, _shown_width(sheet.columns[column]) + 4, _WIDTHS[0]), _WIDTHS[1])


def height(row: tuple[str, ...], widths: list[int]) -> float:
    """Points for the cell with the most lines: only Excel finds the height of wrapped text by itself."""
    lines = max(
        (math.ceil(_shown_width(text) * (_SLACK if _shown_width(text) > width else 1) / width))
        for text, width in zip(row, widths, strict=True)
    )
    return min(max(lines, 1) * _LINE, _HIGHEST)


def render_xlsx(digest: Digest, link: str = "") -> bytes:
    """An .xlsx; the same digest gives the same bytes. Raises UsageError without the extra `export`."""
    library = need("xlsx")
    made = io.BytesIO()
    book = library.Workbook(made, {"in_memory": True})
    book.set_properties({"author": "Conspectus", "created": FIXED.replace(tzinfo=None)})
    head = book.add_format({"bold": True, "bottom": 1})
    body = book.add_format({"text_wrap": True, "valign": "top"})
    for sheet in sheets_of(digest, link):
        page = book.add_worksheet(sheet.name)
        page.freeze_panes(1, 0)
        page.set_landscape()
        page.set_paper(9)  # A4
        page.fit_to_pages(1, 0)
        page.repeat_rows(0)
        widths = [_width(sheet, column) for column in range(len(sheet.columns))]
        for column, title in enumerate(sheet.columns):
            page.set_column(column, column, widths[column])
            page.write_string(0, column, title, head)
        for at, row in enumerate(sheet.rows, 1):
            page.set_row(at, height(row, widths))
            for column, text in enumerate(row):
                page.write_string(at, column, one_line(text)[:_LONGEST], body)
        if sheet.rows and len(sheet.columns) > 1:
            page.autofilter(0, 0, len(sheet.rows), len(sheet.columns) - 1)
    book.close()
    return made.getvalue()
