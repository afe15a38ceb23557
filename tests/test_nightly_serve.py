"""`conspectus nightly` on a real Prefect server: it runs at its time, and again after everything was killed."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from documents import LEASE
from fake_server import FakeServer
from pdfs import write_pdf
from receivers import SECRET, free_port, receiver, scraped

from conspectus.nightly.notify import URLS
from conspectus.nightly.schedule import read_record

pytestmark = pytest.mark.prefect


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "in").mkdir()
    write_pdf(tmp_path / "in" / "lease.pdf", LEASE.replace("£", "GBP "))
    return tmp_path / "in", tmp_path / "out"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One state folder for the module: making the database takes most of a first start."""
    return tmp_path_factory.mktemp("state")


def until(
    condition: Callable[[], bool], seconds: float, log: Path, process: "subprocess.Popen[bytes] | None" = None
) -> None:
    begun = time.monotonic()
    while not condition():
        assert process is None or process.poll() is None, log.read_text()
        assert time.monotonic() - begun < seconds, log.read_text()
        time.sleep(0.1)


def asked(state: Path, what: str) -> list[dict[str, Any]]:
    """What the server of the schedule has of this kind."""
    about = json.loads((state / "nightly/server.json").read_bytes())
    token = base64.b64encode(about["password"].encode()).decode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{about['port']}/api/{what}/filter",
        b"{}",
        {"Content-Type": "application/json", "Authorization": f"Basic {token}"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return list(json.load(answer))


@contextmanager
def serving(
    places: tuple[Path, Path], model: str, state: Path, environment: dict[str, str] | None = None, *more: str
) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    folder, out = places
    log = folder.parent / "log"
    command = [sys.executable, "-P", "-m", "conspectus", "nightly", "--folder", str(folder), "--out", str(out)]
    own = {"CONSPECTUS_STATE": str(state), "CONSPECTUS_CACHE": str(folder.parent / "cache")}
    with log.open("ab") as file:
        process = subprocess.Popen(
            [*command, "--cron", "* * * * *", "--timezone", "UTC", "--model", model, *more],
            stdout=file, stderr=file, env={**os.environ, **own, **(environment or {})}, start_new_session=True,
        )  # fmt: skip
    try:
        yield process, log
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(30)
        until(lambda: not _ours(process.pid), 30, log)


def _ours(group: int) -> list[str]:
    """Processes that are left of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[3]) == group:
            found.append(stat.parent.name)
    return found


def test_it_runs_at_its_time_and_ends_at_once(places: tuple[Path, Path], state: Path) -> None:
    port = free_port()
    (places[0] / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    more = ("--metrics-port", str(port), "--notify-names")
    with (
        FakeServer() as fake,
        receiver() as (address, got),
        serving(places, fake.url, state, {URLS: address}, *more) as (process, log),
    ):
        until(lambda: bool(got), 180, log, process)
        record = read_record(places[1])
        assert re.search(r"next run \d{4}-\d\d-\d\d \d\d:\d\d UTC", log.read_text())
        assert "unreadable: broken.pdf" in got[0]["message"] and "1 done" in got[0]["message"]
        assert scraped(port)['conspectus_documents_total{state="done"}'] == 1
        assert scraped(port)["conspectus_prompt_tokens_total"] > 100
        until(lambda: bool((record := read_record(places[1])) and record.ended), 30, log, process)
        until(lambda: any(run["state_name"] == "Partial" for run in asked(state, "flow_runs")), 30, log, process)
        assert scraped(port)["conspectus_last_run_exit_code"] == 3
        shown = {one["key"]: one for one in asked(state, "artifacts")}
        assert shown.keys() >= {"conspectus-progress", "conspectus-attention", "conspectus-report"}
        assert "broken.pdf" in shown["conspectus-attention"]["data"]
        assert "report.html" in shown["conspectus-report"]["data"]
        process.send_signal(signal.SIGINT)
        assert process.wait(12) == 130
    assert record is not None
    assert json.loads((places[1] / "lease.pdf.digest.json").read_bytes())["statements"]
    assert SECRET not in log.read_text()


def test_a_run_that_was_killed_is_made_up_for_at_the_start(places: tuple[Path, Path], state: Path) -> None:
    with FakeServer() as fake:
        fake.piece_s = 0.3
        with serving(places, fake.url, state) as (process, log):
            until(lambda: bool(fake.calls), 180, log, process)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            # Nothing goes on without it.
            until(lambda: not _ours(process.pid), 30, log)
        record = read_record(places[1])
        assert record is not None and not record.ended
        assert not (places[1] / "lease.pdf.digest.json").exists()
        fake.piece_s = 0.0
        with serving(places, fake.url, state) as (process, log):
            until(lambda: (places[1] / "lease.pdf.digest.json").exists(), 100, log, process)
        assert "it begins now" in log.read_text()


def test_a_server_that_comes_up_later_is_waited_for(places: tuple[Path, Path], tmp_path: Path) -> None:
    port = free_port()
    home = tmp_path / "server"
    chosen = {"PREFECT_API_URL": f"http://127.0.0.1:{port}/api", "PREFECT_HOME": str(home)}
    # As an administrator starts it: nothing of our own settings.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "CONSPECTUS_"))
    }
    environment |= {"PREFECT_HOME": str(home), "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
    server = [sys.executable, "-P", "-m", "prefect", "server", "start", "--port", str(port), "--no-ui"]
    with FakeServer() as fake, serving(places, fake.url, tmp_path / "state", chosen) as (process, log):
        until(lambda: "waiting for it" in log.read_text(), 60, log, process)
        assert str(port) in log.read_text()
        with (tmp_path / "server.log").open("wb") as file:
            started = subprocess.Popen(server, stdout=file, stderr=file, env=environment)
        try:
            until(lambda: (places[1] / "lease.pdf.digest.json").exists(), 200, log)
        finally:
            started.terminate()
            started.wait(30)
