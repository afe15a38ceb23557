"""Prints what outline, sentences and packing cost: python benchmarks/reading/packing_speed.py [CHARACTERS]

CPU seconds for the text of US Title 17, repeated up to so many characters (1,000,000), and for 民法典. The tokens of a
sentence are guessed from its length, because counting them once is the model's affair.
"""

import sys
import time
from pathlib import Path

import langchain_text_splitters  # noqa: F401  # paid once a process, not by each document

from conspectus.document import Document, Page, PageStatus
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.pack import pack
from conspectus.evidence.reading import to_document
from conspectus.evidence.sentences import find_sentences
from conspectus.pdf import read_pdf
from conspectus.text import language_of

CORPUS = Path(__file__).resolve().parent.parent.parent.parent / "shared" / "corpus" / "statutes"
BUDGET = 1500


def repeated(name: str, characters: int) -> Document:
    text = to_document(CORPUS / name, read_pdf(CORPUS / name)).text
    text = "\n".join([text] * (characters // len(text) + 1))[:characters]
    return Document(name, "", language_of(text), text, (Page(0, "1", PageStatus.TEXT, text, 0),))


def main() -> int:
    characters = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print("| document | characters | clauses | sentences | chunks | outline s | sentences s | pack s | all s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in ("us_title17_copyright_370p.pdf", "zh_civil_code_word_141p.pdf"):
        document = repeated(name, characters)
        at = [time.process_time()]
        clauses = find_clauses(document)
        at.append(time.process_time())
        sentences = find_sentences(document, clauses)
        at.append(time.process_time())
        tokens = [min(BUDGET, len(sentence.text) // 3 + 8) for sentence in sentences]
        at.append(time.process_time())
        chunks = pack(document, clauses, sentences, tokens, BUDGET)
        at.append(time.process_time())
        outline, segment, packed = at[1] - at[0], at[2] - at[1], at[4] - at[3]
        print(
            f"| {name} | {len(document.text):,} | {len(clauses):,} | {len(sentences):,} | {len(chunks):,} "
            f"| {outline:.2f} | {segment:.2f} | {packed:.2f} | {outline + segment + packed:.2f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
