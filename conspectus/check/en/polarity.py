"""How often an English statement denies, against its evidence: a "not" more or less turns the sense.

The rules of rules.py compare negations word by word; these count them, so that two denials of one evidence cannot
both stand behind one of the statement, and words that deny by themselves (waive, void) cannot go unnoticed.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from conspectus.check.en.aligned import Pair
from conspectus.check.en.reading import Word, stem
from conspectus.check.en.rules import DENYING, NEGATIONS, UN, left_aside

# Words that a restatement may turn into a "not", though their loss alone turns nothing: late, not paid in time.
_FAILING = frozenset(
    stem(word)
    for word in (
        "breach default omit omission neglect decline overdue late infringe contravene violate stop discontinue "
        "unable otherwise beyond outside contrary insufficient inadequate incomplete incorrect inaccurate"
    ).split()
)
_MAY_ONLY = re.compile(r"\b(?:may|can)\b[^.;,]*?\bonly\b", re.I)
_WITH = re.compile(r"\b(with|without) (?!the\b|an?\b|its\b|any\b|such\b)([a-z]+)", re.I)
_MUST_ONLY = re.compile(
    r"\b(?:must|shall|has to|have to)\b(?! not)[^.;,]*?\bonly (?:with|if|when|after|once|upon|on)\b", re.I
)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.I)


def _denials(words: Iterable[Word]) -> int:
    """How many negations stand in a row of words."""
    return sum(word.form in NEGATIONS or word.form == "NEEDNOT" or word.form.startswith("non-") for word in words)


@lru_cache(maxsize=20_000)
def _denying(form: str) -> bool:
    return stem(form) in DENYING | _FAILING or bool(UN.match(form))


def _denies(word: Word) -> bool:
    """Whether a word denies by itself: waives, unobstructed."""
    return word.content and _denying(word.form)


def _softly(words: Sequence[Word], others: Sequence[Word]) -> int:
    """The negations, and the denying words, exceptions and "only" that the other text does not have as such."""
    spare = sum(
        max(0, sum(word.form == form for word in words) - sum(word.form == form for word in others))
        for form in ("UNLESS", "ONLY")
    )
    denying = sum(map(_denies, words)) - sum(map(_denies, others))
    return _denials(words) + spare + max(0, denying)


def polarity(pair: Pair) -> bool:
    """True where a statement denies more often than its evidence, or less often than the part of it that it keeps."""
    kept: list[Word] = []
    for row in pair.covered:
        gone = left_aside(row, pair)
        kept += [word for i, word in enumerate(row) if not any(part.start <= i < part.end for part in gone)]
    said = pair.said_words
    if any(a.form == "NOT" and (b.form == "NOT" or b.form.startswith("non-")) for a, b in pairwise(said)):
        return True
    if _denials(said) > _softly(pair.source_words, said):
        return True
    left = _softly(said, kept)
    lost = any(word.content and stem(word.form) in DENYING and not pair.kept(word) for word in kept)
    return _denials(kept) - _repeated(kept) > left or (lost and not left)


def _repeated(words: Sequence[Word]) -> int:
    """How many denials only repeat the one before: must not assign and must not sublet, must not assign or sublet."""
    return sum(
        word.form == "NOT" and words[i - 1].form == "MUST" and words[i - 2].form in ("AND", "OR", ",")
        for i, word in enumerate(words)
        if i > 3
    )


def forced(statement: str, evidence: str) -> bool:
    """True where a permission on a condition was worded as a duty: must keep one only with consent."""
    if not _MUST_ONLY.search(statement):
        return False
    return bool(_MAY_ONLY.search(evidence)) or not _ONLY.search(evidence)


def with_for_without(statement: str, evidence: str) -> bool:
    """True where "without cause" became "with cause", or the other way."""
    said, there = ({(m[1].lower(), m[2].lower()) for m in _WITH.finditer(text)} for text in (statement, evidence))
    turned = {"with": "without", "without": "with"}
    return any((turned[word], noun) in there and (word, noun) not in there for word, noun in said)
