"""The tokens of a statement that must stand in its evidence: numbers, amounts, dates, durations, references, names.

Each is brought to one form first, so that 1,000 = 1000 = one thousand = 一千, £5k stays an amount in pounds, and
"1 March 2027" = 2027-03-01 = 2027年3月1日.
"""

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache, partial

from conspectus.evidence.zh_numbers import NUMERAL, chinese_number
from conspectus.text import normalise

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = {w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SMALL = {word: value for value, word in enumerate(_ONES)} | _TENS
_SCALE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_MONTHS = {
    name: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
NUMBER_WORD = "|".join([*_SMALL, *_SCALE])
# "one hundred and five" is one number, "five and nine" are two.
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million)|(?<=billion))\s+and"
_WORDS = re.compile(rf"\b(?:{NUMBER_WORD})(?:(?:{_AND})?[\s-]+(?:{NUMBER_WORD}))*\b", re.I)
_FIGURES = re.compile(r"(?<![A-Za-z0-9])[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|(?<![A-Za-z0-9,.])[0-9]+(?:\.[0-9]+)*")
_DATE_DMY = re.compile(rf"\b([0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?({_MONTH})\b\.?,?\s+([0-9]{{4}})", re.I)
_DATE_MDY = re.compile(rf"\b({_MONTH})\b\.?\s+([0-9]{{1,2}})(?:st|nd|rd|th)?\s*,?\s+([0-9]{{4}})", re.I)
_DATE_DOTTED = re.compile(r"\b([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b")
_DATE_ISO = re.compile(r"(?<![0-9.-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9-])")
_DATE_ZH = re.compile(
    r"([0-9〇○零一二三四五六七八九]{4})\s*年\s*([0-9一二三四五六七八九十]{1,3})\s*月\s*(?:([0-9一二三四五六七八九十]{1,3})\s*日)?"
)
_REFERENCE = re.compile(
    r"\b(clauses?|sections?|articles?|sec\.|schedules?|annex|exhibits?|appendix|parts?|chapters?|paragraphs?)\s+"
    r"([0-9]+(?:\.[0-9]+)*[a-z]?|[ivxlc]+\b|[a-z]\b)((?:\s?\([a-z0-9]{1,4}\))*)",
    re.I,
)
_REFERENCE_ZH = re.compile(r"第[一二三四五六七八九十百千零〇0-9]+(?:编|分编|章|节|条|款|项)")
_UNITS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month", "year": "year",
    "years": "year", "hour": "hour", "hours": "hour", "日": "day",
    "天": "day", "月": "month", "年": "year", "小时": "hour",
    "工作日": "working day", "周": "week",
}  # fmt: skip
_UNIT_AFTER = re.compile(
    r"\s*(?:\(\s*[0-9a-z, -]+\s*\)\s*)?[- ]?(?:consecutive\s+|calendar\s+|full\s+)?"
    r"(?:(?P<working>working|business)\s+)?"
    r"(?P<unit>days?|weeks?|months?|years?|hours?)\b|\s*(?:个)?(?P<zh>工作日|小时|[日天月年周])",
    re.I,
)
_PERCENT_AFTER = re.compile(r"\s*(?:\(\s*[0-9.]+\s*%?\s*\)\s*)?(?:%|per\s?cent\b)", re.I)
_CURRENCY_BEFORE = re.compile(
    r"((?:\b(?:US|CA|AU|HK|A|C))?\$|£|€|¥|\b(?:USD|EUR|GBP|RMB|CNY|CAD|AUD|HKD|CHF))\s?$", re.I
)
_CURRENCY_AFTER = re.compile(
    r"\s*(?:\(\s*[0-9., ]+\s*\)\s*)?(?:((?:US|U\.S\.|Canadian|Australian|Hong Kong|Singapore) dollars|dollars|pounds"
    r"(?: sterling)?|euros?|USD|EUR|GBP|RMB|CNY|CAD|AUD|HKD|SGD|CHF|JPY|yen|crowns|Swiss francs)\b|"
    r"(美元|欧元|港元|港币|日元|英镑|加元|澳元|瑞士法郎|元|人民币))",
    re.I,
)
CURRENCY = {
    "£": "GBP", "pounds": "GBP", "gbp": "GBP", "$": "USD", "us$": "USD", "usd": "USD", "dollars": "USD", "€": "EUR",
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "¥": "CNY", "rmb": "CNY", "cny": "CNY", "美元": "USD",
    "欧元": "EUR", "港元": "HKD", "港币": "HKD", "日元": "JPY", "英镑": "GBP", "加元": "CAD", "澳元": "AUD",
    "瑞士法郎": "CHF", "元": "CNY", "人民币": "CNY", "us dollars": "USD", "u.s. dollars": "USD",
    "canadian dollars": "CAD", "australian dollars": "AUD", "hong kong dollars": "HKD", "singapore dollars": "SGD",
    "pounds sterling": "GBP", "cad": "CAD", "aud": "AUD", "hkd": "HKD", "sgd": "SGD", "chf": "CHF", "jpy": "JPY",
    "yen": "JPY", "crowns": "crowns", "swiss francs": "CHF", "ca$": "CAD", "c$": "CAD", "au$": "AUD", "a$": "AUD",
    "hk$": "HKD",
}  # fmt: skip
_MULTIPLIER_AFTER = re.compile(r"\s*(million|billion|thousand|hundred|m\b|bn\b|k\b|万|亿)", re.I)
_MULTIPLIERS = {
    "million": 10**6,
    "m": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "thousand": 10**3,
    "k": 10**3,
    "hundred": 100,
    "万": 10**4,
    "亿": 10**8,
}
_FRACTION_ZH = re.compile(rf"({NUMERAL.pattern})分之({NUMERAL.pattern})(?:点({NUMERAL.pattern}))?")
_BASIS_POINTS = re.compile(rf"万分之({NUMERAL.pattern})(?:点({NUMERAL.pattern}))?")
_GROUPED = re.compile(r"(?<![0-9.,])([0-9]{1,3}(?: [0-9]{3})+)(?![0-9])")
_EUROPEAN = re.compile(r"(?<![0-9.,])([0-9]{1,3}(?:\.[0-9]{3})+),([0-9]{2})(?![0-9])")
_AND_HALF = (
    (re.compile(r"\b([a-z-]+|[0-9]+) and a half\b", re.I), ".5"),
    (re.compile(r"\b([a-z-]+|[0-9]+) and three[- ]quarters\b", re.I), ".75"),
    (re.compile(r"\b([a-z-]+|[0-9]+) and (?:a|one)[- ]quarter\b", re.I), ".25"),
)
_PERCENT_ZH = re.compile(rf"百分之({NUMERAL.pattern}|[0-9.]+)")
_LIST_MARK = re.compile(r"(?:^|(?<=[.;:。；：]))\s*\([0-9]{1,2}\)|[(（][一二三四五六七八九十]{1,4}[)）]")


