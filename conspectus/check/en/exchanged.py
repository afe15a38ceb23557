"""Words of a line that stand in the place of other words of its sentence: who holds what became what holds whom."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from conspectus.check.en.aligned import Pair, akin
from conspectus.check.en.clauses import role_name
from conspectus.check.en.reading import Word, stem
from conspectus.check.en.row import asked

_VOICE = frozenset("be is are been being by".split())
_OPEN = frozenset(", ; : . ( )".split())


def _key(word: Word) -> str:
    if word.role:
        return role_name(word)
    return stem(word.form) if word.content else word.form


def _fresh(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """The words that must have a counterpart and have none in the other stretch."""
    return [
        word
        for word in words
        if asked(word) and not any(_key(word) == _key(o) or word.ideas & o.ideas or akin(word, o) for o in others)
    ]


def exchanged(pair: Pair) -> list[str]:
    """The words of a line that took the place of others, though both texts read alike on both sides of the place.

    A line that turns the voice (is paid by, pays) puts all in other places; it is left to the rules of parties.py.
    """
    said, source = pair.said_words, pair.source_words
    if sum(w.form in _VOICE for w in said) != sum(w.form in _VOICE for w in source):
        return []
    mine, theirs = [_key(word) for word in said], [_key(word) for word in source]
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes():
        if tag != "replace" or a == 0 or c == 0 or b - a > 3 or d - c > 3:
            continue
        new, old = _fresh(said[c:d], source[a:b]), _fresh(source[a:b], said[c:d])
        known = [word for word in new if word.content and _key(word) in theirs]
        if known and any(word.content and _key(word) in mine for word in old):
            found += [word.form for word in known]
    return found
