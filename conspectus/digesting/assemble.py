"""The digest of one document, put together from what the steps made."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conspectus import prompts
from conspectus.digesting.reduce import Overviews
from conspectus.digesting.settle import account, promised
from conspectus.document import (
    Detail,
    Digest,
    KeyTerm,
    LedgerState,
    OverviewSentence,
    Source,
    Statement,
    Verdict,
)
from conspectus.evidence.sentences import ELLIPSIS
from conspectus.llama import ModelInfo
from conspectus.terms.collect import Tables, collect_all


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for: the length, whether the model words overviews, whether refused lines are replaced."""

    detail: Detail
    reduce: bool = True
    floor: bool = True


@dataclass(frozen=True, slots=True)
class Failures:
    """Model calls that ended in errors: why, by sentence, and for the overviews."""

    sentences: Mapping[int, str]
    overviews: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        """Each reason once, in order."""
        return tuple(dict.fromkeys([*self.sentences.values(), *self.overviews]))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The account of a digest in numbers."""

    pages: int
    pages_read: int
    clauses: int
    accounted: int
    characters: int
    promised: int
    source_characters: int
    verdicts: dict[str, int]
    states: dict[str, int]


@dataclass(frozen=True, slots=True)
class Made:
    """What a digest was made with, and by which model."""

    wish: Wish
    model: ModelInfo
    prompts: str


def assemble(
    source: Source,
    key_terms: tuple[KeyTerm, ...],
    statements: Sequence[Statement],
    overviews: Overviews,
    wish: Wish,
    model: ModelInfo,
    failures: Failures,
) -> Digest:
    """The digest of a run, with the key terms that it has found already; its ledger has one row for each clause."""
    tables, made = collect_all(source, key_terms), Made(wish, model, prompts.version())
    return put_together(source, tables, statements, overviews, made, failures.sentences, failures.messages)


def put_together(
    source: Source,
    tables: Tables,
    statements: Sequence[Statement],
    overviews: Overviews,
    made: Made,
    failed: Mapping[int, str],
    errors: tuple[str, ...],
) -> Digest:
    """The digest from its tables and lines; the ledger follows from them. `failed` says why, by sentence."""
    return Digest(
        document=source.document,
        clauses=source.clauses,
        statements=tuple(statements),
        overview=overviews.document,
        sections=overviews.sections,
        levels=overviews.levels,
        ledger=account(source, statements, failed, floor=made.wish.floor),
        detail=made.wish.detail,
        model=made.model.name,
        fingerprint=made.model.fingerprint,
        prompts=made.prompts,
        engine_errors=errors,
        key_terms=tables.key_terms,
        evidence=tuple(source.sentences[term.sentence] for term in tables.key_terms),
        duties=tables.duties,
        references=tables.references,
        conflicts=tables.conflicts,
        cited=tables.cited(source),
        reduce=made.wish.reduce,
        floor=made.wish.floor,
        context=made.model.context,
    )


def coverage(digest: Digest) -> Coverage:
    """What the digest covers; `accounted` equals `clauses` in a sound digest."""
    verdicts = Counter(statement.verdict.value for statement in digest.statements)
    states = Counter(row.state.value for row in digest.ledger)
    return Coverage(
        pages=len(digest.document.pages),
        pages_read=len(digest.document.pages) - len(digest.unread_pages),
        clauses=len(digest.clauses),
        accounted=len({row.clause_id for row in digest.ledger}),
        characters=sum(len(statement.text) for statement in digest.statements),
        promised=promised(digest.document, digest.detail),
        source_characters=len(digest.document.text),
        verdicts={verdict.value: verdicts[verdict.value] for verdict in Verdict},
        states={state.value: states[state.value] for state in LedgerState},
    )


def overview_quote(digest: Digest, sentence: OverviewSentence) -> str:
    """The evidence of an overview sentence: the quotes of the statements that it cites."""
    return ELLIPSIS.join(digest.statements[position].quote for position in sentence.cites)


def overview_pages(digest: Digest, sentence: OverviewSentence) -> tuple[int, ...]:
    """Indexes of the pages that an overview sentence rests on."""
    return tuple(sorted({page for position in sentence.cites for page in digest.statements[position].pages}))


def overview_clauses(digest: Digest, sentence: OverviewSentence) -> str:
    """The clauses that an overview sentence rests on, as a reader would cite them."""
    return ", ".join(dict.fromkeys(digest.statements[position].clause for position in sentence.cites))
