"""The verifier suite as data: its rows, whether the checker is right about one, and the mutation rates."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from mutate import mutants

from conspectus.check.check import check
from conspectus.document import Language

HERE = Path(__file__).parent.parent / "verifier"
Row = dict[str, Any]


def load(pattern: str) -> list[Row]:
    """The rows of all files of the suite whose name fits."""
    lines = [line for path in sorted(HERE.glob(pattern)) for line in path.read_text("utf-8").split("\n")]
    return [json.loads(line) for line in lines if line.strip()]


def right(row: Row) -> bool:
    """Whether the checker's verdict is that of the hand; a row without one is true."""
    return bool(check(row["statement"], row["evidence"], Language(row["lang"]))) == (
        row.get("verdict", "accept") == "refuse"
    )


def mutation_rates() -> dict[str, tuple[int, int]]:
    """Refused and made, by mutation, of the statements that pass unchanged."""
    made: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for row in filter(right, load("base_*.jsonl")):
        for tag, text in mutants(row).items():
            made[tag] += 1
            refused[tag] += bool(check(text, row["evidence"], Language(row["lang"])))
    return {tag: (refused[tag], made[tag]) for tag in sorted(made)}


def groups() -> list[tuple[str, list[Row]]]:
    rows = load("rows_*.jsonl")
    found = []
    for lang in ("en", "zh"):
        for verdict, name in (("refuse", "false lines"), ("accept", "true lines")):
            for held_out in (False, True):
                found.append(
                    (
                        f"{lang} {name}, rows{' held out' if held_out else ''}",
                        [r for r in rows if (r["lang"], r["verdict"], r["held_out"]) == (lang, verdict, held_out)],
                    )
                )
        found.append((f"{lang} false lines, second held-out set", load(f"heldout_false_{lang}.jsonl")))
        found.append((f"{lang} false lines, written while tuning", load(f"tuned_false_{lang}.jsonl")))
        found.append((f"{lang} true paraphrases, written while tuning", load(f"tuned_paraphrases_{lang}.jsonl")))
        found.append((f"{lang} true paraphrases", load(f"paraphrases_{lang}.jsonl")))
        found.append((f"{lang} true paraphrases, second held-out set", load(f"heldout_paraphrases_{lang}.jsonl")))
        found.append((f"{lang} true lines, written while working", load(f"dev_true_{lang}.jsonl")))
        found.append((f"{lang} false lines, written while working", load(f"dev_false_{lang}.jsonl")))
        found.append((f"{lang} true paraphrases, blind set", load(f"blind_paraphrases_{lang}.jsonl")))
        found.append((f"{lang} false lines, blind set", load(f"blind_false_{lang}.jsonl")))
        found.append((f"{lang} lines of the kinds that a model writes", load(f"model_kinds_{lang}.jsonl")))
        found.append((f"{lang} slips in lines that repeat their sentence", load(f"slips_{lang}.jsonl")))
        found.append((f"{lang} base statements (true)", [r for r in load("base_*.jsonl") if r["lang"] == lang]))
    return found
