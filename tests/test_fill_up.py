"""What the lines leave room for: further sentences, and whose words go first."""

import pytest
from documents import source
from fake_model import FakeModel, answer, copied
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline import digest

from conspectus.check.check import Reason
from conspectus.digesting.drafts import Draft
from conspectus.digesting.settle import VERBATIM_SHARE, choose, choose_more, promised, settle
from conspectus.document import Detail, Language, Source, Verdict
from conspectus.llama import Completion, Request

TEXT = "LEASE\n" + "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall pay the sum of £{n}00 to the Landlord within {n} days of a written demand "
    f"that names the Property and the period for which the sum is due.\n"
    for n in range(1, 60)
)


def short(made: Source, index: int, share: float, *reasons: Reason) -> Draft:
    """A draft with so many of its sentence's characters."""
    text = made.sentences[index].text
    return Draft(index, text[: max(1, int(len(text) * share))], reasons)


@pytest.mark.parametrize(("share", "more"), [(0.3, True), (0.5, True), (1.0, False)])
def test_short_lines_leave_room_for_more_sentences(share: float, more: bool) -> None:
    made = source(TEXT)
    chosen = choose(made, Detail.NORMAL)
    drafts = [short(made, index, share) for index in chosen]
    found = choose_more(made, drafts, chosen, Detail.NORMAL)
    assert bool(found) is more
    assert not set(found) & set(chosen) and found == sorted(found)


def test_a_model_that_is_mostly_refused_is_not_asked_about_more() -> None:
    made = source(TEXT)
    chosen = choose(made, Detail.NORMAL)
    drafts = [short(made, index, 0.3, *([Reason.NUMBER] if place % 3 else [])) for place, index in enumerate(chosen)]
    assert choose_more(made, drafts, chosen, Detail.NORMAL) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 1.0), st.booleans()), min_size=59, max_size=59), st.sampled_from(Detail))
def test_the_length_is_kept_whatever_the_lines_are(lines: list[tuple[float, bool]], detail: Detail) -> None:
    made = source(TEXT)
    chosen = choose(made, detail)
    drafts = [short(made, i, *((s,) if ok else (s, Reason.NUMBER))) for i, (s, ok) in zip(chosen, lines, strict=False)]
    more = choose_more(made, drafts, chosen, detail)
    drafts += [short(made, index, 0.5) for index in more]
    made_of = settle(made, drafts, sorted({*chosen, *more}), detail)
    assert sum(len(s.text) for s in made_of) <= promised(made.document, detail)
    assert [s.sentences for s in made_of] == sorted(s.sentences for s in made_of)


def test_lines_of_the_model_go_before_more_of_the_source_s_own_words() -> None:
    made = source(TEXT)
    chosen = choose(made, Detail.NORMAL)
    refused = set(chosen[::2])
    drafts = [short(made, i, 0.6, *([Reason.NUMBER] if i in refused else [])) for i in chosen]
    found = settle(made, drafts, chosen, Detail.NORMAL)
    length = promised(made.document, Detail.NORMAL)
    told = {s.sentences[0] for s in found if s.verdict is Verdict.VERIFIED}
    assert told == set(chosen) - refused, "every true line has a place"
    verbatim = sum(len(s.text) for s in found if s.verdict is Verdict.VERBATIM)
    assert VERBATIM_SHARE * length / 2 < verbatim


def test_a_digest_of_a_model_that_halves_its_sentences_tells_more_of_them() -> None:
    def halved(request: Request) -> Completion:
        (line,) = copied(request).lines
        amount, days = line.partition("(£")[2].partition(")")[0], line.partition("within ")[2].partition(" ")[0]
        return answer(request, [f"The Tenant must pay the Landlord £{amount} within {days} days."])

    def silent(request: Request) -> Completion:
        return answer(request, [""] * len(request.forced))

    words = ("twenty-one", "thirty-one", "forty-one", "fifty-one", "sixty-one", "seventy-one", "eighty-one")
    made = source(
        "LEASE\n"
        + "".join(
            f"{n}. DUTY\n{n}.1 For the avoidance of doubt, the Tenant shall pay to the Landlord the sum of {word} "
            f"thousand pounds (£{n}1,000) within {word} ({n}1) days.\n"
            for n, word in enumerate(words, 2)
        )
    )
    told = {rule: digest(made, FakeModel(rule=rule), Detail.NORMAL, reduce=False) for rule in (halved, silent)}
    assert {s.verdict for s in told[silent].statements} == {Verdict.VERBATIM}
    assert {s.verdict for s in told[halved].statements} == {Verdict.VERIFIED}
    assert len(told[halved].statements) > len(told[silent].statements)


def test_chinese_lines_are_counted_the_same_way() -> None:
    made = source("办法\n" + "".join(f"第{n}条　承租人应当在{n}日内为第{n}件物品支付{n}元。\n" for n in range(1, 40)))
    assert made.language is Language.ZH
    chosen = choose(made, Detail.NORMAL)
    assert choose_more(made, [short(made, index, 0.3) for index in chosen], chosen, Detail.NORMAL)
