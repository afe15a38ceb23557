"""The verifier suite as two tables: `python tests/verifier/report.py`. Held-out rows are shown as totals only."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from suite import groups, mutation_rates, right


def report() -> str:
    """Both tables as Markdown."""
    lines = ["| rows | right | of | share |", "|---|---|---|---|"]
    for name, rows in groups():
        count = sum(right(row) for row in rows)
        lines.append(f"| {name} | {count} | {len(rows)} | {count / max(1, len(rows)):.1%} |")
    rates = mutation_rates()
    lines += ["", "| mutation | refused | made | share |", "|---|---|---|---|"]
    lines += [f"| {tag} | {r} | {m} | {r / m:.1%} |" for tag, (r, m) in rates.items()]
    refused, made = (sum(pair[i] for pair in rates.values()) for i in (0, 1))
    lines.append(f"| all | {refused} | {made} | {refused / made:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())
