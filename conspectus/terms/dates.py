"""Explicit dates with what they are for and, where only one reading is possible, their ISO form.

03/04/2025 is a day in March or in April: it stays as written, with a note. A date whose day or month is left blank
([·] day of [·], 2019) is a row too: who fills it in must find it. What a date is for is decided by the nearest word
before it, else after it.
"""

import re
from collections.abc import Iterator
from datetime import date

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.evidence.zh_numbers import chinese_number
from conspectus.terms.words import clip

MONTHS = {
    name: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
_MONTH = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
_BLANK = r"\[[\s·•*_.…]*\]|_{2,}"
_ZH_DIGITS = "0-9〇○零一二三四五六七八九十"
_DATE = re.compile(
    rf"\b(?P<d1>[0-9]{{1,2}})\s?(?:st|nd|rd|th|"
    rf"t\s?h)?\s+(?:day\s+of\s+)?(?P<m1>{_MONTH})\b\.?\s?,?\s+(?P<y1>[0-9]{{4}})\b|"
    rf"\b(?P<m2>{_MONTH})\b\.?\s+(?P<d2>[0-9]{{1,2}})\s?(?:st|nd|rd|th)?\s?,?\s+(?P<y2>[0-9]{{4}})\b|"
    r"\b(?P<y3>[0-9]{4})-(?P<m3>[0-9]{2})-(?P<d3>[0-9]{2})\b|"
    r"(?<![0-9./])(?P<a>[0-9]{1,2})(?P<sep>[./])(?P<b>[0-9]{1,2})(?P=sep)(?P<y4>[0-9]{4}|[0-9]{2}(?=[^0-9]|"
    r"$))(?![./]?[0-9])|"
    rf"(?P<blank>(?:(?:{_BLANK})\s*(?:day\s+of\s+)(?:{_BLANK}|(?:{_MONTH})\b)|\b(?:{_MONTH})\s+(?:{_BLANK})|"
    rf"(?:{_BLANK}))\s*,\s*[0-9]{{2}}(?:[0-9]{{2}}|{_BLANK}))|"
    rf"\b(?P<d5>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?(?P<m5>{_MONTH})\b|"
    rf"\b(?P<m6>{_MONTH})\s+(?P<d6>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?!,? ?[0-9]{{2}})|"
    rf"(?P<y7>[0-9〇○零一二三四五六七八九]{{4}})\s*年\s*(?P<m7>[{_ZH_DIGITS}]{{1,3}})"
    rf"\s*月\s*(?:(?P<d7>[{_ZH_DIGITS}]{{1,3}})\s*日)?|"
    rf"(?P<m8>[{_ZH_DIGITS}]{{1,3}})月(?P<d8>[{_ZH_DIGITS}]{{1,3}})日",
    re.I,
)
AMBIGUOUS = "day or month first? as written"
BLANK = "left blank in the document"
YEARLY = "no year is said"
NO_DAY = "no day is said"
NO_SUCH = "no such day in the calendar"

_ROLES_EN = (
    ("agreement", r"dated?|entered into|executed|signed|made(?= (?:as of|on|this|effective|and (?:entered|effect)))"),
    ("publication", r"published|laid before|passed|enacted|approved|signed into law"),
    ("effective", r"effective|in(?:to)? force|commenc\w+|begin\w*|start\w*|(?:takes?|with) effect|from|occupy"),
    ("expiry", r"expir\w*|end(?:s|ing|ed)?|until|through|cease[sd]?|no later effect|lapse\w*|to and including"),
    ("termination", r"terminat\w+|may end|break|cancel\w*"),
    ("renewal", r"renew\w*|extend\w*|extension|anniversary"),
    ("notice", r"notice|notif\w+|served|serve"),
    ("payment", r"pay\w*|paid|instalments?|installments?|fee|rent|invoices?|due|deposit"),
    ("delivery", r"deliver\w*|ship\w*|handed? over"),
    ("review", r"review\w*|report\w*|audit\w*"),
    ("deadline", r"on or before|not later than|no later than|by|before|prior to"),
)  # fmt: skip
_ROLES_ZH = (
    ("publication", "公布|发布|通过|常务委员会|代表大会|修订|修正|印发|颁布"),
    ("agreement", "签订|签署|订立"),
    ("effective", "施行|生效|起算|开始|自|起"),
    ("expiry", "届满|到期|终止|截止|止|至"),
    ("renewal", "续期|续签|延续|续展|续租"),
    ("notice", "通知"),
    ("payment", "支付|付款|缴纳|交纳|付清|租金"),
    ("delivery", "交付|交货|移交"),
    ("review", "报告|审查|评估"),
    ("deadline", "之前|以前|前"),
)


def _compiled(roles: tuple[tuple[str, str], ...], whole: bool) -> re.Pattern[str]:
    edge = r"\b" if whole else ""
    names = (f"(?P<{name}>{edge}(?:{words}){edge})" for name, words in roles)
    return re.compile("|".join(names), re.I)


_ROLE = {Language.EN: _compiled(_ROLES_EN, True), Language.ZH: _compiled(_ROLES_ZH, False)}
_THIS = re.compile(r"\bthis\b[^.;]{0,500}$|^\W*(?:made|dated|date)\b", re.I | re.S)
_OTHER = re.compile(
    r"\b(?:the|an?|its|such|certain|that)\s[^.;]{0,120}\b(?:dated|made|executed|entered into)[^.;]{0,30}$", re.I
)
WINDOW = {Language.EN: 90, Language.ZH: 24}
_STOP = re.compile(r"[;。；]|\.\s|, and |\band the\b")
_EFFECTIVE_TERM = re.compile(r"^[\s,]*\(?(?:the )?[“\"](?P<term>[^”\"]{3,40})[”\"]")


def role_of(text: str, start: int, end: int, language: Language) -> str:
    """What the date or period at `text[start:end]` is for, from the words near it; '' where none of them says."""
    if (term := _EFFECTIVE_TERM.match(text[end : end + 60])) and (cue := _ROLE[language].search(term["term"])):
        return str(cue.lastgroup)
    window = WINDOW[language]
    before = text[max(0, start - window) : start]
    after = text[end : end + window]
    cut = list(_STOP.finditer(before))
    before = before[cut[-1].end() :] if cut else before
    stop = _STOP.search(after)
    after = after[: stop.start()] if stop else after
    earlier = [match.lastgroup or "" for match in _ROLE[language].finditer(before)]
    later = _ROLE[language].search(after)
    if language is Language.ZH and later:
        named = [match.lastgroup or "" for match in _ROLE[language].finditer(after)]
        # 于某日前支付: the payment, not the limit.
        return next((name for name in named if name != "deadline"), named[0])
    if earlier and earlier[-1] == "agreement":
        said = text[max(0, start - 600) : start]
        return "other document" if _OTHER.search(said) and not _THIS.search(said) else "agreement"
    if earlier:
        strong = [name for name in earlier if name not in ("deadline", "effective")]
        # "pay on or before 25 March": the payment, not the limit; "from 25 March" is a start whatever went before.
        if earlier[-1] == "deadline" and strong:
            return strong[-1]
        return earlier[-1]
    return str(later.lastgroup) if later else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() else chinese_number(text)


def _month(text: str) -> int:
    if text[0].isalpha() and text.isascii():
        return next(number for name, number in MONTHS.items() if name.startswith(text.lower()[:3]))
    return _number(text)


def iso(match: re.Match[str]) -> tuple[str, str]:
    """(ISO form, note) of a match of the date pattern; the ISO form is empty where the words do not settle it."""
    group = match.groupdict()
    if group["blank"]:
        return "", BLANK
    if group["a"]:
        a, b = int(group["a"]), int(group["b"])
        year = int(group["y4"]) if len(group["y4"]) == 4 else 0
        dotted = group["sep"] == "."
        # Dots are day first wherever they are used; with strokes only a number above twelve tells.
        day, month = (a, b) if dotted or a > 12 else (b, a)
        if not year or (not dotted and a <= 12 and b <= 12 and a != b):
            return "", AMBIGUOUS
        return _checked(year, month, day)
    for n in "1237":
        if group[f"y{n}"]:
            year, month = _number(group[f"y{n}"]), _month(group[f"m{n}"])
            if not group[f"d{n}"]:
                return (f"{year:04d}-{month:02d}", NO_DAY) if 1 <= month <= 12 else ("", NO_SUCH)
            return _checked(year, month, _number(group[f"d{n}"]))
    return "", YEARLY


def _checked(year: int, month: int, day: int) -> tuple[str, str]:
    try:
        return date(year, month, day).isoformat(), ""
    except ValueError:
        return "", NO_SUCH


_NOT_A_MONTH = re.compile(r"^(?:may|mar|sec)\b", re.I)


def spans(text: str) -> Iterator[re.Match[str]]:
    """The explicit dates of a text, blank ones and those without a year included."""
    for match in _DATE.finditer(text):
        # "may 5" is a verb before a number unless it is written as a month.
        month = match["m6"] or match["m5"] or match["m1"] or match["m2"]
        if month and _NOT_A_MONTH.match(month) and not month[0].isupper():
            continue
        yield match


def about(text: str, start: int, end: int, language: Language) -> str:
    """The words around a value, as a name for it, cut at words."""
    before_length, after_length = (60, 70) if language is Language.EN else (24, 24)
    before, after = text[max(0, start - before_length) : start], text[start : end + after_length]
    if start > before_length and " " in before:
        before = before[before.find(" ") + 1 :]
    if end + after_length < len(text):
        cut = after.rfind(" ", end - start)  # never within the value itself
        after = f"{(after[:cut] if cut > 0 else after).rstrip(' ,;:')}…"
    return f"{'…' if start > before_length else ''}{before}{after}"


def find_dates(text: str, sentence: int, language: Language) -> Iterator[KeyTerm]:
    """The date rows of a sentence's own words."""
    for match in spans(text):
        start, end = match.span()
        form, note = iso(match)
        role = role_of(text, start, end, language)
        yield KeyTerm(
            TermKind.DATE, about(text, start, end, language), match[0].strip(), sentence, role, form, note
        )  # fmt: skip


_DEFINED = re.compile(
    r"(?:effective|made|dated|entered into)[^.;()]{0,30}?(?:as of|on|from) (?P<date>(?:the )?(?:date|day|"
    r"closing)\b[^.;“\"]{0,120}?)"
    r"\s*\((?:the )?[“\"](?P<term>[A-Z][^”\"]{2,40}Date)[”\"]\)",
    re.I,
)
DEFINED = "hangs on an event"


def find_defined_dates(text: str, sentence: int) -> Iterator[KeyTerm]:
    """A date that is named and hangs on an event: effective as of the date of the Closing (the "Effective Date")."""
    for match in _DEFINED.finditer(text):
        if not _DATE.search(match["date"]):
            role = "effective" if "ffective" in match["term"] else ""
            yield KeyTerm(TermKind.DATE, match["term"], match["date"].strip(), sentence, role, "", DEFINED)


_EVENT_SUBJECT = (
    r"\b(?:this (?:agreement|lease|contract|deed|charter|licen[cs]e)|the (?:agreement|(?:initial |"
    r"renewal )?term\b)|[A-Z]\w+[’']s appointment|appointment)\b"
)
_EVENT_VERB = re.compile(
    rf"{_EVENT_SUBJECT}[^.;]{{0,160}}?\b(?:shall|will|is|may)?\s*(?:\w+ly\s+)?(?P<verb>commences?|"
    rf"be(?:come)? effective|continues?|remains?|expires?|terminates?|ends?|renews?|renewed|stays?|extended|"
    rf"extends?|effective (?:as of|on|from))\b"
    r"(?P<rest>[^;]{4,260})",
    re.I,
)
_EVENT_POINT = re.compile(
    r"\b(?:until|upon|on the|as of the|in perpetuity|perpetual|so long as|earlier|later|last|expire|"
    r"expiration|automatically|in accordance with)\b",
    re.I,
)
_EVENT_ROLES = (
    ("renewal", "renew|exten|stay"),
    ("effective", "commenc|effective"),
    ("expiry", "expir|terminat|end|continu|remain"),
)


def find_event_dates(text: str, sentence: int) -> Iterator[KeyTerm]:
    """When the document itself begins, ends or goes on, where that hangs on an event and no date or number is said."""
    for match in _EVENT_VERB.finditer(text):
        rest = re.split(r"\.\s|\.$", match["rest"])[0]
        right = re.search(r"\b(?:may|to|right to|must|not)\s+(?:\w+ly\s+)?$", text[: match.start("verb")][-24:], re.I)
        other = re.match(r"\s*(?:this\b|the Agreement|to \w+|following\b|[A-Z]|,|of\b)", rest)
        if right or other or not _EVENT_POINT.search(rest) or _DATE.search(rest):
            continue
        verb = match["verb"].lower()
        role = next((name for name, words in _EVENT_ROLES if re.search(words, verb)), "")
        value = clip(f"{match['verb']}{rest}".strip(" ,"), 240).removesuffix("…")
        yield KeyTerm(TermKind.DATE, about(text, *match.span("verb"), Language.EN), value, sentence, role, "", DEFINED)
