"""Every nasty file of the shared corpus: the status a person would give each of its pages, and words that must stand.

The table was reviewed file by file against what pypdf and pdfium show (facts/pdf.md C2). `engine` marks pages read with
pdfium; the rows that need it are skipped where it is not installed.
"""

import json
import resource
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from conspectus.document import PageStatus
from conspectus.errors import InputError
from conspectus.pdf import Reading, ReadOptions, read_pdf, second

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus"),
]
PDFIUM = pytest.mark.skipif(not second.installed(), reason="missing: pypdfium2")

# file -> counts by status (with pdfium's pages as "text*"), strings that must be in the text, strings that must not.
Row = tuple[str, dict[str, int], tuple[str, ...], tuple[str, ...]]
TABLE: list[Row] = [
    ("nasty/broken__pdfminersix__simple1", {"text": 1}, ("Hello World",), ()),
    ("nasty/broken__pdfminersix__zen_of_python_corrupted", {"text": 1}, ("Beautiful is better than ugly.",), ()),
    ("nasty/broken__qpdf__append-page-content-damaged", {"text": 30}, ("Potato 0 new", "Potato 29"), ()),
    ("nasty/broken__qpdf__bad-xref", {"text": 1}, ("Potato",), ()),
    ("nasty/broken__qpdf__bad23", {"text*": 1}, ("Potato",), ()),
    ("nasty/broken__qpdf__issue-202", {"text*": 10}, ("Sample PDF Document",), ()),
    ("nasty/broken__qpdf__outlines-with-loop", {"text": 30}, ("Salad 0",), ()),
    ("nasty/broken__qpdf__pages-loop", {"text*": 1}, ("Potato",), ()),
    ("nasty/broken__qpdf__split-tokens", {"text": 1, "text*": 1}, ("Pot",), ()),
    # Pages 3 and 4 have torn strings, page 7 an inline image that never ends.
    ("nasty/broken__qpdf__tokens", {"text": 7, "text*": 1, "failed": 3}, ("Potato",), ()),
    ("nasty/broken__qpdf__xref-compressed-in-compressed", {"text": 29, "text*": 1}, ("Potato 13",), ()),
    ("nasty/cjk__pdfminersix__jo", {"text*": 1}, ("みんなのおのおののなかのすべてですから",), ("͍",)),
    (
        "nasty/cjk__pdfminersix__nlp2004slides",
        {"text": 1, "text*": 30},
        ("コンパラブルな新聞記事からの", "固有表現の発見"),
        (),
    ),
    ("nasty/encrypted__pdfminersix__aes-256-r6", {"text": 1}, ("Hello World",), ()),
    ("nasty/encrypted__pypdf__encrypted_doc_no_id", {"empty": 2, "image-only": 1}, (), ()),
    ("nasty/encrypted__pypdf__r4-aes-user-password", {"text": 1}, ("pdf encryption test",), ()),
    ("nasty/encrypted__pypdf__r6-user-password", {"text": 1}, ("pdf encryption test",), ()),
    ("nasty/encrypted__qpdf__enc-R3,V2,U=view,O=view", {"text": 30}, ("Potato 0",), ()),
    # No reader can know what this font means: the file's own table is wrong.
    ("nasty/fonts__pdfminersix__issue-791-non-unicode-cmap", {"garbled": 1}, (), ()),
    ("nasty/rotated__pypdf__indirect-rotation", {"text": 5}, ("Agreement No. 010099-061",), ()),
    ("nasty/rotated__pypdf__test_Orient", {"text": 1}, ("This is box text at top",), ()),
    ("nasty/scan__pdfminersix__pdf-with-jbig2", {"image-only": 1}, (), ()),
    # Invisible text over a page-wide image is the text of a scan.
    (
        "nasty/scan__pypdf__Seige_of_Vicksburg_Sample_OCR",
        {"text": 6},
        ("SIEGE   OF  VICKSBURG", "did not last long"),
        (),
    ),
    ("nasty/scan__pypdf__imagemagick-CCITTFaxDecode", {"image-only": 1}, (), ()),
    ("nasty/vector__pypdf__issue-301", {"text": 1}, (), ()),
    ("nasty_synth/s01_bomb_flate2_1GB", {"failed": 1}, (), ()),
    ("nasty_synth/s02_bomb_contents_array_x200", {"failed": 1}, (), ()),
    ("nasty_synth/s04_form_xobject_self_loop", {"text": 1}, ("loop body",), ("loop body\nloop body",)),
    ("nasty_synth/s06_5000_pages", {"text": 5000}, ("clause number 1.", "clause number 5000."), ()),
    ("nasty_synth/s10_gbk_euc_h", {"text": 1}, ("第五百七十七条 当事人一方不履行合同义务的",), ()),
    ("nasty_synth/s11_unigb_ucs2_h", {"text": 1}, ("第五百七十七条 当事人一方不履行合同义务的",), ()),
    ("nasty_synth/s12_unigb_utf16_h_astral", {"text": 1}, ("𠮷野家與𠀋",), ()),
    ("nasty_synth/s14_90ms_rksj_h", {"text": 1}, ("第九条\u3000日本国民は",), ()),
    ("nasty_synth/s15_unijis_utf16_v_vertical", {"text": 1}, ("天皇は、日本国の象徴",), ()),
    ("nasty_synth/s16_ksc_euc_h", {"text*": 1}, ("제1조 대한민국은 민주공화국이다.",), ()),
    ("nasty_synth/s17_b5pc_h", {"text": 1}, ("第一條 民事，法律所未規定者",), ()),
    # The currency sign before and behind the amount is lost in both readers: on so short a page that is garbled.
    ("nasty_synth/s19_tounicode_lone_surrogate", {"garbled": 1}, (), ()),
    ("nasty_synth/s20_tounicode_null_ligature", {"garbled": 1}, (), ()),
    ("nasty_synth/s21_tounicode_pua_ligature", {"garbled": 1}, (), ()),
    ("nasty_synth/s22_tounicode_fi_ligature_ok", {"text": 1}, ("The of\ufb01ce of the de\ufb01nition",), ()),
    ("nasty_synth/s24_hidden_text_tr3_white_tiny", {"text": 1}, ("485,000 USD",), ("$1",)),
    ("nasty_synth/s25_double_struck_bold", {"text": 1}, ("LIMITATION OF LIABILITY",), ()),
    ("nasty_synth/s26_double_struck_per_glyph", {"text": 1}, (), ()),  # the repair undoes the doubling
    ("nasty_synth/s27_cjk_letterspaced_tc", {"text": 1}, ("第二条 民法调整平等主体之间的",), ()),
    ("nasty_synth/s29_cjk_glyph_by_glyph_wide18", {"text": 1}, ("第 一 条",), ()),  # the repair closes the gaps
    ("nasty_synth/s30_latin_letterspaced_heading", {"text": 1}, ("LEASE AGREEMENT",), ()),
    ("nasty_synth/s31_words_by_TJ_no_space_glyph", {"text": 1}, ("Each party shall keep",), ()),
    ("nasty_synth/s32_two_columns_row_interleaved", {"text": 1}, ("line 1 of clause A \nleft column line 2",), ()),
    ("nasty_synth/s34_reverse_draw_order", {"text": 1}, ("line 1 of the agreement\nline 2 of",), ()),
    ("nasty_synth/s35_table_drawn_by_column", {"text": 1}, ("$51,200",), ()),
    ("nasty_synth/s36_rotate90_flag", {"text": 1}, ("1. Confidentiality. Each party shall keep",), ()),
    ("nasty_synth/s37_landscape_text_rotated_matrix", {"text": 1}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s39_sideways_stamp_margin", {"text": 1}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s40_soft_and_hard_hyphens", {"text": 1}, ("obliga-\ntions of the Non-\nDisclosing",), ()),
    ("nasty_synth/s41_hebrew_visual_order", {"text": 1}, ("הסכם סודיות",), ()),
    ("nasty_synth/s42_hebrew_logical_order", {"text": 1}, (), ()),  # reversed in both readers
    ("nasty_synth/s44_pleading_line_numbers_headers", {"text": 6}, ("Body line 1 on page 1",), ()),
    (
        "nasty_synth/s45_form_field_and_annotations",
        {"text": 1},
        ("[Form field PartyA: Acme Corp]", "[Annotation: Amendment: the fee is 5,000 USD]"),
        (),
    ),
    ("nasty_synth/s46_portfolio_collection", {"text": 1}, ("open this PDF portfolio",), ()),
    ("nasty_synth/s47_xfa_please_wait", {"failed": 1}, (), ()),
    ("nasty_synth/s49_scan_only_footer_text", {"image-only": 3}, (), ()),
    ("nasty_synth/s50_hidden_layer_ocg", {"text": 1}, ("1. Confidentiality. Each party",), ("DRAFT",)),
    ("nasty_synth/s51_actualtext", {"text": 1}, ("a#idavit",), ()),  # ActualText is not used yet
    ("nasty_synth/s60_xref_shifted", {"text": 3}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s61_junk_4k_before_header", {"text": 3}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s65_incremental_update", {"text": 1}, ("Amended: the fee is 2,000 USD.",), ()),
    ("nasty_synth/s66_one_bad_page", {"text": 4, "failed": 1}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s67_missing_font_resource", {"text*": 1}, ("font F9 does not exist but text is here",), ()),
    ("nasty_synth/s69_vector_heavy_400k_ops", {"text": 1}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s70_page_labels_roman", {"text": 6}, ("physical page 1",), ()),
    ("nasty_synth/s71_outline_loop", {"text": 1}, ("1. Confidentiality. Each party",), ()),
    ("nasty_synth/s72_enc_aes256_user_pw_secret", {"text": 1}, ("left column line 1 of clause A",), ()),
    ("nasty_synth/s74_enc_utf8_password", {"text": 1}, ("left column line 1 of clause A",), ()),
]
REFUSED = [
    ("nasty/broken__qpdf__bad7", "is a broken PDF"),
    ("nasty/broken__qpdf__deep-pages", "is a broken PDF"),
    ("nasty_synth/s05_zero_pages", "has no pages"),
    ("nasty_synth/s07_page_tree_depth_3000", "safety limit"),
    ("nasty_synth/s62_truncated_60pct", "is a broken PDF"),
    ("nasty_synth/s64_html_named_pdf", "it looks like a web page"),
]


@cache
def read(name: str) -> Reading:
    password = json.loads((CORPUS / "PASSWORDS.json").read_text()).get(name)
    return read_pdf(CORPUS / name, ReadOptions(password=password))


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row[0].split("/")[1], marks=[PDFIUM] if "text*" in row[1] else []) for row in TABLE]
)
def test_file_has_the_status_a_person_would_give(row: Row) -> None:
    name, statuses, there, absent = row
    reading = read(f"{name}.pdf")
    counts = Counter(page.status.value + ("*" if page.engine == "pdfium" else "") for page in reading.pages)
    assert dict(counts) == statuses
    text = "\n".join(page.text for page in reading.pages)
    for words in there:
        assert words in text
    for words in absent:
        assert words not in text
    assert all(page.reason for page in reading.pages if page.status not in (PageStatus.TEXT, PageStatus.EMPTY))
    assert [page.index for page in reading.pages] == list(range(len(reading.pages)))


