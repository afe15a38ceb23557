"""The digest as JSON: the form that all others and `verify` can be made from (conspectus.schema says what it holds)."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib import metadata
from typing import Any, TypedDict

from conspectus import __version__
from conspectus.digesting.assemble import coverage, overview_clauses, overview_pages, overview_quote
from conspectus.document import (
    Digest,
    KeyTerm,
    LedgerRow,
    LevelCall,
    OverviewSentence,
    Sentence,
    Span,
    Statement,
    Verdict,
)
from conspectus.schema import models as m
from conspectus.schema.parse import checksum_of, dump
from conspectus.terms.types import Conflict, Duty, Reference

# What the words, the clauses and the verdicts depend on, besides this program itself.
_PACKAGES = ("llama-cpp-python", "nupunkt", "pypdf", "pypdfium2", "snowballstemmer")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions of the packages that a digest depends on, as far as they are installed."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def text_hash(text: str) -> str:
    """The sha256 of a document's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _labels(digest: Digest, pages: Sequence[int]) -> tuple[str, ...]:
    return tuple(digest.document.pages[index].label for index in pages)


def _places(spans: Sequence[Span]) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in spans)


def _document(digest: Digest) -> m.DocumentPart:
    document = digest.document
    return m.DocumentPart(
        name=document.name,
        title=document.title,
        sha256=document.sha256,
        text_sha256=text_hash(document.text),
        language=document.language,
        characters=len(document.text),
        pages=tuple(
            m.PageRow(
                index=page.index,
                label=page.label,
                status=page.status,
                reason=page.reason,
                engine=page.engine,
                start=page.start,
                characters=len(page.text),
                warnings=page.warnings,
                running_lines=page.furniture,
            )
            for page in document.pages
        ),
    )


def _coverage(digest: Digest) -> m.CoveragePart:
    count = coverage(digest)
    states = {name.replace(" ", "_"): number for name, number in count.states.items()}
    return m.CoveragePart(
        pages=count.pages,
        pages_read=count.pages_read,
        clauses=count.clauses,
        accounted=count.accounted,
        characters=count.characters,
        promised=count.promised,
        source_characters=count.source_characters,
        verdicts=m.VerdictCounts(**count.verdicts),
        states=m.StateCounts(**states),
    )


def _statement(digest: Digest, position: int, statement: Statement) -> m.StatementRow:
    return m.StatementRow(
        id=position,
        text=statement.text,
        verdict=statement.verdict,
        quote=statement.quote,
        clause=statement.clause,
        clause_id=statement.clause_id,
        pages=statement.pages,
        page_labels=_labels(digest, statement.pages),
        spans=_places(statement.spans),
        sentences=statement.sentences,
        refused=statement.reasons,
    )


def _overview(digest: Digest, sentence: OverviewSentence) -> m.OverviewRow:
    pages = overview_pages(digest, sentence)
    return m.OverviewRow(
        text=sentence.text,
        verdict=sentence.verdict,
        quote=overview_quote(digest, sentence),
        clause=overview_clauses(digest, sentence),
        pages=pages,
        page_labels=_labels(digest, pages),
        statements=sentence.cites,
        refused=sentence.reasons,
    )


def _level_call(digest: Digest, call: LevelCall) -> m.LevelCallRow:
    return m.LevelCallRow(
        part=call.part,
        statements=call.inputs,
        lines=call.lines,
        sentences=tuple(_overview(digest, sentence) for sentence in call.sentences),
        failure=call.failure,
    )


class _Place(TypedDict):
    """Where a row of a table stands."""

    quote: str
    clause: str
    clause_id: str
    pages: tuple[int, ...]
    page_labels: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    sentence: int


def _place(digest: Digest, evidence: Sentence) -> _Place:
    pages = digest.document.pages_of_spans(evidence.spans)
    clause = digest.clauses[evidence.clause]
    return {
        "quote": evidence.text,
        "clause": clause.label,
        "clause_id": clause.id,
        "pages": pages,
        "page_labels": _labels(digest, pages),
        "spans": _places(evidence.spans),
        "sentence": evidence.index,
    }


