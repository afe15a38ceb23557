"""One page with pypdf: its text without what nobody can see, in reading order, and what it holds besides text."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pypdf.generic import ContentStream, NameObject

from conspectus.pdf.columns import find_order
from conspectus.pdf.layers import Layers, Value, raw, resolved
from conspectus.pdf.walk import Box, Context, FontFact, Matrix, State, Walk, Walker, times
from conspectus.plural import many

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

A4: Box = (0.0, 0.0, 595.0, 842.0)
MAX_FORMS = 60
MAX_DEPTH = 6
SCAN_SHARE = 0.5
EDGE = 0.13
SMALL_DRAWING = 100_000  # bytes of operators up to which a page without text is worth parsing
EMPTY_PACKED = 20  # zlib packs nothing into eight bytes
_SHOWS = re.compile(rb"T[jJ]|Do|['\"]")
_PAINTS = re.compile(rb"(?<![^\s\]])(?:f\*?|F|[Bb]\*?|S|s|sh)(?![^\s])")
_INLINE = re.compile(rb"(?<!\S)BI\s")
# What in a form XObject can hide text; without any of it the form need not be parsed a second time.
_CAN_HIDE = re.compile(
    rb"[37]\s+Tr\b|/OC\b|\b1\s+g\b|\b1\.0*\s+g\b|\b1(?:\.0*)?\s+1(?:\.0*)?\s+1(?:\.0*)?\s+(?:rg|scn?)\b"
    rb"|\b0\s+0\s+0\s+0\s+k\b|\s0?\.\d+\s+Tf\b"
)


Operations = list[tuple[Any, bytes]]


class Given(ContentStream):
    """A content stream of operators that are parsed already; pypdf extracts from it without parsing."""

    def __init__(self, operations: Operations, pdf: Value) -> None:
        super().__init__(None, pdf, "bytes")
        self._operations = operations

    def get_data(self) -> bytes:
        """A stand-in: pypdf only asks it whether any text is shown."""
        return b" Tj"


@dataclass(slots=True)
class PageText:
    """What came off one page. `hidden` counts the characters left out by why they cannot be seen."""

    text: str
    warnings: list[str] = field(default_factory=list)
    images: int = 0
    image_share: float = 0.0
    marks: int = 0
    shows: int = 0
    content: bool = False
    edges_only: bool = False
    hidden: int = 0


@dataclass(slots=True)
class FormLook:
    """What a look into the forms of a page gathers: `parsed` holds operators and the hidden ones among them."""

    crop: Box
    found: PageText
    parsed: dict[str, tuple[Operations, set[int]]] = field(default_factory=dict)
    budget: int = MAX_FORMS


class Extractor:
    """Reads the pages of one open file."""

    def __init__(self, reader: "PdfReader", detect: bool) -> None:
        self.reader = reader
        self.detect = detect
        try:
            self.layers = Layers(reader)
        except MemoryError:
            raise
        except Exception:
            self.layers = Layers()

    def read(self, page: "PageObject") -> PageText:
        """The text of a page. Raises whatever pypdf raises on its content."""
        if "/Contents" not in page:
            return PageText("")
        contents = page["/Contents"].get_object()
        stream = ContentStream(contents, self.reader, "bytes")
        data = stream.get_data()
        if not data.strip():
            # A damaged stream unpacks to nothing, with no more than a log line (s66 of the corpus).
            return PageText("", content=True, marks=int(_packed(contents) > EMPTY_PACKED))
        if not _SHOWS.search(data) and len(data) > SMALL_DRAWING:
            images = len(_INLINE.findall(data))
            return PageText("", images=images, marks=len(_PAINTS.findall(data)), content=True)
        page[NameObject("/Contents")] = stream
        if not self.detect:
            text = page.extract_text()
            if text.strip():
                return PageText(text, content=True)
            page[NameObject("/Contents")] = ContentStream(contents, self.reader, "bytes")
            stream = page["/Contents"]  # type: ignore[assignment]
        return self._look(page, stream.operations)

    def _look(self, page: "PageObject", operations: Operations) -> PageText:
        crop = _crop(page)
        walk = Walker(self._context(page.get("/Resources"), crop)).run(operations)
        found = PageText("", content=True, images=walk.images, image_share=walk.image_share, marks=walk.marks)
        found.shows = len(walk.shows)
        look = FormLook(crop, found)
        for _, name, state in walk.forms:
            self._form(_named(page.get("/Resources"), "/XObject", name), name, state, look)
        gone = _hidden_ops(walk, found)
        visible = [show for show in walk.shows if show.op not in gone]
        order = find_order(visible) if not walk.forms else None
        found.text = self._text(page, operations, {name: form for name, (form, _) in look.parsed.items()})
        if gone or any(hidden for _, hidden in look.parsed.values()):
            kept = {name: _without(form, hidden) for name, (form, hidden) in look.parsed.items()}
            seen = self._text(page, _without(operations, gone), kept)
            found.hidden = max(0, _size(found.text) - _size(seen))
            found.text = seen
            if found.hidden:
                found.warnings.append(
                    f"{many(found.hidden, 'hidden character was', 'hidden characters were')} left out"
                )
        if order is not None:
            found.text = "\n".join(self._group(page, operations, group, gone) for group in order.groups)
            found.warnings.append(order.why)
        height = crop[3] - crop[1]
        found.edges_only = bool(visible) and all(
            show.y < crop[1] + EDGE * height or show.y > crop[3] - EDGE * height for show in visible
        )
        return found

    def _text(self, page: "PageObject", operations: Operations, forms: dict[str, Operations]) -> str:
        """pypdf's text of a page with these operators, and with these in its form XObjects."""
        page[NameObject("/Contents")] = Given(operations, self.reader)
        resources: Value = resolved(page.get("/Resources")) if forms else {}
        xobjects: Value = resolved(resources.get("/XObject"))
        before: dict[str, Value] = {}
        for name, form in forms.items():
            before[name] = raw(xobjects, name)
            given = Given(form, self.reader)
            given.update(resolved(before[name]))
            xobjects[NameObject(name)] = given
        try:
            return page.extract_text()
        finally:
            for name, original in before.items():
                xobjects[NameObject(name)] = original  # other pages may draw the form in another state

    def _group(self, page: "PageObject", operations: Operations, group: frozenset[int], gone: set[int]) -> str:
        others = {
            index
            for index, (_, operator) in enumerate(operations)
            if operator in (b"Tj", b"TJ", b"'", b'"') and (index not in group or index in gone)
        }
        return self._text(page, _without(operations, others), {}).strip("\n")

    def _form(self, form: Value, name: str, state: State, look: FormLook, depth: int = 0) -> None:
        """Looks into a form XObject: images count, hidden text of the outermost forms is noted."""
        found = look.found
        look.budget -= 1
        if look.budget < 0 or depth > MAX_DEPTH or not isinstance(form, dict) or not hasattr(form, "get_data"):
            return
        data = form.get_data()
        if not (b"Do" in data and depth < 2) and not _CAN_HIDE.search(data) and not _INLINE.search(data):
            found.shows += len(re.findall(rb"T[jJ]\b", data))
            found.marks += len(_PAINTS.findall(data))
            return
        operations = ContentStream(form, self.reader, "bytes").operations
        inner = state.copy()
        inner.ctm = times(_matrix(form.get("/Matrix")), state.ctm)
        walk = Walker(self._context(form.get("/Resources"), look.crop), inner).run(operations)
        found.images += walk.images
        found.image_share = max(found.image_share, walk.image_share)
        found.marks += walk.marks
        found.shows += len(walk.shows)
        gone = _hidden_ops(walk, found)
        # pypdf stops at a form within itself by its identity, so forms with forms inside are left to it where possible.
        if depth == 0 and (gone or not walk.forms):
            look.parsed[name] = (operations, gone)
        for _, below, at in walk.forms:
            self._form(_named(form.get("/Resources"), "/XObject", below), below, at, look, depth + 1)

    def _context(self, resources: Value, crop: Box) -> Context:
        context = Context(crop)
        inside = resolved(resources)
        if not isinstance(inside, dict):
            return context
        for name, font in _entries(inside, "/Font"):
            if isinstance(font, dict):
                wide = font.get("/Subtype") == "/Type0"
                context.fonts[name] = FontFact(2 if wide else 1, font.get("/Subtype") == "/Type3")
        images: set[str] = set()
        off: set[str] = set()
        for name, item in _entries(inside, "/XObject"):
            if not isinstance(item, dict):
                continue
            if item.get("/Subtype") == "/Image":
                images.add(name)
            else:
                context.forms[name] = item
            if self.layers and "/OC" in item and self.layers.hides(raw(item, "/OC")):
                off.add(name)
        properties: Value = resolved(inside.get("/Properties"))
        if self.layers and isinstance(properties, dict):
            off |= {str(name) for name in properties if self.layers.hides(raw(properties, name))}
        context.images, context.off = frozenset(images - off), frozenset(off)
        context.spaces = {"/DeviceGray": "gray", "/DeviceRGB": "rgb", "/DeviceCMYK": "cmyk", "/G": "gray"}
        context.spaces |= {name: _space(space) for name, space in _entries(inside, "/ColorSpace")}
        return context


