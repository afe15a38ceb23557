"""The mark […] of what a line leaves out: put in by code, so that no part of a sentence is left out silently.

A line may leave out a whole further duty, and rests on a limb of a list without its sisters: what it says is true, but
a reader must see that its sentence says more. A model drops the mark as often as not (31 of 34 lines of three models).
"""

import re

from conspectus.check.en.english import leaves_out as english_part_gone
from conspectus.check.zh.chinese import leaves_out as chinese_part_gone
from conspectus.document import Language
from conspectus.text import normalise

MARK = "[…]"
_MARKS = re.compile(r"\s*\[(?:…|\.\.\.)\]\s*")
_INNER = re.compile(r"([:：])\s*\[…\]\s*")
_LIST = re.compile(r"([:：])\s*(?=[(（\[])")
_AT_END = re.compile(r"\[…\][\s.;。；]*$")
_STOPS = " .;,。；，"


def marked(line: str, evidence: str, language: Language) -> str:
    """A true line with […] where its evidence says more, behind a colon and at its end, and nowhere else."""
    line = unmarked(line)
    has_inner = bool(_INNER.search(evidence))
    shown = _LIST.sub(rf"\1 {MARK} ", line, count=1) if has_inner else line
    # Told without its colon, a limb has no other place for the mark than the end.
    unplaced = has_inner and shown == line
    if unplaced or _AT_END.search(evidence) or _part_gone(line, evidence, language):
        return f"{shown.rstrip(_STOPS)} {MARK}"
    return shown


def unmarked(line: str) -> str:
    """A line without marks of omission, whoever put them in: what the rules judge."""
    bare = _MARKS.sub(" ", line).strip()
    if bare == line.strip() or not bare or bare[-1] in ".。;；:：" or not _MARKS.search(line[-8:]):
        return bare
    return f"{bare}{'。' if re.search('[一-鿿]', bare) else '.'}"


def _part_gone(line: str, evidence: str, language: Language) -> bool:
    leaves_out = english_part_gone if language is Language.EN else chinese_part_gone
    return leaves_out(normalise(line), normalise(evidence))
