"""Who does what to whom in an English statement: somebody acts, owns or receives who does not in the evidence."""

from collections.abc import Sequence

from conspectus.aligned import Pair
from conspectus.clauses_en import Clause, all_clauses, role_name
from conspectus.reading_en import Word
from conspectus.rules_en import best_clauses, fit


def direction(pair: Pair) -> bool:
    """True where somebody acts, owns or receives who does not in the evidence."""
    source = all_clauses(pair.source)
    for clause in all_clauses(pair.said):
        fits = best_clauses(clause, source)
        if clause.actors and fits and _other_actor(clause, fits):
            return True
        mine = [
            other
            for other in source
            if other.actors & clause.actors and fit(clause, other) >= 1.0 and other.kind != "fact"
        ]
        if clause.kind != "fact" and mine and clause.kind not in {other.kind for other in mine}:
            return True
        if (
            clause.goals
            and fits
            and all(fit.goals and not fit.goals & clause.goals for fit in fits)
            and not (clause.goals & frozenset().union(*(fit.actors for fit in fits)) and clause.passive)
        ):
            return True
    return _owned_by_other(pair) or _own_for_other(pair)


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
        else:
            continue
        for thing in things[:3]:
            for idea in thing.ideas:
                found.setdefault(idea, set()).add(role_name(word))
    return found


def _owned_by_other(pair: Pair) -> bool:
    said, source = _owned(pair.said_words), _owned(pair.source_words)
    return any(
        idea in source and not (roles & source[idea]) for idea, roles in said.items() if not idea.startswith("g")
    )
