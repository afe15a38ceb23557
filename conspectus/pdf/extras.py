"""What a PDF says outside its pages' content: form fields, annotations, attachments, bookmarks, XFA."""

import re
from typing import TYPE_CHECKING, Any

from conspectus.pdf.judge import whole_characters
from conspectus.pdf.layers import Value, resolved

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MAX_BOOKMARKS = 5000
MAX_NAMES = 100
_SILENT = ("/Popup", "/Link", "/Widget")
_PASSWORD_FLAG = 1 << 13
_WAIT = re.compile(r"please wait|adobe reader|请稍候", re.IGNORECASE)


def plain(value: Value) -> str:
    """A PDF string on one line."""
    inside = resolved(value)
    if isinstance(inside, bytes):
        inside = inside.decode("latin-1")
    if isinstance(inside, list):
        return ", ".join(filter(None, (plain(item) for item in inside)))
    if not isinstance(inside, str):
        return ""
    return " ".join(whole_characters(str(inside)).split())


def _field(widget: Value) -> tuple[str, Any, str, int]:
    """Name, value, kind and flags of the field a widget belongs to; all but the name are inherited."""
    names: list[str] = []
    value: Any = None
    kind, flags = "", 0
    node: Value = widget
    for _ in range(20):
        if not isinstance(node, dict):
            break
        if "/T" in node:
            names.insert(0, plain(node["/T"]))
        value = resolved(node.get("/V")) if value is None else value
        kind = kind or str(node.get("/FT", ""))
        own_flags = node.get("/Ff", 0)
        flags = flags or (int(own_flags) if isinstance(own_flags, int) else 0)
        node = resolved(node.get("/Parent"))
    return ".".join(filter(None, names)), value, kind, flags


def _field_line(widget: Value) -> str:
    name, value, kind, flags = _field(widget)
    if kind == "/Sig":
        return f"[Form field {name}: signed]" if value is not None else ""
    if kind == "/Tx" and flags & _PASSWORD_FLAG:
        return ""
    said = plain(value)
    if kind == "/Btn":
        said = said.removeprefix("/")
        if said in ("", "Off"):
            return ""
    return f"[Form field {name}: {said}]" if said else ""


def page_lines(page: "PageObject") -> tuple[list[str], list[str], list[str]]:
    """Lines for the form fields and for the annotations of a page, and the names of files attached to it."""
    fields: list[str] = []
    notes: list[str] = []
    attached: list[str] = []
    for item in resolved(page.get("/Annots")) or []:
        annotation = resolved(item)
        if not isinstance(annotation, dict):
            continue
        kind = annotation.get("/Subtype")
        if kind == "/Widget":
            fields.append(_field_line(annotation))
        if kind == "/FileAttachment":
            attached.append(_file_name(annotation.get("/FS")))
        if kind not in _SILENT and (said := plain(annotation.get("/Contents"))):
            notes.append(f"[Annotation: {said}]")
    return list(dict.fromkeys(filter(None, fields))), list(dict.fromkeys(notes)), attached


def _file_name(specification: Value) -> str:
    inside = resolved(specification)
    if isinstance(inside, str):
        return plain(inside)
    if isinstance(inside, dict):
        return plain(inside.get("/UF")) or plain(inside.get("/F")) or "unnamed"
    return "unnamed"


def _leaves(node: Value, depth: int = 0) -> list[str]:
    """Names of the embedded files below a node of the name tree."""
    inside = resolved(node)
    if not isinstance(inside, dict) or depth > 20:
        return []
    names = resolved(inside.get("/Names")) or []
    found = [_file_name(names[index + 1]) or plain(names[index]) for index in range(0, len(names) - 1, 2)]
    for kid in resolved(inside.get("/Kids")) or []:
        if len(found) > MAX_NAMES:
            break
        found += _leaves(kid, depth + 1)
    return found


def file_warnings(reader: "PdfReader") -> list[str]:
    """Attachments and portfolios, which are not read."""
    root = reader.root_object
    warnings: list[str] = []
    names = resolved(root.get("/Names"))
    attached = _leaves(names.get("/EmbeddedFiles")) if isinstance(names, dict) else []
    if "/Collection" in root:
        warnings.append("the file is a portfolio: the files inside it were not read, only its cover page")
    warnings += [f"attachment not read: {name[:200]}" for name in attached[:MAX_NAMES]]
    return warnings


def is_xfa(reader: "PdfReader") -> bool:
    """True where the file carries an XFA form, whose content is not on its pages."""
    form = resolved(reader.root_object.get("/AcroForm"))
    return isinstance(form, dict) and "/XFA" in form


def is_placeholder(text: str) -> bool:
    """True for the page that XFA forms show in readers that cannot fill them."""
    return len(text) < 2000 and bool(_WAIT.search(text))


def bookmarks(reader: "PdfReader") -> list[tuple[str, int, int]]:
    """Title, level and page index of the file's own outline, in order; entries without a page are left out."""
    found: list[tuple[str, int, int]] = []

    def walk(entries: Value, level: int) -> None:
        for entry in entries:
            if len(found) >= MAX_BOOKMARKS:
                return
            if isinstance(entry, list):
                walk(entry, level + 1)
                continue
            page = reader.get_destination_page_number(entry)
            title = plain(entry.title)
            if page is not None and page >= 0 and title:
                found.append((title, level, page))

    walk(reader.outline, 0)
    return found
