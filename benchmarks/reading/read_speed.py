"""How fast pages are read, as ratios: against bare `extract_text()`, with and without detection, on one and two cores.

    uv run python benchmarks/reading/read_speed.py [FILE.pdf ...] [--rounds 3]

CPU seconds (best of the rounds) for the first three columns, so that other work on the machine matters little; wall
time for the speed-up of two workers over one, and the same by the CPU time of the busiest child, which is what an idle
machine would show. `bare` is pypdf as it comes: open the file and
call `extract_text()` on each page.
"""

import argparse
import logging
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from conspectus.pdf import ReadOptions, read_pdf

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus"
DEFAULT = [
    "statutes/zh_civil_code_distiller_234p.pdf",
    "statutes/zh_civil_code_word_141p.pdf",
    "statutes/eu_gdpr_council_261p.pdf",
    "statutes/us_nist_800_66r1_hipaa.pdf",
    "contracts/cuad_train_03_service_verizon.pdf",
]
TARGETS = {"with detection": 0.6, "without": 0.9}


def bare(path: Path) -> int:
    from pypdf import PdfReader

    return sum(len(page.extract_text()) for page in PdfReader(path).pages)


def ours(path: Path, detect: bool) -> int:
    from conspectus.pdf.engine import Pypdf, cache_fonts

    cache_fonts()
    engine = Pypdf(path.read_bytes(), None, detect)
    return sum(len(engine.page(index)["text"]) for index in range(engine.head()["pages"]))


def one(kind: str, path: Path) -> None:
    """Runs in a process of its own, so that no cache is shared; prints CPU seconds and characters."""
    logging.disable(logging.CRITICAL)
    import pypdf  # noqa: F401 - its import is not what is measured

    began = time.process_time()
    size = bare(path) if kind == "bare" else ours(path, kind == "detect")
    print(time.process_time() - began, size)


def cpu(kind: str, path: Path, rounds: int) -> tuple[float, int]:
    runs = []
    for _ in range(rounds):
        command = [sys.executable, __file__, "--one", kind, str(path)]
        seconds, size = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        runs.append((float(seconds), int(size)))
    return min(runs)


def wall(path: Path, workers: int, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        read_pdf(path, ReadOptions(workers=workers, second_opinion=False))
        best = min(best, time.perf_counter() - began)
    return best


def longest_child(path: Path, workers: int, rounds: int) -> float:
    """CPU seconds of the busiest child, start and opening included: the wall time where each has a core to itself."""
    from conspectus.pdf import pool

    spent: list[float] = []
    close = pool.Worker.close

    def count(worker: pool.Worker) -> None:
        fields = Path(f"/proc/{worker.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        spent.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        close(worker)

    pool.Worker.close = count  # type: ignore[method-assign]
    try:
        best = float("inf")
        for _ in range(rounds):
            spent.clear()
            read_pdf(path, ReadOptions(workers=workers, second_opinion=False))
            best = min(best, max(spent))
        return best
    finally:
        pool.Worker.close = close  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2)
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.one[0], Path(arguments.one[1]))
        return
    files = arguments.files or [CORPUS / name for name in DEFAULT if (CORPUS / name).is_file()]
    print(f"{'file':<42} {'bare s':>7} {'detect':>7} {'without':>8} {'1 core s':>9} {'2 cores':>8} {'by CPU':>7}")
    for path in files:
        seconds, _ = cpu("bare", path, arguments.rounds)
        detect, _ = cpu("detect", path, arguments.rounds)
        without, _ = cpu("plain", path, arguments.rounds)
        single = wall(path, 1, arguments.rounds)
        double = wall(path, 2, arguments.rounds)
        busiest = longest_child(path, 1, arguments.rounds) / longest_child(path, 2, arguments.rounds)
        print(
            f"{path.name:<42} {seconds:7.2f} {seconds / detect:6.2f}x {seconds / without:7.2f}x"
            f" {single:9.2f} {single / double:7.2f}x {busiest:6.2f}x"
        )
    print(f"targets: pages/s against bare {TARGETS}; two cores 1.6x for the 234-page code")
    print(f"parent's peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
