"""The map step: the model restates chosen sentences, each in a call of its own.

Asked about several sentences at once, small models restate the wrong ones: of 274 sentences of five documents a 1.5B
model had 33 lines accepted with the chunk around them and 8 lines a call, 70 with 8 sentences alone, 117 with one
(benchmarks/quality/README.md). The calls of a document begin with the same words, so an engine keeps them.
"""

from collections.abc import Sequence
from dataclasses import replace

from conspectus import prompts
from conspectus.check.align import Candidates, same_line
from conspectus.check.check import Reason, check, is_copy
from conspectus.digesting.drafts import (
    Draft,
    MapCall,
    Setting,
    clean,
    defuse,
    evidence_of,
    faults,
    fits,
    line_request,
    map_prompt,
    path_of,
    terms_for,
)
from conspectus.digesting.kind import kind_of
from conspectus.document import Chunk, Source
from conspectus.errors import ContextTooSmall
from conspectus.llama import Completion, Model
from conspectus.terms.definitions import defined_terms


def setting_of(source: Source) -> Setting:
    """What the prompts about a document's sentences say of the document."""
    return Setting(kind_of(source.document), {name: meaning for name, (meaning, _) in defined_terms(source).items()})


def plan_aligned(
    source: Source,
    tokens: Sequence[int],
    chunks: Sequence[Chunk],
    chosen: Sequence[int],
    setting: Setting,
    model: Model,
) -> list[MapCall]:
    """One call for each chosen sentence, in the order of the chunks.

    Each is proved to fit before it is made: rendered prompt + answer <= context. Raises ContextTooSmall.
    """
    wanted = set(chosen)
    return [
        _call(source, tokens, chunk, index, setting, model)
        for chunk in chunks
        for index in chunk.sentences
        if index in wanted
    ]


def _call(source: Source, tokens: Sequence[int], chunk: Chunk, index: int, setting: Setting, model: Model) -> MapCall:
    """The call about one sentence; where it does not fit, without the terms."""
    terms = terms_for(setting, source.sentences[index].text, model)
    for shown in dict.fromkeys([tuple(terms), ()]):
        prompt = prompts.render(
            map_prompt(setting.kind),
            source.language,
            title=source.document.title,
            path=path_of(source.clause_of(index), source.language),
            terms=shown,
            sentence=defuse(source.sentences[index].text),
        )
        request = line_request(prompt, [1], [tokens[index]])
        if fits(request, model):
            return MapCall(chunk.index, ((index,),), request)
    raise ContextTooSmall(
        f"{source.document.name}: one sentence and its prompt need "
        f"{model.count(request.messages) + request.max_tokens} tokens, the context has {model.info.context}",
        "Use a model or a --context of more tokens",
    )


def read_aligned(call: MapCall, answer: Completion, chunk: Chunk, source: Source) -> list[Draft]:
    """A draft for each forced line of a call (of a retry too); lines that never came are empty.

    A line that fits another sentence of the chunk better than its own is refused.
    """
    shown = sorted({*chunk.sentences, *(index for line in call.lines for index in line)})
    candidates = Candidates([source.sentences[index] for index in shown], source.language)
    lines = [*answer.lines, *[""] * (len(call.lines) - len(answer.lines))]
    return [
        _judge(line, own, [shown.index(index) for index in own], candidates, source, cut=place in answer.cut)
        for place, (line, own) in enumerate(zip(lines, call.lines, strict=False))
    ]


def name_repeated(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of a chunk, where those that say the same as an earlier one are named so.

    Only what is refused anyway: two sentences may say the same.
    """
    named: list[Draft] = []
    for draft in drafts:
        if draft.reasons and draft.text and any(same_line(draft.text, other.text) for other in named):
            draft = replace(draft, reasons=(*draft.reasons, Reason.REPEATED))
        named.append(draft)
    return named


def _judge(
    line: str, own: tuple[int, ...], places: Sequence[int], candidates: Candidates, source: Source, *, cut: bool
) -> Draft:
    text = clean(line)
    evidence = evidence_of([source.sentences[index] for index in own])
    reasons = faults(line, text, evidence, cut=cut)
    if reasons and reasons[0] in (Reason.EMPTY, Reason.REASONING):
        return Draft(own, text, tuple(reasons))
    if is_copy(text, evidence) and not reasons:
        return Draft(own, text, (Reason.COPIED,))
    reasons += check(text, evidence, source.language)
    if len(places) == 1 and candidates.is_shifted(text, places[0]):
        reasons.append(Reason.NEIGHBOUR)
    elif reasons and candidates.is_fused(text, places):
        reasons.append(Reason.FUSED)
    return Draft(own, text, tuple(dict.fromkeys(reasons)))
