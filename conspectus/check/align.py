"""Which sentences a line rests on, decided by code: a model's own numbering is a hint, never proof.

Content words are compared, stems in English and pairs of characters in Chinese (conspectus.check.substance).
"""

from collections.abc import Sequence

from rapidfuzz import fuzz

from conspectus.check.salient import salient
from conspectus.check.substance import content
from conspectus.document import Language, Sentence
from conspectus.text import normalise

FUSED_GAIN = 2  # words of another sentence that make a refused line a mixture
SAME_LINE = 95.0  # rapidfuzz ratio from which two lines say the same


class Candidates:
    """Sentences that a line may rest on, with their words found once."""

    def __init__(self, sentences: Sequence[Sentence], language: Language) -> None:
        self._sentences = tuple(sentences)
        self._language = language
        self._words = [self._said(sentence.text) for sentence in sentences]

    def _said(self, line: str) -> frozenset[str]:
        """The words of a line and its values: of sentences with the same words the one with its numbers fits."""
        values = {f"{token.kind} {token.value}" for token in salient(line)}
        return frozenset(content(normalise(line), self._language)) | values

    def _fit(self, said: frozenset[str], place: int) -> float:
        there = self._words[place]
        return 2 * len(said & there) / (len(said) + len(there)) if said and there else 0.0

    def best(self, line: str, own: int | None = None) -> int:
        """The place that a line fits best, by the share of common words both ways; of equals `own`, else the first."""
        said = self._said(line)
        return max(range(len(self._words)), key=lambda place: (self._fit(said, place), place == own, -place))

    def is_shifted(self, line: str, own: int) -> bool:
        """True where a line fits another sentence better than its own."""
        return len(self._words) > 1 and self.best(line, own) != own

    def is_fused(self, line: str, own: int) -> bool:
        """True where words that the own sentence does not have come, two or more of them, from one other sentence."""
        new = self._said(line) - self._words[own]
        others = (words for place, words in enumerate(self._words) if place != own)
        return any(len(new & words) >= FUSED_GAIN and 2 * len(new & words) > len(new) for words in others)


def same_line(line: str, other: str) -> bool:
    """True where two lines say the same in nearly the same words and the same numbers."""
    a, b = (normalise(text).casefold().rstrip(" .;。；") for text in (line, other))
    if fuzz.ratio(a, b) < SAME_LINE:
        return False
    return [token.same for token in salient(line)] == [token.same for token in salient(other)]
