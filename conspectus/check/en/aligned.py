"""A statement laid beside its evidence: which words of one stand in the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from conspectus.check.en.reading import Reading, Word
from conspectus.check.salient import Token

_DEMONYM = ("ish", "ian", "ese", "an")


# Endings by which one word is made of another: notify and notification, insure and insurance.
_ENDINGS = frozenset(
    "e al ation ition ion ment ance ence y ing ed es s ies ied ify ification ity ability ive ory ate able".split()
) | {""}


def _derived(one: str, other: str) -> bool:
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= 5 and one[shared:] in _ENDINGS and other[shared:] in _ENDINGS


def akin(one: Word, other: Word) -> bool:
    """Whether two words are of one family though their stems differ: Scotland and Scottish."""
    if one.form[:4] != other.form[:4]:
        return False
    if one.role or other.role or len(one.form) < 5 or len(other.form) < 5 or not (one.ideas and other.ideas):
        return False
    short, long = sorted((one.form, other.form), key=len)
    if (one.form[:7] == other.form[:7] and len(one.form) > 7) or (
        long.startswith(short) and len(long) > len(short) + 2
    ):
        return True
    if _derived(short, long):
        return True
    return one.form[:4] == other.form[:4] and (one.form.endswith(_DEMONYM) or other.form.endswith(_DEMONYM))


def amount(token: Token) -> str:
    """The bare value of a number, without its unit or currency."""
    return token.value.split()[0]


@dataclass(frozen=True)
class Pair:
    """A statement and its evidence, both read."""

    said: Reading
    source: Reading

    @cached_property
    def said_words(self) -> tuple[Word, ...]:
        """The words of the statement."""
        return self.said.words

    @cached_property
    def source_words(self) -> tuple[Word, ...]:
        """The words of the evidence."""
        return self.source.words

    @cached_property
    def said_ideas(self) -> frozenset[str]:
        """All ideas of the statement."""
        return frozenset().union(self.said.plain_ideas, *(word.ideas for word in self.said_words))

    @cached_property
    def source_ideas(self) -> frozenset[str]:
        """All ideas of the evidence."""
        return frozenset().union(self.source.plain_ideas, *(word.ideas for word in self.source_words))

    @cached_property
    def said_values(self) -> frozenset[tuple[str, str]]:
        """The numbers of the statement."""
        return frozenset(token.same for token in self.said.tokens)

    def kept(self, word: Word) -> bool:
        """Whether a word of the evidence stands in the statement."""
        if word.form[0] == "#":
            token = self.source.tokens[int(word.form[1:])]
            return token.same in self.said_values or any(amount(t) == amount(token) for t in self.said.tokens)
        if word.ideas & self.said_ideas:
            return True
        if word.role or len(word.form) < 5 or not word.ideas:
            return False
        return any(akin(word, other) for other in self.said_words)

    def share_kept(self, words: Sequence[Word]) -> float:
        """The share of the content words and numbers of a stretch of the evidence that the statement has; 1 of none."""
        mine = [word for word in words if word.content or word.form[0] == "#"]
        return sum(self.kept(word) for word in mine) / len(mine) if mine else 1.0

    @cached_property
    def covered(self) -> tuple[tuple[Word, ...], ...]:
        """The sentences of the evidence that the statement is about: those whose words it has, and the best one."""
        shares = [self.share_kept(row) for row in self.source.sentences]
        best = max(shares, default=0.0)
        return tuple(
            row
            for row, share in zip(self.source.sentences, shares, strict=True)
            if share >= max(0.34, 0.6 * best) or share == best
        )
