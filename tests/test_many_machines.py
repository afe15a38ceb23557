"""Model calls on a Dask cluster with two servers, and a Prefect server on PostgreSQL: as with many machines, on one."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from documents import LEASE
from fake_server import FakeServer
from pdfs import write_pdf

from conspectus.cli import main as cli
from conspectus.digesting.answers import lookup
from conspectus.digesting.desk import Desk
from conspectus.errors import EngineError, ExitCode, ModelChanged, UsageError
from conspectus.llama import Message, Request, remote
from conspectus.llama.choose import ServerAccess
from conspectus.llama.remote import Cluster, Place, Remote
from conspectus.paths import answers_dir
from conspectus.prefect_setup.env import OWN_URL

TEXT = LEASE.replace("£", "GBP ")
DASK = Cluster("dask", "tcp://127.0.0.1:1")


def long_text(number: int) -> str:
    return TEXT + "".join(
        f"{n}. DUTY {n}\n{n}.1 The Tenant shall pay the sum of GBP {number}{n}00 within {n} days of demand.\n"
        f"{n}.2 The Landlord must not enter before {n} a.m. unless the Tenant agrees in writing.\n"
        for n in range(4, 30)
    )


def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, what
        time.sleep(0.05)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Callable[[str], Place]]:
    yield lambda addresses: Place(tmp_path / "requests", addresses, 4096, ServerAccess())
    remote.close_models()


REQUEST = Request((Message("system", "Be brief."), Message("user", "第一条 \ud800 hello")), 50, ("1: ",), 20)


def test_another_process_finds_request_and_model(place: Callable[[str], Place], tmp_path: Path) -> None:
    """What a worker does, with nothing but what travels with the call."""
    import pickle

    from conspectus.llama.choose import choose_model

    with FakeServer() as fake:
        model = choose_model(fake.url, 4096, lambda _: None)
        try:
            with Remote(DASK, place(fake.url)) as away, Desk(model, remote=away) as desk:
                spec = pickle.loads(pickle.dumps(desk.put(REQUEST, "lease.pdf chunk 1")))
                assert spec.place is not None
                (file,) = spec.place.requests.iterdir()
                assert file.stat().st_mode & 0o077 == 0
                completion = remote.answer_to(spec.place, spec.key)
                assert completion.lines == model.complete([REQUEST])[0].lines
                desk.note_made(spec.key, completion)
                desk.note_made(spec.key, None, "no server answers")
                assert desk.counts.model_calls == 2 and desk.counts.prompt_tokens == completion.prompt_tokens
            # The text of documents does not outlive the run.
            assert list((tmp_path / "requests").iterdir()) == []
            with pytest.raises(EngineError, match="no request") as error:
                remote.answer_to(spec.place, spec.key)
            assert not error.value.retryable and "CONSPECTUS_CACHE" in error.value.remedy
        finally:
            model.close()


def test_a_worker_that_reaches_another_model_is_refused(place: Callable[[str], Place]) -> None:
    with FakeServer() as fake, FakeServer() as other:
        other.model, other.n_params = "other-1b", 1_000_000_000
        from conspectus.llama.choose import choose_model

        model = choose_model(fake.url, 4096, lambda _: None)
        try:
            with Remote(DASK, place(other.url)) as away, Desk(model, remote=away) as desk:
                spec = desk.put(REQUEST, "x")
                assert spec.place is not None
                with pytest.raises(ModelChanged):
                    remote.answer_to(spec.place, spec.key)
                # A file that was tampered with gives another key.
                (spec.place.requests / f"{spec.key}.json").write_text(json.dumps({"messages": [], "max_tokens": 5}))
                with pytest.raises(ModelChanged):
                    remote.answer_to(spec.place, spec.key)
                (spec.place.requests / f"{spec.key}.json").write_text("torn")
                with pytest.raises(EngineError) as torn:
                    remote.answer_to(spec.place, spec.key)
                assert torn.value.retryable
        finally:
            model.close()


def test_what_killed_runs_left_is_swept_after_a_week(place: Callable[[str], Place]) -> None:
    there = place("http://127.0.0.1:9")
    for name, days in (("old", 8), ("young", 1)):
        (there.requests / name).mkdir(parents=True)
        then = time.time() - days * 86400
        os.utime(there.requests / name, (then, then))
    with Remote(DASK, there):
        assert sorted(one.name for one in there.requests.iterdir())[-1] == "young"
        assert not (there.requests / "old").exists()


def test_a_file_cannot_be_the_model_of_a_cluster(place: Callable[[str], Place]) -> None:
    with pytest.raises(UsageError, match="servers"):
        Remote(DASK, place("starter"))
    with pytest.raises(UsageError, match=r"overviews\.gguf"):
        Remote(DASK, place("http://127.0.0.1:9"), "overviews.gguf")


@pytest.mark.parametrize("command", ["batch", "digest"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--runner", "dask"], "--cluster"),
        (["--cluster", "tcp://x:1"], "--runner"),
        (["--runner", "dask", "--cluster", "tcp://x:1"], "PREFECT_API_URL"),
        (["--runner", "ray", "--cluster", "ray://x:1"], "conspectus"),
        (["--runner", "spark"], "spark"),
    ],
)
def test_what_a_cluster_needs_is_said(
    command: str,
    options: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(TEXT)
    code = cli.run([command, str(tmp_path / "in" / "a.txt"), "-o", str(tmp_path / "out"), *options])
    assert code == ExitCode.USAGE
    assert said in capsys.readouterr().err


@contextmanager
def cluster(environment: dict[str, str], log: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A Dask scheduler with two workers, each a process of its own; gives the address and the workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    every = {**os.environ, **environment}
    with log.open("ab") as file:

        def started(*arguments: str) -> "subprocess.Popen[bytes]":
            command = [sys.executable, "-P", "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
            return subprocess.Popen(command, stdout=file, stderr=file, env=every)

        port = address.rpartition(":")[2]
        scheduler = started("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show")
        worker = ("worker", address, "--nthreads", "2", "--no-nanny", "--no-dashboard", "--death-timeout", "120",
                  "--local-directory", str(log.parent / "dask"))  # fmt: skip
        workers = [started(*worker), started(*worker)]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.terminate()
        for process in (*workers, scheduler):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(1, 4):
        write_pdf(folder / f"lease {number}.pdf", long_text(number))
    return folder


def statements(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_bytes())["statements"] for path in sorted(folder.glob("*.digest.json"))}


@pytest.mark.prefect
def test_a_batch_on_dask_survives_a_server_and_a_worker(
    documents: Path, tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers, two servers; in the middle one server goes away and one worker is killed."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("CONSPECTUS_CACHE", str(cache))
    # As a server of the user's: the workers reach it by the same address.
    monkeypatch.delenv(OWN_URL, raising=False)
    monkeypatch.setenv("PREFECT_API_URL", prefect_api)
    calm, out = tmp_path / "calm", tmp_path / "out"
    with FakeServer() as one, FakeServer() as two:
        model = f"{one.url},{two.url}"
        assert cli.run(["batch", str(documents), "-o", str(calm), "--model", model, "-q"]) == ExitCode.OK
        shutil.rmtree(cache)
        before = len(one.calls) + len(two.calls)
        assert before > 10
        for fake in (one, two):
            fake.piece_s = 0.02
        with cluster({"CONSPECTUS_CACHE": str(cache)}, tmp_path / "dask.log") as (address, workers):
            import threading

            def harm() -> None:
                until(lambda: len(one.calls) + len(two.calls) > before + 6, 100, "no call came")
                one.stop()
                workers[0].send_signal(signal.SIGKILL)

            killer = threading.Thread(target=harm)
            killer.start()
            more = ["--runner", "dask", "--cluster", address]
            code = cli.run(["batch", str(documents), "-o", str(out), "--model", model, "-q", *more])
            killer.join()
        assert code == ExitCode.OK, (tmp_path / "dask.log").read_text()
    assert statements(out) == statements(calm)
    # Made by the workers alone, and every answer stored.
    stored = [path for path in (cache / "answers").rglob("*") if len(path.name) == 64]
    assert len(stored) >= len({key for key in (path.name for path in stored) if lookup(answers_dir(), key)}) > 10
    assert list((cache / "requests").iterdir()) == []
    assert not any("No module" in line for line in (tmp_path / "dask.log").read_text().splitlines())


@pytest.mark.prefect
def test_one_document_on_dask(
    documents: Path, tmp_path: Path, prefect_api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, document = tmp_path / "cache", documents / "lease 1.pdf"
    monkeypatch.setenv("CONSPECTUS_CACHE", str(cache))
    monkeypatch.delenv(OWN_URL, raising=False)
    monkeypatch.setenv("PREFECT_API_URL", prefect_api)
    with FakeServer() as server:
        common = ["digest", str(document), "--model", server.url, "-q"]
        assert cli.run([*common, "-o", str(tmp_path / "here")]) == ExitCode.OK
        shutil.rmtree(cache)
        with cluster({"CONSPECTUS_CACHE": str(cache)}, tmp_path / "dask.log") as (address, _):
            code = cli.run([*common, "-o", str(tmp_path / "there"), "--runner", "dask", "--cluster", address])
        assert code == ExitCode.OK, (tmp_path / "dask.log").read_text()
    assert statements(tmp_path / "there") == statements(tmp_path / "here")
    assert list((cache / "requests").iterdir()) == []


def postgres() -> Path | None:
    """The folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin")), *([Path(found).resolve().parent] if found else [])]
    needed = ("initdb", "postgres", "pg_isready", "createdb")
    return next((place for place in reversed(places) if all((place / name).exists() for name in needed)), None)


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """A private PostgreSQL server on a socket below `folder` and on loopback; gives its URL for Prefect."""
    programs = postgres()
    assert programs is not None
    # PostgreSQL refuses to run as root.
    user: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user:
        shutil.chown(folder, "nobody", "nogroup")
        shutil.chown(data, "nobody", "nogroup")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder, **user}
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "prefect", "-A", "trust", "-E", "UTF8", "--no-sync"], **quiet
    )
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-c", "fsync=off"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user,
    )  # fmt: skip
    try:
        ready = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-q"]
        until(lambda: subprocess.run(ready, check=False).returncode == 0, 60, "PostgreSQL does not start")
        subprocess.run([programs / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "prefect", "prefect"], **quiet)
        yield f"postgresql+asyncpg://prefect@127.0.0.1:{port}/prefect"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


