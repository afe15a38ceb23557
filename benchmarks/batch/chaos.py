"""A batch whose processes are killed at random until it is done: the same digests, nothing computed twice, no litter.

usage: python benchmarks/batch/chaos.py [--seeds 10] [--documents 20] [--every 20 60] [--piece 0.02]

For each seed `conspectus batch` is started again and again; every so many seconds one of its processes, chosen at
random (the run itself, its readers, the launcher of Prefect's server, that server), gets SIGKILL. The model is the fake
llama-server of tests/support in this process: it is no process of the program and is left alone. Checked at the end:
- exit code 0, and each digest the bytes of a run that nobody disturbed
- no answer that was stored whole at the time of a kill was written again
- no process of ours is left, and no temporary file
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "support"))

from fake_server import FakeServer  # noqa: E402
from made import text_document  # noqa: E402
from pdfs import write_pdf  # noqa: E402

from conspectus.digesting.answers import lookup  # noqa: E402

MARK = "CONSPECTUS_CHAOS"
MOST_RUNS = 60
DIGESTS = (".digest.json", ".digest.md", ".digest.html")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--clauses", type=int, default=40)
    parser.add_argument("--every", type=float, nargs=2, default=(20.0, 60.0))
    parser.add_argument("--piece", type=float, default=0.02, help="seconds the model takes for twelve characters")
    parser.add_argument("--spare-server", action="store_true", help="keep Prefect's server: its start takes longest")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="conspectus-chaos-") as name, FakeServer(slots=4) as server:
        root = Path(name)
        make(root / "in", given.documents, given.clauses)
        calm = Trial(root / "calm", root / "in", server)
        began = time.monotonic()
        code = calm.start().wait()
        print(f"calm: exit {code}, {len(server.calls)} calls, {time.monotonic() - began:.0f} s", flush=True)
        server.piece_s = given.piece
        wanted = calm.digests()
        bad = 0
        for seed in range(given.first, given.first + given.seeds):
            server.calls.clear()
            trial = Trial(root / f"seed{seed}", root / "in", server)
            with trial.served() if given.spare_server else contextlib.nullcontext():
                bad += not trial.storm(random.Random(seed), tuple(given.every), wanted, f"seed {seed}")
            shutil.rmtree(root / f"seed{seed}", ignore_errors=True)
        print(f"{given.seeds - bad} of {given.seeds} seeds as they should be")
        sys.exit(bad > 0)


def make(folder: Path, documents: int, clauses: int) -> None:
    folder.mkdir()
    for number in range(documents):
        text = text_document(clauses + number, f"C{number:03}")
        if number % 2:
            half = len(text) // 2
            write_pdf(folder / f"contract-{number:03}.pdf", text[:half], text[half:])
        else:
            (folder / f"contract-{number:03}.txt").write_text(text, "utf-8")


class Trial:
    """One output folder with its own state and cache, and the runs that write to it."""

    def __init__(self, root: Path, documents: Path, server: FakeServer) -> None:
        root.mkdir()
        self.root, self.documents, self.server = root, documents, server
        self.environment = {
            **os.environ,
            "CONSPECTUS_STATE": str(root / "state"),
            "CONSPECTUS_CACHE": str(root / "cache"),
            MARK: root.name,
        }
        self.stored: dict[str, int] = {}
        self.again: list[str] = []

    @contextlib.contextmanager
    def served(self) -> Iterator[None]:
        """A Prefect server that is no process of the trial; its runs find it by PREFECT_API_URL."""
        from conspectus.prefect_setup import env as prefect_env
        from conspectus.prefect_setup.server import acquire

        prefect_env.configure()
        with acquire() as lease:
            url = lease.wait()
            self.environment |= {"PREFECT_API_URL": url}
            self.environment |= {name: os.environ[name] for name in ("PREFECT_API_AUTH_STRING",)}
            self.environment.pop(prefect_env.OWN_URL, None)
            yield

    def start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", "conspectus", "batch", str(self.documents), "-o", str(self.root / "out")]
        log = (self.root / "log").open("ab")
        return subprocess.Popen(
            [*command, "--model", self.server.url], env=self.environment, stdout=log, stderr=log, start_new_session=True
        )

    def processes(self) -> list[int]:
        """All that were started from here and live, by the mark in their environment."""
        mark = f"{MARK}={self.root.name}\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    if mark in (entry / "environ").read_bytes() and state != "Z":
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def answers(self) -> dict[str, int]:
        """The answers that are stored whole, and when each was written (nanoseconds)."""
        folder = self.root / "cache" / "answers"
        found = {}
        for path in folder.glob("??/*"):
            try:
                written = path.stat().st_mtime_ns
                if lookup_only(folder, path.name):
                    found[path.name] = written
            except OSError:
                continue
        return found

    def look(self) -> None:
        """Compares the stored answers with those at the last kill."""
        now = self.answers()
        self.again += [key for key, written in self.stored.items() if now.get(key) != written]
        self.stored = now

    def storm(self, chance: random.Random, every: tuple[float, float], wanted: dict[str, bytes], name: str) -> bool:
        began, runs, kills, code = time.monotonic(), 0, 0, -1
        while code != 0 and runs < MOST_RUNS:
            runs += 1
            run = self.start()
            next_kill = time.monotonic() + chance.uniform(*every)
            while run.poll() is None:
                time.sleep(0.1)
                if time.monotonic() < next_kill:
                    continue
                victims = self.processes()
                if victims:
                    victim = chance.choice(victims)
                    kills += 1
                    try:
                        os.kill(victim, signal.SIGKILL)
                    except ProcessLookupError:
                        kills -= 1
                if victims and victim == run.pid:
                    run.wait()
                    self.look()
                next_kill = time.monotonic() + chance.uniform(*every)
            code = run.wait()
        self.look()
        end = time.monotonic() + 30
        while self.processes() and time.monotonic() < end:
            time.sleep(0.2)
        left = self.processes()
        litter = [str(path.relative_to(self.root)) for path in self.root.rglob("*.tmp")]
        got = self.digests()
        same = got == wanted
        good = code == 0 and same and not self.again and not left and not litter
        print(
            f"{name}: {'good' if good else 'BAD'}: exit {code}, {runs} runs, {kills} kills, "
            f"{len(self.server.calls)} calls for {len(self.stored)} answers, computed again {len(self.again)}, "
            f"digests {'equal' if same else 'DIFFER'} ({len(got)}), orphans {len(left)}, temporary files {litter}, "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        if not good:
            print((self.root / "log").read_text("utf-8", "replace")[-3000:])
        for process in left:
            os.kill(process, signal.SIGKILL)
        return good

    def digests(self) -> dict[str, bytes]:
        out = self.root / "out"
        return {
            str(path.relative_to(out)): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.name.endswith(DIGESTS)
        }


_looking = threading.Lock()


def lookup_only(folder: Path, key: str) -> bool:
    """Whether an answer is stored whole. A copy is looked at: `lookup` removes what is torn."""
    with _looking, tempfile.TemporaryDirectory() as name:
        copy = Path(name) / key[:2]
        copy.mkdir()
        shutil.copy(folder / key[:2] / key, copy / key)
        return lookup(Path(name), key) is not None


if __name__ == "__main__":
    main()