@pytest.mark.parametrize(("name", "why"), REFUSED, ids=[name.split("/")[1] for name, _ in REFUSED])
def test_file_is_refused_with_a_remedy(name: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        read_pdf(CORPUS / f"{name}.pdf")
    assert why in caught.value.line() and name in caught.value.line() and caught.value.remedy


def test_the_table_names_every_file() -> None:
    there = {
        str(path.relative_to(CORPUS))[:-4]
        for kind in ("nasty", "nasty_synth")
        for path in (CORPUS / kind).glob("*.pdf")
    }
    assert there == {row[0] for row in TABLE} | {name for name, _ in REFUSED}


@pytest.mark.parametrize("name", [name for name in ("s72_enc_aes256_user_pw_secret", "s74_enc_utf8_password")])
def test_encrypted_files_ask_for_a_password(name: str) -> None:
    with pytest.raises(InputError, match="needs a password") as caught:
        read_pdf(CORPUS / "nasty_synth" / f"{name}.pdf")
    assert "--password-file" in caught.value.remedy


WHOLE = (
    [*sorted((CORPUS / "contracts").glob("*.pdf")), *sorted((CORPUS / "statutes").glob("*.pdf"))]
    if CORPUS.is_dir()
    else []
)
BLANK = {"cuad_test_01_service_mplx.pdf": {25}, "us_title17_copyright_370p.pdf": {1, 3}}
# White on white on page 103, seen by rendering it: the word STANDARD, a left-over of a table.
HIDDEN = {"us_nist_800_66r1_hipaa.pdf": 1}


@pytest.mark.parametrize("path", WHOLE, ids=[path.stem for path in WHOLE])
def test_right_documents_raise_no_alarm(path: Path) -> None:
    reading = read_pdf(path)
    blank = BLANK.get(path.name, set())
    wrong = {
        page.index: (page.status.value, page.reason)
        for page in reading.pages
        if page.status is not (PageStatus.EMPTY if page.index in blank else PageStatus.TEXT) or page.engine != "pypdf"
    }
    assert not wrong
    assert sum(bool(page.warnings) for page in reading.pages) == HIDDEN.get(path.name, 0)


def test_parent_stays_small() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = next((CORPUS / "large").glob("*2960*"), None) if (CORPUS / "large").is_dir() else None
    reading = read_pdf(large or CORPUS / "nasty_synth/s06_5000_pages.pdf")
    assert len(reading.pages) >= 2960
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200 * 1024, f"{grown / 1024:.0f} MB more for {len(reading.pages)} pages"
