"""Nothing new, nothing material left out: the content words of an English statement against those of its evidence."""

import re
from collections.abc import Sequence
from itertools import pairwise

from conspectus.check.en.aligned import Pair, akin
from conspectus.check.en.clauses import STOPS, clauses, regions
from conspectus.check.en.reading import MODALS, Word, ideas
from conspectus.check.en.rules import left_aside
from conspectus.check.reasons import Reason

_CHUNK_START = frozenset(
    "in on at by for with from under against into through upon as which that who whose because about to between "
    "WHILE AFTER BEFORE UNTIL AND OR BUT IF UNLESS SUBJECT DESPITE".split()
)
_MARKS = STOPS | frozenset(',()"-')
# Content words whose loss leaves the sense of a legal sentence as it was.
_PALE = frozenset(
    "reason performance operation possession nature manner respect avoidance doubt hereby purpose provision term "
    "condition such view event course connection occasion parties agreement then present present-day proposed "
    "therefor interest kind description form certain full owing foregoing matter subject mutual behalf accordance "
    "initial new appropriate necessary exercise successive currently current thereafter further duly "
    "particular individual general generally promptly payable person anyone submit occur "
    "late overdue commences commence continues continue begins "
    "contained concerned question occurs occurring arises exists made given".split()
)
_CURRENCIES = {"gbp", "usd", "eur", "rmb", "cny", "us"} | set(
    "january february march april may june july august september october november december".split()
)
_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z&'’-]+")


def _initials(text: str) -> set[str]:
    """The initials of each run of two to four capitalised words: US and us for United States."""
    found: set[str] = set()
    for run in re.findall(r"(?:\b[A-Z][a-z]+ ){1,3}[A-Z][a-z]+\b", text):
        names = run.split()
        found |= {"".join(word[0] for word in names[:size]).lower().rstrip("s") or "s" for size in (2, 3, 4)}
    return found


