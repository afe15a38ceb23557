"""Repairs of lines: print that was struck twice, letters set wide apart, words cut at a line's end, words glued."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from conspectus.repair.map import Edit, Mapped, line_spans
from conspectus.text import CJK

_HEADING = re.compile(
    r"\s*(?:(?:ARTICLE|SECTION|CLAUSE|SCHEDULE|ANNEX|EXHIBIT|APPENDIX|PART|CHAPTER|Article|Section|Clause|Schedule|Annex|"
    r"Exhibit|Appendix|Part|Chapter)\s+[0-9IVXLCA-Z]|§|[0-9]+\.|第[一二三四五六七八九十百千零0-9]+[编章节条])"
)
_REPEATS = re.compile(r"(?P<run>(?P<char>\S)(?P=char)*)")


_THREE_DOUBLED = re.compile(r"(\S)\1+ *(\S)\2+ *(\S)\3+")  # no line is doubled without this; few others have it


def drop_double_struck(page: Mapped) -> Mapped:
    """One line for a heading that was printed two to four times at the same place to look bold.

    Two rows of a table or two lines to sign on may be equal as well: only lines that look like headings are touched.
    """
    lines = page.text.split("\n")
    gone: list[int] = []
    at = 0
    for line, group in groupby(line.strip() for line in lines):
        count = len(list(group))
        if 2 <= count <= 4 and _struck(line):
            gone += range(at + 1, at + count)
        at += count
    return page.without_lines(gone)


def _struck(line: str) -> bool:
    letters = [char for char in line if char.isalpha()]
    if len(letters) * 2 < len(line) or line.endswith((":", "_", "：")):
        return False
    if _HEADING.match(line):
        return len(letters) >= 4
    return len(letters) >= 10 and len(line.split()) > 1 and line.isupper()


def undouble_glyphs(page: Mapped) -> Mapped:
    """`STATEMENT` for `SSTTAATTEEMMEENNTT`: lines of which nearly every glyph was drawn twice or four times."""
    while (repaired := page.edit(_undoubled(page.text))) is not page:
        page = repaired
    return page


def _undoubled(text: str) -> Iterator[Edit]:
    for start, end in line_spans(text):
        line = text[start:end]
        if len(line) < 10 or not _THREE_DOUBLED.search(line) or not (times := _times(line)):
            continue
        for match in re.finditer(r"(.)\1*", line):
            length = len(match[0])
            kept = length // times if length % times == 0 else 1 if match[1] == " " else length
            if kept < length:
                yield Edit(start + match.start() + kept, start + match.end())


def _times(line: str) -> int:
    """How often each glyph of the line stands there; 0 for a line like any other."""
    runs = [match["run"] for match in _REPEATS.finditer(line)]
    total = sum(map(len, runs))
    for times in (4, 3, 2):
        right = [run for run in runs if len(run) % times == 0]
        letters = {run[0] for run in right if run[0].isalpha()}
        units = sum(len(run) // times for run in right)
        enough = units >= (6 if any(ord(letter) > 0x2E80 for letter in letters) else 5)
        if enough and len(letters) >= 3 and sum(map(len, right)) >= 0.95 * total:
            return times
    return 0


_KNOWN_SPACED = frozenset(
    "AGREEMENT ANNEX APPENDIX ARTICLE CHAPTER CLAUSE CONTENTS CONTRACT DEED DEFINITIONS EXHIBIT INDEX LEASE NOTICE "
    "ORDER PART PREAMBLE RECITALS SCHEDULE SECTION STATEMENT WHEREAS WITNESSETH".split()
)
_SPACED_LINE = re.compile(r"[ \t]*\S{1,2}(?:[ ]{1,8}\S{1,2}){3,60}[ \t]*")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def close_spaced_headings(page: Mapped) -> Mapped:
    """`ARTICLE I` for `A R T I C L E  I`.

    Only whole lines of single letters whose words are told apart by wider gaps, or that are one word which heads
    contracts: the words of `L E A S E A G R E E M E N T` cannot be known, and `A B C D` may head a table's columns.
    """
    return page.edit(
        edit
        for start, end in line_spans(page.text)
        if _SPACED_LINE.fullmatch(page.text, start, end)
        for edit in _closed(page.text, start, end)
    )


def _closed(text: str, start: int, end: int) -> Iterator[Edit]:
    line = text[start:end].strip()
    words = [word.replace(" ", "") for word in re.split(r" {2,}", line)]
    tokens = line.split()
    single = sum(len(token) == 1 for token in tokens)
    one_known = line.replace(" ", "").rstrip(":.,").upper() in _KNOWN_SPACED and single * 10 >= len(tokens) * 7
    plain = [word for word in words if len(word) >= 4 and word.isalpha() and word.lower() not in _ALPHABET]
    if not one_known and not (len(words) > 1 and plain and single == len(tokens)):
        return
    for match in re.finditer(r"(?<=\S) +(?=\S)", text[start:end]):
        at, to = start + match.start(), start + match.end()
        if to - at == 1 or one_known:
            yield Edit(at, to)
        elif to - at > 1:
            yield Edit(at + 1, to)


_NOT_GAP = CJK.replace("\u3000-\u303f", "\u3001-\u303f")
_GLYPHS = rf"[{_NOT_GAP}]"
_SINGLE_GAP = re.compile(rf"(?<={_GLYPHS}) (?={_GLYPHS})")
_WIDE_GAP = re.compile(rf"(?<={_GLYPHS}) {{2,3}}(?={_GLYPHS})")
_ADJACENT = re.compile(rf"{_GLYPHS}(?={_GLYPHS})")
_SPACED_ASCII = re.compile(r"(?<![0-9A-Za-z.,%])[0-9A-Za-z](?: [0-9A-Za-z.,%](?![0-9A-Za-z]))+")
_LEAST_GAPS = 8


def close_cjk_gaps(page: Mapped) -> Mapped:
    """`第一条 为了` for `第 一 条  为 了`: pages on which a blank stands between most of the Chinese characters.

    A wider gap was a gap in print and stays as one blank. Where nearly all is spaced, so are figures: `1 0 0 万 元`.
    """
    text = page.text
    single = len(_SINGLE_GAP.findall(text))
    pairs = single + len(_WIDE_GAP.findall(text)) + len(_ADJACENT.findall(text))
    if single < _LEAST_GAPS or single * 2 <= pairs:
        return page
    edits = [Edit(match.start(), match.end()) for match in _SINGLE_GAP.finditer(text)]
    edits += [Edit(match.start() + 1, match.end()) for match in _WIDE_GAP.finditer(text)]
    if single * 10 >= pairs * 8:
        for match in _SPACED_ASCII.finditer(text):
            edits += [Edit(at, at + 1) for at in range(match.start(), match.end()) if text[at] == " "]
    return page.edit(sorted(edits, key=lambda edit: edit.start))


_CUT = re.compile(r"(?<![A-Za-z-])(?P<a>[A-Za-z]*[a-z])(?P<cut>[-‐][ \t]*\n[ \t]*)(?P<b>[a-z]+)(?![A-Za-z-])")
_WORD = re.compile(r"[A-Za-z]+(?:[-‐][A-Za-z]+)?(?![-‐]?[A-Za-z]|[-‐][ \t]*\n)")


def cut_words(pages: Iterable[Mapped]) -> Counter[str]:
    """How often the words that are cut at a line's end stand whole in the document, joined and with their hyphen."""
    texts = [page.text for page in pages]
    wanted: set[str] = set()
    for text in texts:
        for match in _CUT.finditer(text):
            a, b = match["a"].lower(), match["b"]
            wanted |= {a + b, f"{a}-{b}"}
    found: Counter[str] = Counter()
    if wanted:
        for text in texts:
            words = (word.lower().replace("‐", "-") for word in _WORD.findall(text))
            found.update(word for word in words if word in wanted)
    return found


