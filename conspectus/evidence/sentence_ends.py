"""Where sentences end in prose.

English: nupunkt (Bommarito, Katz and Bommarito, arXiv 2504.04131; trained on legal text, pure Python) proposes, and
the rules here take back or add what benchmarks/sentences/compare.py showed it to get wrong. Chinese: by rule.
All offsets are into the text that is given.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from conspectus.document import Language, Span

if TYPE_CHECKING:
    from nupunkt import PunktSentenceTokenizer

_CLOSING = "\"”’')\\]"
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
# A list whose items stand apart: the next item, or the words after one, belong to the sentence.
_RUNS_ON = re.compile(r"(?:[:;,]|[;,]\s*(?:and|or|and/or))\s*$")
_ITEM = re.compile(r"\((?:[a-z]{1,2}|[ivx]{1,5}|[0-9]{1,2}|[A-Z])\)|[a-z]")

# Before a figure these are never the end: No. 5, Sec. 3.2(a), p. 13, 90 Stat. 2541.
_REFERENCE = re.compile(
    r"\b(?:Nos?|Secs?|Arts?|[Pp]aras?|Cls?|cls?|Regs?|Chs?|Sch|Pts?|Vols?|vols?|Figs?|pp?|Stat|Exhs?|App|Tit|Bldg|Apt|"
    r"Ste|Rm|Tel|Ext|POB|approx|est|ca)\.$"
)
_FIGURE = re.compile(r"[0-9(§$£€#]|[IVX]+\b")
_COMPANY = re.compile(r"\b(?:INC|LTD|CORP|CO|L\.P|L\.L\.C|LLC|N\.A|S\.A|PLC|BROS|Inc|Ltd|Corp|Co)\.$")
_GOES_ON = re.compile(
    r"(?:HAS|HAVE|HAD|IS|ARE|WAS|WERE|IF|AND|OR|BUT|NOR|OF|FOR|BY|WITH|FROM|SHALL|WILL|MAY|MUST|THAT|WHICH|WHO|DOES|"
    r"AGREES|DBA|D/B/A)\b"
)
_INITIAL = re.compile(r"(?<![\w.])[A-Z]\.$")
_LETTERED = re.compile(
    r"\b(?:Exhibit|Schedule|Annex|Appendix|Part|Attachment|Addendum|Section|Phase|Class|Tier)\s+[A-Z]\.$"
)
_BOX = re.compile(r"\bP\.?\s?[O0]\.$|\bPOB\.$")
# What is nothing but the number of what follows: `1.`, `(a)`, `G. i).`, `ARTICLE 1.`, `Section 3.2.`
_MARK = r"(?:[(\[]?(?:[0-9]{1,3}(?:\.[0-9]{1,3})*|[ivxlcIVXLC]{1,6}|[A-Za-z]{1,2})[)\]]?[.)]?|[#*•·-]{1,3})"
_ONLY_MARKS = re.compile(
    rf"\s*(?:(?:ARTICLE|Article|SECTION|Section|Sec\.|Art\.|§§?|PART|Part|CHAPTER|Chapter|CLAUSE|Clause)\s*)?"
    rf"{_MARK}(?:\s+{_MARK}){{0,2}}\s*"
)
_ENUMERATOR = re.compile(r"(?:[ivx]{1,5}|[a-z])[.)]|[a-z]\s{2,}[A-Z]")
_LOOK_BACK = 24
# "... publish the code.\n7. Where ...": the number belongs to what follows.
_NUMBER_AT_LINE = re.compile(r"\s*\n\s*(?:[0-9]{1,3}|[A-Za-z]|[ivx]{1,5})\.$")
_LEADS_TO_NUMBER = re.compile(
    r"(?:\b(?:of|and|or|the|to|in|by|under|than|section|article|clause|paragraph|page|part|rule|nos?)\.?|[,(–-])$", re.I
)

# An end that looks like an abbreviation, given away by what the next line begins with: a defined term, a number.
_NEW_LINE = re.compile(
    rf"\.[{_CLOSING}]*(?=[ \t]*\n\s*(?:"
    r"[“\"][^”\"\n]{1,60}[”\"]\s+(?:means?|has|have|shall|is|are|includes?|refers?)\b"
    r"|[0-9]{1,2}\.[0-9]{1,2}(?:\.[0-9]+)*\.?\s+[A-Z“\"]|(?:[0-9]{1,3}|[ivx]{1,4})\.\s+[A-Z“\"]|\((?:[a-z]|[ivx]{1,5}|[0-9]{1,2})\)\s+[A-Z]"
    r"|(?:ARTICLE|Article|SECTION|Section)\s+[0-9IVX]))"
)
# A citation stands as a sentence after the one that it supports: "... of the Code. Pub. L. No. 87-773, 76 Stat. 775."
_CITATION = re.compile(rf"\.[{_CLOSING}]*(?=\s+(?:Pub\.\s*L\.\s|Id\.(?:\s|$)|See,?\s+(?:e\.g\.|also\s|id\.)))")
_CITED = re.compile(r"\bStat\.\s+[0-9]{1,5}(?:[,–-]\s*[0-9]{1,5})*\.(?=\s+[A-Z“])")
# A heading over the first paragraph of an article: "Processing which needs no name\n1. If ...".
_HEADED = re.compile(r"(?<=\n)[ \t]*[A-Z][^\n.;:,]{2,80}(?=\n[ \t]*1\.\s+[A-Z])")
# The number of a footnote sticks to the full stop: "... nonanalog format.7".
_FOOTNOTED = re.compile(r"(?<=[a-z)”\"])\.[0-9]{1,3}(?=[ \t]*\n\s*[“\"(]?[A-Z(])")
# Words that nupunkt takes for abbreviations ("continue to be met. Certification ...").
_PLAIN_WORD = re.compile(
    rf"(?<![\w.@/-])(?!(?:approx|est|seq|etc|vols?|secs?|paras?|cls?|figs?|arts?|eds?|dept|tel|ext|incl|resp|min|max|"
    rf"ave|viz|nos|regs|subpara|subsec|supp|app|art|cert|rev|assn)\.)[a-z]{{3,}}\.[{_CLOSING}]*(?=\s+[“\"(]?[A-Z])"
)
_OPENER = re.compile(
    rf"(?<![\w.])(?!(?:v|vs|Nos?|Mr|Mrs|Ms|Dr|Messrs|St|Prof|Hon)\.)[A-Za-z0-9.]*[A-Za-z0-9]{{2}}\.[{_CLOSING}]*"
    r"(?=\s+(?:The|This|These|Those|Such|Each|If|It|They|There|No|Nothing|Any|All|However|Notwithstanding)\s+[a-z])"
)
_RECITAL = re.compile(r"[;,.](?:\s{1,40}and)?(?=[ \t]*\n\s*(?:WHEREAS|Whereas|NOW,? THEREFORE)\b)")
_EXHIBIT = re.compile(
    rf"\b(?:Exhibit|Schedule|Annex|Appendix|Part|Attachment|Addendum)\s+[A-Z]\.[{_CLOSING}]*(?=\s+(?:The|This|That|Each|"
    r"Any|All|If|In|No|Such|For|Where|When|Upon|Unless|Notwithstanding|Subject|Except|It|These|Those)\b)"
)

_ADDED = (_NEW_LINE, _PLAIN_WORD, _OPENER, _CITATION, _CITED, _HEADED, _FOOTNOTED, _RECITAL, _EXHIBIT)

_END_ZH = re.compile(r"(?:[。！？]|(?<=[\u3400-\u9fff])[!?])+[”’」』）)]*")
# A quotation or a bracket that closes in mid-sentence: “应当备案。”的规定
_GOES_ON_ZH = re.compile(r"[的、，；：,;:等及和或与为是之一字者时]")
_BRACKET_ZH = re.compile(r"[（(][^（(）)\n]{1,120}[）)]")
_LATIN_END = re.compile(
    r"(?<=[a-z]{2})(?<!\bInc)(?<!\bLtd)(?<!Corp)[.?!][\"”’)]*(?=\s+(?:[A-Z][a-z]|[\u3400-\u9fff])|\s*$)"
)


@cache
def _tokenizer() -> "PunktSentenceTokenizer":
    # Loaded on first use: 20 ms that a run which reads everything from the cache need not pay.
    import nupunkt

    return nupunkt.load("default")


def sentence_spans(text: str, start: int, end: int, language: Language) -> Iterator[Span]:
    """The sentences of `text[start:end]`, without white space at their ends; together they hold all its words."""
    ends = _ends_zh(text, start, end) if language is Language.ZH else _ends_en(text, start, end)
    at = start
    for stop in (*ends, end):
        inner = text[at:stop]
        bare = inner.strip()
        if bare:
            first = at + inner.index(bare[0])
            yield Span(first, first + len(bare))
        at = stop


def _ends_en(text: str, start: int, end: int) -> list[int]:
    ends: set[int] = set()
    at = start
    for gap in _BLANK_LINE.finditer(text, start, end):
        if _RUNS_ON.search(text, max(start, gap.start() - 12), gap.start()) and _ITEM.match(text, gap.end(), end):
            continue
        ends.update(_ends_of_paragraph(text, at, gap.start()))
        ends.add(gap.start())
        at = gap.end()
    ends.update(_ends_of_paragraph(text, at, end))
    if not text[start:end].isascii():
        ends.update(_ends_cjk(text, start, end))
    kept: list[int] = []
    at = start
    for stop in sorted(ends):
        # A number alone goes with what it numbers.
        if stop - at < 40 and _ONLY_MARKS.fullmatch(text, at, stop):
            continue
        kept.append(stop)
        at = stop
    return kept


def _ends_of_paragraph(text: str, start: int, end: int) -> Iterator[int]:
    """The ends in a stretch without blank lines, the last one left out."""
    part = text[start:end]
    if not part.strip():
        return
    for _, stop in _tokenizer().spans(part, paragraph_breaks=False):
        stop += start
        if (number := _number_before(text, start, stop)) is not None:
            yield number
        elif stop < end and not _taken_back(text, start, stop, end):
            yield stop
    for pattern in _ADDED:
        for match in pattern.finditer(text, start, end):
            if not _REFERENCE.search(text, max(start, match.start() - _LOOK_BACK), match.start() + 1):
                yield match.end()


def _number_before(text: str, start: int, stop: int) -> int | None:
    """Where the sentence ends if what ends at `stop` is the number of the next one, at the start of a line."""
    number = _NUMBER_AT_LINE.search(text, max(start, stop - _LOOK_BACK), stop)
    if not number:
        return None
    back = max(start, number.start() - _LOOK_BACK)
    leads = _LEADS_TO_NUMBER.search(text, back, number.start()) or _REFERENCE.search(text, back, number.start())
    return None if leads else number.start()


def _taken_back(text: str, start: int, stop: int, end: int) -> bool:
    """True where nupunkt sees an end at `stop` and there is none."""
    after = stop
    while after < end and text[after].isspace():
        after += 1
    if after >= end:
        return False
    following = text[after]
    if following in "—–.,;:" or (
        following == "-" and text[after : after + 2] != "--" and text[after + 1 : after + 2].strip()
    ):
        return True
    if text[stop - 1] in "?!":
        return False
    if following.islower():
        return not (_ENUMERATOR.match(text, after, end) and "\n" in text[stop:after])
    back = max(start, stop - _LOOK_BACK)
    if _BOX.search(text, back, stop) or text.startswith("Box ", after):
        return True
    if _REFERENCE.search(text, back, stop) and _FIGURE.match(text, after):
        return True
    if _COMPANY.search(text, back, stop) and _GOES_ON.match(text, after):
        return True
    return bool(_INITIAL.search(text, back, stop)) and not _LETTERED.search(text, max(start, stop - 40), stop)


def _ends_zh(text: str, start: int, end: int) -> list[int]:
    return sorted({*_ends_cjk(text, start, end), *(match.end() for match in _LATIN_END.finditer(text, start, end))})


def _ends_cjk(text: str, start: int, end: int) -> list[int]:
    stops = list(_END_ZH.finditer(text, start, end))
    if not stops:
        return []
    closed = [match.span() for match in _BRACKET_ZH.finditer(text, start, end) if _END_ZH.search(match[0])]
    ends: list[int] = []
    for match in stops:
        if match[0][-1] in "”’」』）)" and match.end() < end and _GOES_ON_ZH.match(text, match.end()):
            continue
        if any(
            left < match.start() and match.end() < right + (text[right : right + 1] > " ") for left, right in closed
        ):
            continue
        ends.append(match.end())
    return ends
