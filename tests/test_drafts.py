"""Drafts, retries, the floor and the ledger, without Prefect."""

from collections import Counter
from collections.abc import Callable

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, answer, copied, shortened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline import digest

from conspectus.check.check import Reason
from conspectus.digesting import mapping
from conspectus.digesting.drafts import Draft, clean, faults
from conspectus.digesting.retries import REASON_WORDS, keep_words, worth_asking
from conspectus.digesting.settle import LEAST, account, promised, settle
from conspectus.document import Detail, Digest, Language, LedgerState, Source, Verdict
from conspectus.llama import Completion, Request
from conspectus.render.json import render_json
from conspectus.render.markdown import render_markdown

Rule = Callable[[Request], Completion]


def asked_again(request: Request) -> bool:
    """Whether a request is about a refused line."""
    return "refused" in request.messages[1].content or "to at most" in request.messages[1].content


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("12: The Tenant pays.", "The Tenant pays."),
        ("[3] The Tenant pays.", "The Tenant pays."),
        ("- **The Tenant pays.**", "The Tenant pays."),
        ("1. 2.5 per cent is due.", "2.5 per cent is due."),
        ("2.5 per cent is due.", "2.5 per cent is due."),
        ("“The Tenant pays.”", "The Tenant pays."),
        ("<think>Who pays?</think>The Tenant pays.", "The Tenant pays."),
        ("Who pays?</think> The Tenant pays.", "The Tenant pays."),
        ("<think>Who pays? The Tenant", ""),
        ("3、承租人应当支付租金。", "承租人应当支付租金。"),
    ],
)
def test_clean(raw: str, line: str) -> None:
    assert clean(raw) == line


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", Reason.EMPTY),
        (" ... ", Reason.EMPTY),
        ("<think>Let me see. The Tenant", Reason.REASONING),
        ("<think>Let me see.</think>", Reason.REASONING),
        ("The Tenant pays.<|im_end|>", Reason.ECHO),
        ("The Tenant pays.</s>", Reason.ECHO),
        ("[INST] The Tenant pays.", Reason.ECHO),
        ("The Tenant\u0007 pays.", Reason.ECHO),
    ],
)
def test_faults(raw: str, reason: Reason) -> None:
    assert faults(raw, clean(raw), "The Tenant shall pay.", cut=False) == [reason]


def test_marks_that_the_document_has_are_no_fault() -> None:
    assert faults("Type <|im_end|> here.", "Type <|im_end|> here.", "You must type <|im_end|> here.", cut=False) == []


@pytest.mark.parametrize("language", list(Language))
def test_every_reason_has_words(language: Language) -> None:
    assert set(REASON_WORDS[language]) == set(Reason)


def test_words_to_keep_begin_with_those_that_were_lost() -> None:
    evidence = "The Tenant shall not assign within thirty (30) days, unless the Landlord agrees in writing."
    words = keep_words(evidence, "The Tenant shall assign within thirty (30) days.", Language.EN)
    assert set(words[:3]) >= {"shall not", "unless"} and "in writing" in words
    assert any("30" in word for word in words)
    assert words.index("unless") < words.index("within")
    zh = keep_words("承租人应当自签约之日起三十日内支付五万元，但是另有约定的除外。", "承租人支付五万元。", Language.ZH)
    assert {"应当", "但是"} <= set(zh) and any("三十日" in word for word in zh)
    assert len(keep_words(LEASE, "", Language.EN)) <= 10


def test_refused_lines_are_asked_again_with_reason_and_words_to_keep() -> None:
    def forgetful(request: Request) -> Completion:
        again = asked_again(request)
        return answer(request, [line if again else line.replace("not ", "") for line in shortened(request).lines])

    made = source(LEASE)
    model = FakeModel(rule=forgetful)
    result = digest(made, model)
    retries = [r for r in model.asked if asked_again(r)]
    assert retries and all(len(r.forced) == 1 for r in retries)
    assert any('a "not" or "no" was lost' in r.messages[1].content for r in retries)
    assert any("Words that must stand in the short sentence: " in r.messages[1].content for r in retries)
    (kept,) = [s for s in result.statements if "shall not withhold" in s.quote]
    assert kept.verdict is Verdict.VERIFIED


