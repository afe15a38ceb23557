"""The propositions of an English sentence as far as rules can tell: who does what, by what modal, on what condition."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.check.en.reading import MODALS, Reading, Word

STOPS = frozenset({".", ";", ":", "|"})
_BRACKETS = frozenset("()")
_BEFORE_SUBJECT = (
    STOPS
    | _BRACKETS
    | frozenset(", IF UNLESS BUT AND OR WHILE SUBJECT DESPITE UNTIL that which who because as".split())
)
_INNER = frozenset("of to by for with from against in on under at between".split())
_ARTICLES = frozenset("the a an any each such its either ALL AND OR".split())
_NO_PARTICIPLE = frozenset(
    "liable able responsible available entitled interested obliged required bound red made-up need".split()
)
_PASSIVE_ENDS = ("ed", "en", "id", "ade", "wn", "nt", "payable", "fundable", "verable", "eld", "elt", "ought")
KINDS = {"MUST": "duty", "MAY": "right", "NEEDNOT": "free"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One proposition: kind (duty, right, ban, free, fact), place of its words, and who acts and who is acted for.

    `start` is where its subject begins, `at` its modal, `end` the end; all in the row of its sentence.
    """

    kind: str
    start: int
    at: int
    end: int
    actors: frozenset[str]
    passive: bool
    goals: frozenset[str]
    words: tuple[Word, ...]
    joined: bool

    @property
    def head(self) -> Word | None:
        """The first content word behind the modal: what is to be done."""
        words = self.words[1:] if self.words[:1] and self.words[0].form == "NOT" else self.words
        if words and words[0].form == ",":
            close = next((i for i in range(1, len(words)) if words[i].form == ","), 0)
            words = words[close + 1 :]
        if words and (
            words[0].form in _INNER
            or words[0].form in ("in", "upon", "AFTER", "BEFORE", "MAX", "WHILE", "UNLESS", "IF")
        ):
            return None
        return next((word for word in words if word.content and not word.role), None)


@dataclass(frozen=True, slots=True)
class Region:
    """A condition, exception or other governed stretch: its marker and its words."""

    marker: str
    start: int
    end: int
    words: tuple[Word, ...]


def role_name(word: Word) -> str:
    """One name for a role in the singular, without a possessive ending."""
    bare = word.form.removesuffix("'s").rstrip("'")
    return bare if bare.endswith("ss") else bare.removesuffix("s")


def owner(word: Word) -> bool:
    """Whether a word is a possessive."""
    return word.form.endswith(("'s", "s'"))


def _roles(words: Sequence[Word]) -> frozenset[str]:
    """The roles that head a subject: not owned by another word, not inside "of …" or "to …"."""
    found = []
    for i, word in enumerate(words):
        if not word.role or owner(word):
            continue
        following = words[i + 1] if i + 1 < len(words) else None
        if following is not None and following.role and not owner(following):
            continue
        before = [w.form for w in words[max(0, i - 2) : i]]
        inner = [form for form in before if form in _INNER]
        if inner and not (
            inner == ["of"] and any(w.form in ("ALL", "either", "one", "any", "neither") for w in words[:i])
        ):
            continue
        found.append(role_name(word))
    return frozenset(found)


def _agents(words: Sequence[Word]) -> frozenset[str]:
    """Who stands behind "by"."""
    found = set()
    for i, word in enumerate(words):
        if word.form != "by":
            continue
        for following in words[i + 1 : i + 5]:
            if following.role and not owner(following):
                found.add(role_name(following))
            elif following.form not in _ARTICLES:
                break
    return frozenset(found)


def _goals(words: Sequence[Word]) -> frozenset[str]:
    """To whom: the roles behind "to", "against" and "on", and the one right behind the verb."""
    found = set()
    for i, word in enumerate(words):
        if not word.role or owner(word):
            continue
        before = [
            w.form for w in words[max(0, i - 3) : i] if w.form not in ("the", "any", "a", "an", "such", "its", "each")
        ]
        if before and before[-1] == "to":
            found.add(role_name(word))
    return frozenset(found)


