"""Sections and overviews: what they are about, that every line is checked, that the levels end."""

from collections.abc import Sequence

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, answer, shortened
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline import ask, digest

from conspectus.check.check import check
from conspectus.digesting.aspects import Leads
from conspectus.digesting.assemble import overview_quote
from conspectus.digesting.reduce import (
    A_PAGE,
    DOCUMENT_LEAST,
    DOCUMENT_MOST,
    SECTION_LINES,
    SECTION_MIN,
    plan_reduce,
    read_reduce,
)
from conspectus.document import Clause, ClauseKind, Digest, Language, Sentence, Source, Span, Statement, Verdict
from conspectus.evidence.source import to_source
from conspectus.llama import Completion, Request
from conspectus.render.json import as_dict, render_json
from conspectus.render.markdown import render_markdown

LAW = "4. LAW\n4.1 This Lease is governed by the laws of England.\n"
DUTIES = "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall repair the {thing} and pay £{n}00 for it within {n} days of demand.\n"
    f"{n}.2 The Landlord must not touch the {thing} before {n} a.m. unless the Tenant agrees in writing.\n"
    for n, thing in enumerate("roof door wall gate fence lamp floor stair drain path lift bell sign yard".split(), 5)
)
LONG = LEASE + LAW + DUTIES


def one_part(text: str) -> str:
    """The same clauses under one heading."""
    return "LEASE\nPART ONE\n" + text.replace("LEASE\n", "", 1)


def words_lost(request: Request) -> Completion:
    return answer(
        request, [line.replace("not ", "").replace("1 March", "2 March") for line in shortened(request).lines]
    )


def check_overview(made: Source, result: Digest) -> None:
    for sentence in (*result.overview, *(line for section in result.sections for line in section.overview)):
        assert sentence.cites
        if sentence.verdict is Verdict.VERIFIED and len(sentence.cites) == 1:
            statement = result.statements[sentence.cites[0]]
            if sentence.text != statement.text:
                assert check(sentence.text, statement.quote, made.language) == ()
        if sentence.verdict is Verdict.VERBATIM:
            assert sentence.text.rstrip(".") in overview_quote(result, sentence)


def test_an_overview_says_first_who_what_how_long_and_how_much() -> None:
    made = source(LONG)
    result = digest(made, FakeModel(rule=shortened))
    said = [overview_quote(result, sentence) for sentence in result.overview]
    assert DOCUMENT_LEAST <= len(said) <= DOCUMENT_MOST
    assert "Northgate Estates Limited" in said[0]
    term = next(i for i, text in enumerate(said) if "ten (10) years" in text)
    price = next(i for i, text in enumerate(said) if "£48,000" in text)
    end = next(i for i, text in enumerate(said) if "may end this Lease" in text)
    law = next(i for i, text in enumerate(said) if "laws of England" in text)
    assert term < price < end < law
    check_overview(made, result)


def test_no_two_sentences_of_an_overview_are_about_one_thing() -> None:
    same = "".join(
        f"{n}. X\n{n}.1 The Tenant shall pay the Landlord a fee of £{n}0 every month.\n" for n in range(5, 40)
    )
    result = digest(source(LEASE + LAW + same), FakeModel(rule=shortened))
    fees = [s for s in result.overview if "a fee of" in overview_quote(result, s)]
    assert len(fees) == 1
    cites = [place for sentence in result.overview for place in sentence.cites]
    assert len(cites) == len(set(cites))


def test_a_chinese_overview_begins_with_the_purpose_and_ends_with_the_commencement() -> None:
    result = digest(source(ACT), FakeModel(rule=shortened))
    assert "制定本条例" in result.overview[0].text
    assert "起施行" in result.overview[-1].text


def test_false_lines_are_replaced_and_stay_visible_in_the_levels() -> None:
    made = source(LONG)
    lease = digest(made, FakeModel(rule=shortened))
    calls = iter(range(10_000))

    def lies_about_overviews(request: Request) -> Completion:
        next(calls)
        return words_lost(request) if "the overview of" in request.messages[0].content else shortened(request)

    result = digest(made, FakeModel(rule=lies_about_overviews))
    assert [s.cites[0] for s in result.overview] == [s.cites[0] for s in lease.overview]
    check_overview(made, result)
    told = [line for level in result.levels for call in level.calls for line in call.sentences]
    refused = [line for line in told if line.verdict is Verdict.UNVERIFIED]
    assert refused and all(line.reasons for line in refused)
    assert not any("2 March" in line.text for line in result.overview)
    shown = as_dict(result)["levels"]
    assert [level["name"] for level in shown] == [level.name for level in result.levels]
    for level in shown:
        for call in level["calls"]:
            assert len(call["sentences"]) == len(call["lines"]) and call["statements"]
            assert {line["verdict"] for line in call["sentences"]} <= {"verified", "verbatim", "unverified"}


def test_a_line_about_another_point_is_refused() -> None:
    made = source(LONG)

    def slips(request: Request) -> Completion:
        lines = shortened(request).lines
        if "the overview of" in request.messages[0].content:
            lines = lines[1:] + lines[:1]
        return answer(request, lines)

    result = digest(made, FakeModel(rule=slips))
    floor = digest(made, FakeModel(rule=shortened), reduce=False)
    assert [s.text for s in result.overview] == [s.text for s in floor.overview]


