"""What stands in an English line beside another thing than in its evidence: unit, modal, owner, start."""

from conspectus.check.en.aligned import Pair, akin, amount
from conspectus.check.en.clauses import clauses
from conspectus.check.en.reading import MODALS
from conspectus.check.en.row import PRONOUNS, asked
from conspectus.check.en.rules import left_aside

_SUBJECTED = frozenset("SUBJECT IF UNLESS BUT ONLY AFTER MAX under DESPITE".split())


def subject_to_lost(pair: Pair) -> bool:
    """True where "subject to" went and what it subjects to stayed: a right with the reservations, not under them."""
    if any(word.form in _SUBJECTED for word in pair.said_words):
        return False
    for words in pair.covered:
        gone = left_aside(words, pair)
        for i, word in enumerate(words):
            verb = i > 0 and words[i - 1].form in ("be", "is", "are")
            if word.form == "SUBJECT" and not verb and not any(part.at < i < part.end for part in gone):
                return True
    return False


def modal_taken(pair: Pair) -> bool:
    """True where one verb stands under two modals and the line has not the same ones: must do A and may do B."""
    said, source = (
        [
            (part.kind, part.head)
            for row in text.sentences
            for part in clauses(row)
            if part.kind != "fact" and part.head is not None
        ]
        for text in (pair.said, pair.source)
    )
    for _, head in said:
        if head is None:
            continue
        mine, theirs = (
            sorted(kind for kind, other in rows if other is not None and other.ideas & head.ideas)
            for rows in (said, source)
        )
        both = len(mine) > 1 and len(theirs) > 1
        if both and (not set(mine) <= set(theirs) or (len(mine) == len(theirs) and mine != theirs)):
            return True
    return False


def unit_lost(pair: Pair) -> bool:
    """True where an amount, a share or a time became a bare number: 50,000 crowns is not 50,000."""
    said = pair.said_words
    for j, word in enumerate(said):
        if word.form[0] != "#" or pair.said.tokens[int(word.form[1:])].kind != "number":
            continue
        if {other.form for other in said[max(0, j - 1) : j + 2]} & {"AND", "OR", "to", "between", "(", ","}:
            continue
        value = amount(pair.said.tokens[int(word.form[1:])])
        kinds = {token.kind for token in pair.source.tokens if amount(token) == value}
        if kinds and kinds <= {"money", "duration", "percent"}:
            return True
    return False


_VERBS = frozenset(
    "is are was were be has have does do did cannot get gets make makes take takes give gives go goes come comes hold "
    "holds stay stays keep keeps mean means cover covers set sets provide provides include includes counts remain "
    "remains end ends start starts begin begins run runs last lasts receive receives apply applies pass passes".split()
)


def no_predicate(pair: Pair) -> bool:
    """True where the evidence says what must or may be done and the line is a row of nouns."""
    found = [part for row in pair.source.sentences for part in clauses(row) if part.kind != "fact"]
    said = pair.said_words
    if not found or any(word.form in MODALS or word.form in _VERBS for word in said):
        return False
    heads = [part.head for part in found if part.head is not None]
    return not any(word.ideas & head.ideas or akin(word, head) for word in said for head in heads)


_FROM = frozenset({"of", "AFTER", "BEFORE"})


def start_lost(pair: Pair) -> bool:
    """True where a period lost what it runs from, said without a noun of its own: within one month of its date."""
    said = pair.said_words
    for words in pair.covered:
        for i, word in enumerate(words[:-2]):
            if word.form[0] != "#" or words[i + 1].form not in _FROM or not pair.kept(word):
                continue
            anchor = words[i + 2 : i + 6]
            at = next((k for k, inner in enumerate(anchor) if inner.form == "date"), -1)
            if at < 0 or any(map(asked, anchor[:at])) or [w.form for w in anchor[at + 1 : at + 2]] == ["of"]:
                continue
            values = pair.source.tokens[int(word.form[1:])].same
            if not any(
                other.form[0] == "#"
                and pair.said.tokens[int(other.form[1:])].same == values
                and said[j + 1].form in {*_FROM, "later"}
                for j, other in enumerate(said[:-1])
            ):
                return True
    return False


def own_lost(pair: Pair) -> bool:
    """True where "its own default" became "default": whose it is is lost."""
    source, said = pair.source_words, pair.said_words
    for i, word in enumerate(source[:-1]):
        noun = source[i + 1]
        if word.form != "own" or not noun.content:
            continue
        places = [j for j, other in enumerate(said) if other.ideas & noun.ideas]
        if places and not any(
            other.form in PRONOUNS or other.form.endswith(("'s", "s'")) or other.form == "of"
            for j in places
            for other in (*said[max(0, j - 3) : j], *said[j + 1 : j + 2])
        ):
            return True
    return False
