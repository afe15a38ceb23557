"""Amounts and percentages with their number and currency beside the words.

price-parser was tried: it reads "$10 million" as 10, "¥300万元" as 300 and finds nothing in "人民币五万元", so the
scanner is our own. A dollar sign alone is a US dollar only where the document speaks of no other dollar.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.evidence.zh_numbers import NUMERAL, chinese_number
from conspectus.terms.dates import about

_ONES = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen"
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER_WORD = f"(?:{_ONES}|{_TENS}|hundred|thousand|million|billion)"
WORDS = rf"{NUMBER_WORD}(?:[\s-]+(?:and[\s-]+)?{NUMBER_WORD})*"
FIGURES = (
    r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}(?![0-9])|[0-9]{1,3}(?:[, ][0-9]{3})+(?![0-9])(?:\.[0-9]+)?|"
    r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
)
_ZH_NUMBER = rf"(?:[0-9][0-9,.]*(?:\s*[万亿千百]+)?|{NUMERAL.pattern})"
_SIGN = (
    r"US\$|HK\$|A\$|C\$|CA\$|S\$|NT\$|R\$|[£$€¥₹]|\b(?:USD|EUR|GBP|RMB|CNY|CHF|JPY|CAD|AUD|HKD|SGD|INR|NZD|SEK|"
    r"NOK|DKK)\b"
)
_NOUN = (
    r"(?:(?:US|U\.S\.|United States|Canadian|Australian|Hong Kong|Singapore|New Zealand)\s+)?dollars?|cents?|"
    r"pounds(?: sterling)?|"
    r"euros?|crowns?|kron(?:a|or|er|e)|francs?|yen|yuan|renminbi|rupees?|shillings?|USD|EUR|GBP|RMB|CNY|CHF|"
    r"JPY|CAD|AUD|HKD|SGD"
)
_MULTIPLIER = {"million": 10**6,
    "billion": 10**9, "thousand": 10**3, "hundred": 100, "mm": 10**6, "m": 10**6, "bn": 10**9, "k": 10**3}  # fmt: skip
_MONEY_EN = re.compile(
    rf"(?:(?P<sign>{_SIGN})\s?(?P<n1>{FIGURES})(?:\s?(?P<m1>million|billion|thousand|mm|m|bn|k)\b)?)|"
    rf"(?:(?<![0-9.,])(?<![0-9.,] )\b(?P<n2>{FIGURES}|{WORDS})(?:\s(?P<m2>million|billion|"
    rf"thousand))?\s(?:\([^)]{{1,20}}\)\s)?(?P<noun>{_NOUN})\b)",
    re.I,
)
_MONEY_ZH = re.compile(
    rf"(?P<sign>人民币|￥|¥|\$|US\$|£|€|港币)?\s*(?P<n>{_ZH_NUMBER})\s*(?P<unit>美元|欧元|港元|日元|英镑|元整|"
    rf"元|人民币)|"
    rf"(?P<sign2>￥|¥|\$|US\$|£|€)\s*(?P<n2>[0-9][0-9,.]*\s*[万亿]?)"
)
_TIMES_ZH = re.compile(
    rf"(?P<n>{NUMERAL.pattern}|[0-9.]+)倍(?:以上)?(?:[^，。；]{{0,2}}?(?:{NUMERAL.pattern}|[0-9.]+)倍以下)?"
)
CODES = {
    "us$": "USD", "usd": "USD", "£": "GBP", "gbp": "GBP", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "hk$": "HKD", "a$": "AUD", "c$": "CAD", "ca$": "CAD", "s$": "SGD", "nt$": "TWD", "r$": "BRL", "₹": "INR",
    "rmb": "CNY", "yuan": "CNY", "renminbi": "CNY", "pounds": "GBP", "pounds sterling": "GBP", "yen": "JPY",
    "us dollars": "USD", "u.s. dollars": "USD", "united states dollars": "USD", "canadian dollars": "CAD",
    "australian dollars": "AUD", "hong kong dollars": "HKD", "singapore dollars": "SGD", "new zealand dollars": "NZD",
    "rupees": "INR", "人民币": "CNY", "元": "CNY", "元整": "CNY", "￥": "CNY", "美元": "USD", "欧元": "EUR",
    "港元": "HKD", "港币": "HKD", "日元": "JPY", "英镑": "GBP",
}  # fmt: skip
_OTHER_DOLLARS = re.compile(
    r"\b(?:Canadian|Australian|Hong Kong|Singapore|New Zealand|Taiwan) dollars?|\b(?:CAD|AUD|HKD|SGD|NZD|"
    r"TWD)\b|(?:HK|C|CA|A|S|NT)\$",
    re.I,
)
_US = re.compile(
    r"\bU\.\s?S\.|\bUnited States\b|\bUSD\b|US\$|\b(?:Delaware|New York|California|Texas|Nevada|Ohio|Florida)\b"
)
_YEN = re.compile(r"\b(?:yen|JPY|Japan)\b")
WHICH_DOLLAR = "which dollar is not said"
NOT_ONE = "more than one number"
WHICH_YEN = "yuan or yen is not said"
PERCENT_EN = re.compile(
    rf"\b(?P<words>{WORDS})\s+per\s?cent(?:um|age)?\b(?:\s*\(\s*(?P<fig>[0-9.]+)\s*%?\s*\))?|"
    rf"(?P<n>{FIGURES})\s?(?:%|per\s?cent(?:um)?\b)|"
    rf"\b(?P<w2>{WORDS})\s*\(\s*(?P<f2>[0-9.]+)\s*\)?\s*(?:%|per\s?cent\b)\)?",
    re.I,
)
PERCENT_ZH = re.compile(
    rf"(?P<base>百|千|万)分之(?P<zh>{NUMERAL.pattern}|[0-9.]+)(?:点(?P<dot>{NUMERAL.pattern}))?|"
    rf"(?P<n>[0-9]+(?:\.[0-9]+)?)\s?[%％‰]"
)


def plain(value: Decimal) -> str:
    """Digits without an exponent, zeros after the point gone."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


