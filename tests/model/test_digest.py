"""`conspectus digest` as its user runs it, with the real starter model."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from documents import LEASE
from pdfs import write_pdf

from conspectus.check.check import check
from conspectus.document import Language

pytestmark = [pytest.mark.model, pytest.mark.prefect]
DATA = Path(__file__).parent.parent.parent / "data"
LONG = LEASE.replace("£", "GBP ") + "".join(
    f"{n}. DUTY {n}\n{n}.1 The Tenant shall pay the sum of GBP {n}00 within {n} days of demand.\n"
    f"{n}.2 The Landlord must not enter before {n} a.m. unless the Tenant agrees in writing.\n"
    for n in range(4, 24)
)


class Runs:
    """Runs of the program with folders of their own."""

    def __init__(self, folder: Path) -> None:
        self.answers = folder / "cache" / "answers"
        self.out = folder / "out"
        # As a user's shell has it: without what the tests set for Prefect in this process.
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "CONSPECTUS_"))}
        self.environment = own | {
            "CONSPECTUS_CACHE": str(folder / "cache"),
            "CONSPECTUS_STATE": str(folder / "state"),
        }

    def command(self, pdf: Path, *options: str) -> list[str]:
        return [sys.executable, "-P", "-m", "conspectus", "digest", str(pdf), "-o", str(self.out), "--json", *options]

    def run(self, pdf: Path, *options: str) -> tuple[int, dict[str, Any]]:
        """Exit code and summary line."""
        done = subprocess.run(
            self.command(pdf, *options), env=self.environment, capture_output=True, text=True, check=False, timeout=500
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout.strip().split("\n")[-1])

    def stored(self) -> int:
        return sum(1 for path in self.answers.glob("??/*") if len(path.name) == 64)

    def processes(self) -> list[str]:
        """Processes, of any kind, that belong to these folders."""
        mark = f"CONSPECTUS_STATE={self.environment['CONSPECTUS_STATE']}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found

    def wait_until_alone(self, seconds: float) -> list[str]:
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.3)
        return left


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_second_run_makes_no_call_and_gives_the_same_bytes(runs: Runs, tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "lease.pdf", LEASE.replace("£", "GBP "))
    code, first = runs.run(pdf, "--detail", "full")
    assert code == 0
    assert first["model_calls"] > 0
    digest = runs.out / "lease.pdf.digest.json"
    before = {path.name: path.read_bytes() for path in runs.out.glob("*.digest.*")}
    for statement in json.loads(digest.read_text("utf-8"))["statements"]:
        if statement["verdict"] == "verified":
            assert check(statement["text"], statement["quote"], Language.EN) == ()
    code, second = runs.run(pdf, "--detail", "full")
    assert (code, second["model_calls"]) == (0, 0)
    assert second["cache_hits"] >= first["model_calls"]
    assert {path.name: path.read_bytes() for path in runs.out.glob("*.digest.*")} == before


def test_kill_in_the_map_phase_loses_no_stored_answer_and_leaves_no_process(runs: Runs, tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "long.pdf", LONG)
    child = subprocess.Popen(
        runs.command(pdf, "--detail", "full"),
        env=runs.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 300
    while runs.stored() < 3 and time.monotonic() < end:
        assert child.poll() is None
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert runs.wait_until_alone(20) == []
    kept = runs.stored()
    assert kept >= 3
    code, summary = runs.run(pdf, "--detail", "full")
    assert code == 0
    assert summary["cache_hits"] == kept
    assert summary["model_calls"] == runs.stored() - kept
    assert runs.wait_until_alone(20) == []


def test_interrupt_ends_soon_and_says_how_to_go_on(runs: Runs, tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "long.pdf", LONG)
    with subprocess.Popen(
        runs.command(pdf, "--detail", "full"),
        env=runs.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as child:  # fmt: skip
        while runs.stored() < 1:
            assert child.poll() is None
            time.sleep(0.05)
        began = time.monotonic()
        # As a terminal does: to the whole group at once.
        os.killpg(child.pid, signal.SIGINT)
        assert child.wait(timeout=10) == 130
        assert time.monotonic() - began < 10
        assert child.stderr is not None
        said = child.stderr.read()
        assert "run the same command again" in said
        assert "Traceback" not in said and "Crash" not in said
    assert not list(runs.out.glob("*")) if runs.out.exists() else True
    assert runs.wait_until_alone(20) == []


def test_chinese_document(runs: Runs, tmp_path: Path) -> None:
    code, summary = runs.run(DATA / "act-zh.pdf", "--detail", "brief", "--lang", "zh")
    assert code == 0
    made = json.loads((runs.out / "act-zh.pdf.digest.json").read_text("utf-8"))
    assert summary["clauses"] == made["coverage"]["accounted"]
    said = sum(len(s["text"]) for s in made["statements"])
    assert 0 < said <= 0.10 * made["document"]["characters"]
    assert all(s["clause"].startswith("第") for s in made["statements"])


@pytest.mark.parametrize("context", ["128", "300"])
def test_a_context_too_small_for_one_sentence(context: str, runs: Runs, tmp_path: Path) -> None:
    pdf = write_pdf(tmp_path / "lease.pdf", LEASE.replace("£", "GBP "))
    done = subprocess.run(
        [*runs.command(pdf), "--context", context, "-q"],
        env=runs.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5
    assert "context" in done.stderr and "--context" in done.stderr
    assert not list(runs.out.glob("*"))
