"""From a digest to its parts as people read them: which part holds what, in which order. No format, no markup."""

from collections.abc import Iterator, Sequence
from typing import Any

from conspectus import __version__
from conspectus.digest import coverage, overview_clauses
from conspectus.document import (
    Digest,
    KeyTerm,
    LedgerState,
    OverviewSentence,
    PageStatus,
    Sentence,
    Statement,
    TermKind,
    Verdict,
)
from conspectus.kind import DocumentKind, kind_of
from conspectus.materiality import kinds_of
from conspectus.missing import missing_clauses
from conspectus.render.view import Cite, Line, Part, PartName, Row, Table, View
from conspectus.render.words import WORDS
from conspectus.terms.types import ReferenceState

_TERM = frozenset(("termination", "commencement"))
_LIABILITY = frozenset(("liability", "sanction", "law"))
_DATES = (TermKind.DATE, TermKind.COMMENCEMENT, TermKind.REPEAL, TermKind.PERIOD)
_MONEY = (TermKind.MONEY, TermKind.PERCENTAGE)
_WHOLE = (TermKind.COMMENCEMENT, TermKind.REPEAL)  # their value is the whole sentence


class _Brief:
    """One digest with its words and clauses at hand."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        self.words: Any = WORDS[digest.document.language]
        self.clauses = {clause.id: clause for clause in digest.clauses}

    def labels(self, pages: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.digest.document.pages[index].label for index in pages)

    def cite(self, sentence: Sentence) -> Cite:
        clause = self.digest.clauses[sentence.clause]
        pages = self.digest.document.pages_of_spans(sentence.spans)
        return Cite(clause.label, clause.id, pages, self.labels(pages), sentence.spans, sentence.text)

    def line(self, number: int, statement: Statement) -> Line:
        cite = Cite(
            statement.clause,
            statement.clause_id,
            statement.pages,
            self.labels(statement.pages),
            statement.spans,
            statement.quote,
        )
        return Line(statement.text, statement.verdict, cite, number)

    def overview_line(self, sentence: OverviewSentence) -> Line:
        """Its place is that of the first statement that it cites; the clauses named are those of all."""
        first = self.digest.statements[sentence.cites[0]]
        named = overview_clauses(self.digest, sentence)
        return Line(
            sentence.text,
            sentence.verdict,
            Cite(named, first.clause_id, first.pages, self.labels(first.pages), first.spans, first.quote),
        )

    def terms(self, *kinds: TermKind) -> Iterator[tuple[KeyTerm, Cite]]:
        """Key terms of these kinds, kind by kind."""
        rows = list(zip(self.digest.key_terms, self.digest.evidence, strict=True))
        for kind in kinds:
            yield from ((term, self.cite(evidence)) for term, evidence in rows if term.kind is kind)

    def part(
        self, name: PartName, rows: Sequence[Row] = (), lines: Sequence[Line] = (), filters: tuple[int, ...] = ()
    ) -> Part:
        table = Table(self.words["columns"][name.value], tuple(rows), filters) if rows else None
        return Part(name, self.words["parts"][name.value], (), tuple(lines), table)


def _overview(brief: _Brief) -> Part:
    lines = tuple(brief.overview_line(sentence) for sentence in brief.digest.overview)
    notes = () if lines else (brief.words["nothing"],)
    return Part(PartName.OVERVIEW, brief.words["parts"]["overview"], notes, lines)


def _parties(brief: _Brief) -> Part:
    rows = [Row((term.name, term.value), cite) for term, cite in brief.terms(TermKind.PARTY)]
    return brief.part(PartName.PARTIES, rows)


def _dates(brief: _Brief) -> Part:
    rows = []
    for term, cite in brief.terms(*_DATES):
        kind = brief.words["kinds"][term.kind.value]
        when = "" if term.kind in _WHOLE else term.value
        what = term.value if term.kind in _WHOLE else term.name
        formula = term.formula.text if term.formula else ""
        rows.append(Row((f"{kind}: {term.role}" if term.role else kind, when, what, term.computed or formula), cite))
    return brief.part(PartName.DATES, rows, filters=(0,))


def _duties(brief: _Brief) -> Part:
    rows = []
    for duty in brief.digest.duties:
        excepted = brief.words["except"].format(words=duty.exception) if duty.exception else ""
        limits = "; ".join(filter(None, (duty.condition, excepted)))
        cells = (duty.who, brief.words["modality"][duty.modality.value], duty.what, duty.when, limits)
        rows.append(Row(cells, brief.cite(brief.digest.cited_sentence(duty.sentence))))
    return brief.part(PartName.DUTIES, rows, filters=(0, 1))


def _money(brief: _Brief) -> Part:
    rows = [Row((term.value, term.name, term.computed), cite) for term, cite in brief.terms(*_MONEY)]
    return brief.part(PartName.MONEY, rows)


def _about(brief: _Brief, name: PartName, kinds: frozenset[str]) -> Part:
    """The statements whose evidence is about any of these material kinds."""
    language = brief.digest.document.language
    lines = [
        brief.line(number, statement)
        for number, statement in enumerate(brief.digest.statements)
        if kinds & set(kinds_of(statement.quote, language))
    ]
    # The statement's own line, clause by clause, is where its number leads.
    return brief.part(name, lines=[Line(line.text, line.verdict, line.cite) for line in lines])


def _flags(brief: _Brief) -> Part:
    digest = brief.digest
    rows = [
        Row(
            (brief.words["conflict"].format(kind=conflict.kind, a=conflict.a, b=conflict.b), conflict.about),
            brief.cite(digest.cited_sentence(conflict.sentences[0])),
        )
        for conflict in digest.conflicts
    ]
    notes: tuple[str, ...] = ()
    if kind_of(digest.document) is DocumentKind.CONTRACT:
        names = missing_clauses(digest.document.text, digest.document.language)
        separator = "、" if digest.document.language.value == "zh" else ", "
        notes = (brief.words["missing"].format(names=separator.join(names)),) if names else ()
    table = Table(brief.words["columns"]["flags"], tuple(rows)) if rows else None
    return Part(PartName.FLAGS, brief.words["parts"]["flags"], notes, (), table)


def _definitions(brief: _Brief) -> Part:
    rows = [Row((term.name, term.value), cite) for term, cite in brief.terms(TermKind.DEFINITION)]
    return brief.part(PartName.DEFINITIONS, rows)


def _references(brief: _Brief) -> Part:
    rows = [
        Row((reference.words, brief.words["broken"]), brief.cite(brief.digest.cited_sentence(reference.sentence)))
        for reference in brief.digest.references
        if reference.state is ReferenceState.BROKEN
    ]
    return brief.part(PartName.REFERENCES, rows)


def _sections(brief: _Brief) -> Iterator[Part]:
    digest = brief.digest
    for section in digest.sections:
        if section.statements:
            lines = [brief.line(position, digest.statements[position]) for position in section.statements]
            notes = tuple(sentence.text for sentence in section.overview)
            yield Part(PartName.SECTION, section.heading or brief.words["front"], notes, tuple(lines))


def _ledger(brief: _Brief) -> Part:
    rows = []
    for row in brief.digest.ledger:
        if row.state is LedgerState.IN_DIGEST:
            continue
        labels = brief.labels(row.pages)
        name = f"{row.number} {row.heading}".strip() or brief.words["front"]
        pages = "–".join(dict.fromkeys((labels[0], labels[-1])))
        rows.append(Row((name, pages, brief.words["states"][row.state.value], row.reason), None))
    return brief.part(PartName.LEDGER, rows)


def _method(brief: _Brief) -> Part:
    digest = brief.digest
    notes = tuple(
        text.format(
            program=f"Conspectus {__version__}",
            model=digest.model,
            detail=digest.detail.value,
            sha=digest.document.sha256,
        )
        for text in brief.words["method"]
    )
    return Part(PartName.METHOD, brief.words["parts"]["method"], notes)


def _alerts(brief: _Brief) -> Iterator[str]:
    digest, words = brief.digest, brief.words
    if digest.partial:
        yield words["partial"]
    for page in digest.document.pages:
        if page.unread:
            reason = f": {page.reason}" if page.reason else ""
            yield words["unread"].format(label=page.label, status=page.status.value, reason=reason)
    if digest.engine_errors:
        yield words["errors"].format(errors="; ".join(digest.engine_errors))
    unverified = sum(statement.verdict is Verdict.UNVERIFIED for statement in digest.statements)
    if unverified:
        yield words["unverified"].format(count=unverified)
    yield from digest.document.warnings
    for page in digest.document.pages:
        if page.status is not PageStatus.EMPTY:
            yield from (f"{words['page'].format(pages=page.label)}: {note}" for note in page.warnings)


def _coverage(brief: _Brief) -> str:
    count = coverage(brief.digest)
    return str(
        brief.words["coverage"].format(
            pages=count.pages,
            pages_read=count.pages_read,
            clauses=count.clauses,
            accounted=count.accounted,
            verified=count.verdicts["verified"],
            verbatim=count.verdicts["verbatim"],
            characters=count.characters,
            promised=count.promised,
            share=brief.digest.detail.share,
            source_characters=count.source_characters,
        )
    )


def view_of(digest: Digest) -> View:
    """All parts that have something to show, in order."""
    brief = _Brief(digest)
    parts = (
        _overview(brief),
        _parties(brief),
        _dates(brief),
        _duties(brief),
        _money(brief),
        _about(brief, PartName.TERM, _TERM),
        _about(brief, PartName.LIABILITY, _LIABILITY),
        _flags(brief),
        _definitions(brief),
        _references(brief),
        *_sections(brief),
        _ledger(brief),
        _method(brief),
    )
    return View(
        title=brief.words["digest"].format(title=digest.document.title or digest.document.name),
        language=digest.document.language.value,
        partial=digest.partial,
        alerts=tuple(_alerts(brief)),
        coverage=_coverage(brief),
        parts=tuple(part for part in parts if part.notes or part.lines or part.table),
    )