def test_a_line_that_comes_back_no_better_is_not_asked_a_third_time() -> None:
    made = source(LEASE)
    model = FakeModel(rule=lambda request: answer(request, [""] * len(request.forced)))
    digest(made, model, reduce=False)
    retries = [r for r in model.asked if asked_again(r)]
    assert len({r.key("f") for r in retries}) == len(retries), "no call is made twice"
    asked = Counter(line for r in retries for line in r.messages[1].content.split("\n") if line.startswith("["))
    assert set(asked.values()) == {1}


def test_a_better_second_line_is_asked_a_third_time_and_kept() -> None:
    made = source(LEASE)

    def learns(request: Request) -> Completion:
        user = request.messages[1].content
        good = shortened(request).lines
        if not asked_again(request):
            return answer(request, ["May pay 999 apples."] * len(good))
        if "first try was refused" in user:
            return answer(request, [line.replace("£48,000", "£47,000").replace("not ", "") for line in good])
        return answer(request, good)

    result = digest(made, FakeModel(rule=learns), reduce=False)
    (kept,) = [s for s in result.statements if "shall not withhold" in s.quote]
    assert kept.verdict is Verdict.VERIFIED


def test_copies_of_short_sentences_are_left_alone() -> None:
    made = source(LEASE)
    short = next(s.index for s in made.sentences if "petrol" in s.text)
    assert not worth_asking(Draft(short, "x", (Reason.COPIED,)), made)
    assert worth_asking(Draft(short, "x", (Reason.NUMBER,)), made)
    assert not worth_asking(Draft(short, "x", (Reason.NUMBER,), stuck=True), made)
    long = source(LEASE.replace("petrol", "petrol " + "or other dangerous goods of any kind " * 4))
    index = next(s.index for s in long.sentences if "petrol" in s.text)
    assert worth_asking(Draft(index, "x", (Reason.COPIED,)), long)


def wrong(request: Request) -> Completion:
    return answer(request, ["The Tenant may pay £999 to the Bank." for _ in request.forced])


def test_without_the_floor_refused_lines_stand_marked_and_are_never_verified() -> None:
    made = source(LEASE)
    result = digest(made, FakeModel(rule=wrong), floor=False)
    assert {s.verdict for s in result.statements} == {Verdict.UNVERIFIED}
    assert all(s.reasons for s in result.statements)
    assert all(s.verdict is not Verdict.UNVERIFIED for s in result.overview)
    rows = [row for row in result.ledger if row.statements]
    assert rows and all("not verified" in row.reason for row in rows)
    text = render_markdown(result).decode()
    assert "NOT verified" in text and "- ? The Tenant may pay £999" in text
    assert '"unverified": 0' not in render_json(result).decode().split('"states"')[0]
    with_floor = digest(made, FakeModel(rule=wrong))
    assert {s.verdict for s in with_floor.statements} == {Verdict.VERBATIM}
    assert "NOT verified" not in render_markdown(with_floor).decode()


def test_without_the_floor_nothing_is_lost_from_the_ledger() -> None:
    made = source(LEASE)
    result = digest(made, FakeModel(rule=lambda r: answer(r, [""] * len(r.forced))), floor=False)
    assert result.statements == () and result.overview == ()
    assert any(row.condensed and "without a line" in row.reason for row in result.ledger)
    assert "Nothing material was found" in render_markdown(result).decode()


def test_sentences_in_the_same_words_are_told_once_and_accounted_for() -> None:
    text = "1. A\n1.1 The Tenant shall pay £5 a day.\n2. B\n2.1 The Tenant shall pay £5 a day.\n3. C\n3.1 It must go.\n"
    made = source(text)
    result = digest(made, FakeModel(rule=copied))
    assert sum("£5 a day" in s.text for s in result.statements) == 1
    row = next(row for row in result.ledger if row.number == "2.1")
    assert row.state is LedgerState.CONDENSED and row.reason == "said in the same words in 1.1"
    not_equal = source(text.replace("2.1 The Tenant shall pay £5 a day", "2.1 The Tenant shall pay £5.0 a day"))
    assert sum("a day" in s.text for s in digest(not_equal, FakeModel()).statements) == 2


