"""Asking about sentences: every call fits, lines are laid on their own sentence, and what is refused."""

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, answer
from pipeline import ask

from conspectus.check.align import Candidates, same_line
from conspectus.check.check import Reason
from conspectus.digesting import mapping
from conspectus.document import Detail, Language, Source
from conspectus.errors import ContextTooSmall

LONG = LEASE + "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall pay the sum of £{n}00 within {n} days of demand.\n"
    f"{n}.2 The Landlord must not enter before {n} a.m. unless the Tenant agrees in writing.\n"
    for n in range(4, 30)
)


def at(made: Source, words: str) -> int:
    return next(s.index for s in made.sentences if words in s.text)


class TestAligned:
    @pytest.mark.parametrize("context", [600, 1024, 4096])
    def test_every_call_fits(self, context: int) -> None:
        for text in (LONG, ACT * 5):
            made = source(text)
            model = FakeModel(context=context)
            plan = mapping.plan(made, Detail.FULL, model)
            for call in plan.calls:
                assert model.count(call.request.messages) + call.request.max_tokens <= context

    def test_a_window_too_small_is_refused_before_any_call(self) -> None:
        model = FakeModel(context=200)
        with pytest.raises(ContextTooSmall):
            mapping.plan(source(LONG), Detail.FULL, model)
        assert not model.asked

    def test_a_shifted_line_is_named(self) -> None:
        made = source(LEASE)

        plan = mapping.plan(made, Detail.FULL, FakeModel())
        lines = [made.sentences[index].text for call in plan.calls for line in call.lines for index in line]
        model = FakeModel(*[lambda request, line=line: answer(request, [line]) for line in lines[1:] + lines[:1]])
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
        assert sum(Reason.REPEATED in draft.reasons for draft in drafts) >= len(drafts) - len(plan.chunks) - 1

    def test_the_chunk_prompt_is_that_of_the_kind(self) -> None:
        for text, words in (
            (LEASE, "sentences of a contract"),
            (ACT, "法律中的句子"),
            ("Notes\nWe must go.", "sentences of a document"),
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
