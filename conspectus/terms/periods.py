"""Periods as formulas: how long, before or after what, as the document says it.

Nothing is computed: "60 days before the expiry" stays that, for when the term expires is for a reader to settle.
"""

import re
from collections.abc import Iterator

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.evidence.zh_numbers import NUMERAL
from conspectus.terms.dates import about, role_of
from conspectus.terms.money import WORDS, number, plain, zh_number
from conspectus.terms.types import Formula
from conspectus.terms.words import LONGEST_TRIGGER, clip, tidy

_UNIT_EN = (
    r"(?:(?:consecutive|calendar|full|successive|additional|further|continuous|complete)\s+)*(?P<kind>(?:working|"
    r"business|trading|banking)\s+)?(?P<unit>minutes?|hours?|days?|weeks?|months?|quarters?|years?)"
)
_PERIOD_EN = re.compile(
    rf"(?<![\w.,£$€])(?P<n>{WORDS}|[0-9]+(?:\.[0-9]+)?)[\s-]*(?:\(\s*(?P<fig>[0-9.]+|{WORDS})\s*\))?[\s-]*"
    rf"(?:(?P<more>(?:and|or|to)\s+(?:{WORDS}|"
    rf"[0-9]+)\s*(?:\([0-9]+\))?)\s*)?{_UNIT_EN}\b(?P<notice>['’]?s?['’]?\s+(?:prior\s+|advance\s+|written\s+|"
    rf"previous\s+)*notice\b)?",
    re.I,
)
_UNIT_ZH = (
    r"个?(?P<unit>工作日|交易日|小时|日(?!元)|天|周(?!岁|年)|月|年(?![0-9一二三四五六七八九十]{1,2}月|度|满|内?度))"
)
_PERIOD_ZH = re.compile(
    rf"(?<![第年月周星0-9一二三四五六七八九十百千万零〇])(?P<n>{NUMERAL.pattern}|"
    rf"[0-9]+(?:\.[0-9]+)?)\s*{_UNIT_ZH}(?P<tail>以上|以下|以内|之内|内|以前|之前|前|以后|之后|后)?"
)
_LIMIT_MIN = re.compile(
    r"(?:not (?:be )?less than|no (?:less|fewer|earlier) than|not (?:earlier|fewer) than|at least|"
    r"a minimum of|minimum)\s*(?:a (?:further )?period of\s*)?$",
    re.I,
)
_LIMIT_MAX = re.compile(
    r"(?:within|not (?:be )?(?:more|later|longer) than|no (?:later|more|longer) than|up to|not exceed(?:ing)?|"
    r"(?:a )?maximum(?: of)?|at most)\s*(?:a (?:further )?(?:period|term) of\s*|the (?:last|first|next)\s*|"
    r"the\s*)?$",
    re.I,
)
_BEFORE_EN = re.compile(r"^\s*(?:in advance of|before|prior to|preceding)\s+(?P<trigger>.+)", re.I)
_AFTER_EN = re.compile(
    r"^\s*(?:after|following|of|from(?: and including)?|beginning (?:on|from|with)(?: and including)?|"
    r"commencing (?:on|from|with|upon)|starting (?:on|from)|since|upon)\s+(?P<trigger>.+)",
    re.I,
)
_OF_EN = re.compile(r"^\s*of\s+(?P<trigger>.+)", re.I)
_LAST_EN = re.compile(r"\b(last|first)\s+$", re.I)
_ADVANCE_EN = re.compile(r"^\s*(?:in advance|beforehand)\b", re.I)
_TRIGGER_END = re.compile(
    r"[,;:]|\.(?:\s|$)|\b(?:unless|except|provided|the (?:Landlord|Tenant|party) (?:shall|may)|shall|must|may|"
    r"will)\b|\s\(|\band (?:ending|shall|make|any|is|to)\b|\bby (?:giving|written|sending)\b"
)
_LIMIT_ZH_MIN = re.compile(r"(?:不少于|不低于|至少|不得少于|(?<![届期])满|提前)$")
_LIMIT_ZH_MAX = re.compile(r"(?:不超过|不得超过|最长|至多|不迟于)$")
_ZH_UNITS = {"天": "日"}
_IMMATERIAL = re.compile(r"^\s*(?:old\b|of age\b|岁)", re.I)


def _trigger(text: str) -> str:
    end = _TRIGGER_END.search(text)
    said = text[: end.start()] if end else text
    return tidy(re.sub(r"\s+(?:and|or|by|to|if)$", "", clip(said, LONGEST_TRIGGER).strip(" ,")))


def _limit_en(before: str) -> str:
    if _LIMIT_MIN.search(before):
        return "min"
    return "max" if _LIMIT_MAX.search(before) else ""


