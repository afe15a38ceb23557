"""Set the sample documents: a plain structured text in, a PDF with the same bytes every time out.

The text format is described in data/README.md.
"""

import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont
from fpdf import FPDF
from fpdf.enums import Align, TableBordersLayout
from fpdf.fonts import FontFace, TTFFont

MARKER = re.compile(r"(\d+\.\d+|\d+\.|\([a-z]+\)|\(\d+\)|\([A-Z]\))\s+(?=\S)")
ARTICLE = re.compile(r"(第[一二三四五六七八九十百]+条)　")
NOT_AT_LINE_START = "。，、；：？！”）》"
NOT_AT_LINE_END = "“（《"
FONT_FILES = {"": "NotoSerifCJK-Regular.ttc", "B": "NotoSerifCJK-Bold.ttc"}
FONT_NAME = "Noto Serif CJK SC"
FIXED_TIME = 3_850_000_000  # seconds since 1904, as fonts count


@dataclass(frozen=True)
class Block:
    """One paragraph, heading, table or sign of the source text."""

    kind: str  # title, centre, heading, para, table, signature, break, contents, body
    text: str = ""
    level: int = 0
    marker: str = ""
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def plain(self) -> str:
        """The text as it stands on the page, without marks for bold."""
        words = [self.marker, self.text, *(" ".join(row) for row in self.rows)]
        return " ".join(word for word in words if word).replace("**", "")


def parse(source: str) -> list[Block]:
    """Read the blocks of a source text; consecutive rows of a table become one block."""
    blocks: list[Block] = []
    for line in source.splitlines():
        block = _block(line)
        if block is None:
            continue
        if block.rows and blocks and blocks[-1].kind == block.kind:
            blocks[-1] = Block(block.kind, rows=blocks[-1].rows + block.rows)
        else:
            blocks.append(block)
    return blocks


def _block(line: str) -> Block | None:
    text = line.strip(" ")
    if not text:
        return None
    if text in ("===", "[contents]", "[body]"):
        return Block({"===": "break"}.get(text, text.strip("[]")))
    if text[0] == "^":
        return Block("centre", text[1:].strip(" "))
    if hashes := re.match(r"(#+) ", text):
        level = len(hashes[1]) - 1
        return Block("heading" if level else "title", text[hashes.end() :], level)
    if text[0] == "|":
        kind = "signature" if text.startswith("||") else "table"
        return Block(kind, rows=(tuple(cell.strip() for cell in text.strip("|").split("|")),))
    level = (len(line) - len(line.lstrip(" "))) // 4
    found = MARKER.match(text) or ARTICLE.match(text)
    return Block("para", text[found.end() :] if found else text, level, found[1] if found else "")


@dataclass
class Style:
    """What differs between the three documents on the page; lengths in millimetres."""

    page_number: str  # a template: {label}, {page}, {total}
    date: datetime
    language: str
    running_head: str = ""
    size: float = 11
    line: float = 5.7
    gap: float = 2.4
    margin: float = 25
    step: float = 12
    indent_tables: bool = False  # under the text of a clause, not at the margin
    fonts: dict[str, Path] = field(default_factory=dict)


@dataclass
class Known:
    """What a first pass has found out: needed by the page numbers and the table of contents."""

    total: int = 0
    pages: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


