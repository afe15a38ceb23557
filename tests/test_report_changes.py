"""What changed between two digests of one document."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pipeline
import pytest
from documents import LEASE, source
from fake_model import FakeModel, shortened
from hypothesis import given
from hypothesis import strategies as st

from conspectus.document import Detail
from conspectus.render.json import render_json as render_digest
from conspectus.report.changes import (
    Point,
    TableName,
    changes_as_dict,
    changes_between,
    changes_from,
    points_of,
    read_points,
)
from conspectus.report.diff import Piece, items_of, marked


def line(text: str, clause: str = "1") -> Point:
    return Point(TableName.LINES, "", f"restated: {text}", text, clause, "1")


def of_text(text: str) -> tuple[Point, ...]:
    made = pipeline.digest(source(text), FakeModel(rule=shortened), Detail.FULL)
    return points_of(json.loads(render_digest(made)))


def test_equal_digests_have_no_changes() -> None:
    points = of_text(LEASE)
    assert {point.table for point in points} == set(TableName)
    changes = changes_between(points, points)
    assert not changes and changes.same_document


def test_a_rent_that_went_up_is_one_item() -> None:
    assert "£48,000" in LEASE
    old, new = of_text(LEASE), of_text(LEASE.replace("£48,000", "£52,500"))
    changes = changes_between(old, new)
    assert not changes.added and not changes.removed
    assert {now.table for _, now in changes.changed} == {TableName.TERMS, TableName.DUTIES, TableName.LINES}
    (item,) = items_of(changes)
    assert item.kind == "changed" and item.clause == "2.1"
    assert item.tables == (TableName.TERMS, TableName.DUTIES, TableName.LINES)
    assert [piece.text for piece in item.before if piece.marked] == ["48,000"]
    assert [piece.text for piece in item.now if piece.marked] == ["52,500"]


def test_a_clause_that_came_and_one_that_went() -> None:
    removed = next(row for row in LEASE.splitlines() if "petrol" in row)
    added = "3.2 The Tenant shall insure the shop window against breakage with a reputable insurer."
    changes = changes_between(of_text(LEASE), of_text(LEASE.replace(removed, added)))
    items = items_of(changes)
    said = {item.kind: "".join(piece.text for piece in item.now or item.before) for item in items}
    assert set(said) == {"added", "removed"} and len(items) == 2
    assert "insure the shop window" in said["added"] and "petrol" in said["removed"]


def test_plain_data_with_tuples_gives_the_same_points() -> None:
    rows = [{"text": "a", "quote": "a b", "clause": "1", "page_labels": ["i", "ii"]}]
    tuples = {"statements": tuple({**row, "page_labels": tuple(row["page_labels"])} for row in rows)}
    assert points_of({"statements": rows}) == points_of(tuples)
    assert points_of(tuples)[-1].pages == "i, ii"


def test_another_wording_of_the_same_sentence_is_no_change() -> None:
    old = line("The Tenant shall pay £10.")
    assert not changes_between([old], [replace(old, text="Rent is £10.", clause="7.1", pages="9")])


def test_a_chinese_deadline() -> None:
    old, new = (
        line("经营者应当在三十日内书面通知用户。", "第十条"),
        line("经营者应当在十五日内书面通知用户。", "第十条"),
    )
    changes = changes_between([old], [new])
    assert changes.changed == ((old, new),)
    (item,) = items_of(changes)
    assert [piece.text for piece in (*item.before, *item.now) if piece.marked] == ["三十", "十五"]


def test_two_equal_points_need_two() -> None:
    point = line("The fee is £5.")
    assert changes_between([point, point], [point]).removed == (point,)
    assert changes_between([point], [point, point]).added == (point,)


def test_each_point_is_in_one_pair() -> None:
    old = [line(f"The Tenant shall pay £{number} on the first day of May.") for number in (1, 2, 3)]
    new = [line(f"The Tenant shall pay £{number} on the first day of June.") for number in (2, 3)]
    changes = changes_between(old, new)
    assert len(changes.changed) == 2 and len(changes.removed) == 1 and not changes.added
    assert len({id(before) for before, _ in changes.changed}) == 2


def test_a_pair_of_large_digests_is_compared_clause_by_clause() -> None:
    old = [line(f"The Tenant shall pay £{number} on day {number}.", str(number)) for number in range(600)]
    new = [line(f"The Tenant must pay £{number} on day {number}.", str(number)) for number in range(600)]
    changes = changes_between(old, new)
    assert all(before.clause == now.clause for before, now in changes.changed) and len(changes.changed) == 600


_points = st.lists(
    st.builds(
        Point,
        st.sampled_from([TableName.TERMS, TableName.DUTIES, TableName.LINES]),
        st.sampled_from(["", "money rent", "The Tenant must"]),
        st.text("ab£1 应当", max_size=12),
        st.text("ab£1 应当", max_size=12),
        st.sampled_from(["1", "2"]),
    ),
    max_size=8,
)


@given(_points, _points)
def test_every_point_is_accounted_for(old: list[Point], new: list[Point]) -> None:
    changes = changes_between(old, new)
    assert len(old) - len(changes.removed) == len(new) - len(changes.added)
    kept = len(old) - len(changes.removed) - len(changes.changed)
    assert kept >= 0
    assert not changes_between(old, old) and changes_between(old, new) == changes
    assert all(before.identity != now.identity for before, now in changes.changed)
    assert changes_from(json.loads(json.dumps(changes_as_dict(changes)))) == changes
    items_of(changes)


@given(st.text("a b,.3一应", max_size=40), st.text("a b,.3一应", max_size=40))
def test_the_pieces_of_short_texts_are_the_texts(before: str, now: str) -> None:
    old, new = marked(before, now)
    if max(len(before), len(now)) <= 30:
        assert "".join(piece.text for piece in old) == before
        assert "".join(piece.text for piece in new) == now
    if before == now:
        assert not any(piece.marked for piece in (*old, *new))


def test_what_stays_the_same_in_a_long_sentence_is_left_out() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    old, new = marked(f"{words} ten {words}", f"{words} eleven {words}")
    shown = "".join(piece.text for piece in old)
    assert len(shown) < 300 and shown.startswith("…") and shown.endswith("…") and "ten" in shown
    assert Piece("eleven", marked=True) in new
    longer = " ".join(f"more{number}" for number in range(2000))
    assert Piece("ten", marked=True) in marked(f"{longer} ten {longer}", f"{longer} eleven {longer}")[0]
    old, _ = marked(f"a {longer} b", "c d")
    assert sum(len(piece.text) for piece in old) <= 410


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'{"schema": 1}', b"\xff\xfe", b"[" * 100_000, b'"statements"']
)
def test_what_is_no_digest_has_no_points(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert read_points(tmp_path / "x.json") is None
    assert read_points(tmp_path / "missing.json") is None
    assert read_points(tmp_path) is None


@pytest.mark.parametrize(
    ("language", "said"), [("zh", "承租人 应当 交租"), ("en", "承租人 must 交租"), (7, "承租人 must 交租")]
)
def test_may_and_must_are_said_in_the_language_of_the_document(language: object, said: str) -> None:
    duty = {"who": "承租人", "modality": "must", "what": "交租"}
    digest = {"document": {"language": language}, "duties": [duty], "statements": []}
    assert [point.text for point in points_of(digest)][1:] == [said]


def test_odd_fields_are_taken_as_empty() -> None:
    odd: dict[str, Any] = {"document": 3, "key_terms": "no", "duties": [None, {}], "statements": [{"text": 4}, 7]}
    assert [point.table for point in points_of(odd)] == [TableName.DOCUMENT, TableName.DUTIES, TableName.LINES]
    assert not changes_between(points_of(odd), points_of(odd)).same_document, "nothing says that the files are equal"


@pytest.mark.parametrize("data", [None, 3, {}, {"added": [{}], "removed": [], "changed": [], "same_document": 0}])
def test_what_is_no_record_of_changes(data: object) -> None:
    assert changes_from(data) is None
