"""Is a statement true to its evidence? Deterministic rules, no model (DESIGN 3.3).

Every rule answers with a reason code; no code means that nothing speaks against the statement. The rules are built to
refuse where they cannot tell: a refused true line costs a plainer digest, an accepted false one costs money.
"""

from collections.abc import Sequence

from conspectus.check.compared import english_last, exchanged_sides, invented_sign
from conspectus.check.en.english import clock, english_reasons
from conspectus.check.figures import misplaced, missing, new_units
from conspectus.check.form import form_reasons, is_loop
from conspectus.check.omitted import unmarked
from conspectus.check.opposites import opposite_said
from conspectus.check.reasons import Reason
from conspectus.check.substance import content
from conspectus.check.zh.chinese import chinese_reasons
from conspectus.document import Language
from conspectus.text import normalise

__all__ = ["Reason", "best_fit", "check", "is_copy", "is_loop"]


def check(statement: str, evidence: str, language: Language) -> tuple[Reason, ...]:
    """Every reason against a statement; empty means it may be shown as verified.

    `evidence` is the quote of all that the statement rests on; several sentences are joined with " […] ". Marks of
    omission in the statement are no words of it (`conspectus.check.omitted`).
    """
    statement = unmarked(statement)
    found = form_reasons(statement, evidence, language)
    if found and found[0] is Reason.EMPTY:
        return tuple(found)
    said, source = normalise(statement), normalise(evidence)
    if language is Language.EN:
        said, source = clock(said), clock(source)
    if missing(said, source) or new_units(said, source) or misplaced(said, source) or invented_sign(said, source):
        found.append(Reason.NUMBER)
    if opposite_said(said, source, language):
        found.append(Reason.CONDITION)
    if exchanged_sides(said, source, language):
        found.append(Reason.DIRECTION)
    found += chinese_reasons(said, source) if language is Language.ZH else english_reasons(said, source)
    if language is Language.EN:
        found += english_last(said, source)
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
