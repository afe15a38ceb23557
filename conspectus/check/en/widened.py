"""Where an English line says more than its evidence: any time for a reasonable hour, any for all, a name twice."""

import re
from collections import Counter

from conspectus.check.en.aligned import Pair
from conspectus.check.en.reading import Word, stem

_ANY_TIME = re.compile(r"\b(?:at (?:any|all) times?|whenever|always|in (?:any|all) cases?)\b", re.I)
_REASONABLE = re.compile(r"\breasonable (?:time|hour)", re.I)
_FREE_TIME = re.compile(r"\b(?:any|all|every|each|time|times|always|whenever|ever)\b", re.I)
_OTHER = re.compile(
    r"(?<!\bor )(?<!\band )\b(?:any|every|each|all|no) (?:such )?"
    r"(other|later|subsequent|earlier|previous|further|additional|following|next) ([a-z]+)",
    re.I,
)
# The words that say the same as one of those: other, later, earlier.
_ELSE = {
    "other": "other|others|another|else|different|rest|remaining|remainder|further|additional|than",
    "later": "later|subsequent|subsequently|after|afterwards|thereafter|then|following|next|further|future",
    "earlier": "earlier|previous|previously|before|prior|past|former",
    "further": "further|additional|other|another|extra|more|rest|remaining",
}
_CLASS = {
    **dict.fromkeys(("later", "subsequent", "following", "next"), "later"),
    **dict.fromkeys(("earlier", "previous"), "earlier"),
    **dict.fromkeys(("further", "additional"), "further"),
}
_THEN = re.compile(
    r"^(?:\([a-z0-9]+\) )?(?:thereafter|afterwards|in (?:that|such|which|this) (?:case|event|time)|until then|"
    r"during (?:that|such) (?:time|period)|at (?:that|such) time)\b",
    re.I,
)
_THEN_SAID = re.compile(
    r"\b(?:thereafter|afterwards?|after|then|later|subsequent\w*|"
    r"(?:that|such|this|which) (?:case|event|time|period))\b",
    re.I,
)
_ALL = re.compile(r"\ball (?:of )?(?:the |these |such )?([a-z]+)", re.I)
_ANY = re.compile(r"\b(?:any|either) (?:one )?(?:of )?(?:the |these |such )?([a-z]+)", re.I)
# Small words that carry sense in one place: for a period after, the outside of.
_PERIOD = re.compile(r"\bfor (?:an?|any|the) period (?:after|before|following|from)\b", re.I)
_SIDE = re.compile(r"\b(?:the|its) (outside|inside|top|back|front|side|rear) of\b", re.I)
# What a definition defines; and a "subject to" is no mere list.
_DEFINED = re.compile(r"^(?:\([a-z0-9]+\) )?\"([^\"]{2,60})\" (?:means|shall mean|is|has the meaning|includes)\b", re.I)
_WHOLE = re.compile(r"\b(?:its|the|his|her|their) (?:whole|entire) ([a-z]+)", re.I)
_IN_FULL = re.compile(r"\bin full\b(?! force)", re.I)
_ALL_OF = re.compile(r"\b(?:whole|entire|entirely|entirety|all|full|fully|complete|completely)\b", re.I)
# A heading says nothing of anybody: "terms agreed between X and Y:" is not "X and Y agree".
_FINITE = re.compile(
    r"\b(?:is|are|was|were|shall|must|may|will|can|has|have|agrees?|undertakes?|means?|includes?|applies|apply)\b", re.I
)
_SHARED = frozenset("total aggregate together joint combined overall".split())
_PRONOUNS = frozenset(
    "it its itself they their them this that these those such he him his she her which who one".split()
)


def _nouns(pattern: re.Pattern[str], text: str) -> set[str]:
    return {stem(match[1].lower()) for match in pattern.finditer(text)}


def _small_word_lost(statement: str, evidence: str) -> bool:
    """True where a small word that carries sense is gone: the period, the outside of, the whole, thereafter."""
    if _PERIOD.search(evidence) and not re.search(r"\bperiod|\bfor (?:time|days)\b", statement, re.I):
        return True
    if _THEN.search(evidence) and not _THEN_SAID.search(statement):
        return True
    defined = _DEFINED.match(evidence)
    if defined and defined[1].lower() not in statement.lower():
        return True
    if evidence.rstrip().endswith(":") and not _FINITE.search(evidence) and _FINITE.search(statement):
        return True
    side = _SIDE.search(evidence)
    if side and re.search(rf"\b{side[1]}\b", statement, re.I) and not re.search(rf"\b{side[1]} of\b", statement, re.I):
        return True
    if _IN_FULL.search(evidence) and not _ALL_OF.search(statement):
        return True
    whole = _WHOLE.search(evidence)
    return bool(whole and re.search(rf"\b{whole[1]}", statement, re.I) and not _ALL_OF.search(statement))


def widened(statement: str, evidence: str) -> bool:
    """True where a line says of any time, thing or place what its evidence says of some; both texts are normalised."""
    if _ANY_TIME.search(statement) and (not _FREE_TIME.search(evidence) or _REASONABLE.search(evidence)):
        return True
    if _small_word_lost(statement, evidence):
        return True
    said = {stem(word.lower()) for word in re.findall(r"[A-Za-z]+", statement)}
    for match in _OTHER.finditer(evidence):
        same = _ELSE[_CLASS.get(match[1].lower(), "other")]
        if stem(match[2].lower()) in said and not re.search(rf"\b(?:{same})\b", statement, re.I):
            return True
    if any(word in evidence.lower() for word in _SHARED):
        taken = _nouns(_ANY, statement) - _nouns(_ANY, evidence)
        return bool(taken & _nouns(_ALL, evidence))
    return False


def said_twice(pair: Pair) -> bool:
    """True where a run of words that stands once in the evidence stands twice: one name took another's place."""
    said, source = pair.said_words, pair.source_words
    mine, theirs = (_counts(words) for words in (said, source))
    extra = {root for root, count in mine.items() if count > theirs[root] > 0}
    runs, open_ = 0, 0
    for word in (*said, Word(".")):
        if word.content and not word.role and stem(word.form) in extra:
            open_ += 1
        elif word.form not in ("the", "a", "an"):
            runs += open_ > 1
            open_ = 0
    spare = sum(word.form in _PRONOUNS for word in source) - sum(word.form in _PRONOUNS for word in said)
    return runs > 1 and spare < 1


def _counts(words: tuple[Word, ...]) -> Counter[str]:
    return Counter(stem(word.form) for word in words if word.content and not word.role)
