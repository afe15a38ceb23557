"""What is wrong with a line whatever it says: empty, cut off, an echo, a loop, another language, too long."""

import re
from collections import Counter

from conspectus.check.reasons import Reason
from conspectus.document import Language
from conspectus.text import ideographs, normalise

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
_SLIGHT = re.compile(r"(?:(?:the|an?|this|each|any|and|or)\s*|[(（][a-z0-9一二三四五六七八九十]{1,3}[)）]\s*)*", re.I)
_OF_THIS = re.compile(r" (?:of|under|in) this [A-Z][a-z]+(?=[.,;:]|$)")
_CLAUSE_MARK = re.compile(r"[,.;:，。；：、]")


def is_loop(text: str) -> bool:
    """True where the text repeats itself: a run of words three times, or most of its five-grams twice."""
    units = text.split() if ideographs(text) * 3 < len(text) else list(text)
    if len(units) < 10:
        return False
    grams = Counter(tuple(units[i : i + 5]) for i in range(len(units) - 4))
    return grams.most_common(1)[0][1] >= 3 or sum(n - 1 for n in grams.values()) * 4 > len(units)


def _goes_on(rest: str) -> bool:
    """Whether a clause goes on: "of this Lease" behind its last word says nothing."""
    return not _OF_THIS.match(rest) and rest.lstrip()[:1].isalnum()


def _breaks_off(statement: str, evidence: str) -> bool:
    """True where a line was cut out of the evidence in mid-clause, at its end or at its beginning.

    Either the whole line stands there word for word, or it is long and has no full stop and its last words do.
    """
    bare = statement.rstrip(" .;。；!！?？")
    if bare and bare in evidence:
        at = evidence.find(bare)
        before = _CLAUSE_MARK.split(evidence[:at])[-1].strip()
        return not _SLIGHT.fullmatch(before) or _goes_on(evidence[at + len(bare) :])
    tail = bare[-18:] if bare == statement and len(bare) >= 30 else ""
    at = evidence.find(tail) if tail else -1
    return at >= 0 and _goes_on(evidence[at + len(tail) :])


def _mixed(statement: str, evidence: str, language: Language) -> bool:
    """True for a line in another language, or with words of another that the evidence does not have."""
    chinese = ideographs(statement) * 3 > sum(char.isalpha() for char in statement)
    if chinese is not (language is Language.ZH):
        return True
    if language is Language.EN:
        return ideographs(statement) > ideographs(evidence)
    there = {word.lower() for word in re.findall("[A-Za-z]{3,}", evidence)}
    return any(word.lower() not in there for word in re.findall("[A-Za-z]{3,}", statement))


def form_reasons(statement: str, evidence: str, language: Language) -> list[Reason]:
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
