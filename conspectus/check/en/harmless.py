"""What an English line may lose of its evidence: places where a word says nothing that is not said beside it.

A definition in brackets, "of this Lease", the second of two words for one thing, a name said again, a whole further
duty. Nothing else is harmless (conspectus.check.en.losses).
"""

from collections.abc import Sequence

from conspectus.check.en.clauses import STOPS, Clause, clauses, regions, role_name
from conspectus.check.en.reading import MODALS, Word, stem
from conspectus.check.en.row import Row, asked
from conspectus.check.en.rules import left_aside

# Content words that say nothing of their own in a legal sentence.
_PALE = frozenset(
    "reason nature manner avoidance doubt hereby event course connection occasion kind description foregoing matter "
    "behalf accordance duly occur occurs occurred occurring exists made given contained concerned "
    "question purpose person persons always further therefor respect such view force effect carried carry conduct "
    "payable commit commits committed anywhere would hereunder successive remain remains intention whereas".split()
)
# What a duty is done by, said in the line by "give", "have" or "make".
_PLAIN_VERBS = frozenset(
    stem(word)
    for word in (
        "deliver obtain consist prescribe procure grant maintain hold keep specify state use assume render refer "
        "receive retain contain require comply send submit furnish supply reproduce debit"
    ).split()
)
# "Bring a claim" is to claim, "serve notice" to give it.
_WITH_NOUN = frozenset("bring serve serving present presenting issue suffer suffers bear".split())
_LIGHT_VERBS = frozenset(
    "give gives given have has having make makes made get gets provide provides take takes include includes set sets "
    "go goes do does hold follow".split()
)
# "The payment of the fees" is the fees.
_DOING = frozenset(
    "payment performance execution exercise production possession operation presenting provisions".split()
)
# "At the rate of 8 %", "a fee of $150", "sixteen years old".
_MEASURES = frozenset("rate price sum charge charges fee temperature age limit old speed percentage".split())
_OF_NUMBER = frozenset("of MAX MIN MORE LESS at PERYEAR PERMONTH PERDAY about from".split())
# Between a noun and what it is tied to: documents listed in, a permit issued by.
_LINKS = frozenset(
    "listed set issued sent specified shown located situated incurred described referred provided suffered named "
    "appearing found granted composed resulting".split()
)
_TIED = frozenset("in by under to on at about of from with for over".split())
_DOCUMENT = frozenset(
    "lease deed licence license act law regulation regulations policy order clause section article part schedule "
    "exhibit annex appendix agreement contract terms code rules bylaws charter plan".split()
)
_THIS = frozenset("this these the such that those its their herein".split())
_JOINT = frozenset({"AND", "OR", "BUT", ";", ","})
_AGAIN = frozenset("the such that this those these said its their any each ALL".split())
# Where a noun stands alone: nothing behind it tells it from others, and it does nothing.
_PHRASE_ENDS = STOPS | frozenset(
    ", ( ) AND OR BUT IF UNLESS BEFORE AFTER UNTIL WHILE SUBJECT DESPITE MAX MIN in on at by for to with from under "
    "upon about".split()
)
_CONDITIONAL = frozenset({"IF", "UNLESS", "SUBJECT", "UNTIL", "DESPITE", "BUT"})


def bracketed(words: Sequence[Word]) -> set[int]:
    """The places inside brackets that define a name: (the "Break Date")."""
    found: set[int] = set()
    for i, word in enumerate(words):
        if word.form != "(":
            continue
        close = next((j for j in range(i, len(words)) if words[j].form == ")"), i)
        if any(inner.form == '"' for inner in words[i:close]):
            found |= set(range(i, close))
    return found


def _of_this_document(row: Row, i: int) -> bool:
    """Whether the word at a place is the document in "of this Lease", or the number in "this clause 13"."""
    words = row.words
    if words[i].form[0] == "#":
        if i and words[i - 1].form == "this" and row.pair.source.tokens[int(words[i].form[1:])].kind == "reference":
            return any(word.form == "this" for word in row.pair.said_words)
        return i > 1 and words[i - 1].form in _DOCUMENT and words[i - 2].form == "this"
    before = [word.form for word in words[max(0, i - 2) : i]]
    return (
        words[i].form in _DOCUMENT
        and before[-1:] in (["this"], ["these"])
        and (len(before) == 2 and before[0] in ("of", "in", "under", "to", "by", "for", "about", "on"))
    )


def _doublet(row: Row, i: int) -> bool:
    """Whether the word at a place is one of two words for one thing, the other of which is there."""
    words = row.words
    for joint, other in ((i - 1, i - 2), (i + 1, i + 2)):
        if not (0 <= joint < len(words) and 0 <= other < len(words)):
            continue
        if words[joint].form in ("AND", "OR", ",") and other in row.met and words[other].ideas & words[i].ideas:
            return True
    return False


def _elided(row: Row, i: int) -> bool:
    """Whether a word said again stands behind "and" before anything new: of X and (of the end) of Y."""
    words = row.words
    end = next((j for j in range(i + 1, len(words)) if words[j].form in _JOINT or words[j].form in STOPS), len(words))
    if not any(j in row.met for j in range(i + 1, end)):
        return False
    for j in range(i - 1, -1, -1):
        if words[j].form in _JOINT:
            return not words[i].role
        if words[j].form in _CONDITIONAL:
            return False
        if asked(words[j]) and (j in row.met or not row.again(j)):
            return False
    return False


