"""The words that turn a legal sentence: modality, negation, condition, exception, and/or, limits, time, qualifiers.

They are counted or collected on both sides; check.py compares. Phrases that say one operator by means of another
are brought to one form first: "not less than" is a limit, "only if" is "not unless",
"without consent" is "unless with
consent", 未经同意 is 除经同意外.
"""

import re
from dataclasses import dataclass

from conspectus.document import Language
from conspectus.text import normalise


@dataclass(frozen=True, slots=True)
class Operators:
    """What a text says by its operators.

    `duty` covers shall, must and their negations; `rights` counts may and its kin; `duty_after_right` is true for "may
    sell and shall account", where a lost "shall" puts the duty under the "may". `owed` is true where a duty is said in
    another way (payable, warrants, is liable), `conditional` where words stand that may carry a condition (who, on).
    `times` holds before and after.
    """

    duty: bool
    rights: int
    duty_after_right: bool
    owed: bool
    negations: int
    conditions: frozenset[str]
    conditional: bool
    has_and: bool
    has_or: bool
    limits: frozenset[str]
    times: frozenset[str]
    qualifiers: frozenset[str]


_Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _words(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these English phrases, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I)


def _characters(*phrases: str) -> re.Pattern[str]:
    """A pattern for any of these Chinese phrases."""
    return re.compile("|".join(phrases))


_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_SAME_EN: tuple[tuple[re.Pattern[str], str], ...] = (
    (_words(r"only (?=if|when|where|after|once|with|in|upon)"), "not unless "),
    (_words(r"unless and until"), "unless"),
    (
        re.compile(
            r"\bwithout (?=(?:[\w'’-]+ ){0,6}?(?:consent|approval|permission|agreement|authority|authorisation)\b)"
        ),
        "unless with ",
    ),
    (_words("except (?:with|as)", "save (?:with|as)"), "unless with"),
    (_words(r"(?:is|are) prohibited from", "under no circumstances (?:shall|may)"), "must not"),
    (_words(r"(?:is|are) prohibited"), "must not"),
)
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
            "(?:not|no) (?:be )?(?:more|later|greater|longer) than", rf"by (?=\d|the end|{_MONTH})", "on or before",
            "at the latest", "at or below",
            r"(?:(?:shall|must|may|will|does|do) )?not (?:at any time )?(?:to )?exceed",
            "not exceeding", "at most", "up to", "maximum(?: of)?", "within", "or less", "capped at",
        ),
    ),
    ("more", _words("more than", "exceed(?:s|ing)?", "in excess of", r"over (?=[\d£$€])")),
    ("less", _words("less than", "fewer than", r"below (?=[\d£$€])")),
)  # fmt: skip
_DUTY_EN = _words("shall", "must", "will", "cannot", r"(?:may|can|is|are) (?:not|never)", r"(?:wo|must|ca)n't",
                  "is (?:required|obliged|bound) to", "are (?:required|obliged|bound) to", r"no \w+ may",
                  r"neither \w+ (?:nor \w+ )?may", "need(?:s)? (?:not|to)")  # fmt: skip
_OWED_EN = _words("payable", "due", "dut(?:y|ies)", "undertakes?", "covenants?", "agrees?", "warrants?",
"guarantees?",
                  "liable", "liability", "responsible", "(?:is|are|has|have) to", "failing which", "subject to",
                  "require[ds]?")  # fmt: skip
_RIGHT_EN = _words(r"(?:may|can)(?! (?:not|never|neither))",
"(?:is|are|be) (?:entitled|permitted|allowed|free|licensed)",
                   "(?:has|have|having|with) (?:the|a) (?:right|option)", "at its (?:option|discretion)",
                   "right to")  # fmt: skip
