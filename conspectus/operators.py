"""The words that turn a legal sentence: modality, negation, condition, exception, and/or, limits, qualifiers.

They are counted or collected on both sides; check.py compares. Phrases that say a limit with a negation ("not less
than") are taken as limits first, so that "at least" keeps their meaning.
"""

import re
from dataclasses import dataclass

from conspectus.document import Language
from conspectus.text import normalise


@dataclass(frozen=True, slots=True)
class Operators:
    """What a text says by its operators. `modals` holds obligation, prohibition, permission; `limits` min and max."""

    modals: frozenset[str]
    negations: int
    conditions: frozenset[str]
    has_and: bool
    has_or: bool
    limits: frozenset[str]
    qualifiers: frozenset[str]


_Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    return tuple((name, re.compile(pattern, re.I)) for name, pattern in pairs)


_LIMITS_EN = _rules(
    ("min", r"\b(?:not|no) (?:be )?(?:less|fewer|earlier|sooner) than\b|\bat least\b|\bminimum(?: of)?\b|\bor more\b|\bnot be below\b"),
    ("max", r"\b(?:not|no) (?:be )?(?:more|later|greater|longer) than\b|\b(?:shall|must|may|will|does|do)? ?not (?:to )?exceed(?:ing)?\b|\bat most\b|\bup to\b|\bmaximum(?: of)?\b|\bwithin\b|\bor less\b|\bcapped at\b|\bno later than\b"),
    ("more", r"\bmore than\b|\bexceed(?:s|ing)?\b|\bin excess of\b|\bover\b"),
    ("less", r"\bless than\b|\bfewer than\b|\bbelow\b"),
)  # fmt: skip
_MODALS_EN = _rules(
    ("prohibition", r"\b(?:shall|must|may|can|will|should|is|are) (?:not|never)\b|\b(?:shall|must|may|can|will) neither\b|\bcannot\b|\b(?:is|are) prohibited\b|\bno (?:person|party|operator|one|\w+) (?:shall|may|must)\b|\b(?:won't|mustn't|can't|isn't)\b|\bprohibit\w*|\bneither \w+ (?:nor \w+ )?(?:shall|may)\b"),
    ("obligation", r"\b(?:shall|must|will)\b(?! (?:not|never|neither))|\b(?:is|are) (?:required|obliged|bound|liable|responsible)\b|\b(?:undertakes?|covenants?|agrees?) (?:with \w+ \w+ )?to\b|\b(?:has|have) (?:a duty )?to\b|\bneeds? to\b"),
    ("permission", r"\b(?:may|can)\b(?! (?:not|never|neither))|\b(?:is|are) (?:entitled|permitted|allowed|free)\b|\b(?:has|have) the (?:right|option)\b|\bat its (?:option|discretion)\b"),
)  # fmt: skip
_NEGATION_EN = re.compile(
    r"\b(?:not|no|never|neither|nor|without|none|nothing|cannot|nobody|\w+n't)\b|\b(?:un|non-)(?:less)\b(?!.)", re.I
)
_CONDITIONS_EN = _rules(
    ("unless", r"\bunless\b|\bexcept\w*\b|\bsave (?:that|for|as|where|with)\b|\bother than\b|\bexclud\w+|\bapart from\b|\bbut not\b"),
    ("if", r"\bif\b|\bwhere\b(?! the premises are)|\bwhen\b|\bprovided\b|\bon condition\b|\bin the event\b|\bin case\b|\bsubject to\b|\bonly\b|\bonce\b|\bupon\b|\bas long as\b|\bto the extent\b"),
    ("until", r"\buntil\b|\bbefore\b|\bprior to\b"),
    ("after", r"\bafter\b|\bfollowing\b|\bfrom\b"),
)  # fmt: skip
_QUALIFIERS_EN = re.compile(
    r"\b(?:written|in writing|prior|express(?:ly)?|sole(?:ly)?|only|exclusive(?:ly)?|non-exclusive|irrevocab\w+|joint(?:ly)?|"
    r"several(?:ly)|reasonabl[ey]|unreasonabl[ey]|material(?:ly)?|immediate(?:ly)?|gross|wilful|direct|indirect|both|each|"
    r"perpetual|independent(?:ly)?|good faith|best|audited|unpaid|net)\b",
    re.I,
)

