"""From a digest to its parts as people read them: which part holds what, in which order. No format, no markup."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conspectus import __version__
from conspectus.digesting.assemble import coverage, overview_pages, overview_quote
from conspectus.digesting.kind import DocumentKind, kind_of
from conspectus.digesting.materiality import kinds_of
from conspectus.digesting.missing import missing_clauses
from conspectus.document import (
    Clause,
    Detail,
    Digest,
    KeyTerm,
    Language,
    LedgerState,
    OverviewSentence,
    Page,
    PageStatus,
    Sentence,
    TermKind,
    Verdict,
)
from conspectus.plural import Count
from conspectus.render.said import amount, why
from conspectus.render.view import Cite, Line, Part, PartName, Row, Table, View
from conspectus.render.words import WORDS
from conspectus.terms.types import ReferenceState

_ROWS: Mapping[Detail, int] = {Detail.BRIEF: 15, Detail.NORMAL: 40, Detail.FULL: 1_000_000}
_LINES: Mapping[Detail, int] = {Detail.BRIEF: 8, Detail.NORMAL: 16, Detail.FULL: 60}
# Other tables are an account or a warning: all of their rows are shown everywhere.
_SHORTENED = frozenset((PartName.DATES, PartName.DUTIES, PartName.MONEY, PartName.EXCLUSIONS, PartName.DEFINITIONS))
_NOBODY = "-"  # who a row of terms/duties names where a thing is its subject
_WEIGHTS = {"words against figures": "high", "two governing laws": "high"}  # other conflicts: medium
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
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

    def labels(self, pages: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.digest.document.pages[index].label for index in pages)

    def called(self, clause: str) -> str:
        """The clause's label in the language of the digest."""
        return str(self.words["front"]) if clause == "front matter" else clause

    def said(self, reason: str) -> str:
        """What the program says, in the language of the digest."""
        return why(reason, self.digest.document.language)

    def joined(self, *texts: str) -> str:
        """The texts that say something, in one cell."""
        return ("；" if self.digest.document.language is Language.ZH else "; ").join(filter(None, texts))

    def ranges(self, pages: Sequence[Page]) -> str:
        """`3, 7–9`: the printed labels of pages, those that follow each other as a range."""
        runs: list[list[Page]] = []
        for page in pages:
            if runs and runs[-1][-1].index == page.index - 1:
                runs[-1].append(page)
            else:
                runs.append([page])
        return str(self.words["and"]).join("–".join(dict.fromkeys((r[0].label, r[-1].label))) for r in runs)

    def described(self, name: str, note: str) -> str:
        """A party with what is said of it."""
        return str(self.words["described"].format(name=name, note=note)) if note else name

    def computed(self, term: KeyTerm) -> str:
        """The one reading of an amount, a percentage or a multiple, and what should be known of it."""
        language, number = self.digest.document.language, term.computed
        if number and term.kind is TermKind.PERCENTAGE:
            number = self.words["times"].format(number=number) if term.role == "times" else f"{number}%"
        return self.joined(amount(number, language), self.said(term.note))

    def cite(self, sentence: Sentence) -> Cite:
        clause = self.digest.clauses[sentence.clause]
        pages = self.digest.document.pages_of_spans(sentence.spans)
        return Cite(self.called(clause.label), clause.id, pages, self.labels(pages), sentence.spans, sentence.text)

    def whole(self, clause: Clause) -> Cite:
        """A clause as a whole, nothing of it marked."""
        pages = self.digest.document.pages_of(clause.start, clause.end)
        name = f"{clause.number} {clause.heading}".strip() or self.called(clause.label)
        return Cite(name, clause.id, pages, self.labels(pages), (), "")

    def line(self, number: int, *, own: bool = True) -> Line:
        """A statement as its own line, or as a line elsewhere that repeats it."""
        statement = self.digest.statements[number]
        cite = Cite(
            self.called(statement.clause),
            statement.clause_id,
            statement.pages,
            self.labels(statement.pages),
            statement.spans,
            statement.quote,
        )
        cites = () if own else (number,)
        return Line(statement.text, statement.verdict, cite, number if own else None, cites)

    def overview_line(self, sentence: OverviewSentence) -> Line:
        """Its place is that of the first statement that it cites; the clauses and pages named are those of all."""
        first = self.digest.statements[sentence.cites[0]]
        named = ", ".join(dict.fromkeys(self.called(self.digest.statements[at].clause) for at in sentence.cites))
        pages = overview_pages(self.digest, sentence)
        quote = overview_quote(self.digest, sentence)
        cite = Cite(named, first.clause_id, pages, self.labels(pages), first.spans, quote)
        return Line(sentence.text, sentence.verdict, cite, None, sentence.cites)

    def terms(self, *kinds: TermKind) -> Iterator[tuple[KeyTerm, Cite]]:
        """Key terms of these kinds, kind by kind."""
        rows = list(zip(self.digest.key_terms, self.digest.evidence, strict=True))
        for kind in kinds:
            yield from ((term, self.cite(evidence)) for term, evidence in rows if term.kind is kind)

    def part(
        self,
        name: PartName,
        rows: Sequence[Row] = (),
        lines: Sequence[Line] = (),
        notes: Sequence[str] = (),
        filters: tuple[int, ...] = (),
    ) -> Part:
        most = _ROWS[self.digest.detail] if name in _SHORTENED else len(rows)
        # Rows that name nobody give way first; those that stay keep their order.
        ranked = sorted(range(len(rows)), key=lambda at: rows[at].cells[0] == self.words["nobody"])
        short = tuple(rows[at] for at in sorted(ranked[:most]))
        table = Table(self.words["columns"][name.value], tuple(rows), filters, short) if rows else None
        return Part(name, self.words["parts"][name.value], tuple(notes), tuple(lines), table)


