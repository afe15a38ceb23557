"""Two versions clause by clause: random amendments are found exactly, and nothing else is."""

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from documents import ACT, LEASE, document, source
from fake_model import FakeModel, answer, lines_of, shortened
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.compare.align import Unit, align
from conspectus.compare.compare import Change, Comparison, Kind, Status, compare
from conspectus.compare.words import plan_words, with_words
from conspectus.digesting.mapping import Answers
from conspectus.document import PageStatus, Source, Verdict
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.llama import Completion, Request
from conspectus.pdf import read_pdf

BENCH = Path(__file__).parent.parent / "benchmarks" / "amendments"
sys.path.insert(0, str(BENCH))
from variants import RENUMBERING, THREE, lease_pdf  # noqa: E402


def told(made: Comparison) -> list[tuple[str, str | None, str | None]]:
    return [(c.kind.value, c.old.label if c.old else None, c.new.label if c.new else None) for c in made.changes]


def marks(change: Change) -> list[tuple[str, str, str]]:
    return [(mark.kind.value, mark.old, mark.new) for mark in change.marks]


def test_the_same_words_are_no_change() -> None:
    for text in (LEASE, ACT):
        made = compare(source(text), source(text))
        assert (made.status, made.changes) == (Status.SAME, ())
        assert made.unchanged == made.clauses[0] == made.clauses[1]
        assert made.likeness == 1.0


def test_where_lines_and_pages_end_is_no_change() -> None:
    words = LEASE.replace("four equal", "four\nequal").replace("use the Property", "use the\nProperty")
    assert words != LEASE
    first, _, second = words.partition("2. RENT")
    assert compare(source(LEASE), source(first.rstrip("\n"), "2. RENT" + second)).status is Status.SAME
    assert compare(source(ACT), source(ACT.replace("数据交易，", "数据\n交易，", 1))).status is Status.SAME


def test_each_kind_of_change_is_told_with_both_sides() -> None:
    new = LEASE.replace("thirty (30) days", "sixty (60) days").replace("must not store petrol", "may store petrol")
    new = new.replace(", except where the law requires it", "")
    made = compare(source(LEASE), source(new))
    assert told(made) == [("changed", n, n) for n in ("2.2", "2.3", "3.2")]
    assert marks(made.changes[0]) == [("operator", ", except where the law requires it", "")]
    assert marks(made.changes[1]) == [("period", "thirty (30) days", "sixty (60) days")]
    assert marks(made.changes[2]) == [("operator", "must not", "may")]
    old, changed = made.changes[1].old, made.changes[1].new
    assert old and changed
    assert "thirty (30) days" in old.quote and "sixty (60) days" in changed.quote
    assert old.page_labels == ("1",)
    assert made.counts()["unchanged"] == 9


def test_chinese_changes() -> None:
    new = ACT.replace("不得伪造", "可以伪造").replace("三十日", "六十日").replace("五万元以上", "十万元以上")
    made = compare(source(ACT), source(new))
    assert [marks(change) for change in made.changes] == [
        [("period", "三十日", "六十日")],
        [("operator", "不得", "可以")],
        [("amount", "五万元", "十万元")],
    ]


def test_an_inserted_clause_renumbers_those_behind_it_and_references_follow() -> None:
    old = LEASE.replace("only as a bakery.", "only as a bakery, subject to clause 2.3.")
    new = old.replace("2.2 The Tenant shall not", "2.2 The Landlord may sell.\n2.3 The Tenant shall not")
    new = new.replace("2.3 The Landlord must", "2.4 The Landlord must").replace("clause 2.3", "clause 2.4")
    made = compare(source(old), source(new))
    assert told(made) == [
        ("added", None, "2.2"),
        ("renumbered", "2.2", "2.3"),
        ("renumbered", "2.3", "2.4"),
        ("reference followed", "3.1", "3.1"),
    ]
    # A reference that follows nothing is a change.
    other = compare(source(old), source(new.replace("clause 2.4", "clause 2.2")))
    assert told(other)[-1] == ("changed", "3.1", "3.1")


def test_chinese_articles_are_renumbered_and_references_follow() -> None:
    new = ACT.replace("第二条　", "第二条　国家鼓励数据交易依法有序开展。\n第三条　", 1)
    new = new.replace("\n第三条　任何", "\n第四条　任何").replace(
        "\n第四条　违反本条例第三条", "\n第五条　违反本条例第四条"
    )
    new = new.replace("\n第五条　本条例自", "\n第六条　本条例自")
    made = compare(source(ACT), source(new))
    assert told(made) == [
        ("added", None, "第二条"),
        ("renumbered", "第二条", "第三条"),
        ("renumbered", "第三条", "第四条"),
        ("reference followed", "第四条", "第五条"),
        ("renumbered", "第五条", "第六条"),
    ]


