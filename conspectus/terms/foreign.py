"""Dates of documents in a language that has no rules here (German, French, …): found generically, by dateparser.

dateparser is asked about candidate spans only (a day, a word, a year): on whole sentences it guesses, and on 03/04/2025
too, so it never sees what the patterns of dates.py know.
"""

import re
from collections.abc import Iterator

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.terms.dates import about

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "cs")
_CANDIDATE = re.compile(r"\b[0-9]{1,2}(?:\.|er|º)?\s(?:de\s)?(?P<month>[^\W\d_]{3,12})\.?\s(?:de\s)?[0-9]{4}\b")


def find_foreign_dates(text: str, sentence: int, known: frozenset[str]) -> Iterator[KeyTerm]:
    """Date rows of candidate spans whose words are not among the `known` ones (of dates that have a row already)."""
    for match in _CANDIDATE.finditer(text):
        if match[0] in known:
            continue
        from dateparser import parse

        found = parse(match[0], languages=list(LANGUAGES), settings={"STRICT_PARSING": True})
        if found is not None:
            name = about(text, *match.span(), Language.EN)
            yield KeyTerm(TermKind.DATE, name, match[0], sentence, "", found.date().isoformat())