def _subject_again(row: Row, i: int) -> bool:
    """Whether a role is named again as the subject of a further modal: …, and the Tenant shall."""
    words = row.words
    after = next((word.form for word in words[i + 1 : i + 3] if word.form not in ("both", "each")), "")
    return after in MODALS and any(word.form in _JOINT for word in words[max(0, i - 3) : i])


def _named_again(row: Row, i: int) -> bool:
    """Whether a role is lost no more often than it is named again as the subject of a further modal."""
    word = row.words[i]
    if not word.role:
        return False
    places = [j for j, other in enumerate(row.words) if other.role and role_name(other) == role_name(word)]
    again = sum(_subject_again(row, j) for j in places)
    return sum(j not in row.met for j in places if j <= i) <= again


def inside(row: Row, i: int) -> str:
    """The marker of the condition or exception in which a place stands; "" for none."""
    return next((region.marker for region in regions(row.words) if region.start <= i < region.end), "")


def gone(row: Row) -> list[Clause]:
    """The further duties, rights and bans that the line leaves out as a whole, as it may."""
    parts = left_aside(row.words, row.pair)
    kept = [part for part in clauses(row.words) if part not in parts]
    found = []
    for part in parts:
        before = row.words[part.start - 1].form if part.start else "."
        if part.kind == "fact" or before not in (".", ";", ",", "AND", "BUT"):
            continue
        inner = any(word.form in _CONDITIONAL for word in row.words[part.at : part.end])
        limits_right = before == "BUT" and any(other.kind == "right" for other in kept)
        if row.words[part.at].form in MODALS and not inner and not limits_right:
            found.append(part)
    return found


def _measures(row: Row, i: int) -> bool:
    """Whether a word is the measure before a number or behind it: at the rate of 8 %, sixteen years old."""
    words, form = row.words, row.words[i].form
    if form not in _MEASURES:
        return False
    if i and words[i - 1].form[0] == "#":
        return True
    if i and words[i - 1].content and form not in ("rate", "price"):
        return False
    after = [word.form for word in words[i + 1 : i + 4]]
    number = next((int(other[1:]) for other in after if other[0] == "#"), -1)
    counted = number >= 0 and row.pair.source.tokens[number].kind not in ("duration", "date")
    return counted and after[0] in _OF_NUMBER


def _after_the_end(row: Row, i: int) -> bool:
    """Whether a word is the end in "after the end of each quarter"."""
    before = [word.form for word in row.words[max(0, i - 2) : i] if word.form != "the"]
    return row.words[i].form == "end" and before[-1:] == ["AFTER"] and row.words[i + 1].form == "of"


def _said_by_little(row: Row, i: int) -> bool:
    """Whether a word only carries what is said beside it: "listed in" a schedule, "at the rate of" 8 %."""
    words, form = row.words, row.words[i].form
    after = words[i + 1].form if i + 1 < len(words) else "."
    met_soon = any(j in row.met for j in range(i + 1, min(i + 4, len(words))))
    if form[0] == "#":
        return row.pair.source.tokens[int(form[1:])].value == "1"
    if met_soon and (form in _WITH_NOUN or form.startswith("aris")):
        return True
    if form == "soon":
        return any(word.form in ("IF", "once", "soon") for word in row.pair.said_words)
    if (form in _DOING and after == "of") or _measures(row, i) or _after_the_end(row, i):
        return True
    if form == "interest" and after == "at" and any(word.form[0] == "#" for word in words[i + 2 : i + 4]):
        return True
    if form == "available" and i and words[i - 1].form == "make":
        return True
    if form in _LINKS and after in _TIED and i and not _clause_head(row, i):
        return True
    plain = stem(form) in _PLAIN_VERBS and any(word.form in _LIGHT_VERBS for word in row.pair.said_words)
    return plain and _clause_head(row, i)


def _clause_head(row: Row, i: int) -> bool:
    """Whether the word at a place is what somebody must or may do."""
    return any(
        part.head is not None and row.words[part.at].form in MODALS and part.head is row.words[i]
        for part in clauses(row.words)
    )


def harmless(row: Row, i: int, defined: set[int], spare: int, taken: set[int]) -> tuple[bool, int]:
    """Whether the loss of the word at a place changes nothing, and how many pronouns are left to explain others."""
    word = row.words[i]
    if i in defined or word.form in _PALE or row.absorbed(word) or _of_this_document(row, i) or _doublet(row, i):
        return True, spare
    if _said_by_little(row, i):
        return True, spare
    if not row.again(i):
        family = spare > 0 and not word.role and row.again(i, 1)
        return family, spare - family
    ends = i + 1 >= len(row.words) or row.words[i + 1].form in _PHRASE_ENDS
    repeated = word.form[0] == "#" and row.words[i - 1].form == "("
    passive = i > 0 and row.words[i - 1].form == "be" and not word.role and ends
    if repeated or passive or _elided(row, i) or _named_again(row, i):
        return True, spare
    if i - 1 in taken and not word.role:
        return True, spare
    if spare > 0:
        taken.add(i)
        return True, spare - 1
    anaphoric = not word.role and i > 0 and row.words[i - 1].form in _AGAIN and ends
    return (anaphoric and not inside(row, i)), spare
