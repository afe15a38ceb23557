"""The checker against the hand-written cases. The bars are what it reaches today; they only ever go up."""

import json
from pathlib import Path
from typing import Any

import pytest

from conspectus.check import check
from conspectus.document import Language

HERE = Path(__file__).parent


def load(pattern: str) -> list[dict[str, Any]]:
    lines = [line for path in sorted(HERE.glob(pattern)) for line in path.read_text("utf-8").split("\n")]
    return [json.loads(line) for line in lines if line.strip()]


ROWS = load("rows_*.jsonl")


def share_right(rows: list[dict[str, Any]]) -> float:
    """The share of rows whose verdict is that of the hand."""
    right = [
        (not check(r["statement"], r["evidence"], Language(r["lang"]))) == (r["verdict"] == "accept") for r in rows
    ]
    return sum(right) / len(right)


@pytest.mark.parametrize(
    ("lang", "verdict", "held_out", "bar"),
    [
        ("en", "refuse", False, 0.95),
        ("en", "refuse", True, 0.82),
        ("zh", "refuse", False, 0.92),
        ("zh", "refuse", True, 0.89),
        ("en", "accept", False, 0.52),
        ("en", "accept", True, 0.68),
        ("zh", "accept", False, 0.46),
        ("zh", "accept", True, 0.54),
    ],
)
def test_verdicts(lang: str, verdict: str, held_out: bool, bar: float) -> None:
    rows = [r for r in ROWS if (r["lang"], r["verdict"], r["held_out"]) == (lang, verdict, held_out)]
    assert len(rows) > 20
    assert share_right(rows) >= bar


@pytest.mark.parametrize(("lang", "bar"), [("en", 0.55), ("zh", 0.55)])
def test_true_paraphrases(lang: str, bar: float) -> None:
    pairs = [{**pair, "verdict": "accept"} for pair in load(f"paraphrases_{lang}.jsonl")]
    assert share_right(pairs) >= bar


@pytest.mark.parametrize("kind", ["number", "amount", "currency", "duration", "date"])
def test_wrong_values_are_never_accepted(kind: str) -> None:
    rows = [r for r in ROWS if r["kind"] == kind and r["verdict"] == "refuse" and not r["held_out"]]
    assert rows
    assert share_right(rows) == 1.0
