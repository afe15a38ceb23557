"""A sentence of the evidence beside an English line, word by word: each word of the line is the counterpart of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from conspectus.check.en.aligned import Pair, akin, amount
from conspectus.check.en.reading import Word, groups, spoken, stem

PRONOUNS = frozenset("it its itself they their them he his him she her own both one ones".split())
_POINTING = frozenset("this that those these".split())
# What a small word of the line may stand for: tell for notify, part for portion, the rest for the balance.
_SMALL = frozenset(
    map(stem, "notify inform specify provide supply portion balance remainder deliver grant assume include".split())
)


def asked(word: Word) -> bool:
    """Whether a word must have a counterpart: a content word or a number."""
    return word.content or word.form[0] == "#"


def _same_word(one: Word, other: Word) -> int:
    """How well two content words fit: 3 the same word, 2 one idea, 1 one family, 0 not at all."""
    if one.form.removesuffix("'s") == other.form.removesuffix("'s"):
        return 3
    if one.ideas & other.ideas:
        stems = {idea for idea in one.ideas & other.ideas if not (idea[0] == "g" and idea[1:].isdigit())}
        return 3 if stems else 2
    return int(akin(one, other))


def _neighbours(words: Sequence[Word], i: int, others: Sequence[Word], j: int) -> int:
    """How much of what stands around two places is the same."""
    return sum(
        words[i + step].form == others[j + step].form
        for step in (-3, -2, -1, 1, 2, 3)
        if 0 <= i + step < len(words) and 0 <= j + step < len(others)
    )


@dataclass(frozen=True)
class Row:
    """A sentence of the evidence beside the line: which of its words have a counterpart of their own."""

    words: tuple[Word, ...]
    pair: Pair

    @cached_property
    def met(self) -> frozenset[int]:
        """The places of the words that have a counterpart of their own; each word of the line counts once."""
        said, words = self.pair.said_words, self.words
        mine = [i for i, word in enumerate(words) if asked(word)]
        theirs = [j for j, word in enumerate(said) if asked(word)]
        fits = [(self._fits(words[i], said[j]), i, j) for i in mine for j in theirs]
        ranked = sorted(((fit, _neighbours(words, i, said, j), -i, -j) for fit, i, j in fits if fit), reverse=True)
        found: set[int] = set()
        used: set[int] = set()
        for _, _, i, j in ranked:
            if -i not in found and -j not in used:
                found.add(-i)
                used.add(-j)
        return frozenset(found)

    def _fits(self, word: Word, other: Word) -> int:
        if word.form[0] != "#" or other.form[0] != "#":
            return 0 if "#" in (word.form[0], other.form[0]) else _same_word(word, other)
        mine, there = self.pair.source.tokens[int(word.form[1:])], self.pair.said.tokens[int(other.form[1:])]
        return 3 if mine.same == there.same else 2 if amount(mine) == amount(there) else 0

    def absorbed(self, word: Word) -> bool:
        """Whether a word went into a phrase of the line that was brought to one form."""
        if word.role or not word.ideas:
            return False
        if word.ideas & self.light and stem(word.form) in _SMALL:
            return True
        if any(word.ideas & other.ideas for other in self.pair.said_words):
            return False
        mine, there = (
            sum(bool(word.ideas & spoken(form)) for form in text.plain) for text in (self.pair.said, self.pair.source)
        )
        return mine >= there

    @cached_property
    def light(self) -> frozenset[str]:
        """What the small words of the line may stand for: tell for notify, part for portion."""
        return frozenset().union(
            *(groups(word.form) for word in self.pair.said_words if not word.content and word.form.islower())
        )

    def again(self, i: int, least: int = 3) -> bool:
        """Whether the word at a place stands elsewhere in the sentence too, with a counterpart there.

        `least` 1 counts a word of its family too: destroy, destruction.
        """
        word = self.words[i]
        return any(j != i and j in self.met and self._same(word, self.words[j], least) for j in self.met)

    def _same(self, word: Word, other: Word, least: int) -> bool:
        if word.form[0] == "#" or other.form[0] == "#":
            return word.form[0] == other.form[0] and self._values(word) == self._values(other)
        return _same_word(word, other) >= least

    def _values(self, word: Word) -> tuple[str, str]:
        return self.pair.source.tokens[int(word.form[1:])].same

    @cached_property
    def pronouns(self) -> int:
        """How many pronouns more the line has than this sentence: each may stand for a name said again."""
        return _standing_for(self.pair.said_words) - _standing_for(self.words)


def _standing_for(words: Sequence[Word]) -> int:
    """How many pronouns stand in a row of words; "this" only where no noun follows."""
    return sum(
        word.form in PRONOUNS
        or (word.form in _POINTING and not any(after.content for after in words[i + 1 : i + 2]) and i + 1 < len(words))
        for i, word in enumerate(words)
    )
