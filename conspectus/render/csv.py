"""Duties and dates as CSV: UTF-8 with a byte order mark, without which Excel reads Chinese as something else."""

import csv
import io

from conspectus.document import Digest
from conspectus.render.safe import cell
from conspectus.render.sheets import sheets_of
from conspectus.render.view import PartName
from conspectus.render.words import WORDS


def _render(digest: Digest, link: str, name: PartName) -> bytes:
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\r\n")
    found = [sheet for sheet in sheets_of(digest, link) if sheet.part is name]
    # Without a row the titles stand alone: a file that is there and empty says "none", a missing one says nothing.
    writer.writerow(found[0].columns if found else WORDS[digest.document.language]["columns"][name.value])
    for sheet in found:
        writer.writerows([cell(text) for text in row] for row in sheet.rows)
    return made.getvalue().encode("utf-8-sig")


def render_duties(digest: Digest, link: str = "") -> bytes:
    """The duties table with the clause, page, quotation and link of each row."""
    return _render(digest, link, PartName.DUTIES)


def render_dates(digest: Digest, link: str = "") -> bytes:
    """The table of dates and periods, in the same way."""
    return _render(digest, link, PartName.DATES)
