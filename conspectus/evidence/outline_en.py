"""English lines that may be headings: Article, Section, §, Part, Schedule, 1., 4.2, ARTICLE ONE, roman numerals."""

import re
from dataclasses import replace
from itertools import pairwise

from conspectus.evidence.numbering import (
    ARTICLE_LEVEL,
    LIMB_LEVEL,
    NUMBER_LEVEL,
    PARTS_LEVEL,
    SCHEDULE_LEVEL,
    SECTION_LEVEL,
    Heading,
)

_INDENT = r"[ \t\u00a0\u3000]*(?:#{1,6}[ \t]+)?(?:\*\*|__)?"
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_ROMAN = re.compile(r"(?=[IVXLC])(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CONTAINER = re.compile(
    _INDENT + r"(?P<kind>PART|CHAPTER|TITLE|SUBPART|SUBCHAPTER|DIVISION|SCHEDULE|ANNEX|APPENDIX|EXHIBIT|ATTACHMENT|"
    r"Part|Chapter|Title|Subpart|Subchapter|Division|Schedule|Annex|Appendix|Exhibit|Attachment)"
    r"[ \t\u00a0]+(?P<number>[0-9]{1,3}|[IVXLC]{1,7}|[A-Z])(?:-(?P<sub>[0-9]{1,2}))?(?![\w.-]*\w)(?P<rest>.*)"
)
_ARTICLE = re.compile(
    _INDENT + r"(?P<kind>ARTICLE|Article|SECTION|Section|Sec\.|SEC\.|§{1,2}|CLAUSE|Clause|REGULATION|Regulation)"
    r"[ \t\u00a0]*(?P<number>(?P<prefix>[A-Z]{1,2})?[0-9]{1,4}(?P<suffix>[A-Za-z])?(?:\.[0-9]{1,3})*|[IVXLC]{1,7}|"
    + "|".join(word.upper() + "|" + word.title() for word in reversed(_WORDS))
    + r")\b(?!-[0-9])(?P<rest>.*)"
)
_NUMBERED = re.compile(
    _INDENT + r"(?P<number>[1-9][0-9]{0,2}(?:\.[1-9][0-9]{0,2}){0,4})(?P<mark>[.)、．]?)(?P<gap>[ \t\u00a0\u3000]*)"
    r"(?P<rest>.*)"
)
_ROMAN_LINE = re.compile(_INDENT + r"(?P<number>[IVXLC]{1,6})\.[ \t\u00a0]+(?P<rest>[A-Z\"“].*)")
_LIMB = re.compile(
    _INDENT
    + r"(?:\((?P<a>[a-z]|[0-9]{1,2}|[A-Z])\)|(?P<b>[A-Za-z])[.)]|(?P<c>[ivx]{1,5})[.)])[ \t\u00a0]+(?P<rest>\S.*)"
)
_REFERENCE = re.compile(
    r"[ \t]*(?:\.?\([A-Za-z0-9]{1,4}\)[ \t]*)*(?:,|;|\)|of\b|or\b|and\b|to\b|above\b|below\b|through\b|"
    r"hereof\b|herein\b|hereto\b|thereof\b|shall\b|applies\b|is\b|in\b|does\b|may\b|as\b|will\b|"
    r"\([^)\n]{1,60}\)[ \t]*(?:of|,|and|or|hereof|shall)\b|\((?![ivx]+\))[a-z]+[ \t])|\.?\([A-Za-z0-9]{1,4}\)"
)
# What a line ends with that goes on: "pursuant to", "under", "Sections 3 and". Lower case only: titles are not prose.
_RUNS_ON = re.compile(
    r"(?:\b(?:in|of|to|under|with|by|see|per|from|the|this|that|for|on|at|as|than|pursuant|through|between|section|"
    r"sections|paragraph|clause|chapter|Section|Sections|Article|Articles|Clause|Chapter|Exhibit|Schedule)|"
    r"[^;,\s][ \t](?:and|or)|\()$"
)
# "Chapter 11" may be Chapter 1 with a footnote mark; the sequence decides.
_FOOTNOTED = re.compile(r"(?P<number>[1-9])(?P<note>[1-9])")
# "Chapter 1 · Notes" comes after the sections of chapter 1 and is none of them.
NOTES = re.compile(r"^[ \t\u00a0]*[·:—–-][ \t]*(?:end|foot)?notes[ \t]*$", re.I)
_LEVELS = {"title": 1, "part": 2, "subpart": 3, "division": 3, "chapter": 3, "subchapter": 4}
_TABLE_GAPS = re.compile(r"\S[ \t\u00a0]{3,}(?=\S)")
_STARTS = ('"', "“", "‘", "'", "[", "(", "*", "_", "<", "•")


