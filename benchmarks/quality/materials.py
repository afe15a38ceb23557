"""What is measured on: the sample documents with their planted facts, the shared corpus with its labels."""

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from conspectus.document import Document, Source
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import ReadOptions, named, read_pdf
from conspectus.pdf.types import Reading

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ("lease", "regulation", "act-zh")
# The shortest contracts of the corpus that have labels: 3, 5, 6 and 6 pages.
CUAD_FOUR = (
    "cuad_test_09_outsourcing_sykeshealthplan",
    "cuad_test_02_service_martinmidstream",
    "cuad_test_04_service_atmosenergy",
    "cuad_test_05_license_pacificapentert",
)
PLAIN = "plain-english"
CIVIL_CODE = "civil-code-tort"
GROUPS = {
    "samples": SAMPLES,
    "cuad4": CUAD_FOUR,
    "small": (*SAMPLES, *CUAD_FOUR, CIVIL_CODE, PLAIN),
}
QUESTIONS = Path(__file__).with_name("civil_code_questions.jsonl")
_BOOK = "侵权责任编"


class MissingMaterial(Exception):
    """A document or label file that is not on this machine."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A planted fact: `must_contain` are the forms a line must hold, `page` counts from 1."""

    id: str
    kind: str
    text: str
    must_contain: tuple[str, ...]
    quote: str
    page: int
    who: str = ""
    modality: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A planted question. A line answers it with all of `answer` and `about`; a reply with all of `answer`."""

    id: str
    article: str
    question: str
    answer: tuple[str, ...]
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """One document of the benchmark; `pages` 0 means all of them."""

    name: str
    path: Path
    pages: int = 0
    facts: tuple[Fact, ...] = field(default=(), repr=False)

    @property
    def cell_name(self) -> str:
        """The name of its folder of cells."""
        return f"{self.name}.p{self.pages}" if self.pages else self.name


def corpus() -> Path:
    """The folder of the shared corpus: `CONSPECTUS_CORPUS`, else beside the repository, else in its bundle."""
    own = os.environ.get("CONSPECTUS_CORPUS")
    places = [Path(own)] if own else [ROOT.parent / "shared" / "corpus", ROOT / ".gpu" / "corpus"]
    for place in places:
        if place.is_dir():
            return place
    raise MissingMaterial(f"no corpus at {' or '.join(map(str, places))}: set CONSPECTUS_CORPUS")


def facts_of(name: str) -> tuple[Fact, ...]:
    """The facts planted in a sample."""
    about = json.loads((ROOT / "data" / f"{name}.facts.json").read_text("utf-8"))
    return tuple(
        Fact(
            id=fact["id"],
            kind=fact["kind"],
            text=fact["text"],
            must_contain=tuple(fact["must_contain"]),
            quote=fact["quote"],
            page=fact["page"],
            who=fact.get("who") or "",
            modality=fact.get("modality") or "",
        )
        for fact in about["facts"]
    )


def material(name: str, pages: int = 0) -> Material:
    """A document by its name. Raises MissingMaterial."""
    if name in SAMPLES:
        facts = tuple(fact for fact in facts_of(name) if not pages or fact.page <= pages)
        return Material(name, ROOT / "data" / f"{name}.pdf", pages, facts)
    if name == PLAIN:
        return Material(name, _there(corpus() / "eval" / "plain_english_contracts_446.jsonl"))
    if name == CIVIL_CODE:
        return Material(name, _there(corpus() / "statutes" / "zh_civil_code.md"))
    for folder in ("contracts", "statutes"):
        for suffix in (".pdf", ".md"):
            path = corpus() / folder / f"{name}{suffix}"
            if path.is_file():
                return Material(name, path, pages)
    raise MissingMaterial(f"no document {name!r} in data/ or in {corpus()}")


def named_materials(names: str, pages: int = 0) -> list[Material]:
    """The documents of a comma-separated list of names and groups (`samples`, `cuad4`, `small`, `cuad`)."""
    wanted: list[str] = []
    for name in filter(None, names.split(",")):
        if name == "cuad":
            wanted += sorted(path.stem for path in (corpus() / "contracts").glob("cuad_t*.pdf"))
        else:
            wanted += GROUPS.get(name, (name,))
    return [material(name, pages) for name in dict.fromkeys(wanted)]


def _there(path: Path) -> Path:
    if not path.is_file():
        raise MissingMaterial(f"missing: {path}")
    return path


@cache
def document_of(what: Material) -> Document:
    """The document as the product reads it; of the Civil Code the one book."""
    if what.name == CIVIL_CODE:
        return _civil_code_book(what.path)
    reading = read_pdf(what.path, ReadOptions(), lambda done, total: None)
    if what.pages:
        reading = Reading(reading.sha256, reading.pages[: what.pages], reading.bookmarks, reading.warnings)
    return to_document(named(what.path), reading)


@cache
def source_of(what: Material) -> Source:
    """The document with its clauses and sentences."""
    return to_source(document_of(what))


def document_from_text(text: str, name: str) -> Document:
    """A document of one page with this text."""
    from conspectus.pdf.textfiles import read_text

    data = text.encode()
    return to_document(Path(name), Reading(hashlib.sha256(data).hexdigest(), read_text(data, name)))


def _civil_code_book(path: Path) -> Document:
    books = re.split(r"(?m)^(?=# 中华人民共和国民法典\s*$)", path.read_text("utf-8"))
    book = next(book for book in books if re.search(rf"(?m)^# {_BOOK}\s*$", book))
    return document_from_text(book, f"{CIVIL_CODE}.md")


def questions() -> tuple[Question, ...]:
    """The planted questions on one book of the Civil Code."""
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines() if line.strip()]
    return tuple(
        Question(row["id"], row["article"], row["question"], tuple(row["answer"]), tuple(row["about"])) for row in rows
    )


def cuad_labels(name: str) -> dict[str, Any] | None:
    """The labels of a contract by its file's stem; None where it has none."""
    for entry in json.loads(_there(corpus() / "eval" / "cuad_labels_20.json").read_text("utf-8")):
        if name == f"cuad_{entry['split']}_{Path(entry['file']).stem}":
            return dict(entry)
    return None
