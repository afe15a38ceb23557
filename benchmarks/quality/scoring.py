"""Scores of one text against the facts planted in its document. Pure; no model.

The same rules for every system: a fact is stated by one line (for prose: by two neighbouring sentences) that holds all
that data/README.md says it must. Where other sentences of the source would satisfy the same words ("seven days"), the
line must also fit the fact's own sentence better than those.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from benchmarks.quality.materials import Fact
from conspectus.check.substance import content
from conspectus.document import Language, Source
from conspectus.text import fold, normalise

NUMERALS = "0123456789零〇一二三四五六七八九十百千万"
RIVAL = 0.8  # a paraphrase may stand a little nearer to another sentence than to its own
POSITIONS = ("begin", "middle", "end")
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?;])[\"”')]*\s+(?=[\"“'(\[*A-Z0-9-])|\n+")
_LIST_MARK = re.compile(r"^(?:[-*•#>]+\s*|\(?[0-9]{1,3}[.)、]\s*)+")


_DAY = re.compile(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})")
_NUMBER_WORDS = {
    "5": "five",
    "10": "ten",
    "20": "twenty",
    "25": "twenty-five",
    "30": "thirty",
    "50": "fifty",
}
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?)%")


def states(text: str, wanted: str) -> bool:
    """Whether a text holds one of the forms in `wanted`, parted by "|", as a whole word or number.

    The rule of `states` in data/make_samples.py, which cannot be imported without the tools that make the samples; and
    a day or a percentage counts in its other spellings ("July 1, 2026", "30 per cent"), whoever writes it.
    """
    return any(_form(form).search(text) for form in _spellings(wanted))


@cache
def _spellings(wanted: str) -> tuple[str, ...]:
    forms = wanted.split("|")
    for form in tuple(forms):
        if day := _DAY.fullmatch(form):
            forms.append(f"{day[2]} {day[1]}, {day[3]}")
        if share := _PER_CENT.fullmatch(form):
            words = {share[1], _NUMBER_WORDS.get(share[1], share[1])}
            forms += [f"{word} {unit}" for word in words for unit in ("per cent", "percent")]
    return tuple(forms)


@cache
def _form(form: str) -> re.Pattern[str]:
    before = f"(?<![{NUMERALS},.])" if form[0] in NUMERALS else r"\b" if form[0].isascii() and form[0].isalpha() else ""
    if form.endswith(("per cent", "percent")):
        before += "(?<!-)"  # twenty-five per cent is not five
    after = r"(?![\d]|,\d)" if form[-1].isdigit() else r"s?\b" if form[-1].isascii() and form[-1].isalpha() else ""
    return re.compile(before + re.escape(form) + after, re.IGNORECASE)


def flat(text: str, language: Language) -> str:
    """A text in the form in which facts are looked for: white space out in Chinese, single blanks in English."""
    plain = fold(text)
    return "".join(plain.split()) if language is Language.ZH else " ".join(plain.split())


def sentences_of(answer: str) -> list[str]:
    """The sentences of an answer in prose, list marks and Markdown marks taken off."""
    parts = (_LIST_MARK.sub("", part.strip()).strip("*_` ") for part in _SENTENCE_END.split(answer))
    return [part for part in parts if any(char.isalnum() for char in part)]


def with_neighbours(sentences: Sequence[str]) -> list[str]:
    """Each sentence, and each pair of neighbours: prose may state a fact in two."""
    return [*sentences, *(f"{a} {b}" for a, b in itertools.pairwise(sentences))]


class Yardstick:
    """A document's source sentences and facts, prepared for scoring many texts."""

    def __init__(self, source: Source, facts: Sequence[Fact]) -> None:
        self.language = source.language
        self.facts = tuple(facts)
        self.pages = max(1, len(source.document.pages))
        self.sentences = [sentence.text for sentence in source.sentences]
        self._flat = [flat(text, self.language) for text in self.sentences]
        self._words = [self._content(text) for text in self.sentences]
        self._rivals = {fact.id: self._rivals_of(fact) for fact in facts}

    def _content(self, text: str) -> frozenset[str]:
        return frozenset(content(normalise(text), self.language))

    def own_sentences(self, fact: Fact) -> list[int]:
        """The source sentences that a fact's quotation stands in or covers."""
        quote = flat(fact.quote, self.language).casefold()
        return [
            index
            for index, text in enumerate(self._flat)
            if len(text) > 8 and (quote in text.casefold() or text.casefold() in quote)
        ]

    def _rivals_of(self, fact: Fact) -> tuple[list[int], list[int]]:
        """The fact's own sentences, and others that hold the same words."""
        own = self.own_sentences(fact)
        others = [
            index
            for index, text in enumerate(self._flat)
            if index not in own and all(states(text, wanted) for wanted in fact.must_contain)
        ]
        return own, others if own else []

    def fit(self, words: frozenset[str], index: int) -> float:
        """How well a line's words fit a source sentence, 0 to 1, by the words in common both ways."""
        there = self._words[index]
        return 2 * len(words & there) / (len(words) + len(there)) if words and there else 0.0

    def best(self, line: str) -> tuple[int, float]:
        """The source sentence that a line fits best, and how well; the first of equals, -1 where there is none."""
        words = self._content(line)
        scores = [self.fit(words, index) for index in range(len(self.sentences))]
        if not scores:
            return -1, 0.0
        at = max(range(len(scores)), key=lambda index: (scores[index], -index))
        return at, scores[at]

    def states_fact(self, line: str, fact: Fact) -> bool:
        """Whether a line states a fact, and not another sentence that happens to hold the same words."""
        plain = flat(line, self.language)
        if not all(states(plain, wanted) for wanted in fact.must_contain):
            return False
        own, others = self._rivals[fact.id]
        if not others:
            return True
        words = self._content(line)
        best = max(self.fit(words, index) for index in own)
        return best >= RIVAL * max(self.fit(words, index) for index in others)

    @cached_property
    def ambiguous(self) -> int:
        """How many facts have words that another sentence of the source holds too."""
        return sum(bool(others) for _, others in self._rivals.values())

    def position(self, fact: Fact) -> str:
        """The third of the document in which a fact stands, by its page."""
        return POSITIONS[min(2, (fact.page - 1) * 3 // self.pages)]

    def stated(self, lines: Iterable[str]) -> set[str]:
        """The ids of the facts that one of the lines states."""
        lines = list(lines)
        return {fact.id for fact in self.facts if any(self.states_fact(line, fact) for line in lines)}


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the facts were found, in all, by kind and by position: (found, of)."""

    all: tuple[int, int]
    by_kind: Mapping[str, tuple[int, int]]
    by_position: Mapping[str, tuple[int, int]]

    @property
    def share(self) -> float | None:
        """Found of all; None where there was nothing to find."""
        return round(self.all[0] / self.all[1], 4) if self.all[1] else None


def recall(yardstick: Yardstick, found: set[str]) -> Recall:
    """The recall that a set of found facts amounts to."""

    def tally(facts: Sequence[Fact]) -> tuple[int, int]:
        return sum(fact.id in found for fact in facts), len(facts)

    facts = yardstick.facts
    return Recall(
        tally(facts),
        {kind: tally([f for f in facts if f.kind == kind]) for kind in sorted({f.kind for f in facts})},
        {place: tally([f for f in facts if yardstick.position(f) == place]) for place in POSITIONS},
    )


def repeated_five_grams(texts: Iterable[str]) -> float:
    """The share of five-grams that occurred before in the same text (BooookScore's measure of repetition)."""
    grams: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        units = re.findall(r"[一-鿿]|[A-Za-z0-9'’.,£$€%-]+", text)
        grams.update(tuple(units[at : at + 5]) for at in range(len(units) - 4))
    total = sum(grams.values())
    return round(sum(count - 1 for count in grams.values()) / total, 4) if total else 0.0


def copied_share(lines: Sequence[str], source_text: str, language: Language) -> tuple[float, float]:
    """The share of lines, and of characters, that stand in the source word for word."""
    whole = flat(source_text, language).casefold()
    bare = [flat(line, language).casefold().rstrip(" .;。；") for line in lines]
    copies = [bool(text) and text in whole for text in bare]
    characters = sum(map(len, bare))
    if not bare or not characters:
        return 0.0, 0.0
    copied = sum(len(text) for text, is_copy in zip(bare, copies, strict=True) if is_copy)
    return round(sum(copies) / len(bare), 4), round(copied / characters, 4)


def cut_to(texts: Sequence[str], characters: int) -> list[str]:
    """The texts from the first on until they have this many characters together; the last is cut."""
    out: list[str] = []
    for text in texts:
        if characters <= 0:
            break
        out.append(text[:characters])
        characters -= len(text)
    return out