def join_cut_words(page: Mapped, known: Counter[str]) -> Mapped:
    """Words cut at a line's end made whole where the document itself shows how they are written.

    `indem-` / `nify` becomes `indemnify` if that word stands somewhere in one piece; `long-` / `term` keeps its hyphen
    if `long-term` does. What the document does not show stays as it was read; `fold` decides then.
    """

    def edits() -> Iterator[Edit]:
        for match in _CUT.finditer(page.text):
            a, b = match["a"].lower(), match["b"]
            joined, hyphened = known[a + b], known[f"{a}-{b}"]
            if joined or hyphened:
                yield Edit(match.start("cut") + (hyphened >= joined), match.end("cut"))

    return page.edit(edits())


_LATIN_WORD = re.compile(r"[^\W\d_]+")
_GLUED_MEAN = 12
_GLUED_LETTERS = 60


def glued(text: str) -> bool:
    """True where the words of a page are so long that the gaps between them must have been lost."""
    words = [word for word in _LATIN_WORD.findall(text) if word.isascii()]
    letters = sum(map(len, words))
    # Weighted by letters: a page of glued lines still has some short words at its breaks.
    long = sum(len(word) for word in words if len(word) > 2 * _GLUED_MEAN)
    return letters >= _GLUED_LETTERS and (letters > _GLUED_MEAN * len(words) or long * 2 > letters)
