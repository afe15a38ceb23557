"""Page status and what a page's text is made of: hidden text, columns, forms, scans, garbled letters."""

from pathlib import Path

import pytest
from rawpdf import lines, raw_pdf

from conspectus.document import Bookmark, PageStatus
from conspectus.pdf import PageRead, ReadOptions, read_pdf
from conspectus.pdf.judge import agreement, judge, whole_characters

BODY = lines("The Tenant shall pay the rent of 1,000 USD.", "The Landlord shall repair the roof.")
SCAN = "q 612 0 0 792 0 0 cm /Im Do Q\n"
ALONE = ReadOptions(second_opinion=False)


def read(path: Path, *contents: str | bytes, **more: str) -> tuple[PageRead, ...]:
    return read_pdf(raw_pdf(path / "x.pdf", *contents, **more), ALONE).pages


def test_each_kind_of_page_has_its_status(tmp_path: Path) -> None:
    pages = read(
        tmp_path,
        BODY,
        "",
        SCAN,
        SCAN + lines("Page 4 of 9", y=30),
        "q 0 0 m 100 300 l 20 40 l 50 60 l 80 90 l 10 20 l 33 44 l S Q",
        "BT /F1 12 Tf 72 700 Td ( ) Tj ET",
        "72 700 m 540 700 l S",
        "q 300 0 0 300 100 100 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q",
    )
    assert [page.status.value for page in pages] == [
        "text", "empty", "image-only", "image-only", "failed", "empty", "empty", "image-only",
    ]  # fmt: skip
    assert pages[4].reason == "content without readable text"
    assert all(page.reason for page in pages if page.status not in (PageStatus.TEXT, PageStatus.EMPTY))


def test_damaged_stream_is_no_blank_page(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "x.pdf", BODY, b"this is no zlib stream, whatever it says of itself")
    path.write_bytes(path.read_bytes().replace(b"<</Length 50>>", b"<</Length 50/Filter/FlateDecode>>"))
    assert [page.status.value for page in read_pdf(path, ALONE).pages] == ["text", "failed"]


@pytest.mark.parametrize(
    "hidden",
    [
        "BT /F1 11 Tf 3 Tr 72 500 Td (SECRET NUMBER 1) Tj 0 Tr ET",
        "1 1 1 rg BT /F1 11 Tf 72 500 Td (SECRET NUMBER 1) Tj ET 0 g",
        "1 g BT /F1 11 Tf 72 500 Td (SECRET NUMBER 1) Tj ET 0 g",
        "0 0 0 0 k BT /F1 11 Tf 72 500 Td (SECRET NUMBER 1) Tj ET 0 g",
        "BT /F1 0.5 Tf 72 500 Td (SECRET NUMBER 1) Tj ET",
        "BT /F1 11 Tf 900 500 Td (SECRET NUMBER 1) Tj ET",
        "BT /F1 11 Tf 72 -50 Td (SECRET NUMBER 1) Tj ET",
        "/OC /Layer BDC BT /F1 11 Tf 72 500 Td (SECRET NUMBER 1) Tj ET EMC",
    ],
    ids=["invisible", "white-rgb", "white-gray", "white-cmyk", "tiny", "right-of-page", "below-page", "layer"],
)
def test_hidden_text_is_left_out_and_counted(hidden: str, tmp_path: Path) -> None:
    (page,) = read(
        tmp_path,
        BODY + hidden,
        resources="/Properties<</Layer 90 0 R>>",
        root="/OCProperties<</OCGs[90 0 R]/D<</OFF[90 0 R]>>>>",
        more="90 0 obj <</Type/OCG/Name(Draft)>> endobj",
    )
    assert "SECRET" not in page.text and "1,000 USD" in page.text and "roof" in page.text
    assert page.warnings == ("13 hidden characters were left out",)
    assert page.status is PageStatus.TEXT