def names_missing(statement: str, evidence: str) -> bool:
    """True where a capitalised word of the statement is not in the evidence; the first word may be any common one."""
    there = _CURRENCIES | {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z][A-Za-z&'’-]+", evidence)}
    stems = {word[:5] for word in there}
    there |= _initials(evidence)
    meant = frozenset().union(*(ideas(word) for word in there))
    for match in _CAPITALISED.finditer(statement):
        word = match[0].lower().removesuffix("'s").rstrip("s")
        first = not re.search(r"\w[^.;:]*$", statement[: match.start()])
        if word.endswith(("ish", "ian", "ese", "an")) and any(other.startswith(word[:4]) for other in there):
            continue
        if word not in there and word[:5] not in stems and not first and not ideas(match[0].lower()) & meant:
            return match[0] not in ("VAT", "Agreement", "Contract", "Lease", "Deed", "Party", "Parties")
    return False


_MODAL_WORDS = {
    "require": "MUST",
    "oblige": "MUST",
    "entitle": "MAY",
    "permit": "MAY",
    "allow": "MAY",
    "prohibit": "NOT",
}


# What a statement may say without support: that something is the case.
_FREE = frozenset("occur occurs occurring happen happens happening exist exists case situation someone anyone".split())


# What one gives another receives: who does which is for the rules of parties.py.
_GETTING = frozenset("receive receives get gets".split())
_GIVING = frozenset().union(*(ideas(word) for word in "grant give pay provide award".split()))


def _said_by_modal(word: Word, pair: Pair) -> bool:
    """Whether a word says what a modal of the evidence says: the amounts required, against must be withheld."""
    modal = next((form for start, form in _MODAL_WORDS.items() if word.form.startswith(start)), "")
    return bool(modal) and any(other.form == modal for other in pair.source_words)


_LAW = re.compile(
    r"\blaws? of (?:the )?(?:State of |Commonwealth of |Province of |Republic of )?((?:[A-Z][a-z]+ ?)+)"
    r"|\b((?:[A-Z][a-z]+ )+)laws?\b"
)


_NO_PLACE = frozenset("The This These Any All Applicable State Commonwealth Province Republic".split())


def other_law(statement: str, evidence: str) -> bool:
    """True where the statement names the law of another place than its evidence does."""
    said, there = (
        {word[:4].lower() for m in _LAW.finditer(text) for word in (m[1] or m[2]).split() if word not in _NO_PLACE}
        for text in (statement, evidence)
    )
    return bool(said and there) and not said <= there


def new_words(pair: Pair) -> bool:
    """True where the statement has a content word that nothing in its evidence supports."""
    return bool(added(pair))


def added(pair: Pair) -> list[str]:
    """The content words of the statement that nothing in its evidence supports."""
    return [
        word.form
        for word in pair.said_words
        if word.content
        and word.form not in _FREE
        and not (word.form in _GETTING and pair.source_ideas & _GIVING)
        and not word.ideas & pair.source_ideas
        and not _said_by_modal(word, pair)
        and not any(akin(word, other) for other in pair.source_words)
    ]


def _chunks(row: Sequence[Word]) -> list[tuple[int, int]]:
    starts = [i for i, word in enumerate(row) if word.form in _CHUNK_START or word.form in _MARKS]
    edges = sorted({0, *starts, len(row)})
    return list(pairwise(edges))


def left_out(pair: Pair) -> list[str]:
    """The modifiers of kept propositions that the statement leaves out, and that narrow what is said."""
    found: list[str] = []
    for row in pair.covered:
        if any(word.form == "|" for word in row):
            continue
        gone = left_aside(row, pair)
        conditional = [(region.start, region.end) for region in regions(row) if region.marker == "IF"]
        for start, end in _chunks(row):
            words = [word for word in row[start:end] if word.content or word.form[0] == "#"]
            if all(word.form in _PALE for word in words) or any(pair.kept(word) for word in words):
                continue
            if any(part.at <= start < part.end for part in gone):
                continue
            if row[start].form == "AND" and end > start + 1 and row[start + 1].form in MODALS:
                continue
            inside_if = any(a <= start < b for a, b in conditional)
            if row[start].form in ("AND", "OR", ",") or (end < len(row) and row[end].form in ("AND", "OR")):
                joint = row[start].form if row[start].form in ("AND", "OR") else row[end].form if end < len(row) else ""
                free = not any(part.kind == "duty" and part.at < start < part.end for part in clauses(row))
                if _may_drop(words, joint, inside_if, free) and _partner_kept(row, start, end, pair):
                    continue
            found.append(" ".join(word.form for word in row[start:end]))
    return found


def _partner_kept(row: Sequence[Word], start: int, end: int, pair: Pair) -> bool:
    """Whether what stands beside a thing left out is there."""
    before = next((word for word in reversed(row[max(0, start - 7) : start]) if word.content), None)
    after = next((word for word in row[end : end + 7] if word.content), None)
    left = row[start].form in ("AND", "OR", ",") and before is not None and pair.kept(before)
    right = end < len(row) and row[end].form in ("AND", "OR") and after is not None and pair.kept(after)
    return left or right


def _may_drop(words: Sequence[Word], joint: str, inside_if: bool, free: bool) -> bool:
    """Whether one of several things side by side may be left out."""
    if any(word.role or word.form[0] == "#" for word in words) or len(words) > 2:
        return False
    return joint == "OR" if inside_if else joint == "AND" or (joint == "OR" and free)


def substance(pair: Pair) -> list[Reason]:
    """Reasons against what a statement says, whatever its operators."""
    found: list[Reason] = []
    content = [word for word in pair.said_words if word.content]
    supported = sum(bool(word.ideas & pair.source_ideas) for word in content)
    rows = [pair.share_kept(row) for row in pair.source.sentences]
    least = min(2, sum(word.content for word in pair.source_words))
    if supported + len(pair.said.tokens) < least or max(rows, default=0.0) < 0.25 or new_words(pair):
        found.append(Reason.OFF_TOPIC)
    if left_out(pair):
        found.append(Reason.QUALIFIER)
    return found
