"""The sentences marked by hand in the shared corpus: found again, and ended where a reader ends them."""

import hashlib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from marked_sentences import CORPUS, HELD_OUT, MARKS, Flat, Passage, Score, found, passages, scored

from conspectus.document import Document
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import to_document
from conspectus.evidence.sentences import find_units
from conspectus.pdf import read_pdf

pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus")]


def cuts(document: Document, flat: Flat) -> set[int]:
    clauses = find_clauses(document)
    places = {clause.start for clause in clauses}
    for _, unit in find_units(document, clauses):
        whole = unit.own if unit.is_row else unit.sentence
        places |= {whole.start, whole.end}
    return {flat.count(place) for place in places}


@cache
def read(file: str) -> tuple[Flat, frozenset[int]]:
    document = to_document(CORPUS / file, read_pdf(CORPUS / file))
    flat = Flat(document.text)
    return flat, frozenset(cuts(document, flat))


@cache
def measured(marks: Path) -> tuple[dict[str, Score], list[str]]:
    """The score by language, and the passages that the corpus no longer has or that read otherwise now."""
    by_file: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(marks):
        by_file[passage.file].append(passage)
    scores: dict[str, Score] = defaultdict(Score)
    lost: list[str] = []
    for file, wanted in by_file.items():
        path = CORPUS / file
        assert hashlib.sha256(path.read_bytes()).hexdigest() == wanted[0].sha256, file
        flat, all_cuts = read(file)
        places = found(flat, wanted)
        lost += [passage.file for passage in wanted if passage not in places]
        for passage, start in places.items():
            last = start + passage.units[-1].end
            inside = {cut - start for cut in all_cuts if start <= cut <= last}
            for _, score, _ in scored(passage, inside):
                scores[passage.language].add(score)
    return scores, lost


def check(marks: Path, language: str, precision: float, recall: float) -> None:
    scores, lost = measured(marks)
    # A passage may come to read otherwise when reading is improved; when many do, mark them again.
    assert len(lost) <= 0.1 * len(passages(marks)), lost
    assert scores[language].precision >= precision
    assert scores[language].recall >= recall


@pytest.mark.parametrize(("language", "precision", "recall"), [("en", 0.99, 0.97), ("zh", 0.99, 0.99)])
def test_marked(language: str, precision: float, recall: float) -> None:
    check(MARKS, language, precision, recall)


def test_held_out() -> None:
    check(HELD_OUT, "en", 0.98, 0.95)
