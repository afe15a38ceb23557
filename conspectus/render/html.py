"""The digest as one HTML page: the digest left, the cited clause with its evidence marked right.

Self-contained: style, script and the text of the cited clauses are in the file, and its content security policy
forbids every request. It can be read and printed without the script.
"""

import base64
import json
import zlib
from collections import Counter
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conspectus.document import Clause, Digest
from conspectus.render.brief import view_of
from conspectus.render.safe import one_line, shown
from conspectus.render.view import Cite, Table, View
from conspectus.render.words import WORDS

_CHOICES = 60  # values of a filter: more cannot be looked through
_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def _json(data: Any) -> Markup:  # noqa: ANN401 - what JSON takes
    """Data for a script element: nothing in it can end the element."""
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_SCRIPT))


def _packed(data: Any) -> str:  # noqa: ANN401 - what JSON takes
    """Data as base64 of zlib: the clauses are most of the document, and in the page they are seldom looked at."""
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(plain, 9)).decode()


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
    """The values of a column, the commonest first: what a reader may narrow the table to.

    "The Tenant" and "the Tenant" are one, shown as it stands first.
    """
    first: dict[str, str] = {}
    count: Counter[str] = Counter()
    for row in table.rows:
        value = one_line(row.cells[column])
        count[value.lower()] += 1
        first.setdefault(value.lower(), value)
    ranked = sorted(filter(None, count), key=lambda value: (-count[value], value))
    return [first[value] for value in ranked[:_CHOICES]]


def _shortened(table: Table) -> frozenset[int]:
    """Places of the rows that are printed."""
    kept = {id(row) for row in table.short}
    return frozenset(at for at, row in enumerate(table.rows) if id(row) in kept)


def render_html(digest: Digest, link: str = "") -> bytes:
    """UTF-8. `link` leads to the document from where the page will lie; without one both lie in one folder."""
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
        file=link or quote(digest.document.name.encode("utf-8", "replace")),
        words=words,
        spans=_spans,
        choices=_choices,
        shortened=_shortened,
        words_json=_json({key: words[key] for key in ("open", "page", "found", "found_one", "none")}),
        clauses_packed=_packed(clauses),
        style=Markup((folder / "page.css").read_text("utf-8")),
        script=Markup((folder / "page.js").read_text("utf-8")),
    )
    return page.encode()


def _finalize(value: Any) -> Any:  # noqa: ANN401 - whatever the template prints
    """Every text that is printed goes through `shown`; markup of our own does not."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value)
