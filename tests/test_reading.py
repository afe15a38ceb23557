"""From pages as read to a document: offsets, page joins, warnings."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.document import Document, Language, PageStatus
from conspectus.errors import InputError
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.reading import GLUED, ONLY_FURNITURE, to_document
from conspectus.evidence.sentences import find_sentences
from conspectus.pdf import PageRead, Reading

TEXT, EMPTY, IMAGE, GARBLED = PageStatus.TEXT, PageStatus.EMPTY, PageStatus.IMAGE, PageStatus.GARBLED
PATH = Path("lease.pdf")


def reading(*pages: str | tuple[str, PageStatus]) -> Reading:
    rows = [(page, TEXT if page.strip() else EMPTY) if isinstance(page, str) else page for page in pages]
    reads = tuple(
        PageRead(index, str(index + 1), text, status, "" if status in (TEXT, EMPTY) else "scan")
        for index, (text, status) in enumerate(rows)
    )
    return Reading("0" * 64, reads)


def document(*pages: str | tuple[str, PageStatus]) -> Document:
    return to_document(PATH, reading(*pages))


def check(made: Document, source: Reading) -> None:
    """The contract of Page: its text stands in the document's, and its origins lead back to what was read."""
    assert [page.index for page in made.pages] == list(range(len(source.pages)))
    for page, read in zip(made.pages, source.pages, strict=True):
        assert made.text[page.start : page.start + len(page.text)] == page.text
        origin = page.origin or range(len(page.text))
        assert len(origin) == len(page.text)
        for at in range(len(page.text)):
            assert made.page_at(page.start + at) == page.index
        if page.text and not page.origin:
            assert read.text.startswith(page.text)


WORDS = st.sampled_from(
    [
        "Rent",
        "第一条",
        "承租人",
        "。",
        " ",
        "\n",
        "\r\n",
        "\f",
        "𠮷",
        "e\u0301",
        "ﬁ",
        "\u00a0",
        "　",
        "1",
        "Page 2",
        "inde-\n",
        "x",
    ]
)
PAGES = st.lists(
    st.tuples(st.lists(WORDS, max_size=30).map("".join), st.sampled_from([TEXT, TEXT, TEXT, EMPTY, IMAGE, GARBLED])),
    min_size=1,
    max_size=6,
)


@given(PAGES)
@settings(deadline=None)
def test_offsets_slice_right(pages: list[tuple[str, PageStatus]]) -> None:
    source = reading(*pages)
    try:
        made = to_document(PATH, source)
    except InputError:
        return
    check(made, source)
    assert all(not page.text for page in made.pages if page.status is not TEXT)


@given(PAGES)
@settings(deadline=None, max_examples=50)
def test_clauses_still_cover_the_text(pages: list[tuple[str, PageStatus]]) -> None:
    try:
        made = to_document(PATH, reading(*pages))
    except InputError:
        return
    assert "".join(made.text[clause.start : clause.end] for clause in find_clauses(made)) == made.text


def sentences(made: Document) -> list[str]:
    return [sentence.text for sentence in find_sentences(made, find_clauses(made))]


def test_a_sentence_runs_over_a_page_end() -> None:
    made = document("The Tenant shall pay the\n", "\n  \nrent each month. A new one.\nPage 2 of 2")
    assert "The Tenant shall pay the rent each month." in sentences(made)
    assert made.pages_of(0, made.text.index("rent") + 4) == (0, 1)


def test_a_blank_page_does_not_end_a_sentence_but_an_unread_one_does() -> None:
    blank = document("The Tenant shall pay the", "", "rent each month.")
    assert sentences(blank) == ["The Tenant shall pay the rent each month."]
    assert blank.page_at(blank.text.index("rent")) == 2
    unread = document("The Tenant shall pay the", ("", IMAGE), "rent each month.")
    assert sentences(unread) == ["The Tenant shall pay the", "rent each month."]
    assert [page.index for page in unread.pages if page.unread] == [1]


def test_a_word_cut_by_a_page_end_is_quoted_whole() -> None:
    assert sentences(document("The Tenant shall indem-", "nify the Landlord.")) == [
        "The Tenant shall indemnify the Landlord."
    ]


def test_a_chinese_sentence_runs_over_a_page_end() -> None:
    made = document("第一条　承租人应当支付租\n— 1 —", "金。\n第二条　期限为三年。\n— 2 —")
    assert made.text == "第一条　承租人应当支付租\n金。\n第二条　期限为三年。"
    assert [page.furniture for page in made.pages] == [("— 1 —",), ("— 2 —",)]


def test_a_heading_at_a_page_start_begins_a_line() -> None:
    made = document("1. TERM\nTen years.", "2. RENT\nNone.", "3. USE\nAny.")
    assert [clause.number for clause in find_clauses(made) if clause.number] == ["1", "2", "3"]


def test_origin_leads_back_to_the_page() -> None:
    raw = "\n 7\nThe oﬃce of the contrac\u00ad\ntual party"
    page = document(raw, "\n8\nmore", "\n9\nand more").pages[0]
    at = page.text.index("contractual")
    assert page.text == "The office of the contractual party"
    assert [raw[page.origin[at]], raw[page.origin[at + 10]]] == ["c", "l"]
    assert document("as it was").pages[0].origin == ()


def test_no_text_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"no text on any of its 2 pages \(page 1: scan"):
        document(("", IMAGE), ("x", GARBLED))
    with pytest.raises(InputError, match="all 2 pages are blank"):
        document("", "")
    with pytest.raises(InputError, match="but page numbers and running heads"):
        document("Page 1 of 3", "Page 2 of 3", "Page 3 of 3")


def test_pages_say_what_is_odd() -> None:
    glued = "Thetenantshallpaytherentonthefirstdayofeachmonthwithoutanydeductionorsetoffwhatsoever"
    made = document("Body of the lease", glued, "The of\0ce", "Page 4 of 9")
    assert made.pages[1].warnings == (GLUED,)
    assert made.pages[2].warnings == ("1 character could not be read: the font does not say what it is",)
    assert made.pages[3].warnings == (ONLY_FURNITURE,)


def test_reading_passes_through() -> None:
    read = PageRead(0, "i", "Rent is due.", TEXT, "", engine="pdfium", warnings=("hidden text left out",))
    made = to_document(PATH, Reading("a" * 64, (read,), warnings=("1 attachment not read",)))
    assert (made.pages[0].engine, made.pages[0].warnings) == ("pdfium", ("hidden text left out",))
    assert (made.pages[0].label, made.warnings) == ("i", ("1 attachment not read",))


def test_languages() -> None:
    assert document("第一条　天皇は、日本国の象徴であり日本国民統合の象徴").warnings == (
        "language not supported: Japanese, handled generically",
    )
    mixed = document("The Tenant shall pay the rent each month without deduction.\n承租人应当按月支付租金。")
    assert mixed.language is Language.EN
    assert mixed.warnings == ("part of the text is in Chinese; it is read by the rules of the rest",)
    assert to_document(PATH, reading("Der Mieter zahlt."), Language.ZH).language is Language.ZH
