"""The clause tree of a document from its numbering: English, Chinese, and paragraphs where there is none.

A line is a heading when it starts with a number in one of the known forms *and* that number is part of the sequence at
its level (conspectus/numbering.py). The second test keeps cross references at the start of a line in the body.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from conspectus.document import Clause, ClauseKind, Document, Language
from conspectus.numbering import ARTICLE_LEVEL, Heading, in_sequence
from conspectus.text import fold
from conspectus.zh_numbers import chinese_number

_ROMAN = re.compile(r"^(?=[IVXLC])(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ZH_DIGITS = "一二三四五六七八九十百千零〇两"
_CONTAINER_EN = re.compile(
    r"[ \t]*(?P<kind>PART|CHAPTER|TITLE|SCHEDULE|ANNEX|APPENDIX|EXHIBIT|"
    r"Part|Chapter|Title|Schedule|Annex|Appendix|Exhibit)"
    r"[ \t]+(?P<number>[0-9]{1,3}|[IVXLC]{1,7}|[A-Z])\b(?P<rest>[^\n]*)"
)
_ARTICLE_EN = re.compile(
    r"[ \t]*(?P<kind>ARTICLE|Article|SECTION|Section|Sec\.|§|CLAUSE|Clause)[ \t]*"
    r"(?P<number>[0-9]{1,4}[A-Z]?(?:\.[0-9]{1,3})*|[IVXLC]{1,7})\b(?P<rest>[^\n]*)"
)
_NUMBERED_EN = re.compile(r"[ \t]*(?P<number>[0-9]{1,3}(?:\.[0-9]{1,3}){0,3})(?P<dot>\.?)[ \t]+(?P<rest>[^\n]*)")
_ZH = re.compile(
    rf"[ \t　]*第(?P<number>[{_ZH_DIGITS}0-9]{{1,9}})(?P<kind>分编|编|章|节|条)"
    rf"(?P<sub>之[{_ZH_DIGITS}]+)?(?P<rest>[^\n]*)"
)
_ANNEX_ZH = re.compile(
    rf"[ \t　]*(?P<kind>附件|附录|附表)(?P<number>[{_ZH_DIGITS}0-9]{{0,3}})(?P<rest>[^\n]{{0,40}})$", re.M
)
_REFERENCE_AFTER = re.compile(
    r"[ \t]*(?:\([a-z0-9]{1,4}\)[ \t]*)*(?:,|;|of\b|or\b|and\b|to\b|above\b|below\b|"
    r"hereof\b|shall\b|applies\b|is\b|in\b|does\b|may\b)"
)
_ZH_REFERENCE_AFTER = re.compile(r"(?:、|，|。|；|和|至|或|及|第|规定|所|的|款|项)")
_TOC_LINE = re.compile(r"(?:\.{3,}|…{2,}|·{3,}|\s{3,})\s*[0-9ivxlc]{1,4}\s*$")
_BODY_PARAGRAPH = re.compile(r"\n[ \t]*\n")
PARAGRAPH_MIN = 200


def _value(text: str) -> int:
    """The value of 12, 12A, XII, or B (letters count from 1)."""
    digits = re.match(r"[0-9]+", text)
    if digits:
        return int(digits[0])
    if _ROMAN.match(text):
        values = [_ROMAN_VALUES[char] for char in text]
        return sum(-value if value < following else value for value, following in pairwise([*values, 0]))
    return ord(text[0]) - ord("A") + 1


_LEVEL_EN = {"title": 0, "part": 1, "schedule": 1, "annex": 1, "appendix": 1, "exhibit": 1, "chapter": 2}
_LEVEL_ZH = {"编": 0, "分编": 1, "章": 2, "节": 3, "条": 5}


def _english(line: str, start: int) -> Heading | None:
    end = start + len(line)
    if match := _CONTAINER_EN.match(line):
        kind, rest = match["kind"].lower(), match["rest"]
        if not _REFERENCE_AFTER.match(rest) and not rest.rstrip().endswith((".", ",", ";")):
            value = _value(match["number"])
            return Heading(
                start, _LEVEL_EN[kind], kind, (value,), f"{match['kind'].title()} {match['number']}", rest, end
            )
    if match := _ARTICLE_EN.match(line):
        kind, number, rest = match["kind"], match["number"], match["rest"]
        if _REFERENCE_AFTER.match(rest):
            return None
        values = tuple(_value(part) for part in number.split("."))
        likely = not rest.strip() or rest.lstrip(" .:—–-")[:1].isupper()
        printed = f"§ {number}" if kind == "§" else f"{kind.rstrip('.').title()} {number}".replace("Sec ", "Sec. ")
        return Heading(start, ARTICLE_LEVEL + len(values) - 1, "article", values, printed, rest, end, likely)
    if match := _NUMBERED_EN.match(line):
        number, rest = match["number"], match["rest"]
        dotted = "." in number
        if not rest[:1].isupper() and not (dotted and rest[:1] in '("“'):
            return None
        if not dotted and not match["dot"]:
            return None
        values = tuple(int(part) for part in number.split("."))
        return Heading(start, ARTICLE_LEVEL + len(values) - 1, "numbered", values, number, rest, end)
    return None


def _chinese(line: str, start: int) -> Heading | None:
    end = start + len(line)
    if match := _ZH.match(line):
        rest = match["rest"]
        if _ZH_REFERENCE_AFTER.match(rest):
            return None
        kind = match["kind"]
        sub = match["sub"] or ""
        values = (chinese_number(match["number"]), chinese_number(sub[1:]) if sub else 0)
        printed = f"第{match['number']}{kind}{sub}"
        likely = rest[:1].isspace() or not rest
        return Heading(start, _LEVEL_ZH[kind], kind, values, printed, rest, end, likely)
    if match := _ANNEX_ZH.match(line):
        value = chinese_number(match["number"]) if match["number"] else 1
        return Heading(start, 0, "附", (value,), f"{match['kind']}{match['number']}", match["rest"], end)
    return _english(line, start)


def _candidates(document: Document) -> Iterator[Heading]:
    find = _chinese if document.language is Language.ZH else _english
    start = 0
    for line in document.text.split("\n"):
        heading = find(line, start) if not _TOC_LINE.search(line) else None
        if heading:
            yield heading
        start += len(line) + 1


def _units(found: list[Heading]) -> list[Heading]:
    """Where a document counts by articles, plain numbers inside them are paragraphs of an article, not clauses."""
    articles = sum(heading.level == ARTICLE_LEVEL and heading.kind == "article" for heading in found)
    if articles < 3:
        return found
    return [heading for heading in found if heading.kind != "numbered" or len(heading.values) > 1]


def _without_contents(found: list[Heading], text: str) -> list[Heading]:
    """Drops the table of contents: a leading run of headings with no body that all come again later.

    An entry of it is a heading whose text, up to the next heading, is at most two lines; the run must have three.
    """
    later: dict[tuple[str, str], int] = {}
    for position, heading in enumerate(found):
        later[(heading.kind, heading.number)] = position
    run = 0
    while run < len(found) - 1:
        heading = found[run]
        body = text[heading.line_end : found[run + 1].start]
        again = later[(heading.kind, heading.number)]
        if again == run or len(body.strip()) > 80:
            break
        run += 1
    # The last entry is followed by the body's first heading or its front matter, however long.
    if run >= 2 and run < len(found) and later[(found[run].kind, found[run].number)] > run:
        run += 1
    return found[run:] if run >= 3 else found


_VERB = re.compile(r"\b(?:shall|must|may|will|is|are|was|were|has|have|means?|applies|agrees?|can|does)\b")
_RUN_IN = re.compile(r"([A-Z][^.:;\n]{0,78}?)[.:](?:\s|$)")


def _heading_text(heading: Heading, text: str, upto: int) -> str:
    """The words of a heading: the rest of its line if it is no sentence, or the next line under a bare number."""
    rest = heading.rest.strip(" \t　:—–-")
    if not rest:
        following = text[heading.line_end + 1 : min(upto, heading.line_end + 200)].split("\n")[0].strip()
        return fold(following) if _titular(following) else ""
    if heading.kind == "条":
        return ""
    if _titular(rest):
        return fold(rest)
    run_in = _RUN_IN.match(rest)
    return fold(run_in[1]) if run_in and _titular(run_in[1]) and _capitalised(run_in[1]) else ""


def _titular(words: str) -> bool:
    """True for what may be a title: short, no full stop, no verb; a sentence taken for a title would be lost."""
    if not words or len(words) > 80 or words.endswith((".", ";", ",", "。", "；", "，")) or _VERB.search(words):
        return False
    return words[0].isupper() or (not words[0].isascii() and len(words) <= 40)


def _capitalised(words: str) -> bool:
    """True for a run-in heading such as "Notice of Default": most of its longer words begin with a capital."""
    longer = [word for word in words.split() if len(word) > 3] or words.split()
    return sum(word[0].isupper() for word in longer) * 2 > len(longer)


def _kind(heading: Heading) -> ClauseKind:
    if heading.level < ARTICLE_LEVEL:
        return ClauseKind.CONTAINER
    return ClauseKind.ARTICLE if heading.kind in ("article", "条") else ClauseKind.NUMBERED


def _clauses(headings: list[Heading], text: str) -> list[Clause]:
    clauses: list[Clause] = []
    if headings[0].start > 0:
        clauses.append(Clause("c0", ClauseKind.FRONT, "", "", (), 0, headings[0].start))
    open_: list[tuple[int, str]] = []
    for heading, following in pairwise([*headings, None]):
        assert heading is not None
        end = following.start if following else len(text)
        open_ = [(level, label) for level, label in open_ if level < heading.level]
        words = _heading_text(heading, text, end)
        path = tuple(label for _, label in open_)
        clauses.append(Clause(f"c{len(clauses)}", _kind(heading), heading.number, words, path, heading.start, end))
        open_.append((heading.level, f"{heading.number} {words}".strip()))
    return clauses


def _paragraphs(text: str) -> list[Clause]:
    """Without numbering: paragraphs, short ones joined to at least PARAGRAPH_MIN characters."""
    bounds = [0]
    for match in _BODY_PARAGRAPH.finditer(text):
        if match.end() - bounds[-1] >= PARAGRAPH_MIN and match.end() < len(text):
            bounds.append(match.end())
    bounds.append(len(text))
    return [
        Clause(f"c{index}", ClauseKind.PARAGRAPH, "", f"¶ {index + 1}", (), start, end)
        for index, (start, end) in enumerate(pairwise(bounds))
    ]


def find_clauses(document: Document) -> tuple[Clause, ...]:
    """The clauses of a document in order. They cover its text without gaps: `clauses[i].end == clauses[i + 1].start`.

    A document with fewer than three numbered headings is taken by paragraphs.
    """
    found = in_sequence(_without_contents(_units(list(_candidates(document))), document.text))
    if len(found) < 3:
        return tuple(_paragraphs(document.text))
    return tuple(_clauses(found, document.text))
