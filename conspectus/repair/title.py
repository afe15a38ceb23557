"""The title of a document from its first page: past exhibit numbers, logos and notices, over two lines if it wraps."""

import re
from collections.abc import Sequence

from conspectus.text import fold, ideographs

LONGEST = 100
_LINES = 45
_SKIP = re.compile(
    r"(?:(?:exhibit|ex|annex|schedule|appendix)[\s.-]*\(?[0-9a-z]{1,3}\)?(?:[.(][0-9a-z.()]*)?\)?$|page\b|"
    r"p\.\s*[0-9]|source:|rev(?:ision|\.)|(?:strictly )?(?:private and )?confidential\b|"
    r"execution (?:copy|version)|conformed copy|"
    r"final version|draft\b|dated?\b|"
    r"table of contents|contents$|index$|arrangement of|whereas|recitals?$|preamble|parties$|"
    r"certain (?:identified |confidential |portions)|this exhibit has|https?:|www\.|e-?mail|tel\b|statutory instrument|"
    r"by and (?:between|among)|"
    r"(?:by|between|among|and|from|of|to|for|under|with|the)$|in the (?:high|supreme|district)|"
    r"\[|（|\(|来源|目\s*录|序\s*言|附件|二〇|第[一二三四五六七八九十]+[编章节条])",
    re.I,
)
_KIND_EN = re.compile(
    r"\b(?:agreement|lease|contract|act|regulations?|licen[cs]e|deed|charter|constitution|code|law|statute|directive|"
    r"treaty|convention|terms|policy|rules|order|bylaws|articles of|guide|memorandum|amendment|addendum|plan|"
    r"prospectus|indenture|guaranty|guarantee|will|settlement|statement of work|bill)\b",
    re.I,
)
_KIND_ZH = re.compile(
    r"(?:法典|宪法|憲法|法|条例|合同|协议|协议书|规定|办法|细则|章程|决定|通知|规则|解释|契約書|規則|条款|准则)"
    r"(?:[（(][^（）()]{1,12}[）)])?$"
)
_VERB = re.compile(r"\b(?:shall|is|are|was|has|have|hereby|means|made|entered|will be)\b")
# A kind of document that has no name without the lines before it.
_BARE = re.compile(r"(?:regulations?|act|rules|order|code|bill|law)(?:,? [0-9]{4})?", re.I)
_PROSE = re.compile(r"\b(?:shall|is|are|was|has|have|hereby|means|made|entered|will be)\b|[.;,:。；，：]$|^[a-z0-9(]")
_OPEN = re.compile(r"(?:\b(?:of|for|to|on|in|and|the|under|with|between|among|regarding|as)|[-–—&,/])$", re.I)
_WRAPPED = re.compile(r"(?:of|for|to|under|on|in|and|with|rate)\b", re.I)


# The marks of a heading in a Markdown file.
_MARKUP = re.compile(r"^#{1,6}\s+|^\*\*(?=\S.*\*\*$)|(?<=\S)\*\*$")


def find_title(text: str) -> str:
    """The title: the first line or lines that name a kind of document, else the first that may be one; or ''.

    Lines in capitals come before others; a sentence is no title.
    """
    lines = [_MARKUP.sub("", fold(line)) for line in text.split("\n")[: 4 * _LINES] if line.strip()][:_LINES]
    named = [index for index, line in enumerate(lines) if _titular(line) and _names(line)]
    # A line in capitals wins only near the first that names a kind: further down it is a heading.
    loud = [index for index in named if lines[index].isupper() and index <= named[0] + 4]
    if first := (loud or named)[:1]:
        return _joined(lines, first[0])
    for line in lines:
        if _letters(line) >= 4 and not _SKIP.match(line):
            return _cut(line)
    return _cut(next((line for line in lines if _letters(line) >= 4), ""))


def _letters(line: str) -> int:
    return sum(char.isalpha() for char in line)


def _titular(line: str) -> bool:
    if _SKIP.match(line) or not 2 <= len(line) <= 130 or _letters(line) < 3:
        return False
    if line.isupper():
        return not line.endswith((".", ";", ":")) or len(line) < 60
    return not _PROSE.search(line)


def _names(line: str) -> bool:
    if ideographs(line):
        return bool(_KIND_ZH.search(line.replace(" ", "")))
    return bool(_KIND_EN.search(line))


def _joined(lines: Sequence[str], at: int) -> str:
    """The line with those before and after it that it wraps over."""
    start = end = at
    bare = bool(_BARE.fullmatch(lines[at]))
    while (
        start > 0
        and at - start < 2
        and (bare or _OPEN.search(lines[start - 1]))
        and _leads(lines[start - 1], lines[at])
    ):
        start -= 1
    while end + 1 < len(lines) and end - at < 3 and _continues(lines[end], lines[end + 1], lines[at].isupper()):
        end += 1
    while end > at and _OPEN.search(lines[end]):
        end -= 1
    return _cut(" ".join(lines[start : end + 1]))


def _leads(line: str, title: str) -> bool:
    """True where a line before `title` may be its beginning."""
    skipped = _SKIP.match(line) and not (line.startswith("(") and line.endswith(")"))
    return not skipped and line.isupper() == title.isupper() and not _PROSE.search(line.lstrip("("))


def _continues(line: str, following: str, loud: bool) -> bool:
    """True where a title goes on from one line to the next."""
    if ideographs(line) or line.endswith((".", ";", ":")) or _VERB.search(following):
        return False
    if _OPEN.search(line):
        return True
    if following.endswith((".", ";", ":", ",")) or len(following) > 80 or not _WRAPPED.match(following):
        return False
    return not loud or following.isupper() or bool(_OPEN.fullmatch(following))


def _cut(title: str) -> str:
    """At most LONGEST characters, cut between words."""
    title = title.strip(" *_-–—")
    if len(title) <= LONGEST:
        return title
    head = title[: LONGEST - 1]
    return (head if ideographs(head) or " " not in head else head.rsplit(" ", 1)[0]) + "…"