_NEGATION_EN = _words(
    r"fail(?:s|ed|ure|ing)? (?:by \w+ \w+ )?to", "unable to", "ceased to", "no longer", "in the absence of", "absent",
    "not", "no", "never", "neither", "nor", "without", "none", "nothing", "cannot", "nobody", r"\w+n't", "nil",
)  # fmt: skip
_CONDITIONS_EN: _Rules = (
    (
        "unless",
        _words("unless", r"except\w*", "save", "other(?:wise)? than", r"exclud\w+", "apart from", "but not"),
    ),
    (
        "if",
        _words(
            "if", "where", "when", "provided", "on condition", "in the event", "in case", "subject to", "as long as",
            "so long as", "to the extent",
        ),
    ),
)  # fmt: skip
# What may stand for a condition in other words, without being one wherever it stands.
_CONDITIONAL_EN = _words("while", "once", "notwithstanding", "failing", "failure", "who", "which", "that", "on",
"upon",
                         "after", "off", "such")  # fmt: skip
_TIMES_EN: _Rules = (
    ("before", _words("until", "before", "prior to", "preceding", "in advance")),
    ("after", _words("after", "following", "from", "thereafter", "since")),
)
_QUALIFIERS_EN = _words(
    "written", "in writing", "prior", "express(?:ly)?", "sole(?:ly)?", "only", "exclusive(?:ly)?", "non-exclusive",
    r"irrevocab\w+", "joint(?:ly)?", "severally", "reasonabl[ey]", "unreasonabl[ey]", "undisputed", "unpaid", "both",
    "gross", "wilful", "direct", "indirect", "perpetual", "good faith", "audited", "caused by",
    "any one", "aggregate", "per", "pro rata", "material",
)  # fmt: skip

_SAME_ZH: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"未经(?=[^，。；]{1,24}?(?:同意|批准|许可|授权|委托))"), "除经外"),
    (re.compile(r"也不例外|不例外"), "均同"),
    (re.compile(r"无(?=理由)|无[需须]|不必"), "无"),
)
_LIMITS_ZH: _Rules = (
    ("min", _characters("不少于", "不低于", "不得少于", "不得低于", "至少", "以上", "(?<=满)(?=[0-9])")),
    (
        "max",
        _characters(
            "不超过", "不得超[过出]", "不高于", "不得高于", "不多于", "不迟于", "不得迟于", "至多", "最多", "最长",
            "以下(?!简称|称|条件|列|情形|规定)", "以内", "之内", "(?<=[日天月年时])内", "为限",
        ),
    ),
    ("more", _characters("超过", "超出", "多于", "高于")),
    ("less", _characters("少于", "低于", "不足", "不满")),
)  # fmt: skip
_DUTY_ZH = _characters("应当", "(?<![不适反相对响])应(?!用|急|收账|付账)", "必须", "(?<!无)须(?!知)", "有义务",
"负责", "责令",
                       "不得", "禁止", "严禁", "不准", "不可以", "不应", "不能", "无权", "需(?![要求])")  # fmt: skip
_OWED_ZH = _characters(
    "承担", "支付", "赔偿", "保证", "担保", "责任", "义务", "处.{1,20}罚款", "按", "为[^，。]{0,20}$"
)
_RIGHT_ZH = _characters(
    "(?<!不)可以", "(?<!不)可(?!能|行|靠|疑|归责|预见|以|比|供)", "有权", "享有", "有优先", "方可", "自主"
)
_NEGATION_ZH = _characters("不", "未", "无(?!论)", "非(?!常|法|营)", "禁止", "严禁", "没有", "拒绝?")
_CONDITIONS_ZH: _Rules = (
    ("unless", _characters("除外", "除非", "除[^，。；]{1,60}外", "除经外", "另有", "但[^，。；]{1,60}的?除外")),
    (
        "if",
        _characters(
            "如果", "如(?=[^下何])", "的[，；]", "的情形", "情节(?:特别)?严重", "只有", "方可", "方为",
        ),
    ),
)  # fmt: skip
_CONDITIONAL_ZH = _characters("时", "逾期", "仅", "后", "因", "致", "方", "合格", "须在", "的", "，", "须经", "经")
_TIMES_ZH: _Rules = (
    ("before", _characters("之前", "以前", "前(?=[，。；、]|应|须|由|向|支|付|缴|书|通|披|完|的|不)")),
    ("after", _characters("之后", "以后", "(?<![之以])后", "之日起", "起")),
)
_QUALIFIERS_ZH = _characters(
    "书面", "事先", "单独", "连带", "仅", "唯一", "独家", "立即", "故意", "重大", "违法", "表决权", "双方",
    "同时(?=取得)",
)  # fmt: skip
_OR_ZH = re.compile(r"或者|或|、(?=[^。]{0,30}之一)")
_AND_ZH = re.compile(r"并且|并|和|及|以及|与|同时|且")


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
    return _chinese(plain) if language is Language.ZH else _english(plain.lower())


