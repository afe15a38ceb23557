"""The digest as a Word document: what counsel edits. The words that a line rests on stand in a comment beside it."""

import io
from collections.abc import Mapping
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
# Millimetres of the columns, the place last; together the 170 between the margins of an A4 page.
_WIDTHS: Mapping[PartName, tuple[int, ...]] = {
    PartName.HEADER: (32, 108, 30),
    PartName.DATES: (27, 22, 26, 46, 26, 23),
    PartName.DUTIES: (24, 17, 50, 27, 31, 21),
    PartName.MONEY: (36, 80, 30, 24),
    PartName.EXCLUSIONS: (24, 118, 28),
    PartName.FLAGS: (16, 72, 54, 28),
    PartName.DEFINITIONS: (36, 106, 28),
    PartName.REFERENCES: (50, 88, 32),
    PartName.LEDGER: (24, 92, 54),
}
# Lines between the rows and nothing else.
_BORDERS = (
    '<w:tblBorders xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    + "".join(f'<w:{side} w:val="single" w:sz="4" w:color="BFC4CC"/>' for side in ("top", "bottom", "insideH"))
    + "</w:tblBorders>"
)
_CELL = "Conspectus Cell"
_GREY = (0x55, 0x5B, 0x66)


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
        page = self.words["page"].format(pages=one_line(cite.page_range))
        return str(self.words["where"].format(clause=one_line(cite.clause), page=page))

    def line(self, line: Line) -> None:
        from docx.shared import RGBColor

        paragraph = self.paper.add_paragraph(style="List Bullet")
        run = paragraph.add_run(f"{MARKS[line.verdict]}\t{one_line(line.text)}")
        run.bold = line.verdict is Verdict.UNVERIFIED
        paragraph.add_run(f" {self.where(line.cite)}").font.color.rgb = RGBColor(*_GREY)
        # A verbatim line is its own quotation, and a line that repeats another has its comment there.
        if line.number is not None and line.verdict is not Verdict.VERBATIM:
            self.comment(run, line.cite.quote)

    def table(self, name: PartName, table: Table) -> None:
        from docx.oxml import OxmlElement, parse_xml
        from docx.oxml.ns import qn
        from docx.shared import Mm

        small = self.paper.styles[_CELL].style_id
        widths = [Mm(width) for width in _WIDTHS[name]]
        grid = self.paper.add_table(rows=1, cols=len(widths), style="Normal Table")
        grid.autofit = False
        # Word wants the parts of a table's properties in its schema's order: the borders before the layout.
        grid._tbl.tblPr.find(qn("w:tblLayout")).addprevious(parse_xml(_BORDERS))
        for column, width in zip(grid.columns, widths, strict=True):
            column.width = width
        places = (self.where(row.cite) if row.cite else "" for row in table.short)
        texts = [
            (*table.columns, self.words["place"]),
            *((*r.cells, p) for r, p in zip(table.short, places, strict=True)),
        ]
        for at, cells in enumerate(texts):
            row = grid.rows[0] if at == 0 else grid.add_row()
            # A row stays on one page, and the head is repeated on each.
            for tag in ("w:cantSplit", "w:tblHeader")[: 1 if at else 2]:
                row._tr.get_or_add_trPr().append(OxmlElement(tag))
            for cell, text, width in zip(row.cells, cells, widths, strict=True):
                cell.width = width
                cell.text = one_line(text)
                cell.paragraphs[0]._p.style = small  # looked up once: python-docx would do it for each cell
                if at == 0:
                    cell.paragraphs[0].runs[0].bold = True
        if left := len(table.rows) - len(table.short):
            self.paper.add_paragraph(self.words["more"].format(count=left))

    def part(self, part: Part) -> None:
        self.paper.add_heading(one_line(part.title), 2 if part.name is PartName.SECTION else 1)
        for note in part.notes:
            self.paper.add_paragraph(one_line(note))
        for line in part.lines:
            self.line(line)
        if part.table:
            self.table(part.name, part.table)


def _fonts(paper: "Paper") -> None:
    """A face for Chinese too: the template names Western ones alone."""
    from docx.oxml.ns import qn

    for name in ("Normal", "Title", "Heading 1", "Heading 2"):
        fonts = paper.styles[name].element.get_or_add_rPr().get_or_add_rFonts()
        fonts.set(qn("w:eastAsia"), "SimSun")


def _styles(paper: "Paper") -> None:
    """Small type in tables; the verdict's sign stands where a list has its bullet."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Mm, Pt

    cell = paper.styles.add_style(_CELL, WD_STYLE_TYPE.PARAGRAPH)
    cell.base_style = paper.styles["Normal"]
    cell.font.size = Pt(8.5)
    cell.paragraph_format.space_before = cell.paragraph_format.space_after = Pt(1)
    cell.paragraph_format.line_spacing = 1.0
    lines = paper.styles["List Bullet"]
    numbers = lines.element.pPr.numPr
    if numbers is not None:
        lines.element.pPr.remove(numbers)
    lines.paragraph_format.left_indent, lines.paragraph_format.first_line_indent = Mm(6), Mm(-6)
    lines.paragraph_format.tab_stops.add_tab_stop(Mm(6))
    lines.paragraph_format.space_after = Pt(3)


def render_docx(digest: Digest, link: str = "") -> bytes:
    """A .docx for A4; the same digest gives the same bytes. Raises UsageError without the extra `export`."""
    library = need("docx")
    from docx.shared import Mm

    view, words = view_of(digest), WORDS[digest.document.language]
    paper: Paper = library.Document()
    _fonts(paper)
    _styles(paper)
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