def _subject_start(row: Sequence[Word], modal: int, floor: int) -> int:
    i = modal
    while i > floor and (row[i - 1].form not in _BEFORE_SUBJECT or (row[i - 1].form in ("who", "which") and i < modal)):
        i -= 1
    return i


def _next_speaker(row: Sequence[Word], start: int, end: int) -> int:
    """Where, behind ", and" or ", but", somebody else begins to act without a modal; `end` where nobody does."""
    for i in range(start + 1, end - 2):
        if row[i].form in ("AND", "BUT") and row[i - 1].form == ",":
            rest = [word.form for word in row[i + 1 : min(end, i + 10)]]
            verb = next((j for j, form in enumerate(rest) if form in ("is", "are", "NOT")), 0)
            if verb > 1 and not set(rest[:verb]) & {",", "that", "which", "who", "IF", "UNLESS", "AND", "OR"}:
                return i
            following = [word for word in row[i + 1 : i + 4] if word.form not in _ARTICLES]
            if following and following[0].form == "NO":
                return i
            if (
                following
                and following[0].role
                and not owner(following[0])
                and len(following) > 1
                and not following[1].role
            ):
                return i
    return end


def _passive(words: Sequence[Word]) -> bool:
    """Whether a form of "be" with a participle stands there before who did it."""
    forms = [word.form for word in words]
    return any(
        form in ("be", "is", "are", "been", "being", "was", "were")
        and any(f.endswith(_PASSIVE_ENDS) and f not in _NO_PARTICIPLE for f in forms[i + 1 : i + 3])
        for i, form in enumerate(forms)
    )


_SUBJECT = _ARTICLES | frozenset(
    'of NOT NO , both one this these other another ( ) " neither every respective either whichever'.split()
)


def _fact(row: Sequence[Word], start: int, end: int) -> Clause:
    """A stretch without a modal; who acts is a role before the first word that is none."""
    words = tuple(row[start:end])
    lead = 0
    while lead < len(words) and (words[lead].role or words[lead].form in _SUBJECT):
        lead += 1
    passive = _passive(words[max(0, lead - 1) : lead + 4]) or (_passive(words) and bool(_agents(words)))
    actors = _agents(words) if passive and _agents(words) else frozenset() if passive else _roles(words[:lead])
    return Clause("fact", start, start, end, actors, passive, _goals(words), words, False)


@lru_cache(maxsize=4096)
def clauses(row: tuple[Word, ...]) -> tuple[Clause, ...]:
    """The propositions of a sentence, in order."""
    modals = [i for i, word in enumerate(row) if word.form in MODALS]
    starts = []
    floor = 0
    for modal in modals:
        starts.append(_subject_start(row, modal, floor))
        floor = modal + 1
    found: list[Clause] = []
    bounds = [*starts[1:], len(row)][: len(starts)]
    lead = starts[0] if starts else len(row)
    if sum(word.content for word in row[:lead]) > 1 and not (starts and row[0].form in _LEADING):
        found += _facts(row, 0, lead)
    before: frozenset[str] = frozenset()
    for start, modal, bound in zip(starts, modals, bounds, strict=True):
        end = next((i for i in range(modal, bound) if row[i].form in (".", ";")), bound)
        end = _next_speaker(row, modal, end)
        words = tuple(row[modal + 1 : end])
        banned = bool(words) and words[0].form == "NOT"
        kind = "ban" if banned and row[modal].form != "NEEDNOT" else KINDS[row[modal].form]
        before_it = row[start - 1].form if start else ""
        if before_it in _RELATIVE or (before_it == "that" and start == modal):
            kind = "fact"
        if _in_relative(row, start, modal):
            kind = "fact"
        subject = _roles(row[start:modal]) if not _in_relative(row, start, modal) else frozenset()
        joined = start == modal or not any(word.content for word in row[start:modal])
        inner = next((i for i, word in enumerate(words) if word.form in _INNER_CLAUSE), len(words))
        agents = _agents(words[:inner])
        passive = _passive(words[:5]) or (_passive(words) and bool(agents) and not subject)
        if joined and not subject:
            subject = before
        before = subject or (frozenset() if not joined else before)
        actors = (agents if agents else frozenset()) if passive else subject
        goals = _goals(words) | (subject if passive else frozenset())
        found.append(Clause(kind, start, modal, end, actors, passive, goals, words, joined))
        if end < bound and sum(word.content for word in row[end:bound]) > 1:
            found += _facts(row, end + 1, bound)
    return tuple(found)


