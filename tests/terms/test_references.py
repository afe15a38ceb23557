import pytest
from documents import source

from conspectus.document import Language
from conspectus.terms.references import find_references

CONTRACT = """LEASE
1. TERM
1.1 The term is ten years.
1.2 It ends as {0}.
2. RENT
2.1 The rent is due.
3. USE
3.1 The use is free.
4. LAW
4.1 The law is good.
SCHEDULE 1
The services.
"""
ACT = """数据交易管理条例
第一条　为了规范数据交易，制定本条例。
第二条　交易场所应当备案。
第三条　{0}
第四条　本条例自2027年3月1日起施行。
"""


def states(text: str, within: str, language: Language | None = None) -> list[tuple[str, str]]:
    made = source(text.replace("{0}", within), language=language)
    return [(row.target, row.state.value) for row in find_references(made)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("clause 2.1 says", [("clause 2.1", "resolved")]),
        ("clauses 2.1 and 3.1 say", [("clause 2.1", "resolved"), ("clause 3.1", "resolved")]),
        ("clause 3.1(b) says", [("clause 3.1(b)", "resolved")]),
        ("clause 3.4 says", [("clause 3.4", "broken")]),
        ("Section 7 says", [("section 7", "broken")]),
        ("Schedule 1 says", [("schedule 1", "resolved")]),
        ("Schedule 2 says", [("schedule 2", "broken")]),
        ("Exhibit C-1 says", [("exhibit C-1", "broken")]),
        ("section 4 of the Public Ways Act 2019 says", [("section 4", "external")]),
        ("Section 2.2 of the Purchase Agreement says", [("section 2.2", "external")]),
        ("Section 3.1 of this Lease says", [("section 3.1", "resolved")]),
        ("Section 15 of the 1933 Act says", [("section 15", "external")]),
        ("Article 5 of Regulation (EU) 2016/679 says", [("article 5", "external")]),
        ("Article 16(1) TFEU says", [("article 16(1)", "external")]),
        ("17 U.S.C. § 106 says", [("section 106", "external")]),
        ("Rule 12b-1 under the Act says", [("rule 12", "external")]),
        (
            "SECTIONS 5-1401 AND 5-1402 OF THE GENERAL OBLIGATIONS LAW SAY",
            [("section 5-1401", "external"), ("section 5-1402", "external")],
        ),
        ("the parties agree in part", []),
        ("this clause says", []),
    ],
)
def test_english_references(said: str, expected: list[tuple[str, str]]) -> None:
    assert states(CONTRACT, said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("违反本条例第二条规定的，责令改正。", [("第二条", "resolved")]),
        ("违反第二条第一款、第四条的，责令改正。", [("第二条第一款", "resolved"), ("第四条", "resolved")]),
        ("违反本条例第九条规定的，责令改正。", [("第九条", "broken")]),
        ("依照《中华人民共和国民法典》第五百条处理。", [("第五百条", "external")]),
        ("依照刑法第二百条追究责任。", [("第二百条", "external")]),
        ("有前款情形的，责令改正。", []),
    ],
)
def test_chinese_references(said: str, expected: list[tuple[str, str]]) -> None:
    assert states(ACT, said, Language.ZH) == expected


def test_a_resolved_reference_names_its_clause() -> None:
    made = source(CONTRACT.replace("{0}", "clause 2.1 says"))
    (row,) = find_references(made)
    assert next(clause.number for clause in made.clauses if clause.id == row.clause_id) == "2.1"


def test_a_reference_counts_once_in_a_clause() -> None:
    assert len(states(CONTRACT, "clause 2.1 says and clause 2.1 says")) == 1
