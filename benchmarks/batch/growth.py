"""One document of 10, 100, 1,000 and 3,000 pages: CPU seconds and parent memory per page, the stages apart.

usage: python benchmarks/batch/growth.py [--pages 10 100 1000 3000] [--detail normal]

Each size runs in a process of its own: the peak of its memory is that of this size. CPU time, not wall time: other work
on the machine says nothing of the program. The model answers at once; Prefect's share is measured by overhead.py.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from made import SlowModel, clause

T = TypeVar("T")
CLAUSES_A_PAGE = 9
STAGES = ("reading", "clauses", "packing", "checking", "settling", "reducing", "assembling", "rendering")
_STAGE = {
    "read": "reading", "document": "clauses", "source": "clauses", "plan": "packing", "plan more": "packing",
    "plan retries": "checking", "check": "checking", "settle": "settling", "plan overviews": "reducing",
    "check overviews": "reducing", "assemble": "assembling", "render": "rendering",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, nargs="+", default=[10, 100, 1000, 3000])
    parser.add_argument("--detail", default="normal")
    parser.add_argument("--child", type=int)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(given.child, given.detail)))
        return
    rows = []
    for pages in given.pages:
        command = [sys.executable, __file__, "--child", str(pages), "--detail", given.detail]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-2000:])
            continue
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(row(rows[-1], rows[0]), flush=True)


def row(now: dict[str, float], first: dict[str, float]) -> str:
    pages = now["pages"]
    stages = ", ".join(f"{name} {1000 * now[name] / pages:.1f}" for name in STAGES)
    total = sum(now[name] for name in STAGES) / pages
    base = sum(first[name] for name in STAGES) / first["pages"]
    return (
        f"{pages:.0f} pages, {now['calls']:.0f} calls: {1000 * total:.1f} CPU-ms a page "
        f"({total / base:.2f} x the first), "
        f"parent {now['memory']:.0f} MB ({now['grown'] / pages * 1000:.0f} kB a page above the start); ms: {stages}"
    )


def measure(pages: int, detail: str) -> dict[str, float]:
    from pdfs import write_pdf

    from conspectus.digesting import straight
    from conspectus.digesting.assemble import Wish
    from conspectus.digesting.straight import Models
    from conspectus.document import Detail
    from conspectus.evidence.reading import to_document
    from conspectus.evidence.source import to_source
    from conspectus.pdf import ReadOptions, read_pdf
    from conspectus.render import render_all

    seconds: dict[str, float] = defaultdict(float)

    def cpu() -> float:
        mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime

    def step(name: str, do: Callable[[], T]) -> T:
        began = cpu()
        result = do()
        seconds[_STAGE[name]] += cpu() - began
        return result

    with tempfile.TemporaryDirectory() as folder:
        path = write_pdf(Path(folder) / "long.pdf", *(page(number) for number in range(pages)))
        # What every run pays once, whatever its size: imports, rules, templates.
        small = write_pdf(Path(folder) / "small.pdf", page(0))
        models = Models.of(SlowModel(8, 0))
        wish = Wish(Detail(detail))
        for warm in (small, path):
            if warm is path:
                seconds.clear()
                start = memory()
            reading = step("read", lambda warm=warm: read_pdf(warm, ReadOptions(seconds=3600)))
            document = step("document", lambda warm=warm, reading=reading: to_document(warm, reading))
            source = step("source", lambda document=document: to_source(document))
            made = straight.digest(source, wish, models, straight.direct(models), step)
            step("render", lambda made=made: render_all(made, "long.pdf", ("md", "json", "html")))
    return {
        **{name: seconds[name] for name in STAGES},
        "pages": len(document.pages), "calls": models.model.calls, "memory": memory(), "grown": memory() - start,
    }  # fmt: skip


def page(number: int) -> str:
    lines = [f"{number + 1}. ARTICLE {number + 1}"]
    lines += [f"{number + 1}.{at + 1} {clause(number * CLAUSES_A_PAGE + at)}" for at in range(CLAUSES_A_PAGE)]
    return "\n".join(lines) + "\n"


def memory() -> float:
    """The peak so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    os.environ.setdefault("CONSPECTUS_STATE", tempfile.mkdtemp(prefix="conspectus-growth-"))
    main()
