from documents import ACT, LEASE, document
from hypothesis import given
from hypothesis import strategies as st

from conspectus.document import ClauseKind, Language
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.sentences import find_sentences


def numbers(*pages: str) -> list[str]:
    return [clause.number for clause in find_clauses(document(*pages)) if clause.number]


def test_lease_clauses() -> None:
    assert numbers(LEASE) == ["1", "1.1", "1.2", "2", "2.1", "2.2", "2.3", "3", "3.1", "3.2", "3.3"]
    clause = next(c for c in find_clauses(document(LEASE)) if c.number == "2.2")
    assert clause.path == ("2 RENT",)


def test_act_clauses() -> None:
    clauses = find_clauses(document(ACT))
    assert [c.number for c in clauses if c.kind is ClauseKind.ARTICLE] == [f"第{n}条" for n in "一二三四五"]
    assert clauses[-1].path == ("第二章 罚则",)


def test_cross_reference_at_the_start_of_a_line_is_body() -> None:
    text = (
        "Section 1 Scope\nThis applies.\nSection 2 Duties\nA person under\nSection 9 Fees shall be paid. See\n"
        "Section 3 Fees\nNone.\n"
    )
    assert numbers(text) == ["Section 1", "Section 2", "Section 3"]


def test_chinese_reference_is_body() -> None:
    text = "第一条　范围。\n第二条　依照\n第九条规定办理的，从其规定。\n第三条　施行。\n"
    assert numbers(text) == ["第一条", "第二条", "第三条"]


def test_article_inserted_by_amendment() -> None:
    text = "第一条　甲。\n第二条　乙。\n第二条之一　丙。\n第三条　丁。\n"
    assert numbers(text) == ["第一条", "第二条", "第二条之一", "第三条"]


def test_table_of_contents_is_not_read_as_clauses() -> None:
    toc = "目录\n第一章 总则\n第二章 罚则\n第三章 附则\n"
    body = "第一章 总则\n第一条　甲为乙。\n第二章 罚则\n第二条　处罚如下。\n第三章 附则\n第三条　自公布之日起施行。\n"
    clauses = find_clauses(document(toc + body))
    assert [c.number for c in clauses if c.number] == ["第一章", "第一条", "第二章", "第二条", "第三章", "第三条"]
    assert clauses[1].start >= len(toc)


def test_articles_count_and_their_paragraphs_do_not() -> None:
    text = "".join(f"Article {n}\nTitle\n1. One thing.\n2. Another thing.\n" for n in range(1, 5))
    assert numbers(text) == [f"Article {n}" for n in range(1, 5)]


def test_a_gap_does_not_end_the_numbering() -> None:
    text = "".join(f"Section {n} Heading\nBody text.\n" for n in (1, 2, 3, 6, 7, 8))
    assert numbers(text) == [f"Section {n}" for n in (1, 2, 3, 6, 7, 8)]


def test_a_clause_of_one_line_is_a_sentence_not_a_heading() -> None:
    text = "1. RENT\n1.1 The rent is £5.\n1.2 Late Payment. Interest is due.\n1.3 The Tenant shall pay it at once.\n"
    made = document(text)
    clauses = find_clauses(made)
    assert [c.heading for c in clauses] == ["RENT", "", "Late Payment", ""]
    assert [s.text for s in find_sentences(made, clauses)] == [
        "The rent is £5.",
        "Interest is due.",
        "The Tenant shall pay it at once.",
    ]


def test_no_numbering_gives_paragraphs() -> None:
    text = "\n\n".join(["word " * 60] * 4)
    clauses = find_clauses(document(text))
    assert {c.kind for c in clauses} == {ClauseKind.PARAGRAPH}
    assert len(clauses) > 1


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["1. RENT", "2.1 The Tenant shall pay.", "Section 4 Fees", "ARTICLE II", "第三条　应当备案。",
             "（一）项目；", "SCHEDULE 1", "(a) one;", "", "1 120,000 10,000", "2 130,000 11,000"]
        ),
        st.text(st.characters(blacklist_categories=["Cs"]), max_size=60),
    ),
    min_size=1, max_size=30,
)  # fmt: skip


@given(LINES, st.sampled_from(Language), st.sampled_from(["\n", "\r\n", "\f"]))
def test_offsets(lines: list[str], language: Language, ending: str) -> None:
    made = document(ending.join(lines), language=language)
    clauses = find_clauses(made)
    assert "".join(made.text[c.start : c.end] for c in clauses) == made.text
    assert len({c.id for c in clauses}) == len(clauses)
    sentences = find_sentences(made, clauses)
    end = 0
    for sentence in sentences:
        assert end <= sentence.own.start < sentence.own.end
        end = sentence.own.end
        clause = clauses[sentence.clause]
        assert clause.start <= sentence.own.start and sentence.own.end <= clause.end
