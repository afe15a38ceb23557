import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect
from conspectus.terms.money import WHICH_DOLLAR


def amounts(text: str, kind: TermKind = TermKind.MONEY, language: Language | None = None) -> list[tuple[str, str]]:
    return [(term.value, term.computed) for term in collect(source(text, language=language)) if term.kind is kind]


@pytest.mark.parametrize(
    ("text", "words", "computed"),
    [
        ("The rent is £120,000 a year.", "£120,000", "120000 GBP"),
        ("The cap is US$1,500,000.00 in all.", "US$1,500,000.00", "1500000 USD"),
        ("In the United States it is $10 million.", "$10 million", "10000000 USD"),
        ("The price is HK$ 5,000 net.", "HK$ 5,000", "5000 HKD"),
        ("The fine is 10 000 000 EUR at most.", "10 000 000 EUR", "10000000 EUR"),
        ("The fine is €1.250.000,00 at most.", "€1.250.000,00", "1250000 EUR"),
        ("It costs 10,000 crowns a year.", "10,000 crowns", "10000 crowns"),
        ("The deposit is £30,000 (thirty thousand pounds).", "£30,000", "30000 GBP"),
        ("The fee is thirty thousand pounds a year.", "thirty thousand pounds", "30000 GBP"),
        ("The fee is USD 2.5m a year.", "USD 2.5m", "2.5m USD".replace("2.5m", "2500000")),
        ("注册资本不低于人民币一亿元。", "人民币一亿元", "100000000 CNY"),
        ("处五万元罚款。", "五万元", "50000 CNY"),
        ("租金为每月￥12,500元。", "￥12,500元", "12500 CNY"),
        ("价款为300万元。", "300万元", "3000000 CNY"),
        ("支付50美元。", "50美元", "50 USD"),
    ],
)
def test_amounts(text: str, words: str, computed: str) -> None:
    assert amounts(text) == [(words, computed)]


def test_a_bare_dollar_is_not_guessed() -> None:
    rows = collect(source("The fee is $5,000. Canadian dollars are used."))
    assert [(row.computed, row.note) for row in rows if row.kind is TermKind.MONEY] == [("5000 $", WHICH_DOLLAR)]


@pytest.mark.parametrize(
    ("text", "words", "computed"),
    [
        ("Interest is four per cent (4%) a year.", "four per cent (4%)", "4"),
        ("The share is 18.5% of the cost.", "18.5%", "18.5"),
        ("More than fifty percent (50 %) of the votes.", "fifty percent (50 %)", "50"),
        ("手续费不得超过百分之三。", "百分之三", "3"),
        ("股权不得超过30%。", "30%", "30"),
        ("利息为千分之五。", "千分之五", "0.5"),
    ],
)
def test_percentages(text: str, words: str, computed: str) -> None:
    assert amounts(text, TermKind.PERCENTAGE) == [(words, computed)]


def test_the_lines_of_a_fee_table_stand_as_they_are() -> None:
    text = "SCHEDULE\nItem Matter Fee (crowns)\n1 Application for a licence 450\n2 Copy of an entry 4\n"
    assert ("1 Application for a licence 450", "") in amounts(text)


def test_two_numbers_are_not_added_up() -> None:
    assert amounts("It costs between two and three dollars a day.") == [("two and three dollars", "")]
    assert amounts("It lasts between two and three days.", TermKind.PERIOD) == []