@dataclass(frozen=True, slots=True, order=True)
class Token:
    """One salient token in its one form: kind (number, percent, money, duration, date, time, reference) and value.

    `start` and `end` are its place in the normalised text; `text.normalise_with_map` leads on to the source.
    """

    kind: str
    value: str
    shown: str = ""
    start: int = field(default=-1, compare=False)
    end: int = field(default=-1, compare=False)

    @property
    def same(self) -> tuple[str, str]:
        """What makes two tokens equal."""
        return (self.kind, self.value)


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def words_to_number(words: str) -> int:
    """twenty-five -> 25, one hundred and fifty thousand -> 150000."""
    total = current = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALE:
            total += (current or 1) * _SCALE[word]
            current = 0
    return total + current


def _value(text: str) -> str:
    return str(chinese_number(text))


def _take(text: str, pattern: re.Pattern[str], out: list[tuple[int, re.Match[str]]]) -> str:
    """Collects the matches of a pattern and blanks them, so that their digits are not counted again."""

    def blank(match: re.Match[str]) -> str:
        out.append((match.start(), match))
        return " " * len(match[0])

    return pattern.sub(blank, text)


def _dates(text: str, tokens: list[Token]) -> str:
    found: list[tuple[int, re.Match[str]]] = []
    for pattern, order in (
        (_DATE_DMY, (3, 2, 1)),
        (_DATE_MDY, (3, 1, 2)),
        (_DATE_DOTTED, (3, 2, 1)),
        (_DATE_ISO, (1, 2, 3)),
        (_DATE_ZH, (1, 2, 3)),
    ):
        found.clear()
        text = _take(text, pattern, found)
        for _, match in found:
            year, month, day = (match[group] or "" for group in order)
            number = (
                next((n for name, n in _MONTHS.items() if name.startswith(month.lower()[:3])), 0)
                if month.isalpha() and month.isascii()
                else int(_value(month))
            )
            tail = f"-{int(_value(day)):02d}" if day else ""
            tokens.append(Token("date", f"{_value(year)}-{number:02d}{tail}", match[0], match.start(), match.end()))
    return text


def _reference_zh(text: str) -> str:
    """第二十条 and 第20条 are one."""
    return f"第{_value(text[1:-1])}{text[-1]}" if text[-2] != "分" else text


