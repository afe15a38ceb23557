"""Lines that are no prose: rows of tables, addresses, signatures, forms, headings that no clause has taken.

They end no sentence with a full stop, so without this a notice address or a signature runs into the sentence after it.
"""

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby

from conspectus.document import Language, Span
from conspectus.text import fold


class Kind(Enum):
    """What a stretch of lines is."""

    PROSE = auto()
    ROW = auto()  # one row of a table
    BLOCK = auto()  # an address, a signature, lines of a form, a heading
    RULE = auto()  # a line drawn across the page: no words


@dataclass(frozen=True, slots=True)
class Part:
    """`text[start:end]` of one kind; of a row, `header` is what stands over its columns, if anything does."""

    kind: Kind
    start: int
    end: int
    header: Span | None = None


class _Line(Enum):
    BLANK = auto()
    RULE = auto()
    ROW = auto()
    ANCHOR = auto()
    SHORT = auto()
    TITLE = auto()
    PROSE = auto()


_BLOCK_LINES = 12  # an anchor speaks for so many lines before and after it
_HEADER_LINES = 4  # at most so many lines stand over the columns of a table
_HEADER_LENGTH = 45
_TITLE_LINES = 4
SHORT = 60  # characters: lines of an address or a signature are shorter
_LONGEST = 250
_ANCHOR_LENGTH = 100  # two signatures beside each other
_CELL = re.compile(r"(?:[£$€¥]\s?)?[0-9][0-9,.]*%?|[.,]?[0-9][0-9,.]*|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}")
_WIDE_GAP = re.compile(r"\S(?:[ \t]{3,}|\t)(?=\S)")

_ANCHOR_EN = re.compile(
    r"/s/|^(?:[^_]{0,30}[\s:])?_{3,}(?:[^_]{1,30}_{3,})*[^_.;]{0,30}$"
    r"|^[\[(]?(?:signature page|remainder of (?:this |the )?page|intentionally (?:left )?blank)\b"
    r"|^execution (?:copy|version)$"
    r"|^(?:By|Name|Title|Its|Date|Dated|Signed|Attest|Witness(?:ed)?|Print(?:ed)? Name|Signature|Attn|Attention|"
    r"(?:Tele)?fax|Facsimile|Tel|Telephone|Phone|E-?mail|Email(?: address)?|Address)\s*(?:No\.?\s*)?:"
    r"|^By\s*(?:/s/|_|$)|^P\.?\s?[O0]\.?\s*Box\b|(?-i:\b[A-Z]{2})\.?\s+[0-9]{5}(?:-[0-9]{4})?$"
    r"|^(?:if |notices? )?to (?:the )?[^.;]{1,50}:$|^with (?:a |an additional )?cop(?:y|ies)\b[^.;]{0,60}:?$",
    re.I,
)
_ANCHOR_ZH = re.compile(
    r"_{3,}|^[^。；，]{0,16}(?:签字|签名|签章|盖章|公章)\s*[:：]|^[^。；，]{0,16}[（(](?:签字|签名|签章|盖章|公章)[^）)]{0,6}[）)]"
    r"|^(?:住所地?|通讯地址|地址|电话|联系电话|传真|邮编|邮政编码|联系人|法定代表人|委托代理人|授权代表|开户银?行|账号|户名|电子邮[箱件]|"
    r"身份证号码?|统一社会信用代码|签订日期|签订地点|日期)\s*[:：]|^[（(](?:以下无正文|此页无正文)|^\s*年\s+月\s+日$"
)
# The end of an American address, or of a line of prose that speaks of one.
_ZIP_EN = re.compile(r"\b[A-Z]{2}\.?\s+[0-9]{5}(?:-[0-9]{4})?$")
# Where a second address or a second signature begins.
_NEXT_EN = re.compile(
    r"(?:if |notices? )?to [^.;]{1,60}[:,]$|with (?:a |an additional )?cop(?:y|ies)\b|in the case of\b", re.I
)
_SIGNED = re.compile(r"^(?:By|Name|Title|Its)\b|/s/", re.I)
_MODAL = re.compile(r"\b(?:shall|will|may|must|means|agrees?|hereby|is|are|has|have)\b", re.I)
_LOWER_START = re.compile(r"(?:an?|c/o|if|to|with|attn|and|of|as|by|not in its|but solely)\b")
_ABBREVIATED = re.compile(
    r"\b(?:Inc|Ltd|Corp|Co|St|Ave|Blvd|Rd|Jr|Sr|Esq|L\.P|N\.A|S\.A|[A-Z]\.[A-Z]|INC|LTD|CORP|CO)\.$"
)


