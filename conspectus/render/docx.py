"""The digest as a Word document: what counsel edits. The words that a line rests on stand in a comment beside it."""

import io
from typing import TYPE_CHECKING, Any

from conspectus.document import Digest, Verdict
from conspectus.render.brief import view_of
from conspectus.render.files import FIXED, need, timeless
from conspectus.render.markdown import MARKS
from conspectus.render.safe import one_line
from conspectus.render.view import Cite, Line, Part, PartName, Table
from conspectus.render.words import WORDS

if TYPE_CHECKING:
    from docx.document import Document as Paper
    from docx.text.run import Run

AUTHOR = "Conspectus"


class _Writer:
    """A Word document that grows part by part."""

    def __init__(self, paper: "Paper", words: Any) -> None:  # noqa: ANN401 - the table of words
        self.paper = paper
        self.words = words

    def comment(self, run: "Run", quote: str) -> None:
        """The quotation beside a run."""
        comment = self.paper.add_comment(run, one_line(quote), AUTHOR, "C")
        comment._comment_elm.date = FIXED

    def where(self, cite: Cite) -> str:
        return f"({one_line(cite.clause)}, {self.words['page'].format(pages=one_line(cite.page_range))})"

    def line(self, line: Line) -> None:
        paragraph = self.paper.add_paragraph(style="List Bullet")
        run = paragraph.add_run(f"{MARKS[line.verdict]} {one_line(line.text)}")
        run.bold = line.verdict is Verdict.UNVERIFIED
        paragraph.add_run(f" {self.where(line.cite)}").italic = True
        # A verbatim line is its own quotation, and a line that repeats another has its comment there.
        if line.number is not None and line.verdict is not Verdict.VERBATIM:
            self.comment(run, line.cite.quote)

    def table(self, table: Table) -> None:
        columns = (*table.columns, self.words["place"])
        grid = self.paper.add_table(rows=1, cols=len(columns), style="Light Grid Accent 1")
        grid.autofit = True
        for cell, title in zip(grid.rows[0].cells, columns, strict=True):
            cell.text = title
        for row in table.short:
            place = self.where(row.cite) if row.cite else ""
            for cell, text in zip(grid.add_row().cells, (*row.cells, place), strict=True):
                cell.text = one_line(text)
        if left := len(table.rows) - len(table.short):
            self.paper.add_paragraph(self.words["more"].format(count=left))

    def part(self, part: Part) -> None:
        self.paper.add_heading(one_line(part.title), 2 if part.name is PartName.SECTION else 1)
        for note in part.notes:
            self.paper.add_paragraph(one_line(note))
        for line in part.lines:
            self.line(line)
        if part.table:
            self.table(part.table)


def _fonts(paper: "Paper") -> None:
    """A face for Chinese too: the template names Western ones alone."""
    from docx.oxml.ns import qn

    for name in ("Normal", "Title", "Heading 1", "Heading 2"):
        fonts = paper.styles[name].element.get_or_add_rPr().get_or_add_rFonts()
        fonts.set(qn("w:eastAsia"), "SimSun")


def render_docx(digest: Digest, link: str = "") -> bytes:
    """A .docx for A4; the same digest gives the same bytes. Raises UsageError without the extra `export`."""
    library = need("docx")
    from docx.shared import Mm

    view, words = view_of(digest), WORDS[digest.document.language]
    paper: Paper = library.Document()
    _fonts(paper)
    for section in paper.sections:
        section.page_width, section.page_height = Mm(210), Mm(297)
        section.left_margin = section.right_margin = Mm(20)
    properties = paper.core_properties
    properties.author, properties.title, properties.comments = AUTHOR, one_line(view.title)[:255], ""
    properties.created = properties.modified = FIXED
    writer = _Writer(paper, words)
    paper.add_heading(one_line(view.title), 0)
    for alert in view.alerts:
        paper.add_paragraph().add_run(one_line(alert)).bold = True
    paper.add_paragraph(one_line(view.coverage))
    paper.add_paragraph(words["legend"])
    in_sections = False
    for part in view.parts:
        if part.name is PartName.SECTION and not in_sections:
            in_sections = True
            paper.add_heading(words["parts"]["section"], 1)
        writer.part(part)
    made = io.BytesIO()
    paper.save(made)
    return timeless(made.getvalue())
