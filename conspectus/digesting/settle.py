"""From checked drafts to statements and ledger: the promised length, the verbatim floor, an account of each clause."""

from collections.abc import Mapping, Sequence

from conspectus.check.check import Reason
from conspectus.digesting.drafts import Draft
from conspectus.digesting.materiality import MATERIAL, fill, kinds_of, materiality, rank, repeats
from conspectus.digesting.steady import steady_fill
from conspectus.document import (
    ClauseKind,
    Detail,
    Document,
    Language,
    LedgerRow,
    LedgerState,
    Source,
    Statement,
    Verdict,
)
from conspectus.evidence.sentences import ELLIPSIS
from conspectus.plural import many

# More sentences are asked for than the length holds: a restated line is shorter than its sentence.
ASKED_SHARE = 1.4
# Below this share of accepted lines a model is not asked about more sentences: they would stand verbatim anyway.
USEFUL = 0.4
LINES_SHORTEN_TO = 0.4  # no model is trusted to restate in less than this part of the words, whatever it did so far
# Lines of the model go before the source's own words once these fill this part of the length: more is told in less.
VERBATIM_SHARE = 0.3
# A quarter of one sentence is no digest: characters that even a very short document may be told in.
LEAST: Mapping[Language, int] = {Language.EN: 400, Language.ZH: 120}


def promised(document: Document, detail: Detail) -> int:
    """How many characters the statements may have together: the share that was asked for.

    Of a document so short that its share holds no sentence, LEAST, or all of it.
    """
    return max(int(len(document.text) * detail.share), min(len(document.text), LEAST[document.language]))


def choose(source: Source, detail: Detail, first: Sequence[int] = ()) -> list[int]:
    """Indexes of the sentences that the model is asked about, in document order; `first` before all others."""
    return _filled(source, first, (), int(promised(source.document, detail) * ASKED_SHARE))


def _filled(source: Source, first: Sequence[int], without: Sequence[int], budget: int) -> list[int]:
    """The most material sentences that fit; no rows of tables, which stand as they are, and none of `without`."""
    ranked = rank(source.sentences, source.clauses, source.language, first)
    taken = set(without)
    left = [index for index in ranked if index not in taken and not source.sentences[index].is_row]
    return steady_fill(left, [sentence.text for sentence in source.sentences], budget)


def choose_more(
    source: Source, drafts: Sequence[Draft], chosen: Sequence[int], detail: Detail, first: Sequence[int] = ()
) -> list[int]:
    """Indexes of further sentences for the room that the lines so far leave, in document order.

    Their lines are expected to be as much shorter than the sentences, and as often refused, as those so far.
    """
    accepted = {draft.sentence: draft for draft in drafts if not draft.reasons}
    asked = [index for index in chosen if index in accepted]
    if len(asked) < USEFUL * len(chosen) or not chosen:
        return []
    lengths = [len(sentence.text) for sentence in source.sentences]
    said = sum(len(draft.text) for draft in accepted.values())
    told = sum(lengths[index] for index in asked)
    length = promised(source.document, detail)
    verbatim = min(sum(lengths[index] for index in chosen) - told, int(VERBATIM_SHARE * length))
    room = length - said - verbatim
    share = max(LINES_SHORTEN_TO, said / max(1, told)) * len(asked) / len(chosen)
    return _filled(source, first, chosen, int(room / share)) if room > 0 else []


def statement_of(
    source: Source, own: Sequence[int], text: str, verdict: Verdict, reasons: tuple[str, ...] = ()
) -> Statement:
    """The statement that rests on these sentences of one clause, with its quote and its places.

    A run rests each statement on one sentence; digests may hold statements on several, with […] between their quotes.
    """
    sentences = [source.sentences[index] for index in sorted(own)]
    clause = source.clause_of(own[0])
    spans = tuple(sorted({span for s in sentences for span in s.spans}, key=lambda span: (span.start, span.end)))
    return Statement(
        text=text,
        verdict=verdict,
        quote=ELLIPSIS.join(sentence.text for sentence in sentences),
        clause=clause.label,
        clause_id=clause.id,
        pages=source.document.pages_of_spans(spans),
        spans=spans,
        sentences=tuple(own),
        reasons=reasons,
    )


def _statement(source: Source, index: int, text: str, verdict: Verdict, draft: Draft | None) -> Statement:
    reasons = tuple(reason.value for reason in draft.reasons) if draft is not None else ()
    return statement_of(source, (index,), text, verdict, reasons)


