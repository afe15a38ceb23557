"""Slips of an English line that otherwise repeats its sentence: a small word lost, put in, or exchanged.

The other rules look at words that carry content. Here every word counts, the small ones above all: "on or after" is
not "upon", "each set of keys" not "each key", "means" not "controls", "or" not "and". Only a line that keeps most of
its sentence in order is read so; one that says it freely is for the other rules.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from conspectus.check.en.reading import ideas, is_role, stem
from conspectus.check.reasons import Reason
from conspectus.check.salient import NUMBER_WORD

_TOKEN = re.compile(r"[a-z]+(?:[-'][a-z]+)*|[0-9][0-9.,]*%?|[^\sa-z0-9]")
_NEAR = 0.7  # share of the line's words that stand in the evidence in the same order
_REPEATED = 0.88  # from which a line says nothing in words of its own, so that each small word that went is missed
_PHRASE = 8  # words; more that are left out together may be a clause of their own
_FINITE = frozenset("shall must may will can is are was were has have does do".split())
_LETS, _GRANTS = frozenset(("let", "lets")), frozenset(("grant", "grants"))
# Small words that carry sense wherever they stand in a legal sentence.
_KEPT = frozenset(
    map(
        stem,
        "further initial following above below later subsequent set time date day period term part party failure "
        "event if unless until after before within during without except when where while once effective outside "
        "inside".split(),
    )
)
_POINTERS = frozenset("following above below preceding foregoing later earlier further".split())
_CONDITION = frozenset("if where when once event unless whenever upon".split())
# Words of a stem that say another thing than the small word: contract terms, to effect payment.
_OTHERS = frozenset(("terms", "effect", "effects"))
# Said once, these stand for both: within 3 months or (within) such longer period, outside A or (outside) B.
_SAID_ONCE = frozenset(("within", "day", "days", "outside"))
# What a small word may be exchanged for.
_SAME = (
    (_CONDITION, _CONDITION),
    (frozenset(("within", "before", "after")), frozenset(("in", "by", "within"))),
    (frozenset(("without",)), frozenset(("need", "needs", "require", "requires"))),
)
_NUMBER = re.compile(rf"[0-9.,]+|{NUMBER_WORD}", re.I)
_MEANS = frozenset("mean means meaning is are refers refer has have : = includes include".split())
_PRONOUNS = frozenset("it its itself they their them he his him she her which who".split())
_PROVIDED = re.compile(
    r"\bas (?:provided|set (?:out|forth)|described|specified|defined|stated|required) (?:in|by|under)\b.*\d"
)
_DEFINED = re.compile(r'\([^()"]{0,40}"[^"]{2,60}"[^()]{0,30}\)')
_REPRESENTED = re.compile(r"\bknowledge\b|\brepresents?\b|\bwarrants?\b", re.I)
# "Shall, and hereby does, grant" grants at once; "shall grant" is a promise.
_HEREBY = re.compile(r"\bhereby do(?:es)?\b", re.I)
_OPEN_END = re.compile(r"\b(?:or|and) \[(?:…|\.\.\.)\][ .]*$")
# "Either party may disclose it" told as "it may be disclosed": who may is lost.
_PARTY_ACTS = re.compile(
    r"\b((?:part|compan)(?:y|ies)|owner|person)\b[^,.;]{0,12}\b(?:may|shall|must|will) (?!not\b|be\b)", re.I
)
_PASSIVE = re.compile(r"\b(?:may|shall|must|will) be [a-z]+(?:ed|en|n|t)\b", re.I)
# As `clock` of english.py leaves them.
_TIME = re.compile(r"\b([0-9]{1,2}:[0-9]{2})( [ap]\.m\.)?(?![0-9])")
# What may go as a whole.
_LEFT_OUT = re.compile(
    r"(?:, )?\b(?:(?:of|to|in|under|by|for) (?:this|these|the) (?:agreement|lease|deed|contract|act|law|licen[cs]e|"
    r"policy|regulations?)|for the avoidance of doubt|set (?:forth|out) in this [a-z]+|"
    r"without limitation|at (?:the|any) time when|(?:any )?part of|from time to time|in whole or in part|"
    r"(?:in |for )?(?:an? |every )?(?:period|term)s? of|(?:from )?the date of|the term of)(?: ,)?"
)


@dataclass(frozen=True)
class _Edit:
    """One place where a line differs: the words that went and those that came."""

    gone: tuple[str, ...]
    came: tuple[str, ...]

    @cached_property
    def lost(self) -> list[str]:
        """The words that went and did not come again in another form."""
        there = {stem(word) for word in self.came}
        return [word for word in self.gone if stem(word) not in there]


def slips(statement: str, evidence: str) -> list[Reason]:
    """The reasons that small differences give; both texts are normalised.

    What went with a whole phrase is asked of every line; the words one by one only of a line that keeps most of its
    sentence in order.
    """
    if _OPEN_END.search(evidence):
        return [Reason.CUT_OFF]
    if _half_of_day_lost(statement, evidence):
        return [Reason.NUMBER]
    if _HEREBY.search(evidence) and not _HEREBY.search(statement):
        return [Reason.QUALIFIER]
    if _actor_lost(statement, evidence):
        return [Reason.DIRECTION]
    source, said = (tuple(_TOKEN.findall(_DEFINED.sub(" ", text).lower())) for text in (evidence, statement))
    matcher = SequenceMatcher(None, source, said, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if not said or same < _NEAR * len(said):
        return []
    edits = [_Edit(source[i1:i2], said[j1:j2]) for kind, i1, i2, j1, j2 in matcher.get_opcodes() if kind != "equal"]
    repeated = same >= _REPEATED * len(said)
    found = [reason for edit in edits if (reason := _slip(edit, evidence)) is not None]
    if repeated and any(_small_word_lost(edit, said) for edit in edits):
        found.append(Reason.QUALIFIER)
    if _said_again(edits, evidence, statement):
        found.append(Reason.NAME)
    return found


def _half_of_day_lost(statement: str, evidence: str) -> bool:
    """Whether a time of day stands without its a.m. or p.m.: until 6:00, for until 6:00 a.m."""
    halves = {match[1] for match in _TIME.finditer(evidence) if match[2]}
    return any(match[1] in halves and not match[2] for match in _TIME.finditer(statement))


def _actor_lost(statement: str, evidence: str) -> bool:
    acts = _PARTY_ACTS.search(evidence)
    if acts is None or not _PASSIVE.search(statement) or _PASSIVE.search(evidence):
        return False
    return not re.search(r"\bby\b", statement) and stem(acts[1].lower()) not in {
        stem(word) for word in re.findall(r"[a-z]+(?!'s)\b", statement.lower())
    }


def _slip(edit: _Edit, evidence: str) -> Reason | None:
    gone, came = set(edit.gone), set(edit.came)
    if _is_clause(edit):
        return None
    if gone & _LETS and came & _GRANTS and "lease" not in came:
        return Reason.OFF_TOPIC
    if "means" in gone and not came & _MEANS:
        return Reason.OFF_TOPIC
    if came & _POINTERS - gone and gone & _POINTERS - came:
        return Reason.OFF_TOPIC
    if _and_for_or(edit, gone, came):
        return Reason.CONJUNCTION
    if "will" in gone and came & {"shall", "must"} and _REPRESENTED.search(evidence):
        return Reason.MODALITY
    return None


def _is_clause(edit: _Edit) -> bool:
    """Whether what went has a verb of its own: then other rules judge it, and code marks its place."""
    return len(edit.gone) > _PHRASE and not edit.came and bool(_FINITE & set(edit.gone))


def _small_word_lost(edit: _Edit, said: Sequence[str]) -> bool:
    if _is_clause(edit):
        return False
    phrase = " ".join(word for word in edit.gone if word not in "()" and not _NUMBER.fullmatch(word))
    if _PROVIDED.search(" ".join(edit.gone)):
        return True
    rest = set(_LEFT_OUT.sub(" ", phrase).split())
    lost = {word for word in edit.lost if word in rest and stem(word) in _KEPT} - _OTHERS
    lost -= _SAID_ONCE & set(said)
    return any(not any(word in one and other & set(edit.came) for one, other in _SAME) for word in lost)


def _and_for_or(edit: _Edit, gone: set[str], came: set[str]) -> bool:
    if "or" in gone and "/" in gone and "or" not in came:
        return True
    exchanged = ("or" in gone - came and "and" in came - gone) or ("and" in gone - came and "or" in came - gone)
    return exchanged and len(edit.gone) < _PHRASE


def _said_again(edits: Sequence[_Edit], evidence: str, statement: str) -> bool:
    """Whether a content word came that stands elsewhere in the sentence already, so that it now stands twice."""
    if any(";" in edit.came for edit in edits):
        return False  # parted in two, a sentence names again what both parts are about
    there, here = (
        Counter(stem(word) for word in _TOKEN.findall(text.lower()) if ideas(word)) for text in (evidence, statement)
    )
    for edit in edits:
        if any(word in _PRONOUNS for word in edit.gone):
            continue
        gone = frozenset().union(*(ideas(word) for word in edit.gone))
        for word in edit.came:
            root = stem(word)
            if ideas(word) and not is_role(word) and not ideas(word) & gone and here[root] > there[root] > 0:
                return True
    return False