def _formula_en(text: str, match: re.Match[str]) -> Formula:
    offset = plain(number(match["n"]))
    unit = " ".join(match["unit"].lower().split()).rstrip("s")
    unit = f"{match['kind'].strip().lower()} {unit}" if match["kind"] else unit
    before, after = text[max(0, match.start() - 48) : match.start()], text[match.end() :]
    limit = _limit_en(before)
    direction, trigger = "length", ""
    if match["notice"]:
        direction = "notice"
    elif found := _BEFORE_EN.match(re.sub(r"^['’]s?", "", after)):
        direction, trigger = "before", _trigger(found["trigger"])
    elif _ADVANCE_EN.match(after):
        direction = "before"
    elif (last := _LAST_EN.search(before)) and (found := _OF_EN.match(after)):
        direction, trigger = last[1].lower(), _trigger(found["trigger"])
    elif (found := _AFTER_EN.match(re.sub(r"^['’]s?", "", after))) and (limit or not _OF_EN.match(after)):
        starts = not limit and re.match(r"\s*(?:from|beginning|commencing|starting)", after, re.I)
        direction, trigger = "from" if starts else "after", _trigger(found["trigger"])
    elif re.match(r"['’]?s?\s+(?:prior\s+|advance\s+|written\s+)*notice\b", after, re.I):
        direction = "notice"
    amount = f"{offset} {unit}{'' if offset == '1' else 's'}"
    words = {"min": "at least ", "max": "at most "}.get(limit, "")
    tail = {
        "before": f" before {trigger}" if trigger else " in advance",
        "after": f" after {trigger}",
        "notice": " of notice",
        "from": f" from {trigger}",
    }
    if direction in ("last", "first"):
        return Formula(offset, unit, direction, trigger, limit, f"the {direction} {amount} of {trigger}")
    return Formula(offset, unit, direction, trigger, limit, f"{words}{amount}{tail.get(direction, '')}")


_FROM_ZH = re.compile(r"(?:自|从)(?P<trigger>[^，。；自从]{1,40}?)(?:之日)?起(?:计算)?[^。；]{0,6}$")
_AFTER_ZH = re.compile(r"(?:在|于|应当|，|^)(?P<trigger>[^，。；在于]{1,24}?)(?:之后|以后|后)$")
_BEFORE_ZH = re.compile(r"(?:在|于|应当|，|^)(?P<trigger>[^，。；在于]{1,24}?)$")


def _formula_zh(text: str, match: re.Match[str]) -> Formula:
    offset, unit = plain(zh_number(match["n"])), _ZH_UNITS.get(match["unit"], match["unit"])
    before, tail = text[max(0, match.start() - 48) : match.start()], match["tail"] or ""
    amount = f"{offset}{'个' if unit in ('月', '工作日') else ''}{unit}"
    limit = "max" if tail in ("内", "以内", "之内", "以下") or _LIMIT_ZH_MAX.search(before) else ""
    limit = "min" if tail == "以上" or _LIMIT_ZH_MIN.search(before) else limit
    words = {"min": "至少", "max": "最多"}.get(limit, "")
    if before.endswith("提前"):
        return Formula(offset, unit, "before", "", "min", f"提前{amount}")
    if found := _FROM_ZH.search(before):
        return Formula(offset, unit, "after", found["trigger"], limit, f"{found['trigger']}之日起{words}{amount}")
    if tail in ("前", "以前", "之前"):
        found = _BEFORE_ZH.search(before)
        trigger = found["trigger"] if found else ""
        return Formula(offset, unit, "before", trigger, limit, f"{trigger}前{amount}")
    if found := _AFTER_ZH.search(before):
        return Formula(offset, unit, "after", found["trigger"], limit, f"{found['trigger']}后{words}{amount}")
    if tail in ("后", "以后", "之后"):
        return Formula(offset, unit, "after", "", limit, f"{amount}后")
    return Formula(offset, unit, "length", "", limit, f"{words}{amount}")


def find_periods(text: str, sentence: int, language: Language) -> Iterator[KeyTerm]:
    """The period rows of a sentence's own words; ages are none."""
    chinese = language is Language.ZH
    for match in (_PERIOD_ZH if chinese else _PERIOD_EN).finditer(text):
        if _IMMATERIAL.match(text[match.end() :]) or (not chinese and match["n"].lower() in ("hundred", "thousand")):
            continue
        try:
            formula = _formula_zh(text, match) if chinese else _formula_en(text, match)
        except ValueError:  # "two and three days" is no one number
            continue
        start = match.start()
        limit = re.search(
            r"(?:(?:not|no) (?:less|more|later|earlier|fewer|longer) than|at least|within|up to|提前|不少于|"
            r"不超过|不得超过|至少)\s*(?:the (?:last|first)\s*)?$",
            text[max(0, start - 28) : start],
            re.I,
        )
        words = (limit[0] if limit else "") + match[0]
        role = "notice" if formula.direction == "notice" else role_of(text, start, match.end(), language)
        yield KeyTerm(TermKind.PERIOD, about(text, start, match.end(), language), words.strip(), sentence, role,
            "", "", formula)  # fmt: skip
