"""Prints how well sentence ends are found: python benchmarks/sentences/compare.py [--held-out] [--errors NAME]

On the sentences marked by hand in ../shared/corpus (tests/support/marked_sentences.py): precision, recall and F1 of the
boundaries, by language and by what makes the place hard, for this project's sentences, nupunkt alone and pysbd. Then
the characters a second of each on one contract, in one thread.

`ours` is what the program uses: clauses, headings and rows found first, on the whole document. `ours, no outline` gets
the same bare stretch of text as the others: the passage with CONTEXT characters around it. The others are given it
as it stands and, since a PDF's line ends mean little, with the lines joined; what serves them better is shown last.
Needs the dependency group `bench`.
"""

import argparse
import re
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests" / "support"))

from marked_sentences import CORPUS, HELD_OUT, MARKS, Flat, Passage, Score, found, passages, scored

from conspectus.document import Clause, ClauseKind, Document, Language, Page, PageStatus
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import to_document
from conspectus.evidence.sentences import find_units
from conspectus.pdf import read_pdf

CONTEXT = 1500
SPEED_FILE = "contracts/cuad_train_07_license_cytodyn.pdf"
Spans = list[tuple[int, int]]
Splitter = Callable[[str, str], Spans]
_LINE_END = re.compile(r"(?<=\S)[ \t]*\n[ \t]*(?=\S)")


def joined(text: str) -> str:
    """The text with single line ends made spaces, of the same length."""
    return _LINE_END.sub(lambda gap: " " * len(gap[0]), text)


def by_nupunkt(text: str, language: str) -> Spans:
    import nupunkt

    return [(start, end) for start, end in nupunkt.sentence_spans(text)]


@cache
def _pysbd(language: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pysbd

        return pysbd.Segmenter(language=language, clean=False, char_span=True)


def by_pysbd(text: str, language: str) -> Spans:
    return [(span.start, span.end) for span in _pysbd(language).segment(text)]  # type: ignore[attr-defined]


def as_document(text: str, language: str) -> Document:
    return Document("t.txt", "", Language(language), text, (Page(0, "1", PageStatus.TEXT, text, 0),))


def by_ours_alone(text: str, language: str) -> Spans:
    clause = Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))
    return [(unit.sentence.start, unit.sentence.end) for _, unit in find_units(as_document(text, language), [clause])]


def by_ours(document: Document) -> Spans:
    """Clauses and whole sentences of the whole document."""
    clauses = find_clauses(document)
    units = [unit for _, unit in find_units(document, clauses)]
    whole = [
        (unit.own.start, unit.own.end) if unit.is_row else (unit.sentence.start, unit.sentence.end) for unit in units
    ]
    return [*whole, *((clause.start, clause.start) for clause in clauses)]


def cuts_of(spans: Spans, flat: Flat, offset: int, start: int) -> set[int]:
    return {flat.count(offset + place) - start for span in spans for place in span}


OTHERS: dict[str, Splitter] = {
    "ours, no outline": by_ours_alone,
    "nupunkt": by_nupunkt,
    "nupunkt, lines joined": lambda text, language: by_nupunkt(joined(text), language),
    "pysbd": by_pysbd,
    "pysbd, lines joined": lambda text, language: by_pysbd(joined(text), language),
}


def measured(passage: Passage, document: Document, flat: Flat, start: int, ours: Spans) -> dict[str, set[int]]:
    text = document.text
    first, last = flat.at[start], flat.at[start + passage.units[-1].end - 1] + 1
    begin = text.rfind("\n", 0, max(0, first - CONTEXT)) + 1
    end = text.find("\n", min(len(text), last + CONTEXT))
    part = text[begin : end if end > 0 else len(text)]
    cuts = {name: cuts_of(split(part, passage.language), flat, begin, start) for name, split in OTHERS.items()}
    return {"ours": cuts_of(ours, flat, 0, start), **cuts}


