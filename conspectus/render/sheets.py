"""The parts of a digest as sheets of rows: what the workbook shows and, of two of them, the CSV files."""

from collections.abc import Iterator
from dataclasses import dataclass

from conspectus.document import Digest
from conspectus.render.brief import view_of
from conspectus.render.view import Cite, Line, Part, PartName
from conspectus.render.words import WORDS


@dataclass(frozen=True, slots=True)
class Sheet:
    """Column titles and rows of text under a name."""

    part: PartName
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def page_link(link: str, cite: Cite) -> str:
    """`lease.pdf#page=5`: the document at the first page of the place."""
    return f"{link}#page={cite.pages[0] + 1}" if link and cite.pages else ""


def _place(cite: Cite | None, link: str) -> tuple[str, str, str, str]:
    return (cite.clause, cite.page_range, cite.quote, page_link(link, cite)) if cite else ("", "", "", "")


class _Sheets:
    def __init__(self, digest: Digest, link: str) -> None:
        self.words = WORDS[digest.document.language]
        self.view = view_of(digest)
        self.link = link
        # Clause, page, quotation, link to the page.
        columns = self.words["place_columns"]
        self.place = (columns[0], columns[1], self.words["quote"], self.words["link"])

    def lines(self, lines: Iterator[tuple[str, Line]]) -> Iterator[tuple[str, ...]]:
        for section, line in lines:
            verdict = self.words["marks"][line.verdict.value]
            yield (section, verdict, line.text, *_place(line.cite, self.link))

    def of(self, name: PartName, parts: list[Part]) -> Iterator[Sheet]:
        title = self.words["sheets"][name.value]
        head = (self.words["section"], self.words["verdict"], self.words["statement"], *self.place)
        rows = tuple(self.lines((part.title, line) for part in parts for line in part.lines))
        table = parts[0].table
        if table:
            cells = tuple((*row.cells, *_place(row.cite, self.link)) for row in table.rows)
            yield Sheet(name, title, (*table.columns, *self.place), cells)
            title = f"{title} 2"  # a part with lines and a table has two sheets
        if rows:
            yield Sheet(name, title, head, rows)
        if not table and not rows:
            yield Sheet(name, title, (self.words["note"],), tuple((note,) for note in parts[0].notes))


def sheets_of(digest: Digest, link: str = "") -> tuple[Sheet, ...]:
    """One sheet for each part, all sections in one; first what a reader must know before."""
    made = _Sheets(digest, link)
    view = made.view
    parts: dict[PartName, list[Part]] = {}
    for part in view.parts:
        parts.setdefault(part.name, []).append(part)
    notes = [note for part in view.parts if part.table or part.lines for note in part.notes]
    first = (view.title, *view.alerts, view.coverage, *notes)
    about = Sheet(PartName.METHOD, made.words["about"], (made.words["note"],), tuple((text,) for text in first))
    return (about, *(sheet for name, own in parts.items() for sheet in made.of(name, own)))
