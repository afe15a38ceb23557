"""The digest as Markdown, in the document's language: clause, page and verdict on each line."""

import re
from collections.abc import Iterator
from typing import Any

from conspectus.document import Digest, Verdict
from conspectus.render.brief import view_of
from conspectus.render.safe import one_line
from conspectus.render.view import Cite, Line, Part, PartName, Table
from conspectus.render.words import WORDS

MARKS = {Verdict.VERIFIED: "✓", Verdict.VERBATIM: "❝", Verdict.UNVERIFIED: "?"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape(text: str) -> str:
    """Text of a document as one line of Markdown that shows it and does nothing else."""
    return _ENTITY.sub("&amp;", _SPECIAL.sub(r"\\\1", one_line(text)))


def _where(cite: Cite, words: Any) -> str:  # noqa: ANN401 - the table of words
    page = words["page"].format(pages=escape(cite.page_range))
    return str(words["where"].format(clause=escape(cite.clause), page=page))


def _line(line: Line, words: Any) -> str:  # noqa: ANN401 - the table of words
    return f"- {MARKS[line.verdict]} {escape(line.text)} {_where(line.cite, words)}"


def _table(table: Table, words: Any) -> Iterator[str]:  # noqa: ANN401 - the table of words
    yield f"| {' | '.join((*table.columns, words['place']))} |"
    yield "|" + "---|" * (len(table.columns) + 1)
    for row in table.short:
        place = _where(row.cite, words) if row.cite else ""
        yield f"| {' | '.join((*map(escape, row.cells), place))} |"
    if left := len(table.rows) - len(table.short):
        yield ""
        yield words["more"].format(count=left)


def _part(part: Part, words: Any) -> Iterator[str]:  # noqa: ANN401 - the table of words
    level = "###" if part.name is PartName.SECTION else "##"
    yield ""
    yield f"{level} {escape(part.title)}"
    for note in part.notes:
        yield ""
        yield escape(note)
    if part.lines:
        yield ""
        yield from (_line(line, words) for line in part.lines)
    if part.table:
        yield ""
        yield from _table(part.table, words)


def _lines(digest: Digest) -> Iterator[str]:
    words = WORDS[digest.document.language]
    view = view_of(digest)
    yield f"# {escape(view.title)}"
    for place, alert in enumerate(view.alerts):
        yield ""
        yield f"**{escape(alert)}**" if view.partial and place == 0 else f"⚠ {escape(alert)}"
    yield ""
    yield view.coverage
    yield ""
    yield words["legend"]
    in_sections = False
    for part in view.parts:
        if part.name is PartName.SECTION and not in_sections:
            in_sections = True
            yield ""
            yield f"## {words['parts']['section']}"
        yield from _part(part, words)


def render_markdown(digest: Digest, link: str = "") -> bytes:
    """UTF-8 Markdown without links; text of the document is escaped, so that it cannot become markup."""
    return ("\n".join(_lines(digest)) + "\n").encode()