def _in_relative(row: Sequence[Word], start: int, modal: int) -> bool:
    """Whether a modal stands inside "on which it must …", which says nothing of whoever acts in the sentence."""
    return any(
        row[i].form == "which" and row[i - 1].form in _INNER and row[i + 1].form in ("it", "they", "he", "she")
        for i in range(max(1, start), modal)
    )


_INNER_CLAUSE = frozenset({"BEFORE", "AFTER", "UNTIL", "WHILE", "IF", "UNLESS", "BUT"})
_RELATIVE = frozenset({"as", "which", "who", "IF", "UNLESS"})
_LEADING = frozenset(
    "IF UNLESS SUBJECT DESPITE WHILE AFTER BEFORE UNTIL MAX MIN WITHOUT under with on upon in at for by from to "
    "because about".split()
)


def _facts(row: Sequence[Word], start: int, end: int) -> Iterator[Clause]:
    """The stretches between semicolons."""
    at = start
    for i in [*(i for i in range(start, end) if row[i].form in (";", ".")), end]:
        if at < i and (row[at].form in _LEADING or row[at].form == "whereas"):
            at = next((j + 1 for j in range(at, i - 1) if row[j].form == ","), at)
        if any(word.content for word in row[at:i]):
            yield _fact(row, at, i)
        at = i + 1


_MARKERS = frozenset({"IF", "UNLESS", "SUBJECT", "DESPITE", "UNTIL", "BUT"})


def _region_stop(row: Sequence[Word], at: int) -> int:
    """Where a governed stretch ends at the latest; the limbs of a list behind it belong to it."""
    i = at + 1
    while i < len(row) and row[i].form not in _MARKERS:
        if row[i].form in STOPS:
            following = next((j for j in range(i + 1, len(row)) if row[j].form in STOPS), len(row))
            limb = [word.form for word in row[i + 1 : following]]
            if row[i].form not in (";", ":") or any(form in MODALS or form in ("is", "are") for form in limb):
                return i
        i += 1
    return i


@lru_cache(maxsize=4096)
def regions(row: tuple[Word, ...]) -> tuple[Region, ...]:
    """The governed stretches of a sentence: conditions, exceptions, "subject to", "notwithstanding", "until"."""
    found = []
    modals = [i for i, word in enumerate(row) if word.form in MODALS]
    for i, word in enumerate(row):
        if word.form not in _MARKERS:
            continue
        stop = _region_stop(row, i)
        commas = [j for j in range(i + 1, stop) if row[j].form == ","]
        later = [m for m in modals if m > i]
        if commas and not any(m < i for m in modals):
            last = [c for c in commas if not later or c < later[0]] or commas
            first = commas[0] if not later else last[-1]
            stop = first
        elif commas and (row[i - 1].form == "," or any(m > commas[0] for m in later)):
            stop = commas[0]
        found.append(Region(word.form, i, stop, tuple(row[i + 1 : stop])))
    return tuple(found)


def all_clauses(reading: Reading) -> list[Clause]:
    """The propositions of all sentences."""
    return [clause for row in reading.sentences for clause in clauses(row)]
