"""Clauses into chunks under a token budget. Lossless: the chunks partition the document's text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from zlib import crc32

from conspectus.document import Chunk, Clause, ClauseKind, Document, Language, Sentence
from conspectus.errors import ContextTooSmall

# Characters of a clause that decide how good a cut before it is.
RANKED_BY: Mapping[Language, int] = {Language.EN: 40, Language.ZH: 16}
EDGE_SHARE = 4  # no cut leaves less than a quarter of the budget on one side, where there is a choice


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not split: a clause, or a sentence of one over the budget. `rank`: how good a cut before it is."""

    first: int
    last: int
    size: int
    rank: float


def _rank(clause: Clause, text: str, language: Language) -> float:
    """How good it is to begin a chunk with a clause: containers first, else by its own first words alone.

    Cuts that depend on nothing but the words beside them stay where they are when something else is amended. The
    number is none of these words, and they are few: a clause that is renumbered or amended further down keeps its rank.
    """
    words = " ".join(text[clause.start : min(clause.end, clause.start + 160)].split())
    words = words.removeprefix(clause.number).lstrip(" .)")[: RANKED_BY[language]]
    by_words = crc32(words.encode(errors="replace")) / 2**32
    return by_words + (2.0 if clause.kind is ClauseKind.CONTAINER else 1.0)


def pack(
    document: Document, clauses: Sequence[Clause], sentences: Sequence[Sentence], tokens: Sequence[int], budget: int
) -> tuple[Chunk, ...]:
    """Chunks of whole clauses whose sentences have at most `budget` tokens together.

    `tokens[i]` is the size of sentence i as the prompt shows it. A clause over the budget is split between sentences.
    A chunk begins with the heading of its first clause. The cuts are the best-ranked ones (`_rank`), taken from the
    largest range to the smallest, so an amended clause changes the chunks beside it and no others. Raises
    ContextTooSmall where one sentence alone is over the budget.
    """
    if not sentences:
        return (Chunk(0, 0, len(document.text), ()),)
    for sentence in sentences:
        if tokens[sentence.index] > budget:
            raise ContextTooSmall(
                f"{document.name}, page {document.pages[document.page_at(sentence.own.start)].label}: one "
                f"sentence needs {tokens[sentence.index]} tokens, the model's context leaves {budget}",
                "Use a model or a --context of more tokens",
            )
    units = _units(document, clauses, sentences, tokens, budget)
    cuts = [units[cut].first for cut in _cuts(units, budget)]
    starts = [0, *(_start(clauses, sentences, cut) for cut in cuts[1:]), len(document.text)]
    groups = [tuple(range(a, b)) for a, b in pairwise([*cuts, len(sentences)])]
    return tuple(Chunk(index, starts[index], starts[index + 1], group) for index, group in enumerate(groups))


def _units(
    document: Document, clauses: Sequence[Clause], sentences: Sequence[Sentence], tokens: Sequence[int], budget: int
) -> list[_Unit]:
    """The clauses with sentences, in order; one over the budget as its sentences."""
    units: list[_Unit] = []
    for position, run in groupby(sentences, key=lambda sentence: sentence.clause):
        own = [sentence.index for sentence in run]
        size = sum(tokens[index] for index in own)
        rank = _rank(clauses[position], document.text, document.language)
        if size <= budget:
            units.append(_Unit(own[0], own[-1], size, rank))
            continue
        for index in own:
            inner = crc32(sentences[index].text.encode(errors="replace")) / 2**32
            units.append(_Unit(index, index, tokens[index], rank if index == own[0] else inner))
    return units


def _cuts(units: Sequence[_Unit], budget: int) -> list[int]:
    """Indexes of the units that begin a chunk.

    A range over the budget is cut at its best-ranked place that leaves a quarter of the budget on both sides; one of
    at most two budgets at a place that makes two chunks of it.
    """
    before = [0, *accumulate(unit.size for unit in units)]
    edge = budget / EDGE_SHARE
    cuts = [0]
    open_ = [(0, len(units))]
    while open_:
        a, b = open_.pop()
        total = before[b] - before[a]
        if total <= budget or b - a < 2:
            continue
        inner = range(a + 1, b)
        choice = [i for i in inner if before[i] - before[a] >= edge and before[b] - before[i] >= edge]
        if total <= 2 * budget:
            halves = [i for i in inner if before[i] - before[a] <= budget and before[b] - before[i] <= budget]
            choice = halves or choice
        cut = max(choice or inner, key=lambda i: (units[i].rank, i))
        cuts.append(cut)
        open_ += [(a, cut), (cut, b)]
    return sorted(cuts)


def _start(clauses: Sequence[Clause], sentences: Sequence[Sentence], first: int) -> int:
    """Where the chunk that begins with a sentence begins: headings stand with what they head."""
    before = sentences[first - 1].clause
    if sentences[first].clause != before:
        return clauses[before].end
    return sentences[first].own.start