def value_of(text: str) -> int:
    """The value of 12, XII, TWELVE, or B (letters count from 1)."""
    if text.isdecimal():
        return int(text)
    if text.lower() in _WORDS:
        return _WORDS.index(text.lower()) + 1
    if (_ROMAN.match(text.upper()) and len(text) > 1) or text in ("I", "V", "X"):
        values = [_ROMAN_VALUES[char] for char in text.upper()]
        return sum(-value if value < following else value for value, following in pairwise([*values, 0]))
    return ord(text[0].upper()) - ord("A") + 1


def _looks(rest: str) -> float:
    """How much what follows a number looks like a title: 1 for a capital or nothing at all, less for prose."""
    inner = rest.lstrip(" \t\u00a0.:·—–-")
    if not inner:
        return 0.8
    if not inner[0].islower():
        return 1.0
    return 0.4


def _container(match: re.Match[str], start: int, end: int, before: str) -> Heading | None:
    kind, rest = match["kind"].lower(), match["rest"]
    if _REFERENCE.match(rest) or rest.rstrip().endswith((".", ",", ";")) or _RUNS_ON.search(before):
        return None
    level = _LEVELS.get(kind, SCHEDULE_LEVEL)
    sub = match["sub"]
    number = f"{match['kind'].title()} {match['number']}" + (f"-{sub}" if sub else "")
    inner = rest.strip(" \t\u00a0.:·—–-")
    weight = 1.0 if not inner or not inner[0].islower() else 0.4
    if inner and match["kind"][1].islower():
        weight *= 0.8
    # Letters come first in most schedules; "Exhibit I" after H is a letter too, which the sequence cannot see here.
    value = value_of(match["number"])
    return Heading(start, level, kind, (value,), number, rest, end, weight, int(sub or 0))


def _article(match: re.Match[str], start: int, end: int, before: str) -> Heading | None:
    kind, number, rest = match["kind"], match["number"], match["rest"]
    if _REFERENCE.match(rest) or _RUNS_ON.search(before):
        return None
    suffix = match["suffix"] or ""
    prefix = match["prefix"] or ""
    parts = (
        number.removeprefix(prefix).replace(suffix, "", 1).split(".") if suffix else number[len(prefix) :].split(".")
    )
    values = tuple(value_of(part) for part in parts)
    word = {"§": "§", "§§": "§", "sec.": "section"}.get(kind.lower(), kind.lower())
    printed = f"{'§' if word == '§' else kind.title()} {number if number[0].isdecimal() or prefix else _case(number)}"
    single = ARTICLE_LEVEL if word == "article" else SECTION_LEVEL
    level = single if len(values) == 1 else PARTS_LEVEL + len(values)
    weight = _looks(rest)
    if word == "§" and re.match(r"[ \t\u00a0]*[.·:—–-]", rest):
        weight += 0.2
    return Heading(start, level, word + prefix, values, printed, rest, end, weight, value_of(suffix) if suffix else 0)


def _case(number: str) -> str:
    return number.title() if number.lower() in _WORDS else number