def _english(text: str) -> Operators:
    for pattern, same in _SAME_EN:
        text = pattern.sub(same, text)
    limits, rest = _take_limits(_LIMITS_EN, text)
    return Operators(
        duty=bool(_DUTY_EN.search(text)),
        rights=len(_RIGHT_EN.findall(text)),
        duty_after_right=bool(re.search(r"\bmay\b[^.;]*\b(?:and|but) (?:shall|must)\b", text)),
        owed=bool(_OWED_EN.search(text)),
        negations=len(_NEGATION_EN.findall(rest)),
        conditions=_collect(_CONDITIONS_EN, text),
        conditional=bool(_CONDITIONAL_EN.search(text)),
        has_and=bool(re.search(r"\b(?:and|as well as|plus|but)\b|&|;", text)),
        has_or=bool(re.search(r"\bor\b", text)),
        limits=limits,
        times=_collect(_TIMES_EN, rest),
        qualifiers=frozenset(_canonical(word) for word in _QUALIFIERS_EN.findall(text)),
    )


def _chinese(text: str) -> Operators:
    for pattern, same in _SAME_ZH:
        text = pattern.sub(same, text)
    limits, rest = _take_limits(_LIMITS_ZH, text)
    return Operators(
        duty=bool(_DUTY_ZH.search(text)),
        rights=len(_RIGHT_ZH.findall(text)),
        duty_after_right=bool(re.search("可以[^。；]*[，并且但]应当", text)),
        owed=bool(_OWED_ZH.search(text)),
        negations=len(_NEGATION_ZH.findall(rest)),
        conditions=_collect(_CONDITIONS_ZH, text),
        conditional=bool(_CONDITIONAL_ZH.search(text)),
        has_and=bool(_AND_ZH.search(text)),
        has_or=bool(_OR_ZH.search(text)),
        limits=limits,
        times=_collect(_TIMES_ZH, rest),
        qualifiers=frozenset(_QUALIFIERS_ZH.findall(text)),
    )


def _canonical(word: str) -> str:
    """One form for the spellings of a qualifier: written = in writing, expressly = express."""
    word = "written" if word == "in writing" else word
    return re.sub(r"(?:ly|y|e)$", "", word)


_OPPOSITES = {
    Language.EN: (
        ("advance", "arrears"), ("earlier", "later"), ("first", "later"), ("earliest", "latest"), ("increase",
        "decrease"),
        ("raise", "reduce"), ("higher", "lower"), ("greater", "lesser"), ("subject to", "notwithstanding"),
        ("either", "both"), ("other party", "own"), ("in force", "repeal"), ("valid", "invalid"), ("inside",
        "outside"),
        ("lawful", "unlawful"), ("tenant's", "landlord's"), ("lessee's", "lessor's"), ("buyer's", "seller's"),
        ("borrower's", "lender's"), ("only if", "even if"), ("one", "both"), ("need not", "must not"),
        ("be required", "must not"),
    ),
    Language.ZH: (
        ("原告", "被告"), ("有效", "废止"), ("有效", "无效"), ("增加", "减少"), ("提高", "降低"), ("上调", "下调"),
        ("双方", "一方"),
        ("任前", "任后"), ("前", "后"), ("美元", "人民币"), ("买受", "出卖"), ("以上", "以下"), ("首先", "最后"),
        ("赔偿", "获得"),
        ("和", "或者"), ("并", "或者"), ("均", "任一"),
    ),
}  # fmt: skip


def opposite_said(statement: str, evidence: str, language: Language) -> bool:
    """True where a statement has one of two opposites and its evidence only the other."""
    said, there = normalise(statement).lower(), normalise(evidence).lower()
    return any(
        a in said and a not in there and b in there and b not in said
        for pair in _OPPOSITES[language]
        for a, b in (pair, pair[::-1])
    )
