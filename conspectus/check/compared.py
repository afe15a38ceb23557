"""What real lines of small models showed last: sides of a comparison exchanged, conditions turned into attributes.

Each rule looks at the texts alone; both are normalised.
"""

import re
from collections.abc import Iterator

from conspectus.check.reasons import Reason
from conspectus.document import Language

_COMPARES = {
    Language.EN: re.compile(
        r"\b(?:exceeds?|exceeding|(?:more|less|greater|higher|lower|earlier|later|longer|shorter|fewer) than)\b", re.I
    ),
    Language.ZH: re.compile("(?:不得|不)?(?:超过|少于|低于|高于|多于|大于|小于|早于|晚于)"),
}
_BREAKS = {Language.EN: re.compile(r"[,;:.()]"), Language.ZH: re.compile("[，；。：,;:（）()]")}
_PLACEHOLDER = re.compile(r"[£$€¥] ?[A-Za-z]{1,4}\b|\bX{1,4}\b|\bN/A\b|\bTBD\b|某某")
_CONDITION = re.compile(
    r"\b(?:if|where|when|whenever|unless|provided that|in the event|in case) ((?:[^,;.]|(?<=[0-9])[.,](?=[0-9]))+)",
    re.I,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|where|wherever|when|whenever|while|unless|provided|providing|in (?:the )?(?:case|event)|upon|after|once|"
    r"should|until|except|failing|without|during|as long as|otherwise|subject to|for as|only|on)\b",
    re.I,
)
_PARTICIPLE = re.compile(r"\b[a-z]{3,}ing\b")
_ACTS = re.compile(r"\bfor (?:an?|the|any) ([a-z]+) to ([a-z]{3,})", re.I)
_SMALL = frozenset("shall must will that this these those with from have been such than".split())
_JOINT = re.compile(r"\[(?:…|\.\.\.)\]")


def _words(text: str) -> set[str]:
    """Words of four letters and more that carry something, by their first six."""
    return {word[:6].lower() for word in re.findall(r"[A-Za-z]{4,}", text)} - _SMALL


def _units(text: str, language: Language) -> set[str]:
    if language is Language.EN:
        return _words(text)
    return {text[at : at + 2] for at in range(len(text) - 1)}


def _sides(text: str, language: Language) -> Iterator[tuple[set[str], set[str]]]:
    """What stands before and after each comparison, as far as the next mark."""
    for match in _COMPARES[language].finditer(text):
        before = _BREAKS[language].split(text[: match.start()])[-1]
        after = _BREAKS[language].split(text[match.end() :])[0]
        yield _units(before, language), _units(after, language)


def exchanged_sides(statement: str, evidence: str, language: Language) -> bool:
    """True where what is measured and what it is measured by have changed places: A must not exceed B, B not A."""
    there = list(_sides(evidence, language))
    for before, after in _sides(statement, language):
        if not any(len(before & left) >= len(before & right) for left, right in there) and any(
            after & left and len(after & left) > len(after & right) for left, right in there
        ):
            return True
    return False


def invented_sign(statement: str, evidence: str) -> bool:
    """True for a placeholder that the evidence does not have: $X, N/A."""
    return any(mark[0] not in evidence for mark in _PLACEHOLDER.finditer(statement))


def _condition_gone(statement: str, evidence: str) -> bool:
    """True where the words of a condition are told without saying that it is one."""
    if _CONDITIONAL.search(statement):
        return False
    said = _words(statement)
    return any(_words(match[1]) & said for match in _CONDITION.finditer(evidence))


def _limb_gone(statement: str, evidence: str) -> bool:
    """True where hardly a word of a limb is told, and so only its lead; sentences that are joined are no limbs."""
    said = _words(statement)
    lead, *limbs = _JOINT.split(evidence)
    for limb in limbs if lead.rstrip().endswith(":") else ():
        words = _words(limb)
        if len(words) > 2 and 2 * len(words & said) < len(words):
            return True
    return False


def _twice(statement: str, evidence: str) -> bool:
    """True where a participle stands more often than in the evidence: one event took another's date."""
    said, there = (_PARTICIPLE.findall(text.lower()) for text in (statement, evidence))
    return any(said.count(word) > there.count(word) > 0 for word in set(said))


def _actor_gone(statement: str, evidence: str) -> bool:
    """True where what somebody is waited for to do is told without him: "for a person to collect goods"."""
    said = _words(statement) | {word.lower() for word in re.findall(r"[A-Za-z]{2,3}", statement)}
    return any(match[2][:6].lower() in said and match[1][:6].lower() not in said for match in _ACTS.finditer(evidence))


def english_last(statement: str, evidence: str) -> list[Reason]:
    """The reasons by the rules of this module that read English."""
    found: list[Reason] = []
    if _condition_gone(statement, evidence):
        found.append(Reason.CONDITION)
    if _limb_gone(statement, evidence):
        found.append(Reason.QUALIFIER)
    if _twice(statement, evidence):
        found.append(Reason.NUMBER)
    if _actor_gone(statement, evidence):
        found.append(Reason.DIRECTION)
    if re.search(r"\bunreasonabl", evidence, re.I) and not re.search(r"reasonabl", statement, re.I):
        found.append(Reason.QUALIFIER)
    return found