CLAUSES = st.sampled_from(
    [
        "The Tenant shall pay the Landlord £{n} within {n} days.",
        "The Landlord must not enter before {n} a.m. unless the Tenant agrees in writing.",
        "Pleasant words about the weather number {n}.",
        "The Tenant may: (a) assign {n} rooms; (b) sublet {n} rooms to any person who has paid; and (c) leave.",
        "Year Rent Share\n{n} £{n}00 5%\n2 £{n}10 6%",
        "",
        "Signature: ______",
    ]
)
CLAUSES_ZH = st.sampled_from(
    [
        "承租人应当在{n}日内支付{n}万元。",
        "出租人不得在{n}点前进入，但是另有约定的除外。",
        "春天的天气很好。",
        "签字：______",
    ]
)


def account_is_whole(made: Source, result: Digest, detail: Detail) -> None:
    """Every clause once, every sentence of a statement in its clause, the length kept."""
    assert [row.clause_id for row in result.ledger] == [clause.id for clause in made.clauses]
    told = [place for row in result.ledger for place in row.statements]
    assert sorted(told) == list(range(len(result.statements)))
    used = [index for statement in result.statements for index in statement.sentences]
    assert len(used) == len(set(used))
    for statement in result.statements:
        for index in statement.sentences:
            assert made.clause_of(index).id == statement.clause_id
        row = next(row for row in result.ledger if row.clause_id == statement.clause_id)
        assert result.statements.index(statement) in row.statements
    assert sum(len(s.text) for s in result.statements) <= promised(made.document, detail)
    for row in result.ledger:
        assert row.state in (LedgerState.IN_DIGEST, LedgerState.CONDENSED, LedgerState.IMMATERIAL, LedgerState.FAILED)
        assert row.state is LedgerState.IN_DIGEST or row.reason
    positions = [statement.sentences for statement in result.statements]
    assert positions == sorted(positions)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(CLAUSES, min_size=1, max_size=25),
    st.sampled_from(Detail),
    st.booleans(),
    st.sampled_from([copied, shortened, wrong]),
)
def test_every_clause_is_accounted_for(clauses: list[str], detail: Detail, floor: bool, rule: Rule) -> None:
    text = "CONTRACT\n" + "".join(f"{n}. PART\n{n}.1 {c.format(n=n)}\n" for n, c in enumerate(clauses, 1))
    made = source(text)
    account_is_whole(made, digest(made, FakeModel(rule=rule), detail, floor=floor), detail)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CLAUSES_ZH, min_size=1, max_size=25), st.sampled_from(Detail), st.booleans())
def test_every_chinese_clause_is_accounted_for(clauses: list[str], detail: Detail, floor: bool) -> None:
    made = source(
        "租赁办法\n" + "".join(f"第{n}条　{c.format(n=n)}\n" for n, c in enumerate(clauses, 1)), language=Language.ZH
    )
    account_is_whole(made, digest(made, FakeModel(rule=shortened), detail, floor=floor), detail)


def test_a_failed_call_is_in_the_ledger_where_nothing_stands_in() -> None:
    made = source(LEASE)
    index = next(s.index for s in made.sentences if "petrol" in s.text)
    rows = account(made, [], {index: "the slot was lost"})
    assert [row.state for row in rows].count(LedgerState.FAILED) == 1


@pytest.mark.parametrize(
    ("text", "language"), [("The Tenant shall pay £5.", Language.EN), ("承租人应当支付五元。", Language.ZH)]
)
def test_a_very_short_document_may_be_told_whole(text: str, language: Language) -> None:
    made = source(text, language=language)
    assert promised(made.document, Detail.BRIEF) == len(made.document.text)
    assert settle(made, [], [], Detail.BRIEF)
    assert LEAST[language] > len(text)


def test_same_input_same_digest() -> None:
    for text in (LEASE, ACT):
        made = source(text)
        assert render_json(digest(made, FakeModel(rule=shortened))) == render_json(
            digest(made, FakeModel(rule=shortened))
        )


def test_leads_are_asked_about_even_where_heavier_sentences_fill_the_length() -> None:
    heavy = "".join(
        f"{n}. FINES\n{n}.1 The Tenant shall not fail to pay £{n}00 in {n} days, unless exempt, or a penalty is due.\n"
        for n in range(4, 60)
    )
    made = source(LEASE + heavy + "60. LAW\n60.1 This Lease is governed by the laws of England.\n")
    plan = mapping.plan(made, Detail.BRIEF, FakeModel())
    asked = " ".join(made.sentences[index].text for index in plan.chosen)
    assert "laws of England" in asked and "The term is ten" in asked
