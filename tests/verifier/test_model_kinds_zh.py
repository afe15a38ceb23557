"""Lines of the kinds that a small model writes from Chinese sentences: no false one passes."""

from collections import Counter

import pytest
from suite import load, right

ROWS = load("model_kinds_zh.jsonl")
KINDS = sorted({row["kind"] for row in ROWS})


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind: str) -> None:
    assert [row["statement"] for row in ROWS if row["kind"] == kind and not right(row)] == []


def test_false_and_true_lines_stand_side_by_side() -> None:
    verdicts = Counter(row["verdict"] for row in ROWS)
    assert verdicts["refuse"] >= 40
    assert verdicts["accept"] >= 25
