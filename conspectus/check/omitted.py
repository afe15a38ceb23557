"""The mark […] of what a line leaves out: put in by code, so that no part of a sentence is left out silently.

A line may leave out a whole further duty, and rests on a limb of a list without its sisters: what it says is true, but
a reader must see that its sentence says more. A model drops the mark as often as not (31 of 34 lines of three models).
"""

import re

from rapidfuzz import fuzz

from conspectus.check.en.english import leaves_out
from conspectus.document import Language
from conspectus.text import normalise

MARK = "[…]"
_INNER = re.compile(r"([:：])\s*\[…\]\s*")
_LIST = re.compile(r"([:：])\s*(?=[(（\[])")
_AT_END = re.compile(r"\[…\][\s.;。；]*$")
_LAST = re.compile(r"\s*\[…\]\s*$")
_STOPS = " .;,。；，"
_PIECE = re.compile(r"[,;:。]|\(?[一二三四五六七八九十]+\)")
_SHORT, _GONE = 6, 60.0  # characters of a part that counts; how little of it may be there (rapidfuzz)


def marked(line: str, evidence: str, language: Language) -> str:
    """A true line with […] where its evidence says more: behind a colon, and at its end. One that has it stays."""
    if MARK in line:
        return line
    if _INNER.search(evidence):
        line = _LIST.sub(rf"\1 {MARK} ", line, count=1)
    if _AT_END.search(evidence) or _part_gone(line, evidence, language):
        line = f"{line.rstrip(_STOPS)} {MARK}"
    return line


def unmarked(line: str) -> str:
    """A line as the model wrote it, for the checks: without the marks."""
    stop = "。" if re.search("[一-鿿]", line) else "."
    return _LAST.sub(stop, line).replace(f" {MARK} ", " ") if MARK in line else line


def _part_gone(line: str, evidence: str, language: Language) -> bool:
    if language is Language.EN:
        return leaves_out(normalise(line), normalise(evidence))
    said = normalise(line)
    parts = [part.strip() for part in _PIECE.split(normalise(evidence))]
    return any(len(part) >= _SHORT and fuzz.partial_ratio(part, said) < _GONE for part in parts)