def parts(text: str, start: int, end: int, language: Language) -> list[Part]:
    """`text[start:end]` in its stretches of prose, rows and blocks, in order. Nothing but white space and ruled
    lines (-----) lies between them.
    """
    lines = list(_lines(text, start, end))
    words = [text[line.start : line.end].strip() for line in lines]
    kinds = _kinds(words, language)
    if all(kind in (_Line.PROSE, _Line.BLANK, _Line.SHORT) for kind in kinds):
        return list(_with_prose(text, [], start, end))
    blocks = {**_blocks(words, kinds), **_titles(words, kinds)}
    found = [*_rows(lines, words, kinds, blocks), *_joined(lines, blocks)]
    # What is left of a table: column names whose rows stand elsewhere, and lines drawn across the page.
    spans = sorted((part.start, part.end) for part in found)
    free = {at for at, line in enumerate(lines) if not _covered(spans, line)}
    found += _heads(lines, words, kinds, free)
    drawn = (at for at in free if kinds[at] is _Line.RULE and not words[at].strip("-= \t"))
    found += [Part(Kind.RULE, lines[at].start, lines[at].end) for at in drawn]
    return list(_with_prose(text, sorted(found, key=lambda part: part.start), start, end))


def _covered(spans: Sequence[tuple[int, int]], line: Span) -> bool:
    before = bisect_right(spans, line.start, key=lambda span: span[0]) - 1
    return before >= 0 and spans[before][1] >= line.end


def _heads(lines: Sequence[Span], words: Sequence[str], kinds: Sequence[_Line], free: Container[int]) -> Iterator[Part]:
    """Column names over a rule in columns, without rows: no sentence either."""
    last = -1
    for rule in range(1, len(lines)):
        at = rule - 1
        ruled = kinds[rule] is _Line.RULE and _WIDE_GAP.search(words[rule]) and _WIDE_GAP.search(words[at])
        if not ruled or at not in free or rule not in free or at <= last:
            continue
        first = at
        while (
            first - 1 > last and first - 1 in free and at - first < _HEADER_LINES and _WIDE_GAP.search(words[first - 1])
        ):
            first -= 1
        yield Part(Kind.ROW, lines[first].start, lines[at].end)
        last = rule


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for words in text[start:end].split("\n"):
        yield Span(at, at + len(words))
        at += len(words) + 1


def _with_prose(text: str, found: Sequence[Part], start: int, end: int) -> Iterator[Part]:
    at = start
    for part in found:
        if text[at : part.start].strip():
            yield Part(Kind.PROSE, at, part.start)
        if part.kind is not Kind.RULE:
            yield part
        at = part.end
    if text[at:end].strip():
        yield Part(Kind.PROSE, at, end)


def _kinds(words: Sequence[str], language: Language) -> list[_Line]:
    kinds = [_kind(line, language) for line in words]
    inked = [index for index, kind in enumerate(kinds) if kind is not _Line.BLANK]
    for place, index in enumerate(inked):
        # A row alone is a line of figures, unless its columns are set apart.
        near = [kinds[other] for other in (*inked[max(0, place - 1) : place], *inked[place + 1 : place + 2])]
        tabular = _Line.ROW in near or _Line.RULE in near or len(_WIDE_GAP.findall(words[index])) > 1
        if kinds[index] is _Line.ROW and not tabular:
            kinds[index] = _Line.PROSE
    return kinds