class Sheet(FPDF):
    """An A4 document with a running head and page numbers."""

    def __init__(self, style: Style, known: Known) -> None:
        super().__init__(format="A4")
        self.style, self.known, self.found = style, known, Known()
        self.core_fonts_encoding = "windows-1252"  # the default, latin-1, lacks typographic quotes
        self.set_creation_date(style.date)
        self.set_producer("fpdf2")
        self.set_lang(style.language)
        self.set_margins(style.margin, 27, style.margin)
        self.set_auto_page_break(auto=True, margin=27)
        self.family = "Serif" if style.fonts else "Times"
        for weight, path in style.fonts.items():
            self.add_font("Serif", weight, path)

    def font(self, weight: str = "", size: float | None = None) -> None:
        """Choose the weight; the family follows from the language."""
        self.set_font(self.family, weight, size or self.style.size)

    def header(self) -> None:
        """Draw the running head; a title page has none."""
        if self.page_no() > 1 and self.style.running_head:
            self.font("" if self.style.fonts else "I", 9)
            self.set_y(14)
            self.cell(0, 5, self.style.running_head, align=Align.C, border="B")
            self.set_y(27)

    def footer(self) -> None:
        """Draw the page number as the document prints it."""
        if self.page_no() > 1:
            self.font("", 9)
            self.set_y(-17)
            values = {"label": self.get_page_label(), "page": self.page_no(), "total": self.known.total}
            self.cell(0, 5, self.style.page_number.format(**values), align=Align.C)

    def release_fonts(self) -> None:
        """Close the font files, which fpdf2 leaves open and Windows would refuse to delete."""
        for font in self.fonts.values():
            if isinstance(font, TTFFont):
                font.ttfont.close()

    def room(self, height: float) -> None:
        """Begin a new page if the next lines would not fit together on this one."""
        if self.will_page_break(height):
            self.add_page()


def build(blocks: list[Block], style: Style) -> tuple[bytes, list[int]]:
    """Set the document twice, since the first pages name later ones; also give the page of each heading."""
    first = _set(blocks, style, Known())
    first.release_fonts()
    second = _set(blocks, style, Known(first.page_no(), first.found.pages, first.found.labels))
    pdf = bytes(second.output())
    second.release_fonts()
    return pdf, second.found.pages


def _set(blocks: list[Block], style: Style, known: Known) -> Sheet:
    sheet = Sheet(style, known)
    roman = any(block.kind == "body" for block in blocks)
    sheet.add_page(label_style="r" if roman else "D", label_start=1)
    sheet.set_title(next(block.text for block in blocks if block.kind == "title").replace(" | ", " "))
    sheet.set_y(70)
    sheet.font()
    fresh = False  # a page that a break has just begun
    for number, block in enumerate(blocks):
        if block.kind == "break" and blocks[number + 1].kind != "body":
            sheet.add_page()
        elif block.kind == "body":
            sheet.add_page(label_style="D", label_start=1)
        elif block.kind == "contents":
            _contents(sheet, [item for item in blocks if item.kind == "heading"])
        elif block.kind != "break":
            _SETTERS[block.kind](sheet, block, fresh)
        fresh = block.kind in ("break", "body")
    return sheet


def _title(sheet: Sheet, block: Block, _: bool) -> None:
    sheet.font("B", 22)
    for line in block.text.split(" | "):
        sheet.cell(0, 11, line, align=Align.C, new_x="LMARGIN", new_y="NEXT")
    sheet.ln(6)
    sheet.font()


def _centre(sheet: Sheet, block: Block, _: bool) -> None:
    weight = "B" if block.text.startswith("**") else ""
    sheet.font(weight, sheet.style.size + (1 if weight else 0))
    sheet.multi_cell(0, sheet.style.line + 1, block.text.strip("*"), align=Align.C, new_x="LMARGIN", new_y="NEXT")
    sheet.ln(1.5)
    sheet.font()


def _heading(sheet: Sheet, block: Block, fresh: bool) -> None:
    style = sheet.style
    sheet.room(4 * style.line + 6)
    if not fresh:
        sheet.ln(4 if block.level == 1 else 2)
    sheet.start_section(block.text.replace(" | ", ": ").replace("　", " "), block.level - 1)
    sheet.found.pages.append(sheet.page_no())
    sheet.found.labels.append(sheet.get_page_label())
    left = not style.fonts and " | " not in block.text
    sheet.font("B", style.size + (0 if left else 1))
    for line in block.text.split(" | "):
        sheet.cell(0, style.line + 1, line, align=Align.L if left else Align.C, new_x="LMARGIN", new_y="NEXT")
    sheet.ln(style.gap)
    sheet.font()


