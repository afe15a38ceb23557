import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect


def parties(*lines: str, language: Language | None = None) -> list[tuple[str, str]]:
    rows = collect(source("\n".join(lines), language=language))
    return [(term.name, term.value) for term in rows if term.kind is TermKind.PARTY]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'This Agreement is made between Acme Inc., a Delaware corporation ("Seller"), and Beta '
            'Holdings, LLC (the "Buyer").',
            [("Seller", "Acme Inc."), ("Buyer", "Beta Holdings, LLC")],
        ),
        (
            "This Agreement is dated 1 May 2026 between New China Media LLC, a Florida company "
            '(a/k/a NCML) with offices at 4 Road ("NCM") and Jane Doe ("Agent").',
            [("NCM", "New China Media LLC"), ("Agent", "Jane Doe")],
        ),
        (
            "THIS AGREEMENT, entered into by and among ALPHA TRUST 2020-A, a Delaware statutory "
            'trust, as issuer (the "Issuer"), and Cello Partnership d/b/a Cello, as servicer (in '
            'such capacity, the "Servicer") and as agent (in such capacity, the "Agent").',
            [("Issuer", "ALPHA TRUST 2020-A"), ("Servicer", "Cello Partnership"), ("Agent", "Cello Partnership")],
        ),
        (
            'This Agreement is made between First Inc. ("One") and Second Inc. ("Two" and, together '
            'with One, the "Group").',
            [("One", "First Inc."), ("Two", "Second Inc.")],
        ),
        (
            'This Agreement is made between Gamma Corp. (the "Company" or "GC") and Delta Corp. ("Delta").',
            [("Company", "Gamma Corp."), ("GC", "Gamma Corp."), ("Delta", "Delta Corp.")],
        ),
        ('This Agreement (the "Agreement") explains the rent (the "Rent") between seasons.', []),
        ("This Agreement is between the parties.", []),
    ],
)
def test_parties_of_a_preamble(text: str, expected: list[tuple[str, str]]) -> None:
    assert parties(text) == expected


def test_parties_of_a_list() -> None:
    found = parties(
        "PARTIES",
        "(1) NORTHGATE ESTATES LIMITED, a company incorporated in England with company number "
        "04418273, whose registered"
        " office is at 2 Halewood Quay (the “Landlord”); and",
        "(2) MILL LANE BAKERY LIMITED, a company incorporated in England with company number 09127746 (the “Tenant”).",
    )
    assert found == [("Landlord", "NORTHGATE ESTATES LIMITED"), ("Tenant", "MILL LANE BAKERY LIMITED")]


def test_what_describes_a_party_stands_beside_it() -> None:
    rows = collect(source('Deed between Acme Inc., a company with number 123 ("A"), and Beta Inc. ("B").'))
    notes = [row.note for row in rows if row.kind is TermKind.PARTY]
    assert notes == ["a company with number 123", ""]


def test_who_makes_a_statute() -> None:
    text = "The Minister for Transport, having consulted, makes these Regulations under section 7 of the Ways Act 2019."
    assert parties(text) == [("maker", "The Minister for Transport")]


def test_chinese_parties() -> None:
    text = ("甲方（出租方）：东山置业有限公司", "乙方：李明商行", "第一条　略。", "第二条　略。", "第三条　略。")
    assert parties(*text, language=Language.ZH) == [("甲方", "东山置业有限公司"), ("乙方", "李明商行")]


def test_chinese_authorities() -> None:
    text = "第六条　国务院数据管理部门主管全国的监督管理工作。\n第七条　略。\n第八条　略。"
    assert parties(text, language=Language.ZH) == [("主管部门", "国务院数据管理部门")]
