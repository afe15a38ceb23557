"""A Chinese digest in every state a digest can have: whoever reads it meets no English besides names."""

import io
import re
from dataclasses import replace
from html import unescape

import pytest
from digests import act, unverified
from docx import Document as Word
from opened import csv_rows, workbook

from conspectus.document import (
    Detail,
    Digest,
    KeyTerm,
    Language,
    LedgerState,
    Page,
    PageStatus,
    TermKind,
)
from conspectus.render import RENDERERS
from conspectus.render.said import amount, why
from conspectus.terms import dates, money

# Names: of this program and its helpers, of formats and keys, of the model and the files of the test.
NAMES = re.compile(
    r"Conspectus [\d.]+\w*|SHA-256|[0-9a-f]{64}|digest\.(?:html|json)|附件\.txt|条例\.pdf(?:#page=\d+)?|\bfake\b|"
    r"pdfium|ocrmypdf|HTTP \d+|(?:eng\+)?chi_sim|\bEsc\b|\bj、k\b|http://\S+|\biv\b"
)
REASONS = (
    "an image without text, probably a scan",
    "a scan with nothing but a running line as text",
    "content without readable text",
    "all of its text is hidden",
    "XFA form: its content is not in the page",
    "glyph names stand in place of letters",
    "Chinese text was decoded as Latin-1",
    "31 of 90 characters are private to their font",
    "12 of 90 characters have no meaning",
    "12 of 90 characters are of rare scripts",
    "7 accents stand without a letter",
    "two readers agree on 41% of its characters only",
    "it took more than 30 seconds",
    "it took more than its share of CPU time",
    "it needs more memory than the limit",
    "out of memory",
    "it is nested too deeply (RecursionError)",
    "it goes beyond a safety limit of the reader: size, depth or number of parts (LimitReachedError)",
    "the reader stopped with TypeError",
    "the time limit of 120 seconds was reached",
    "the reading process died 5 times",
    "the reading process died (SIGSEGV)",
    "the reading process died (exit code 3)",
    "its reading process gave no answer",
)
PAGE_NOTES = (
    "3 characters could not be read",
    "3 characters could not be read: the font does not say what they are",
    "1 character could not be read: the font does not say what it is",
    "12 hidden characters were left out",
    "1 hidden character was left out",
    "lines drawn from the bottom up were put in order",
    "2 columns were put in order",
    "2 form fields and 1 annotation stand at the end of its text",
    "attachment not read: 附件.txt",
    "its text was recognised by ocrmypdf (eng+chi_sim)",
    "words stand without gaps between them: what the page says may be misread",
    "nothing on it but running heads and page numbers: if there is more to see, it is a scan",
    "it shows text invisibly, which was not left out",
    "read with pdfium (its font does not say which characters it shows, two readers agree on 41%); hidden text was not "
    "looked for",
    "read with pdfium (some characters have no meaning); hidden text was not looked for",
)
FILE_NOTES = (
    "the file is a portfolio: the files inside it were not read, only its cover page",
    "part of the text is in English; it is read by the rules of the rest",
    "language not supported: Japanese, handled generically",
    "the file is damaged (its reading process gave no answer): it was read with pdfium, and hidden text was not looked "
    "for",
)
CALLS = (
    "A model call failed: it does not answer in time",
    "http://127.0.0.1:8080: it cannot be reached",
    "http://127.0.0.1:8080: it refuses the request (HTTP 400, invalid_request_error)",
    "http://127.0.0.1:8080: it answers HTTP 500",
    "the call was not made",
)
LEDGER = (
    (LedgerState.IMMATERIAL, "a heading"),
    (LedgerState.IMMATERIAL, "no duty, right, amount, date, term or sanction found"),
    (
        LedgerState.CONDENSED,
        "beyond the length: amount, commencement, date, definition, duration, exception, law, liability, obligation, "
        "party, percentage, prohibition, right, sanction, scope, termination",
    ),
    (
        LedgerState.CONDENSED,
        "said in the same words in 第三条, front matter; without a line, or beyond the length: right",
    ),
    (LedgerState.CONDENSED, "2 of 3 lines not verified; 4 more material sentences beyond the length"),
    (LedgerState.FAILED, "; ".join(CALLS)),
)


