"""Calls that are over the model's context after all: asked in smaller ones, down to one sentence, then the floor."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, answer, shortened
from fake_server import FakeServer
from hypothesis import given
from hypothesis import strategies as st
from pipeline import digest

from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish
from conspectus.digesting.mapping import Answers, answers_of
from conspectus.digesting.resplit import in_parts
from conspectus.digesting.straight import Models
from conspectus.document import Detail, Digest, Source, Verdict
from conspectus.errors import ContextExceeded, EngineError
from conspectus.llama import Completion, Message, Request
from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses

LONG = LEASE + "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall repair the {thing} and pay £{n}00 for it within {n} days of demand.\n"
    f"{n}.2 The Landlord must not touch the {thing} before {n} a.m. unless the Tenant agrees in writing.\n"
    for n, thing in enumerate("roof door wall gate fence lamp floor stair drain path lift bell sign yard".split(), 5)
)


class Smaller(FakeModel):
    """A server that told 4096 tokens of context and has `real`."""

    def __init__(self, real: int) -> None:
        self.real = real
        self.refused: list[int] = []
        super().__init__(rule=self._rule_of_server)

    def _rule_of_server(self, request: Request) -> Completion:
        need = self.count(request.messages) + request.max_tokens
        if need > self.real:
            self.refused.append(need)
            raise ContextExceeded("the prompt is over its context", prompt_tokens=need, context=self.real)
        return shortened(request) if request.forced else answer(request, ["- The Tenant must pay."])


def accounted(made: Source, result: Digest) -> None:
    assert not result.engine_errors and not result.partial
    assert len(result.ledger) == len(made.clauses)


@pytest.mark.parametrize("real", [300, 400])
def test_overviews_that_are_too_long_are_asked_in_smaller_calls(real: int) -> None:
    made, model = source(LONG), Smaller(real)
    result = digest(made, model, Detail.FULL)
    accounted(made, result)
    calm = digest(made, FakeModel(rule=shortened), Detail.FULL)
    assert [s.text for s in result.statements] == [s.text for s in calm.statements]
    assert [s.text for s in result.overview] == [s.text for s in calm.overview] and result.overview
    assert model.refused and max(model.refused) > real


@pytest.mark.parametrize("text", [LONG, ACT])
def test_where_not_even_one_sentence_fits_the_words_of_the_document_stand(text: str) -> None:
    made, model = source(text), Smaller(10)
    result = digest(made, model, Detail.FULL)
    accounted(made, result)
    assert result.statements and all(s.verdict is Verdict.VERBATIM for s in result.statements)
    # Each sentence was tried once, and the overview in its parts: no retry of what cannot fit.
    assert len(model.asked) <= 3 * len(made.sentences)


def test_only_what_is_too_long_falls_back() -> None:
    made, model = source(LONG), Smaller(215)
    result = digest(made, model, Detail.FULL)
    accounted(made, result)
    verdicts = {s.verdict for s in result.statements}
    assert model.refused and verdicts == {Verdict.VERBATIM, Verdict.VERIFIED}


def test_a_server_that_has_less_context_than_it_said() -> None:
    with FakeServer(slots=4, context=4096) as server:
        pool = ServerPool(parse_addresses(server.url), PoolSettings(verify_s=60))
        try:
            assert pool.info.context == 4096
            server.context = 150
            models = Models.of(pool)
            made = source(LONG)
            result = straight.digest(made, Wish(Detail.FULL, True, True), models, straight.direct(models))
        finally:
            pool.close()
    accounted(made, result)
    assert result.overview and server.completed


def test_other_failures_stay_failures() -> None:
    found = answers_of(
        ["a", "b", "a", "c"],
        {"a": answer(Request((Message("user", ""),), 1), ["x"])},
        {"b": ContextExceeded("long"), "c": EngineError("lost")},
    )
    assert set(found.completions) == {0, 2} and dict(found.failures) == {3: "lost"} and found.too_long == {1}


@dataclass(frozen=True)
class Part:
    numbers: tuple[int, ...]

    @property
    def request(self) -> Request:
        return Request((Message("user", " ".join(map(str, self.numbers))),), 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 12), st.integers(0, 12))
def test_parts_cover_everything_once(numbers: list[int], size: int, most: int) -> None:
    calls = [Part(tuple(numbers[at : at + size])) for at in range(0, len(numbers), size)]

    def ask(requests: Sequence[Request]) -> Answers:
        words = [request.messages[0].content.split() for request in requests]
        fit = [place for place, own in enumerate(words) if len(own) <= most]
        return Answers(
            {place: answer(requests[place], words[place]) for place in fit},
            {},
            frozenset(range(len(requests))) - frozenset(fit),
        )

    def halve(call: Part) -> list[Part]:
        half = len(call.numbers) // 2
        return [Part(call.numbers[:half]), Part(call.numbers[half:])] if half else []

    made, answers = in_parts(ask, calls, halve)
    assert sorted(n for call in made for n in call.numbers) == sorted(numbers)
    assert set(answers.completions) | answers.too_long == set(range(len(made)))
    for place, call in enumerate(made):
        assert (len(call.numbers) == 1 > most) if place in answers.too_long else len(call.numbers) <= most
