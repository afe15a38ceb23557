"""The two ways of asking about a chunk: how their lines are laid on sentences, and what is refused."""

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, answer, lines_of, shortened
from pipeline import ask, digest

from conspectus import mapping
from conspectus.align import Candidates, same_line
from conspectus.check import Reason, check
from conspectus.document import Chunk, Detail, Language, Source, Verdict
from conspectus.drafts import Draft, Form
from conspectus.errors import ContextTooSmall
from conspectus.llama import Completion, Finish, Request
from conspectus.map_free import SHARE, read_free

LONG = LEASE + "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall pay the sum of £{n}00 within {n} days of demand.\n"
    f"{n}.2 The Landlord must not enter before {n} a.m. unless the Tenant agrees in writing.\n"
    for n in range(4, 30)
)


def whole(made: Source) -> Chunk:
    return Chunk(0, 0, len(made.document.text), tuple(s.index for s in made.sentences))


def read(made: Source, text: str, cut: tuple[int, ...] = ()) -> list[Draft]:
    completion = Completion((text,), Finish.STOP, 1, 0, 1, 0.0, cut)
    return read_free(completion, whole(made), made, {s.index for s in made.sentences})


def at(made: Source, words: str) -> int:
    return next(s.index for s in made.sentences if words in s.text)


