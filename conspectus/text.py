"""Text as it is compared and shown: folded white space, one form for each character, and what language it is in."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from conspectus.document import Language

# Ideographs with extension A and B to H, compatibility ideographs, CJK punctuation, full-width forms.
CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef\U00020000-\U000323af"
_CJK_GAP = re.compile(rf"(?<=[{CJK}])\s+(?=[{CJK}])")
_CJK_QUOTE_BREAK = re.compile(rf"(?<=[{CJK}])[ \t]*\n[ \t]*(?=[“”‘’—…])|(?<=[“”‘’—…])[ \t]*\n[ \t]*(?=[{CJK}])")
_HYPHEN_BREAK = re.compile(r"(?<=[a-z])[-‐][ \t]*\r?\n[ \t]*(?=[a-z])")
_HYPHEN_KEPT = re.compile(r"\b(non|self|co)[-‐][ \t]*\r?\n[ \t]*(?=[a-z])", re.I)
# Before a capital or a figure the hyphen is part of the word: Non-/Disclosing, 4-/B, 2019-/2020.
_HYPHEN_PART = re.compile(r"(?<=[A-Za-z0-9])[-‐][ \t]*\r?\n[ \t]*(?=[A-Z0-9])")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\r?\n[ \t]*)?")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‐": "-", "‑": "-", "\u00ad": ""})


def fold(text: str) -> str:
    """The text on one line, as a reader would copy it: words hyphenated over lines joined, white space single.

    Between two CJK characters a line break is no gap and goes.
    """
    if "-" in text or "‐" in text:
        text = _HYPHEN_PART.sub("-", _HYPHEN_BREAK.sub("", _HYPHEN_KEPT.sub(r"\1-", text)))
    if "\u00ad" in text:
        text = _SOFT_HYPHEN.sub("", text)
    if not text.isascii():
        text = _CJK_GAP.sub("", _CJK_QUOTE_BREAK.sub("", text))
    return " ".join(text.split())


def normalise(text: str) -> str:
    """The form in which texts are compared: folded, NFKC (ligatures, full width), plain quotes and dashes."""
    if text.isascii():
        return fold(text)
    plain = unicodedata.normalize("NFKC", fold(text)).translate(_QUOTES)
    return _CJK_GAP.sub("", fold(plain))


def normalise_with_map(text: str) -> tuple[str, tuple[int, ...]]:
    """The normalised text and, for each of its characters, the index in `text` of the one that it came from.

    Normalising only deletes characters, joins white space and writes a character in its plain form, so the normalised
    text is found in the plain forms of the characters in order. The indexes never fall.
    """
    plain = normalise(text)
    expanded = [(char, start) for start, cluster in _clusters(text) for char in _plain_form(cluster)]
    offsets: list[int] = []
    at = 0
    for char in plain:
        found = next((i for i in range(at, len(expanded)) if expanded[i][0] == char), None)
        if found is None:
            # A form that only the whole text takes (marks that change places): the place reached so far.
            offsets.append(expanded[min(at, len(expanded) - 1)][1])
            continue
        offsets.append(expanded[found][1])
        at = found + 1
    return plain, tuple(offsets)


def source_span(offsets: Sequence[int], start: int, end: int, length: int) -> tuple[int, int]:
    """The place in the source, `length` characters long, of normalised[start:end]."""
    if start >= end:
        return (offsets[start], offsets[start]) if start < len(offsets) else (length, length)
    last = offsets[end - 1]
    beyond = next((offset for offset in offsets[end:] if offset > last), length)
    return offsets[start], min(beyond, last + 1) if beyond > last else last + 1


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Characters with the marks that combine with them, and where each begins."""
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or not unicodedata.combining(text[i]):
            yield start, text[start:i]
            start = i


def _plain_form(cluster: str) -> str:
    if cluster.isspace():
        return " "
    return unicodedata.normalize("NFKC", cluster).translate(_QUOTES)


def ideographs(text: str) -> int:
    """How many Chinese characters the text has."""
    return len(_IDEOGRAPH.findall(text))


_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_SCRIPTS = {
    "Korean": re.compile("[\uac00-\ud7a3\u1100-\u11ff]"),
    "Russian or another language in Cyrillic": re.compile("[\u0400-\u04ff]"),
    "Greek": re.compile("[\u0370-\u03ff]"),
    "Arabic": re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]"),
    "Hebrew": re.compile("[\u0590-\u05ff]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
    "Hindi or another language in Devanagari": re.compile("[\u0900-\u097f]"),
}
# Words that hardly a sentence of the language does without, and that mean nothing in the others.
_COMMON = {
    "English": "the and of to shall that which with this any such",
    "German": "der die das und nicht ist den dem eine oder wird sich auf",
    "French": "le les des et du une dans est pour que aux ou ne",
    "Spanish": "el los las del que una por para con se su",
    "Italian": "il che di della dei per una sono nel gli alla",
    "Portuguese": "os das dos que uma para com não ao pela",
    "Dutch": "het een van en de niet dat zijn voor wordt met",
}
_COMMON_WORDS = {name: frozenset(words.split()) for name, words in _COMMON.items()}
KANA_SHARE = 0.15
SECOND_SHARE = 0.15
_WORDS_LOOKED_AT = 20_000


def language_of(text: str) -> Language:
    """Chinese where most of the letters are ideographs and it is not Japanese, else English.

    Other languages are handled by the rules of English; `other_language` names them.
    """
    chinese, kana = ideographs(text), len(_KANA.findall(text))
    letters = chinese + kana + len(_LATIN.findall(text))
    return Language.ZH if chinese * 2 > letters and not _japanese(chinese, kana) else Language.EN


def _japanese(chinese: int, kana: int) -> bool:
    # Japanese law is nearly half kana; a Chinese contract may name a Japanese company.
    return kana > KANA_SHARE * (chinese + kana)


def other_language(text: str) -> str:
    """The name of the language that most of the text is in, where it is neither English nor Chinese; else ''."""
    chinese, kana, latin = ideographs(text), len(_KANA.findall(text)), len(_LATIN.findall(text))
    if not text.isascii():
        if (chinese + kana) > latin and _japanese(chinese, kana):
            return "Japanese"
        for name, pattern in _SCRIPTS.items():
            if len(pattern.findall(text)) > max(latin, chinese):
                return name
    if chinese > latin:
        return ""
    words = re.findall(r"[^\W\d_]+", text[: 8 * _WORDS_LOOKED_AT].lower())
    shares = {name: sum(word in common for word in words) for name, common in _COMMON_WORDS.items()}
    best = max(shares, key=lambda name: shares[name])
    sure = len(words) >= 50 and shares[best] * 12 > len(words) and shares[best] > 2 * shares["English"]
    return best if sure else ""


def second_language(text: str, language: Language) -> str:
    """`English` or `Chinese` where a good part of a document in the other one is in it; else ''."""
    chinese, latin = ideographs(text), len(_LATIN.findall(text))
    if language is Language.ZH:
        return "English" if latin > SECOND_SHARE * (chinese + latin) else ""
    # An ideograph says as much as three letters of English.
    return "Chinese" if 3 * chinese > SECOND_SHARE * (3 * chinese + latin) else ""
