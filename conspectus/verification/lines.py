"""Lines of a digest against the document's text: quotes at their offsets, verdicts by the checker's rules.

Nothing here depends on how clauses and sentences are found: it holds whatever version made the digest.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from conspectus.check.check import is_copy
from conspectus.check.omitted import unmarked
from conspectus.document import Verdict
from conspectus.schema.models import DigestFile, OverviewRow, Place, StatementRow
from conspectus.text import fold, normalise
from conspectus.verification.check import cited_quote
from conspectus.verification.types import Claim, Finding, level_lines, overviews

_LEFT_OUT = "[…]"


class _Quoted(Protocol):
    @property
    def quote(self) -> str: ...
    @property
    def spans(self) -> tuple[Place, ...]: ...
    @property
    def clause(self) -> str: ...
    @property
    def page_labels(self) -> tuple[str, ...]: ...


def place(row: _Quoted) -> str:
    """Clause and pages, as the digest shows them."""
    return f"{row.clause}, p. {', '.join(row.page_labels) or '-'}"


Reasons = Mapping[Claim, tuple[str, ...]]


def lines(file: DigestFile, text: str, reasons: Reasons) -> Iterator[Finding]:
    """What does not hold of statements, overviews, key terms and tables.

    `text` is the document's, `reasons` what the checker says against each claim.
    """
    for statement in file.statements:
        where = f"statement {statement.id} ({place(statement)})"
        yield from _quote(where, statement, text)
        yield from _verdict(where, statement, reasons)
    for where, sentence in overviews(file):
        yield from _overview(where, sentence, file, reasons)
        yield from _shown(where, sentence, file)
    for where, sentence in level_lines(file):
        yield from _overview(where, sentence, file, reasons)
    yield from _levels(file)
    for where, row in _rows(file):
        yield from _quote(where, row, text)
    for term in file.key_terms:
        if _bare(term.value) not in _bare(term.quote):
            where = f"key term {term.kind.value} ({place(term)})"
            yield Finding("value-not-in-quote", where, f"its value {term.value!r} does not stand in its sentence")


def _as_given(line: str) -> str:
    """A line as the model gave it, without what code puts at its end."""
    return unmarked(line).rstrip(" .;,。；，")


def _levels(file: DigestFile) -> Iterator[Finding]:
    """The account of the model calls that worded overviews, in itself."""
    parts = {"sections": {section.heading for section in file.sections}, "document": {""}}
    for level in file.levels:
        for number, call in enumerate(level.calls, 1):
            where = f"level {level.name}, call {number}"
            if call.part not in parts.get(level.name, ()):
                yield Finding("levels", where, "is about no part of the document")
            judged = [_as_given(row.text) for row in call.sentences]
            if judged != [_as_given(line) for line in call.lines][: len(judged)]:
                yield Finding("levels", where, "was judged by other lines than those that it gave")
            if any(not set(row.statements) <= set(call.statements) for row in call.sentences):
                yield Finding("levels", where, "cites a statement that the model was not shown")


def _bare(text: str) -> str:
    """What a value and its sentence are compared by: letters and figures."""
    return "".join(char for char in normalise(text).casefold() if char.isalnum())


def _rows(file: DigestFile) -> Iterator[tuple[str, _Quoted]]:
    """The rows of tables, each with its name."""
    for term in file.key_terms:
        yield f"key term {term.kind.value} ({place(term)})", term
    for duty in file.duties:
        yield f"duty ({place(duty)})", duty
    for reference in file.references:
        yield f"reference ({place(reference)})", reference
    for conflict in file.conflicts:
        yield f"conflict ({place(conflict.a)})", conflict.a
        yield f"conflict ({place(conflict.b)})", conflict.b


def _quote(where: str, row: _Quoted, text: str) -> Iterator[Finding]:
    flaw = _span_flaw(row.spans, text)
    if flaw:
        yield Finding("spans", where, flaw)
    elif not stands(text, row.spans, row.quote):
        yield Finding("quote", where, "its quote is not what stands at its offsets in the document")


def _span_flaw(spans: Sequence[Place], text: str) -> str:
    """What is wrong with offsets whatever the quote says; empty where nothing is."""
    last = 0
    for start, end in spans:
        if not last <= start < end <= len(text):
            return f"its offsets [{start}, {end}] are out of order or outside of the document"
        if text[start].isspace() or text[end - 1].isspace():
            return f"its offsets [{start}, {end}] begin or end in white space: they were moved"
        last = start
    return "" if spans else "it has no offsets"


def stands(text: str, spans: Sequence[Place], quote: str) -> bool:
    """True where each part of a quote is what some neighbouring spans hold, and each span is in some part."""
    folded = [fold(text[start:end]) for start, end in spans]
    parts = [part.strip() for part in quote.split(_LEFT_OUT) if part.strip()]
    runs: set[str] = set()
    for first in range(len(spans)):
        run = ""
        for at in range(first, len(spans)):
            if run and text[spans[at - 1][1] : spans[at][0]].strip():
                break
            run = f"{run} {folded[at]}".strip()
            runs.update(part.strip() for part in run.split(_LEFT_OUT))
    return all(part in runs for part in parts) and all(
        any(piece.strip() in part for part in parts) for span in folded for piece in span.split(_LEFT_OUT)
    )


def _verdict(where: str, row: StatementRow, reasons: Reasons) -> Iterator[Finding]:
    if row.verdict is Verdict.VERIFIED:
        yield from _checked(where, (row.text, row.quote), reasons)
    elif row.verdict is Verdict.VERBATIM and row.text != row.quote:
        yield Finding("not-verbatim", where, "is marked verbatim, but it is not its quote word for word")
    elif row.verdict is Verdict.UNVERIFIED and not row.refused:
        yield Finding("no-reason", where, "is marked unverified, but nothing is said to speak against it")


def _checked(where: str, claim: Claim, reasons: Reasons) -> Iterator[Finding]:
    if reasons[claim]:
        yield Finding("refused", where, f"is marked verified, but the checker says: {', '.join(reasons[claim])}")


def _dangling(row: OverviewRow, file: DigestFile) -> bool:
    return not row.statements or any(number >= len(file.statements) for number in row.statements)


def _overview(where: str, row: OverviewRow, file: DigestFile, reasons: Reasons) -> Iterator[Finding]:
    """An overview sentence against the statements that it cites."""
    if _dangling(row, file):
        yield Finding("citation", where, "cites no statement, or one that is not there")
        return
    quote = cited_quote(file, row.statements)
    if row.verdict is Verdict.VERIFIED:
        yield from _checked(where, (row.text, quote), reasons)
    elif row.verdict is Verdict.VERBATIM and not is_copy(row.text, quote):
        yield Finding("not-verbatim", where, "is marked verbatim, but it is not what it cites word for word")


def _shown(where: str, row: OverviewRow, file: DigestFile) -> Iterator[Finding]:
    """What may stand in an overview: a statement as it is, or a line that a model call gave and that passed."""
    if _dangling(row, file):
        return
    cited = [file.statements[number] for number in row.statements]
    if row.verdict is Verdict.UNVERIFIED or any(statement.verdict is Verdict.UNVERIFIED for statement in cited):
        yield Finding("unverified-overview", where, "is shown, but it, or what it cites, was not verified")
    if len(cited) == 1 and row.text == cited[0].text:
        return
    said = (line for _, line in level_lines(file))
    if not any((line.text, line.statements, line.verdict) == (row.text, row.statements, row.verdict) for line in said):
        yield Finding("made-up", where, "is neither a statement as it stands nor a line that a model call gave")