def show(passage: Passage, flat: Flat, start: int, unit_end: int, kind: str, note: str) -> None:
    at = flat.at[min(start + unit_end, len(flat.at)) - 1] + 1
    before = " ".join(flat.text[max(0, at - 70) : at].split())
    after = " ".join(flat.text[at : at + 50].split())
    print(f"{kind:7} {note:14} {passage.file[-24:]:24} {before} || {after}", file=sys.stderr)


def main() -> int:
    arguments = argparse.ArgumentParser(description="Compare sentence splitters on the marked set.")
    arguments.add_argument("--errors", default="", help="print the errors of this splitter to stderr")
    arguments.add_argument("--held-out", action="store_true", help="the marks that no rule was made to fit (English)")
    options = arguments.parse_args()
    by_file: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages(HELD_OUT if options.held_out else MARKS):
        by_file[passage.file].append(passage)
    scores: dict[tuple[str, str, str], Score] = defaultdict(Score)
    lost = 0
    for file, wanted in by_file.items():
        document = to_document(CORPUS / file, read_pdf(CORPUS / file))
        flat = Flat(document.text)
        places = found(flat, wanted)
        lost += len(wanted) - len(places)
        ours = by_ours(document)
        for passage, start in places.items():
            for name, cuts in measured(passage, document, flat, start, ours).items():
                for unit, score, false in scored(passage, cuts):
                    for tag in ("all", unit.tag):
                        scores[name, passage.language, tag].add(score)
                    if name == options.errors:
                        if score.missed:
                            show(passage, flat, start, unit.end, "missed", unit.tag)
                        for cut in false:
                            show(passage, flat, start, cut, "false", unit.tag)
    if lost:
        print(f"{lost} passages read otherwise now and were left out", file=sys.stderr)
    report(scores)
    speed()
    return 0


def report(scores: dict[tuple[str, str, str], Score]) -> None:
    names = ["ours", *OTHERS]
    languages = sorted({language for _, language, _ in scores})
    print("| language | splitter | boundaries | precision | recall | F1 | sentences exactly right |")
    print("|---|---|---|---|---|---|---|")
    for some in [[language] for language in languages] + ([languages] if len(languages) > 1 else []):
        for name in names:
            total = Score()
            for each in some:
                total.add(scores[name, each, "all"])
            print(
                f"| {' + '.join(some)} | {name} | {total.right + total.missed} | {total.precision:.3f} "
                f"| {total.recall:.3f} | {total.f1:.3f} | {total.exact}/{total.sentences} |"
            )
    print("\nF1 by what makes the place hard (boundaries):\n")
    print("| language | tag | n | " + " | ".join(names) + " |")
    print("|---|---|---|" + "---|" * len(names))
    for language, tag in sorted({(language, tag) for _, language, tag in scores if tag != "all"}):
        row = [scores[name, language, tag] for name in names]
        print(
            f"| {language} | {tag} | {row[0].right + row[0].missed} | " + " | ".join(f"{s.f1:.2f}" for s in row) + " |"
        )


def speed() -> None:
    """Characters a second of each splitter, the baseline being nupunkt on the same text."""
    text = to_document(CORPUS / SPEED_FILE, read_pdf(CORPUS / SPEED_FILE)).text
    print("\n| splitter | million characters/s | against nupunkt |\n|---|---|---|")
    runs: dict[str, Splitter] = {"nupunkt": by_nupunkt, "ours, no outline": by_ours_alone, "pysbd": by_pysbd}
    base = 0.0
    for name, split in runs.items():
        split(text[:2000], "en")
        part = text if name != "pysbd" else text[:20_000]
        begun = time.process_time()
        split(part, "en")
        rate = len(part) / max(1e-9, time.process_time() - begun) / 1e6
        base = base or rate
        print(f"| {name} | {rate:.3f} | {rate / base:.3f} |")


if __name__ == "__main__":
    sys.exit(main())