def _para(sheet: Sheet, block: Block, _: bool) -> None:
    if sheet.style.fonts:
        _chinese(sheet, block)
        return
    style, left = sheet.style, sheet.style.margin
    bare = not block.marker and block.level == 0
    sheet.room(2 * style.line)
    x = left + block.level * style.step
    if block.marker:
        sheet.set_x(x)
        sheet.cell(style.step, style.line, block.marker)
    elif block.level:
        x -= style.step  # a definition stands under the text of its clause, not under a limb
    sheet.set_left_margin(left if bare else x + style.step)
    sheet.multi_cell(0, style.line, block.text, align=Align.J, markdown=True, new_x="LMARGIN", new_y="NEXT")
    sheet.set_left_margin(left)
    sheet.set_x(left)
    sheet.ln(style.gap)


def _chinese(sheet: Sheet, block: Block) -> None:
    style = sheet.style
    em = style.size / sheet.k
    width = round(sheet.epw / em)
    indent = 2
    marker = block.marker + "　" if block.marker else ""
    lines = list(_chinese_lines(marker + block.text, width, indent))
    for number, line in enumerate(lines, 1):
        sheet.room(style.line)
        count, room = len(line), width - indent
        # A line is short by one character where a comma or a bracket had to move: spread the others.
        short = room - count if number < len(lines) else 0
        sheet.set_char_spacing(short * style.size / count)
        sheet.set_x(style.margin + indent * em)
        bold, rest = (marker, line[len(marker) :]) if marker else ("", line)
        if bold:
            sheet.font("B")
            sheet.cell(len(bold) * em * (1 + short / count), style.line, bold)
            sheet.font()
        sheet.cell(0, style.line, rest, new_x="LMARGIN", new_y="NEXT")
        sheet.set_char_spacing(0)
        marker, indent = "", 0


def _chinese_lines(text: str, width: int, indent: int) -> Iterator[str]:
    # Every character used is one em wide, so a line is a count; the rules say what may not begin or end one.
    room = width - indent
    while len(text) > room:
        cut = room
        while text[cut] in NOT_AT_LINE_START or text[cut - 1] in NOT_AT_LINE_END:
            cut -= 1
        yield text[:cut]
        text, room = text[cut:], width
    yield text


def _contents(sheet: Sheet, headings: list[Block]) -> None:
    style, labels = sheet.style, sheet.known.labels
    sheet.ln(3)
    height = min(style.line, (sheet.eph - 18) / len(headings))  # a little tighter rather than a line on a second page
    for number, block in enumerate(headings):
        title = block.text.replace(" | ", "　" if style.fonts else ": ")
        sheet.set_x(style.margin + (block.level - 1) * 8)
        dot = "…" if style.fonts else " ."
        label = labels[number] if labels else "0"
        room = sheet.w - style.margin - sheet.x - sheet.get_string_width(title) - 12
        sheet.cell(0, height, title + " " * bool(style.fonts) + dot * int(room / sheet.get_string_width(dot)))
        sheet.set_x(-style.margin - 10)
        sheet.cell(10, height, label, align=Align.R, new_x="LMARGIN", new_y="NEXT")


def _table(sheet: Sheet, block: Block, _: bool) -> None:
    # A column is as wide as its longest cell asks; each cell stands on one line, in smaller type if need be.
    size, available = sheet.style.size, sheet.epw - (sheet.style.step if sheet.style.indent_tables else 0)
    while sum(widths := _widths(sheet, block, size)) > available:
        size -= 0.25
    widths = [width + (available - sum(widths)) / len(widths) for width in widths]
    sheet.room(7 * len(block.rows) + 2)
    settings = {"width": available, "col_widths": widths, "line_height": 7, "align": Align.R, "text_align": "LEFT"}
    sheet.ln(1)
    with sheet.table(block.rows, headings_style=FontFace(emphasis="BOLD", fill_color=(230, 230, 230)), **settings):
        pass
    sheet.font()
    sheet.ln(4)


