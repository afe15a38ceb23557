"""What a batch costs beside the model: many documents, a model of set latency, against the ideal of full slots.

usage: python benchmarks/batch/overhead.py [--documents 40] [--clauses N] [--latency 0.5] [--slots 8] [--jobs N]

Ideal = calls x latency / slots. Prints ratios; cold with a server that is up, warm without outputs, warm with them.
"""

import argparse
import contextlib
import io
import os
import resource
import shutil
import tempfile
import threading
import time
from pathlib import Path

from made import SlowModel, write_documents


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--clauses", type=int, default=400)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--detail", default="full")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conspectus-bench-") as name:
        root = Path(name)
        os.environ |= {"CONSPECTUS_STATE": str(root / "state"), "CONSPECTUS_CACHE": str(root / "cache")}
        measure(given, root)


def measure(given: argparse.Namespace, root: Path) -> None:
    from conspectus.batch import run as batch_run
    from conspectus.options.batch import BatchOptions
    from conspectus.options.digest import ReadingOptions
    from conspectus.prefect_setup import env as prefect_env
    from conspectus.prefect_setup.server import acquire

    write_documents(root / "in", given.documents, given.clauses)
    prefect_env.configure()
    with acquire() as lease:
        lease.wait()
        import conspectus.flows.batch  # noqa: F401 - its import is no part of what is measured

        for name in ("cold", "warm, outputs gone", "warm"):
            model = SlowModel(given.slots, given.latency)
            batch_run.open_model = lambda *_, model=model: model
            if name == "warm, outputs gone":
                shutil.rmtree(root / "out")
            before, began = time.process_time(), time.monotonic()
            options = BatchOptions(output=str(root / "out"), jobs=given.jobs, detail=given.detail, quiet=True)
            with contextlib.redirect_stderr(io.StringIO()):
                end = batch_run.run_batch([root / "in"], options, ReadingOptions())
            wall, cpu = time.monotonic() - began, time.process_time() - before
            ideal = model.calls * given.latency / given.slots
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            ratio = f"{wall / ideal:.2f} x ideal {ideal:.1f} s" if ideal else "no model call"
            print(
                f"{name}: {model.calls} calls, wall {wall:.1f} s, {ratio}, own CPU {cpu:.1f} s, "
                f"parent {memory:.0f} MB, exit {int(end.exit_code)}, threads {threading.active_count()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
