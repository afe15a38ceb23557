"""Properties of all tables: words that stand in their sentences, rows once, JSON and Markdown that show them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from documents import ACT, LEASE, source
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.document import Detail, Digest, KeyTerm, Language, Source, TermKind
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import ReadOptions, read_pdf
from conspectus.render.json import render_json
from conspectus.render.markdown import render_markdown
from conspectus.terms.collect import Tables, collect, collect_all
from conspectus.text import fold

DATA = Path(__file__).resolve().parent.parent.parent / "data"
EN = (
    "The Tenant shall pay £1,200 within thirty (30) days of the notice",
    "(a) keep the yard clean; (b) mend the fence unless the Landlord agrees",
    "“Fee” means 4% of the price",
    "If it rains, any person may leave by 1 May 2026",
    "Section 4.2 of the Merger Agreement and clause 1.1 apply",
    "No operator shall enter, except in an emergency",
    "This Agreement is governed by the law of Ohio",
    "between Acme Inc. (the “Seller”) and Beta LLC, a Delaware company (the “Buyer”)",
    "SHALL NOT EXCEED 10 000 000 EUR",
    "ending on 03/04/2025 or on the date hereof (the “End Date”)",
    "who may, which shall, provided that: (i) one; and (ii) two",
)
ZH = (
    "甲方应当自收到之日起三十日内支付五万元",
    "情节严重的，由主管部门处十万元以上罚款",
    "会员，是指经审核的法人",
    "（一）不得转租；（二）可以续租，但是另有约定的除外",
    "违反本法第二条规定的，提前六个月通知",
    "本法自2027年3月1日起施行，原条例同时废止",
    "单个股东及其关联方持有的股权不得超过百分之三十",
)


def stands(made: Source, words: str, sentence: int) -> bool:
    return words.removesuffix("…") in made.sentences[sentence].text or fold(words) in made.sentences[sentence].text


def check(made: Source, tables: Tables) -> None:
    for term in tables.key_terms:
        assert stands(made, term.value, term.sentence), term
        if term.formula:
            assert stands(made, term.formula.trigger, term.sentence), term
    for duty in tables.duties:
        for cell in (
            duty.who if duty.who != "-" else "",
            duty.operator,
            duty.what,
            duty.when,
            duty.condition,
            duty.exception,
        ):
            assert stands(made, cell, duty.sentence), (cell, duty)
    for row in tables.references:
        assert stands(made, row.words, row.sentence), row


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(EN), min_size=1, max_size=8), st.sampled_from([". ", ".\n", "; ", ", and ", " "]))
def test_english_rows_stand_in_their_sentences(parts: list[str], joint: str) -> None:
    made = source("1. ONE\n" + joint.join(parts) + ".\n2. TWO\nNo more.\n3. THREE\nNone.", language=Language.EN)
    check(made, collect_all(made))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ZH), min_size=1, max_size=8), st.sampled_from(["。", "；", "，", "。\n"]))
def test_chinese_rows_stand_in_their_sentences(parts: list[str], joint: str) -> None:
    made = source("第一条　" + joint.join(parts) + "。\n第二条　略。\n第三条　略。", language=Language.ZH)
    check(made, collect_all(made))


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='shalmynot (a)“”";:,.£$1〇三十日年月第条应当不得元百分之，。；（）\n', max_size=200))
def test_any_text_has_tables(text: str) -> None:
    for language in Language:
        made = source(f"x{text}", language=language)
        check(made, collect_all(made))


@pytest.mark.parametrize("name", ["lease", "regulation", "act-zh"])
def test_rows_of_the_samples_stand_in_their_sentences(name: str) -> None:
    path = DATA / f"{name}.pdf"
    made = to_source(to_document(path, read_pdf(path, ReadOptions(second_opinion=False))))
    tables = collect_all(made)
    check(made, tables)
    assert len(set(tables.key_terms)) == len(tables.key_terms)
    assert len(set(tables.references)) == len(tables.references)


def test_the_same_row_counts_once_and_kinds_come_in_order() -> None:
    terms = collect(source(LEASE))
    order = [list(TermKind).index(term.kind) for term in terms]
    assert order == sorted(order)
    assert len(set(terms)) == len(terms)


def made_digest(made: Source) -> Digest:
    tables = collect_all(made)
    return Digest(
        made.document, made.clauses, (), (), (), (), Detail.NORMAL, "none", "0", "0",
        key_terms=tables.key_terms,
        evidence=tuple(made.sentences[term.sentence] for term in tables.key_terms),
        duties=tables.duties,
        references=tables.references,
        conflicts=tables.conflicts,
        cited=tables.cited(made),
    )  # fmt: skip


def test_the_tables_are_in_the_json() -> None:
    text = LEASE + "4. END\n4.1 Clause 9.9 applies and the fee is ten (11) pounds.\n"
    shown = json.loads(render_json(made_digest(source(text))))
    (rent,) = [row for row in shown["duties"] if "yearly rent" in row["what"]]
    assert (rent["who"], rent["modality"], rent["clause"], rent["pages"]) == ("The Tenant", "must", "2.1", [0])
    (broken,) = [row for row in shown["references"] if row["state"] == "broken"]
    assert (broken["target"], broken["clause"]) == ("clause 9.9", "4.1")
    (conflict,) = shown["conflicts"]
    assert (conflict["a"]["text"], conflict["b"]["text"]) == ("ten", "11")
    start = next(row for row in shown["key_terms"] if row["kind"] == "date" and row["value"] == "1 March 2027")
    assert start["computed"] == "2027-03-01"
    notice = next(row for row in shown["key_terms"] if row["role"] == "notice" and row["formula"])
    assert notice["formula"]["text"] == "at least 6 months of notice"


def test_the_tables_are_in_the_markdown() -> None:
    text = LEASE + "4. END\n4.1 Clause 9.9 applies and the fee is ten (11) pounds.\n"
    shown = render_markdown(made_digest(source(text))).decode()
    assert "| The Tenant | must not | store petrol at the Property |" in shown
    assert "Clause 9.9" in shown.split("lead nowhere")[1]
    assert "ten" in shown.split("do not agree")[1]
    assert "| 数据" not in shown
    chinese = render_markdown(made_digest(source(ACT))).decode()
    assert "| 任何单位 | 不得 | 伪造交易记录 |" in chinese


def test_a_digest_without_tables_shows_none() -> None:
    digest = replace(made_digest(source("One. Two. Three.")), key_terms=(), evidence=())
    shown = render_markdown(digest).decode()
    assert "Duties" not in shown
    assert json.loads(render_json(digest))["duties"] == []


def test_a_row_names_a_sentence_that_the_digest_has() -> None:
    digest = made_digest(source(LEASE))
    assert digest.cited_sentence(digest.duties[0].sentence).index == digest.duties[0].sentence
    with pytest.raises(KeyError):
        digest.cited_sentence(10_000)


def test_key_terms_are_plain_data() -> None:
    assert KeyTerm(TermKind.DATE, "a", "b", 0) == KeyTerm(TermKind.DATE, "a", "b", 0)
