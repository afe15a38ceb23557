"""The map step: the model restates chosen sentences, each in a call of its own, and code judges each line.

Asked about several sentences at once, small models restate the wrong ones: of 274 sentences of five documents a 1.5B
model had 33 lines accepted with the chunk around them and 8 lines a call, 70 with 8 sentences alone, 117 with one
(benchmarks/quality/README.md). The calls of a document begin with the same words, so an engine keeps them.
"""

from collections.abc import Sequence

from conspectus import prompts
from conspectus.check.align import Candidates, same_line
from conspectus.check.check import Reason, check, is_copy
from conspectus.check.omitted import marked, unmarked
from conspectus.digesting.drafts import (
    Draft,
    MapCall,
    Setting,
    clean,
    defuse,
    faults,
    fits,
    line_request,
    map_prompt,
    path_of,
    terms_for,
)
from conspectus.digesting.kind import kind_of
from conspectus.document import Source
from conspectus.errors import ContextTooSmall
from conspectus.llama import Completion, Model
from conspectus.terms.definitions import defined_terms


def setting_of(source: Source) -> Setting:
    """What the prompts about a document's sentences say of the document."""
    return Setting(kind_of(source.document), {name: meaning for name, (meaning, _) in defined_terms(source).items()})


def plan_aligned(
    source: Source, tokens: Sequence[int], chosen: Sequence[int], setting: Setting, model: Model
) -> list[MapCall]:
    """One call for each chosen sentence, in their order. `tokens[i]` is the size of sentence i.

    Each is proved to fit before it is made: rendered prompt + answer <= context. Raises ContextTooSmall.
    """
    return [_call(source, tokens, index, setting, model) for index in chosen]


def _call(source: Source, tokens: Sequence[int], index: int, setting: Setting, model: Model) -> MapCall:
    """The call about one sentence; where it does not fit, without the terms."""
    terms = terms_for(setting, source.sentences[index].text, model)
    for shown in dict.fromkeys([terms, ()]):
        prompt = prompts.render(
            map_prompt(setting.kind),
            source.language,
            title=source.document.title,
            path=path_of(source.clause_of(index), source.language),
            terms=shown,
            sentence=defuse(source.sentences[index].text),
        )
        request = line_request(prompt, [tokens[index]])
        if fits(request, model):
            return MapCall(index, request)
    raise ContextTooSmall(
        f"{source.document.name}: one sentence and its prompt need "
        f"{model.count(request.messages) + request.max_tokens} tokens, the context has {model.info.context}",
        "Use a model or a --context of more tokens",
    )


class Reader:
    """Reads the answers of a round about the sentences of one chunk: each line is judged beside its neighbours.

    One that fits another sentence of the chunk better is refused. A refused one that says the same as an earlier line
    is named so; that alone is no fault, two sentences may say the same.
    """

    def __init__(self, source: Source, sentences: Sequence[int]) -> None:
        self._source = source
        self._places = {index: place for place, index in enumerate(sentences)}
        self._candidates = Candidates([source.sentences[index] for index in sentences], source.language)
        self._said: list[str] = []

    def read(self, call: MapCall, answer: Completion) -> Draft:
        """The draft of a call (of a retry too); its text is empty where no line came."""
        line = answer.lines[0] if answer.lines else ""
        text = unmarked(clean(line))
        reasons = self._reasons(call.sentence, line, text, cut=0 in answer.cut)
        if reasons and text and any(same_line(text, other) for other in self._said):
            reasons += (Reason.REPEATED,)
        self._said.append(text)
        sentence = self._source.sentences[call.sentence].text
        return Draft(call.sentence, text if reasons else marked(text, sentence, self._source.language), reasons)

    def _reasons(self, index: int, line: str, text: str, *, cut: bool) -> tuple[Reason, ...]:
        """What speaks against a line about a sentence; `text` is the line without what is around it."""
        sentence, language = self._source.sentences[index].text, self._source.language
        reasons = faults(line, text, sentence, cut=cut)
        if reasons and reasons[0] in (Reason.EMPTY, Reason.REASONING):
            return tuple(reasons)
        if is_copy(text, sentence) and not reasons:
            return (Reason.COPIED,)
        reasons += check(text, sentence, language)
        if self._candidates.is_shifted(text, self._places[index]):
            reasons.append(Reason.NEIGHBOUR)
        elif reasons and self._candidates.is_fused(text, self._places[index]):
            reasons.append(Reason.FUSED)
        return tuple(dict.fromkeys(reasons))
