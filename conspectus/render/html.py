"""The digest as one HTML page: the digest left, the cited clause with its evidence marked right.

Self-contained: style, script and the text of the cited clauses are in the file, and its content security policy
forbids every request. It can be read and printed without the script.
"""

import json
import re
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conspectus.document import Clause, Digest
from conspectus.render.brief import view_of
from conspectus.render.view import Cite, Table, View
from conspectus.render.words import WORDS

# What a browser would obey instead of show: control characters, and marks that turn the direction of what follows.
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|[\ud800-\udfff]")
_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def shown(text: str) -> str:
    """Text of a document with a visible sign for each character that a browser would obey; as long as before."""
    return _OBEYED.sub("\ufffd", text)


def _json(data: Any) -> Markup:  # noqa: ANN401 - what JSON takes
    """Data for a script element: nothing in it can end the element."""
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_SCRIPT))


def _cites(view: View) -> list[Cite]:
    lines = [line.cite for part in view.parts for line in part.lines]
    rows = [row.cite for part in view.parts if part.table for row in part.table.rows if row.cite]
    return lines + rows


def _clause(digest: Digest, clause: Clause) -> dict[str, Any]:
    document = digest.document
    breaks = [(page.start, page.label) for page in document.pages if clause.start < page.start < clause.end]
    first = document.pages[document.page_at(clause.start)]
    return {
        "label": shown(" · ".join(filter(None, (*clause.path, f"{clause.number} {clause.heading}".strip())))),
        "start": clause.start,
        "text": shown(document.text[clause.start : clause.end]),
        "breaks": [(clause.start, shown(first.label)), *((at, shown(label)) for at, label in breaks)],
    }


def _spans(cite: Cite) -> str:
    return json.dumps([[span.start, span.end] for span in cite.spans], separators=(",", ":"))


def _choices(table: Table, column: int) -> list[str]:
    """The values of a column, the commonest first: what a reader may narrow the table to."""
    values = [shown(row.cells[column]).strip() for row in table.rows]
    return sorted(set(values), key=lambda value: (-values.count(value), value))


def render_html(digest: Digest) -> bytes:
    """UTF-8. The link to the document is its name: the page is meant to lie beside it."""
    view = view_of(digest)
    words = WORDS[digest.document.language]
    wanted = {cite.clause_id for cite in _cites(view)}
    clauses = {clause.id: _clause(digest, clause) for clause in digest.clauses if clause.id in wanted}
    folder = files("conspectus.render") / "page"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=lambda value: _finalize(value)
    )
    page = environment.from_string((folder / "digest.html.jinja").read_text("utf-8")).render(
        view=view,
        file=quote(digest.document.name.encode("utf-8", "replace")),
        words=words,
        spans=_spans,
        choices=_choices,
        words_json=_json({key: words[key] for key in ("open", "page", "found")}),
        clauses_json=_json(clauses),
        style=Markup((folder / "page.css").read_text("utf-8")),
        script=Markup((folder / "page.js").read_text("utf-8")),
    )
    return page.encode()


def _finalize(value: Any) -> Any:  # noqa: ANN401 - whatever the template prints
    """Every text that is printed goes through `shown`; markup of our own does not."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value)
