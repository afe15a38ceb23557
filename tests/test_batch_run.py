"""`conspectus batch` on a real Prefect server with a scripted model."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_model import FakeModel, copied, shortened
from fake_server import FakeServer

from conspectus.batch import run as batch_run
from conspectus.batch.server import FlowHost
from conspectus.cli import main as cli
from conspectus.errors import EngineError, ExitCode, ModelError
from conspectus.llama import Completion, Request

pytestmark = pytest.mark.prefect
CONTRACT = "1. RENT\n1.1 The Tenant shall pay GBP {0} a month.\n1.2 The Landlord must not enter unless {0} agree.\n"
Batch = Callable[..., int]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for number, name in enumerate(("a.txt", "b.txt", "c.txt", "sub/a.txt")):
        (folder / name).write_text(CONTRACT.format(number + 1))
    return folder


@pytest.fixture
def batch(prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """Runs `conspectus batch IN -o OUT` with a model and a cache of its own; returns the exit code."""
    monkeypatch.setenv("CONSPECTUS_CACHE", str(tmp_path / "cache"))

    def run(model: FakeModel, *options: str, inputs: tuple[str, ...] | None = None) -> int:
        monkeypatch.setattr(batch_run, "open_model", lambda *_: model)
        given = (str(tmp_path / "in"),) if inputs is None else inputs
        return cli.run(["batch", *given, "-o", str(tmp_path / "out"), *options])

    return run


def digests(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.digest.*")}


def lines(captured: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in captured.splitlines()]


def test_a_batch_is_done_reported_and_found_unchanged(
    batch: Batch, documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = FakeModel(rule=shortened)
    assert batch(model, "--json") == ExitCode.OK
    told = lines(capsys.readouterr().out)
    assert [line["message_type"] for line in told] == ["begin", *["document"] * 4, "summary"]
    assert told[-1]["states"]["done"] == 4 and told[-1]["model_calls"] == len(model.asked)
    assert {path.name for path in (tmp_path / "out").glob("report.*")} == {"report.md", "report.html", "report.json"}
    assert model.closed
    made = digests(tmp_path / "out")
    assert len(made) == 12
    again = FakeModel(rule=shortened)
    assert batch(again, "--json") == ExitCode.OK
    told = lines(capsys.readouterr().out)
    assert again.asked == [] and told[-1]["states"]["unchanged"] == 4
    assert digests(tmp_path / "out") == made


def test_a_document_wholly_in_the_cache_starts_no_subflow(
    batch: Batch, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert batch(FakeModel(rule=shortened)) == ExitCode.OK
    made = digests(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    started: list[Path] = []
    real = FlowHost.digest
    monkeypatch.setattr(FlowHost, "digest", lambda host, path: (started.append(path), real(host, path))[1])
    again = FakeModel(rule=shortened)
    assert batch(again) == ExitCode.OK
    assert again.asked == [] and started == []
    assert digests(tmp_path / "out") == made
    (documents / "d.txt").write_text(CONTRACT.format(9))
    assert batch(again) == ExitCode.OK
    assert [path.name for path in started] == ["d.txt"]


def test_an_error_in_one_subflow_stops_no_other(
    batch: Batch, documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def rule(request: Request) -> Completion:
        if "GBP 2 " in request.messages[-1].content:
            raise ValueError("a fault of the program")
        time.sleep(0.05)
        return shortened(request)

    assert batch(FakeModel(rule=rule)) == ExitCode.PARTIAL
    assert "b.txt: unexpected ValueError: a fault of the program" in capsys.readouterr().err.replace("\n", " ")
    assert {name.split(".")[0] for name in digests(tmp_path / "out")} == {"a", "c", "sub/a"}
    assert batch(FakeModel(rule=shortened)) == ExitCode.OK
    assert {name.split(".")[0] for name in digests(tmp_path / "out")} == {"a", "b", "c", "sub/a"}


def test_failed_calls_make_one_document_partial_and_are_made_again(
    batch: Batch, documents: Path, tmp_path: Path
) -> None:
    def rule(request: Request) -> Completion:
        if "GBP 2 " in request.messages[-1].content:
            raise EngineError("the slot was lost", retryable=False)
        return shortened(request)

    assert batch(FakeModel(rule=rule)) == ExitCode.PARTIAL
    facts = json.loads((tmp_path / "out" / "b.txt.run.json").read_bytes())
    assert facts["status"] == "partial" and facts["engine_errors"] == ["the slot was lost"]
    again = FakeModel(rule=shortened)
    assert batch(again) == ExitCode.OK
    assert all("GBP 2 " in request.messages[-1].content for request in again.asked) and again.asked


def test_a_model_that_cannot_be_used_ends_the_run(batch: Batch, documents: Path, tmp_path: Path) -> None:
    def rule(_: Request) -> Completion:
        raise ModelError("weights are broken", "Fetch it again")

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.md").write_text("of the night before")
    assert batch(FakeModel(rule=rule)) == ExitCode.MODEL
    assert digests(tmp_path / "out") == {}
    assert "4 documents" in (tmp_path / "out" / "report.md").read_text()
    assert batch(FakeModel(rule=shortened)) == ExitCode.OK


def test_documents_overlap_and_share_the_slots(batch: Batch, documents: Path) -> None:
    together = threading.Barrier(3, timeout=60)
    seen: set[str] = set()

    def rule(request: Request) -> Completion:
        seen.add(threading.current_thread().name)
        # The first calls of three documents meet here, or the barrier breaks and fails the run.
        if len(model.asked) <= 3:
            together.wait()
        return copied(request)

    model = FakeModel(rule=rule, slots=3)
    assert batch(model, "--jobs", "4") == ExitCode.OK
    assert seen and all(name.startswith("conspectus-call") for name in seen)


def test_time_that_is_up_leaves_a_run_that_can_go_on(
    batch: Batch, documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert batch(FakeModel(rule=shortened), "--max-hours", "0.0000001", "--json") == ExitCode.PARTIAL
    summary = lines(capsys.readouterr().out)[-1]
    assert summary["end"] == "time up" and summary["exit_code"] == ExitCode.PARTIAL
    assert batch(FakeModel(rule=shortened), "--max-hours", "5") == ExitCode.OK
    assert len(digests(tmp_path / "out")) == 12


def test_lists_from_a_file_and_a_pipe(
    batch: Batch, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(documents)
    (tmp_path / "list").write_text("a.txt\nsub/a.txt\n")
    assert batch(FakeModel(), "--from-list", str(tmp_path / "list"), inputs=()) == ExitCode.OK
    assert {name.split(".")[0] for name in digests(tmp_path / "out")} == {"a", "sub/a"}
    for arguments in (("-",), ("--from-list", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"b.txt\n")))
        assert batch(FakeModel(), inputs=arguments) == ExitCode.OK
    assert {name.split(".")[0] for name in digests(tmp_path / "out")} == {"a", "b", "sub/a"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--jobs", "0"), "--jobs 0"),
        (("--max-hours", "0"), "no time"),
        (("--max-hours", "nan"), "no time"),
        (("--wait", "nan"), "no number of minutes"),
        (("--wait", "-1"), "no number of minutes"),
        (("--format", "pdf"), "pdf"),
    ],
)
def test_what_cannot_be_begun_is_refused(
    batch: Batch, documents: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert batch(FakeModel(), *arguments) == ExitCode.USAGE
    assert words in capsys.readouterr().err
    for output in ((), ("-o", "-")):
        assert cli.run(["batch", str(documents), *output]) == ExitCode.USAGE
        assert "needs a folder" in capsys.readouterr().err


def test_an_empty_folder_and_a_missing_one(batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert batch(FakeModel(), inputs=(str(tmp_path / "empty"),)) == ExitCode.USAGE
    assert "no document found" in capsys.readouterr().err
    assert batch(FakeModel(), inputs=(str(tmp_path / "gone"),)) == ExitCode.PARTIAL
    assert "no such file" in capsys.readouterr().err


def test_an_output_folder_that_cannot_be_written_to(
    batch: Batch, documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file")
    assert batch(FakeModel()) == ExitCode.USAGE
    (tmp_path / "out").unlink()
    (tmp_path / "out").symlink_to("/proc/self/nothing")
    assert batch(FakeModel()) == ExitCode.USAGE
    assert "Name another folder with -o" in " ".join(capsys.readouterr().err.split())


class Started:
    """`conspectus batch` in a process of its own, on the session's Prefect server and a fake llama-server."""

    def __init__(self, documents: Path, folder: Path, server: FakeServer) -> None:
        # The session's Prefect server lies in another state folder: handed over as a user's own would be.
        environment = {name: value for name, value in os.environ.items() if name != "CONSPECTUS_PREFECT_URL"}
        environment |= {"CONSPECTUS_STATE": str(folder / "state"), "CONSPECTUS_CACHE": str(folder / "cache")}
        command = [sys.executable, "-P", "-m", "conspectus", "batch", str(documents), "-o", str(folder / "out")]
        self.answers = folder / "cache" / "answers"
        self.process = subprocess.Popen(
            [*command, "--model", server.url], env=environment, stderr=subprocess.PIPE, start_new_session=True
        )

    def stored(self) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in self.answers.glob("??/*")}

    def wait_for(self, answers: int) -> None:
        end = time.monotonic() + 120
        while len(self.stored()) < answers:
            assert time.monotonic() < end and self.process.poll() is None
            time.sleep(0.05)


