"""What speaks against an English statement: the rules in one row."""

import re

from conspectus.check.en.aligned import Pair
from conspectus.check.en.coverage import names_missing, other_law, substance
from conspectus.check.en.exchanged import exchanged
from conspectus.check.en.governed import dangles, other_preposition
from conspectus.check.en.harmless import gone
from conspectus.check.en.limits import conjunction, limits, number_dropped, qualifiers
from conspectus.check.en.losses import lost
from conspectus.check.en.parties import direction, other_acts, subjects_exchanged
from conspectus.check.en.placing import crossed, fused
from conspectus.check.en.polarity import forced, polarity, with_for_without
from conspectus.check.en.reading import read
from conspectus.check.en.row import Row
from conspectus.check.en.rules import conditions, modality, negation
from conspectus.check.en.slips import slips
from conspectus.check.en.turned import modal_taken, no_predicate, own_lost, start_lost, subject_to_lost, unit_lost
from conspectus.check.en.widened import said_twice, widened
from conspectus.check.reasons import Reason

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


_MAY_ONLY = re.compile(r"\b(may|can) ([^.;]{2,100}?)\bonly (for|to|in|by|from|as|at|within)\b", re.I)
_BANNED = re.compile(r"\b(?:not|no|never)\b[^.;]*\b(?:except|unless|other than|otherwise than|save)\b", re.I)
_UNLESS = re.compile(r"\bunless\b", re.I)
_IF_NOT = re.compile(r"\bif ((?:the |an? |any |either |each )?[a-z]+(?: party)?) (?:does|do|did) not ", re.I)


_NOT_MORE = re.compile(
    r"\b(?:shall|may|must|will|can) not ([^.;,]{3,60}?) (?:for )?(?:a period )?(?:more than|exceeding|over)\b", re.I
)
_PERMITS = re.compile(r"\b(?:permits|allows|authori[sz]es) ((?:the |an? |either |any )?[a-z]+) to\b", re.I)
_AT_MOST = re.compile(r"\b(?:may|can) (?!not)[^.;,]*?\b(?:no more than|not more than|at most|up to)\b", re.I)


def _alike(statement: str, evidence: str) -> tuple[str, str]:
    """Both texts with one turn of phrase where each has its own: may only and may not except, unless and if not."""
    if _BANNED.search(evidence) and not re.search(r"\bonly\b", evidence, re.I):
        statement = _MAY_ONLY.sub(r"\1 not \2except \3", statement)
    if _UNLESS.search(statement) and not _UNLESS.search(evidence):
        evidence = _IF_NOT.sub(r"unless \1 ", evidence)
    elif _UNLESS.search(evidence) and not _UNLESS.search(statement):
        statement = _IF_NOT.sub(r"unless \1 ", statement)
    if _AT_MOST.search(statement) and not _AT_MOST.search(evidence):
        evidence = _NOT_MORE.sub(r"may \1 at most", evidence)
    elif _AT_MOST.search(evidence) and not _AT_MOST.search(statement):
        statement = _NOT_MORE.sub(r"may \1 at most", statement)
    if _PERMITS.search(evidence) and not _PERMITS.search(statement):
        evidence = _PERMITS.sub(r", \1 may", evidence)
    return statement, evidence


_CLOCK = re.compile(r"\b([0-9]{1,2})(?:[.:]([0-9]{2}))? ?([ap])\.?m\b\.?(?=[ ,;:)]|$)", re.I)


def clock(text: str) -> str:
    """A text with each time of day in one spelling: 11.00 p.m., 11 pm and 11:00 PM are 11:00 p.m."""
    return _CLOCK.sub(lambda m: f"{int(m[1])}:{m[2] or '00'} {m[3].lower()}.m.", text)


def english_reasons(statement: str, evidence: str) -> list[Reason]:
    """The reasons against a statement by its operators, parties and words; both texts are normalised."""
    line, source = _alike(statement, _plain(statement, evidence))
    pair = Pair(read(line), read(source))
    found: list[Reason] = []
    if negation(pair) or polarity(pair) or with_for_without(statement, evidence):
        found.append(Reason.NEGATION)
    if forced(statement, evidence):
        found.append(Reason.MODALITY)
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
    if direction(pair) or crossed(pair) or other_acts(statement, evidence) or subjects_exchanged(statement, evidence):
        found.append(Reason.DIRECTION)
    if fused(pair):
        found.append(Reason.FUSED)
    return [*found, *substance(pair), *_strict(pair, statement, evidence), *slips(statement, evidence)]


def leaves_out(statement: str, evidence: str) -> bool:
    """Whether a line leaves out a whole further duty, right or ban of its sentence; both texts are normalised."""
    line, source = _alike(statement, _plain(statement, evidence))
    pair = Pair(read(line), read(source))
    return any(gone(Row(words, pair)) for words in pair.covered)


def _strict(pair: Pair, statement: str, evidence: str) -> list[Reason]:
    """What was lost, whatever it is, and what stands in another place: only what is known to be harmless passes."""
    found = [reason for reason, _ in lost(pair)]
    if start_lost(pair):
        found.append(Reason.LIMIT)
    if unit_lost(pair):
        found.append(Reason.NUMBER)
    if modal_taken(pair) or no_predicate(pair):
        found.append(Reason.MODALITY)
    if subject_to_lost(pair):
        found.append(Reason.CONDITION)
    if own_lost(pair):
        found.append(Reason.DIRECTION)
    if dangles(statement, evidence):
        found.append(Reason.CUT_OFF)
    if other_preposition(pair) or exchanged(pair):
        found.append(Reason.OFF_TOPIC)
    if widened(statement, evidence):
        found.append(Reason.QUALIFIER)
    if said_twice(pair):
        found.append(Reason.NAME)
    if " / " in statement and " / " not in evidence:
        found.append(Reason.FUSED)
    return found
