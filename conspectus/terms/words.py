"""What the rules of all tables share: a sentence's own words, and words cut short without cutting one in two."""

from functools import lru_cache

from conspectus.document import Sentence, Source
from conspectus.evidence.sentences import ELLIPSIS
from conspectus.text import fold

LONGEST_TRIGGER = 120


def own_words(source: Source, sentence: Sentence) -> str:
    """The words that a sentence does not share with another one, folded; they stand in `sentence.text`."""
    if not sentence.context:
        return sentence.text.removeprefix(ELLIPSIS.lstrip()).removesuffix(ELLIPSIS.rstrip())
    return _folded(source.document.text[sentence.own.start : sentence.own.end])


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return fold(text)


def clip(text: str, longest: int) -> str:
    """At most `longest` characters of a text, cut at a space where it has one, with … where something is cut."""
    if len(text) <= longest:
        return text
    cut = text.rfind(" ", longest // 2, longest)
    return text[: cut if cut > 0 else longest].rstrip(" ,;:") + "…"


def tidy(text: str) -> str:
    """A cell without the white space, commas and closing marks at its ends."""
    return text.strip(" ,;:.，；：。、\u3000")