def _header(brief: _Brief) -> Part:
    facts, document = brief.words["facts"], brief.digest.document
    rows = [
        Row((term.name, brief.described(term.value, term.note)), cite) for term, cite in brief.terms(TermKind.PARTY)
    ]
    starts = [(term, cite) for term, cite in brief.terms(TermKind.DATE) if term.role == "effective" and term.computed]
    starts += [(term, cite) for term, cite in brief.terms(TermKind.COMMENCEMENT)]
    rows += [Row((facts["start"], term.value), cite) for term, cite in starts[:1]]
    rows += [Row((facts.get(term.role, facts["law"]), term.value), cite) for term, cite in brief.terms(TermKind.LAW)]
    plain = (("file", document.name), ("pages", str(len(document.pages))))
    rows += [Row((facts[name], value), None) for name, value in plain]
    return brief.part(PartName.HEADER, rows)


def _overview(brief: _Brief) -> Part:
    lines = [brief.overview_line(sentence) for sentence in brief.digest.overview]
    return brief.part(PartName.OVERVIEW, lines=lines, notes=() if lines else (brief.words["nothing"],))


def _dates(brief: _Brief) -> Part:
    """Days that are known come first, by day; then what hangs on an event, in the order of the document."""
    rows = []
    for term, cite in brief.terms(*_DATES):
        kind = brief.words["kinds"][term.kind.value]
        day = term.computed if _ISO.fullmatch(term.computed) else ""
        words, what = ("", term.value) if term.kind in _WHOLE else (term.value, term.name)
        computed = "" if day else term.computed
        basis = brief.joined(computed, term.formula.text if term.formula else "", brief.said(term.note))
        rows.append(Row((kind, day, words, what, basis), cite))
    rows.sort(key=lambda row: row.cells[1] or "~")
    return brief.part(PartName.DATES, rows, filters=(0,))


def _duties(brief: _Brief) -> Part:
    rows = []
    for duty in brief.digest.duties:
        limits = brief.joined(duty.condition, duty.exception)
        who = brief.words["nobody"] if duty.who == _NOBODY else f"{duty.who[:1].upper()}{duty.who[1:]}"
        cells = (who, brief.words["modality"][duty.modality.value], duty.what, duty.when, limits)
        rows.append(Row(cells, brief.cite(brief.digest.cited_sentence(duty.sentence))))
    return brief.part(PartName.DUTIES, rows, filters=(0, 1))


def _money(brief: _Brief) -> Part:
    rows = [Row((term.value, term.name, brief.computed(term)), cite) for term, cite in brief.terms(*_MONEY)]
    return brief.part(PartName.MONEY, rows)


def _about(brief: _Brief, name: PartName, kinds: frozenset[str]) -> Part:
    """The statements whose evidence is about any of these material kinds; each has its own line clause by clause."""
    language = brief.digest.document.language
    statements = brief.digest.statements
    numbers = [at for at, statement in enumerate(statements) if kinds & set(kinds_of(statement.quote, language))]
    shown = numbers[: _LINES[brief.digest.detail]]
    left = len(numbers) - len(shown)
    notes = (brief.words["more_lines"].format(count=Count(left)),) if left else ()
    return brief.part(name, lines=[brief.line(at, own=False) for at in shown], notes=notes)


def _exclusions(brief: _Brief) -> Part:
    rows = [
        Row((brief.words["kinds"][term.kind.value], term.value), cite)
        for term, cite in brief.terms(TermKind.SANCTION, TermKind.EXCLUSION)
    ]
    return brief.part(PartName.EXCLUSIONS, rows, filters=(0,))


