"""How requests end on three servers that fail in every way at once, and what the servers saw.

    .venv/bin/python benchmarks/engine/pool_faults.py [--requests 500] [--runs 3]

The servers are scripted (tests/support/fake_server.py): 500 one time in five, hangs, streams closed or cut by garbage,
connections dropped; one server loses a slot and half its context on the way, one changes its model.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from pool_storm import Storm, run_storm  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    table = Table(title=f"{options.requests} requests, 24 at a time, three servers of 4 slots, every fault at once")
    columns = ("seed", "answers", "typed errors", "lost", "twice", "wrong text", "faults met", "outages", "hedged",
               "calls a request", "seconds", "close, s", "threads left")  # fmt: skip
    for name in columns:
        table.add_column(name, justify="right")
    is_sound = True
    for seed in range(options.runs):
        storm = run_storm(options.requests, seed)
        is_sound &= storm.is_sound
        table.add_row(*_row(seed, storm))
    console = Console(width=150)
    console.print(table)
    return 0 if is_sound else 1


def _row(seed: int, storm: Storm) -> list[str]:
    errors = ", ".join(f"{count} {name}" for name, count in storm.errors.items()) or "0"
    return [
        str(seed), str(len(storm.answers)), errors, str(storm.lost), str(storm.twice), str(storm.wrong),
        str(storm.faults.total()), str(storm.outages), str(storm.hedged), f"{storm.calls / storm.count:.2f}",
        f"{storm.seconds:.1f}", f"{storm.close_s:.2f}", str(len(storm.threads)),
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