class Currencies:
    """Which codes the bare signs of one document stand for."""

    def __init__(self, text: str, language: Language) -> None:
        one_dollar = bool(_US.search(text)) and not _OTHER_DOLLARS.search(text)
        self._dollar = "USD" if one_dollar else ""
        self._yuan = "CNY" if language is Language.ZH or not _YEN.search(text) else ""

    def code(self, sign: str) -> tuple[str, str]:
        """(code or the word itself, note)."""
        low = " ".join(sign.lower().split())
        if low in ("$", "dollars", "dollar"):
            return (self._dollar, "") if self._dollar else ("$", WHICH_DOLLAR)
        if low == "¥":
            return (self._yuan, "") if self._yuan else ("¥", WHICH_YEN)
        return CODES.get(low, low), ""


def number(text: str) -> Decimal:
    """The value of figures or English number words; ValueError for words that are no one number (two and three)."""
    if not (text[0].isdigit() or text[0] == "."):
        return Decimal(_words(" ".join(text.lower().split())))
    if re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}", text):  # 1.250.000,00
        text = text.replace(".", "").replace(",", ".")
    return Decimal(re.sub(r"[, ]", "", text))


@lru_cache(maxsize=1024)
def _words(text: str) -> int:
    from text_to_num import text2num

    return int(text2num(text, "en"))


def zh_number(text: str) -> Decimal:
    """The value of figures with or without 万 or 亿, or of a Chinese numeral."""
    text = re.sub(r"[\s,]", "", text)
    if text[0].isdigit() and text[0].isascii():
        scale = Decimal(1)
        while text[-1] in "万亿千百":
            scale *= {"万": 10**4, "亿": 10**8, "千": 1000, "百": 100}[text[-1]]
            text = text[:-1]
        return Decimal(text.rstrip(".")) * scale
    return Decimal(chinese_number(text))