def _flags(brief: _Brief, kind: DocumentKind) -> Part:
    digest, words = brief.digest, brief.words
    rows = []
    for conflict in digest.conflicts:
        cites = [brief.cite(digest.cited_sentence(sentence)) for sentence in conflict.sentences]
        places = [f"{side} ({cite.clause})" for side, cite in zip((conflict.a, conflict.b), cites, strict=True)]
        named = words["conflicts"].get(conflict.kind, conflict.kind)
        what = words["conflict"].format(kind=named, a=places[0], b=places[1])
        weight = words["weights"][_WEIGHTS.get(conflict.kind, "medium")]
        rows.append(Row((weight, what, conflict.about), cites[0]))
    if kind is DocumentKind.CONTRACT:
        rows += [
            Row((words["weights"]["low"], words["missing"].format(name=name), words["missing_how"]), None)
            for name in missing_clauses(digest.document.text, digest.document.language)
        ]
    return brief.part(PartName.FLAGS, rows, notes=(words["flags"],) if rows else ())


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
    for section in brief.digest.sections:
        if section.statements:
            lines = [brief.overview_line(sentence) for sentence in section.overview]
            lines += [brief.line(position) for position in section.statements]
            yield Part(PartName.SECTION, section.heading or brief.words["front"], (), tuple(lines))


def _ledger(brief: _Brief) -> Part:
    """Pages that were not read, lines that did not pass, clauses of which nothing is in the digest."""
    digest = brief.digest
    states = brief.words["states"]
    clauses = {clause.id: clause for clause in digest.clauses}
    rows = [
        Row((states[row.state.value], brief.said(row.reason)), brief.whole(clauses[row.clause_id]))
        for row in digest.ledger
        if row.state is not LedgerState.IN_DIGEST
    ]
    bad = [at for at, statement in enumerate(digest.statements) if statement.verdict is Verdict.UNVERIFIED]
    lines = [brief.line(at, own=False) for at in bad]
    return brief.part(PartName.LEDGER, rows, lines, tuple(_unread(brief)), filters=(0,))


def _method(brief: _Brief) -> Part:
    digest = brief.digest
    notes = [
        text.format(
            program=f"Conspectus {__version__}",
            model=digest.model,
            detail=brief.words["details"][digest.detail.value],
            sha=digest.document.sha256,
        )
        for text in brief.words["method"]
    ]
    return brief.part(PartName.METHOD, notes=notes)


def _unread(brief: _Brief) -> Iterator[str]:
    """One sentence for all pages that were not read for the same reason: of a scan that may be hundreds."""
    groups: dict[tuple[PageStatus, str], list[Page]] = {}
    for page in brief.digest.unread_pages:
        groups.setdefault((page.status, page.reason), []).append(page)
    for (state, why_not), pages in groups.items():
        reason = brief.words["because"].format(why=brief.said(why_not)) if why_not else ""
        sentence = brief.words["unread" if len(pages) == 1 else "unread_several"]
        yield sentence.format(label=brief.ranges(pages), status=brief.words["page_states"][state.value], reason=reason)


def _page_notes(brief: _Brief) -> Iterator[str]:
    """What is odd about pages: the same note once, with all pages it is about."""
    notes: dict[str, list[Page]] = {}
    for page in brief.digest.document.pages:
        if page.status is not PageStatus.EMPTY:
            for note in page.warnings:
                notes.setdefault(note, []).append(page)
    for note, pages in notes.items():
        place = brief.words["page"].format(pages=brief.ranges(pages))
        yield f"{place}{brief.words['because'].format(why=brief.said(note))}"


def _alerts(brief: _Brief) -> Iterator[str]:
    digest, words = brief.digest, brief.words
    if digest.partial:
        yield words["partial"]
    yield from _unread(brief)
    if digest.engine_errors:
        yield words["errors"].format(errors=brief.joined(*map(brief.said, digest.engine_errors)))
    unverified = sum(statement.verdict is Verdict.UNVERIFIED for statement in digest.statements)
    if unverified:
        yield words["unverified"].format(count=Count(unverified))
    yield from map(brief.said, digest.document.warnings)
    yield from _page_notes(brief)


def _coverage(brief: _Brief) -> str:
    count = coverage(brief.digest)
    return str(
        brief.words["coverage"].format(
            pages=Count(count.pages),
            pages_read=count.pages_read,
            clauses=Count(count.clauses),
            accounted=count.accounted,
            verified=count.verdicts["verified"],
            verbatim=Count(count.verdicts["verbatim"]),
            characters=Count(count.characters),
            promised=count.promised,
            share=brief.digest.detail.share,
            source_characters=count.source_characters,
        )
    )


def view_of(digest: Digest) -> View:
    """All parts that have something to show, in order."""
    brief = _Brief(digest)
    kind = kind_of(digest.document)
    dates, definitions = _dates(brief), _definitions(brief)
    statute = kind is DocumentKind.STATUTE
    liability = (_about(brief, PartName.LIABILITY, _LIABILITY), _exclusions(brief))
    parts = (
        _header(brief),
        _overview(brief),
        definitions if statute else dates,
        _duties(brief),
        *((dates, *liability) if statute else ()),
        _money(brief),
        _about(brief, PartName.TERM, _TERM),
        *(() if statute else liability),
        _flags(brief, kind),
        *(() if statute else (definitions,)),
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
