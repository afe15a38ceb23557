"""What speaks against an English statement: the rules in one row."""

import re

from conspectus.aligned import Pair
from conspectus.coverage_en import names_missing, other_law, substance
from conspectus.limits_en import conjunction, limits, number_dropped, qualifiers
from conspectus.parties_en import direction
from conspectus.placing_en import crossed, fused
from conspectus.reading_en import read
from conspectus.reasons import Reason
from conspectus.rules_en import conditions, modality, negation

_ALIAS = re.compile(r" ?\((?:[a-z, ]{0,40})\"([^\"]{2,60})\"(?: or \"[^\"]{2,60}\")?\)")
_DESCRIBED = re.compile(r", an? [^,(]{3,60}$")
_ORDER = re.compile(r"\bignore (?:(?:all|the|any) )*(?:previous|prior|above) instructions", re.I)
_JOINING = frozenset(("of", "and", "the", "&"))


def _name_before(text: str) -> int:
    """Where the capitalised name that ends a text begins; its length where there is none."""
    at = len(text)
    for word in reversed(text.split(" ")[-10:]):
        if not (word[:1].isupper() or (word in _JOINING and at < len(text))):
            break
        at -= len(word) + 1
    return min(len(text), at + 1)


def _plain(statement: str, evidence: str) -> str:
    """The evidence with one name for each party, that of the statement, and without orders to the reader."""
    if _ORDER.search(evidence):
        evidence = ". ".join(part for part in re.split(r"\. |\] ", evidence) if not _ORDER.search(part))
    out, at = "", 0
    for match in _ALIAS.finditer(evidence):
        before = out + evidence[at : match.start()]
        described = _DESCRIBED.search(before)
        head = before[: described.start()] if described else before
        start = _name_before(head)
        name = head[start:]
        if match[1] in statement and name and name.split(",")[0] not in statement:
            before = head[:start] + match[1] + (described[0] if described else "")
        elif match[1] in statement:
            before += match[0]
        out, at = before, match.end()
    return out + evidence[at:]


def english_reasons(statement: str, evidence: str) -> list[Reason]:
    """The reasons against a statement by its operators, parties and words; both texts are normalised."""
    pair = Pair(read(statement), read(_plain(statement, evidence)))
    found: list[Reason] = []
    if negation(pair):
        found.append(Reason.NEGATION)
    if (turned := modality(pair)) is not None:
        found.append(turned)
    if (lost := conditions(pair)) is not None:
        found.append(lost)
    if conjunction(pair):
        found.append(Reason.CONJUNCTION)
    if limits(pair) or number_dropped(pair):
        found.append(Reason.LIMIT)
    if qualifiers(pair):
        found.append(Reason.QUALIFIER)
    if names_missing(statement, evidence) or other_law(statement, evidence):
        found.append(Reason.NAME)
    if direction(pair) or crossed(pair):
        found.append(Reason.DIRECTION)
    if fused(pair):
        found.append(Reason.FUSED)
    return [*found, *substance(pair)]
