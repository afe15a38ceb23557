"""The checker against the hand-written cases. The bars are what it reaches today.

Those of false lines only ever go up. Those of true lines fell once, when the checker turned from refusing what looks
wrong to accepting only what is known to be harmless: a noun less ("the goods" for "the leased goods") is refused now.
"""

import json

import pytest
from suite import HERE, Row, load, right

ROWS = load("rows_*.jsonl")


def share_right(rows: list[Row]) -> float:
    """The share of rows whose verdict is that of the hand."""
    return sum(map(right, rows)) / len(rows)


@pytest.mark.parametrize(
    ("lang", "verdict", "held_out", "bar"),
    [
        ("en", "refuse", False, 1.0),
        ("en", "refuse", True, 0.95),
        ("zh", "refuse", False, 1.0),
        ("zh", "refuse", True, 0.97),
        ("en", "accept", False, 0.72),
        ("en", "accept", True, 0.56),
        ("zh", "accept", False, 0.72),
        ("zh", "accept", True, 0.54),
    ],
)
def test_verdicts(lang: str, verdict: str, held_out: bool, bar: float) -> None:
    rows = [r for r in ROWS if (r["lang"], r["verdict"], r["held_out"]) == (lang, verdict, held_out)]
    assert len(rows) > 20
    assert share_right(rows) >= bar


@pytest.mark.parametrize(
    ("pattern", "bar"),
    [
        ("paraphrases_en", 0.58),
        ("paraphrases_zh", 0.55),
        ("base_en", 0.95),
        ("base_zh", 0.72),
        ("tuned_paraphrases_en", 0.92),
        ("tuned_paraphrases_zh", 0.86),
        ("tuned_false_en", 1.0),
        ("tuned_false_zh", 1.0),
        ("dev_true_en", 0.8),
        ("dev_true_zh", 0.86),
        ("dev_false_en", 1.0),
        ("dev_false_zh", 1.0),
        ("unseen_paraphrases_en", 0.9),
        ("unseen_paraphrases_zh", 1.0),
        ("unseen_false_en", 1.0),
        ("unseen_false_zh", 1.0),
        ("blind_paraphrases_en", 0.53),
        ("blind_paraphrases_zh", 0.71),
        ("blind_false_en", 1.0),
        ("blind_false_zh", 1.0),
        ("heldout_paraphrases_en", 0.70),
        ("heldout_paraphrases_zh", 0.66),
        ("heldout_false_en", 0.97),
        ("model_kinds_en", 1.0),
        ("model_blind_en", 0.96),
        ("heldout_false_zh", 1.0),
        ("slips_en", 1.0),
        ("slips_zh", 1.0),
    ],
)
def test_other_sets(pattern: str, bar: float) -> None:
    assert share_right(load(f"{pattern}.jsonl")) >= bar


@pytest.mark.parametrize(
    "kind", ["number", "amount", "currency", "duration", "date", "percent", "negation", "modality"]
)
def test_what_costs_money_is_never_accepted(kind: str) -> None:
    rows = [r for r in ROWS if r["kind"] == kind and r["verdict"] == "refuse" and not r["held_out"]]
    assert rows
    assert share_right(rows) == 1.0


def test_lines_over_several_sentences() -> None:
    rows = [r for r in ROWS if r["kind"].startswith("joined")]
    assert len(rows) >= 25
    assert share_right(rows) == 1.0


def test_every_class_of_the_users_pains_has_rows() -> None:
    notes = " ".join(r["note"] for r in ROWS)
    assert [number for number in range(32, 46) if f"field {number}" not in notes] == []


def test_ids_are_unique() -> None:
    rows = [json.loads(line) for path in HERE.glob("*.jsonl") for line in path.read_text("utf-8").split("\n") if line]
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_sentence_is_true_to_itself() -> None:
    evidences = {(r["lang"], r["evidence"]) for r in ROWS if not r["held_out"] and "instructions" not in r["evidence"]}
    rows = [{"lang": lang, "evidence": text, "statement": text} for lang, text in evidences]
    assert len(rows) > 150
    assert [row["evidence"] for row in rows if not right(row)] == []
