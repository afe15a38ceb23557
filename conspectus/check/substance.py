"""The words of a text that carry meaning, by which a line finds the sentence that it fits best."""

import re

from conspectus.document import Language

_WORD_EN = re.compile(r"[A-Za-z][A-Za-z'’-]*")
STOP_EN = frozenset(
    "a an the of to in on at by for with from and or nor not no is are be been being was were it its this that these "
    "those any all each every such as if then than shall must may will can should would which who whom whose their "
    "his her they he she we you your our there here into under upon within without per do does did has have had up "
    "out so also only before after until unless except where when provided other more less least most over "
    "between".split()
)


def content(text: str, language: Language) -> list[str]:
    """The words that carry meaning: stems in English, character pairs in Chinese."""
    if language is Language.ZH:
        runs = re.findall("[\u3400-\u9fff]+", text)
        return [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
    return [word.lower()[:6] for word in _WORD_EN.findall(text) if word.lower() not in STOP_EN and len(word) > 1]


def share(words: list[str], among: set[str]) -> float:
    """The share of `words` that are `among` others; 1 where there are none."""
    return sum(word in among for word in words) / len(words) if words else 1.0
