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


def test_a_definition_that_points_elsewhere_says_so() -> None:
    rows = collect(source("“AAA” has the meaning set forth in Section 12.3. The fund (the “Fund”) pays."))
    notes = {term.name: term.note for term in rows if term.kind is TermKind.DEFINITION}
    assert notes == {"AAA": BY_REFERENCE, "Fund": BRACKETED}


def test_defined_terms_are_short_and_name_their_sentence() -> None:
    made = source(f"“Fee” means {'a sum of money that is paid, ' * 20}or not. “Fee” has the meaning given in clause 9.")
    text, sentence = defined_terms(made)["Fee"]
    assert len(text) <= SHORT + 1
    assert text.removesuffix("…") in made.sentences[sentence].text
