"""The sides of a change worded by a model: each side's changed sentences restated, each line checked against its own.

The floor is the quoted sentence, so nothing unverified is ever shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conspectus.compare.compare import Change, Comparison, Kind, Line, Side
from conspectus.digesting.drafts import MARK_TOKENS, Draft, MapCall, chunk_budget, defuse
from conspectus.digesting.map_aligned import Reader, plan_aligned, setting_of
from conspectus.digesting.mapping import Answers
from conspectus.document import Chunk, Source, Verdict
from conspectus.llama import Model

SENTENCES = 8  # of one side; the rest of a long addition stands as it is
WORDED = (Kind.ADDED, Kind.REMOVED, Kind.CHANGED)


@dataclass(frozen=True, slots=True)
class SideCall:
    """One model call about one side of a change; `change` is its place, `is_new` says which side."""

    change: int
    is_new: bool
    call: MapCall
    chunk: Chunk


def plan_words(comparison: Comparison, old: Source, new: Source, model: Model) -> tuple[SideCall, ...]:
    """The calls that word the changes; each is proved to fit. Raises ContextTooSmall where one sentence does not."""
    return tuple(call for source in (old, new) for call in _calls(comparison, source, model, is_new=source is new))


def _calls(comparison: Comparison, source: Source, model: Model, *, is_new: bool) -> Iterator[SideCall]:
    wanted = [(place, side) for place, side in _sides(comparison, is_new=is_new) if _asked(side, source)]
    if not wanted:
        return
    setting = setting_of(source)
    budget = chunk_budget(source.document, setting.kind, model)
    tokens = [0] * len(source.sentences)
    own = [index for _, side in wanted for index in _asked(side, source)]
    for index, count in zip(own, model.count_texts([defuse(source.sentences[i].text) for i in own]), strict=True):
        tokens[index] = count + MARK_TOKENS
    for place, side in wanted:
        for group in _groups(_asked(side, source), tokens, budget):
            first, last = source.sentences[group[0]], source.sentences[group[-1]]
            chunk = Chunk(place, first.own.start, last.own.end, tuple(group))
            for call in plan_aligned(source, tokens, group, setting, model):
                yield SideCall(place, is_new, call, chunk)


def _sides(comparison: Comparison, *, is_new: bool) -> Iterator[tuple[int, Side]]:
    for place, change in enumerate(comparison.changes):
        side = change.new if is_new else change.old
        if side is not None and change.kind in WORDED:
            yield place, side


def _asked(side: Side, source: Source) -> list[int]:
    """The sentences of a side that a model restates: rows of tables stand as they are."""
    return [index for index in side.sentences if not source.sentences[index].is_row][:SENTENCES]


def _groups(sentences: Sequence[int], tokens: Sequence[int], budget: int) -> Iterator[list[int]]:
    group: list[int] = []
    for index in sentences:
        if group and sum(tokens[i] for i in group) + tokens[index] > budget:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def with_words(
    comparison: Comparison, old: Source, new: Source, calls: Sequence[SideCall], answers: Answers, model: Model
) -> Comparison:
    """The comparison with a line for each changed sentence: the model's where it passed the check, else the quote."""
    drafts: dict[tuple[int, bool], dict[int, Draft]] = {}
    for place, call in enumerate(calls):
        if place in answers.completions:
            source = new if call.is_new else old
            draft = Reader(source, call.chunk.sentences).read(call.call, answers.completions[place])
            drafts.setdefault((call.change, call.is_new), {})[draft.sentence] = draft
    changes = tuple(
        _worded(change, old, new, drafts.get((place, False), {}), drafts.get((place, True), {}))
        for place, change in enumerate(comparison.changes)
    )
    info = model.info
    failures = tuple(dict.fromkeys(answers.failures.values()))
    return replace(comparison, changes=changes, model=info.name, fingerprint=info.fingerprint, failures=failures)


def _worded(change: Change, old: Source, new: Source, before: dict[int, Draft], after: dict[int, Draft]) -> Change:
    if change.kind not in WORDED:
        return change
    return replace(change, old=_lines(change.old, old, before), new=_lines(change.new, new, after))


def _lines(side: Side | None, source: Source, drafts: dict[int, Draft]) -> Side | None:
    if side is None:
        return None
    return replace(side, lines=tuple(_line(source, index, drafts.get(index)) for index in side.sentences))


def _line(source: Source, index: int, draft: Draft | None) -> Line:
    sentence = source.sentences[index]
    pages = source.document.pages_of_spans(sentence.spans)
    if draft is not None and not draft.reasons:
        return Line(draft.text, Verdict.VERIFIED, sentence.text, pages)
    reasons = tuple(reason.value for reason in draft.reasons) if draft is not None else ()
    return Line(sentence.text, Verdict.VERBATIM, sentence.text, pages, reasons)