def _numbered(match: re.Match[str], start: int, end: int, before: str) -> Heading | None:
    number, mark, gap, rest = match["number"], match["mark"], match["gap"], match["rest"].strip()
    dotted = "." in number
    if len(_TABLE_GAPS.findall(rest)) >= 2 or _RUNS_ON.search(before):
        return None
    if not rest:
        # A number on a line of its own. The outline drops it where the next line is such a number again.
        weight = 0.5 if mark else 0.0
    elif not (gap or (mark and mark in "、．")):
        return None
    elif mark or dotted:
        weight = 1.0 if rest[0].isupper() else 0.8 if rest[0] in _STARTS else 0.7 if not rest[0].isascii() else 0.0
    else:
        title = len(rest) <= 60 and rest[0].isupper() and not rest.endswith((".", ",", ";")) and not rest[-1].isdigit()
        caps = rest.isupper() and len(rest) > 3
        apart = len(gap) > 1 or (len(rest) < 40 and (not before or before.endswith((".", ":", ";"))))
        weight = 0.4 if title and (caps or apart) else 0.0
    if not weight:
        return None
    values = tuple(int(part) for part in number.split("."))
    level = NUMBER_LEVEL if len(values) == 1 else PARTS_LEVEL + len(values)
    return Heading(start, level, "numbered", values, number, rest, end, weight)


def english(line: str, start: int, before: str) -> list[Heading]:
    """What a line may be the heading of; `before` is how the last line with words on it ends."""
    end = start + len(line)
    found: Heading | None = None
    if match := _CONTAINER.match(line):
        found = _container(match, start, end, before)
        if found and not match["rest"].strip() and (noted := _FOOTNOTED.fullmatch(match["number"])):
            number = found.number.removesuffix(noted["note"])
            return [
                found,
                replace(found, values=(int(noted["number"]),), number=number, rest=noted["note"], weight=0.85),
            ]
        if found and NOTES.search(match["rest"]):
            return [Heading(start, found.level, "title", (), "", line.strip(), end)]
    elif match := _ARTICLE.match(line):
        found = _article(match, start, end, before)
    elif match := _NUMBERED.match(line):
        found = _numbered(match, start, end, before)
    elif (match := _ROMAN_LINE.match(line)) and _ROMAN.match(match["number"]):
        value = value_of(match["number"])
        found = Heading(
            start, SECTION_LEVEL, "roman", (value,), match["number"], match["rest"], end, _looks(match["rest"])
        )
    return [found] if found else []


def limbs(line: str, start: int, before: str) -> list[Heading]:
    """(a), (1), A. at a line start: clauses where a document counts in no other way."""
    match = _LIMB.match(line)
    if not match or _RUNS_ON.search(before):
        return []
    mark = match["a"] or match["b"] or match["c"]
    style = "(" if match["a"] else "."
    kind = "digit" if mark.isdecimal() else "upper" if mark.isupper() else "lower"
    value = int(mark) if mark.isdecimal() else ord(mark[0].lower()) - 96
    if len(mark) > 1 and not mark.isdecimal():
        return []
    number = f"({mark})" if match["a"] else mark
    return [Heading(start, LIMB_LEVEL, f"limb{style}{kind}", (value,), number, match["rest"], start + len(line))]


def missing(before: Heading, after: Heading, text: str) -> list[Heading]:
    """Headings between two of one sequence whose numbers stand inside a line, glued to the sentence before them."""
    found: list[Heading] = []
    at = before.start + 1
    for value in range(before.values[-1] + 1, after.values[-1]):
        label = r"\.".join(map(str, (*before.values[:-1], value)))
        if before.kind == "numbered":
            pattern = rf"(?<=[.;:)\]”\"])[ \t]{{1,4}}(?P<label>{label})\.?[ \t]+(?=[A-Z“\"\[])"
        else:
            word = before.number.split()[0]
            pattern = rf"(?<=[.;:)\]”\"])[ \t]{{1,4}}(?P<label>{re.escape(word)}[ \t]*{label})(?=[.: ][ \t]*[A-Z“\"\[])"
        match = re.compile(pattern, re.I if before.kind != "numbered" else 0).search(text, at, after.start)
        if not match:
            continue
        at = match.end()
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        printed = match["label"] if before.kind == "numbered" else f"{before.number.split()[0]} {value}"
        values = (*before.values[:-1], value)
        rest = text[match.end("label") : end].lstrip(".")
        found.append(Heading(match.start("label"), before.level, before.kind, values, printed, rest, end))
    return found