def _entries(resources: Value, kind: str) -> list[tuple[str, Any]]:
    entries = resolved(resources.get(kind))
    return [(str(name), resolved(entries[name])) for name in entries] if isinstance(entries, dict) else []


def _named(resources: Value, kind: str, name: str) -> Value:
    entries = resolved(resolved(resources).get(kind))
    return resolved(entries.get(name)) if isinstance(entries, dict) else None


def _space(space: Value) -> str:
    """gray, rgb or cmyk where white is what it is there; other where 1 may mean full ink (Separation, Lab)."""
    if isinstance(space, list) and space:
        kind = str(space[0])
        if kind == "/ICCBased" and len(space) > 1:
            parts: Value = (resolved(space[1]) or {}).get("/N")
            return {1: "gray", 3: "rgb", 4: "cmyk"}.get(parts, "other")
        return {"/CalGray": "gray", "/CalRGB": "rgb"}.get(kind, "other")
    return {"/DeviceGray": "gray", "/DeviceRGB": "rgb", "/DeviceCMYK": "cmyk"}.get(str(space), "other")


def _matrix(value: Value) -> Matrix:
    inside = resolved(value)
    try:
        a, b, c, d, e, f = (float(part) for part in inside)
    except (TypeError, ValueError):
        return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    return (a, b, c, d, e, f)