@pytest.mark.parametrize(
    "shown",
    [
        "0 0 0.5 rg 60 490 300 30 re f 1 g BT /F1 11 Tf 72 500 Td (WHITE ON BLUE) Tj ET 0 g",
        "BT /F1 1 Tf 11 0 0 11 72 500 Tm (WHITE ON BLUE) Tj ET",
        "q .1 0 0 .1 0 0 cm BT /F1 110 Tf 720 5000 Td (WHITE ON BLUE) Tj ET Q",
        "/OC /Layer BDC BT /F1 11 Tf 72 500 Td (WHITE ON BLUE) Tj ET EMC",
    ],
    ids=["on-dark", "size-in-matrix", "size-in-ctm", "layer-on"],
)
def test_seen_text_stays(shown: str, tmp_path: Path) -> None:
    (page,) = read(tmp_path, BODY + shown, resources="/Properties<</Layer<</Type/OCG>>>>")
    assert "WHITE ON BLUE" in page.text and not page.warnings


def test_hidden_text_inside_a_form_is_left_out(tmp_path: Path) -> None:
    inside = "BT /F1 11 Tf 3 Tr 72 500 Td (SECRET) Tj 0 Tr 0 -20 Td (seen) Tj ET"
    kind = "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
    first, second = read(
        tmp_path,
        BODY + "/Fm Do",
        BODY + "/Fm Do",
        xobjects="/Fm 90 0 R",
        more=f"90 0 obj <<{kind}/Length {len(inside)}>>stream\n{inside}\nendstream endobj",
    )
    assert first.text == second.text
    assert "SECRET" not in first.text and "seen" in first.text
    assert first.warnings == ("6 hidden characters were left out",)


def test_text_layer_of_a_scan_is_its_text(tmp_path: Path) -> None:
    (page,) = read(tmp_path, SCAN + "3 Tr " + BODY)
    assert page.status is PageStatus.TEXT and "roof" in page.text and not page.warnings


def test_columns_drawn_row_by_row_are_read_one_after_the_other(tmp_path: Path) -> None:
    rows = [
        f"1 0 0 1 60 {700 - 14 * n} Tm (left prose of the first column, line {n:02}) Tj\n"
        f"1 0 0 1 320 {700 - 14 * n} Tm (right prose of the second one, line {n:02}) Tj\n"
        for n in range(12)
    ]
    (page,) = read(tmp_path, "BT /F1 10 Tf\n" + "".join(rows) + "ET")
    assert page.text.index("first column, line 11") < page.text.index("second one, line 00")
    assert page.warnings == ("2 columns were put in order",)
    assert page.text.count("prose") == 24


def test_table_stays_row_by_row(tmp_path: Path) -> None:
    rows = [
        f"1 0 0 1 60 {700 - 14 * n} Tm (Item {n}) Tj 1 0 0 1 320 {700 - 14 * n} Tm ({n},000 USD) Tj\n"
        for n in range(12)
    ]
    (page,) = read(tmp_path, "BT /F1 10 Tf\n" + "".join(rows) + "ET")
    assert not page.warnings
    assert page.text.index("3,000 USD") < page.text.index("Item 4")


def test_form_fields_and_annotations_are_marked(tmp_path: Path) -> None:
    annots = (
        "/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(Tenant)/V(Acme\nCorp)/Rect[0 0 9 9]>>"
        "<</Type/Annot/Subtype/Widget/FT/Tx/Ff 8192/T(Pin)/V(1234)/Rect[0 0 9 9]>>"
        "<</Type/Annot/Subtype/Widget/FT/Btn/T(Agreed)/V/Yes/Rect[0 0 9 9]>>"
        "<</Type/Annot/Subtype/Widget/FT/Btn/T(Other)/V/Off/Rect[0 0 9 9]>>"
        "<</Type/Annot/Subtype/Text/Contents(the fee is 5,000)/Rect[0 0 9 9]>>"
        "<</Type/Annot/Subtype/Link/Contents(not this)/Rect[0 0 9 9]>>]"
    )
    first, second = read(tmp_path, BODY, "", page=annots)
    assert first.text.split("\n")[-3:] == [
        "[Form field Tenant: Acme Corp]",
        "[Form field Agreed: Yes]",
        "[Annotation: the fee is 5,000]",
    ]
    assert first.warnings == ("2 form fields and 1 annotation stand at the end of its text",)
    assert second.status is PageStatus.TEXT, "a page with a filled field is not blank"


