"""Who does what to whom in an English statement: somebody acts, owns or receives who does not in the evidence."""

import re
from collections.abc import Sequence

from conspectus.check.en.aligned import Pair
from conspectus.check.en.clauses import STOPS, Clause, all_clauses, role_name
from conspectus.check.en.reading import Word, ideas
from conspectus.check.en.rules import best_clauses, fit


def direction(pair: Pair) -> bool:
    """True where somebody acts, owns or receives who does not in the evidence."""
    source = all_clauses(pair.source)
    for clause in all_clauses(pair.said):
        fits = best_clauses(clause, source)
        if clause.actors and fits and _keeps_what_is_given(clause, fits):
            return True
        if clause.actors and ((fits and _other_actor(clause, fits)) or _exchanged(clause, source)):
            return True
        mine = [
            other
            for other in source
            if other.actors & clause.actors and fit(clause, other) >= 1.0 and other.kind != "fact"
        ]
        limited = bool(mine) and all(any(word.form == "ONLY" for word in one.words) for one in (clause, mine[0]))
        if clause.kind != "fact" and mine and clause.kind not in {other.kind for other in mine} and not limited:
            return True
        if (
            clause.goals
            and fits
            and all(fit.goals and not fit.goals & clause.goals for fit in fits)
            and not (clause.goals & frozenset().union(*(fit.actors for fit in fits)) and clause.passive)
            and not any(other.goals >= clause.goals and other.actors >= clause.actors for other in source)
        ):
            return True
    return _owned_by_other(pair) or _own_for_other(pair)


_GETTING = frozenset("has have receives receive gets get obtains earns".split())
_GIVING = frozenset().union(*(ideas(word) for word in "grant give pay provide deliver award".split()))


def _receives(clause: Clause, fits: Sequence[Clause]) -> bool:
    """Whether somebody gets here what the evidence has another give to him: grants Y an option, Y has an option."""
    verbs = [word.form for word in clause.words if not word.role and word.form not in ("the", "a", "an", "each")]
    if not verbs or verbs[0] not in _GETTING:
        return False
    for other in fits:
        words = [word for word in other.words if word.form not in ("the", "a", "an", "each", "to")]
        at = next((i for i, word in enumerate(words) if word.ideas & _GIVING and not word.role), len(words))
        to = {role_name(word) for word in words[at + 1 : at + 2] if word.role} | other.goals
        if at < len(words) and clause.actors <= to:
            return True
    return False


def _keeps_what_is_given(clause: Clause, fits: Sequence[Clause]) -> bool:
    """Whether somebody has here what he gives to another in the evidence."""
    verbs = [word for word in clause.words if not word.role and word.form not in ("the", "a", "an", "each")]
    if not verbs or verbs[0].form not in _GETTING or any(word.ideas & _GIVING for word in verbs[1:3]):
        return False
    for other in fits:
        words = [word for word in other.words if word.form not in ("the", "a", "an", "each", "to")]
        given = next((i for i, word in enumerate(words[:-1]) if word.form.startswith(("grant", "award"))), -1)
        if given >= 0 and words[given + 1].role and clause.actors <= other.actors:
            return True
        active = not other.passive and other.head is not None and bool(other.head.ideas & _GIVING)
        if verbs[0].form in _RECEIVING and active and clause.actors <= other.actors:
            return True
    return False


_RECEIVING = frozenset("receive receives get gets".split())
_SUBJECT = re.compile(
    r"^(?:The |An? |Each |Every )?([A-Z][a-z]+) "
    r"(?:must|shall|may|will|can|undertakes to|agrees to|has to|is entitled to|is required to) "
    r"(?!not be |be )",
)


def subjects_exchanged(statement: str, evidence: str) -> bool:
    """True where whoever acts in a one-sentence evidence is acted upon, and one acted upon acts."""
    said, there = _SUBJECT.match(statement), _SUBJECT.match(evidence)
    if said is None or there is None or said[1] == there[1]:
        return False
    return bool(
        re.search(rf"\b{said[1]}\b", evidence[there.end() :])
        and re.search(rf"\b{there[1]}\b", statement[said.end() :])
        and len(_MODAL.findall(evidence)) == 1
    )


