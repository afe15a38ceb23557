"""Is a statement true to its evidence? Deterministic rules, no model (DESIGN 3.3).

Every rule answers with a reason code; no code means that nothing speaks against the statement. The rules are built to
refuse where they cannot tell: a refused true line costs a plainer digest, an accepted false one costs money.
"""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from conspectus.document import Language
from conspectus.operators import Operators, operators
from conspectus.salient import missing
from conspectus.text import ideographs, normalise


class Reason(StrEnum):
    """Why a statement was refused. The value is stable: it is stored, counted and shown."""

    EMPTY = "empty"
    CUT_OFF = "cut-off"
    ECHO = "echo"
    LOOP = "loop"
    LANGUAGE = "language"
    LONGER = "longer-than-evidence"
    NUMBER = "number-not-in-evidence"
    NAME = "name-not-in-evidence"
    NEGATION = "negation-changed"
    MODALITY = "modality-changed"
    CONDITION = "condition-lost"
    CONJUNCTION = "and-or-changed"
    LIMIT = "limit-changed"
    QUALIFIER = "qualifier-lost"
    DIRECTION = "parties-reversed"
    OFF_TOPIC = "not-about-evidence"
    NEIGHBOUR = "fits-another-sentence"


_WORD_EN = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z&'’-]+")
_SUBJECT_EN = re.compile(
    r"\b([A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:'s [a-z]+)? (?:shall|must|may|will|can|is (?:entitled|required|obliged)|"
    r"agrees?|undertakes?|covenants?|pays?)\b"
)
_AGENT_EN = re.compile(r"\bby (?:the |any |an? )?([A-Z][a-z]+(?: [A-Z][a-z]+)?)")
_STOP_EN = frozenset(
    "a an the of to in on at by for with from and or nor not no is are be been being was were it its this that these "
    "those any all each every such as if then than shall must may will can should would which who whom whose their "
    "his her they he she we you your our there here into under upon within without per do does did has have had up "
    "out so also only before after until unless except where when provided other more less least most over "
    "between".split()
)
_SCAFFOLD = re.compile(
    r"\b(?:restate|sentence \d+|here (?:is|are)|the following (?:sentences?|lines?)|in one short line|summary:|"
    r"rewritten|as an ai|i (?:am|cannot|can)|<\||\|>)|请用|改写|以下是|句子编号|作为(?:一个)?(?:人工智能|AI)",
    re.I,
)
_UNFINISHED = re.compile(
    r"(?:\b(?:the|a|an|of|to|and|or|by|in|for|with|that|which|shall|must|may|not|is|are|be|any|its|their)|[,(:;/-]|[，、（：；])$",
    re.I,
)


