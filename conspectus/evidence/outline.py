"""The clause tree of a document from its numbering and headings, and paragraphs where there are none.

A line is a heading when it starts with a number in one of the known forms (outline_en.py, outline_zh.py) *and* that
number is part of the sequence at its level (numbering.py). The second test keeps cross references at the start of a
line in the body. What stands before the first heading is taken apart in outline_front.py, what has no numbers in
outline_plain.py.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from conspectus.document import Clause, ClauseKind, Document, Language
from conspectus.evidence.numbering import (
    ARTICLE_LEVEL,
    GAP,
    INNER_CONTAINER,
    LIMB_LEVEL,
    SECTION_LEVEL,
    Heading,
    in_sequence,
)
from conspectus.evidence.outline_en import english, limbs, missing
from conspectus.evidence.outline_front import TOC_LEADERS, Lines, contents, front, recitals
from conspectus.evidence.outline_plain import bookmarked, capitalised, markdown, nested, paragraphs, titular
from conspectus.evidence.outline_zh import CJK_ARTICLE, chinese
from conspectus.text import fold

FEWEST = 3  # headings; with fewer a document is taken by paragraphs
CONFIRMED = 0.5  # what a bookmark adds to the weight of a heading
INNER_LISTS = ("section", "clause", "numbered", "roman")
LONG = 6000  # characters of a clause without a number, above which it is split into paragraphs
SEPARATORS = ("·", "—", "–", ":", "：")  # between a number and its title: what follows is a title
_LINE = re.compile(r"[^\n\f\u2028\u2029]*")
_BARE = re.compile(r"[ \t]*[0-9]{1,3}(?:\.[0-9]{1,3})*\.?[ \t]*")
_RUN_IN = re.compile(r"([A-Z][^.:;\n]{0,78}?)[.:](?:\s|$)")
_LIMB_MARK = re.compile(r"[a-z]{1,4}[.)]")
_GOES_ON = re.compile(r"(?:[:,—–-]|\b(?:and|or|of|the|in|to|for|on|by|with|from|as|certain))[ \t]*$")


def find_clauses(document: Document) -> tuple[Clause, ...]:
    """The clauses of a document in order. They cover its text without gaps: `clauses[i].end == clauses[i + 1].start`.

    A document with fewer than three numbered headings is taken by its limbs, (a), (b), where it has no other
    numbers, else by paragraphs and titles.
    """
    text = document.text
    lines = _lines(text)
    found = _candidates(document, lines)
    toc = contents(lines, found, text)
    found = [heading for heading in found if not toc[0] <= heading.start < toc[1]]
    found = [heading for heading in found if not TOC_LEADERS.search(text[heading.start : heading.line_end])]
    found = _detached(lines, _sections_as_containers(found))
    confirmed, titles = bookmarked(document, lines, found)
    found = [replace(h, weight=h.weight + CONFIRMED) if h.start in confirmed else h for h in found]
    titles += [heading for heading in found if heading.kind == "title"]
    found = [heading for heading in found if heading.kind != "title"]
    taken = {heading.start for heading in found}
    marked = (markdown(line, start) for line, start in zip(lines.texts, lines.starts, strict=True) if "#" in line)
    titles += [heading for heading in marked if heading]
    titles = [heading for heading in titles if heading.start not in taken and not toc[0] <= heading.start < toc[1]]
    accepted = _units(_filled(in_sequence(_without_inner_lists(found), titles), text))
    if sum(heading.kind != "title" for heading in accepted) < FEWEST and len(accepted) < 2 * FEWEST:
        accepted = _by_limbs(lines, text)
    if not accepted:
        return _numbered_off(paragraphs(text, lines, 0, len(text)))
    accepted = _without_front_titles(accepted, toc, text)
    clauses = [*front(text, toc, accepted[0].start), *_clauses(accepted, text)]
    return _numbered_off([piece for clause in clauses for piece in _split_long(clause, lines, text)])


def _without_front_titles(accepted: list[Heading], toc: tuple[int, int], text: str) -> list[Heading]:
    """Where recitals stand before the first number, titles above it (PARTIES, BACKGROUND) belong to the front."""
    first = next((heading.start for heading in accepted if heading.kind != "title"), 0)
    if not first or not recitals(text, toc[1] if toc[0] < first else 0, first):
        return accepted
    return [heading for heading in accepted if heading.start >= first]


def _lines(text: str) -> Lines:
    """The lines of a text; a form feed ends one too."""
    texts: list[str] = []
    starts: list[int] = []
    before: list[str] = []
    last = ""
    at = 0
    while at <= len(text):
        match = _LINE.match(text, at)
        assert match is not None
        line = match[0].rstrip("\r")
        texts.append(line)
        starts.append(at)
        before.append(last)
        if stripped := line.rstrip():
            last = stripped[-60:]
        at = match.end() + 1
    return Lines(texts, starts, before)


def _candidates(document: Document, lines: Lines) -> list[Heading]:
    found: list[Heading] = []
    # Japanese has so many kana that it does not count as Chinese; its articles are written in the same way.
    cjk = document.language is Language.ZH or len(CJK_ARTICLE.findall(document.text)) >= FEWEST
    for line, start, before in zip(lines.texts, lines.starts, lines.before, strict=True):
        if not line or line.isspace():
            continue
        if cjk:
            own = chinese(line, start, before)
            if own:
                found += own
                continue
        found += english(line, start, before)
    return nested(found, document.text) if document.name.endswith((".md", ".markdown")) else found


def _detached(lines: Lines, found: list[Heading]) -> list[Heading]:
    """Without numbers that stand apart from their text, one below the other at the end of a page."""
    bare = [bool(line.strip()) and bool(_BARE.fullmatch(line)) for line in lines.texts]
    stacked: set[int] = set()
    filled = [index for index, line in enumerate(lines.texts) if line.strip()]
    for above, below in pairwise(filled):
        if bare[above] and bare[below]:
            stacked |= {lines.starts[above], lines.starts[below]}
    return [heading for heading in found if heading.start not in stacked]


def _sections_as_containers(found: list[Heading]) -> list[Heading]:
    """SECTION 2 as a heading over articles (EU acts), where articles follow each other and sections do not."""
    units = [h for h in found if h.kind in ("article", "section") and len(h.values) == 1]
    steps = Counter((a.kind, b.kind) for a, b in pairwise(units))
    if steps["article", "article"] <= steps["section", "section"] or not steps["section", "article"]:
        return found
    return [
        replace(h, level=INNER_CONTAINER, kind="section part") if h.kind == "section" and len(h.values) == 1 else h
        for h in found
    ]


def _filled(accepted: list[Heading], text: str) -> list[Heading]:
    """With the headings that are missing in a sequence because they are glued to the end of a line."""
    extra: list[Heading] = []
    last: dict[tuple[int, str, tuple[int, ...]], Heading] = {}
    for heading in accepted:
        if not heading.values or (not heading.number.isascii() and not heading.number.startswith("§")):
            continue
        key = (*heading.slot, heading.values[:-1])
        before = last.get(key)
        last[key] = heading
        if before and 1 < heading.values[-1] - before.values[-1] <= GAP + 1:
            extra += missing(before, heading, text)
    return sorted([*accepted, *extra], key=lambda heading: heading.start) if extra else accepted


def _units(accepted: list[Heading]) -> list[Heading]:
    """Where a document counts by articles, plain numbers inside them are paragraphs of an article, not clauses.

    Unless they count on from one article to the next: then the articles are chapters.
    """
    accepted = _uninterrupted(accepted)
    articles = sum(_is_article(heading) for heading in accepted)
    if articles < FEWEST:
        return accepted
    inside: list[Heading] = []
    open_: list[Heading] = []
    for heading in accepted:
        open_ = [other for other in open_ if other.level < heading.level]
        if _is_list(heading) and any(_is_article(o) or o in inside or _is_notes(o) for o in open_):
            inside.append(heading)
        open_.append(heading)
    first = [heading for heading in inside if len(heading.values) == 1]
    restarts = sum(heading.values == (1,) for heading in first)
    if restarts <= 1 and len(first) >= articles:
        return accepted
    gone = {heading.start for heading in inside}
    return [heading for heading in accepted if heading.start not in gone]


def _without_inner_lists(found: list[Heading]) -> list[Heading]:
    """Without lists that count from 1 between 4.1 and the very next number, 4.2: they would outnumber 4., 5., 6."""
    gone: set[int] = set()
    before: Heading | None = None
    singles: list[Heading] = []
    for heading in found:
        if len(heading.values) == 1 and heading.kind == "numbered":
            singles.append(heading)
        elif heading.level < ARTICLE_LEVEL:
            before = None
        elif len(heading.values) > 1:
            expected = (*before.values[:-1], before.values[-1] + 1) if before else ()
            if heading.values == expected and singles and singles[0].values == (1,):
                gone |= {single.start for single in singles}
            before, singles = heading, []
    return [heading for heading in found if heading.start not in gone]


def _uninterrupted(accepted: list[Heading]) -> list[Heading]:
    """Without what stands between 4.1 and 4.2 but counts further out: a list inside 4.1, "Section 2" in a bullet."""
    gone: set[int] = set()
    last: dict[tuple[int, ...], int] = {}
    for index, heading in enumerate(accepted):
        if heading.values and heading.level < ARTICLE_LEVEL:
            last.clear()
        if len(heading.values) < 2:
            continue
        before = last.get(heading.values[:-1])
        last[heading.values[:-1]] = index
        if before is None or not 0 < heading.values[-1] - accepted[before].values[-1] <= 2:
            continue
        between = accepted[before + 1 : index]
        gone |= {h.start for h in between if len(h.values) == 1 and h.kind in INNER_LISTS}
    return [heading for heading in accepted if heading.start not in gone]


def _is_article(heading: Heading) -> bool:
    return heading.level in (ARTICLE_LEVEL, SECTION_LEVEL) and heading.kind not in ("roman", "、")


def _is_notes(heading: Heading) -> bool:
    return heading.kind == "title" and heading.rest.casefold().endswith("notes")


def _is_list(heading: Heading) -> bool:
    """True for what counts anew in each article: 1., 一、, （一）, I., and 1.1 under such a 1."""
    if heading.kind in ("roman", "、", "（）"):
        return True
    return heading.kind == "numbered" and len(heading.values) == 1


def _by_limbs(lines: Lines, text: str) -> list[Heading]:
    """The limbs of a document without other numbers, where they begin early enough to be its clauses."""
    found = [heading for line in zip(lines.texts, lines.starts, lines.before, strict=True) for heading in limbs(*line)]
    accepted = in_sequence(found)
    if not accepted:
        return []
    slot = Counter(heading.slot for heading in accepted).most_common(1)[0][0]
    chosen = [heading for heading in accepted if heading.slot == slot]
    return chosen if len(chosen) >= FEWEST and chosen[0].start * 5 < len(text) * 2 else []


def _heading_text(heading: Heading, text: str, upto: int) -> str:
    """The words of a heading: the rest of its line if it is no sentence, and the next lines that go on with it."""
    rest = heading.rest.strip(" \t\r\u00a0\u3000:·—–-*_").lstrip(". \t")
    if rest.endswith(".") and _title_with_stop(rest.rstrip("."), heading):
        rest = rest.rstrip(". ")
    if heading.kind in ("条", "title"):
        return fold(rest) if heading.kind == "title" else ""
    if not rest:
        return fold(_title_below(heading, text, upto))
    if titular(rest) and not _prose(rest, heading, text, upto):
        return fold(_continued(rest, heading, text, upto))
    run_in = _RUN_IN.match(rest)
    return fold(run_in[1]) if run_in and titular(run_in[1]) and capitalised(run_in[1]) else ""


def _title_with_stop(words: str, heading: Heading) -> bool:
    """True for "LICENSED PROGRAMS." and "Short Title.", false for a sentence that happens to have no verb."""
    explicit = heading.rest.lstrip(" \t\u00a0")[:1] in SEPARATORS
    return words.isupper() or explicit or (bool(words) and capitalised(words) and len(words.split()) <= 8)


def _prose(rest: str, heading: Heading, text: str, upto: int) -> bool:
    """True where what stands beside a number is the first line of a sentence that goes on below."""
    if rest.isupper() or heading.rest.lstrip(" \t\u00a0")[:1] in SEPARATORS:
        return False
    lines = text[heading.line_end : min(upto, heading.line_end + 300)].split("\n")[1:2]
    below = lines[0].strip() if lines else ""
    if heading.rest.rstrip().endswith(":"):
        return not capitalised(rest) and not titular(below)
    if _GOES_ON.search(heading.rest.rstrip()) and titular(below):
        return False
    goes_on = below[:1].islower() and not _LIMB_MARK.match(below)
    return goes_on or (len(rest) >= 50 and len(below) >= 45 and below[0].isalpha() and not titular(below))


def _below(heading: Heading, text: str, upto: int) -> list[str]:
    """The next lines with words below a heading, at most four."""
    lines = text[heading.line_end : min(upto, heading.line_end + 400)].split("\n")[1:7]
    return [line.strip(" \t\r\u00a0\u3000*_") for line in lines if line.strip()][:4]


def _title_below(heading: Heading, text: str, upto: int) -> str:
    """The title under a bare number: one line, or several where they are in capitals or clearly go on."""
    title = ""
    for line in _below(heading, text, upto):
        goes_on = not title or (title.isupper() and line.isupper()) or _GOES_ON.search(title)
        if not goes_on or not titular(line) or len(title) + len(line) > 160:
            break
        title = f"{title}\n{line}" if title else line
    return title


def _continued(rest: str, heading: Heading, text: str, upto: int) -> str:
    """A title with its next line where it ends with a colon, a comma or a word that cannot end one."""
    below = _below(heading, text, upto)
    explicit = heading.rest.lstrip(" \t\u00a0")[:1] in SEPARATORS
    fits = bool(below) and (titular(below[0]) or (explicit and titular(below[0].capitalize())))
    if not fits or len(heading.rest) <= 20 or not _GOES_ON.search(heading.rest.rstrip()):
        return rest
    colon = ":" if heading.rest.rstrip().endswith(":") else ""
    return f"{rest}{colon}\n{below[0]}"


def _kind(heading: Heading) -> ClauseKind:
    if heading.level < ARTICLE_LEVEL:
        return ClauseKind.CONTAINER
    if heading.kind in ("numbered", "roman", "、", "（）") or heading.level == LIMB_LEVEL:
        return ClauseKind.NUMBERED
    return ClauseKind.ARTICLE


def _clauses(headings: Sequence[Heading], text: str) -> list[Clause]:
    clauses: list[Clause] = []
    open_: list[tuple[int, str]] = []
    for heading, following in pairwise([*headings, None]):
        assert heading is not None
        end = following.start if following else len(text)
        open_ = [(level, label) for level, label in open_ if level < heading.level]
        words = _heading_text(heading, text, end)
        path = tuple(label for _, label in open_)
        clauses.append(Clause("", _kind(heading), heading.number, words, path, heading.start, end))
        open_.append((heading.level, f"{heading.number} {words}".strip()))
    return clauses


def _split_long(clause: Clause, lines: Lines, text: str) -> list[Clause]:
    """A long clause without a number of its own level (front matter, an exhibit) as itself and paragraphs."""
    toc = clause.kind is ClauseKind.FRONT and clause.heading
    if clause.kind not in (ClauseKind.FRONT, ClauseKind.CONTAINER) or toc or clause.end - clause.start <= LONG:
        return [clause]
    path = (*clause.path, label) if (label := f"{clause.number} {clause.heading}".strip()) else clause.path
    first, *rest = paragraphs(text, lines, clause.start, clause.end, path=path, titles=False)
    return [replace(clause, end=first.end), *rest]


def _numbered_off(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses with their ids; a paragraph without a title is called by its place."""
    return tuple(
        replace(
            clause,
            id=f"c{index}",
            heading=clause.heading or (f"¶ {index + 1}" if clause.kind is ClauseKind.PARAGRAPH else ""),
        )
        for index, clause in enumerate(clauses)
    )