@pytest.mark.prefect
@pytest.mark.skipif(postgres() is None, reason="missing: postgresql")
def test_a_batch_on_a_prefect_server_with_postgresql(documents: Path, tmp_path: Path) -> None:
    import tempfile
    import urllib.error
    import urllib.request

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "CONSPECTUS_"))}
    clean |= {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "PREFECT_HOME": str(tmp_path / "home")}
    # Not below pytest's folder, into which another user cannot go.
    with (
        tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder,
        database(Path(folder)) as url,
        FakeServer() as fake,
    ):
        command = [sys.executable, "-P", "-m", "prefect", "server", "start", "--port", str(port), "--no-ui"]
        with (tmp_path / "server.log").open("wb") as file:
            server = subprocess.Popen(
                command, stdout=file, stderr=file, env={**clean, "PREFECT_SERVER_DATABASE_CONNECTION_URL": url}
            )
        try:

            def answers() -> bool:
                assert server.poll() is None, (tmp_path / "server.log").read_text()
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5):
                        return True
                except (urllib.error.URLError, OSError):
                    return False

            until(answers, 150, "the server does not start")
            own = {
                "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
                "CONSPECTUS_CACHE": str(tmp_path / "cache"),
                "CONSPECTUS_STATE": str(tmp_path / "state"),
            }
            done = subprocess.run(
                [sys.executable, "-P", "-m", "conspectus", "batch", str(documents), "-o", str(tmp_path / "out"),
                 "--model", fake.url],
                env={**clean, **own}, capture_output=True, text=True, check=False, timeout=200,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            request = urllib.request.Request(
                f"{own['PREFECT_API_URL']}/flow_runs/filter", b"{}", {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=20) as answer:
                runs = json.load(answer)
            assert sum(run["name"].startswith("digest ") for run in runs) == 3
            assert len(statements(tmp_path / "out")) == 3
        finally:
            server.terminate()
            server.wait(30)
