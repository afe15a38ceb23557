"""Limits, and/or and narrowing words of an English statement against those of its evidence."""

from collections.abc import Sequence

from conspectus.check.en.aligned import Pair, akin, amount
from conspectus.check.en.clauses import STOPS
from conspectus.check.en.reading import Word, qualifier
from conspectus.check.en.rules import left_aside, scopes

_BOUND = {"MIN": "MIN", "MAX": "MAX", "MORE": "MORE", "LESS": "LESS", "POSTMIN": "MIN", "POSTMAX": "MAX"}
_CHOICE = ({"FIRST", "LAST"}, {"HIGHER", "LOWER"})


def _bounds(words: Sequence[Word]) -> tuple[list[tuple[int, str]], list[str]]:
    """(number of token, its bound or "") for each number, and the bounds that stand by no number."""
    numbers: list[tuple[int, str]] = []
    used: set[int] = set()
    for i, word in enumerate(words):
        if word.form[0] != "#":
            continue
        bound = "MIN" if i and words[i - 1].form == "between" else ""
        if i > 2 and words[i - 1].form == "AND" and words[i - 3].form == "between":
            bound = "MAX"
        for j in range(i - 1, max(-1, i - 6), -1):
            form = words[j].form
            if form[0] == "#" or form in STOPS or form in (",", "AND", "OR", "in", "for", "any", "on", "at", "once"):
                break
            if form in ("MIN", "MAX", "MORE", "LESS", "POSTMAX", "POSTMIN"):
                form = _BOUND[form]
                bound = form
                used.add(j)
                break
        for j in range(i + 1, min(len(words), i + 3)):
            if words[j].form in ("POSTMIN", "POSTMAX"):
                bound = _BOUND[words[j].form]
                used.add(j)
        if i > 1 and words[i - 1].form == "(" and words[i - 2].form[0] == "#":
            # The figure that repeats a number in words has its bound: not more than ten per cent (10%).
            bound = bound or numbers[-1][1]
        numbers.append((int(word.form[1:]), bound))
    rest = [_BOUND[word.form] for i, word in enumerate(words) if word.form in _BOUND and i not in used]
    return numbers, rest


def limits(pair: Pair) -> bool:
    """True where a limit was lost, made up or turned."""
    said, said_rest = _bounds(pair.said_words)
    source, source_rest = _bounds(pair.source_words)
    for number, bound in said:
        value = amount(pair.said.tokens[number])
        there = {b for n, b in source if amount(pair.source.tokens[n]) == value}
        if there and bound not in there and not (bound == "MAX" and pair.said.tokens[number].kind == "date"):
            return True
    said_bounds = {bound for _, bound in said} - {""}
    if "MAX" in source_rest and "MAX" not in [*said_rest, *(bound for _, bound in said)]:
        return True
    if "MIN" in source_rest and "MIN" not in [*said_rest, *(bound for _, bound in said)]:
        return True
    if any(bound in source_rest and bound not in said_rest and not said_bounds for bound in ("MORE", "LESS")):
        return True
    for one, other in (
        ("MORE", "LESS"),
        ("LESS", "MORE"),
        ("MIN", "MAX"),
        ("MAX", "MIN"),
        ("MORE", "MAX"),
        ("LESS", "MIN"),
    ):
        if one in said_rest and one not in source_rest and other in source_rest:
            return True
    forms, there_forms = ({word.form for word in words} for words in (pair.said_words, pair.source_words))
    return any(
        (forms & choice) != (there_forms & choice) for choice in _CHOICE if there_forms & choice or forms & choice
    )


def number_dropped(pair: Pair) -> bool:
    """True where an amount, percentage or duration of a kept proposition is gone."""
    for row in pair.covered:
        if any(word.form == "|" for word in row):
            continue
        gone = left_aside(row, pair)
        bounded = {number for number, bound in _bounds(row)[0] if bound}
        for i, word in enumerate(row):
            if word.form[0] != "#" or any(part.at <= i < part.end for part in gone):
                continue
            number = int(word.form[1:])
            counts = pair.source.tokens[number].kind in ("money", "percent", "duration")
            if (counts or number in bounded) and not pair.kept(word):
                return True
    return False


def conjunction(pair: Pair) -> bool:
    """True where and became or, or became and, at words that both texts have."""
    said, source = pair.said_words, pair.source_words
    _, loose = scopes(source)
    source_forms = {word.form for word in source}
    chosen = any(word.form in ("HIGHER", "LOWER", "FIRST", "LAST") for word in source)
    for i, word in enumerate(said):
        if word.form not in ("AND", "OR"):
            continue
        left, right = _beside(said, i, -1), _beside(said, i, 1)
        if left is None or right is None:
            continue
        seen = _between(source, left, right) | _between(source, right, left)
        if not seen:
            if word.form == "OR" and "OR" not in source_forms and "AND" in source_forms:
                return True
            if (
                word.form == "AND"
                and "AND" not in source_forms
                and "BUT" not in source_forms
                and "OR" in source_forms
                and not loose
            ):
                return True
            continue
        if word.form == "AND" and (chosen or any(w.form.startswith("includ") for w in source)):
            continue
        if word.form not in seen and not (word.form == "OR" and loose and _under(source, left, loose)):
            return True
    return _or_dropped(pair, loose)


