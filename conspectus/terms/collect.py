"""All tables of a document: key terms, duties, cross references, conflicts. Code alone, before any model.

Each row rests on one sentence and shows its words; what is computed (an ISO date, an amount as number and currency,
a formula) stands beside them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from conspectus.document import KeyTerm, Language, Sentence, Source, TermKind
from conspectus.terms.actors import Actors
from conspectus.terms.conflicts import find_conflicts
from conspectus.terms.dates import find_dates, find_defined_dates, find_event_dates
from conspectus.terms.definitions import find_definitions
from conspectus.terms.duties import find_duties
from conspectus.terms.events import find_events, find_law
from conspectus.terms.foreign import find_foreign_dates
from conspectus.terms.money import Currencies, find_amounts, find_priced_lines
from conspectus.terms.parties import find_parties
from conspectus.terms.periods import find_periods
from conspectus.terms.references import find_references
from conspectus.terms.types import Conflict, Duty, Reference
from conspectus.terms.words import own_words
from conspectus.text import other_language

_NAMED = (TermKind.PARTY, TermKind.DEFINITION)


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one document, each in document order; key terms by kind first."""

    key_terms: tuple[KeyTerm, ...]
    duties: tuple[Duty, ...]
    references: tuple[Reference, ...]
    conflicts: tuple[Conflict, ...]

    def rests_on(self) -> frozenset[int]:
        """Indexes of the sentences that duties, references and conflicts rest on."""
        duties, references = {row.sentence for row in self.duties}, {row.sentence for row in self.references}
        return frozenset(duties | references | {index for row in self.conflicts for index in row.sentences})

    def cited(self, source: Source) -> tuple[Sentence, ...]:
        """The sentences of `rests_on`, ascending."""
        return tuple(source.sentences[index] for index in sorted(self.rests_on()))


def _of_sentence(source: Source, sentence: Sentence, currencies: Currencies, foreign: bool) -> Iterator[KeyTerm]:
    text, language = own_words(source, sentence), source.language
    yield from find_law(text, sentence.index, language)
    yield from find_definitions(text, sentence.index, language)
    yield from find_events(text, sentence.index, language)
    dates = tuple(find_dates(text, sentence.index, language))
    yield from dates
    if foreign:
        yield from find_foreign_dates(text, sentence.index, frozenset(term.value for term in dates))
    if language is Language.EN:
        yield from find_defined_dates(text, sentence.index)
        yield from find_event_dates(text, sentence.index)
    yield from find_periods(text, sentence.index, language)
    yield from find_amounts(text, sentence.index, language, currencies)
    lines = source.document.text[sentence.own.start : sentence.own.end]
    if "(" in lines:
        yield from find_priced_lines(lines, sentence.index, currencies, text)


def _key(term: KeyTerm) -> tuple[object, ...]:
    """What makes two rows one: a party or definition by its name and words, else the same words of the same thing."""
    if term.kind in _NAMED:
        return (term.kind, term.name.casefold(), term.value.casefold())
    return (term.kind, term.role, term.value.casefold(), term.name, term.sentence if term.role else "")


def _terms(source: Source, currencies: Currencies) -> tuple[KeyTerm, ...]:
    foreign = bool(other_language(source.document.text))
    found: dict[tuple[object, ...], KeyTerm] = {}
    for term in find_parties(source):
        found.setdefault(_key(term), term)
    for sentence in source.sentences:
        for term in _of_sentence(source, sentence, currencies, foreign):
            found.setdefault(_key(term), term)
    order = {kind: place for place, kind in enumerate(TermKind)}
    return tuple(sorted(found.values(), key=lambda term: (order[term.kind], term.sentence)))


def collect(source: Source) -> tuple[KeyTerm, ...]:
    """The key terms of a document, by kind, within a kind in document order; the same row once."""
    return _terms(source, Currencies(source.document.text, source.language))


def collect_all(source: Source, key_terms: tuple[KeyTerm, ...] | None = None) -> Tables:
    """All tables of a document; `key_terms` are what `collect` gave for it, where it was asked before."""
    currencies = Currencies(source.document.text, source.language)
    terms = _terms(source, currencies) if key_terms is None else key_terms
    return Tables(
        terms,
        find_duties(source, Actors(terms)),
        find_references(source),
        find_conflicts(source, terms, currencies),
    )
