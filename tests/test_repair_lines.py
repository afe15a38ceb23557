import pytest

from conspectus.repair.lines import (
    close_cjk_gaps,
    close_spaced_headings,
    cut_words,
    drop_double_struck,
    glued,
    join_cut_words,
    undouble_glyphs,
)
from conspectus.repair.map import Mapped


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        ("ARTICLE 5 LIMITATION\nARTICLE 5 LIMITATION\nbody", "ARTICLE 5 LIMITATION\nbody"),
        ("LIMITATION OF LIABILITY\n LIMITATION OF LIABILITY ", "LIMITATION OF LIABILITY\n"),
        ("第一章 总则规定\n第一章 总则规定\n第一条", "第一章 总则规定\n第一条"),
    ],
)
def test_double_struck_headings(raw: str, right: str) -> None:
    assert drop_double_struck(Mapped.of(raw)).text == right


@pytest.mark.parametrize(
    "text",
    [
        "0.00\n0.00", "Name: ____\nName: ____", "Not applicable\nNot applicable", "________\n________", "10 10\n10 10",
        "Director\nDirector", "the rent\nthe rent", "甲方\n甲方", "\n\n\n",
    ],
)  # fmt: skip
def test_equal_lines_that_stay(text: str) -> None:
    assert drop_double_struck(Mapped.of(text)).text == text


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        ("SSTTAATTEEMMEENNTT", "STATEMENT"),
        ("AARRTTIICCLLEE  55", "ARTICLE 5"),
        ("AARRTTIICCLLEE 55", "ARTICLE 5"),
        ("SSSSTTTTAAAATTTTEEEEMMMMEEEENNNNTTTT", "STATEMENT"),
        ("合合同同当当事事人人应应当当", "合同当事人应当"),
        ("ok\nOOFFFFIICCEE\nok", "ok\nOFFICE\nok"),
    ],
)
def test_doubled_glyphs(raw: str, right: str) -> None:
    assert undouble_glyphs(Mapped.of(raw)).text == right


@pytest.mark.parametrize(
    "text",
    [
        "book", "committee", "甲甲", "甲甲甲甲乙乙乙乙", "高高兴兴", "Mississippi bookkeeper", "XXXXXXXXXXXX",
        "............", "aabb ccdd", "11/22/3344", "----------------", "iiii xxxx",
    ],
)  # fmt: skip
def test_glyphs_that_stay(text: str) -> None:
    assert undouble_glyphs(Mapped.of(text)).text == text


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        ("A R T I C L E  I", "ARTICLE I"),
        ("L E A S E   A G R E E M E N T", "LEASE AGREEMENT"),
        ("  W I T N E S S E T H :", "  WITNESSETH:"),
        ("WI T N E S S E T H:", "WITNESSETH:"),
        ("c i r c u l a r  9 2", "circular 92"),
    ],
)
def test_letter_spaced_headings(raw: str, right: str) -> None:
    assert close_spaced_headings(Mapped.of(raw)).text == right


@pytest.mark.parametrize(
    "text", ["A B C D", "A B C D  E F G H", "L E A S E A G R E E M E N T", "1 2 3 4 5", "I a m", "x = y + z", "a b c"]
)
def test_spaced_letters_that_stay(text: str) -> None:
    assert close_spaced_headings(Mapped.of(text)).text == text


def test_cjk_glyph_by_glyph() -> None:
    raw = "第 一 条  为 了 保 护 民 事 主 体 的 合 法 权 益 ， 制 定 本 法 。\n第 二 条  罚 款 1 0 0 万 元 。"
    page = close_cjk_gaps(Mapped.of(raw))
    assert page.text == "第一条 为了保护民事主体的合法权益，制定本法。\n第二条 罚款 100 万元。"
    assert all(raw[at] == char for at, char in zip(page.origin, page.text, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "第一条 为了保护民事主体的合法权益 制定本法",
        "第一条　为了",
        "甲 乙 丙",
        "编 号 数 量",
        "Party A 甲方 Party B 乙方",
    ],
)
def test_cjk_gaps_that_stay(text: str) -> None:
    assert close_cjk_gaps(Mapped.of(text)).text == text


def test_cut_words_follow_the_document() -> None:
    pages = [
        Mapped.of("The Tenant shall indem-\nnify and a long-\nterm lease, a mid-\nweek visit, Section 4-\nB"),
        Mapped.of("to indemnify the Landlord under a long-term lease"),
    ]
    text = join_cut_words(pages[0], cut_words(pages)).text
    assert text == ("The Tenant shall indemnify and a long-term lease, a mid-\nweek visit, Section 4-\nB")


def test_glued_words() -> None:
    line = "Thetenantshallpaytherentonthefirstdayofeachmonth"
    assert glued(f"{line}\n{line}withoutanydeductionorsetoff")
    assert not glued("Each party shall keep\nkerninginside words here")  # one gap lost: not enough to say so
    assert not glued("The Tenant shall pay the rent on the first day of each month without any deduction or set-off.")
    assert not glued("第一条　为了保护民事主体的合法权益，制定本法。" * 5)
    assert not glued("https://www.gesetze-im-internet.de/bgb/BJNR001950896.html")