_LIMITS_ZH = _rules(
    ("min", r"不少于|不低于|不得少于|不得低于|至少|以上"),
    ("max", r"不超过|不得超过|不高于|不得高于|不多于|不迟于|不得迟于|至多|最多|最长|以下|以内|之内|内"),
    ("more", r"超过|多于|高于"),
    ("less", r"少于|低于|不足|不满"),
)
_MODALS_ZH = _rules(
    ("prohibition", r"不得|禁止|严禁|不准|不可以|不应|不能|无权"),
    ("obligation", r"应当|(?<!不)应(?!用|急|付)|必须|须(?!知)|有义务|负责|责令"),
    ("permission", r"(?<!不)可以|(?<!不)可(?=[由向在以])|有权|享有"),
)
_NEGATION_ZH = re.compile(
    r"不得|不准|不可|不应|不能|不予|不再|不受|不适用|不符合|不履行|不|未|无(?!论)|非(?!常|法)|禁止|严禁|没有|否则|除外"
)
_CONDITIONS_ZH = _rules(
    ("unless", r"除外|除非|除[^，。；]{1,60}外|除[^，。；]{1,60}以外|但是|但(?=[^是]{0,30}(?:的|除))|另有"),
    ("if", r"如果|如(?=[^下何])|的，|的情形|时，|之日|经[^，。]{1,20}(?:同意|批准|许可|决定)|情节(?:严重|特别严重|轻微)|逾期|仅|只"),
    ("until", r"之前|以前|前(?=[，。]|应)"),
    ("after", r"之后|以后|后，|自[^，。]{1,30}(?:起|之日)"),
)
_QUALIFIERS_ZH = re.compile(r"书面|事先|单独|共同|连带|仅|唯一|独家|立即|及时|直接|间接|故意|重大|实际|书面同意|并处|可以并处|按日|每日|每年|每月")
_OR_ZH = re.compile(r"或者|或|、(?=[^。]{0,30}之一)")
_AND_ZH = re.compile(r"并且|并|和|及|以及|与|同时")


def _collect(rules: _Rules, text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in rules if pattern.search(text))


def _take_limits(rules: _Rules, text: str) -> tuple[frozenset[str], str]:
    """The limits of a text, and the text without their words (their negations are no negations)."""
    found: set[str] = set()
    for name, pattern in rules:
        if pattern.search(text):
            found.add(name)
            text = pattern.sub(" ", text)
    return frozenset(found), text


def operators(text: str, language: Language) -> Operators:
    """The operators of a text."""
    plain = normalise(text)
    if language is Language.ZH:
        limits, rest = _take_limits(_LIMITS_ZH, plain)
        return Operators(
            _collect(_MODALS_ZH, plain),
            len(_NEGATION_ZH.findall(rest)),
            _collect(_CONDITIONS_ZH, plain),
            bool(_AND_ZH.search(plain)),
            bool(_OR_ZH.search(plain)),
            limits,
            frozenset(_QUALIFIERS_ZH.findall(plain)),
        )
    lower = plain.lower()
    limits, rest = _take_limits(_LIMITS_EN, lower)
    return Operators(
        _collect(_MODALS_EN, lower),
        len(_NEGATION_EN.findall(rest)),
        _collect(_CONDITIONS_EN, lower),
        bool(re.search(r"\b(?:and|as well as)\b|&", lower)),
        bool(re.search(r"\bor\b", lower)),
        limits,
        frozenset(_canonical(word) for word in _QUALIFIERS_EN.findall(lower)),
    )


def _canonical(word: str) -> str:
    """One form for the spellings of a qualifier: written = in writing, expressly = express."""
    word = "written" if word == "in writing" else word
    return re.sub(r"(?:ly|y|e)$", "", word)