def amount(match: re.Match[str], currencies: Currencies) -> tuple[str, str]:
    """(number and currency, note) of a match of an amount pattern."""
    group = match.groupdict()
    if "unit" in group:
        value = zh_number(group["n"] or group["n2"])
        sign = group["unit"] or group["sign2"]
        code, note = currencies.code(sign)
        return f"{plain(value)} {code}", note
    try:
        value = number(group["n1"] or group["n2"])
    except ValueError:
        return "", NOT_ONE
    if multiplier := group["m1"] or group["m2"]:
        value *= _MULTIPLIER[multiplier.lower()]
    code, note = currencies.code(group["sign"] or group["noun"])
    return f"{plain(value)} {code}", note


def money_spans(text: str, language: Language) -> Iterator[re.Match[str]]:
    """The amounts of a text."""
    pattern = _MONEY_ZH if language is Language.ZH else _MONEY_EN
    yield from pattern.finditer(text)
    if language is Language.ZH:
        yield from (
            match for match in _MONEY_EN.finditer(text) if match["sign"] and not _MONEY_ZH.match(text, match.start())
        )


def percent(match: re.Match[str]) -> str:
    """The number of a percentage; the figure in brackets counts where words and figures stand together."""
    group = match.groupdict()
    if "base" in group:
        if group["n"]:
            return plain(Decimal(group["n"]) / (10 if match[0][-1] == "‰" else 1))
        value = zh_number(group["zh"])
        if group["dot"]:
            value += Decimal(chinese_number(group["dot"])) / 10 ** len(group["dot"])
        return plain(value * 100 / {"百": 100, "千": 1000, "万": 10000}[group["base"]])
    try:
        return plain(number(group["fig"] or group["n"] or group["f2"] or group["words"] or group["w2"]))
    except ValueError:
        return ""


def find_amounts(text: str, sentence: int, language: Language, currencies: Currencies) -> Iterator[KeyTerm]:
    """The amount and percentage rows of a sentence's own words."""
    before = ""
    for match in money_spans(text, language):
        if match[0].lower().endswith(("cent", "cents")) and "per" in match[0].lower():
            continue
        computed, note = amount(match, currencies)
        # "£30,000 (thirty thousand pounds)" is one amount.
        if computed == before and text[: match.start()].rstrip().endswith(("(", "（")):
            continue
        before = computed
        name = about(text, *match.span(), language)
        yield KeyTerm(TermKind.MONEY, name, match[0].strip(), sentence, "", computed, note)
    for match in (PERCENT_ZH if language is Language.ZH else PERCENT_EN).finditer(text):
        name = about(text, *match.span(), language)
        yield KeyTerm(TermKind.PERCENTAGE, name, match[0].strip(), sentence, "", percent(match))
    if language is Language.ZH:
        for match in _TIMES_ZH.finditer(text):
            yield KeyTerm(TermKind.PERCENTAGE, about(text, *match.span(), language), match[0], sentence, "times")


_PRICED = re.compile(rf"\b(?P<head>[A-Z][a-z]+(?: [a-z]+)?) \((?P<unit>{_SIGN}|{_NOUN})\)", re.I)


def find_priced_lines(lines: str, sentence: int, currencies: Currencies, folded: str) -> Iterator[KeyTerm]:
    """The lines of a table below a head like "Fee (crowns)": each as it stands, for no rule knows its columns."""
    head = _PRICED.search(lines)
    if not head:
        return
    for line in lines[head.end() :].split("\n")[1:]:
        words = " ".join(line.split())
        if re.search(r"[A-Za-z一-鿿].*[0-9]", words) and words in folded:
            code, _ = currencies.code(head["unit"])
            yield KeyTerm(TermKind.MONEY, head[0], words, sentence, "table", "", f"column {head['head']}, in {code}")
