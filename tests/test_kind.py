import pytest
from documents import ACT, LEASE, document

from conspectus.digesting.aspects import find_leads
from conspectus.digesting.kind import DocumentKind, kind_of
from conspectus.digesting.materiality import is_form, materiality
from conspectus.document import Language, TermKind
from conspectus.evidence.source import to_source
from conspectus.terms.collect import collect

RULES = (
    "DELIVERY ROBOTS REGULATIONS 2026\n1. These Regulations come into force on 1 July 2026.\n2. An operator must pay."
)
ZH_LEASE = "房屋租赁合同\n出租人：张三\n承租人：李四\n第一条 租赁期限为三年。\n第二条 双方同意本合同一式两份。"
MINUTES = "MINUTES OF THE MEETING\nThe board met on 3 May 2027. The members discussed the weather and the garden."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LEASE, DocumentKind.CONTRACT),
        (ACT, DocumentKind.STATUTE),
        (RULES, DocumentKind.STATUTE),
        (ZH_LEASE, DocumentKind.CONTRACT),
        (MINUTES, DocumentKind.OTHER),
        ("会议纪要\n董事会讨论了天气和花园。", DocumentKind.OTHER),
    ],
)
def test_kind(text: str, kind: DocumentKind) -> None:
    assert kind_of(document(text)) is kind


def test_leads_of_a_contract_stand_in_the_order_of_a_brief() -> None:
    made = to_source(document(LEASE + "4. LAW\n4.1 This Lease is governed by the laws of England.\n"))
    leads = {lead.aspect: lead for lead in find_leads(made, DocumentKind.CONTRACT, collect(made))}
    assert list(leads)[:4] == ["parties", "subject", "term", "price"]

    def best(aspect: str) -> str:
        return made.sentences[leads[aspect].sentences[0]].text

    assert "Northgate Estates Limited" in best("parties")
    assert best("term").startswith("The term is ten (10) years")
    assert "£48,000" in best("price")
    assert "may end this Lease" in best("termination")
    assert "must not store petrol" in best("restrictions") or "shall not withhold" in best("restrictions")
    assert "laws of England" in best("law")


def test_leads_of_a_chinese_act() -> None:
    made = to_source(document(ACT))
    leads = {lead.aspect: lead for lead in find_leads(made, DocumentKind.STATUTE, collect(made))}
    best = {name: made.sentences[lead.sentences[0]].text for name, lead in leads.items() if lead.sentences}
    assert "制定本条例" in best["scope"]
    assert "三十日内备案" in best["duties"]
    assert "不得伪造" in best["prohibitions"]
    assert "罚款" in best["sanctions"]
    assert "起施行" in best["commencement"]


def test_key_terms_point_at_their_sentences() -> None:
    made = to_source(document(LEASE))
    terms = collect(made)
    party = next(term.sentence for term in terms if term.kind is TermKind.PARTY)
    leads = find_leads(made, DocumentKind.CONTRACT, terms)
    assert party in leads[0].sentences


@pytest.mark.parametrize(
    "line",
    ["By: ______________", "Name: John Smith, who shall sign",
     "IN WITNESS WHEREOF the parties have signed on 1 May 2027",
     "Attention: General Counsel, 30 days", "Definitions and terms . . . . . . . . . 12", "[Signature page follows]",
     "500 Main Street, Springfield, IL 62701", "/s/ J. Smith, may"],
)  # fmt: skip
def test_lines_of_a_form_weigh_nothing(line: str) -> None:
    assert is_form(line, Language.EN) and materiality(line, Language.EN) == 0


@pytest.mark.parametrize(
    "line", ["签字：______ 日期：2027年3月1日", "地址：上海市应当路1号", "甲方（盖章）：", "第一章 总则…………………3"]
)
def test_chinese_lines_of_a_form_weigh_nothing(line: str) -> None:
    assert is_form(line, Language.ZH) and materiality(line, Language.ZH) == 0


@pytest.mark.parametrize(
    "line",
    ["The fee rises from 10000 to 12000 and shall be paid.", "The Tenant shall sign the lease by 1 May 2027.",
     "The Tenant must give its name and address to the Landlord."],
)  # fmt: skip
def test_duties_about_signing_are_no_form(line: str) -> None:
    assert materiality(line, Language.EN) > 2


@pytest.mark.parametrize(
    ("text", "language"),
    [("These Rules apply to ferries.", Language.EN), ("在本市销售食品的，适用本办法。", Language.ZH)],
)
def test_scope_is_material(text: str, language: Language) -> None:
    assert materiality(text, language) >= 2
