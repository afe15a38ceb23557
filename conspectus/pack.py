"""Clauses into chunks under a token budget. Lossless: the chunks partition the document's text."""

from collections.abc import Sequence
from hashlib import sha256

from conspectus.document import Chunk, Clause, ClauseKind, Document, Sentence
from conspectus.errors import ContextTooSmall

NATURAL_SHARE = 3  # a chunk may end at a natural boundary once it is a third full
BOUNDARY_ONE_IN = 4


def _natural(clause: Clause) -> bool:
    """True where a chunk may begin early: at a container, or at one clause in four, by its own words.

    Boundaries that depend on the clause alone fall into step again behind an inserted clause, so that an amendment
    changes only the chunks around it.
    """
    if clause.kind is ClauseKind.CONTAINER:
        return True
    return sha256(f"{clause.number} {clause.heading}".encode()).digest()[0] % BOUNDARY_ONE_IN == 0


def pack(
    document: Document, clauses: Sequence[Clause], sentences: Sequence[Sentence], tokens: Sequence[int], budget: int
) -> tuple[Chunk, ...]:
    """Chunks of whole clauses whose sentences have at most `budget` tokens together.

    `tokens[i]` is the size of sentence i as the prompt shows it. A clause over the budget is split between sentences;
    a chunk holds the text from its first sentence up to the next chunk's. Raises ContextTooSmall where one sentence
    alone is over the budget.
    """
    if not sentences:
        return (Chunk(0, 0, len(document.text), ()),)
    groups: list[list[int]] = [[]]
    filled = 0
    for run in _runs(sentences):
        size = sum(tokens[index] for index in run)
        natural = _natural(clauses[sentences[run[0]].clause]) and filled * NATURAL_SHARE >= budget
        if groups[-1] and (filled + size > budget or natural):
            groups.append([])
            filled = 0
        for index in run:
            if tokens[index] > budget:
                raise ContextTooSmall(
                    f"{document.name}, page {document.pages[document.page_at(sentences[index].own.start)].label}: one "
                    f"sentence needs {tokens[index]} tokens, the model's context leaves {budget}",
                    "Use a model or a --context of more tokens",
                )
            if groups[-1] and filled + tokens[index] > budget:
                groups.append([])
                filled = 0
            groups[-1].append(index)
            filled += tokens[index]
    return _chunks(document, sentences, groups)


def _runs(sentences: Sequence[Sentence]) -> list[list[int]]:
    """Indexes of the sentences, clause by clause."""
    runs: list[list[int]] = []
    for sentence in sentences:
        if runs and sentences[runs[-1][0]].clause == sentence.clause:
            runs[-1].append(sentence.index)
        else:
            runs.append([sentence.index])
    return runs


def _chunks(document: Document, sentences: Sequence[Sentence], groups: list[list[int]]) -> tuple[Chunk, ...]:
    starts = [0, *(sentences[group[0]].own.start for group in groups[1:]), len(document.text)]
    return tuple(Chunk(index, starts[index], starts[index + 1], tuple(group)) for index, group in enumerate(groups))
