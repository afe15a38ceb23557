"""The outline on real contracts and statutes: hand-made lists of clauses, all articles, and no word lost."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from vanished import vanished

from conspectus.document import ClauseKind, Source
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import to_document
from conspectus.evidence.sentences import find_sentences
from conspectus.pdf import read_pdf

ROOT = Path(__file__).parent.parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus"),
]


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "outline_accuracy", ROOT / "benchmarks" / "reading" / "outline_accuracy.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ACCURACY = _benchmark()
LISTS = sorted(ACCURACY.LISTS.glob("*.txt"))


@pytest.mark.parametrize("path", LISTS, ids=[path.stem for path in LISTS])
def test_numbers_of_a_hand_made_list(path: Path) -> None:
    both, wanted, found = ACCURACY.score(path)
    assert both >= 0.98 * wanted
    assert both >= 0.98 * found


def test_civil_code_is_the_same_in_three_files() -> None:
    texts = [ACCURACY.articles(name) for name in ACCURACY.CODE]
    assert [len(text) for text in texts] == [1260] * 3
    assert list(texts[0]) == list(texts[1]) == list(texts[2])
    same = sum(len({text[number] for text in texts}) == 1 for number in texts[0])
    assert same >= 0.995 * 1260


def test_gdpr_has_its_articles_and_recitals_in_order() -> None:
    found = ACCURACY.clauses("statutes/eu_gdpr_council_261p.pdf")
    numbers = [clause.number for clause in found if clause.kind is ClauseKind.ARTICLE]
    assert numbers == [f"Article {number}" for number in range(1, 100)]
    recitals = [clause.number for clause in found if clause.kind is ClauseKind.RECITAL]
    assert recitals == [f"({number})" for number in range(1, 174)]


def test_japanese_constitution() -> None:
    found = ACCURACY.clauses("statutes/ja_constitution.md")
    assert sum(clause.kind is ClauseKind.ARTICLE for clause in found) == 103


NAMES = (
    sorted(
        str(path.relative_to(CORPUS))
        for folder in ("contracts", "statutes")
        for path in (CORPUS / folder).iterdir()
        if path.suffix in (".pdf", ".md")
    )
    if CORPUS.is_dir()
    else []
)


@pytest.mark.parametrize("name", NAMES)
def test_no_word_vanishes(name: str) -> None:
    document, found = ACCURACY.document(name), ACCURACY.clauses(name)
    assert "".join(document.text[clause.start : clause.end] for clause in found) == document.text
    assert list(vanished(Source(document, found, find_sentences(document, found)))) == []
    assert all(c.end - c.start <= 3000 for c in found if c.kind is ClauseKind.PARAGRAPH)


@pytest.mark.parametrize("name", ["lease", "regulation", "act-zh"])
def test_clauses_of_our_samples(name: str) -> None:
    facts = json.loads((ROOT / "data" / f"{name}.facts.json").read_text(encoding="utf-8"))
    path = ROOT / "data" / f"{name}.pdf"
    document = to_document(path, read_pdf(path))
    found = find_clauses(document)
    numbers = [clause.number for clause in found if clause.number in set(facts["clauses"])]
    assert numbers[: len(facts["clauses"])] == facts["clauses"]
    assert list(vanished(Source(document, found, find_sentences(document, found)))) == []
