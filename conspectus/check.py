"""Is a statement true to its evidence? Deterministic rules, no model (DESIGN 3.3).

Every rule answers with a reason code; no code means that nothing speaks against the statement. The rules are built to
refuse where they cannot tell: a refused true line costs a plainer digest, an accepted false one costs money.
"""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from conspectus.direction import parties_turned
from conspectus.document import Language
from conspectus.operators import Operators, operators, opposite_said
from conspectus.salient import missing, new_units, numbers_in_order
from conspectus.substance import content, lacks_substance
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


_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z&'’-]+")
_SCAFFOLD = re.compile(
    r"\b(?:restate|sentence \d+|here (?:is|are)|the following (?:sentences?|lines?)|in one short line|summary:|"
    r"rewritten|as an ai|i (?:am|cannot|can)|<\||\|>)|请用|改写|以下是|句子编号|作为(?:一个)?(?:人工智能|AI)",
    re.I,
)
_BRACES = re.compile(
    r"[{}]|^\s*\[\d+\]|^\s*[-*] .*\n|\"\w+\":|\b(?:this|the) (?:chunk|line|passage|text|excerpt) (?:is|says)\b", re.I
)
_UNFINISHED = re.compile(
    r"(?:\b(?:the|a|an|of|to|and|or|by|in|for|with|that|which|shall|must|may|not|is|are|be|any|its|their)|[,(:;/-]|[，、（：；])$",
    re.I,
)


def is_loop(text: str) -> bool:
    """True where the text repeats itself: a run of words three times, or most of its five-grams twice."""
    units = text.split() if ideographs(text) * 3 < len(text) else list(text)
    if len(units) < 10:
        return False
    grams = Counter(tuple(units[i : i + 5]) for i in range(len(units) - 4))
    return grams.most_common(1)[0][1] >= 3 or sum(n - 1 for n in grams.values()) * 4 > len(units)


_SLIGHT = re.compile(r"(?:(?:the|an?|this|each|any|and|or)\s*|[(（][a-z0-9一二三四五六七八九十]{1,3}[)）]\s*)*", re.I)


def _breaks_off(statement: str, evidence: str) -> bool:
    """True where a line was cut out of the evidence in mid-clause, at its end or at its beginning.

    Either the whole line stands there word for word, or it is long and has no full stop and its last words do.
    """
    bare = statement.rstrip(" .;。；!！?？")
    if bare and bare in evidence:
        at = evidence.find(bare)
        before = re.split(r"[,.;:，。；：、]", evidence[:at])[-1].strip()
        return not _SLIGHT.fullmatch(before) or evidence[at + len(bare) :].lstrip()[:1].isalnum()
    tail = bare[-18:] if bare == statement and len(bare) >= 30 else ""
    at = evidence.find(tail) if tail else -1
    return at >= 0 and evidence[at + len(tail) :].lstrip()[:1].isalnum()


def _mixed(statement: str, evidence: str, language: Language) -> bool:
    """True for a line in another language, or with words of another that the evidence does not have."""
    chinese = ideographs(statement) * 3 > sum(char.isalpha() for char in statement)
    if chinese is not (language is Language.ZH):
        return True
    if language is Language.EN:
        return ideographs(statement) > ideographs(evidence)
    there = {word.lower() for word in re.findall("[A-Za-z]{3,}", evidence)}
    return any(word.lower() not in there for word in re.findall("[A-Za-z]{3,}", statement))


def _form(statement: str, evidence: str, language: Language) -> list[Reason]:
    """What is wrong with a line whatever it says."""
    if not any(char.isalnum() for char in statement):
        return [Reason.EMPTY]
    found: list[Reason] = []
    if any(pattern.search(statement) and not pattern.search(evidence) for pattern in (_SCAFFOLD, _BRACES)):
        found.append(Reason.ECHO)
    if is_loop(statement) and not is_loop(evidence):
        found.append(Reason.LOOP)
    if _mixed(statement, evidence, language):
        found.append(Reason.LANGUAGE)
    if _UNFINISHED.search(statement.rstrip()) or _breaks_off(normalise(statement), normalise(evidence)):
        found.append(Reason.CUT_OFF)
    if len(statement) > len(evidence) * 1.05 + 8:
        found.append(Reason.LONGER)
    return found


_CURRENCIES = {"gbp", "usd", "eur", "rmb", "cny"}  # how an amount is written is the number check's business


