"""From checked drafts to statements and ledger: the promised length, the verbatim floor, an account of each clause."""

from collections.abc import Mapping, Sequence

from conspectus.document import (
    ClauseKind,
    Detail,
    Document,
    LedgerRow,
    LedgerState,
    Source,
    Statement,
    Verdict,
)
from conspectus.drafts import Draft
from conspectus.materiality import MATERIAL, fill, kinds_of, materiality, rank

# More sentences are asked for than the length holds: a restated line is shorter than its sentence.
ASKED_SHARE = 1.4


def promised(document: Document, detail: Detail) -> int:
    """How many characters the statements may have together."""
    return int(len(document.text) * detail.share)


def choose(source: Source, detail: Detail) -> list[int]:
    """Indexes of the sentences that the model is asked about, in document order."""
    ranked = rank(source.sentences, source.clauses, source.language)
    ranked = [index for index in ranked if not source.sentences[index].is_row]
    lengths = [len(sentence.text) for sentence in source.sentences]
    return fill(ranked, lengths, int(promised(source.document, detail) * ASKED_SHARE))


def _statement(source: Source, draft: Draft | None, index: int) -> Statement:
    """The line of a sentence: the accepted draft, else the sentence itself, marked verbatim."""
    sentence = source.sentences[index]
    clause = source.clause_of(index)
    accepted = draft is not None and not draft.reasons and not draft.copied
    return Statement(
        text=draft.text if draft is not None and accepted else sentence.text,
        verdict=Verdict.VERIFIED if accepted else Verdict.VERBATIM,
        quote=sentence.text,
        clause=clause.label,
        clause_id=clause.id,
        pages=source.document.pages_of_spans(sentence.spans),
        spans=sentence.spans,
        sentence=index,
        reasons=tuple(reason.value for reason in draft.reasons) if draft is not None else (),
    )


def settle(source: Source, drafts: Mapping[int, Draft], chosen: Sequence[int], detail: Detail) -> list[Statement]:
    """The statements within the promised length, the most material first served, in document order.

    `drafts` has the last draft of each sentence; one without (its call failed, or it was not asked about and there is
    room left) stands verbatim.
    """
    ranked = rank(source.sentences, source.clauses, source.language)
    candidates = {index: _statement(source, drafts.get(index), index) for index in ranked}
    asked = set(chosen)
    first = [index for index in ranked if index in asked]
    lengths = [len(candidates[s.index].text) if s.index in candidates else 0 for s in source.sentences]
    order = [*first, *(index for index in ranked if index not in asked)]
    return [candidates[index] for index in fill(order, lengths, promised(source.document, detail))]


def account(
    source: Source, statements: Sequence[Statement], failed: Mapping[int, str] | None = None
) -> tuple[LedgerRow, ...]:
    """One row for each clause: in the digest, condensed, immaterial or failed, with the reason.

    `failed` has, by sentence, why its model call failed; such a sentence counts as failed where no statement rests on
    it, because nobody knows whether the model would have kept it.
    """
    failed = failed or {}
    by_clause: dict[str, list[int]] = {}
    said = {statement.sentence for statement in statements}
    for position, statement in enumerate(statements):
        by_clause.setdefault(statement.clause_id, []).append(position)
    of_clause: dict[int, list[int]] = {}
    for sentence in source.sentences:
        of_clause.setdefault(sentence.clause, []).append(sentence.index)
    rows: list[LedgerRow] = []
    for position, clause in enumerate(source.clauses):
        own = of_clause.get(position, [])
        left = [i for i in own if i not in said and materiality(source.sentences[i].text, source.language) >= MATERIAL]
        errors = sorted({failed[index] for index in left if index in failed})
        state, reason = _state(source, position, bool(by_clause.get(clause.id)), left, errors)
        rows.append(
            LedgerRow(
                clause.id,
                clause.number,
                clause.heading,
                source.document.pages_of(clause.start, clause.end),
                state,
                reason,
                tuple(by_clause.get(clause.id, ())),
                tuple(source.sentences[index].text for index in left),
            )
        )
    return tuple(rows)


def _state(
    source: Source, position: int, said: bool, left: Sequence[int], errors: Sequence[str]
) -> tuple[LedgerState, str]:
    """What became of a clause, and why."""
    if errors:
        return LedgerState.FAILED, "; ".join(errors)
    if said:
        return LedgerState.IN_DIGEST, f"{len(left)} more material sentences beyond the length" if left else ""
    if left:
        kinds = sorted({kind for i in left for kind in kinds_of(source.sentences[i].text, source.language)})
        return LedgerState.CONDENSED, f"beyond the length: {', '.join(kinds)}"
    clause = source.clauses[position]
    if clause.kind is ClauseKind.CONTAINER and clause.end - clause.start < 200:
        return LedgerState.IMMATERIAL, "a heading"
    return LedgerState.IMMATERIAL, "no duty, right, amount, date, term or sanction found"