def _references(text: str, tokens: list[Token]) -> str:
    found: list[tuple[int, re.Match[str]]] = []
    text = _take(text, _REFERENCE, found)
    for _, match in found:
        tail = re.sub(r"\s", "", match[3]).lower()
        tokens.append(Token("reference", f"{match[2].lower()}{tail}", match[0], match.start(), match.end()))
    found.clear()
    text = _take(text, _REFERENCE_ZH, found)
    tokens += [Token("reference", _reference_zh(match[0]), match[0], match.start(), match.end()) for _, match in found]
    return text


def _classify(text: str, start: int, end: int, value: Decimal) -> Token:
    """The token of a number at `text[start:end]` from what stands around it."""
    shown = text[start:end]
    if multiplier := _MULTIPLIER_AFTER.match(text, end):
        value *= _MULTIPLIERS[multiplier[1].lower()]
        end = multiplier.end()
    if match := _PERCENT_AFTER.match(text, end):
        return Token("percent", _plain(value), text[start : match.end()], start, match.end())
    before = _CURRENCY_BEFORE.search(text, max(0, start - 5), start)
    after = _CURRENCY_AFTER.match(text, end)
    if before:
        currency = CURRENCY[before[1].lower()]
        tail = after.end() if after and CURRENCY[_after(after)] == currency else end
        return Token("money", f"{_plain(value)} {currency}", before[0] + shown, before.start(), tail)
    if after:
        return Token(
            "money", f"{_plain(value)} {CURRENCY[_after(after)]}", text[start : after.end()], start, after.end()
        )
    if unit := _UNIT_AFTER.match(text, end):
        name = _UNITS[(unit["unit"] or unit["zh"]).lower()]
        name = "working day" if unit["working"] and name == "day" else name
        return Token("duration", f"{_plain(value)} {name}", text[start : unit.end()], start, unit.end())
    return Token("number", _plain(value), shown, start, end)


def _after(match: re.Match[str]) -> str:
    return str(match[1] or match[2]).lower()


def spelled(text: str) -> str:
    """Numbers that are grouped or spelled in ways of their own, in plain figures: 1 000 000, 1.250.000,00, 2½.

    The text keeps its length, so that places in it stay right.
    """
    text = _EUROPEAN.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}".ljust(len(match[0])), text)
    text = _GROUPED.sub(lambda match: match[1].replace(" ", "").ljust(len(match[0])), text)
    for pattern, tail in _AND_HALF:
        text = pattern.sub(partial(_with_tail, tail=tail), text)
    return text


def _with_tail(match: re.Match[str], *, tail: str) -> str:
    whole = match[1].lower()
    if whole.isdigit():
        return f"{whole}{tail}".ljust(len(match[0]))
    known = set(re.split("-", whole)) <= _SMALL.keys()
    return f"{words_to_number(whole)}{tail}".ljust(len(match[0])) if known else match[0]


def _fractions(text: str, tokens: list[Token]) -> str:
    """百分之三 and 千分之一 are percentages; 三分之二 is 2/3."""

    def take(match: re.Match[str]) -> str:
        below, above = chinese_number(match[1]), Decimal(chinese_number(match[2]))
        if match[3]:
            above += Decimal(chinese_number(match[3])) / 10 ** len(match[3])
        if below in (100, 1000, 10000):
            tokens.append(Token("percent", _plain(above * 100 / below), match[0], match.start(), match.end()))
        else:
            tokens.append(Token("number", f"{_plain(above)}/{below}", match[0], match.start(), match.end()))
        return " " * len(match[0])

    def basis_points(match: re.Match[str]) -> str:
        value = Decimal(chinese_number(match[1])) + (
            Decimal(chinese_number(match[2])) / 10 ** len(match[2]) if match[2] else 0
        )
        tokens.append(Token("percent", _plain(value / 100), match[0], match.start(), match.end()))
        return " " * len(match[0])

    return _FRACTION_ZH.sub(take, _BASIS_POINTS.sub(basis_points, text))


_ONE_COUNTS = re.compile(
    r"\s*\(\s*1\s*\)|[- ](?:(?:calendar|business|working|full) )?(?:day|week|month|year|hour)s?\b"
    r"(?! (?:in|of) (?:the|any))",
    re.I,
)