def _crop(page: "PageObject") -> Box:
    try:
        crop = page.cropbox
        box = tuple(sorted((float(crop[0]), float(crop[2])))), tuple(sorted((float(crop[1]), float(crop[3]))))
    except MemoryError:
        raise
    except Exception:
        return A4
    (left, right), (bottom, top) = box
    return (left, bottom, right, top) if right - left > 1 and top - bottom > 1 else A4


def _hidden_ops(walk: Walk, found: PageText) -> set[int]:
    """Indexes of operators that show what nobody sees.

    Invisible text over an image that fills the page is what OCR programs write: there it is the text, unless the page
    shows more text than it hides.
    """
    invisible = sum(show.width for show in walk.shows if show.hidden == "invisible")
    shown = sum(show.width for show in walk.shows if not show.hidden)
    recognised = found.image_share >= SCAN_SHARE and invisible > shown
    gone = {show.op for show in walk.shows if show.hidden and not (recognised and show.hidden == "invisible")}
    return gone | set(walk.off_forms)


def _without(operations: Operations, gone: set[int]) -> Operations:
    """The operators without some; those that also move to the next line still do."""
    kept: Operations = []
    for index, (operands, operator) in enumerate(operations):
        if index not in gone:
            kept.append((operands, operator))
        elif operator in (b"'", b'"'):
            kept.append(([], b"T*"))
    return kept


def _packed(contents: Value) -> int:
    """Bytes of the page's content as they stand in the file."""
    streams = contents if isinstance(contents, list) else [contents]
    return sum(len(getattr(resolved(stream), "_data", b"")) for stream in streams)


def _size(text: str) -> int:
    return sum(len(part) for part in text.split())


def fonts_without_meaning(page: "PageObject") -> bool:
    """True where a font's codes are glyph numbers and nothing says which characters they stand for.

    pypdf then takes the numbers for Unicode without a word (facts/pdf.md 0.2).
    """
    inside = resolved(page.get("/Resources"))
    if not isinstance(inside, dict):
        return False
    for _, font in _entries(inside, "/Font"):
        if not isinstance(font, dict) or font.get("/Subtype") != "/Type0" or "/ToUnicode" in font:
            continue
        encoding = font.get("/Encoding")
        if not isinstance(encoding, str) or not encoding.startswith(("/Uni", "/GB", "/90ms", "/ETen", "/B5")):
            return True
    return False