def _content(text: str, language: Language) -> list[str]:
    """The words that carry meaning: stems in English, character pairs in Chinese."""
    if language is Language.ZH:
        runs = re.findall("[\u3400-\u9fff]+", text)
        return [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
    return [word.lower()[:6] for word in _WORD_EN.findall(text) if word.lower() not in _STOP_EN and len(word) > 1]


def overlap(statement: str, evidence: str, language: Language) -> float:
    """The share of the statement's content that stands in the evidence, 0 to 1."""
    words = _content(normalise(statement), language)
    there = set(_content(normalise(evidence), language))
    return sum(word in there for word in words) / len(words) if words else 0.0


OVERLAP_FLOOR = {Language.EN: 0.75, Language.ZH: 0.6}


def is_loop(text: str) -> bool:
    """True where the text repeats itself: a run of words three times, or most of its five-grams twice."""
    units = text.split() if ideographs(text) * 3 < len(text) else list(text)
    if len(units) < 10:
        return False
    grams = Counter(tuple(units[i : i + 5]) for i in range(len(units) - 4))
    return grams.most_common(1)[0][1] >= 3 or sum(n - 1 for n in grams.values()) * 4 > len(units)


def _form(statement: str, evidence: str, language: Language) -> list[Reason]:
    """What is wrong with a line whatever it says."""
    if not any(char.isalnum() for char in statement):
        return [Reason.EMPTY]
    found: list[Reason] = []
    if _SCAFFOLD.search(statement) and not _SCAFFOLD.search(evidence):
        found.append(Reason.ECHO)
    if is_loop(statement) and not is_loop(evidence):
        found.append(Reason.LOOP)
    chinese = ideographs(statement) * 3 > len(statement)
    if chinese is not (language is Language.ZH):
        found.append(Reason.LANGUAGE)
    if _UNFINISHED.search(statement.rstrip()):
        found.append(Reason.CUT_OFF)
    if len(statement) > len(evidence) * 1.05 + 8:
        found.append(Reason.LONGER)
    return found


_CURRENCIES = {"gbp", "usd", "eur", "rmb", "cny"}  # how an amount is written is the number check's business


def _names_missing(statement: str, evidence: str) -> bool:
    """True where a capitalised word of the statement is not in the evidence; the first word may be any common one."""
    there = _CURRENCIES | {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z][A-Za-z&'’-]+", evidence)}
    for match in _CAPITALISED.finditer(statement):
        word = match[0].lower().removesuffix("'s").rstrip("s")
        first = not statement[: match.start()].strip(" \"'(-")
        if word not in there and not (first and word in _STOP_EN):
            return True
    return False


def _operator_reasons(said: Operators, source: Operators) -> list[Reason]:
    found: list[Reason] = []
    if said.negations != source.negations:
        found.append(Reason.NEGATION)
    if said.modals != source.modals:
        found.append(Reason.MODALITY)
    if not source.conditions <= said.conditions:
        found.append(Reason.CONDITION)
    if (said.has_or and not source.has_or) or (source.has_or and not said.has_or):
        found.append(Reason.CONJUNCTION)
    if said.has_and and not source.has_and and source.has_or:
        found.append(Reason.CONJUNCTION)
    if said.limits != source.limits:
        found.append(Reason.LIMIT)
    if not source.qualifiers <= said.qualifiers:
        found.append(Reason.QUALIFIER)
    return list(dict.fromkeys(found))


def _reversed(statement: str, evidence: str) -> bool:
    """True where somebody acts in the statement who does not act in the evidence.

    Those who act: the capitalised name before a modal, or after "by".
    """
    acting = _acting(evidence) | {name.lower() for name in _AGENT_EN.findall(evidence)}
    return bool(acting) and not _acting(statement) <= acting


_ARTICLE = re.compile(r"^(?:The|Each|Every|Any|No|An?|This|That|Such|Either|Neither|If) ")


def _acting(text: str) -> set[str]:
    return {_ARTICLE.sub("", name).lower() for name in _SUBJECT_EN.findall(text)}


_PARTIES_ZH = ("甲方", "乙方", "丙方", "出租人", "承租人", "买方", "卖方", "委托人", "受托人", "发包人", "承包人")
_ACTS_ZH = "[^，。；]{0,12}(?:应当|不得|可以|必须|有权|应|须)"


def _acting_zh(text: str) -> set[str]:
    return {party for party in _PARTIES_ZH if re.search(party + _ACTS_ZH, text)}


def _reversed_zh(statement: str, evidence: str) -> bool:
    acting = _acting_zh(evidence)
    return bool(acting) and not _acting_zh(statement) <= acting


def check(statement: str, evidence: str, language: Language) -> tuple[Reason, ...]:
    """Every reason against a statement; empty means it may be shown as verified.

    `evidence` is the quote of all that the statement rests on.
    """
    found = _form(statement, evidence, language)
    if found and found[0] is Reason.EMPTY:
        return tuple(found)
    if missing(statement, evidence):
        found.append(Reason.NUMBER)
    found += _operator_reasons(operators(statement, language), operators(evidence, language))
    if language is Language.EN and _names_missing(normalise(statement), normalise(evidence)):
        found.append(Reason.NAME)
    turned = _reversed_zh if language is Language.ZH else _reversed
    if turned(normalise(statement), normalise(evidence)):
        found.append(Reason.DIRECTION)
    if overlap(statement, evidence, language) < OVERLAP_FLOOR[language]:
        found.append(Reason.OFF_TOPIC)
    return tuple(found)


def is_copy(statement: str, evidence: str) -> bool:
    """True where the statement is its evidence word for word."""
    return normalise(statement).rstrip(" .;。；") == normalise(evidence).rstrip(" .;。；")


def best_fit(statement: str, candidates: Sequence[str], language: Language) -> int:
    """Index of the candidate that the statement's words fit best; the first of equals.

    Scored by the share of words in common both ways, so that a long sentence does not win by its length.
    """

    def score(candidate: str) -> float:
        said, there = set(_content(normalise(statement), language)), set(_content(normalise(candidate), language))
        return 2 * len(said & there) / (len(said) + len(there)) if said and there else 0.0

    scores = [score(candidate) for candidate in candidates]
    return max(range(len(scores)), key=lambda index: (scores[index], -index))