def _widths(sheet: Sheet, block: Block, size: float) -> list[float]:
    sheet.font("B", size)
    bold = [sheet.get_string_width(cell) for cell in block.rows[0]]
    sheet.font("", size)
    return [max([bold[i], *(sheet.get_string_width(row[i]) for row in block.rows)]) + 3 for i in range(len(bold))]


def _signature(sheet: Sheet, block: Block, _: bool) -> None:
    settings = {"col_widths": (55, 45), "line_height": 6, "first_row_as_headings": False, "padding": 2}
    settings |= {"borders_layout": TableBordersLayout.NONE, "markdown": True, "text_align": "LEFT"}
    sheet.ln(4)
    with sheet.table(block.rows, **settings):
        pass


_SETTERS = {
    "title": _title,
    "centre": _centre,
    "heading": _heading,
    "para": _para,
    "table": _table,
    "signature": _signature,
}


def find_fonts(folder: Path | None) -> dict[str, Path]:
    """Find the two CJK font files in a folder, or else where systems keep fonts."""
    home = Path.home()
    usual = ["/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:/Windows/Fonts"]
    places = [folder] if folder else [home / ".local/share/fonts", home / "Library/Fonts", *map(Path, usual)]
    found = {}
    for weight, name in FONT_FILES.items():
        hits = [path for place in places if place.is_dir() for path in sorted(place.rglob(name))]
        if not hits:
            raise FileNotFoundError(
                f"{name} is in none of: {', '.join(map(str, places))}. Install {FONT_NAME} (Debian and Ubuntu: "
                "apt-get install fonts-noto-cjk), or name the folder that holds it with --cjk-fonts."
            )
        found[weight] = hits[0]
    return found


def subset_fonts(found: dict[str, Path], source: str, folder: Path) -> dict[str, Path]:
    """Write small TrueType fonts that hold the characters of the source text only."""
    strong = "".join(line for line in source.splitlines() if line[:1] in "#^") + "第一二三四五六七八九十百零条　"
    made = {}
    for weight, path in found.items():
        text = strong if weight else source + "…—0123456789共页"
        made[weight] = folder / f"serif{weight}.ttf"
        made[weight].write_bytes(_truetype(path, sorted({c for c in text if unicodedata.category(c) != "Cc"})))
    return made


def _truetype(path: Path, characters: list[str]) -> bytes:
    # fpdf2 embeds this CFF font with a CMap stream that makes pypdf see one byte for a character; it has no such
    # trouble with TrueType outlines.
    with TTCollection(path, lazy=True) as collection:
        names = [font["name"].getDebugName(1) for font in collection.fonts]
    font = TTFont(path, fontNumber=next(i for i, name in enumerate(names) if str(name).startswith(FONT_NAME)))
    cmap, glyphs = font.getBestCmap(), font.getGlyphSet()
    order = [".notdef", *dict.fromkeys(cmap[ord(c)] for c in characters)]
    outlines = {}
    for name in order:
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, 1.5, reverse_direction=True))
        outlines[name] = pen.glyph()
    made = FontBuilder(font["head"].unitsPerEm, isTTF=True)
    made.setupGlyphOrder(order)
    made.setupCharacterMap({ord(c): cmap[ord(c)] for c in characters})
    made.setupGlyf(outlines)
    left = {name: getattr(made.font["glyf"][name], "xMin", 0) for name in order}
    made.setupHorizontalMetrics({name: (font["hmtx"][name][0], left[name]) for name in order})
    made.setupHorizontalHeader(ascent=font["hhea"].ascent, descent=font["hhea"].descent)
    made.setupNameTable({"familyName": FONT_NAME, "styleName": "Regular", "psName": "NotoSerifCJKsc"})
    made.setupOS2(sTypoAscender=font["OS/2"].sTypoAscender, sTypoDescender=font["OS/2"].sTypoDescender)
    made.setupPost()
    made.updateHead(created=FIXED_TIME, modified=FIXED_TIME)
    made.font.recalcTimestamp = False
    font.close()
    spool = io.BytesIO()
    made.save(spool)
    return spool.getvalue()


def at(day: str) -> datetime:
    """Give the fixed time that a document carries as its creation date."""
    return datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
