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


def _words(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these English phrases, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I)


_MODAL = "shall|must|may|can|will|should"
_LIMITS_EN: _Rules = (
    (
        "min",
        _words(
            "(?:not|no) (?:be )?(?:less|fewer|earlier|sooner) than", "at least", "minimum(?: of)?", "or more",
            "not (?:be|fall) below",
        ),
    ),
    (
        "max",
        _words(
            "(?:not|no) (?:be )?(?:more|later|greater|longer) than",
            "(?:shall|must|may|will|does|do)? ?not (?:to )?exceed",
            "not exceeding", "at most", "up to", "maximum(?: of)?", "within", "or less", "capped at",
        ),
    ),
    ("more", _words("more than", "exceed(?:s|ing)?", "in excess of", "over", "above")),
    ("less", _words("less than", "fewer than", "below")),
)  # fmt: skip
_MODALS_EN: _Rules = (
    (
        "prohibition",
        _words(
            f"(?:{_MODAL}|is|are) (?:not|never)", f"(?:{_MODAL}) neither", "cannot", "(?:wo|must|ca|is|are)n't",
            r"no \w+ (?:shall|may|must)", r"neither \w+ (?:nor \w+ )?(?:shall|may)", r"prohibit\w*",
        ),
    ),
    (
        "obligation",
        _words(
            "(?:shall|must|will)(?! (?:not|never|neither))",
            "(?:is|are) (?:required|obliged|bound|liable|responsible)",
            r"(?:undertakes?|covenants?|agrees?) (?:with \w+ \w+ )?to", "(?:has|have) (?:a duty )?to", "needs? to",
        ),
    ),
    (
        "permission",
        _words(
            "(?:may|can)(?! (?:not|never|neither))", "(?:is|are) (?:entitled|permitted|allowed|free)",
            "(?:has|have) the (?:right|option)", "at its (?:option|discretion)",
        ),
    ),
)  # fmt: skip
_NEGATION_EN = _words(
    "not", "no", "never", "neither", "nor", "without", "none", "nothing", "cannot", "nobody", r"\w+n't"
)
_CONDITIONS_EN: _Rules = (
    (
        "unless",
        _words(
            "unless",
            r"except\w*", "save (?:that|for|as|where|with)", "other(?:wise)? than", r"exclud\w+", "apart from",
            "but not",
        ),
    ),
    (
        "if",
        _words(
            "if", "where", "when", "provided", "on condition", "in the event", "in case", "subject to", "only", "once",
            "upon", "as long as", "to the extent",
        ),
    ),
    ("until", _words("until", "before", "prior to")),
    ("after", _words("after", "following", "from")),
)  # fmt: skip
_QUALIFIERS_EN = _words(
    "written", "in writing", "prior", "express(?:ly)?", "sole(?:ly)?", "only", "exclusive(?:ly)?", "non-exclusive",
    r"irrevocab\w+", "joint(?:ly)?", "several(?:ly)", "reasonabl[ey]", "unreasonabl[ey]", "material(?:ly)?",
    "immediate(?:ly)?", "gross", "wilful", "direct", "indirect", "both", "each", "perpetual", "independent(?:ly)?",
    "good faith", "best", "audited", "unpaid", "net",
)  # fmt: skip


def _characters(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these Chinese phrases."""
    return re.compile("|".join(phrases))


_LIMITS_ZH: _Rules = (
    ("min", _characters("不少于", "不低于", "不得少于", "不得低于", "至少", "以上")),
    (
        "max",
        _characters(
            "不超过", "不得超过", "不高于", "不得高于", "不多于", "不迟于", "不得迟于", "至多", "最多", "最长",
            "以下", "以内", "之内", "内",
        ),
    ),
    ("more", _characters("超过", "多于", "高于")),
    ("less", _characters("少于", "低于", "不足", "不满")),
)  # fmt: skip
_MODALS_ZH: _Rules = (
    ("prohibition", _characters("不得", "禁止", "严禁", "不准", "不可以", "不应", "不能", "无权")),
    ("obligation", _characters("应当", "(?<!不)应(?!用|急|付)", "必须", "须(?!知)", "有义务", "负责", "责令")),
    ("permission", _characters("(?<!不)可以", "(?<!不)可(?=[由向在以])", "有权", "享有")),
)
_NEGATION_ZH = _characters(
    "不得", "不准", "不可", "不应", "不能", "不予", "不再", "不受", "不适用", "不符合", "不履行", "不", "未",
    "无(?!论)",
    "非(?!常|法)", "禁止", "严禁", "没有", "否则", "除外",
)  # fmt: skip
_CONDITIONS_ZH: _Rules = (
    ("unless", _characters("除外", "除非", "除[^，。；]{1,60}外", "但是", "但(?=[^是]{0,30}(?:的|除))", "另有")),
    (
        "if",
        _characters(
            "如果", "如(?=[^下何])", "的，", "的情形", "时，", "之日", "经[^，。]{1,20}(?:同意|批准|许可|决定)",
            "情节(?:严重|特别严重|轻微)", "逾期", "仅", "只",
        ),
    ),
    ("until", _characters("之前", "以前", "前(?=[，。]|应)")),
    ("after", _characters("之后", "以后", "后，", "[自从在][^，。]{1,30}(?:起|之日)")),
)  # fmt: skip
_QUALIFIERS_ZH = _characters(
    "书面同意", "书面",
    "事先", "单独", "共同", "连带", "仅", "唯一", "独家", "立即", "及时", "直接", "间接", "故意", "重大",
    "实际", "可以并处", "并处", "按日", "每日", "每年", "每月",
)  # fmt: skip
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