def test_a_moved_clause() -> None:
    a, b = "2.2 The Tenant shall not withhold rent, except where the law requires it.\n", "3. USE\n"
    made = compare(source(LEASE), source(LEASE.replace(a, "").replace("2.3 The", "2.2 The") + a.replace("2.2", "3.4")))
    assert b in LEASE
    assert told(made) == [("renumbered", "2.3", "2.2"), ("moved", "2.2", "3.4")]
    assert made.changes[1].moved and made.changes[1].renumbered


def test_two_files_that_have_nothing_in_common() -> None:
    assert compare(source(LEASE), source(ACT)).status is Status.UNRELATED
    other = "".join(
        f"{n}. The buyer of lot {n} collects {n} barrels of pickled herring at dawn.\n" for n in range(1, 9)
    )
    made = compare(source(LEASE), source(other))
    assert (made.status, made.changes) == (Status.UNRELATED, ())


def test_unread_pages_make_it_partial() -> None:
    made = source(LEASE)
    page = replace(made.document.pages[0], status=PageStatus.FAILED)
    unread = replace(made, document=replace(made.document, pages=(page,)))
    assert compare(made, unread).partial and not compare(made, made).partial


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    made = {}
    for name, edits in {"old": (), "three": THREE, "renumbered": RENUMBERING}.items():
        path = tmp_path_factory.mktemp(name) / "lease.pdf"
        path.write_bytes(lease_pdf(edits))
        made[name] = to_source(to_document(path, read_pdf(path)))
    return made


def test_the_amended_sample_has_exactly_the_planted_changes(lease: dict[str, Source]) -> None:
    made = compare(lease["old"], lease["three"])
    assert told(made) == [("changed", "4.2", "4.2"), ("added", None, "15.4"), ("removed", "20.4", None)]
    assert marks(made.changes[0]) == [("number", "first", "fifth")]
    assert made.changes[0].old and made.changes[0].old.page_labels == ("4",)
    assert told(compare(lease["three"], lease["old"])) == [
        ("changed", "4.2", "4.2"),
        ("removed", "15.4", None),
        ("added", None, "20.4"),
    ]
    assert told(compare(lease["old"], lease["renumbered"])) == [
        ("added", None, "8.2"),
        ("renumbered", "8.2", "8.3"),
        ("renumbered", "8.3", "8.4"),
    ]
    assert compare(lease["old"], lease["old"]).status is Status.SAME


def test_a_new_section_renumbers_half_the_lease_and_changes_nothing_else(
    lease: dict[str, Source], tmp_path: Path
) -> None:
    path = tmp_path / "lease.pdf"
    path.write_bytes(lease_pdf(section=True))
    made = compare(lease["old"], to_source(to_document(path, read_pdf(path))))
    counts = made.counts()
    assert [c.new.label for c in made.changes if c.kind is Kind.ADDED and c.new] == ["8", "8.1"]
    assert (counts["changed"], counts["removed"], counts["moved"]) == (0, 0, 0)
    followed = {c.new.label for c in made.changes if c.kind is Kind.FOLLOWED and c.new}
    assert followed >= {"1.3", "11.5", "24.4", "19.2"}
    assert counts["renumbered"] > 60


BODY = st.integers(0, 10**6)


def unit(place: int, seed: int) -> Unit:
    """A clause of 20 words of which no other has many."""
    made = random.Random(seed)
    words = tuple(f"{made.choice('bcdfghk')}{made.randrange(10**6)}" for _ in range(20))
    return Unit(place, str(place + 1), "", "", " ".join(words), words)


def renumber(units: list[Unit]) -> list[Unit]:
    return [replace(one, clause=place, number=str(place + 1)) for place, one in enumerate(units)]


