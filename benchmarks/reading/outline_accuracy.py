"""Prints how well the outline finds the clauses of the shared corpus: python benchmarks/reading/outline_accuracy.py

Recall and precision are those of the longest common subsequence of the numbers found and the numbers in
tests/corpus/clause_lists (made by reading the documents). For the Civil Code, articles are compared after
normalisation: white space out, NFKC.
"""

import sys
import unicodedata
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from conspectus.document import Clause, ClauseKind, Document, Language, Page, PageStatus
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import to_document
from conspectus.pdf import read_pdf

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
LISTS = ROOT / "tests" / "corpus" / "clause_lists"
CODE = (
    "statutes/zh_civil_code.md",
    "statutes/zh_civil_code_word_141p.pdf",
    "statutes/zh_civil_code_distiller_234p.pdf",
)


@cache
def document(name: str) -> Document:
    path = CORPUS / name
    if path.suffix == ".pdf":
        return to_document(path, read_pdf(path))
    text = path.read_text(encoding="utf-8")
    return Document(path.name, "", Language.ZH, text, (Page(0, "1", PageStatus.TEXT, text, 0),))


@cache
def clauses(name: str) -> tuple[Clause, ...]:
    return find_clauses(document(name))


def plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text)
    return "".join(char for char in folded if not char.isspace() and char not in "#*")


def articles(name: str) -> dict[str, str]:
    text = document(name).text
    return {c.number: plain(text[c.start : c.end]) for c in clauses(name) if c.kind is ClauseKind.ARTICLE}


def hand_made(path: Path) -> tuple[list[str], str]:
    """The numbers of a list, and the number before which the comparison ends."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    upto = next((line.removeprefix("upto ") for line in lines if line.startswith("upto ")), "")
    return [line for line in lines if line and not line.startswith(("#", "upto "))], upto


def score(path: Path) -> tuple[int, int, int]:
    """(in both, in the list, found)."""
    folder = "statutes" if path.stem.startswith("us_") else "contracts"
    wanted, upto = hand_made(path)
    found = [c.number for c in clauses(f"{folder}/{path.stem}.pdf") if c.number and c.kind is not ClauseKind.RECITAL]
    if upto in found:
        found = found[: found.index(upto)]
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks), len(wanted), len(found)


def main() -> int:
    print("| list | clauses | recall | precision |\n|---|---|---|---|")
    for path in sorted(LISTS.glob("*.txt")):
        both, wanted, found = score(path)
        print(f"| {path.stem} | {wanted} | {both / wanted:.3f} | {both / max(1, found):.3f} |")
    print("\n| document | articles | in order | recitals |\n|---|---|---|---|")
    for name in (*CODE, "statutes/zh_constitution_23p.pdf", "statutes/eu_gdpr_council_261p.pdf"):
        kinds = [clause.kind for clause in clauses(name)]
        numbers = [clause.number for clause in clauses(name) if clause.kind is ClauseKind.ARTICLE]
        unique = len(set(numbers)) == len(numbers)
        print(f"| {name} | {len(numbers)} | {unique} | {kinds.count(ClauseKind.RECITAL)} |")
    texts = [articles(name) for name in CODE]
    same = sum(len({text.get(number, str(i)) for i, text in enumerate(texts)}) == 1 for number in texts[0])
    print(f"\n民法典: {same} of {len(texts[0])} articles equal in all three ({same / len(texts[0]):.4f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