def _kind(line: str, language: Language) -> _Line:
    if not line:
        return _Line.BLANK
    if len(line) > _LONGEST or (len(line) > _ANCHOR_LENGTH and not _WIDE_GAP.search(line)):
        return _Line.PROSE
    if not any(char.isalnum() for char in line):
        return _Line.RULE if len(line) > 3 and line[0] in "-_=*.—–" else _Line.PROSE
    if language is Language.ZH:
        anchor = len(line) <= SHORT and line[-1] not in "。；" and _ANCHOR_ZH.search(line)
        return _Line.ANCHOR if anchor else _Line.ROW if _row_like(line) else _Line.PROSE
    if _ANCHOR_EN.search(line) and (line[-1] not in ".;," or "/s/" in line or _ABBREVIATED.search(line)):
        return _Line.ANCHOR
    if _row_like(line):
        return _Line.ROW
    if len(line) > SHORT:
        return _Line.PROSE
    if _title_like(line):
        return _Line.TITLE
    return _Line.SHORT if _short_like(line) else _Line.PROSE


def _short_like(line: str) -> bool:
    """True for a line that may belong to an address or a signature beside it."""
    if line[-1] in ".;" and not _ABBREVIATED.search(line):
        return False
    if line[0].islower() and not _LOWER_START.match(line):
        return False
    return line.count(" ") <= 9 and not _MODAL.search(line)


def _title_like(line: str) -> bool:
    """True for a line in capitals: BACKGROUND, WITNESSETH:, SPONSORED RESEARCH AND LICENSE AGREEMENT."""
    if line[-1] in ".;,-" or line.isdigit() or line.count(" ") > 11 or not any(map(str.isupper, line)):
        return False
    return line == line.upper() and sum(map(str.isalpha, line)) >= 4 and line[0].isupper()


def _row_like(line: str) -> bool:
    """True for a line of a table: short, at least two numbers, and not the end or the middle of prose."""
    if not any(map(str.isdigit, line)):
        return False
    words = fold(line).split()
    if not 1 < len(words) <= 16 or words[-1][-1] in ".:;,。；":
        return False
    cells = sum(_CELL.fullmatch(word) is not None for word in words)
    columns = len(_WIDE_GAP.findall(line))
    return cells >= 2 and (cells * 3 >= len(words) or columns >= 2)


def _rows(lines: Sequence[Span], words: Sequence[str], kinds: Sequence[_Line], taken: Container[int]) -> Iterator[Part]:
    """The rows. The first one of a table takes what stands over the columns with it; the others carry it along."""
    header: Span | None = None
    last: int | None = None
    for index, line in enumerate(lines):
        if kinds[index] is not _Line.ROW:
            continue
        over = [] if last == index - 1 else _over(words, kinds, index, taken)
        first = over[0] if over else index
        if last is not None and set(kinds[last + 1 : first]) <= {_Line.RULE, _Line.BLANK}:
            yield Part(Kind.ROW, lines[first].start, line.end, header)
        else:
            over = _drawn_over(words, kinds, first, taken) or over
            header = Span(lines[over[0]].start, lines[over[-1]].end) if over else None
            yield Part(Kind.ROW, header.start if header else line.start, line.end)
        last = index


def _above(kinds: Sequence[_Line], row: int) -> int:
    """Index of the last line above `row` that is neither blank nor a rule; -1 for none."""
    at = row - 1
    while at >= 0 and kinds[at] in (_Line.RULE, _Line.BLANK):
        at -= 1
    return at


def _over(words: Sequence[str], kinds: Sequence[_Line], row: int, taken: Container[int]) -> list[int]:
    """Indexes of the lines right over the row: its columns' names, or the name of a group of rows ("Supply:")."""
    at = _above(kinds, row)
    if at < 0 or kinds[at] is _Line.ROW or any(line in taken for line in range(at, row)):
        return []
    drawn = _Line.RULE in kinds[at + 1 : row]
    named = words[at][-1] in ":：" and len(words[at]) <= _HEADER_LENGTH
    if words[at][-1] in ".;。；" or (at < row - 1 and not drawn and not named):
        return []
    # The last words of a sentence are no name: "... shall pay\nas follows:".
    sentence = at > 0 and kinds[at - 1] in (_Line.PROSE, _Line.SHORT) and re.search(r"[\w,]$", words[at - 1])
    if sentence and words[at][-1] in ":：":
        return []
    return _upwards(words, kinds, at, drawn, taken)


def _drawn_over(words: Sequence[str], kinds: Sequence[_Line], first: int, taken: Container[int]) -> list[int]:
    """Indexes of the column names that a rule sets off from a group's name or from the rows below."""
    at = _above(kinds, first)
    drawn = at >= 0 and _Line.RULE in kinds[at + 1 : first] and _goes_over(words[at], drawn=True)
    if not drawn or kinds[at] is _Line.ROW or any(line in taken for line in range(at, first)):
        return []
    return _upwards(words, kinds, at, drawn, taken)


