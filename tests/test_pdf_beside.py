"""Beside the first reader: the second opinion, text files, stdin, OCR."""

import hashlib
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rawpdf import lines, raw_pdf
from reading import ALONE, TEXT, refused

from conspectus.document import PageStatus
from conspectus.errors import InputError
from conspectus.options.digest import ReadingOptions
from conspectus.pdf import PageRead, ReadOptions, read_bytes, read_pdf, second
from conspectus.pdf.ocr import languages
from conspectus.pdf.opinion import settle


def page(text: str, status: PageStatus = PageStatus.TEXT, reason: str = "") -> PageRead:
    return PageRead(0, "1", text, status, reason)


RIGHT = {"text": "The Tenant shall pay the rent of 1,000 USD.", "images": 0, "objects": 0}


def test_second_reader_stands_in_where_the_first_fails() -> None:
    taken = settle(page("", PageStatus.FAILED, "the reader stopped with TypeError"), RIGHT, True)
    assert (taken.status, taken.engine, taken.text) == (PageStatus.TEXT, "pdfium", RIGHT["text"])
    assert "read with pdfium" in taken.warnings[-1]
    garbled = page("\x01\x02\x03 \x04\x05 \x06" * 5 + "\n[Form field A: 5]", PageStatus.GARBLED, "no meaning")
    assert settle(garbled, RIGHT, True).text.endswith("\n[Form field A: 5]")


def test_readers_that_disagree_raise_an_alarm() -> None:
    alarmed = settle(page("qwzx jkvb qqzz xxkk vvjj bbzz qqww zzxx"), RIGHT, False)
    assert alarmed.status is PageStatus.GARBLED and "two readers agree on" in alarmed.reason
    assert settle(page(str(RIGHT["text"])), RIGHT, False) == page(str(RIGHT["text"]))
    failed = {"text": "", "failed": "the reader stopped with PdfiumError"}
    assert settle(page("anything at all, however odd"), failed, True).text == "anything at all, however odd"


def test_hidden_text_does_not_come_back_through_the_second_reader() -> None:
    cleaned = replace(page("qwzx jkvb qqzz xxkk vvjj"), warnings=("9 hidden characters were left out",))
    assert settle(cleaned, RIGHT, True) == cleaned
    assert settle(page("", PageStatus.FAILED, "why"), {**RIGHT, "hidden": True}, True).text == ""


def test_all_works_without_pdfium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "installed", lambda: False)
    assert read_pdf(raw_pdf(tmp_path / "x.pdf", TEXT)).pages[0].engine == "pypdf"
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7 nothing")
    assert "is a broken PDF" in refused(tmp_path / "x.pdf", ReadOptions())


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.txt", "Article 1 – rent".encode(), "Article 1 – rent"),
        ("a.md", "\ufeff# 第一条\r\n租金".encode(), "# 第一条\n租金"),
        ("a.txt", "第一条 租金".encode("utf-16"), "第一条 租金"),
        ("a.txt", "第一条 承租人应当支付租金。".encode("gb18030"), "第一条 承租人应当支付租金。"),
        (
            "a.txt",
            "The café shall pay £5 – promptly, and so on.".encode("cp1252"),
            "The café shall pay £5 – promptly, and so on.",
        ),
        ("a.txt", b"About %PDF-1.7 files", "About %PDF-1.7 files"),
    ],
    ids=["utf-8", "bom-crlf", "utf-16", "gb18030", "cp1252", "mentions-pdf"],
)
def test_text_files(name: str, data: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    reading = read_pdf(tmp_path / name)
    assert [(page.text, page.status, page.engine) for page in reading.pages] == [(text, PageStatus.TEXT, "text")]
    assert reading.sha256 == hashlib.sha256(data).hexdigest()


def test_form_feeds_divide_pages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\f\ftwo\f")
    pages = read_pdf(tmp_path / "a.txt").pages
    assert [(page.text, page.label, page.status.value) for page in pages] == [
        ("one", "1", "text"), ("", "2", "empty"), ("two", "3", "text"),
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x01", bytes(range(1, 256)), b"\xff\xfe\x00\xd8a"])
def test_binary_named_text_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert "text" in refused(tmp_path / "a.txt")


def test_stdin_is_a_pdf_or_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = raw_pdf(tmp_path / "x.pdf", TEXT).read_bytes()

    class Stdin:
        class buffer:
            read = staticmethod(lambda: data)

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read_pdf(Path("-"), ALONE).pages[0].text == "The Tenant shall pay the rent."
    assert read_bytes("第一条".encode(), "stdin").pages[0].engine == "text"
    with pytest.raises(InputError, match="stdin: is empty"):
        read_bytes(b"", "stdin")


def fake_ocr(folder: Path, body: str, name: str = "ocrmypdf") -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def scanned(folder: Path) -> Path:
    return raw_pdf(folder / "x.pdf", TEXT, "q 612 0 0 792 0 0 cm /Im Do Q")


def test_ocr_reads_scanned_pages_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scanned(tmp_path)
    made = raw_pdf(tmp_path / "made.pdf", lines("other words"), lines("recognised words"))
    fake_ocr(tmp_path, f'[ "$1 $3 $4" = "--skip-text -l eng" ] && cp "{made}" "$6"')
    fake_ocr(tmp_path, "echo eng", "tesseract")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    reading = read_pdf(path, ReadOptions(ocr=True))
    assert [page.text for page in reading.pages] == ["The Tenant shall pay the rent.", "recognised words"]
    assert reading.pages[1].warnings[-1] == "its text was recognised by ocrmypdf (eng)"
    assert reading.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("there", "asked", "text", "codes"),
    [
        ("eng chi_sim osd", "", "第一条　承租人应当支付租金。", "chi_sim"),
        ("eng chi_sim osd", "", "The Tenant shall pay the rent.", "eng"),
        ("eng chi_sim osd", "", " ", "eng+chi_sim"),
        ("eng osd", "", " ", "eng"),
        ("eng chi_sim", "chi_sim", "The Tenant shall pay the rent.", "chi_sim"),
        ("eng", "chi_sim", "", "tesseract-ocr-chi-sim"),
        ("osd", "", "", "tesseract-ocr-eng"),
        ("eng", "", "第一条　承租人应当支付租金。", "tesseract-ocr-chi-sim"),
    ],
)
def test_scans_are_recognised_in_their_language(
    there: str, asked: str, text: str, codes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_ocr(tmp_path, f"printf '%s\\n' 'List of available languages (2):' {there}", "tesseract")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if not codes.startswith("tesseract"):
        assert languages(tmp_path / "x.pdf", asked, text) == codes
        return
    with pytest.raises(InputError) as raised:
        languages(tmp_path / "x.pdf", asked, text)
    assert f"apt install {codes}," in raised.value.remedy
    assert "x.pdf: --ocr needs tesseract's language" in raised.value.message


def test_ocr_takes_the_language_of_the_command_line() -> None:
    assert ReadingOptions(lang="zh", ocr=True).read_options().ocr_languages == "chi_sim"
    assert ReadingOptions(ocr=True).read_options().ocr_languages == ""


def test_ocr_that_fails_or_is_missing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scanned(tmp_path)
    fake_ocr(tmp_path, "exit 7")
    fake_ocr(tmp_path, "exit 1", "tesseract")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "exit code 7" in refused(path, ReadOptions(ocr=True))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert "apt install ocrmypdf" in refused(path, ReadOptions(ocr=True))
    assert read_pdf(path, ALONE).pages[1].status is PageStatus.IMAGE, "without --ocr nothing is asked for"
