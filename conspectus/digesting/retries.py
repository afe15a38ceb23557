"""Asking again for refused lines: the reason, and the words of the sentence that its line must keep."""

import re
from collections.abc import Mapping, Sequence

from conspectus import prompts
from conspectus.check.check import Reason
from conspectus.check.salient import salient
from conspectus.digesting.drafts import Draft, MapCall, defuse, fits, line_request, path_of
from conspectus.document import Language, Source
from conspectus.llama import Model
from conspectus.text import fold, normalise

ROUNDS = 2
# Two ways to ask again: another wording reaches lines that the first did not (benchmarks/quality/README.md).
PROMPTS = ("retry", "retry-last")
SHORTER = 0.75
LEAST_WORDS: Mapping[Language, int] = {Language.EN: 6, Language.ZH: 12}
KEPT = 10  # words to keep that are named
# A copy of a sentence no longer than this is as short as its line can be: it is not asked about again.
SHORT: Mapping[Language, int] = {Language.EN: 120, Language.ZH: 40}

REASON_WORDS: Mapping[Language, Mapping[Reason, str]] = {
    Language.EN: {
        Reason.EMPTY: "the line was empty",
        Reason.REASONING: "there was no line, only thoughts",
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
        Reason.FUSED: "it mixed in another sentence",
        Reason.REPEATED: "it was the same as another line",
        Reason.COPIED: "it was the whole sentence; it must be shorter",
    },
    Language.ZH: {
        Reason.EMPTY: "该行为空",
        Reason.REASONING: "只有思考过程，没有写出该行",
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
        Reason.FUSED: "混入了别的句子",
        Reason.REPEATED: "与另一行相同",
        Reason.COPIED: "照抄了整句，应当更短",
    },
}

_OPERATORS = {
    Language.EN: re.compile(
        r"\b(?:(?:shall|must|may|will|can)(?: not| never)?|cannot|not|no|never|neither|nor|without|unless|except\w*|"
        r"provided that|save that|subject to|if|where|only|at least|at most|up to|within|not (?:less|more|later) than|"
        r"no (?:less|more|later) than|more than|less than|exceed\w*|on or before|before|after|until|prior|written|"
        r"in writing|or|is entitled to|are entitled to)\b",
        re.I,
    ),
    Language.ZH: re.compile(
        "不得少于|不得超过|不少于|不超过|不低于|不高于|不得|应当|必须|可以|有权|禁止|未经|除[^，。；]{1,20}外|除非|但是|"
        "如果|或者|并且|以上|以下|以内|至少|书面|事先|仅|不|未|无|非"
    ),
}


def keep_words(evidence: str, line: str, language: Language) -> tuple[str, ...]:
    """The numbers, dates, amounts and operators of some evidence as they stand there, those that a line lost first."""
    text = fold(evidence)
    said = normalise(line).casefold()
    found = [token.shown.strip() for token in salient(text)] + [
        match[0] for match in _OPERATORS[language].finditer(text)
    ]
    words = list(dict.fromkeys(word if language is Language.ZH else word.lower() for word in found if word))
    lost = [word for word in words if not _has(said, word)]
    return tuple([*lost, *(word for word in words if word not in lost)][:KEPT])


def _has(said: str, word: str) -> bool:
    plain = normalise(word).casefold()
    return bool(re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", said)) if plain.isascii() else plain in said


def worth_asking(draft: Draft, source: Source) -> bool:
    """Whether another call may better a draft: it was refused, is not stuck, and is no copy of a short sentence."""
    if not draft.reasons or draft.stuck:
        return False
    return draft.reasons != (Reason.COPIED,) or len(source.sentences[draft.sentence].text) > SHORT[source.language]


def plan_retries(
    source: Source, tokens: Sequence[int], refused: Sequence[Draft], turn: int, model: Model
) -> list[MapCall]:
    """A call for each refused draft, with its reasons and the words to keep; `turn` is 0 for the first retry.

    A sentence that does not fit is not asked about again, its source stands in.
    """
    calls = [_retry(source, tokens, draft, turn, model) for draft in refused]
    return [call for call in calls if call is not None]


def _retry(source: Source, tokens: Sequence[int], draft: Draft, turn: int, model: Model) -> MapCall | None:
    evidence = source.sentences[draft.sentence].text
    english = source.language is Language.EN
    copied = draft.reasons == (Reason.COPIED,)
    prompt = prompts.render(
        PROMPTS[turn],
        source.language,
        title=source.document.title,
        path=path_of(source.clause_of(draft.sentence), source.language),
        sentence=defuse(evidence),
        reason=("; " if english else "；").join(REASON_WORDS[source.language][reason] for reason in draft.reasons[:3]),
        keep=(", " if english else "、").join(
            defuse(word) for word in keep_words(evidence, draft.text, source.language)
        ),
        most=_most(evidence, source.language) if copied else 0,
    )
    request = line_request(prompt, [tokens[draft.sentence]])
    return MapCall(draft.sentence, request) if fits(request, model) else None


def _most(evidence: str, language: Language) -> int:
    """How many words (Chinese: characters) a line may have whose first try was the sentence itself."""
    size = len(evidence.split()) if language is Language.EN else len(evidence)
    return max(LEAST_WORDS[language], round(size * SHORTER))
