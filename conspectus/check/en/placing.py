"""What stands with what: objects that changed places, and lines that mix several sentences of their evidence."""

from collections.abc import Sequence
from itertools import pairwise

from conspectus.check.en.aligned import Pair, amount
from conspectus.check.en.clauses import STOPS, all_clauses, clauses, role_name
from conspectus.check.en.reading import Word

_BREAKS = STOPS | frozenset(
    ", ( ) in on at by for with from under against into upon as which that who whose about to of between".split()
)


def _names(words: Sequence[Word], others: Sequence[Word]) -> list[str]:
    """One name for each content word, that of the first word of the other text that it meets; breaks as ''."""
    found: list[str] = []
    for word in words:
        if word.content:
            twin = next((other for other in others if other.ideas & word.ideas), word)
            found.append(role_name(twin) if twin.role else min(twin.ideas, key=lambda idea: (idea[0] == "g", idea)))
        elif word.form in _BREAKS or word.form.isupper():
            found.append("")
    return found


def _neighbours(names: Sequence[str]) -> set[tuple[str, str]]:
    return {(one, other) for one, other in pairwise(names) if one and other and one != other}


def crossed(pair: Pair) -> bool:
    """True where two things changed places: insure A and keep B, against insure B and keep A."""
    source = _neighbours(_names(pair.source_words, pair.source_words))
    said = _neighbours(_names(pair.said_words, pair.source_words))
    new = [link for link in said if link not in source]
    if _contrasted(pair):
        return True
    return any(
        (one, fourth) in source and (third, other) in source
        for one, other in new
        for third, fourth in new
        if one != third and other != fourth
    )


def _contrasted(pair: Pair) -> bool:
    """True where one of two things set against each other took the other's place: the French version."""
    source, said = pair.source_words, pair.said_words
    for i in range(1, len(source) - 2):
        one, joint, other, noun = source[i - 1 : i + 3]
        if joint.form not in ("AND", "OR") or not (one.content and other.content and noun.content) or noun.role:
            continue
        for wrong, right in ((one, other), (other, one)):
            behind = _behind(source, right, noun)
            if behind and _behind(said, wrong, noun) & behind - _behind(source, wrong, noun):
                return not _behind(said, right, noun) & behind
    return False


def _behind(words: Sequence[Word], one: Word, noun: Word) -> frozenset[str]:
    """The ideas of the content word behind each place where two words stand side by side."""
    found: frozenset[str] = frozenset()
    for a, b, c, d in zip(words, words[1:], words[2:], words[3:], strict=False):
        if a.form == one.form and b.ideas & noun.ideas:
            found |= c.ideas or d.ideas
    return found


def _parts(words: Sequence[Word]) -> list[list[Word]]:
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.form in ("AND", "OR", ",", "BUT") or word.form in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if any(word.content for word in part)]


def fused(pair: Pair) -> bool:
    """True where one part of a line takes its words from several sentences of the evidence, or its actor from another.

    A line may rest on several sentences; each of its parts must rest on one.
    """
    rows = pair.source.sentences
    if len(rows) < 2:
        return False
    ideas = [frozenset().union(*(word.ideas for word in row)) for row in rows]
    values = [{amount(pair.source.tokens[int(w.form[1:])]) for w in row if w.form[0] == "#"} for row in rows]
    for clause in all_clauses(pair.said):
        for part in _parts(clause.words):
            mine = [word for word in part if word.content and not word.role]
            numbers = {amount(pair.said.tokens[int(word.form[1:])]) for word in part if word.form[0] == "#"}
            best = [
                i
                for i, there in enumerate(ideas)
                if numbers <= values[i]
                and sum(bool(word.ideas & there) for word in mine) >= len(mine) - (len(mine) > 4)
            ]
            if not best:
                return True
            actors = [frozenset().union(*(c.actors for c in clauses(rows[i]))) for i in best]
            if clause.actors and all(acting and not acting & clause.actors for acting in actors):
                return True
    return False
