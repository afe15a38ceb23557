"""Slips of a Chinese line that otherwise repeats its sentence: a mark exchanged, a case of a list told as a rule.

The other rules look at the words of a line. These look at what holds them together: the marks, the 由 of who did it,
the other one (其他, 另一方) and the place of a case of a list before what follows from it.
"""

import re

from conspectus.check.reasons import Reason

# Marks that make another sentence of it: a condition became a heading or an outcry.
_FOREIGN = "!?:"
_CASES = re.compile(r"下列(?:[^,;:。]{0,6})(?:情形|行为|情况)之一")
_LIMB = re.compile(r"\(?[一二三四五六七八九十]+[)、]([^;。\[]+?)的?\s*[;。\[]")
_FOLLOWS = re.compile("应当?|不得|必须|可以|有权|责令|处(?=以|[0-9一二三四五六七八九十])")
_OTHER = re.compile("其他(?=[^,;。]{0,8}(?:单位|人|方|组织|机构|公司|会员))|另一方|对方")
_DOER = re.compile("由(?!此)(?=[^,;。]{1,12}(?:造成|引起|导致))")
# 等 leaves a list open; in 平等, 等级, 等于 it does not.
_OPEN = re.compile("(?<![平同相均对不何次头])等(?![于级额同候待距量值价])")
_FELLOW = re.compile("与(?=尚未|签订|订立|约定|协商|解除)")


def slips(statement: str, evidence: str) -> list[Reason]:
    """The reasons that marks and small words give; both texts are normalised."""
    found: list[Reason] = []
    if any(mark in statement and mark not in evidence for mark in _FOREIGN):
        found.append(Reason.CONDITION)
    if len(_OPEN.findall(statement)) < len(_OPEN.findall(evidence)) and _near(statement, evidence):
        found.append(Reason.QUALIFIER)
    if _case_as_rule(statement, evidence):
        found.append(Reason.CONDITION)
    for word in (_OTHER, _DOER):
        if len(word.findall(statement)) < len(word.findall(evidence)) and _near(statement, evidence):
            found.append(Reason.DIRECTION)
    if _without_fellow(statement, evidence):
        found.append(Reason.DIRECTION)
    return found


def _near(statement: str, evidence: str) -> bool:
    """Whether a line repeats most of its evidence, so that nothing else says what is missing."""
    return len(statement) >= 0.6 * len(evidence)


def _case_as_rule(statement: str, evidence: str) -> bool:
    """Whether one case of a list is told behind what follows from it, without a word that makes it a case."""
    limb = _LIMB.search(evidence)
    if not _CASES.search(evidence) or limb is None or re.search("(?:情形|情况)(?!外|除外)|之一|[如若]|时,", statement):
        return False
    end = limb[1].rstrip("的")[-4:]
    at, follows = statement.rfind(end), _FOLLOWS.search(statement)
    told_last = at >= 0 and follows is not None and at > follows.start()
    return told_last and not re.match("的[^,;。]", statement[at + len(end) :])


def _without_fellow(statement: str, evidence: str) -> bool:
    """Whether 与 stands before nobody: with whom is lost."""
    return bool(_FELLOW.search(statement)) and not _FELLOW.search(evidence)
