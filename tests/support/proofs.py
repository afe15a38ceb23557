"""A digest of the sample lease as a file, made with the scripted model, and ways to change it by hand."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pipeline
from fake_model import FakeModel, shortened

from conspectus.document import Detail, Digest, Source
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import read_pdf
from conspectus.render.json import render_json
from conspectus.schema import checksum_of, dump, parse

DATA = Path(__file__).parent.parent.parent / "data"
LEASE = DATA / "lease.pdf"
Edit = Callable[[dict[str, Any]], None]


@lru_cache(maxsize=4)
def source(name: str = "lease.pdf") -> Source:
    return to_source(to_document(Path(name), read_pdf(DATA / name)))


@lru_cache(maxsize=4)
def digest(name: str = "lease.pdf", detail: Detail = Detail.NORMAL) -> Digest:
    return pipeline.digest(source(name), FakeModel(rule=shortened), detail)


@lru_cache(maxsize=4)
def content(name: str = "lease.pdf") -> bytes:
    return render_json(digest(name))


def edited(edit: Edit, *, sealed: bool = True) -> bytes:
    """The lease's digest after an edit; `sealed`: by one who also puts the checksum right."""
    changed = json.loads(content())
    edit(changed)
    data = (json.dumps(changed, ensure_ascii=False, indent=2) + "\n").encode()
    if not sealed:
        return data
    file = parse(data, "edited")
    return dump(file.model_copy(update={"checksum": checksum_of(file)}))


def first(digest: dict[str, Any], verdict: str, words: str = "") -> dict[str, Any]:
    """The first statement with a verdict and some words."""
    found: dict[str, Any] = next(
        row for row in digest["statements"] if row["verdict"] == verdict and words in row["text"]
    )
    return found
