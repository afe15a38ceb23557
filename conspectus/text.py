"""Text as it is compared and shown: folded white space, one form for each character, and what language it is in."""

import re
import unicodedata

from conspectus.document import Language

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef"
_CJK_GAP = re.compile(rf"(?<=[{CJK}])\s+(?=[{CJK}])")
_HYPHEN_BREAK = re.compile(r"(?<=[a-z])[-‐][ \t]*\r?\n[ \t]*(?=[a-z])")
_HYPHEN_KEPT = re.compile(r"\b(non|self|co)[-‐][ \t]*\r?\n[ \t]*(?=[a-z])", re.I)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‐": "-", "‑": "-", "\u00ad": ""})


def fold(text: str) -> str:
    """The text on one line, as a reader would copy it: words hyphenated over lines joined, white space single.

    Between two CJK characters a line break is no gap and goes.
    """
    kept = _HYPHEN_KEPT.sub(r"\1-", text.replace("\u00ad", ""))
    joined = _HYPHEN_BREAK.sub("", kept)
    return " ".join(_CJK_GAP.sub("", joined).split())


def normalise(text: str) -> str:
    """The form in which texts are compared: folded, NFKC (ligatures, full width), plain quotes and dashes."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return _CJK_GAP.sub("", fold(plain))


def ideographs(text: str) -> int:
    """How many Chinese characters the text has."""
    return len(_IDEOGRAPH.findall(text))


def language_of(text: str) -> Language:
    """Chinese where at least a fifth of the letters are ideographs, else English."""
    letters = sum(char.isalpha() for char in text)
    return Language.ZH if letters and ideographs(text) * 5 >= letters else Language.EN
