"""A comparison as Markdown, JSON and one self-contained HTML page; both sides quoted with clause and page."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from conspectus import __version__
from conspectus.compare import view as view
from conspectus.compare.compare import Change, Comparison, Line, Side
from conspectus.compare.marks import Mark
from conspectus.document import Document
from conspectus.render.markdown import MARKS, escape
from conspectus.render.safe import shown

SCHEMA = "conspectus-compare-1"
PROGRAM = f"conspectus {__version__}"


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses of both files as seen from where the comparison will lie; "" where it is printed."""

    old: str = ""
    new: str = ""


def render_json(comparison: Comparison, _links: Links) -> bytes:
    """UTF-8, two spaces of indent; the same comparison gives the same bytes."""
    # A file name may hold lone surrogates: written so they are JSON's own escapes.
    text = json.dumps(as_dict(comparison), ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace")


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data. `pages` are 0-based indexes; a change without `old` was added."""
    return {
        "schema": SCHEMA,
        "status": comparison.status.value,
        "partial": comparison.partial,
        "old": _document(comparison.old, comparison.clauses[0]),
        "new": _document(comparison.new, comparison.clauses[1]),
        "likeness": round(comparison.likeness, 4),
        "counts": comparison.counts(),
        "changes": [_change(change) for change in comparison.changes],
        "engine_errors": list(comparison.failures),
        "provenance": {
            "program": PROGRAM,
            "model": comparison.model or None,
            "model_fingerprint": comparison.fingerprint or None,
        },
    }


def _document(document: Document, clauses: int) -> dict[str, Any]:
    return {
        "name": document.name,
        "title": document.title,
        "sha256": document.sha256,
        "language": document.language.value,
        "pages": len(document.pages),
        "unread_pages": [page.label for page in document.pages if page.unread],
        "clauses": clauses,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "moved": change.moved,
        "renumbered": change.renumbered,
        "marks": [_mark(mark) for mark in change.marks],
        "old": _side(change.old) if change.old else None,
        "new": _side(change.new) if change.new else None,
    }


def _mark(mark: Mark) -> dict[str, str]:
    return {
        "kind": mark.kind.value,
        "old": mark.old,
        "new": mark.new,
        "old_value": mark.old_value,
        "new_value": mark.new_value,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "clause": side.label,
        "number": side.number,
        "heading": side.heading,
        "path": list(side.path),
        "pages": list(side.pages),
        "page_labels": list(side.page_labels),
        "quote": side.quote,
        "runs": [{"text": run.text, "kind": run.kind.value if run.kind else None} for run in side.runs],
        "lines": [_line(line) for line in side.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "text": line.text,
        "verdict": line.verdict.value,
        "quote": line.quote,
        "pages": list(line.pages),
        "refused": list(line.reasons),
    }


def render_markdown(comparison: Comparison, _links: Links) -> bytes:
    """UTF-8 Markdown; what differs is bold on both sides. Text of the documents is escaped."""
    return ("\n".join(_markdown(comparison)) + "\n").encode()


def _markdown(comparison: Comparison) -> Iterator[str]:
    yield f"# {escape(view.title(comparison))}"
    for alert in view.alerts(comparison):
        yield f"\n**{escape(alert)}**"
    yield f"\n{view.verdict(comparison)}"
    words = view.labels(comparison)
    found = view.groups(comparison)
    if found:
        yield ""
        yield from (f"- {group.title}: {len(group.changes)}" for group in found)
    for group in found:
        yield f"\n## {group.title}"
        if not group.is_full:
            yield f"\n| {words['old']} | {words['new']} |\n|---|---|"
            yield from (f"| {_cell(change.old, words)} | {_cell(change.new, words)} |" for change in group.changes)
            continue
        for change in group.changes:
            yield from _full(change, words)
    yield ""
    yield from (f"- {escape(note)}" for note in view.notes(comparison, PROGRAM))


def _cell(side: Side | None, words: view.Labels) -> str:
    return escape(view.where(side, words)) if side else ""


def _full(change: Change, words: view.Labels) -> Iterator[str]:
    head = " → ".join(dict.fromkeys(escape(view.where(side, words)) for side in (change.old, change.new) if side))
    yield f"\n### {head}{' (' + words['moved'] + ')' if change.moved else ''}\n"
    for mark in change.marks:
        before, after = (f"“{escape(text)}”" if text else words["nothing"] for text in (mark.old, mark.new))
        yield f"- {words['marks'][mark.kind]}: {before} → {after}"
    for name, side in ((words["old"], change.old), (words["new"], change.new)):
        if side is None:
            continue
        yield f"\n> {name} ({escape(view.where(side, words))}): {_marked(side)}"
        if lines := view.said(side):
            yield ""
            yield from (f"- {MARKS[line.verdict]} {escape(line.text)}" for line in lines)


def _marked(side: Side) -> str:
    parts: list[str] = []
    for run in view.excerpt(side.runs):
        text = escape(run.text)
        if run.kind is None:
            # Markdown knows no bold beside a letter: a space of the source stays where it is.
            parts.append(f"{' ' * run.text.startswith(' ')}{text}{' ' * run.text.endswith(' ')}" if text else " ")
        else:
            parts.append(f"**{text}**")
    return "".join(parts).strip()


def render_html(comparison: Comparison, links: Links) -> bytes:
    """One UTF-8 page without script, whose content security policy forbids every request."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> object:
        return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value)

    folder = files("conspectus.render") / "page"
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=finalize)
    words = view.labels(comparison)
    page = environment.from_string((folder / "compare.html.jinja").read_text("utf-8")).render(
        comparison=comparison,
        words=words,
        title=view.title(comparison),
        verdict=view.verdict(comparison),
        alerts=list(view.alerts(comparison)),
        groups=view.groups(comparison),
        notes=list(view.notes(comparison, PROGRAM)),
        excerpt=view.excerpt,
        said=view.said,
        where=lambda side: view.where(side, words),
        link=lambda side, is_new: view.page_link(
            comparison.new if is_new else comparison.old, links.new if is_new else links.old, side
        ),
        style=Markup((folder / "page.css").read_text("utf-8") + (folder / "compare.css").read_text("utf-8")),
    )
    return page.encode()


RENDERERS: Mapping[str, Callable[[Comparison, Links], bytes]] = {
    "json": render_json,
    "md": render_markdown,
    "html": render_html,
}