def _term(digest: Digest, term: KeyTerm, evidence: Sentence) -> m.KeyTermRow:
    return m.KeyTermRow(
        kind=term.kind,
        name=term.name,
        value=term.value,
        text=term.value,
        role=term.role,
        computed=term.computed,
        formula=m.FormulaRow(**asdict(term.formula)) if term.formula else None,
        note=term.note,
        verdict=Verdict.VERBATIM,
        **_place(digest, evidence),
    )


def _duty(digest: Digest, row: Duty) -> m.DutyRow:
    return m.DutyRow(
        who=row.who,
        modality=row.modality,
        operator=row.operator,
        what=row.what,
        when=row.when,
        condition=row.condition,
        exception=row.exception,
        **_place(digest, digest.cited_sentence(row.sentence)),
    )


def _reference(digest: Digest, row: Reference) -> m.ReferenceRow:
    return m.ReferenceRow(
        words=row.words,
        target=row.target,
        state=row.state,
        leads_to=row.clause_id,
        **_place(digest, digest.cited_sentence(row.sentence)),
    )


def _conflict(digest: Digest, row: Conflict) -> m.ConflictRow:
    a, b = (digest.cited_sentence(sentence) for sentence in row.sentences)
    return m.ConflictRow(
        kind=row.kind,
        about=row.about,
        a=m.ConflictSide(text=row.a, **_place(digest, a)),
        b=m.ConflictSide(text=row.b, **_place(digest, b)),
    )


def _ledger(digest: Digest) -> tuple[m.LedgerRowModel, ...]:
    clauses = {clause.id: clause for clause in digest.clauses}

    def made(row: LedgerRow) -> m.LedgerRowModel:
        clause = clauses[row.clause_id]
        return m.LedgerRowModel(
            clause_id=row.clause_id,
            number=row.number,
            heading=row.heading,
            kind=clause.kind,
            path=clause.path,
            start=clause.start,
            end=clause.end,
            pages=row.pages,
            page_labels=_labels(digest, row.pages),
            state=row.state,
            reason=row.reason,
            statements=row.statements,
            condensed=row.condensed,
        )

    return tuple(made(row) for row in digest.ledger)


def _provenance(digest: Digest) -> m.ProvenancePart:
    return m.ProvenancePart(
        program=f"conspectus {__version__}",
        versions=versions(),
        model=digest.model,
        model_fingerprint=digest.fingerprint,
        prompts=digest.prompts,
        detail=digest.detail,
        reduce=digest.reduce,
        floor=digest.floor,
        context=digest.context,
    )


def as_file(digest: Digest) -> m.DigestFile:
    """The digest as the models of digest.json have it, with its checksum."""
    made = m.DigestFile(
        schema_name=m.SCHEMA,
        status="partial" if digest.partial else "complete",
        document=_document(digest),
        coverage=_coverage(digest),
        warnings=digest.document.warnings,
        unread_pages=tuple(page.index for page in digest.unread_pages),
        engine_errors=digest.engine_errors,
        overview=tuple(_overview(digest, sentence) for sentence in digest.overview),
        key_terms=tuple(_term(digest, *row) for row in zip(digest.key_terms, digest.evidence, strict=True)),
        duties=tuple(_duty(digest, row) for row in digest.duties),
        references=tuple(_reference(digest, row) for row in digest.references),
        conflicts=tuple(_conflict(digest, row) for row in digest.conflicts),
        sections=tuple(
            m.SectionRow(
                heading=section.heading,
                clauses=tuple(digest.clauses[position].id for position in section.clauses),
                overview=tuple(_overview(digest, sentence) for sentence in section.overview),
                statements=section.statements,
            )
            for section in digest.sections
        ),
        levels=tuple(
            m.LevelRow(name=level.name, calls=tuple(_level_call(digest, call) for call in level.calls))
            for level in digest.levels
        ),
        statements=tuple(_statement(digest, at, statement) for at, statement in enumerate(digest.statements)),
        ledger=_ledger(digest),
        provenance=_provenance(digest),
        checksum="",
    )
    return made.model_copy(update={"checksum": checksum_of(made)})


def as_dict(digest: Digest) -> dict[str, Any]:
    """The digest as plain data, as the file has it."""
    return as_file(digest).model_dump(mode="json", by_alias=True)


def render_json(digest: Digest) -> bytes:
    """The file: the same digest gives the same bytes, also through `conspectus.schema.parse` and back."""
    return dump(as_file(digest))
