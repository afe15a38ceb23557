"""Repairs on real documents: heads and numbers go, not a line of the body does, every offset leads back."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from conspectus.document import Document, Language, PageStatus
from conspectus.errors import InputError
from conspectus.evidence.reading import to_document
from conspectus.pdf import PageRead, Reading, read_pdf
from conspectus.repair.lines import glued
from conspectus.text import fold, normalise

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
DATA = Path(__file__).parent.parent.parent / "data"
pytestmark = pytest.mark.corpus
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="missing: ../shared/corpus")


@cache
def raw(path: Path, pages: int) -> Reading:
    """A reading; only the first `pages` pages of a long file are looked at (0: all)."""
    if not pages:
        return read_pdf(path)
    from pypdf import PdfReader

    reader = PdfReader(path)
    labels = reader.page_labels
    texts = [reader.pages[index].extract_text() for index in range(min(pages, len(reader.pages)))]
    rows = [
        PageRead(index, labels[index], text, PageStatus.TEXT if text.strip() else PageStatus.EMPTY, "")
        for index, text in enumerate(texts)
    ]
    return Reading("0" * 64, tuple(rows))


@cache
def made(path: Path, pages: int = 0) -> Document:
    return to_document(path, raw(path, pages))


# Head and foot of each file as whole lines; whatever else was taken out fails the test.
RUNNING = {
    ("statutes/eu_gdpr_council_261p.pdf", 60): r"5419/16 AV/NT/sr( \d+)?|DGD 2 EN",
    ("statutes/us_title17_copyright_370p.pdf", 60): (
        r"([0-9ivxl]+ )?Copyright Law of the United States( [0-9ivxl]+)?|Preface|§ ?\d+[a-z]?|"
        r"(§ ?\d+[a-z]?)? ?Subject Matter and Scope of Copyright ?(§ ?\d+[a-z]?|Notes)?"
    ),
    ("statutes/zh_civil_code_distiller_234p.pdf", 60): r"\d+",
    ("statutes/zh_civil_code_word_141p.pdf", 40): r"(?!)",
    ("statutes/zh_constitution_23p.pdf", 0): r"(?!)",
    ("contracts/cuad_test_01_service_mplx.pdf", 0): r"\d+",
    ("contracts/cuad_test_04_service_atmosenergy.pdf", 0): r"(?!)",
    ("contracts/cuad_test_08_license_euromediaholdin.pdf", 0): r"-\d+-|Source: EUROMEDIA HOLDINGS CORP, .*",
    ("contracts/cuad_train_02_service_reynolds.pdf", 0): r"Source: REYNOLDS CONSUMER PRODUCTS INC., .*",
    ("contracts/cuad_train_08_license_artara.pdf", 0): r"\d+|Source: ARTARA THERAPEUTICS, INC., .*",
    ("contracts/cuad_train_10_outsourcing_paratek.pdf", 0): (
        r"THIS EXHIBIT HAS BEEN REDACTED .*|MARKED WITH \[\* \* \*\] .*|CONFIDENTIAL Page \d+ of 49|Source: PARATEK .*"
    ),
    ("contracts/cuad_x_11_reseller_healthcare.pdf", 0): r"Source: HEALTHCARE INTEGRATED TECHNOLOGIES INC., .*",
}
# Pages, of those with text, from which something must have gone.
LEAST = {
    "eu_gdpr_council_261p.pdf": 60, "us_title17_copyright_370p.pdf": 50, "zh_civil_code_distiller_234p.pdf": 60,
    "cuad_test_01_service_mplx.pdf": 20, "cuad_test_08_license_euromediaholdin.pdf": 12,
    "cuad_train_02_service_reynolds.pdf": 52, "cuad_train_08_license_artara.pdf": 15,
    "cuad_train_10_outsourcing_paratek.pdf": 49, "cuad_x_11_reseller_healthcare.pdf": 5,
}  # fmt: skip


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", normalise(text))


@needs_corpus
@pytest.mark.parametrize(("name", "pages"), RUNNING)
def test_heads_go_and_no_line_of_the_body_does(name: str, pages: int) -> None:
    path = CORPUS / name
    document = made(path, pages)
    pattern = re.compile(RUNNING[(name, pages)])
    gone = Counter(line for page in document.pages for line in page.furniture)
    assert [line for line in gone if not pattern.fullmatch(line)] == []
    assert sum(bool(page.furniture) for page in document.pages) >= LEAST.get(path.name, 0)
    for page, read in zip(document.pages, raw(path, pages).pages, strict=True):
        # All that was read is in the text or in the furniture; nothing else is.
        assert Counter(letters(read.text)) == Counter(letters(page.text + "\n" + "\n".join(page.furniture)))


@needs_corpus
@pytest.mark.parametrize(("name", "pages"), RUNNING)
def test_every_character_leads_back_to_its_page(name: str, pages: int) -> None:
    path = CORPUS / name
    document = made(path, pages)
    for page, read in zip(document.pages, raw(path, pages).pages, strict=True):
        assert document.text[page.start : page.start + len(page.text)] == page.text
        for at, origin in enumerate(page.origin):
            assert normalise(read.text[origin]).startswith(normalise(page.text[at])[:1]) or page.text[at] in " \n"


@needs_corpus
@pytest.mark.parametrize(("name", "pages"), RUNNING)
def test_repaired_text_stays_as_it_is(name: str, pages: int) -> None:
    path = CORPUS / name
    first = made(path, pages)
    read = raw(path, pages)
    rows = [
        PageRead(page.index, page.label, page.text, page.status if page.text else PageStatus.EMPTY, "")
        for page in first.pages
    ]
    again = to_document(path, Reading(read.sha256, tuple(rows)))
    assert [page.text for page in again.pages] == [page.text for page in first.pages]


def synth(number: str) -> Document:
    path = next((CORPUS / "nasty_synth").glob(f"{number}_*.pdf"))
    return made(path, 99)


@needs_corpus
@pytest.mark.parametrize(
    ("number", "start"),
    [
        ("s22", "The office of the definition"),
        ("s20", "The of\ufffdce of the de\ufffdnition"),
        ("s21", "The of\ufffdce of the de\ufffdnition"),
        ("s25", "ARTICLE 5 LIMITATION OF LIABILITY\n1. Confidentiality."),
        ("s26", "STATEMENT"),
        ("s27", "第一条 为了保护民事主体的合法权益，制定本法。\n第二条"),
        ("s29", "第一条 为了保护民事主体的合法权益，制定本法。\n第二条 民法调整"),
        ("s30", "LEASE AGREEMENT\n1. Confidentiality."),
        ("s35", "Item\nServers\nSupport\nTotal\nQty\n10\n1\nPrice"),
        ("s40", "The contractual obliga-\ntions of the Non-\nDisclosing Party"),
        ("s70", "physical page 1\nphysical page 2"),
    ],
)
def test_synthetic_faults(number: str, start: str) -> None:
    assert synth(number).text.startswith(start)


@needs_corpus
def test_hyphens_are_quoted_as_words() -> None:
    assert fold(synth("s40").text) == (
        "The contractual obligations of the Non-Disclosing Party are independent. Section 4-B applies."
    )


@needs_corpus
def test_pleading_loses_its_line_numbers_and_heads_alone() -> None:
    document = synth("s44")
    for index, page in enumerate(document.pages):
        lines = page.text.split("\n")
        assert lines == [f"Body line {n} on page {index + 1} of the agreement text" for n in range(1, len(lines) + 1)]
        assert len(lines) >= 25
        assert page.furniture[0] == "1-28 (line numbers)"


@needs_corpus
def test_transcript_loses_its_line_numbers() -> None:
    text = made(CORPUS / "statutes" / "us_scotus_transcript_p1.pdf", 1).text
    assert text.startswith("Official - Subject to Final Review")


@needs_corpus
def test_a_page_number_alone_is_no_text() -> None:
    path = CORPUS / "nasty_synth" / "s49_scan_only_footer_text.pdf"
    with pytest.raises(InputError, match="no text on any of its 3 pages"):
        made(path, 3)


@needs_corpus
def test_one_lost_gap_is_not_called_glued() -> None:
    assert not glued(synth("s31").text)


@needs_corpus
def test_copies_of_a_page_are_kept() -> None:
    assert [page.furniture for page in synth("s66").pages] == [()] * 5


@needs_corpus
def test_japanese_is_said_to_be_unsupported() -> None:
    text = (CORPUS / "statutes" / "ja_constitution.md").read_text(encoding="utf-8")
    read = PageRead(0, "1", text, PageStatus.TEXT, "", engine="text")
    document = to_document(Path("ja_constitution.md"), Reading("0" * 64, (read,)))
    assert document.language is Language.EN
    assert document.warnings == ("language not supported: Japanese, handled generically",)


TITLES = {
    "contracts/cuad_test_02_service_martinmidstream.pdf": "TRANSPORTATION SERVICES AGREEMENT",
    "contracts/cuad_test_03_service_blackstonegsolo.pdf": "SERVICE AGREEMENT FOR TRANSFER AGENT SERVICES",
    "contracts/cuad_test_07_license_gpaqacquisition.pdf": "MEDIA LICENSE AGREEMENT",
    "contracts/cuad_train_07_license_cytodyn.pdf": "COMMERCIALIZATION AND LICENSE AGREEMENT",
    "contracts/cuad_train_09_outsourcing_photronics.pdf": "OUTSOURCING AGREEMENT",
    "contracts/cuad_train_10_outsourcing_paratek.pdf": "Outsourcing Agreement",
    "statutes/zh_civil_code_distiller_234p.pdf": "中华人民共和国民法典",
    "statutes/zh_civil_code_word_141p.pdf": "中华人民共和国民法典",
    "statutes/zh_constitution_23p.pdf": "中华人民共和国宪法",
}


@needs_corpus
@pytest.mark.parametrize("name", TITLES)
def test_titles(name: str) -> None:
    assert made(CORPUS / name, 5).title == TITLES[name]


SAMPLE_TITLES = {
    "lease": "LEASE of Units 3 and 4, Calder Works",
    "regulation": "DELIVERY ROBOTS (PUBLIC FOOTWAYS) REGULATIONS 2026",
    "act-zh": "数据交易场所法",
}


@pytest.mark.parametrize("name", SAMPLE_TITLES)
def test_samples_lose_their_head_and_no_fact(name: str) -> None:
    about = json.loads((DATA / f"{name}.facts.json").read_text(encoding="utf-8"))
    document = made(DATA / f"{name}.pdf")
    head = about.get("running_head")
    for page in document.pages[1:]:
        lines = [fold(line) for line in page.text.split("\n")]
        assert not head or (head not in lines and head in page.furniture)
        assert not re.fullmatch(r"Page \d+ of \d+|\d+|[ivx]+|— \d+ —", lines[-1])
    for fact in about["facts"]:
        pages = document.pages[fact["page"] - 1 : fact.get("page_end", fact["page"])]
        assert normalise(fact["quote"]) in normalise("\n".join(page.text for page in pages)), fact["id"]
    assert document.title.startswith(SAMPLE_TITLES[name])
