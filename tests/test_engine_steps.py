"""The scheduler of many requests over a made-up native side."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from fake_decoder import FakeDecoder, Writing, expected
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.llama.engine import Engine
from conspectus.llama.selftest import batches_well
from conspectus.llama.work import Layout, Work

CONTEXT = 96


@dataclass
class Asked:
    """A request and what became of it."""

    prompt: list[int]
    size: int
    head: int = 0
    due: bool = False
    work: Work = field(init=False)

    def __post_init__(self) -> None:
        tokens = np.array(self.prompt, dtype=np.int32)
        self.work = Work(tokens, lambda: Writing(self.size), lambda: self.due, head=self.head)

    @property
    def taken(self) -> list[int]:
        answer = self.work.answer
        assert isinstance(answer, Writing)
        return answer.taken


def engine_of(decoder: FakeDecoder, slots: int, *, unified: bool, joins: bool) -> tuple[Engine, list[Work]]:
    ended: list[Work] = []
    layout = Layout(slots, CONTEXT, unified=unified, joins=joins)
    return Engine(decoder, layout, lambda _work: None, ended.append), ended


def run(engine: Engine, most: int = 5000) -> None:
    for _ in range(most):
        if not engine.is_busy:
            return
        engine.step()
    raise AssertionError("the engine goes on for ever")


REQUESTS = st.lists(
    st.builds(
        lambda shared, own, size: Asked([7] * shared + own, size, shared),
        st.integers(0, 40),
        st.lists(st.integers(0, 49), min_size=1, max_size=30),
        st.integers(1, 20),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(
    REQUESTS,
    st.integers(1, 6),
    st.sampled_from([1, 4, 16, 64]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from([0, 0, 0, 1, -2]), max_size=12),
)
def test_every_request_gets_its_own_answer(
    asked: list[Asked], slots: int, step: int, unified: bool, joins: bool, can_trim: bool, codes: list[int]
) -> None:
    decoder = FakeDecoder(slots, step, CONTEXT, can_trim=can_trim)
    decoder.codes = list(codes)
    engine, ended = engine_of(decoder, slots, unified=unified, joins=joins)
    for one in asked:
        engine.add(one.work)
    run(engine)
    assert len(ended) == len(asked) and {id(work) for work in ended} == {id(one.work) for one in asked}
    for one in asked:
        if one.work.error is None:
            assert one.taken == expected(one.work.prompt, one.size)
        else:
            assert codes and one.work.retryable


@settings(max_examples=60, deadline=None)
@given(REQUESTS, st.integers(2, 5), st.booleans(), st.data())
def test_a_request_that_is_due_ends_and_the_others_are_not_touched(
    asked: list[Asked], slots: int, can_trim: bool, data: st.DataObject
) -> None:
    decoder = FakeDecoder(slots, 16, CONTEXT, can_trim=can_trim)
    victim = data.draw(st.sampled_from(asked))
    when = data.draw(st.integers(0, 40))

    def during() -> None:
        victim.due = victim.due or decoder.decodes > when

    decoder.during = during
    engine, ended = engine_of(decoder, slots, unified=True, joins=False)
    for one in asked:
        engine.add(one.work)
    run(engine)
    assert len(ended) == len(asked)
    for one in asked:
        whole = expected(one.work.prompt, one.size)
        if one is victim and one.work.stopped:
            assert one.taken == whole[: len(one.taken)]
        else:
            assert one.taken == whole and one.work.error is None


def test_nothing_of_a_first_part_that_was_ended_stays_behind() -> None:
    decoder = FakeDecoder(2, 16, CONTEXT, can_trim=True)
    first, second = Asked([7] * 15 + [0], 1), Asked([0], 1)

    def during() -> None:
        first.due = True

    decoder.during = during
    engine, _ = engine_of(decoder, 2, unified=True, joins=False)
    engine.add(first.work)
    engine.add(second.work)
    run(engine)
    assert first.work.stopped and second.work.error is None and second.taken == [10]


@pytest.mark.parametrize("can_trim", [True, False])
def test_a_deadline_is_kept_while_anothers_prompt_is_decoded(can_trim: bool) -> None:
    decoder = FakeDecoder(2, 64, CONTEXT, can_trim=can_trim)
    first, second = Asked([1, 2, 3], 50), Asked(list(range(1, 60)), 5)
    engine, ended = engine_of(decoder, 2, unified=True, joins=False)
    engine.add(first.work)
    engine.step()
    engine.add(second.work)

    def during() -> None:
        # In the middle of the long step for the second one's prompt.
        first.due = True

    decoder.during = during
    engine.step()
    assert second.work.prefilled == 0, "the step was ended, not waited for"
    engine.step()
    assert ended == [first.work] and first.work.stopped
    run(engine)
    assert second.taken == expected(second.work.prompt, 5) and not second.work.stopped


def test_what_waits_is_not_due_before_it_runs_but_ends_when_dropped() -> None:
    engine, ended = engine_of(FakeDecoder(1, 16, CONTEXT), 1, unified=True, joins=False)
    runs, waits = Asked([1], 10), Asked([2], 10)
    engine.add(runs.work)
    engine.add(waits.work)
    engine.step()
    waits.due = True
    run(engine)
    assert ended == [runs.work, waits.work] and waits.work.stopped and not waits.taken


def test_a_shared_beginning_is_decoded_once() -> None:
    decoder = FakeDecoder(3, 16, CONTEXT)
    engine, _ = engine_of(decoder, 3, unified=True, joins=False)
    asked = [Asked([9] * 48 + [n], 3) for n in range(3)]
    for one in asked:
        engine.add(one.work)
    run(engine)
    assert [one.work.cached for one in asked] == [0, 48, 48]
    assert engine.prompt_tokens == 49 + 1 + 1


def test_a_shared_head_that_is_shorter_than_a_step_is_decoded_once() -> None:
    decoder = FakeDecoder(3, 32, CONTEXT)
    engine, _ = engine_of(decoder, 3, unified=True, joins=False)
    asked = [Asked([9] * 20 + [n] * 5, 3, head=20) for n in range(6)]
    for one in asked:
        engine.add(one.work)
    run(engine)
    assert [one.work.cached for one in asked] == [0, 20, 20, 20, 20, 20]
    assert engine.prompt_tokens == 25 + 5 * 5


class Parted(FakeDecoder):
    """Remembers for each token of a sequence with how many others, and where, it was decoded."""

    def __init__(self, slots: int, step: int) -> None:
        super().__init__(slots, step, CONTEXT)
        self._parts: list[list[tuple[int, int]]] = [[] for _ in range(slots)]
        self.prompts: dict[tuple[int, ...], set[tuple[tuple[int, int], ...]]] = {}

    def decode_until(self, due: Callable[[], bool]) -> int:
        code = super().decode_until(due)
        batch = self.batch
        one = int(batch.sequences[0])
        if code == 0 and all(int(batch.sequences[i]) == one for i in range(batch.size)):
            start = int(batch.positions[0])
            self._parts[one][start:] = [(start, start + batch.size)] * batch.size
            if batch.outputs[batch.size - 1]:
                self.prompts.setdefault(tuple(self._texts[one]), set()).add(tuple(self._parts[one]))
        return code

    def copy(self, source: int, target: int) -> None:
        super().copy(source, target)
        self._parts[target] = list(self._parts[source])

    def trim(self, sequence: int, size: int) -> bool:
        del self._parts[sequence][size:]
        return super().trim(sequence, size)


@settings(max_examples=100, deadline=None)
@given(REQUESTS, st.integers(1, 5), st.sampled_from([1, 4, 16]))
def test_a_prompt_is_cut_in_the_same_places_whatever_ran_before(asked: list[Asked], slots: int, step: int) -> None:
    beside = Parted(slots, step)
    engine, _ = engine_of(beside, slots, unified=True, joins=False)
    for one in asked:
        engine.add(one.work)
    run(engine)
    for one in asked:
        alone = Parted(1, step)
        engine, _ = engine_of(alone, 1, unified=True, joins=False)
        engine.add(Asked(one.prompt, one.size, one.head).work)
        run(engine)
        prompt = tuple(one.prompt)
        heads = {other.head for other in asked if other.prompt == one.prompt}
        assert beside.prompts[prompt] == alone.prompts[prompt] or len(heads) > 1


def test_a_batch_that_is_refused_costs_one_request_only() -> None:
    decoder = FakeDecoder(2, 16, CONTEXT)
    engine, ended = engine_of(decoder, 2, unified=True, joins=False)
    long, short = Asked([1] * 90, 30), Asked([2], 4)  # the first one runs over the context
    engine.add(long.work)
    engine.add(short.work)
    run(engine)
    assert len(ended) == 2 and short.taken == expected(short.work.prompt, 4)
    assert long.work.error and "refused a batch" in long.work.error and not long.work.retryable


class Wrong(FakeDecoder):
    """Sequences that are decoded together disturb each other (llama.cpp#29002)."""

    def best(self) -> "np.typing.NDArray[np.int64]":
        found = super().best()
        return found if len(found) == 1 else found + np.arange(len(found))


def test_the_self_test_tells_models_that_cannot_be_batched() -> None:
    for decoder, well in ((FakeDecoder(4, 16, CONTEXT), True), (Wrong(4, 16, CONTEXT), False)):
        engine, _ = engine_of(decoder, 4, unified=True, joins=False)
        assert batches_well(engine, [1, 2, 3, 4]) is well
        assert not engine.is_busy
