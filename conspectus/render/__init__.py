"""Digest to bytes, one renderer a format."""

from collections.abc import Callable, Mapping

from conspectus.document import Digest
from conspectus.render.json import render_json
from conspectus.render.markdown import render_markdown

RENDERERS: Mapping[str, Callable[[Digest], bytes]] = {"json": render_json, "md": render_markdown}

__all__ = ["RENDERERS", "render_json", "render_markdown"]
