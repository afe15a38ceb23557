"""What an English line lost of its evidence, word by word: only what is known to be harmless may be missing.

The rules of rules.py and limits.py look for known faults. Here the direction is the other way round: each content
word and number of a sentence that the line restates has a counterpart of its own in the line, or stands in a place that
may be left out (a definition in brackets, "of this Lease", the second of two words for one thing, a name said again, a
whole further duty). Everything else that is lost is a fault, whatever it says.
"""

from conspectus.check.en.aligned import Pair
from conspectus.check.en.clauses import owner
from conspectus.check.en.harmless import bracketed, gone, harmless, inside
from conspectus.check.en.row import Row, asked
from conspectus.check.reasons import Reason


def lost(pair: Pair) -> list[tuple[Reason, str]]:
    """The words of the evidence that the line lost though they matter, each with the reason that fits."""
    found: list[tuple[Reason, str]] = []
    for words in pair.covered:
        if any(word.form == "|" for word in words):
            continue
        row = Row(words, pair)
        left = gone(row)
        defined = bracketed(words)
        spare = row.pronouns
        taken: set[int] = set()
        for i, word in enumerate(words):
            if not asked(word) or i in row.met or any(part.start <= i < part.end for part in left):
                continue
            fine, spare = harmless(row, i, defined, spare, taken)
            if not fine:
                found.append((_reason(row, i), word.form))
    return found


def _reason(row: Row, i: int) -> Reason:
    word = row.words[i]
    if inside(row, i):
        return Reason.CONDITION
    if word.form[0] == "#":
        return Reason.LIMIT
    return Reason.DIRECTION if word.role and not owner(word) else Reason.QUALIFIER