def _upwards(words: Sequence[str], kinds: Sequence[_Line], at: int, drawn: bool, taken: Container[int]) -> list[int]:
    found = [at]
    while at and len(found) < _HEADER_LINES and at - 1 not in taken and kinds[at - 1] is not _Line.ROW:
        if not _goes_over(words[at - 1], drawn):
            break
        at -= 1
        found.append(at)
    return found[::-1]


def _goes_over(line: str, drawn: bool) -> bool:
    """True for one more line over the columns: in a table drawn with rules one with columns, else a short one."""
    if drawn:
        return _WIDE_GAP.search(line) is not None
    return 0 < len(line) <= _HEADER_LENGTH and line[-1] not in ".:;,?!。；：" and not _MODAL.search(line)


def _blocks(words: Sequence[str], kinds: list[_Line]) -> dict[int, bool]:
    """Index of each line of an address, a signature or a form, and whether a new one begins there."""
    taken: set[int] = set()
    for index, kind in enumerate(kinds):
        if kind is not _Line.ANCHOR and kind is not _Line.RULE:
            continue
        run = {index}
        for step in (-1, 1):
            run.update(_neighbours(kinds, index, step))
        if kind is _Line.RULE and not any(kinds[other] is _Line.ANCHOR for other in run):
            continue
        if len(run) == 1 and _ZIP_EN.search(words[index]):
            continue
        taken |= run
    begins: dict[int, bool] = {}
    signed = False
    last = -2
    for index in sorted(taken):
        fresh = any(kinds[other] is not _Line.BLANK for other in range(last + 1, index)) or last < 0
        party = signed and _title_like(words[index].rstrip(".,")) and not _SIGNED.search(words[index])
        begins[index] = fresh or party or bool(_NEXT_EN.match(words[index]))
        signed = (signed and not begins[index]) or bool(_SIGNED.search(words[index]))
        last = index
    return begins


def _neighbours(kinds: Sequence[_Line], index: int, step: int) -> Iterator[int]:
    """The short lines before (`step` -1) or after an anchor; a single blank line is passed over."""
    blank = False
    at = index + step
    while 0 <= at < len(kinds) and abs(at - index) <= _BLOCK_LINES:
        kind = kinds[at]
        if kind is _Line.BLANK:
            if blank:
                return
            blank = True
        elif kind in (_Line.SHORT, _Line.ANCHOR, _Line.RULE) or (kind is _Line.TITLE and step < 0):
            # Behind a blank line only another anchor is sure to belong here.
            if blank and kind is not _Line.ANCHOR and step > 0:
                return
            blank = False
            yield at
        else:
            return
        at += step


def _titles(words: Sequence[str], kinds: Sequence[_Line]) -> dict[int, bool]:
    """Lines in capitals between finished sentences: a heading that no clause has taken."""
    found: dict[int, bool] = {}
    for title, run in groupby(range(len(words)), key=lambda index: kinds[index] is _Line.TITLE):
        if not title:
            continue
        indexes = list(run)
        before = next((at for at in range(indexes[0] - 1, -1, -1) if words[at]), None)
        below = next((words[at] for at in range(indexes[-1] + 1, len(words)) if words[at]), "")
        ended = before is None or words[before][-1] in '.:;?!"”)' or kinds[before] in (_Line.ROW, _Line.RULE)
        begun = below != below.upper() and (below[:1].isupper() or below[:1] in '"“([')
        sentence = len(indexes) > _TITLE_LINES or _MODAL.search(" ".join(words[index] for index in indexes))
        if ended and begun and not sentence:
            found.update((index, index == indexes[0]) for index in indexes)
    return found


def _joined(lines: Sequence[Span], begins: dict[int, bool]) -> Iterator[Part]:
    runs: list[list[int]] = []
    for index in sorted(begins):
        if begins[index] or not runs:
            runs.append([])
        runs[-1].append(index)
    for run in runs:
        yield Part(Kind.BLOCK, lines[run[0]].start, lines[run[-1]].end)
