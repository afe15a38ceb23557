"""The digest as a workbook, one sheet a part. Every cell is text: nothing of a document becomes a formula or a link."""

import io

from conspectus.document import Digest
from conspectus.render.files import FIXED, need
from conspectus.render.safe import one_line
from conspectus.render.sheets import Sheet, sheets_of

_LONGEST = 32_767  # characters of a cell
_WIDTHS = (12, 60)  # of a column, in characters


def _width(sheet: Sheet, column: int) -> int:
    longest = max((len(row[column]) for row in sheet.rows), default=0)
    return min(max(longest, len(sheet.columns[column]) + 4, _WIDTHS[0]), _WIDTHS[1])


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
        for column, title in enumerate(sheet.columns):
            page.set_column(column, column, _width(sheet, column))
            page.write_string(0, column, title, head)
        for at, row in enumerate(sheet.rows, 1):
            for column, text in enumerate(row):
                page.write_string(at, column, one_line(text)[:_LONGEST], body)
        if sheet.rows and len(sheet.columns) > 1:
            page.autofilter(0, 0, len(sheet.rows), len(sheet.columns) - 1)
    book.close()
    return made.getvalue()