def test_kill_and_ctrl_c_lose_nothing_that_was_stored(prefect_api: str, documents: Path, tmp_path: Path) -> None:
    for number in range(4):
        text = "\n".join(f"{at}.1 The Tenant shall pay GBP {at}{number} within {at} days." for at in range(1, 30))
        (documents / f"{number}.txt").write_text(text)
    with FakeServer(slots=2) as server:
        server.piece_s = 0.02
        first = Started(documents, tmp_path, server)
        first.wait_for(3)
        first.process.kill()
        first.process.communicate()
        # The last one may be torn: it was being written.
        kept = dict(sorted(first.stored().items(), key=lambda item: item[1])[:-2])
        second = Started(documents, tmp_path, server)
        second.wait_for(len(first.stored()) + 3)
        asked = time.monotonic()
        second.process.send_signal(signal.SIGINT)
        _, said = second.process.communicate(timeout=60)
        assert second.process.returncode == ExitCode.INTERRUPTED
        assert time.monotonic() - asked < 10
        assert b"run the same command again" in said and b"unexpected" not in said
        kept |= second.stored()
        server.piece_s = 0
        third = Started(documents, tmp_path, server)
        _, said = third.process.communicate(timeout=180)
        assert third.process.returncode == ExitCode.OK, said
    now = third.stored()
    assert {key: now.get(key) for key in kept} == kept
    assert not list(tmp_path.rglob("*.tmp"))
    assert len(digests(tmp_path / "out")) == 3 * 8
