"""The map step of one document as plain data: what is asked, what came back, what is asked again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conspectus.document import Chunk, Detail, Source
from conspectus.drafts import Draft, MapCall, chunk_budget, plan_map, plan_retries, read_answer, sentence_tokens
from conspectus.llama import Completion, Model
from conspectus.pack import pack
from conspectus.settle import choose


@dataclass(frozen=True, slots=True)
class Answers:
    """What the model said to some calls: completions by the call's place, and why the others failed."""

    completions: Mapping[int, Completion]
    failures: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MapPlan:
    """The chunks of a document, the sentences chosen for its length, and the calls about them."""

    chunks: tuple[Chunk, ...]
    chosen: tuple[int, ...]
    tokens: tuple[int, ...]
    calls: tuple[MapCall, ...]


@dataclass(frozen=True, slots=True)
class Drafts:
    """The last draft of each sentence asked about, and why the call of a sentence failed where it did."""

    drafts: Mapping[int, Draft]
    failures: Mapping[int, str]


def plan(source: Source, detail: Detail, model: Model) -> MapPlan:
    """Chunks, choice and calls for a document. Raises ContextTooSmall where a sentence does not fit."""
    tokens = sentence_tokens(source, model)
    chunks = pack(source.document, source.clauses, source.sentences, tokens, chunk_budget(source.document, model))
    chosen = choose(source, detail)
    calls = plan_map(source, tokens, chunks, chosen, model)
    return MapPlan(chunks, tuple(chosen), tuple(tokens), tuple(calls))


def read(source: Source, plan: MapPlan, calls: Sequence[MapCall], answers: Answers) -> Drafts:
    """The drafts of answered calls; sentences of failed calls with the reason."""
    drafts: dict[int, Draft] = {}
    failures: dict[int, str] = {}
    for place, call in enumerate(calls):
        if place in answers.completions:
            chunk = plan.chunks[call.chunk]
            drafts |= {draft.sentence: draft for draft in read_answer(call, answers.completions[place], chunk, source)}
        else:
            failures |= dict.fromkeys(call.lines, answers.failures.get(place, "the call was not made"))
    return Drafts(drafts, failures)


def retries(source: Source, plan: MapPlan, first: Drafts, model: Model) -> list[MapCall]:
    """The calls that ask again for refused lines, grouped by chunk, with their reasons."""
    chunk_of = {index: chunk.index for chunk in plan.chunks for index in chunk.sentences}
    refused: dict[int, list[Draft]] = {}
    for index in sorted(first.drafts):
        if first.drafts[index].reasons:
            refused.setdefault(chunk_of[index], []).append(first.drafts[index])
    return plan_retries(source, plan.tokens, refused, model)


def merge(first: Drafts, second: Drafts) -> Drafts:
    """The first round with the lines of the second that were accepted.

    A refused second line changes nothing; the reasons shown are those of the first. A retry that ended in an engine
    error is no failure of the sentence: it has had an answer.
    """
    better = {index: draft for index, draft in second.drafts.items() if not draft.reasons}
    return Drafts({**first.drafts, **better}, first.failures)
