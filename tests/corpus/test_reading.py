"""Real contracts and statutes of the shared corpus: read, outlined, segmented."""

from functools import cache
from pathlib import Path

import pytest

from conspectus.document import ClauseKind, Document, Source
from conspectus.errors import InputError
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import to_document
from conspectus.evidence.sentences import find_sentences
from conspectus.pdf import read_pdf
from conspectus.text import normalise

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus"),
]


@cache
def read(name: str) -> Document:
    return to_document(CORPUS / name, read_pdf(CORPUS / name))


def made(name: str) -> Source:
    document = read(name)
    clauses = find_clauses(document)
    return Source(document, clauses, find_sentences(document, clauses))


@pytest.mark.parametrize(
    ("name", "articles", "last"),
    [
        ("statutes/zh_civil_code_word_141p.pdf", 1260, "第一千二百六十条"),
        ("statutes/zh_civil_code_distiller_234p.pdf", 1260, "第一千二百六十条"),
        ("statutes/zh_constitution_23p.pdf", 138, "第一百三十八条"),
        ("statutes/eu_gdpr_council_261p.pdf", 99, "Article 99"),
    ],
)
def test_articles_in_order(name: str, articles: int, last: str) -> None:
    found = [clause.number for clause in made(name).clauses if clause.kind is ClauseKind.ARTICLE]
    assert len(found) == articles
    assert len(set(found)) == articles
    assert found[-1] == last


CONTRACTS = sorted(path.name for path in (CORPUS / "contracts").glob("*.pdf")) if CORPUS.is_dir() else []


@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_is_covered_without_gaps(name: str) -> None:
    source = made(f"contracts/{name}")
    text = source.document.text
    assert "".join(text[clause.start : clause.end] for clause in source.clauses) == text
    assert source.sentences
    for sentence in source.sentences:
        pages = {page for span in sentence.spans for page in source.document.pages_of(span.start, span.end)}
        there = normalise("\n".join(source.document.pages[page].text for page in sorted(pages)))
        for part in sentence.text.split("[…]"):
            assert normalise(part) in there


BROKEN = sorted(path.name for path in (CORPUS / "nasty_synth").glob("*.pdf")) if CORPUS.is_dir() else []


@pytest.mark.parametrize("name", [name for name in BROKEN if not name.startswith(("s06", "s69"))])
def test_nasty_file_is_read_or_refused_in_one_line(name: str) -> None:
    path = CORPUS / "nasty_synth" / name
    try:
        document = to_document(path, read_pdf(path))
    except InputError as error:
        assert str(path) in error.line() and error.remedy
        return
    assert all(page.status for page in document.pages)