@settings(deadline=None, max_examples=200)
@given(st.lists(BODY, min_size=1, max_size=40, unique=True), st.randoms(use_true_random=False), st.data())
def test_random_amendments_are_found_exactly(seeds: list[int], chance: random.Random, data: st.DataObject) -> None:
    old = [unit(place, seed) for place, seed in enumerate(seeds)]
    new = list(old)
    removed = set(data.draw(st.lists(st.sampled_from(range(len(old))), max_size=5, unique=True)))
    changed = set(data.draw(st.lists(st.sampled_from(range(len(old))), max_size=5, unique=True))) - removed
    moved = data.draw(st.booleans()) and len(old) - len(removed) > 2
    for place in changed:
        words = list(old[place].words)
        words[chance.randrange(20)] = "amended"
        new[place] = replace(old[place], words=tuple(words), body=" ".join(words))
    kept = [one for place, one in enumerate(new) if place not in removed]
    if moved:
        kept.append(kept.pop(0))
    for number in range(data.draw(st.integers(0, 4))):
        kept.insert(chance.randrange(len(kept) + 1), unit(0, 10**7 + number))
    amended = renumber(kept)
    body = [one.words for one in amended]
    found = align(old, amended)
    assert {pair.old for pair in found} == set(range(len(old))) - removed
    assert all(amended[pair.new].words == new[pair.old].words for pair in found)
    assert {pair.old for pair in found if not pair.same} == changed
    assert len({pair.new for pair in found}) == len(found) <= len(body)
    assert sum(pair.moved for pair in found) == (1 if moved else 0)
    assert all(pair.renumbered == (old[pair.old].number != amended[pair.new].number) for pair in found)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12), st.lists(st.sampled_from(["a", "b", ""]), max_size=12)
)
def test_equal_clauses_are_paired_once_each(first: list[str], second: list[str]) -> None:
    sides = [[Unit(i, str(i + 1), "", "", w, tuple(w)) for i, w in enumerate(side)] for side in (first, second)]
    found = align(*sides)
    assert len({pair.old for pair in found}) == len({pair.new for pair in found}) == len(found)
    same = align(sides[0], sides[0])
    assert [(pair.old, pair.new) for pair in same] == [(i, i) for i in range(len(first))]
    assert not any(pair.moved or pair.renumbered or not pair.same for pair in same)


# The words of a change.

NEW_LEASE = LEASE.replace("thirty (30) days", "sixty (60) days").replace(
    "3.3 The air in", "3.3 The Landlord shall paint the shop front before 1 May 2028.\n3.4 The air in"
)


def worded(model: FakeModel) -> Comparison:
    old, new = source(LEASE), source(NEW_LEASE)
    made = compare(old, new)
    calls = plan_words(made, old, new, model)
    answers = Answers({place: model.complete([side.call.request])[0] for place, side in enumerate(calls)})
    return with_words(made, old, new, calls, answers, model)


def test_each_side_is_worded_and_checked_against_its_own_sentence() -> None:
    made = worded(FakeModel(rule=shortened))
    change, added = made.changes[0], made.changes[1]
    assert change.old and change.new and added.new
    assert [line.verdict for line in (*change.old.lines, *change.new.lines, *added.new.lines)] == [Verdict.VERIFIED] * 3
    assert "thirty (30) days" in change.old.lines[0].text and "sixty (60) days" in change.new.lines[0].text
    assert all(line.pages == (0,) for line in change.old.lines)
    assert made.model == "fake"


def test_a_side_told_with_the_number_of_the_other_is_refused() -> None:
    def swapped(request: Request) -> Completion:
        lines = [text.replace("thirty (30)", "sixty (60)") for text in lines_of(request).values()]
        return answer(request, [line.replace("shall", "may") for line in lines])

    made = worded(FakeModel(rule=swapped))
    for change in made.changes:
        for side in (change.old, change.new):
            for line in side.lines if side and change.kind is Kind.CHANGED else ():
                assert (line.verdict, line.text) == (Verdict.VERBATIM, line.quote)
    assert made.changes[0].old and made.changes[0].old.lines[0].reasons


def test_renumbered_clauses_cost_no_call() -> None:
    new = LEASE.replace("2.2 The Tenant shall not", "2.2 The Landlord may sell.\n2.3 The Tenant shall not")
    old, amended = source(LEASE), source(new.replace("2.3 The Landlord must", "2.4 The Landlord must"))
    model = FakeModel()
    assert len(plan_words(compare(old, amended), old, amended, model)) == 1
    assert not plan_words(compare(old, old), old, old, model)


def test_a_long_document_is_compared_without_every_pair() -> None:
    chance = random.Random(3)
    words = [f"word{n}" for n in range(400)]
    texts = [" ".join(chance.choices(words, k=25)) for _ in range(600)]
    old = "".join(f"Section {n} The tenant {text}.\n" for n, text in enumerate(texts, 1))
    new = "".join(f"Section {n} The tenant shall {text} now.\n" for n, text in enumerate(texts, 1))
    made = compare(source(old), source(new))
    assert made.counts()["changed"] == 600
    assert document(old).text != document(new).text