def test_xfa_placeholder_is_no_text(tmp_path: Path) -> None:
    (page,) = read(tmp_path, lines("Please wait..."), root="/AcroForm<</XFA 3 0 R/Fields[]>>")
    assert (page.status, page.reason) == (PageStatus.FAILED, "XFA form: its content is not in the page")


def test_attachments_bookmarks_and_labels(tmp_path: Path) -> None:
    path = raw_pdf(
        tmp_path / "x.pdf",
        BODY,
        BODY,
        root="/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(annex.xlsx)>>]>>>>/Collection<<>>/Outlines 90 0 R"
        "/PageLabels<</Nums[0<</S/r>>]>>",
        more="90 0 obj <</First 91 0 R/Last 91 0 R>> endobj "
        "91 0 obj <</Title(Article 1)/Dest[12 0 R/Fit]/Parent 90 0 R/Next 91 0 R>> endobj",
    )
    reading = read_pdf(path, ALONE)
    assert reading.warnings[0].startswith("the file is a portfolio")
    assert reading.warnings[1] == "attachment not read: annex.xlsx"
    assert set(reading.bookmarks) == {Bookmark("Article 1", 0, 1)}
    assert [page.label for page in reading.pages] == ["i", "ii"]


GOOD = [
    "The Tenant shall pay £5 — “promptly” — for the café’s naïve façade; § 3 applies. • First",
    "第一条 为了保护民事主体的合法权益，调整民事关系，维护社会和经济秩序，制定本法。",
    "第九条　日本国民は、正義と秩序を基調とする国際平和を誠実に希求し、",
    "제1조 대한민국은 민주공화국이다.",
    "Договор аренды заключён между сторонами.",
    "הסכם סודיות בין הצדדים",
    "and/or c/o w/o N/A 24/7 http://x.org/g/G12 a/c",
    "\uf0b7 first point\n\uf0b7 second point\n\uf0b7 third point, each with a bullet of the Symbol font",
    "Straßenverkehrsordnung für übermäßige Größenänderungen: Ärger, Öl, Übung",
]
BAD = [
    "The of\x00ce of the de\x00nition and the \x00rst \x00ve",
    "\ufffd\ufffd\ufffd shall pay \ufffd\ufffd",
    "/g23/g45/g67/g12/g33 /g23/g45/g67/g12",
    "/G54/G68/G65/G20 /G70/G61/G72/G74/G79",
    "为了保护民事主体的合法权益，调整民事关系".encode("gbk").decode("latin-1"),
    "͍͋͏͓͑ ͈͉͊ ͔͕͖͗ ͙͚͘",
    "ᎠᎡᎢᎣᎤ ሀሁሂሃ ᚠᚡᚢ ᐁᐂᐃ",
    "\ue001\ue002\ue003 \ue004\ue005 \ue006\ue007\ue008",
]


@pytest.mark.parametrize("text", GOOD)
def test_right_text_is_not_alarmed(text: str) -> None:
    verdict = judge(text)
    assert not verdict.garbled and not verdict.warnings


@pytest.mark.parametrize("text", BAD)
def test_garbled_text_is_alarmed_with_a_reason(text: str) -> None:
    verdict = judge(text)
    assert verdict.garbled and verdict.suspect and verdict.reason


def test_surrogates_are_joined_or_marked() -> None:
    assert whole_characters("\ud842\udfb7 ok") == "𠮷 ok"
    assert whole_characters("a\ud842b") == "a\ufffdb"


def test_agreement_is_of_shares_of_characters() -> None:
    assert agreement("a b c", "abc") == 1.0
    assert agreement("abc", "aabbcc") == 1.0
    assert agreement("ﬁne", "fine") == 1.0
    assert agreement("abc", "xyz") == 0.0
    assert agreement("", "") == 1.0 and agreement("a", "") == 0.0
