"""The free map form: a few lines of the model's own choice a chunk; code finds the sentences that each rests on."""

from collections.abc import Collection, Mapping, Sequence

from conspectus import prompts
from conspectus.align import Candidates, Support, same_line
from conspectus.check import Reason
from conspectus.document import Chunk, Language, Source
from conspectus.drafts import (
    LINE_TOKENS,
    Draft,
    MapCall,
    Setting,
    clean,
    defuse,
    evidence_of,
    faults,
    fits,
    messages_of,
    path_of,
    terms_for,
)
from conspectus.errors import ContextTooSmall
from conspectus.kind import DocumentKind
from conspectus.llama import Completion, Model, Request

SHARE = 5  # at most one line for so many sentences
MOST_LINES = 12

_KIND_WORDS: Mapping[Language, Mapping[DocumentKind, str]] = {
    Language.EN: {DocumentKind.CONTRACT: "contract", DocumentKind.STATUTE: "law", DocumentKind.OTHER: "document"},
    Language.ZH: {DocumentKind.CONTRACT: "合同", DocumentKind.STATUTE: "法律", DocumentKind.OTHER: "文件"},
}


def plan_free(
    source: Source,
    tokens: Sequence[int],
    chunks: Sequence[Chunk],
    chosen: Sequence[int],
    setting: Setting,
    model: Model,
) -> list[MapCall]:
    """One call for each chunk that has a chosen sentence; a chunk that does not fit is asked about in halves."""
    wanted = set(chosen)
    calls: list[MapCall] = []
    for chunk in chunks:
        if wanted.intersection(chunk.sentences):
            calls += _calls(source, tokens, chunk, (setting, terms_for(setting, chunk, source, model)), model)
    return calls


def _calls(
    source: Source,
    tokens: Sequence[int],
    chunk: Chunk,
    context: tuple[Setting, list[tuple[str, str]]],
    model: Model,
) -> list[MapCall]:
    setting, terms = context
    count = min(MOST_LINES, max(1, len(chunk.sentences) // SHARE))
    prompt = prompts.render(
        "map-free",
        source.language,
        kind=_KIND_WORDS[source.language][setting.kind],
        title=source.document.title,
        path=path_of(source.clause_of(chunk.sentences[0]), source.language),
        terms=terms,
        sentences=[defuse(source.sentences[index].text) for index in chunk.sentences],
        count=count,
    )
    most = min(count * LINE_TOKENS, sum(tokens[index] for index in chunk.sentences))
    request = Request(messages_of(prompt), max_tokens=most)
    if fits(request, model):
        return [MapCall(chunk.index, (), request)]
    if terms:
        return _calls(source, tokens, chunk, (setting, []), model)
    if len(chunk.sentences) > 1:
        half = len(chunk.sentences) // 2
        parts = (chunk.sentences[:half], chunk.sentences[half:])
        halves = (Chunk(chunk.index, chunk.start, chunk.end, part) for part in parts)
        return [call for part in halves for call in _calls(source, tokens, part, context, model)]
    raise ContextTooSmall(
        f"{source.document.name}: one sentence and its prompt need "
        f"{model.count(request.messages) + request.max_tokens} tokens, the context has {model.info.context}",
        "Use a model or a --context of more tokens",
    )


def read_free(answer: Completion, chunk: Chunk, source: Source, wanted: Collection[int]) -> list[Draft]:
    """The drafts of a free answer: each line with the sentences that it rests on.

    A line that repeats an earlier one, or rests on a sentence that an accepted line rests on already, is refused. A
    line that is about no sentence of the chunk is dropped. Where nothing is left, each of the sentences `wanted` of
    the chunk has a refused draft that says why.
    """
    shown = chunk.sentences
    candidates = Candidates([source.sentences[index] for index in shown], source.language)
    raws = [line for text in answer.lines for line in text.splitlines() if line.strip()]
    taken: set[int] = set()
    drafts: list[Draft] = []
    for place, raw in enumerate(raws):
        text = clean(raw)
        support = candidates.support(text)
        if not support.places:
            continue
        own = tuple(shown[at] for at in support.places)
        reasons = _reasons(raw, text, support, own, source, cut=bool(answer.cut) and place == len(raws) - 1)
        if taken.intersection(own) or any(same_line(text, draft.text) for draft in drafts):
            reasons.append(Reason.REPEATED)
        if not reasons:
            taken.update(own)
        drafts.append(Draft(own, text, tuple(dict.fromkeys(reasons))))
    if drafts:
        return drafts
    whole = "\n".join(answer.lines)
    why = faults(whole, clean(whole), "", cut=bool(answer.cut)) or [Reason.OFF_TOPIC]
    return [Draft((index,), "", (why[0],)) for index in shown if index in wanted]


def _reasons(raw: str, text: str, support: Support, own: Sequence[int], source: Source, *, cut: bool) -> list[Reason]:
    evidence = evidence_of([source.sentences[index] for index in own])
    return [*faults(raw, text, evidence, cut=cut), *support.reasons]