def _numbers(text: str, tokens: list[Token]) -> None:
    spans: list[tuple[int, int, Decimal]] = []
    text = _fractions(text, tokens)
    for match in _PERCENT_ZH.finditer(text):
        value = Decimal(match[1]) if match[1][0].isdigit() and match[1].isascii() else Decimal(chinese_number(match[1]))
        tokens.append(Token("percent", _plain(value), match[0], match.start(), match.end()))
    text = _PERCENT_ZH.sub(lambda match: " " * len(match[0]), text)
    for match in re.finditer(r"(?<![0-9/])([0-9]{1,2})/([0-9]{1,2})(?![0-9/])", text):
        tokens.append(Token("number", f"{match[1]}/{match[2]}", match[0], match.start(), match.end()))
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    for match in _FIGURES.finditer(text):
        raw = match[0].replace(",", "")
        if raw.count(".") > 1:
            tokens.append(Token("reference", raw, match[0], match.start(), match.end()))
            continue
        spans.append((match.start(), match.end(), Decimal(raw)))
    for match in _WORDS.finditer(text):
        # "one" alone is most often a pronoun; a scale alone ("million") belongs to the figure before it.
        if match[0].lower() not in ("one", *_SCALE) or (
            match[0].lower() == "one" and _ONE_COUNTS.match(text, match.end())
        ):
            spans.append((match.start(), match.end(), Decimal(words_to_number(match[0]))))
    for match in NUMERAL.finditer(text):
        # A single 一 or 两 is most often an article ("一方"), not a count, unless a unit follows it.
        if (
            len(match[0]) == 1
            and not _UNIT_AFTER.match(text, match.end())
            and not _CURRENCY_AFTER.match(text, match.end())
        ):
            continue
        spans.append((match.start(), match.end(), Decimal(chinese_number(match[0]))))
    spans.sort()
    for before, (start, end, value) in zip([None, *spans], spans, strict=False):
        # "thirty (30)" is one number; its unit stands behind the figure in brackets.
        if before and before[2] == value and re.fullmatch(r"\s*\(\s*", text[before[1] : start]):
            continue
        tokens.append(_classify(text, start, end, value))


_ORDINAL_WORDS = dict(
    zip(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
        "sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        range(3, 21),
        strict=True,
    )
) | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50}
_ORDINAL = re.compile(
    rf"\b([0-9]{{1,3}})(?:st|nd|rd|th)\b|\b((?:twenty|thirty)-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|"
    rf"ninth)|{'|'.join(_ORDINAL_WORDS)})\b(?! part)",
    re.I,
)
_ENDINGS = {"first": 1, "second": 2} | {word: number for word, number in _ORDINAL_WORDS.items() if number < 10}
_CLOCK = re.compile(r"\b([0-9]{1,2})(?::([0-9]{2}))?\s*([ap])\.?m\b\.?|\b([0-9]{1,2}):([0-9]{2})\b(?![:0-9])", re.I)
_HALF = re.compile(r"\b(?:one[- ])?half\b(?![- ](?:year|month|day|yearly))", re.I)


def _ordinals(text: str, tokens: list[Token]) -> str:
    """10th and tenth; "third (3rd)" is one."""
    found: list[tuple[int, re.Match[str]]] = []
    text = _take(text, _ORDINAL, found)
    before = -9
    for start, match in found:
        if match[1]:
            value = int(match[1])
        else:
            tens, _, one = match[2].lower().partition("-")
            value = {"twenty": 20, "thirty": 30}[tens] + _ENDINGS[one] if one else _ORDINAL_WORDS[tens]
        if start - before > 3 or not tokens or tokens[-1].value != str(value):
            tokens.append(Token("ordinal", str(value), match[0], start, match.end()))
        before = match.end()
    return text


def _clock(text: str, tokens: list[Token]) -> str:
    """23:00 and 11 p.m."""
    found: list[tuple[int, re.Match[str]]] = []
    text = _take(text, _CLOCK, found)
    for start, match in found:
        hour = int(match[1] or match[4])
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0) if match[3] else hour
        tokens.append(Token("time", f"{hour:02d}:{match[2] or match[5] or '00'}", match[0], start, match.end()))
    return text


def salient(text: str) -> list[Token]:
    """The salient tokens of a text, list marks such as (a) and （一） aside."""
    return list(_tokens(text))


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[Token, ...]:
    plain = _LIST_MARK.sub(lambda match: " " * len(match[0]), normalise(text))
    tokens: list[Token] = []
    figures = spelled(plain)
    original, plain = plain, _dates(figures, tokens)
    plain = _references(plain, tokens)
    plain = _ordinals(_clock(plain, tokens), tokens)
    _numbers(plain, tokens)
    tokens += [Token("percent", "50", match[0], match.start(), match.end()) for match in _HALF.finditer(plain)]
    if figures != original:
        tokens = [_stretched(token, figures, original) for token in tokens]
    return tuple(sorted(tokens, key=lambda token: token.start))


def _stretched(token: Token, figures: str, original: str) -> Token:
    """The token with its end behind the figures that its plain spelling left blank."""
    end = at = token.end
    while at < len(figures) and figures[at] == " ":
        at += 1
        if original[at - 1] != " ":
            end = at
    return replace(token, end=end)
