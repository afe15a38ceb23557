import pytest
from documents import source

from conspectus.document import Language
from conspectus.terms.collect import collect_all
from conspectus.terms.types import Duty

PREAMBLE = 'This Agreement is between Acme Inc. (the "Landlord") and Beta Inc. (the "Tenant").\n'


def duties(text: str, language: Language | None = None) -> list[Duty]:
    preamble = "" if language is Language.ZH else PREAMBLE
    return list(collect_all(source(preamble + text, language=language)).duties)


def core(text: str, language: Language | None = None) -> list[tuple[str, str, str]]:
    return [(row.who, row.modality.value, row.what) for row in duties(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Tenant shall pay the rent.", [("The Tenant", "must", "pay the rent")]),
        ("The Tenant must not store petrol.", [("The Tenant", "must not", "store petrol")]),
        ("The Tenant may not assign the lease.", [("The Tenant", "must not", "assign the lease")]),
        ("The Landlord may enter the Property.", [("The Landlord", "may", "enter the Property")]),
        ("The Landlord is entitled to enter the Property.", [("The Landlord", "may", "enter the Property")]),
        ("The Tenant is not required to rebuild the wall.", [("The Tenant", "need not", "rebuild the wall")]),
        ("The Tenant need not paint the house.", [("The Tenant", "need not", "paint the house")]),
        ("The Tenant agrees to insure its goods.", [("The Tenant", "must", "insure its goods")]),
        ("The Landlord will repair the roof.", [("The Landlord", "must", "repair the roof")]),
        ("Neither party may assign this Lease.", [("Neither party", "must not", "assign this Lease")]),
        ("No person shall enter the site.", [("No person", "must not", "enter the site")]),
        ("Any person may appeal to the court.", [("Any person", "may", "appeal to the court")]),
        (
            "The Tenant shall pay the rent and shall not withhold any of it.",
            [("The Tenant", "must", "pay the rent"), ("The Tenant", "must not", "withhold any of it")],
        ),
        (
            "The Tenant shall pay the rent, and the Landlord shall repair the roof.",
            [("The Tenant", "must", "pay the rent"), ("the Landlord", "must", "repair the roof")],
        ),
        ("The rent shall be paid by the Tenant.", [("the Tenant", "must", "The rent shall be paid by the Tenant")]),
        ("A notice must be in writing.", [("-", "must", "A notice must be in writing")]),
        ("In each year the Tenant shall clean the yard.", [("the Tenant", "must", "clean the yard")]),
        ("At the end of the Term the Tenant shall return the keys.", [("the Tenant", "must", "return the keys")]),
        (
            "The total liability of the Landlord shall not exceed £5.",
            [("-", "must not", "The total liability of the Landlord shall not exceed £5")],
        ),
        (
            "The Landlord grants to the Tenant a right to park two cars.",
            [("the Tenant", "may", "a right to park two cars")],
        ),
        ("This Lease shall be governed by the law of England.", []),
        ("The term Fee shall mean the fee.", []),
        ("The work began in May 2025.", []),
        ("The Tenant paid of its own free will on Monday.", []),
    ],
)
def test_who_must_what(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert core(text) == expected


@pytest.mark.parametrize(
    ("text", "when", "condition", "exception"),
    [
        ("The Tenant shall pay within ten (10) days of the notice.", "within ten (10) days of the notice", "", ""),
        ("The Tenant shall pay on or before 25 March 2025.", "on or before 25 March 2025", "", ""),
        ("The Tenant shall tell the Landlord promptly.", "promptly", "", ""),
        ("If the roof leaks, the Landlord shall repair it.", "", "If the roof leaks", ""),
        ("The Landlord may enter if it gives notice.", "", "if it gives notice", ""),
        ("The Tenant shall not withhold rent unless the law requires it.", "", "", "unless the law requires it"),
        ("Unless the parties agree, the Tenant shall leave.", "", "", "Unless the parties agree"),
        (
            "The Tenant may share the house, provided that no tenancy is created.",
            "",
            "provided that no tenancy is created",
            "",
        ),
        ("An operator whose fleet is small may send one return.", "", "whose fleet is small", ""),
        (
            "Within four (4) months after each year the Landlord shall send a statement.",
            "Within four (4) months after each year the Landlord".removesuffix(" the Landlord"),
            "",
            "",
        ),
    ],
)
def test_when_on_what_condition_with_what_exception(text: str, when: str, condition: str, exception: str) -> None:
    (row,) = duties(text)
    assert (row.when, row.condition, row.exception) == (when, condition, exception)


def test_a_limb_takes_its_operator_from_the_lead() -> None:
    limbs = "; ".join(
        f"({mark}) {words}"
        for mark, words in zip(
            "abcd",
            (
                "keep the yard clean and free of all refuse at its own cost",
                "mend every fence that stands along the road to the mill",
                "feed the hens each morning before the market opens in town",
                "lock the gate at night and hand the key to the porter there",
            ),
            strict=True,
        )
    )
    rows = duties(f"The Tenant shall at its own expense and to the satisfaction of the surveyor: {limbs}.")
    assert {row.who for row in rows} == {"The Tenant"}
    assert len(rows) == 4
    assert "mend every fence" in rows[1].what


def test_a_relative_clause_is_part_of_what_is_owed() -> None:
    assert core("The Authority must keep a register of licences that anyone may inspect.") == [
        ("The Authority", "must", "keep a register of licences that anyone may inspect")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("甲方应当按月支付租金。", [("甲方", "must", "按月支付租金")]),
        ("承租人不得转租房屋。", [("承租人", "must not", "转租房屋")]),
        ("买方可以要求退款。", [("买方", "may", "要求退款")]),
        ("任何单位和个人有权举报。", [("任何单位和个人", "may", "举报")]),
        ("用人单位应当支付劳动报酬。", [("用人单位", "must", "支付劳动报酬")]),
        ("国务院数据管理部门应当建立平台。", [("国务院数据管理部门", "must", "建立平台")]),
        ("租金应当由承租人支付。", [("承租人", "must", "由承租人支付")]),
        ("单个股东及其关联方持有的股权不得超过百分之三十。", [("单个股东及其关联方", "must not", "超过百分之三十")]),
        ("国家秘密不得在场内交易。", [("-", "must not", "国家秘密不得在场内交易")]),
        ("数据产品应当登记后方可交易。", [("-", "must", "数据产品应当登记后方可交易")]),
        ("情节严重的，处五万元罚款。", []),
        ("会员，是指可以从事交易的法人。", []),
    ],
)
def test_chinese_duties(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert core(text, Language.ZH) == expected


@pytest.mark.parametrize(
    ("text", "when", "condition", "exception"),
    [
        ("甲方应当自收到通知之日起十日内答复。", "自收到通知之日起十日内", "", ""),
        ("情况复杂的，甲方可以延长三十日。", "", "情况复杂的", ""),
        ("甲方应当答复，但是匿名的除外。", "", "", "但是匿名的除外"),
        ("数据交易场所终止业务，应当提前九十日公告。", "提前九十日", "", ""),
    ],
)
def test_chinese_when_condition_exception(text: str, when: str, condition: str, exception: str) -> None:
    (row,) = duties(text, Language.ZH)
    assert (row.when, row.condition, row.exception) == (when, condition, exception)


def test_who_is_punished_is_not_who_punishes() -> None:
    (row,) = duties("数据交易场所未按照规定报告的，给予警告，可以并处二十万元罚款。", Language.ZH)
    assert row.who == "-"
    assert row.condition == "数据交易场所未按照规定报告的"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A negation that is none, who is done something to, who is named in a clause about a thing.
        (
            "No later than three (3) months after the sale, the Tenant shall update the plan.",
            [("the Tenant", "must", "update the plan")],
        ),
        (
            "The Tenant shall be compensated for the work.",
            [("-", "must", "The Tenant shall be compensated for the work")],
        ),
        (
            "The Tenant shall be paid by the Landlord.",
            [("the Landlord", "must", "The Tenant shall be paid by the Landlord")],
        ),
        ("The Tenant shall not be liable for rust.", [("The Tenant", "need not", "be liable for rust")]),
        ("The Tenant shall be required to paint.", [("The Tenant", "must", "be required to paint")]),
        ("Subject to fire and flood, the Tenant shall mend the wall.", [("the Tenant", "must", "mend the wall")]),
        (
            "Work done by the Tenant shall be at its own cost.",
            [("-", "must", "Work done by the Tenant shall be at its own cost")],
        ),
        (
            "The Tenant shall not, and shall cause its guests not to, light fires.",
            [("The Tenant", "must", "cause its guests not to, light fires")],
        ),
        (
            "The Tenant shall ensure that all goods and the use of them shall comply with the law.",
            [("The Tenant", "must", "ensure that all goods and the use of them shall comply with the law")],
        ),
    ],
)
def test_who_owes_and_who_does_not(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert core(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("外国公司应当指定负责该机构的代表人。", [("外国公司", "must", "指定负责该机构的代表人")]),
        ("证据应当在法庭上出示，并由当事人互相质证。", [("-", "must", "证据应当在法庭上出示，并由当事人互相质证")]),
        ("滥用法人地位，损害债权人利益的，应当承担责任。", [("-", "must", "承担责任")]),
    ],
)
def test_chinese_who_owes_and_who_does_not(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert core(text, Language.ZH) == expected


def test_what_leads_up_to_a_chinese_condition_is_part_of_it() -> None:
    (row,) = duties("承租人未经出租人同意，将租赁物转让的，出租人可以解除合同。", Language.ZH)
    assert (row.who, row.condition) == ("出租人", "承租人未经出租人同意，将租赁物转让的")


def test_a_short_list_is_one_duty() -> None:
    text = "A robot must not exceed: (a) 6 km/h on a footway; (b) 4 km/h near a school; or (c) 10 km/h on a road."
    (row,) = duties(text)
    assert row.what.endswith("(c) 10 km/h on a road")
    (row,) = duties("甲方应当：（一）付租；（二）守约。", Language.ZH)
    assert row.what == "付租；（二）守约"
