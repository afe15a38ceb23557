"""False statements made from true ones by rule: the ways in which a digest line costs money."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]


def _swap(text: str, pattern: str, new: str) -> str:
    return re.sub(pattern, new, text, count=1)


def _digit(row: Row) -> str:
    return re.sub(r"[0-9]", lambda match: str((int(match[0]) + 1) % 10), row["statement"], count=1)


def _transpose(row: Row) -> str:
    return re.sub(r"([1-9])([0-9])(?!\1)", lambda match: match[2] + match[1], row["statement"], count=1)


def _parties(row: Row) -> str:
    first, second = sorted(row["parties"], key=len, reverse=True)
    held = row["statement"].replace(first, "\0").replace(second, first)
    return held.replace("\0", second)


def _without_clause(row: Row) -> str:
    start, end = row["spans"]["drop_clause"]
    return re.sub(r"\s+([.,;])", r"\1", row["statement"][:start].rstrip(" ,，") + row["statement"][end:])


def _span_word(tag: str, new: str) -> Callable[[Row], str]:
    def mutate(row: Row) -> str:
        start, end = row["spans"][tag]
        return str(row["statement"][:start] + new + row["statement"][end:])

    return mutate


def _word(pattern: str, new: str) -> Callable[[Row], str]:
    return lambda row: _swap(row["statement"], pattern, new)


def _zh(lang_en: Callable[[Row], str], lang_zh: Callable[[Row], str]) -> Callable[[Row], str]:
    return lambda row: lang_zh(row) if row["lang"] == "zh" else lang_en(row)


def _unit(row: Row) -> str:
    text = row["statement"]
    for old, new in (("days", "weeks"), ("day", "week"), ("months", "years"), ("month", "year"), ("years", "months"),
                     ("year", "month"), ("weeks", "days"), ("个工作日", "个月"), ("日内", "年内"), ("个月", "年"),
                     ("年", "个月"),
                     ("日", "年")):  # fmt: skip
        if old in text:
            return str(text.replace(old, new, 1))
    return str(text)


MUTATIONS: dict[str, Callable[[Row], str]] = {
    "change_digit": _digit,
    "transpose_digits": _transpose,
    "30_to_13": _word(r"30|三十", "13"),
    "change_unit": _unit,
    "change_currency": _zh(_word(r"£|\$|€|GBP|USD|EUR", "¥"), _word("美元|欧元|(?<![美欧])元", "日元")),
    "wan_to_yuan": _word("万元", "元"),
    "working_days": _word(r"[Ww]orking days|[Bb]usiness [Dd]ays|个工作日", "days"),
    "swap_parties": _parties,
    "drop_not": _zh(_word(r"\b(?:not|never) ", ""), _word("不得|不", "")),
    "add_not": _zh(_word(r"\b(shall|must|may|will|is|are)\b", r"\1 not"), _word("(应当|可以|须|应|必须|可)", r"不\1")),
    "must_to_may": _word(r"\b(?:must|shall)\b", "may"),
    "may_to_must": _word(r"\bmay\b", "must"),
    "must_not_to_may": _word(r"\b(?:must|shall|may) not\b", "may"),
    "应当_to_可以": _word("应当|必须|须|应", "可以"),
    "可以_to_应当": _word("可以|可|有权", "应当"),
    "不得_to_可以": _word("不得|禁止", "可以"),
    "drop_clause": _without_clause,
    "and_to_or": _zh(_span_word("and_to_or", "or"), _span_word("and_to_or", "或者")),
    "or_to_and": _zh(_span_word("or_to_and", "and"), _span_word("or_to_and", "和")),
    "before_after": _zh(
        lambda row: _flip(row["statement"], (("before", "after"), ("after", "before"))),
        lambda row: _flip(row["statement"], (("前", "后"), ("后", "前"))),
    ),
    "within_to_after": _zh(_word(r"\bwithin\b", "after"), _word("内", "后")),
    "limit_flip": _zh(
        lambda row: _flip(row["statement"], (("at least", "at most"), ("up to", "at least"), ("not exceed", "exceed"),
                                             ("at most", "at least"), ("more than", "less than"))),
        lambda row: _flip(row["statement"], (("以上", "以下"), ("以下", "以上"), ("不超过", "不少于"),
                                             ("不低于", "不高于"), ("不少于", "不超过"), ("不得超过", "不得少于"),
                                             ("超过", "不足"))),
    ),
    "drop_prior_written": _word(r"(?:prior )?written ", ""),
    "drop_书面": _word("书面", ""),
}  # fmt: skip


def _flip(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        if old in text:
            return text.replace(old, new, 1)
    return text


def mutants(row: Row) -> dict[str, str]:
    """The false statements of a row by mutation; those that a rule leaves as they are are left out."""
    made = {tag: MUTATIONS[tag](row) for tag in row["tags"] if tag in MUTATIONS}
    return {tag: text for tag, text in made.items() if text != row["statement"]}
