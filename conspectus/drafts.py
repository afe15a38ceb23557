"""Map: the model restates chosen sentences of a chunk, one forced line each; code reads and checks the lines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conspectus import prompts
from conspectus.check import Reason, best_fit, check, is_copy
from conspectus.document import Chunk, Clause, Document, Language, Sentence, Source
from conspectus.errors import ContextTooSmall
from conspectus.llama import Completion, Message, Model, Request
from conspectus.text import fold

LINE_TOKENS = 160
LINES_A_CALL = 8  # a small model slips by a line near the end of a long list
MARK_TOKENS = 8  # "[12] " before a sentence, "12: " before a line
TEMPLATE_RESERVE = 24  # tokens that counting pieces apart may miss
CHUNK_TOKENS = 1500


@dataclass(frozen=True, slots=True)
class MapCall:
    """One model call on a chunk: which sentences it restates, in the order of the forced lines."""

    chunk: int
    lines: tuple[int, ...]
    request: Request


@dataclass(frozen=True, slots=True)
class Draft:
    """A line as the model wrote it for a sentence, with what speaks against it; `copied` where it is the sentence."""

    sentence: int
    text: str
    reasons: tuple[Reason, ...]
    copied: bool = False


def messages_of(prompt: prompts.Prompt) -> tuple[Message, ...]:
    """The chat messages of a prompt."""
    return (Message("system", prompt.system), Message("user", prompt.user))


def chunk_budget(document: Document, model: Model) -> int:
    """How many tokens of sentences a chunk may have, so that prompt and answer fit into the model's context.

    Half of what the bare prompt leaves: the other half is for the answer, which is never longer than the sentences.
    """
    bare = prompts.render(
        "map", document.language, title=document.title, path="", sentences=[], chosen=list(range(LINES_A_CALL))
    )
    left = model.info.context - model.count(messages_of(bare)) - TEMPLATE_RESERVE - 120
    if left < 64:
        raise ContextTooSmall(
            f"{document.name}: a context of {model.info.context} tokens leaves {max(0, left)} for the document",
            "Use a model or a --context of more tokens",
        )
    return min(CHUNK_TOKENS, left // 2)


def sentence_tokens(source: Source, model: Model) -> list[int]:
    """Tokens of each sentence as the prompt shows it."""
    return [count + MARK_TOKENS for count in model.count_texts([sentence.text for sentence in source.sentences])]


def plan_map(
    source: Source,
    tokens: Sequence[int],
    chunks: Sequence[Chunk],
    chosen: Sequence[int],
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
        for at in range(0, len(lines), LINES_A_CALL):
            calls += _calls(source, tokens, chunk, tuple(lines[at : at + LINES_A_CALL]), model)
    return calls


def _calls(
    source: Source,
    tokens: Sequence[int],
    chunk: Chunk,
    lines: tuple[int, ...],
    model: Model,
) -> list[MapCall]:
    """One call for the lines, or two for half of them each where one does not fit."""
    number = {index: place for place, index in enumerate(chunk.sentences, 1)}
    prompt = prompts.render(
        "map",
        source.language,
        title=source.document.title,
        path=path_of(source.clause_of(chunk.sentences[0])),
        sentences=[(number[index], source.sentences[index].text) for index in chunk.sentences],
        chosen=[number[index] for index in lines],
    )
    request = line_request(prompt, [number[index] for index in lines], [tokens[index] for index in lines])
    if model.count(request.messages) + request.max_tokens <= model.info.context:
        return [MapCall(chunk.index, lines, request)]
    if len(lines) > 1:
        half = len(lines) // 2
        first = _calls(source, tokens, chunk, lines[:half], model)
        return first + _calls(source, tokens, chunk, lines[half:], model)
    alone = Chunk(chunk.index, chunk.start, chunk.end, lines)
    if len(chunk.sentences) > 1:
        return _calls(source, tokens, alone, lines, model)
    raise ContextTooSmall(
        f"{source.document.name}: one sentence and its prompt need "
        f"{model.count(request.messages) + request.max_tokens} tokens, the context has {model.info.context}",
        "Use a model or a --context of more tokens",
    )


def path_of(clause: Clause) -> str:
    """Where a clause stands, as a prompt names it."""
    return " > ".join([*clause.path, f"{clause.number} {clause.heading}".strip()]) or "-"


def line_request(prompt: prompts.Prompt, numbers: Sequence[int], tokens: Sequence[int]) -> Request:
    """A request for one forced line a number; no line may be longer than the longest of its sentences."""
    line = min(LINE_TOKENS, max(tokens))
    return Request(
        messages_of(prompt),
        max_tokens=len(numbers) * (line + MARK_TOKENS),
        forced=tuple(f"{number}: " for number in numbers),
        line_tokens=line,
    )


_OPENING = re.compile(r"^\s*(?:\[?[0-9]{1,3}\]?\s*[:.)、]\s*|[-*•]\s+)+")


def clean(line: str) -> str:
    """A line without what models put around it: list marks, repeated numbers, quotes, Markdown."""
    text = _OPENING.sub("", fold(line)).strip().strip("*_`").strip()
    if len(text) > 2 and text[0] in '"“' and text[-1] in '"”' and text.count('"') + text.count("“") < 3:
        text = text[1:-1].strip()
    return text


def judge(
    line: str, sentence: Sentence, neighbours: Sequence[Sentence], language: Language, *, cut: bool = False
) -> Draft:
    """The draft of one line; `cut` where the engine ended it.

    One that fits a neighbour better than its own sentence is refused: a slip by a line.
    """
    text = clean(line)
    reasons = list(check(text, sentence.text, language))
    if cut and Reason.CUT_OFF not in reasons:
        reasons.append(Reason.CUT_OFF)
    if Reason.EMPTY not in reasons and len(neighbours) > 1:
        candidates = [sentence.text] + [other.text for other in neighbours if other.index != sentence.index]
        if best_fit(text, candidates, language) != 0:
            reasons.append(Reason.NEIGHBOUR)
    return Draft(sentence.index, text, tuple(reasons), is_copy(text, sentence.text))


def read_answer(call: MapCall, answer: Completion, chunk: Chunk, source: Source) -> list[Draft]:
    """A draft for each line of a call; lines that never came are empty."""
    shown = [source.sentences[index] for index in chunk.sentences]
    lines = [*answer.lines, *[""] * (len(call.lines) - len(answer.lines))]
    return [
        judge(line, source.sentences[index], shown, source.language, cut=place in answer.cut)
        for place, (line, index) in enumerate(zip(lines, call.lines, strict=False))
    ]


REASON_WORDS: Mapping[Language, Mapping[Reason, str]] = {
    Language.EN: {
        Reason.EMPTY: "the line was empty",
        Reason.CUT_OFF: "the line ended in mid-sentence",
        Reason.ECHO: "the line repeated the instructions",
        Reason.LOOP: "the line repeated itself",
        Reason.LANGUAGE: "the line was not in English",
        Reason.LONGER: "the line was longer than the sentence",
        Reason.NUMBER: "a number, date or amount was not that of the sentence",
        Reason.NAME: "it named somebody who is not in the sentence",
        Reason.NEGATION: 'a "not" or "no" was lost or added',
        Reason.MODALITY: '"shall", "must", "may" or "may not" was lost or changed',
        Reason.CONDITION: "a condition or an exception was lost",
        Reason.CONJUNCTION: '"and" and "or" were mixed up or lost',
        Reason.LIMIT: 'a limit such as "at least" or "within" was lost or changed',
        Reason.QUALIFIER: 'a word such as "prior", "written" or "only" was lost',
        Reason.DIRECTION: "the parties were mixed up",
        Reason.OFF_TOPIC: "it did not say what the sentence says",
        Reason.NEIGHBOUR: "it restated another sentence",
    },
    Language.ZH: {
        Reason.EMPTY: "该行为空",
        Reason.CUT_OFF: "该行没有写完",
        Reason.ECHO: "该行重复了指令",
        Reason.LOOP: "该行自我重复",
        Reason.LANGUAGE: "该行不是中文",
        Reason.LONGER: "该行比原句长",
        Reason.NUMBER: "数字、日期或金额与原句不符",
        Reason.NAME: "出现了原句没有的名称",
        Reason.NEGATION: "否定词丢失或增加",
        Reason.MODALITY: "“应当”“可以”“不得”等丢失或改变",
        Reason.CONDITION: "条件或例外丢失",
        Reason.CONJUNCTION: "“和”与“或者”混淆或丢失",
        Reason.LIMIT: "“以上”“以下”“以内”等限度丢失或改变",
        Reason.QUALIFIER: "“书面”“事先”等限定词丢失",
        Reason.DIRECTION: "当事人颠倒",
        Reason.OFF_TOPIC: "没有表达原句的意思",
        Reason.NEIGHBOUR: "改写了别的句子",
    },
}


def plan_retries(
    source: Source,
    tokens: Sequence[int],
    failed: Mapping[int, Sequence[Draft]],
    model: Model,
) -> list[MapCall]:
    """Calls that ask again for refused lines, those of a chunk together, each with the reason.

    `failed` has the refused drafts by chunk. A group that does not fit is halved; a sentence that does not fit alone
    is not asked again, its source stands in.
    """
    return [
        call
        for chunk, drafts in failed.items()
        for at in range(0, len(drafts), LINES_A_CALL)
        for call in _retry(source, tokens, chunk, drafts[at : at + LINES_A_CALL], model)
    ]


def _retry(
    source: Source,
    tokens: Sequence[int],
    chunk: int,
    drafts: Sequence[Draft],
    model: Model,
) -> list[MapCall]:
    words = REASON_WORDS[source.language]
    separator = "; " if source.language is Language.EN else "；"
    prompt = prompts.render(
        "retry",
        source.language,
        title=source.document.title,
        path=path_of(source.clause_of(drafts[0].sentence)),
        sentences=[
            (
                place,
                source.sentences[draft.sentence].text,
                separator.join(words[reason] for reason in draft.reasons[:3]),
            )
            for place, draft in enumerate(drafts, 1)
        ],
    )
    lines = tuple(draft.sentence for draft in drafts)
    request = line_request(prompt, range(1, len(lines) + 1), [tokens[index] for index in lines])
    if model.count(request.messages) + request.max_tokens <= model.info.context:
        return [MapCall(chunk, lines, request)]
    if len(drafts) == 1:
        return []
    half = len(drafts) // 2
    first = _retry(source, tokens, chunk, drafts[:half], model)
    return first + _retry(source, tokens, chunk, drafts[half:], model)
