import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.check.salient import salient
from conspectus.document import Language
from conspectus.evidence.zh_numbers import chinese_number
from conspectus.text import (
    fold,
    language_of,
    normalise,
    normalise_with_map,
    other_language,
    second_language,
    source_span,
)


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("the rent\nis  due", "the rent is due"),
        ("indem-\nnify the Landlord", "indemnify the Landlord"),
        ("a non‐\nexclusive right", "a non-exclusive right"),
        ("Non-\nDisclosing Party", "Non-Disclosing Party"),
        ("交易场所应当\n自交易 完成之日起", "交易场所应当自交易完成之日起"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_fold(raw: str, folded: str) -> None:
    assert fold(raw) == folded


def test_normalise_makes_equal_what_reads_equal() -> None:
    assert normalise("“ﬁve” １２３ — don’t") == normalise('"five" 123 - don\'t')


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10), ("二十", 20), ("一百零三", 103), ("一千二百六十", 1260), ("五万", 50000), ("一百万", 1000000),
        ("三亿二千万", 320000000), ("二〇二六", 2026), ("12", 12), ("两", 2),
    ],
)  # fmt: skip
def test_chinese_number(numeral: str, value: int) -> None:
    assert chinese_number(numeral) == value


@pytest.mark.parametrize("text", ["", "第", "abc"])
def test_chinese_number_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="no Chinese numeral"):
        chinese_number(text)


def test_language() -> None:
    assert language_of("The Tenant shall pay.") is Language.EN
    assert language_of("承租人应当支付租金 (Tenant)") is Language.ZH


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("Section 4-\nB applies", "Section 4-B applies"),
        ("2019-\n2020", "2019-2020"),
        ("the Lender -\nBank", "the Lender - Bank"),
        ("contrac\u00ad\ntual", "contractual"),
        ("本法所称\n“以上”\n包括本数", "本法所称“以上”包括本数"),
        ("𠮷野\n家", "𠮷野家"),
    ],
)
def test_fold_over_lines(raw: str, folded: str) -> None:
    assert fold(raw) == folded


@given(st.text(max_size=80))
def test_fold_and_normalise_settle(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert normalise(fold(text)) == normalise(text)
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        ("第一条　天皇は、日本国の象徴であり", Language.EN, "Japanese"),
        ("甲方：日本国株式会社のテスト。承租人应当支付租金并且按照约定使用房屋，不得转租。" * 2, Language.ZH, ""),
        ("임대인은 임차인에게 부동산을 임대한다", Language.EN, "Korean"),
        ("Арендатор обязан платить", Language.EN, "Russian or another language in Cyrillic"),
        (
            "Der Mieter ist verpflichtet, die Miete nicht auf das Konto der Bank und den Vermieter " * 9,
            Language.EN,
            "German",
        ),
        ("Le locataire doit payer les loyers dans le délai que le bail fixe pour la durée " * 9, Language.EN, "French"),
        ("The tenant shall pay the rent and the charges of the lease " * 9, Language.EN, ""),
        ("", Language.EN, ""),
    ],
)
def test_language_by_script_and_common_words(text: str, language: Language, other: str) -> None:
    assert language_of(text) is language
    assert other_language(text) == other


def test_second_language() -> None:
    english, chinese = "The Tenant shall pay the rent. " * 5, "承租人应当支付租金。" * 5
    assert second_language(english + chinese, Language.EN) == "Chinese"
    assert second_language(chinese * 2 + english, Language.ZH) == "English"
    assert second_language(english, Language.EN) == second_language(chinese, Language.ZH) == ""


WRITTEN = st.text(alphabet="ab c-\n\u00ad\u00a0ﬁﬀ１２３，。,.“”‘’—甲乙丙 \t年Ⅳ㎏", max_size=60)


@given(st.text(max_size=60))
def test_the_map_is_whole_and_never_falls_back(text: str) -> None:
    plain, offsets = normalise_with_map(text)
    assert plain == normalise(text)
    assert len(offsets) == len(plain)
    assert list(offsets) == sorted(offsets)
    assert all(0 <= offset < len(text) for offset in offsets)


@given(WRITTEN)
def test_each_character_comes_from_one_that_reads_the_same(text: str) -> None:
    plain, offsets = normalise_with_map(text)
    for char, offset in zip(plain, offsets, strict=True):
        assert (char == " " and text[offset].isspace()) or char in normalise(f"x{text[offset]}x")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a fee of １，０００ yuan", "１，０００"),
        ("the ﬁrst of £1 000 000 due", "£1 000 000"),
        ("within thirty\n(30) days", "thirty\n(30) days"),
        ("租金一千\n元", "一千\n元"),
        ("by 31 De-\ncember 2027 at the latest", "31 De-\ncember 2027"),
    ],
)
def test_a_number_is_shown_as_it_stands_in_the_source(source: str, shown: str) -> None:
    plain, offsets = normalise_with_map(source)
    token = salient(plain)[0]
    start, end = source_span(offsets, token.start, token.end, len(source))
    assert source[start:end] == shown


@pytest.mark.parametrize(
    "same",
    [
        ["1,000 days", "1000 days", "one thousand days", "１０００ days", "1 000 days"],
        ["一千元", "1,000元", "1000 元", "１，０００元", "人民币1000元"],
        ["百分之三", "3%", "３％", "3 per cent"],
        ["万分之五", "0.05%"],
        ["2027年3月1日", "二〇二七年三月一日", "1 March 2027", "2027-03-01", "March 1st, 2027"],
        ["the tenth day", "the 10th day"],
        ["23:00", "11 p.m."],
    ],
)
def test_one_value_in_many_forms(same: list[str]) -> None:
    assert len({tuple(token.same for token in salient(text)) for text in same}) == 1
