import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect


def terms(text: str, kind: TermKind, language: Language | None = None) -> list[tuple[str, str]]:
    return [(term.name, term.value) for term in collect(source(text, language=language)) if term.kind is kind]


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        (
            'between Northgate Estates Limited (the "Landlord") and Mill Lane Bakery Limited (the "Tenant").',
            [("Landlord", "Northgate Estates Limited"), ("Tenant", "Mill Lane Bakery Limited")],
        ),
        (
            "THIS AGREEMENT (this “Agreement”) is dated as of June 11, 2015, by and between Alpha Oil Company LP "
            "(“Shipper”) and Beta Line LLC, a Delaware limited liability company (“Carrier”).",
            [("Shipper", "Alpha Oil Company LP"), ("Carrier", "Beta Line LLC")],
        ),
        ("This Agreement is between the parties.", []),
    ],
)
def test_parties(text: str, parties: list[tuple[str, str]]) -> None:
    assert terms(text, TermKind.PARTY) == parties


def test_chinese_parties_and_definitions() -> None:
    text = "甲方（出租方）：东山置业有限公司\n乙方：李明商行\n"
    text += "第一条　本合同所称租金，是指每月五千元。\n第二条　略。\n第三条　略。"
    assert terms(text, TermKind.PARTY, Language.ZH) == [("甲方", "东山置业有限公司"), ("乙方", "李明商行")]
    assert ("租金", "每月五千元") in [(n.removeprefix("本合同所称"), v) for n, v in terms(text, TermKind.DEFINITION)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("This Lease is governed by the law of England and Wales.", TermKind.LAW, "the law of England and Wales"),
        ("The fee of £1,200 is due on 1 March 2027.", TermKind.MONEY, "£1,200"),
        ("The fee of £1,200 is due on 1 March 2027.", TermKind.DATE, "1 March 2027"),
        ("Notice of thirty (30) days is needed.", TermKind.PERIOD, "thirty (30) days"),
        ("Interest accrues at 4% a year.", TermKind.PERCENTAGE, "4%"),
        ("This Act comes into force on 1 May 2027.", TermKind.COMMENCEMENT, "This Act comes into force on 1 May 2027."),
        ("The Fees Order 2019 is repealed.", TermKind.REPEAL, "The Fees Order 2019 is repealed."),
        ("本条例自2027年3月1日起施行，原条例同时废止。", TermKind.DATE, "2027年3月1日"),
        ("逾期的，处五万元以上罚款。", TermKind.MONEY, "五万元"),
    ],
)
def test_values(text: str, kind: TermKind, value: str) -> None:
    assert value in [found for _, found in terms(text, kind)]


def test_every_term_stands_in_the_sentence_it_rests_on() -> None:
    made = source('The "Fee" means £5 a day.\nThe Fee falls due within ten (10) days of 2 May 2027.')
    for term in collect(made):
        quote = made.sentences[term.sentence].text
        assert term.value in quote