_MODAL = re.compile(r"\b(?:must|shall|may|will|can|undertakes to|agrees to|entitled to|required to)\b")
_OTHER_ACTS = re.compile(r"\bthe other(?: party)? (?:may|shall|must|can|will)\b", re.I)
_SELF_ACTS = re.compile(r"\b(?:it|that party|the same party|such party) (?:may|shall|must|can|will)\b", re.I)


def other_acts(statement: str, evidence: str) -> bool:
    """True where "the other party may" became "it may"."""
    return bool(_OTHER_ACTS.search(evidence) and _SELF_ACTS.search(statement)) and not (
        _OTHER_ACTS.search(statement) or _SELF_ACTS.search(evidence)
    )


def _exchanged(clause: Clause, source: Sequence[Clause]) -> bool:
    """True where what somebody does is done in the evidence by another, to or for whom alone it is done here."""
    head = clause.head
    if head is None:
        return False
    same = [other for other in source if other.actors and other.head is not None and other.head.ideas & head.ideas]
    others = frozenset().union(*(other.actors for other in same))
    if not same or others & clause.actors:
        return False
    touched = {role_name(word) for word in clause.words if word.role}
    return bool(others & touched) and any(
        clause.actors & {role_name(word) for word in other.words if word.role} for other in same
    )


def _own_for_other(pair: Pair) -> bool:
    """True where "at the other party's option" became "at its own option"."""
    said, source = _beside_word(pair.said_words, "own"), _beside_word(pair.source_words, "other")
    return bool(said & source - _beside_word(pair.source_words, "own"))


def _beside_word(words: Sequence[Word], form: str) -> frozenset[str]:
    """The ideas of what stands right behind each place of a word, "party" between them."""
    found: frozenset[str] = frozenset()
    for i, word in enumerate(words):
        if word.form in (form, f"{form}'s"):
            found |= next((w.ideas for w in words[i + 1 : i + 3] if w.content and not w.role), frozenset())
    return found


def _other_actor(clause: Clause, fits: Sequence[Clause]) -> bool:
    if _receives(clause, fits):
        return False
    known = [fit for fit in fits if fit.actors]
    return bool(known) and len(known) == len(fits) and not any(fit.actors & clause.actors for fit in known)


def _owned(words: Sequence[Word]) -> dict[str, set[str]]:
    """Idea -> roles that own it: the Landlord's consent, the consent of the Landlord."""
    found: dict[str, set[str]] = {}
    for i, word in enumerate(words):
        if not word.role:
            continue
        if word.form.endswith(("'s", "s'")):
            things = [w for w in words[i + 1 : i + 5] if w.content and not w.role]
        elif [w.form for w in words[max(0, i - 2) : i] if w.form not in ("the", "any", "a", "an", "each")] in (
            ["of"],
        ) or (i > 1 and words[i - 2].form == "of"):
            things = [w for w in words[max(0, i - 5) : i] if w.content and not w.role][-1:]
        elif (noun := _done_by(words, i)) is not None:
            things = [noun]
        else:
            continue
        for thing in things[:3]:
            for idea in thing.ideas:
                found.setdefault(idea, set()).add(role_name(word))
    return found


def _done_by(words: Sequence[Word], at: int) -> Word | None:
    """What is done by the role at a place, said as a noun: "the use of the Vehicle by the Hirer"."""
    before = [w.form for w in words[max(0, at - 2) : at] if w.form not in ("the", "any", "a", "an", "each")]
    if before[-1:] != ["by"]:
        return None
    for i in range(at - 2, max(0, at - 9), -1):
        if words[i].form in STOPS or words[i].form in (",", "be", "is", "are") or words[i].form.isupper():
            return None
        if words[i].form == "of" and words[i - 1].content and not words[i - 1].role:
            return words[i - 1]
    return None


def _owned_by_other(pair: Pair) -> bool:
    said, source = _owned(pair.said_words), _owned(pair.source_words)
    return any(
        idea in source and not (roles & source[idea]) for idea, roles in said.items() if not idea.startswith("g")
    )
