"""Whatever the text, the units of a clause partition it, and what is shown is what stands there."""

from documents import document
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.document import Clause, ClauseKind, Language
from conspectus.evidence.sentence_blocks import parts
from conspectus.evidence.sentences import find_sentences
from conspectus.text import fold

EN = [
    "The Tenant shall pay",
    "the rent of $1,000.50",
    "under Sec. 3.2(a)",
    "17 U.S.C. 106",
    "et seq.",
    "Acme Inc.",
    "ACME, INC. HAS",
    "Mr. J. Smith",
    "No. 5",
    "P. O. Box 1288",
    "If to Shipper:",
    "Attn: Manager",
    "Fayetteville, AR 72702-1288",
    "By: /s/ [ILLEGIBLE]",
    "Name: ______",
    "-------- ------",
    "1 £120,000 £10,000",
    "Year   Rent   Charge",
    "AWP   13,370   07/31/2003",
    "BACKGROUND",
    "WHEREAS, both agree; and",
    "(a) one;",
    "(b) two; and",
    "(i)",
    "• late fees;",
    "provided that it may",
    "except:",
    "Transporter's",
    "“Code” means",
    "Pub. L. No. 94-553, 90 Stat. 2541.",
    "1.",
    "7. Where",
    "it is so.",
    "Is it?",
    "\u037e",
    "non-",
    "\u00ad",
    "\u00a0",
    ". . . .",
    "word " * 60,
]
ZH = [
    "承租人应当支付租金",
    "。",
    "；",
    "：",
    "（一）",
    "（二）",
    "第（二）项",
    "“已付款。”",
    "「甲方」",
    "（不含税。）",
    "①",
    "1、",
    "甲方（盖章）：",
    "地址：北京市",
    "法定代表人：",
    "____",
    "年 月 日",
    "甲 10,000 5%",
    "是否有效？",
    "Acme Ltd. shall pay.",
    "2027年3月1日",
    "逾期的，处罚款，" * 9,
]
# White space, a ruled line, and the stops after a number or a heading.
PASSED_OVER = " \t\r\n\u00a0.:)、．—–-="
GAPS = [" ", "\n", "\n\n", "\n \n", "  \n   ", "\t", "     ", ""]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Language]:
    language = draw(st.sampled_from(list(Language)))
    own, other = (EN, ZH) if language is Language.EN else (ZH, EN)
    pieces = draw(st.lists(st.tuples(st.sampled_from(own * 4 + other), st.sampled_from(GAPS)), max_size=40))
    return "".join(piece + gap for piece, gap in pieces), language


def bare(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(0, 40))
def test_units_partition_a_clause_and_quote_it(made: tuple[str, Language], cut: int) -> None:
    text, language = made
    middle = min(cut, len(text))
    whole = document(text, language=language)
    clauses = [
        Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, middle),
        Clause("c2", ClauseKind.PARAGRAPH, "", "", (), middle, len(text)),
    ]
    sentences = find_sentences(whole, clauses)
    end = 0
    for position, sentence in enumerate(sentences):
        own, clause = sentence.own, clauses[sentence.clause]
        assert sentence.index == position
        assert max(end, clause.start) <= own.start < own.end <= clause.end, "in order, no overlap, inside the clause"
        assert text[own.start : own.end] == text[own.start : own.end].strip()
        assert not text[end : own.start].strip(PASSED_OVER), "nothing lost"
        assert fold(text[own.start : own.end]) in sentence.text, "what is shown is what stands there"
        for span in sentence.context:
            assert span.end <= own.start or span.start >= own.end
            assert clause.start <= span.start < span.end <= clause.end
            assert fold(text[span.start : span.end]) in sentence.text
        shown = bare("".join(fold(text[span.start : span.end]) for span in sentence.spans))
        assert bare(sentence.text.replace("[…]", "")) == shown.replace("[…]", "")
        end = own.end
    assert not text[end:].strip(PASSED_OVER)


@settings(max_examples=300, deadline=None)
@given(texts())
def test_parts_are_the_text(made: tuple[str, Language]) -> None:
    text, language = made
    end = 0
    for part in parts(text, 0, len(text), language):
        assert end <= part.start < part.end <= len(text)
        assert not text[end : part.start].strip(" \t\n\u00a0-=")
        assert part.header is None or part.header.end <= part.start
        end = part.end
    assert not text[end:].strip(" \t\n\u00a0-=")