def test_no_reduce_asks_nothing_and_keeps_the_points() -> None:
    made = source(LONG)
    model = FakeModel(rule=shortened)
    result = digest(made, model, reduce=False)
    assert not any("the overview of" in r.messages[0].content for r in model.asked)
    assert result.levels == () and DOCUMENT_LEAST <= len(result.overview) <= DOCUMENT_MOST
    assert all(sentence.text == result.statements[sentence.cites[0]].text for sentence in result.overview)
    assert as_dict(result)["levels"] == []
    assert all(section.overview == () for section in result.sections)


def test_failed_calls_leave_the_floor_and_say_why() -> None:
    made = source(LONG)
    whole = digest(made, FakeModel(rule=shortened), reduce=False)
    plan = plan_reduce(made, whole.statements, (), FakeModel())
    made_of = read_reduce(made, whole.statements, plan, {}, {0: "the slot was lost"})
    assert made_of.document and all(s.text == whole.statements[s.cites[0]].text for s in made_of.document)
    assert made_of.levels[-1].calls[-1].failure in ("the slot was lost", "the call was not made")


def test_sections_with_enough_statements_have_an_overview_in_their_order() -> None:
    text = "ACT\n" + "".join(f"PART {n}\n" + "".join(
        f"{n}{i}. The operator must file report {i} about {word} within {i} days of {n} May.\n"
        for i, word in enumerate("noise dust water heat light smoke oil".split(), 1)) for n in (1, 2))  # fmt: skip
    made = source(text)
    result = digest(made, FakeModel(rule=shortened))
    for section in result.sections:
        assert bool(section.overview) is (len(section.statements) >= SECTION_MIN)
        assert len(section.overview) <= SECTION_LINES
        cites = [place for sentence in section.overview for place in sentence.cites]
        assert cites == sorted(cites) and set(cites) <= set(section.statements)
    assert any(section.overview for section in result.sections)
    check_overview(made, result)
    assert render_json(result) and render_markdown(result)


def fabricated(count: int, size: int, language: Language) -> tuple[Source, list[Statement]]:
    """A source of `count` clauses of one sentence each, and a verbatim statement for each."""
    word = "应当支付租金" if language is Language.ZH else "shall pay rent "
    texts = [f"{n} {word * size}".strip() + ("。" if language is Language.ZH else ".") for n in range(count)]
    text = "\n".join(texts)
    starts = [0]
    for words in texts:
        starts.append(starts[-1] + len(words) + 1)
    from documents import document

    made = document(text, language=language)
    spans = [Span(starts[n], starts[n] + len(words)) for n, words in enumerate(texts)]
    clauses = tuple(
        Clause(f"c{n}", ClauseKind.NUMBERED, str(n), f"H{n}", (f"Part {n % 7}",), starts[n], starts[n + 1])
        for n in range(count)
    )
    sentences = tuple(Sentence(n, n, spans[n], (), words) for n, words in enumerate(texts))
    statements = [
        Statement(words, Verdict.VERBATIM, words, str(n), f"c{n}", (0,), (spans[n],), (n,))
        for n, words in enumerate(texts)
    ]
    return Source(made, clauses, sentences), statements


@settings(max_examples=40, deadline=None)
@given(
    context=st.integers(300, 8192),
    count=st.integers(1, 3000),
    size=st.integers(1, 40),
    language=st.sampled_from(Language),
    aspects=st.integers(0, 9),
)
def test_the_levels_end_and_every_call_fits(
    context: int, count: int, size: int, language: Language, aspects: int
) -> None:
    made, statements = fabricated(count, size, language)
    leads = [Leads(f"a{n}", 2, tuple(range(n, count, 11))[:12]) for n in range(aspects)]
    model = FakeModel(context=context, rule=shortened)
    plan = plan_reduce(made, statements, leads, model)
    for call in plan.calls:
        assert model.count(call.request.messages) + call.request.max_tokens <= context
    for number, points in plan.points.items():
        inputs = plan.sections[number].statements if number is not None else tuple(range(count))
        assert len(points) <= (SECTION_LINES if number is not None else DOCUMENT_MOST)
        assert number is None or len(points) < len(inputs), "a level shrinks"
    assert sum(len(call.points) for call in plan.calls) <= sum(map(len, plan.points.values()))
    answers = ask(model, plan.calls)
    made_of = read_reduce(made, statements, plan, answers.completions, answers.failures)
    assert not answers.failures
    assert len(made_of.levels) <= 2
    assert 1 <= len(made_of.document) <= DOCUMENT_MOST
    on_page(made_of.document, language)
    for section in made_of.sections:
        on_page(section.overview, language)


def on_page(sentences: Sequence[object], language: Language) -> None:
    texts = [str(getattr(sentence, "text", "")) for sentence in sentences]
    assert len(texts) <= 1 or sum(map(len, texts)) <= A_PAGE[language]


@pytest.mark.parametrize("text", [LONG, one_part(LONG)])
def test_an_overview_is_at_most_a_page(text: str) -> None:
    result = digest(to_source(source(text).document), FakeModel())
    assert sum(len(sentence.text) for sentence in result.overview) <= A_PAGE[Language.EN]
