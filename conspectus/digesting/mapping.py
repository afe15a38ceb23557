"""The map step of one document as plain data: what is asked, what came back, what is asked again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from conspectus.check.check import Reason
from conspectus.digesting.aspects import LONG, Leads, find_leads
from conspectus.digesting.drafts import Draft, MapCall, Setting, chunk_budget, sentence_tokens
from conspectus.digesting.map_aligned import Reader, plan_aligned, setting_of
from conspectus.digesting.retries import plan_retries, worth_asking
from conspectus.digesting.settle import choose, choose_more
from conspectus.document import Chunk, Detail, KeyTerm, Source
from conspectus.errors import ContextExceeded, EngineError
from conspectus.evidence.pack import pack
from conspectus.llama import Completion, Model
from conspectus.terms.collect import collect


@dataclass(frozen=True, slots=True)
class Answers:
    """What the model said to some calls: completions by the call's place, and why the others failed.

    `too_long` are the places of calls that were over the model's context, and of no other failure.
    """

    completions: Mapping[int, Completion]
    failures: Mapping[int, str] = field(default_factory=dict)
    too_long: frozenset[int] = frozenset()


def answers_of(keys: Sequence[str], found: Mapping[str, Completion], errors: Mapping[str, EngineError]) -> Answers:
    """The answers to calls with these keys: those found, and the errors of the others."""
    failed = {place: errors[key] for place, key in enumerate(keys) if key in errors}
    too_long = frozenset(place for place, error in failed.items() if isinstance(error, ContextExceeded))
    return Answers(
        {place: found[key] for place, key in enumerate(keys) if key in found},
        {place: error.message for place, error in failed.items() if place not in too_long},
        too_long,
    )


@dataclass(frozen=True, slots=True)
class MapPlan:
    """The chunks of a document, the sentences chosen for its length, and the calls about them.

    `tokens` has the size of each sentence. `leads` are the sentences that an overview looks for first, and `first`
    those that no digest may leave out for heavier ones: the best of each aspect, unless over-long. `key_terms` and
    `setting` were found on the way and are handed on, so that a run finds them once.
    """

    chunks: tuple[Chunk, ...]
    tokens: tuple[int, ...]
    setting: Setting
    key_terms: tuple[KeyTerm, ...]
    leads: tuple[Leads, ...]
    first: tuple[int, ...]
    chosen: tuple[int, ...]
    calls: tuple[MapCall, ...]


@dataclass(frozen=True, slots=True)
class Drafts:
    """The last draft of each sentence that was asked about, and why the call of a sentence failed where it did."""

    drafts: tuple[Draft, ...]
    failures: Mapping[int, str]


def plan(source: Source, detail: Detail, model: Model) -> MapPlan:
    """Chunks, choice and calls for a document. Raises ContextTooSmall where a sentence does not fit."""
    setting = setting_of(source)
    tokens = sentence_tokens(source, model)
    budget = chunk_budget(source.document, setting.kind, model)
    chunks = pack(source.document, source.clauses, source.sentences, tokens, budget)
    key_terms = collect(source)
    leads = find_leads(source, setting.kind, key_terms)
    first = _first(source, leads)
    chosen = choose(source, detail, first)
    calls = plan_aligned(source, tokens, chosen, setting, model)
    return MapPlan(chunks, tuple(tokens), setting, key_terms, leads, first, tuple(chosen), tuple(calls))


def _first(source: Source, leads: Sequence[Leads]) -> tuple[int, ...]:
    found = [index for lead in leads for index in lead.sentences[: lead.points]]
    return tuple(dict.fromkeys(index for index in found if len(source.sentences[index].text) <= 2 * LONG))


def fill_up(source: Source, plan: MapPlan, so_far: Drafts, detail: Detail, model: Model) -> MapPlan:
    """The plan with further sentences chosen, and the calls about them alone: what the lines so far leave room for.

    A model that restates in half the words is asked about more than one that does not. No calls where the length is
    used up or most lines were refused.
    """
    more = choose_more(source, so_far.drafts, plan.chosen, detail, plan.first)
    calls = plan_aligned(source, plan.tokens, more, plan.setting, model)
    return replace(plan, chosen=tuple(sorted({*plan.chosen, *more})), calls=tuple(calls))


def join(before: Drafts, after: Drafts) -> Drafts:
    """The drafts of two rounds about different sentences."""
    return Drafts(before.drafts + after.drafts, {**before.failures, **after.failures})


def read(source: Source, plan: MapPlan, calls: Sequence[MapCall], answers: Answers) -> Drafts:
    """The drafts of answered calls, in their order; sentences of failed calls with the reason.

    A call that was too long for the model after all is no failure: its sentence has an empty line, and its own words
    stand in.
    """
    chunk_of = {index: chunk.index for chunk in plan.chunks for index in chunk.sentences}
    asked = {chunk_of[call.sentence] for call in calls}
    readers = {at: Reader(source, plan.chunks[at].sentences) for at in asked}
    drafts: list[Draft] = []
    failures: dict[int, str] = {}
    for place, call in enumerate(calls):
        if place in answers.too_long:
            drafts.append(Draft(call.sentence, "", (Reason.EMPTY,), stuck=True))
        elif place in answers.completions:
            drafts.append(readers[chunk_of[call.sentence]].read(call, answers.completions[place]))
        else:
            failures[call.sentence] = answers.failures.get(place, "the call was not made")
    return Drafts(tuple(drafts), failures)


def retries(source: Source, plan: MapPlan, so_far: Drafts, turn: int, model: Model) -> list[MapCall]:
    """The calls that ask again for refused lines, with their reasons; `turn` is 0 for the first retry."""
    refused = [draft for draft in so_far.drafts if worth_asking(draft, source)]
    return plan_retries(source, plan.tokens, refused, turn, model)


def merge(before: Drafts, after: Drafts) -> Drafts:
    """The drafts with those lines of a retry that are better: accepted, or refused for fewer reasons.

    A line that comes back no better is stuck. A retry that ended in an engine error is no failure of the sentence: it
    has had an answer.
    """
    again = {draft.sentence: draft for draft in after.drafts}
    return Drafts(tuple(_better(draft, again.get(draft.sentence)) for draft in before.drafts), before.failures)


def _better(first: Draft, second: Draft | None) -> Draft:
    if second is None or not first.reasons:
        return first
    if second.stuck:
        return replace(first, stuck=True)  # it was too long to be asked about again
    if not second.reasons:
        return second
    if second.text == first.text or set(second.reasons) >= set(first.reasons):
        return replace(first, stuck=True)
    return second
