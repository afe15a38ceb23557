"""Digests for the tests of what is shown: real ones of small documents, and one whose every field is hostile."""

from dataclasses import replace

import pipeline
from documents import ACT, LEASE, source
from fake_model import FakeModel, shortened

from conspectus.document import Detail, Digest, OverviewSentence, Page, PageStatus, Statement, Verdict

MORE = """4. END
4.1 Clause 9.9 applies and the fee is ten (11) pounds.
4.2 "Fixtures" means the ovens and counters at the Property.
4.3 The Landlord may end this Lease within thirty (30) days of a breach by written notice.
"""
HOSTILE = (
    "</script><script>alert(1)</script>--><!-- \"'><img src=x onerror=alert(2)> {{ 7*7 }} \u202egnp.exe\u202c "
    '\x00\x07\x1b[31m \u2028 \ud800 \ufffe =HYPERLINK("http://x","y") | **b** [a](javascript:alert(3)) \' & &lt;'
)


def lease(detail: Detail = Detail.FULL) -> Digest:
    made = pipeline.digest(source(LEASE, MORE), FakeModel(rule=shortened), detail)
    return replace(made, document=replace(made.document, name="lease.pdf"))


def act(detail: Detail = Detail.FULL) -> Digest:
    made = pipeline.digest(source(ACT), FakeModel(), detail)
    return replace(made, document=replace(made.document, name="条例.pdf"))


def unverified(digest: Digest) -> Digest:
    """The same with one line that did not pass, one page that was not read, an overview line that rests on three."""
    first, *rest = digest.statements
    pages = (*digest.document.pages, Page(len(digest.document.pages), "iv", PageStatus.IMAGE, "", 10**6, reason="scan"))
    return replace(
        digest,
        document=replace(digest.document, pages=pages),
        statements=(replace(first, verdict=Verdict.UNVERIFIED, reasons=("number-not-in-evidence",)), *rest),
        overview=(OverviewSentence("Rent and term in one.", Verdict.VERIFIED, (1, 2, 3)), *digest.overview),
    )


def hostile() -> Digest:
    """Every text that comes from a document or a model is HOSTILE with something of its own before it."""
    made = unverified(lease())
    bad = HOSTILE

    def statement(line: Statement) -> Statement:
        return replace(line, text=f"={bad}", quote=f"@{bad}", clause=f"+{bad}")

    document = replace(
        made.document,
        name=f"a:b?c#d{bad}.pdf".replace("/", "_"),
        title=f"T {bad}",
        text=(bad * 40)[: len(made.document.text)].ljust(len(made.document.text)),
        pages=tuple(replace(page, label=f"l{bad}", reason=bad, warnings=(bad,)) for page in made.document.pages),
        warnings=(bad,),
    )
    return replace(
        made,
        document=document,
        model=bad,
        engine_errors=(bad,),
        clauses=tuple(replace(c, number=f"-{bad}", heading=bad, path=(bad, bad)) for c in made.clauses),
        statements=tuple(map(statement, made.statements)),
        overview=tuple(replace(line, text=f"-{bad}") for line in made.overview),
        sections=tuple(replace(section, heading=f"h{bad}") for section in made.sections),
        ledger=tuple(replace(row, number=bad, heading=bad, reason=f"={bad}") for row in made.ledger),
        key_terms=tuple(replace(term, name=f"={bad}", value=f"+{bad}", note=bad) for term in made.key_terms),
        evidence=tuple(replace(sentence, text=bad) for sentence in made.evidence),
        cited=tuple(replace(sentence, text=bad) for sentence in made.cited),
        duties=tuple(
            replace(duty, who=f"={bad}", what=f"+{bad}", when=f"@{bad}", condition=f"-{bad}", exception=bad)
            for duty in made.duties
        ),
        references=tuple(replace(reference, words=f"={bad}") for reference in made.references),
        conflicts=tuple(replace(c, about=f"={bad}", a=bad, b=bad) for c in made.conflicts),
    )
