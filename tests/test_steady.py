"""The end of a choice is found by content: an amendment elsewhere leaves it where it is."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.digesting.steady import SLACK, steady_fill


def texts_of(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [f"{chance.randrange(10**9)} " + "x" * chance.randrange(40, 160) for _ in range(count)]


def chosen(texts: list[str], ranked: list[int], budget: int) -> set[str]:
    return {texts[index] for index in steady_fill(ranked, texts, budget)}


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(0, 20_000))
def test_it_fits_and_is_in_order(seed: int, count: int, budget: int) -> None:
    texts = texts_of(seed, count)
    ranked = random.Random(seed).sample(range(count), count)
    lengths = [len(text) for text in texts]
    found = steady_fill(ranked, texts, budget)
    assert found == sorted(set(found))
    used = sum(lengths[index] for index in found)
    assert used <= budget
    assert (
        len(found) == count
        or used >= budget * (1 - SLACK)
        or all(lengths[i] > budget - used for i in set(ranked) - set(found))
    )


def test_most_amendments_change_no_other_sentence() -> None:
    steady: list[int] = []
    full: list[int] = []
    for seed in range(100):
        texts = texts_of(seed, 300)
        lengths = [len(text) for text in texts]
        ranked = random.Random(seed).sample(range(300), 300)
        gone = ranked[seed % 40]
        left = [index for index in ranked if index != gone]
        steady.append(len((chosen(texts, ranked, 8000) ^ chosen(texts, left, 8000)) - {texts[gone]}))
        full.append(len((filled(ranked, lengths, texts) ^ filled(left, lengths, texts)) - {texts[gone]}))
    assert steady.count(0) >= 70 and full.count(0) <= 5
    assert sum(steady) * 3 < sum(full) * 2


def filled(ranked: list[int], lengths: list[int], texts: list[str]) -> set[str]:
    """To the last character, as conspectus.digesting.materiality.fill does."""
    from conspectus.digesting.materiality import fill

    return {texts[index] for index in fill(ranked, lengths, 8000)}


def test_a_choice_of_few_sentences_is_filled_as_far_as_it_goes() -> None:
    texts = ["a" * 900, "b" * 300, "c" * 80]
    assert steady_fill([0, 1, 2], texts, 400) == [1, 2]
    assert steady_fill([], [], 400) == []
    assert steady_fill([2, 1], texts, 400) == [1, 2]
