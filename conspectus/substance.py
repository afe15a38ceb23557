"""Is a statement about its evidence, and about all of it? Words in common, nothing new, no clause dropped.

The rules were set by what small models wrote: fragments of true words that say nothing, and one word exchanged for
another that turns the sentence.
"""

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
# Characters that a true paraphrase may bring along: they join, they do not say.
SAME_CHARACTERS = frozenset(
    "自在于从由向对给与和及须应需当可得能将把的之其等即则就为以因致若如倘并且而也亦均都各每已曾了过至到起止后前内外有是被使不未无非所者"
    "元万亿百千年月日时一二三四五六七八九十两个付收担责约定款项按照超出满多少高低最"
)
PRECISION = {Language.EN: 0.8, Language.ZH: 0.65}
RECALL = {Language.EN: 0.45, Language.ZH: 0.45}
SEGMENT = 0.2


def content(text: str, language: Language) -> list[str]:
    """The words that carry meaning: stems in English, character pairs in Chinese."""
    if language is Language.ZH:
        runs = re.findall("[\u3400-\u9fff]+", text)
        return [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
    return [word.lower()[:6] for word in _WORD_EN.findall(text) if word.lower() not in STOP_EN and len(word) > 1]


def share(words: list[str], among: set[str]) -> float:
    """The share of `words` that are `among` others; 1 where there are none."""
    return sum(word in among for word in words) / len(words) if words else 1.0


def lacks_substance(statement: str, evidence: str, language: Language) -> bool:
    """True where a statement has too much of its own, or too little of its evidence. Both are normalised texts."""
    said, there = content(statement, language), content(evidence, language)
    if not said:
        return True
    if share(said, set(there)) < PRECISION[language] or share(there, set(said)) < RECALL[language]:
        return True
    if _dropped_segment(set(said), evidence, language):
        return True
    return language is Language.ZH and (_new_characters(statement, evidence) or _new_list_item(statement, evidence))


def _dropped_segment(said: set[str], evidence: str, language: Language) -> bool:
    """True where one clause of the evidence, between commas, left next to nothing in the statement."""
    least = 6 if language is Language.ZH else 5
    for segment in re.split(r"[,;:，；：。]|(?<=[a-z])\.\s", evidence):
        words = content(segment, language)
        if len(words) >= least and share(words, said) < SEGMENT:
            return True
    return False


def _new_characters(statement: str, evidence: str) -> bool:
    """True for Chinese with more than a few characters that the evidence does not have, or one where it matters most.

    At the head stands who acts, at the tail what is done or to what.
    """
    plain = "".join(re.findall("[\u4e00-\u9fff]", statement))
    new = [char not in evidence and char not in SAME_CHARACTERS for char in plain]
    return any(new[:4]) or any(new[-4:]) or sum(new) > max(1, len(plain) // 16)


def _new_list_item(statement: str, evidence: str) -> bool:
    """True where two items stand side by side in a list that do not do so in the evidence."""
    plain = re.sub(r"\s", "", evidence)
    pairs = re.findall(r"(?=([\u4e00-\u9fff]{2}、[\u4e00-\u9fff]{2}))", statement)
    return any(pair not in plain for pair in pairs) and "、" in plain
