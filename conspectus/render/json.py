"""The digest as JSON: the form that all others and `verify` can be made from."""

import json
from dataclasses import asdict
from typing import Any

from conspectus import __version__
from conspectus.digest import coverage, overview_clauses, overview_pages, overview_quote
from conspectus.document import Digest, KeyTerm, LedgerRow, LevelCall, OverviewSentence, Sentence, Statement, Verdict
from conspectus.terms.types import Conflict, Duty, Reference

SCHEMA = "conspectus-digest-1"


def _labels(digest: Digest, pages: tuple[int, ...]) -> list[str]:
    return [digest.document.pages[index].label for index in pages]


def _statement(digest: Digest, position: int, statement: Statement) -> dict[str, Any]:
    return {
        "id": position,
        "text": statement.text,
        "verdict": statement.verdict.value,
        "quote": statement.quote,
        "clause": statement.clause,
        "clause_id": statement.clause_id,
        "pages": list(statement.pages),
        "page_labels": _labels(digest, statement.pages),
        "spans": [[span.start, span.end] for span in statement.spans],
        "refused": list(statement.reasons),
    }


def _overview(digest: Digest, sentence: OverviewSentence) -> dict[str, Any]:
    pages = overview_pages(digest, sentence)
    return {
        "text": sentence.text,
        "verdict": sentence.verdict.value,
        "quote": overview_quote(digest, sentence),
        "clause": overview_clauses(digest, sentence),
        "pages": list(pages),
        "page_labels": _labels(digest, pages),
        "statements": list(sentence.cites),
        "refused": list(sentence.reasons),
    }


def _level_call(digest: Digest, call: LevelCall) -> dict[str, Any]:
    return {
        "part": call.part,
        "statements": list(call.inputs),
        "lines": list(call.lines),
        "sentences": [_overview(digest, sentence) for sentence in call.sentences],
        "failure": call.failure,
    }


def _term(digest: Digest, term: KeyTerm, evidence: Sentence) -> dict[str, Any]:
    pages = digest.document.pages_of_spans(evidence.spans)
    return {
        "kind": term.kind.value,
        "name": term.name,
        "value": term.value,
        "text": term.value,
        "role": term.role,
        "computed": term.computed,
        "formula": asdict(term.formula) if term.formula else None,
        "note": term.note,
        "verdict": Verdict.VERBATIM.value,
        "quote": evidence.text,
        "clause": digest.clauses[evidence.clause].label,
        "pages": list(pages),
        "page_labels": _labels(digest, pages),
    }


def _place(digest: Digest, sentence: int) -> dict[str, Any]:
    """Where a row of the duties, references or conflicts tables stands."""
    evidence = digest.cited_sentence(sentence)
    pages = digest.document.pages_of_spans(evidence.spans)
    return {
        "quote": evidence.text,
        "clause": digest.clauses[evidence.clause].label,
        "clause_id": digest.clauses[evidence.clause].id,
        "pages": list(pages),
        "page_labels": _labels(digest, pages),
    }


def _row(digest: Digest, row: Duty | Reference) -> dict[str, Any]:
    """A duty or reference with its own cells and its place."""
    cells = {name: value for name, value in asdict(row).items() if name not in ("sentence", "clause_id")}
    if isinstance(row, Reference):
        cells["leads_to"] = row.clause_id
    return {**cells, **_place(digest, row.sentence)}


def _conflict(digest: Digest, conflict: Conflict) -> dict[str, Any]:
    return {
        "kind": conflict.kind,
        "about": conflict.about,
        "a": {"text": conflict.a, **_place(digest, conflict.sentences[0])},
        "b": {"text": conflict.b, **_place(digest, conflict.sentences[1])},
    }


def _ledger(digest: Digest, row: LedgerRow) -> dict[str, Any]:
    return {
        "clause_id": row.clause_id,
        "number": row.number,
        "heading": row.heading,
        "pages": list(row.pages),
        "page_labels": _labels(digest, row.pages),
        "state": row.state.value,
        "reason": row.reason,
        "statements": list(row.statements),
        "condensed": list(row.condensed),
    }


def as_dict(digest: Digest) -> dict[str, Any]:
    """The digest as plain data. `pages` are 0-based indexes, `spans` offsets into the document's text."""
    document = digest.document
    return {
        "schema": SCHEMA,
        "status": "partial" if digest.partial else "complete",
        "document": {
            "name": document.name,
            "title": document.title,
            "sha256": document.sha256,
            "language": document.language.value,
            "characters": len(document.text),
            "pages": [
                {
                    "index": page.index,
                    "label": page.label,
                    "status": page.status.value,
                    "reason": page.reason,
                    "engine": page.engine,
                    "warnings": list(page.warnings),
                    "running_lines": list(page.furniture),
                }
                for page in document.pages
            ],
        },
        "coverage": asdict(coverage(digest)),
        "warnings": list(document.warnings),
        "unread_pages": [page.index for page in digest.unread_pages],
        "engine_errors": list(digest.engine_errors),
        "overview": [_overview(digest, sentence) for sentence in digest.overview],
        "key_terms": [
            _term(digest, term, evidence) for term, evidence in zip(digest.key_terms, digest.evidence, strict=True)
        ],
        "duties": [_row(digest, duty) for duty in digest.duties],
        "references": [_row(digest, reference) for reference in digest.references],
        "conflicts": [_conflict(digest, conflict) for conflict in digest.conflicts],
        "sections": [
            {
                "heading": section.heading,
                "clauses": [digest.clauses[position].id for position in section.clauses],
                "overview": [_overview(digest, sentence) for sentence in section.overview],
                "statements": list(section.statements),
            }
            for section in digest.sections
        ],
        "levels": [
            {"name": level.name, "calls": [_level_call(digest, call) for call in level.calls]}
            for level in digest.levels
        ],
        "statements": [_statement(digest, i, statement) for i, statement in enumerate(digest.statements)],
        "ledger": [_ledger(digest, row) for row in digest.ledger],
        "provenance": {
            "program": f"conspectus {__version__}",
            "model": digest.model,
            "model_fingerprint": digest.fingerprint,
            "prompts": digest.prompts,
            "detail": digest.detail.value,
        },
    }


def render_json(digest: Digest) -> bytes:
    """UTF-8, two spaces of indent, a line feed last; the same digest gives the same bytes."""
    return (json.dumps(as_dict(digest), ensure_ascii=False, indent=2) + "\n").encode()
