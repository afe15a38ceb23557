"""CPU seconds of `--help` of every command, beside those of a Python that imports cyclopts and ends.

.venv/bin/python -P benchmarks/cli/help_cpu.py
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from cyclopts import App

from conspectus.cli.main import app

RUNS = 3


def commands(group: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name in group:
        if not name.startswith("-"):
            yield from commands(group[name], (*path, name))


def cpu(arguments: Sequence[str]) -> float:
    """The least of RUNS: what else runs on the machine only adds."""
    found = []
    for _ in range(RUNS):
        before = os.times()
        subprocess.run([sys.executable, "-P", *arguments], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        found.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(found)


def main() -> None:
    bare = cpu(["-c", "import cyclopts"])
    print(f"python -c 'import cyclopts'  {bare:.2f} s")
    for path in commands(app):
        seconds = cpu(["-m", "conspectus", *path, "--help"])
        print(f"{' '.join(('conspectus', *path, '--help')):40} {seconds:.2f} s  {seconds / bare:.1f} x")


if __name__ == "__main__":
    main()
