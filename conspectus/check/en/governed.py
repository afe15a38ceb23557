"""What stands behind which preposition in an English line: insured against loss is not insured for loss."""

from collections.abc import Sequence

from conspectus.check.en.aligned import Pair
from conspectus.check.en.clauses import STOPS
from conspectus.check.en.reading import MODALS, Word

# Prepositions that say in what part something stands; "of" and "in" hardly do.
_STRONG = {
    "against": "against",
    "from": "from",
    "to": "to",
    "without": "without",
    "WITHOUT": "without",
    "with": "with",
    "by": "by",
    "under": "under",
    "for": "for",
    "between": "between",
    "BEFORE": "before",
    "AFTER": "after",
    "UNTIL": "until",
    "UNLESS": "unless",
    "at": "at",
    "on": "on",
    "upon": "on",
    "about": "about",
    "into": "to",
    "WHILE": "while",
    "DESPITE": "despite",
    "SUBJECT": "subject",
}
# Prepositions of one sense in some turn of phrase, either way.
_ALIKE = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "for/about to/for from/by to/on at/on by/with under/with to/against for/under about/to about/on at/for "
        "from/after on/after on/for by/at by/on at/in to/with for/with about/by under/by about/from "
        "while/for while/on while/at after/while until/before to/until on/about under/about"
    ).split()
)
# What is compared at all: the others take turns too freely in a restatement.
_TELLING = frozenset("against from to for before after under between without".split())
_ENDS = STOPS | MODALS | frozenset(", AND OR BUT IF is are be that which who".split())


def _governor(words: Sequence[Word], at: int) -> str:
    """The preposition before a place with nothing but small words between; "" for none or a weak one."""
    for i in range(at - 1, max(-1, at - 6), -1):
        form = words[i].form
        if form in _STRONG:
            return _STRONG[form]
        if form in _ENDS or words[i].content or form[0] == "#" or form in ("of", "in", "as", "than"):
            return ""
    return ""


def other_preposition(pair: Pair) -> list[str]:
    """The words of the line that stand behind a preposition other than that of each of their places in the evidence."""
    source, said = pair.source_words, pair.said_words
    found = []
    for j, word in enumerate(said):
        mine = _governor(said, j) if word.content and not word.role else ""
        if mine not in _TELLING:
            continue
        bare = word.form.removesuffix("'s").removesuffix("s")
        places = [i for i, other in enumerate(source) if other.form.removesuffix("'s").removesuffix("s") == bare]
        theirs = {_governor(source, i) for i in places}
        if theirs and "" not in theirs and not any(_fit(mine, other) for other in theirs):
            found.append(f"{mine} {word.form}")
    return found


def _fit(mine: str, other: str) -> bool:
    return mine == other or frozenset((mine, other)) in _ALIKE or (mine, other) == ("for", "against")


_DANGLING = frozenset("of the by with and or in before after".split())


def dangles(statement: str, evidence: str) -> bool:
    """True where a line ends on a preposition, a full stop behind it, as no sentence of the evidence does."""
    words = statement.rstrip(" .;").split()
    last = words[-1].lower() if words else ""
    if last.startswith("&") and len(last) > 1:
        return True
    return last in _DANGLING and f"{last}." not in evidence.lower() and f"{last};" not in evidence.lower()
