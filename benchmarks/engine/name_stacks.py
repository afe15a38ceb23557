"""Names the functions in what sample_stacks.c wrote, and prints the busiest of each kind.

usage: name_stacks.py FILE [ROWS]   (needs `nm` and unstripped libraries)
"""

import bisect
import subprocess
import sys
from collections import Counter
from functools import cache


@cache
def symbols(library: str) -> tuple[list[int], list[str]]:
    listing = subprocess.run(["nm", "-n", "-C", library], capture_output=True, text=True, check=False).stdout
    if not listing:
        listing = subprocess.run(["nm", "-n", "-C", "-D", library], capture_output=True, text=True, check=False).stdout
    found = [line.split(" ", 2) for line in listing.splitlines() if line[:1] != " "]
    pairs = sorted((int(part[0], 16), part[2]) for part in found if len(part) == 3)
    return [place for place, _ in pairs], [name for _, name in pairs]


@cache
def name(frame: str) -> str:
    library, _, offset = frame.rpartition("+")
    places, names = symbols(library)
    at = bisect.bisect(places, int(offset, 16)) - 1
    short = library.rsplit("/", 1)[-1].split(".so")[0]
    return f"{short}:{names[at][:90] if at >= 0 else '?'}"


def main() -> None:
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        stacks = [[name(f) for f in line.strip().strip(";").split(";")] for line in file if "+" in line]
    leaves = Counter(stack[0] for stack in stacks)
    anywhere = Counter(function for stack in stacks for function in set(stack))
    for title, counts in (("innermost", leaves), ("anywhere on the stack", anywhere)):
        print(f"{title} ({len(stacks)} samples)")
        for function, count in counts.most_common(rows):
            print(f"{100 * count / len(stacks):5.1f} %  {function}")


if __name__ == "__main__":
    main()
