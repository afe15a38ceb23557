"""The aligned map form: the model restates chosen sentences of a chunk, one forced line each."""

from collections.abc import Sequence

from conspectus import prompts
from conspectus.align import Candidates, same_line
from conspectus.check import Reason, check, is_copy
from conspectus.document import Chunk, Source
from conspectus.drafts import (
    LINES_A_CALL,
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
from conspectus.errors import ContextTooSmall
from conspectus.llama import Completion, Model


def plan_aligned(
    source: Source,
    tokens: Sequence[int],
    chunks: Sequence[Chunk],
    chosen: Sequence[int],
    setting: Setting,
    model: Model,
) -> list[MapCall]:
    """The calls for the chosen sentences: for each chunk the whole chunk, and the numbers of a few of its lines.

    All calls of a chunk begin with the same words, so that an engine may keep them in its context. Each is proved to
    fit before it is made: rendered prompt + answer <= context.
    """
    wanted = set(chosen)
    calls: list[MapCall] = []
    for chunk in chunks:
        lines = [index for index in chunk.sentences if index in wanted]
        terms = terms_for(setting, chunk, source, model) if lines else []
        for at in range(0, len(lines), LINES_A_CALL):
            calls += _calls(source, tokens, chunk, lines[at : at + LINES_A_CALL], (setting, terms), model)
    return calls


def _calls(
    source: Source,
    tokens: Sequence[int],
    chunk: Chunk,
    lines: Sequence[int],
    context: tuple[Setting, list[tuple[str, str]]],
    model: Model,
) -> list[MapCall]:
    """One call for the lines, or two for half of them each where one does not fit; the terms go before a sentence."""
    number = {index: place for place, index in enumerate(chunk.sentences, 1)}
    setting, terms = context
    prompt = prompts.render(
        map_prompt(setting.kind),
        source.language,
        title=source.document.title,
        path=path_of(source.clause_of(chunk.sentences[0]), source.language),
        terms=terms,
        sentences=[(number[index], defuse(source.sentences[index].text)) for index in chunk.sentences],
        chosen=[number[index] for index in lines],
    )
    request = line_request(prompt, [number[index] for index in lines], [tokens[index] for index in lines])
    if fits(request, model):
        return [MapCall(chunk.index, tuple((index,) for index in lines), request)]
    if terms:
        return _calls(source, tokens, chunk, lines, (setting, []), model)
    if len(lines) > 1:
        half = len(lines) // 2
        first = _calls(source, tokens, chunk, lines[:half], context, model)
        return first + _calls(source, tokens, chunk, lines[half:], context, model)
    if len(chunk.sentences) > 1:
        alone = Chunk(chunk.index, chunk.start, chunk.end, tuple(lines))
        return _calls(source, tokens, alone, lines, context, model)
    raise ContextTooSmall(
        f"{source.document.name}: one sentence and its prompt need "
        f"{model.count(request.messages) + request.max_tokens} tokens, the context has {model.info.context}",
        "Use a model or a --context of more tokens",
    )


def read_aligned(call: MapCall, answer: Completion, chunk: Chunk, source: Source) -> list[Draft]:
    """A draft for each forced line of a call (of a retry too); lines that never came are empty.

    A line that fits another sentence of the chunk better than its own is refused: a slip by a line.
    """
    shown = sorted({*chunk.sentences, *(index for line in call.lines for index in line)})
    candidates = Candidates([source.sentences[index] for index in shown], source.language)
    lines = [*answer.lines, *[""] * (len(call.lines) - len(answer.lines))]
    drafts: list[Draft] = []
    for place, (line, own) in enumerate(zip(lines, call.lines, strict=False)):
        places = [shown.index(index) for index in own]
        draft = _judge(line, own, places, candidates, source, cut=place in answer.cut)
        # Only what is refused anyway: two sentences may say the same.
        if draft.reasons and draft.text and any(same_line(draft.text, other.text) for other in drafts):
            draft = Draft(own, draft.text, (*draft.reasons, Reason.REPEATED))
        drafts.append(draft)
    return drafts


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