def _or_dropped(pair: Pair, loose: set[int]) -> bool:
    """True where a ban or "nothing" keeps one alternative and loses the one beside it."""
    source = pair.source_words
    for i, word in enumerate(source):
        if word.form != "OR" or (i + 1 not in loose and i - 1 not in loose) or i + 1 >= len(source):
            continue
        left, right = source[i - 1], source[i + 1]
        if left.content and right.content and pair.kept(left) != pair.kept(right):
            return True
    return False


def _under(source: Sequence[Word], word: Word, loose: set[int]) -> bool:
    return any(j in loose for j, other in enumerate(source) if other.ideas & word.ideas)


def _beside(words: Sequence[Word], at: int, step: int) -> Word | None:
    """The nearest content word on one side of a place, within its clause."""
    i = at + step
    while 0 <= i < len(words) and abs(i - at) < 7:
        if words[i].content or words[i].form[0] == "#":
            return words[i]
        if words[i].form in STOPS:
            return None
        i += step
    return None


def _same(one: Word, other: Word) -> bool:
    return bool(one.ideas & other.ideas) or (one.form == other.form and one.form[0] == "#")


def _between(words: Sequence[Word], left: Word, right: Word) -> set[str]:
    """The coordinators between two words of a text, in that order; those behind a list where only commas part them."""
    found: set[str] = set()
    for i, word in enumerate(words):
        if not _same(word, left):
            continue
        for j in range(i + 1, min(len(words), i + 22)):
            if words[j].form == ".":
                break
            if _same(words[j], right):
                inner = {w.form for w in words[i:j]} & {"AND", "OR", "BUT"}
                if not inner and any(w.form == "," for w in words[i:j]):
                    inner = {next((w.form for w in words[j : j + 14] if w.form in ("AND", "OR")), "")} - {""}
                found |= {"AND" if form == "BUT" else form for form in inner}
                if {w.form for w in words[i:j]} & {";"}:
                    found.add("AND")
                break
    return found


# Before "a year" these make it a span of time: within a year is not once a year.
_SPAN_OF = frozenset("MAX MIN for of MORE LESS than WHILE in AFTER BEFORE".split())


def _said_as_well(word: Word, pair: Pair) -> bool:
    """Whether a narrowing word stands in the statement: not merely a word from whose family it is."""
    if word.form.startswith("PER"):
        return any(other.form == word.form for other in pair.said_words)
    return pair.kept(word) and any(
        other.ideas & word.ideas or akin(other, word) or other.form == word.form for other in pair.said_words
    )


def _lost(row: Sequence[Word], i: int, pair: Pair) -> bool:
    """Whether what the narrowing word at a place narrows is there, and nothing narrows it in its place."""
    word = row[i]
    said = {other.form for other in pair.said_words}
    if word.form.startswith("PER"):
        near = [other for other in row[max(0, i - 2) : i + 2] if other.content]
        return row[i - 1].form not in _SPAN_OF and any(map(pair.kept, near))
    if word.form in ("once-only", "twice-only"):
        return True
    if word.form == "BOTH" and (i + 1 == len(row) or row[i + 1].form in _NO_BOTH):
        return False
    if (word.form == "first" and "BEFORE" in said) or (word.form in ("sole", "exclusive") and "ONLY" in said):
        return False
    if word.form in ("ONLY", "BOTH"):
        if word.form in said or "sole" in pair.said_ideas:
            return False
        near = [other for other in row[max(0, i - 3) : i + 6] if other.content]
    else:
        near = [other for other in row[i + 1 : i + 4] if other.content and not qualifier(other)][:1]
    return any(map(pair.kept, near))


_NO_BOTH = frozenset("in on by to of WHILE BEFORE AFTER for at".split())


def qualifiers(pair: Pair) -> bool:
    """True where a word that narrows is gone and what it narrowed is there, or "only" was made up."""
    for row in pair.covered:
        gone = left_aside(row, pair)
        for i, word in enumerate(row):
            if not qualifier(word) or _said_as_well(word, pair) or any(part.at <= i < part.end for part in gone):
                continue
            if _lost(row, i, pair):
                return True
    made = {"ONLY"} & {w.form for w in pair.said_words} - {w.form for w in pair.source_words}
    return bool(made) and not (
        {"UNLESS"} & {w.form for w in pair.source_words}
        or any(w.form in ("sole", "solely", "exclusive", "exclusively") for w in pair.source_words)
    )