class TestFree:
    def test_a_line_rests_on_the_sentence_that_it_fits(self) -> None:
        made = source(LEASE)
        (draft,) = read(made, "- The Tenant must pay the Landlord yearly rent of £48,000 in four equal instalments.")
        assert draft == Draft((at(made, "£48,000"),), draft.text, ())
        assert not draft.text.startswith("-")

    def test_a_line_may_rest_on_two_sentences_of_one_clause(self) -> None:
        text = (
            "1. FEES\nThe Agent shall pay a fee of £500 to the Bank. The Bank shall repay the deposit of £90 in May.\n"
        )
        made = source(text)
        line = "The Agent shall pay a fee of £500 to the Bank, and the Bank shall repay the deposit of £90 in May."
        (draft,) = read(made, line)
        assert draft.sentences == (at(made, "£500"), at(made, "£90"))
        joined = " […] ".join(made.sentences[index].text for index in draft.sentences)
        assert (draft.reasons == ()) is (check(line, joined, Language.EN) == ())

    def test_a_line_over_two_clauses_is_refused(self) -> None:
        made = source(LEASE)
        (draft,) = read(made, "The Tenant must not store petrol at the Property and shall not withhold rent.")
        assert draft.reasons

    def test_repeated_and_copied_lines_are_named(self) -> None:
        made = source(LEASE)
        rent = "The Tenant must pay the Landlord yearly rent of £48,000 in four equal instalments."
        first, second = read(made, f"{rent}\n{rent}")
        assert first.reasons == () and Reason.REPEATED in second.reasons
        (copy,) = read(made, "The Tenant must not store petrol at the Property.")
        assert copy.reasons == (Reason.COPIED,)

    def test_lines_about_nothing_are_dropped(self) -> None:
        made = source(LEASE)
        drafts = read(
            made, "Here are the main points:\nThe Tenant must not store petrol at the Property, ever.\nBananas."
        )
        assert all("petrol" in draft.text for draft in drafts)

    def test_where_nothing_is_left_every_chosen_sentence_says_why(self) -> None:
        made = source(LEASE)
        for text, reason in (("", Reason.EMPTY), ("Bananas.", Reason.OFF_TOPIC), ("<think>hm", Reason.REASONING)):
            drafts = read(made, text)
            assert [draft.sentences for draft in drafts] == [(s.index,) for s in made.sentences]
            assert {draft.reasons for draft in drafts} == {(reason,)}

    def test_only_the_last_line_of_a_cut_answer_is_cut(self) -> None:
        made = source(LEASE)
        rent = "The Tenant must pay the Landlord yearly rent of £48,000 in four equal instalments."
        first, last = read(made, f"{rent}\nThe Tenant must not store petrol at the Property, n", cut=(0,))
        assert first.reasons == () and Reason.CUT_OFF in last.reasons

    def test_at_most_a_fifth_of_the_sentences_is_asked_for(self) -> None:
        made = source(LONG)
        model = FakeModel()
        plan = mapping.plan(made, Detail.NORMAL, model, Form.FREE)
        sizes = {chunk.index: len(chunk.sentences) for chunk in plan.chunks}
        assert plan.calls and all(call.lines == () and call.request.forced == () for call in plan.calls)
        for call in plan.calls:
            wanted = max(1, sizes[call.chunk] // SHARE)
            assert f"Write at most {wanted} lines" in call.request.messages[1].content
            assert model.count(call.request.messages) + call.request.max_tokens <= model.info.context

    def test_a_digest_with_true_lines(self) -> None:
        made = source(LONG)

        def bullets(request: Request) -> Completion:
            if request.forced:
                return shortened(request)
            lines = [line for line in request.messages[1].content.split("\n") if "shall pay the sum" in line]
            return answer(request, ["\n".join(f"- {line.replace('shall', 'must')}" for line in lines)])

        result = digest(made, FakeModel(rule=bullets), form=Form.FREE)
        assert sum(s.verdict is Verdict.VERIFIED for s in result.statements) >= 20


class TestAligned:
    @pytest.mark.parametrize("context", [600, 1024, 4096])
    @pytest.mark.parametrize("form", list(Form))
    def test_every_call_fits(self, context: int, form: Form) -> None:
        for text in (LONG, ACT * 5):
            made = source(text)
            model = FakeModel(context=context)
            plan = mapping.plan(made, Detail.FULL, model, form)
            for call in plan.calls:
                assert model.count(call.request.messages) + call.request.max_tokens <= context

    def test_a_window_too_small_is_refused_before_any_call(self) -> None:
        model = FakeModel(context=200)
        with pytest.raises(ContextTooSmall):
            mapping.plan(source(LONG), Detail.FULL, model)
        assert not model.asked

    def test_a_shifted_line_is_named(self) -> None:
        made = source(LEASE)

        def slipped(request: Request) -> Completion:
            shown = lines_of(request)
            lines = [shown[int(start.rstrip(": "))] for start in request.forced]
            return answer(request, lines[1:] + lines[:1])

        model = FakeModel(rule=slipped)
        plan = mapping.plan(made, Detail.FULL, model)
        drafts = mapping.read(made, plan, plan.calls, ask(model, plan.calls)).drafts
        assert drafts and all(Reason.NEIGHBOUR in draft.reasons for draft in drafts)

    def test_a_line_that_mixes_two_sentences_is_named(self) -> None:
        made = source(LEASE)
        candidates = Candidates(made.sentences, Language.EN)
        own = at(made, "may end this Lease")
        line = "The Tenant may end this Lease on 1 March 2032 by written notice and store petrol at the Property."
        assert candidates.is_fused(line, [own])
        assert not candidates.is_fused("The Tenant may end this Lease on 1 March 2032.", [own])

    def test_one_line_for_all_is_named_a_repetition(self) -> None:
        made = source(LEASE)
        line = "The Tenant shall pay the rent in time."
        model = FakeModel(rule=lambda request: answer(request, [line] * len(request.forced)))
        plan = mapping.plan(made, Detail.FULL, model)
        drafts = mapping.read(made, plan, plan.calls, ask(model, plan.calls)).drafts
        assert sum(Reason.REPEATED in draft.reasons for draft in drafts) >= len(drafts) - len(plan.calls) - 1

    def test_the_chunk_prompt_is_that_of_the_kind(self) -> None:
        for text, words in (
            (LEASE, "sentences of a contract"),
            (ACT, "法律条文"),
            ("Notes\nWe must go.", "a document"),
        ):
            plan = mapping.plan(source(text), Detail.FULL, FakeModel())
            assert words in plan.calls[0].request.messages[0].content


def test_a_tie_goes_to_the_own_sentence() -> None:
    made = source("1. A\n1.1 The Tenant shall pay £5.\n1.2 The Tenant shall pay £6.\n")
    candidates = Candidates(made.sentences, Language.EN)
    assert not candidates.is_shifted("The Tenant pays.", 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("The fee is £50 a year.", "The fee is £50 a year", True), ("The fee is £50.", "The fee is £60.", False),
     ("罚款五万元。", "罚款五万元", True), ("A must pay.", "B may enter the house.", False)],
)  # fmt: skip
def test_same_line(one: str, other: str, same: bool) -> None:
    assert same_line(one, other) is same
