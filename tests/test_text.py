import pytest

from conspectus.document import Language
from conspectus.text import fold, language_of, normalise
from conspectus.zh_numbers import chinese_number


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
