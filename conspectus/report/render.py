"""The morning report as files: report.md, report.html (self-contained, for reading and printing), report.json."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conspectus.journal.facts import document_facts, record_facts
from conspectus.render.markdown import escape
from conspectus.render.safe import one_line, shown
from conspectus.report.changes import changes_as_dict
from conspectus.report.diff import Piece
from conspectus.report.report import Entry, Report
from conspectus.report.view import Cell, Changed, ReportView, Section, view_of
from conspectus.report.words import WORDS
from conspectus.run.output import link_to

SCHEMA = "conspectus-report-1"
MARKDOWN, HTML, JSON = "report.md", "report.html", "report.json"


def render_report(report: Report, folder: Path) -> dict[str, bytes]:
    """The three files by name, for a folder in which they will lie: links to digests are relative to it."""
    return {
        MARKDOWN: render_markdown(report, folder),
        HTML: render_html(report, folder),
        JSON: render_json(report, folder),
    }


def render_json(report: Report, folder: Path) -> bytes:
    """UTF-8, two spaces of indent. `documents` are in the order of the page; `link` leads to a digest."""
    facts = record_facts(report.record)
    del facts["files"], facts["documents"]
    data = {
        "schema": SCHEMA,
        "run": facts,
        "needs_attention": report.needs_attention,
        "counts": report.counts,
        "base": report.base,
        "pages": sum(entry.row.outcome.pages for entry in report.entries),
        "pages_read": sum(entry.row.outcome.pages_read for entry in report.entries),
        "documents": [_document(report, entry, folder) for entry in report.entries],
    }
    # A file name need not be text: what is none stands as an escape, as JSON has it.
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace")


def _document(report: Report, entry: Entry, folder: Path) -> dict[str, Any]:
    facts = document_facts(report.record.run, entry.row)
    digest = entry.row.outcome.digest
    facts["name"] = entry.name
    facts["link"] = None if digest is None else link_to(digest, folder)
    facts["changes"] = None if entry.changes is None else changes_as_dict(entry.changes)
    return facts


def render_html(report: Report, folder: Path) -> bytes:
    """UTF-8. Nothing in it is fetched or run: its content security policy forbids both."""
    own = files("conspectus.render") / "report"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=lambda value: _finalize(value)
    )
    page = environment.from_string((own / "report.html.jinja").read_text("utf-8")).render(
        view=view_of(report, folder),
        words=WORDS[report.language],
        spaced=_spaced,
        where=lambda clause, pages: _where(report, clause, pages),
        style=Markup(
            (files("conspectus.render") / "page" / "page.css").read_text("utf-8")
            + (own / "report.css").read_text("utf-8")
        ),
    )
    return page.encode()


def _finalize(value: Any) -> Any:  # noqa: ANN401 - whatever the template prints
    """Every text that is printed goes through `one_line`; markup of our own does not."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else one_line(value)


def _spaced(text: str) -> Markup:
    """A piece of a sentence: the spaces at its ends are kept, because other pieces stand beside it."""
    return Markup.escape(re.sub(r"\s+", " ", shown(text)))


def _where(report: Report, clause: str, pages: str) -> str:
    words = WORDS[report.language]
    return words["where"].format(clause=clause, pages=pages) if pages else clause


def render_markdown(report: Report, folder: Path) -> bytes:
    """UTF-8 Markdown; names and texts are escaped, so that they cannot become markup."""
    return ("\n".join(_lines(report, view_of(report, folder))) + "\n").encode()


def _lines(report: Report, view: ReportView) -> Iterator[str]:
    words = WORDS[report.language]
    yield f"# {escape(view.title)}"
    if view.alert:
        yield from ("", f"**{escape(view.alert)}**")
    for line in view.lead:
        yield from ("", escape(line))
    yield ""
    for _, word, count, loud in view.counts:
        yield f"- {'**' if loud else ''}{count:,} {word}{'**' if loud else ''}"
    for section in view.attention:
        yield from _section(section)
    yield from ("", f"## {words['changes']}", "", words["changes_note"] if view.changes else words["no_changes"])
    for changed in view.changes:
        yield from _changed(report, changed)
    for section in view.sections:
        yield from _section(section)
    yield from ("", f"## {words['facts']['heading']}", "")
    for name, value in view.facts:
        yield f"- {name}: {escape(value)}"
    yield from ("", escape(view.made))


def _cell(cell: Cell) -> str:
    return f"[{escape(cell.text)}](<{cell.link}>)" if cell.link else escape(cell.text)


def _section(section: Section) -> Iterator[str]:
    yield from ("", f"## {section.title} ({len(section.rows):,})", "")
    if section.note:
        yield from (section.note, "")
    yield f"| {' | '.join(section.columns)} |"
    alone = section.rows[0] if section.rows else ()
    yield f"|{'|'.join('---:' if cell.number else '---' for cell in alone)}|"
    for row in section.rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _changed(report: Report, changed: Changed) -> Iterator[str]:
    words = WORDS[report.language]
    name = _cell(Cell(changed.name, changed.link))
    yield from ("", f"### {name}", "")
    if changed.note:
        yield from (changed.note, "")
    for item in changed.items:
        tables = ", ".join(words["tables"][table] for table in item.tables)
        place = escape(_where(report, item.clause, item.pages))
        texts = " → ".join(filter(None, (_pieces(item.before), _pieces(item.now))))
        yield f"- {words['kinds'][item.kind]} ({tables}; {place}): {texts}"
    if changed.more:
        yield f"- {words['more'].format(count=changed.more)}"


def _pieces(pieces: tuple[Piece, ...]) -> str:
    """What differs is bold where Markdown lets it be: marks beside punctuation would be shown as they stand."""
    made = []
    for piece in pieces:
        text = one_line(piece.text)
        escaped = escape(piece.text)
        bold = piece.marked and text[:1].isalnum() and text[-1:].isalnum()
        left = " " if piece.text[:1].isspace() else ""
        right = " " if piece.text[-1:].isspace() else ""
        made.append(f"{left}**{escaped}**{right}" if bold else f"{left}{escaped}{right}")
    return "".join(made).strip()
