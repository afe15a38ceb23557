"""Which sentences a line rests on, decided by code: a model's own numbering is a hint, never proof.

Content words are compared, stems in English and pairs of characters in Chinese (conspectus.substance).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from conspectus.check import Reason, check, is_copy
from conspectus.document import Language, Sentence
from conspectus.drafts import evidence_of
from conspectus.salient import salient
from conspectus.substance import content
from conspectus.text import normalise

MOST = 3  # sentences that one line may rest on
LEAST_FIT = 0.3  # below it a line is about no sentence at all
FUSED_GAIN = 2  # words of another sentence that make a refused line a mixture
SAME_LINE = 95.0  # rapidfuzz ratio from which two lines say the same


@dataclass(frozen=True, slots=True)
class Support:
    """The sentences (places among the candidates, ascending) that fit a line best, and what speaks against it."""

    places: tuple[int, ...]
    reasons: tuple[Reason, ...]


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

    def is_fused(self, line: str, own: Sequence[int]) -> bool:
        """True where words that the own sentences do not have come, two or more of them, from one other sentence."""
        new = self._said(line).difference(*(self._words[place] for place in own))
        others = (words for place, words in enumerate(self._words) if place not in own)
        return any(len(new & words) >= FUSED_GAIN and 2 * len(new & words) > len(new) for words in others)

    def support(self, line: str) -> Support:
        """One to three sentences of one clause that a line rests on.

        Begins with the sentence that it fits best; while the line is refused, the sentence of the same clause that
        explains most of its other words is added. `places` is empty where the line is about none.
        """
        said = self._said(line)
        if not self._words or not said:
            return Support((), (Reason.OFF_TOPIC,))
        first = self.best(line)
        if self._fit(said, first) < LEAST_FIT and len(said & self._words[first]) < 0.6 * len(said):
            return Support((), (Reason.OFF_TOPIC,))
        places = [first]
        alone = found = self._against(line, places)
        while found and len(places) < MOST:
            added = self._next(said, places)
            if added is None:
                break
            places = sorted([*places, added])
            found = self._against(line, places)
        if not found:
            return Support(tuple(places), ())
        if Reason.FUSED not in alone and self.is_fused(line, [first]):
            alone = (*alone, Reason.FUSED)
        return Support((first,), alone)

    def _against(self, line: str, places: Sequence[int]) -> tuple[Reason, ...]:
        evidence = evidence_of([self._sentences[place] for place in places])
        if any(is_copy(line, self._sentences[place].text) for place in places):
            return (Reason.COPIED,)
        return check(line, evidence, self._language)

    def _next(self, said: frozenset[str], places: Sequence[int]) -> int | None:
        """The sentence of the same clause that has most of the words not yet explained; None where none has any."""
        clause = self._sentences[places[0]].clause
        open_words = said.difference(*(self._words[place] for place in places))
        rest = [place for place, other in enumerate(self._sentences) if other.clause == clause and place not in places]
        best = max(rest, key=lambda place: (len(open_words & self._words[place]), -place), default=None)
        return best if best is not None and open_words & self._words[best] else None


def same_line(line: str, other: str) -> bool:
    """True where two lines say the same in nearly the same words and the same numbers."""
    a, b = (normalise(text).casefold().rstrip(" .;。；") for text in (line, other))
    if fuzz.ratio(a, b) < SAME_LINE:
        return False
    return [token.same for token in salient(line)] == [token.same for token in salient(other)]
