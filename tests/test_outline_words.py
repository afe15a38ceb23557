"""Properties of clauses and sentences over random text: no gaps, and no words that no sentence says."""

from documents import ACT, LEASE, document, source
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vanished import vanished

from conspectus.document import Language
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.sentences import find_sentences

LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["1. RENT", "2.1 The Tenant shall pay.", "Section 4 Fees", "ARTICLE II", "ARTICLE ONE", "第三条　应备案。",
             "（一）项目；", "SCHEDULE 1", "(a) one;", "", "1 120,000 10,000", "2 130,000 11,000", "1.", "1.1.",
             "§ 104a · Restored works:", "WHEREAS, the parties wish;", "NOW, THEREFORE", "(A) The Landlord owns it.",
             "一、合同标的", "附件一", "第十条之二 甲。第十一条 乙。", "TABLE OF CONTENTS", "1. Rent ........ 4",
             "# Titel", "## 第一章 总则", "e\u0301tude 𠀀𠀁 ﬁ́n", "    3)\tthree", "I. One", "IV. Four", "PART 6",
             "PENALTIES AND APPEALS", "BACKGROUND", "§§ 5 Two", "Sec. 7. Seven", "Hyphen-", "ated words\u00ad go on."]
        ),
        st.text(st.characters(blacklist_categories=["Cs"]), max_size=60),
        st.text("（）()abci一二三第条章.。；;:： \u3000\u00a0-\t0123456789", max_size=24),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@example(LEASE.split("\n"), Language.EN, "\n")
@example(ACT.split("\n"), Language.ZH, "\n")
@given(LINES, st.sampled_from(Language), st.sampled_from(["\n", "\r\n", "\f", "\n\n", "\u2028"]))
def test_no_gap_and_no_word_vanishes(lines: list[str], language: Language, ending: str) -> None:
    made = source(ending.join(lines), language=language)
    text = made.document.text
    assert "".join(text[clause.start : clause.end] for clause in made.clauses) == text
    assert all(clause.start < clause.end for clause in made.clauses) or not text
    assert len({clause.id for clause in made.clauses}) == len(made.clauses)
    end = 0
    for sentence in made.sentences:
        clause = made.clauses[sentence.clause]
        assert max(end, clause.start) <= sentence.own.start < sentence.own.end <= clause.end
        end = sentence.own.end
    assert list(vanished(made)) == []


LIST = (
    "(a) store petrol of any kind on it;\n(b) play music after eleven at night; or\n(c) keep cats, provided that dogs "
)
LONG = "The Tenant shall not at any time during the Term do on the Property or the Estate any of these things: "


@settings(deadline=None)
@given(st.integers(1, 30), st.booleans())
def test_lead_and_proviso_of_a_list_belong_to_a_limb(times: int, proviso: bool) -> None:
    tail = "may be kept with written notice. " if proviso else "may not. "
    made = source("1. USE\n" + (LONG * times + LIST + tail) + "\n2. FEES\nNone.\n3. END\nNone.\n")
    assert list(vanished(made)) == []


def test_clauses_of_one_form_feed_document() -> None:
    made = document("1. RENT\f2. USE\f3. END\fIt ends.")
    assert [clause.number for clause in find_clauses(made)] == ["1", "2", "3"]
    assert find_sentences(made, find_clauses(made))[-1].text == "It ends."
