"""Digest to bytes, one renderer a file.

A renderer takes the digest and the address of the document as seen from where the file will lie; it is imported when
it is called, so that nothing pays for a format that is not asked for.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence

from conspectus.document import Digest

Renderer = Callable[[Digest, str], bytes]


def _later(module: str, name: str) -> Renderer:
    def render(digest: Digest, link: str) -> bytes:
        made: bytes = getattr(importlib.import_module(f"conspectus.render.{module}"), name)(digest, link)
        return made

    return render


def _json(digest: Digest, _link: str) -> bytes:
    from conspectus.render.json import render_json

    return render_json(digest)


# By what stands after `<name>.digest.`; formats.py says which format has which.
RENDERERS: Mapping[str, Renderer] = {
    "json": _json,
    "md": _later("markdown", "render_markdown"),
    "html": _later("html", "render_html"),
    "docx": _later("docx", "render_docx"),
    "xlsx": _later("xlsx", "render_xlsx"),
    "duties.csv": _later("csv", "render_duties"),
    "dates.csv": _later("csv", "render_dates"),
    "ics": _later("ics", "render_ics"),
}


def render_all(digest: Digest, link: str, suffixes: Sequence[str]) -> dict[str, bytes]:
    """The content of each file, by its key in RENDERERS."""
    return {suffix: RENDERERS[suffix](digest, link) for suffix in suffixes}


__all__ = ["RENDERERS", "Renderer", "render_all"]
