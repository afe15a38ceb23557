import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect
from conspectus.terms.definitions import BRACKETED, BY_REFERENCE, SHORT, defined_terms


def definitions(text: str, language: Language | None = None) -> list[tuple[str, str]]:
    rows = collect(source(text, language=language))
    return [(term.name, term.value) for term in rows if term.kind is TermKind.DEFINITION]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Fee” means five pounds a day.", [("Fee", "five pounds a day")]),
        ('"Fee" shall mean five pounds.', [("Fee", "five pounds")]),
        ("(1) 'personal data' means any information.", [("personal data", "any information")]),
        ('**"Affiliate"** means an entity.', [("Affiliate", "an entity")]),
        ("A “joint work” is a work of two authors.", [("joint work", "a work of two authors")]),
        (
            "In these Regulations: “fleet” means all robots; “licence” means a licence under regulation 6.",
            [("fleet", "all robots"), ("licence", "a licence under regulation 6")],
        ),
        ("It lasts from 1 May 2025 (the “Start Date”).", [("Start Date", "1 May 2025")]),
        ("The Tenant's words mean nothing.", []),
    ],
)
def test_english_definitions(text: str, expected: list[tuple[str, str]]) -> None:
    assert definitions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（二）会员，是指经审核的法人；", [("会员", "经审核的法人")]),
        ("本法所称数据，是指信息的记录。", [("数据", "信息的记录")]),
        ("应当指定负责人。", []),
        ("东山置业有限公司（以下简称“东山”）承租房屋。", [("东山", "东山置业有限公司")]),
    ],
)
def test_chinese_definitions(text: str, expected: list[tuple[str, str]]) -> None:
    assert definitions(text, Language.ZH) == expected


HALEWOOD = (
    "(1) HALEWOOD QUAY ESTATES LIMITED, a company incorporated in England and Wales with company number 04418273, "
    "whose registered office is at 2 Halewood Quay, Northmere NM1 3QP (the “Landlord”); and"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HALEWOOD, [("Landlord", HALEWOOD[4:-22])]),
        (
            'This Agreement is between Acme Inc., a Delaware corporation whose office is at 4 High Row ("Acme"), and '
            'John A. Smith, an individual residing at 4 Mill Lane (the "Consultant").',
            [
                ("Acme", "Acme Inc., a Delaware corporation whose office is at 4 High Row"),
                ("Consultant", "John A. Smith, an individual residing at 4 Mill Lane"),
            ],
        ),
        (
            "MPL operates the assets of Ohio River Pipe Line LLC, a Delaware limited liability company (“ORPL”).",
            [("ORPL", "Ohio River Pipe Line LLC, a Delaware limited liability company")],
        ),
        (
            "No Annual Rent is payable for the period of three (3) months from and including 25 March 2025 (the "
            "“Rent-Free Period”).",
            [("Rent-Free Period", "the period of three (3) months from and including 25 March 2025")],
        ),
        (
            'They signed the loan agreement dated 1 May 2020 between Alpha and Beta (the "Loan Agreement").',
            [("Loan Agreement", "the loan agreement dated 1 May 2020 between Alpha and Beta")],
        ),
        (
            "It shall pay the difference between the Quarterly Volume for a Product and the volume of deliveries (the "
            '"Deficiency Volume").',
            [
                (
                    "Deficiency Volume",
                    "the difference between the Quarterly Volume for a Product and the volume of deliveries",
                )
            ],
        ),
        (
            'The Supplier sells the pumps of Acme Inc (the "Products").',
            [("Products", "The Supplier sells the pumps of Acme Inc")],
        ),
        (
            "This Agreement will automatically renew for up to two terms (each, an “Extension Period”).",
            [("Extension Period", "This Agreement will automatically renew for up to two terms")],
        ),
    ],
)
def test_a_bracket_names_the_thing_and_not_what_stands_nearest(text: str, expected: list[tuple[str, str]]) -> None:
    assert definitions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "甲方：东山置业有限公司，住所地：海州市中山路1号，法定代表人：王明（以下简称“甲方”）与李明商行（以下简称“乙方”）订立本合同。",
            [("甲方", "东山置业有限公司，住所地：海州市中山路1号，法定代表人：王明"), ("乙方", "李明商行")],
        ),
        (
            "本合同由东山置业有限公司（以下简称“甲方”）与李明商行（以下简称“乙方”）于2027年订立。",
            [("甲方", "东山置业有限公司"), ("乙方", "李明商行")],
        ),
        (
            "东山置业有限公司（统一社会信用代码：9131）（下称“公司”或“出租人”）承租房屋。",
            [("公司", "东山置业有限公司（统一社会信用代码：9131）")],
        ),
        ("为了规范数据交易场所（以下统称交易场所）的设立，制定本办法。", [("交易场所", "数据交易场所")]),
        ("根据《中华人民共和国民法典》（以下简称《民法典》）的规定。", [("民法典", "《中华人民共和国民法典》")]),
        ("乙方应当于每月五日前支付租金及物业费（以下合称“费用”）。", [("费用", "租金及物业费")]),
        ("国务院有关主管部门（以下称主管部门）负责监督。", [("主管部门", "国务院有关主管部门")]),
    ],
)
def test_a_chinese_bracket_names_the_thing_and_not_its_address(text: str, expected: list[tuple[str, str]]) -> None:
    assert definitions(text, Language.ZH) == expected


def test_a_definition_that_points_elsewhere_says_so() -> None:
    rows = collect(source("“AAA” has the meaning set forth in Section 12.3. The fund (the “Fund”) pays."))
    notes = {term.name: term.note for term in rows if term.kind is TermKind.DEFINITION}
    assert notes == {"AAA": BY_REFERENCE, "Fund": BRACKETED}


def test_defined_terms_are_short_and_name_their_sentence() -> None:
    made = source(f"“Fee” means {'a sum of money that is paid, ' * 20}or not. “Fee” has the meaning given in clause 9.")
    text, sentence = defined_terms(made)["Fee"]
    assert len(text) <= SHORT + 1
    assert text.removesuffix("…") in made.sentences[sentence].text