def settle(
    source: Source,
    drafts: Sequence[Draft],
    chosen: Sequence[int],
    detail: Detail,
    first: Sequence[int] = (),
    *,
    floor: bool = True,
) -> list[Statement]:
    """The statements within the promised length, the most material first served, in document order.

    A sentence that no accepted draft rests on (its line was refused, its call failed, or it was not asked about and
    there is room left) stands verbatim. Without the floor its refused line stands as UNVERIFIED instead, and nothing
    where there is none; a line that is the sentence itself, and rows of tables, are verbatim either way.
    """
    ranked = rank(source.sentences, source.clauses, source.language, first)
    draft_of = {draft.sentence: draft for draft in drafts}
    lines: dict[int, Statement] = {}
    for index in ranked:
        draft, sentence = draft_of.get(index), source.sentences[index]
        if draft is not None and not draft.reasons:
            lines[index] = _statement(source, index, draft.text, Verdict.VERIFIED, draft)
        elif floor or sentence.is_row or (draft is not None and draft.reasons == (Reason.COPIED,)):
            lines[index] = _statement(source, index, sentence.text, Verdict.VERBATIM, draft)
        elif draft is not None and draft.text:
            lines[index] = _statement(source, index, draft.text, Verdict.UNVERIFIED, draft)
    return _within(lines, ranked, chosen, promised(source.document, detail))


def _within(
    lines: Mapping[int, Statement], ranked: Sequence[int], chosen: Sequence[int], budget: int
) -> list[Statement]:
    """From the lines by sentence those that fit, in document order.

    First what the model was asked about, with the source's own words for at most VERBATIM_SHARE of the length; then
    what the model said of the rest; then more of the source's own words.
    """
    order = _served(lines, ranked, set(chosen), int(budget * VERBATIM_SHARE))
    lengths = {index: len(line.text) for index, line in lines.items()}
    return [lines[index] for index in fill(order, lengths, budget)]


def _served(lines: Mapping[int, Statement], ranked: Sequence[int], asked: set[int], verbatim: int) -> list[int]:
    """The sentences that have a line, in the order in which their lines get room."""
    served: list[int] = []
    later: list[int] = []
    with_line = [index for index in ranked if index in lines]
    for index in (index for index in with_line if index in asked):
        if lines[index].verdict is Verdict.VERBATIM:
            length = len(lines[index].text)
            if length > verbatim:
                later.append(index)
                continue
            verbatim -= length
        served.append(index)
    return served + later + [index for index in with_line if index not in asked]


_LEFT = {True: "beyond the length", False: "without a line, or beyond the length"}


def account(
    source: Source,
    statements: Sequence[Statement],
    failed: Mapping[int, str] | None = None,
    *,
    floor: bool = True,
) -> tuple[LedgerRow, ...]:
    """One row for each clause: in the digest, condensed, immaterial or failed, with the reason.

    `failed` has, by sentence, why its model call failed; such a sentence counts as failed where no statement rests on
    it, because nobody knows whether the model would have kept it.
    """
    failed = failed or {}
    again = repeats(source.sentences)
    by_clause: dict[str, list[int]] = {}
    said = {index for statement in statements for index in statement.sentences}
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
        lines = [statements[place] for place in by_clause.get(clause.id, ())]
        elsewhere = [again[index] for index in left if again.get(index) in said]
        state, reason = _state(source, position, lines, left, (errors, elsewhere), _LEFT[floor])
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
    source: Source,
    position: int,
    lines: Sequence[Statement],
    left: Sequence[int],
    why: tuple[Sequence[str], Sequence[int]],
    beyond: str,
) -> tuple[LedgerState, str]:
    """What became of a clause, and why.

    `why` has the errors of its calls, and sentences that say the same elsewhere; `beyond` says why material sentences
    are left out.
    """
    errors, elsewhere = why
    if errors:
        return LedgerState.FAILED, "; ".join(errors)
    notes: list[str] = []
    if open_lines := sum(line.verdict is Verdict.UNVERIFIED for line in lines):
        notes.append(f"{open_lines} of {many(len(lines), 'line')} not verified")
    if elsewhere:
        labels = dict.fromkeys(source.clause_of(index).label for index in elsewhere)
        notes.append(f"said in the same words in {', '.join(labels)}")
    if lines:
        if len(left) > len(elsewhere):
            notes.append(f"{many(len(left) - len(elsewhere), 'more material sentence')} {beyond}")
        return LedgerState.IN_DIGEST, "; ".join(notes)
    if left:
        if len(left) > len(elsewhere):
            kinds = sorted({kind for i in left for kind in kinds_of(source.sentences[i].text, source.language)})
            notes.append(f"{beyond}: {', '.join(kinds)}")
        return LedgerState.CONDENSED, "; ".join(notes)
    clause = source.clauses[position]
    if clause.kind is ClauseKind.CONTAINER and clause.end - clause.start < 200:
        return LedgerState.IMMATERIAL, "a heading"
    return LedgerState.IMMATERIAL, "no duty, right, amount, date, term or sanction found"