def worst(detail: Detail) -> Digest:
    """A Chinese digest with a page of every status and reason, ledger rows of every state, terms with every note."""
    made = unverified(act(detail))
    pages = list(made.document.pages[:-1])
    statuses = [status for status in PageStatus if status not in (PageStatus.TEXT, PageStatus.EMPTY)]
    for at, reason in enumerate(REASONS):
        pages.append(Page(len(pages), str(at + 9), statuses[at % len(statuses)], "", 10**6 + at, reason=reason))
    pages[0] = replace(pages[0], warnings=PAGE_NOTES)
    notes = (dates.AMBIGUOUS, dates.BLANK, dates.YEARLY, dates.NO_DAY, dates.NO_SUCH, dates.DEFINED)
    terms = [
        *(KeyTerm(TermKind.DATE, "交付", "三月一日", 0, note=note) for note in notes),
        *(KeyTerm(TermKind.MONEY, "费用", "5元", 0, "", "5", note) for note in (money.WHICH_DOLLAR, money.WHICH_YEN)),
        *(KeyTerm(TermKind.MONEY, "费用", "5", 0, "", f"5000 {code}") for code in ("CNY", "USD", "EUR", "GBP", "HKD")),
        KeyTerm(TermKind.PERCENTAGE, "罚款", "五倍", 0, "times", "5"),
        KeyTerm(TermKind.LAW, "管辖", "人民法院", 0, "jurisdiction"),
        KeyTerm(TermKind.PARTY, "主管部门", "数据局", 0, note="主管全国工作"),
    ]
    ledger = [
        replace(made.ledger[at % len(made.ledger)], state=state, reason=reason, statements=())
        for at, (state, reason) in enumerate(LEDGER)
    ]
    return replace(
        made,
        document=replace(made.document, pages=tuple(pages), warnings=FILE_NOTES),
        key_terms=(*made.key_terms, *terms),
        evidence=(*made.evidence, *(made.evidence[0] for _ in terms)),
        overview=made.overview[1:],
        ledger=tuple(ledger),
        engine_errors=CALLS,
    )


def shown(digest: Digest, suffix: str) -> str:
    """All that a reader sees of a file."""
    content = RENDERERS[suffix](digest, "条例.pdf")
    if suffix == "html":
        page = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", content.decode(), flags=re.S)
        attributes = re.findall(r'(?:placeholder|aria-label|title|data-label|data-title)="([^"]*)"', page)
        return unescape("\n".join([re.sub(r"<[^>]*>", "\n", page), *attributes]))
    if suffix == "docx":
        paper = Word(io.BytesIO(content))
        cells = [cell.text for table in paper.tables for row in table.rows for cell in row.cells]
        return "\n".join([p.text for p in paper.paragraphs] + cells + [c.text for c in paper.comments])
    if suffix == "xlsx":
        book = workbook(content)
        return "\n".join([*book, *(cell for rows in book.values() for row in rows for cell in row)])
    if suffix.endswith("csv"):
        return "\n".join(cell for row in csv_rows(content) for cell in row)
    return content.decode()


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize("suffix", ["html", "md", "docx", "xlsx", "duties.csv", "dates.csv"])
def test_a_chinese_digest_has_no_english_words(suffix: str, detail: Detail) -> None:
    text = shown(worst(detail), suffix)
    assert len(text) > 100
    left = re.findall(r".{0,20}[A-Za-z]{2,}.{0,20}", NAMES.sub("", text.replace("\\", "")))
    assert left == []


@pytest.mark.parametrize("reason", [*REASONS, *PAGE_NOTES, *FILE_NOTES, *CALLS, *(row[1] for row in LEDGER)])
def test_every_reason_is_told_in_chinese_and_kept_in_english(reason: str) -> None:
    assert not re.search("[A-Za-z]{2,}", NAMES.sub("", why(reason, Language.ZH)).replace("eng+chi_sim", ""))
    assert why(reason, Language.EN) == reason


def test_a_message_without_a_translation_is_not_lost() -> None:
    assert why("the sky fell on page 3", Language.ZH) == "the sky fell on page 3"


def test_amounts_are_shown_with_separators() -> None:
    assert amount("2500000 GBP", Language.EN) == "2,500,000 GBP"
    assert amount("2500000.50 GBP", Language.ZH) == "2,500,000.50 英镑"
    assert amount("", Language.EN) == "" and amount("0.01 USD", Language.EN) == "0.01 USD"