def _names_missing(statement: str, evidence: str) -> bool:
    """True where a capitalised word of the statement is not in the evidence; the first word may be any common one."""
    there = _CURRENCIES | {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z][A-Za-z&'’-]+", evidence)}
    stems = {word[:5] for word in there}
    for match in _CAPITALISED.finditer(statement):
        word = match[0].lower().removesuffix("'s").rstrip("s")
        first = not re.search(r"\w[^.;:]*$", statement[: match.start()])
        if word not in there and word[:5] not in stems and not first:
            return True
    return False


def _operator_reasons(said: Operators, source: Operators) -> list[Reason]:
    """Where the operators differ in a way that may change the law.

    A statement may leave a duty in the indicative ("the Publisher pays"); it may not turn a duty into a right or a
    right into a fact, lose or gain a negation, lose an exception, or turn a limit or a time round.
    """
    found: list[Reason] = []
    if said.negations != source.negations:
        found.append(Reason.NEGATION)
    duty_made = said.duty and not (source.duty or source.owed)
    duty_eased = source.duty and not said.duty and (said.rights > source.rights or source.duty_after_right)
    if duty_made or duty_eased or bool(said.rights) is not bool(source.rights):
        found.append(Reason.MODALITY)
    carried = said.conditions | ({"if"} if said.conditional else set())
    if not source.conditions <= carried or ("unless" in said.conditions and "unless" not in source.conditions):
        found.append(Reason.CONDITION)
    if _turned(said.times, source.times, ("before", "after")):
        found.append(Reason.CONDITION)
    if (said.has_or and not source.has_or) or (source.has_or and not said.has_or and source.negations):
        found.append(Reason.CONJUNCTION)
    if said.has_and and not source.has_and and source.has_or:
        found.append(Reason.CONJUNCTION)
    if not source.limits & {"min", "max"} <= said.limits or _turned(said.limits, source.limits, ("min", "max")):
        found.append(Reason.LIMIT)
    if _turned(said.limits, source.limits, ("more", "less")):
        found.append(Reason.LIMIT)
    if not source.qualifiers <= said.qualifiers:
        found.append(Reason.QUALIFIER)
    return list(dict.fromkeys(found))


def _turned(said: frozenset[str], source: frozenset[str], pair: tuple[str, str]) -> bool:
    """True where one of a pair of opposites is said and only the other one is in the source."""
    return any(here in said and here not in source and there in source for here, there in (pair, pair[::-1]))


_SAME_CHARACTERS = frozenset(
    "自在于从由向对给与和及须应需当可得能将把的之其等即则就为以因致若如倘并且而也亦均都各每已曾了过至到起止后前内外"
)


def _replaced(statement: str, evidence: str) -> bool:
    """True where one character of a Chinese word was exchanged, or a run of four is new: another name, another number.

    Exchanged: its neighbours on both sides stand in the evidence around a different character.
    """
    for run in re.findall("[\u4e00-\u9fff]+", statement):
        new = 0
        for i, char in enumerate(run):
            known = char in evidence or char in _SAME_CHARACTERS
            new = 0 if known else new + 1
            if new >= 4:
                return True
            left, right = run[max(0, i - 1) : i], run[i + 1 : i + 3]
            if char in _SAME_CHARACTERS or not left or len(right) < 2 or f"{left}{char}{right}" in evidence:
                continue
            match = re.search(f"{left}([\u4e00-\u9fff]){right}", evidence)
            if match and match[1] not in _SAME_CHARACTERS and char not in evidence:
                return True
    return False


_LIMB = re.compile(r"(?:^|(?<=[\s;:,；：]))[(（](?:[a-z]{1,2}|[ivx]{1,4}|[0-9]{1,2}|[一二三四五六七八九十]{1,3})[)）]")
_EXCEPTION = {
    Language.EN: re.compile(r"\b(?:unless|except\w*|save|other than|excluding|provided that)\b([^.;]{4,240})", re.I),
    Language.ZH: re.compile(r"除([^，。；]{2,80})外|但是?([^。；]{2,80})除外"),
}
COVERED = 0.5  # the share of an exception's words that a statement must carry


def _narrowed(statement: str, evidence: str, language: Language) -> bool:
    """True where a statement carries only part of a list or of an exception: the rest would be taken for the rule."""
    said = set(content(statement, language))

    def lost(part: str, share: float) -> bool:
        words = content(part, language)
        return len(words) > 1 and sum(word in said for word in words) < share * len(words)

    limbs = _LIMB.split(evidence)[1:]
    if len(limbs) > 1 and any(lost(limb, COVERED / 2) for limb in limbs):
        return True
    exceptions = ["".join(filter(None, match.groups())) for match in _EXCEPTION[language].finditer(evidence)]
    return any(lost(exception, COVERED) for exception in exceptions)


def check(statement: str, evidence: str, language: Language) -> tuple[Reason, ...]:
    """Every reason against a statement; empty means it may be shown as verified.

    `evidence` is the quote of all that the statement rests on.
    """
    found = _form(statement, evidence, language)
    if found and found[0] is Reason.EMPTY:
        return tuple(found)
    said, source = normalise(statement), normalise(evidence)
    if missing(statement, evidence) or new_units(said, source):
        found.append(Reason.NUMBER)
    found += _operator_reasons(operators(statement, language), operators(evidence, language))
    if language is Language.EN and _names_missing(said, source):
        found.append(Reason.NAME)
    if parties_turned(said, source, language):
        found.append(Reason.DIRECTION)
    if not numbers_in_order(statement, evidence):
        found.append(Reason.NUMBER)
    if _narrowed(said, source, language):
        found.append(Reason.CONDITION)
    if opposite_said(statement, evidence, language):
        found.append(Reason.CONDITION)
    if language is Language.ZH and _replaced(said, source):
        found.append(Reason.NAME)
    if lacks_substance(said, source, language):
        found.append(Reason.OFF_TOPIC)
    return tuple(dict.fromkeys(found))


def is_copy(statement: str, evidence: str) -> bool:
    """True where the statement is its evidence word for word."""
    return normalise(statement).rstrip(" .;。；") == normalise(evidence).rstrip(" .;。；")


def best_fit(statement: str, candidates: Sequence[str], language: Language) -> int:
    """Index of the candidate that the statement's words fit best; the first of equals.

    Scored by the share of words in common both ways, so that a long sentence does not win by its length.
    """

    def score(candidate: str) -> float:
        said, there = set(content(normalise(statement), language)), set(content(normalise(candidate), language))
        return 2 * len(said & there) / (len(said) + len(there)) if said and there else 0.0

    scores = [score(candidate) for candidate in candidates]
    return max(range(len(scores)), key=lambda index: (scores[index], -index))
