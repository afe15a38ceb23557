import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from conspectus.errors import UsageError
from conspectus.filelock import FileLock, Share
from conspectus.prefect_setup.env import OWN_URL, refresh
from conspectus.prefect_setup.server import ServerFailed, ServerInfo, acquire

# Says where its server is, holds its lease until its input ends.
CLIENT = """
import os, sys
from conspectus.prefect_setup import env as prefect_env
from conspectus.prefect_setup.server import acquire
prefect_env.configure()
with acquire() as lease:
    assert lease.address() == lease.wait() == os.environ["PREFECT_API_URL"]
    print(lease.wait(), flush=True)
    sys.stdin.read()
assert "PREFECT_API_URL" not in os.environ
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One state folder for the module: the first start makes the database, which takes most of the time."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(autouse=True)
def folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING", OWN_URL):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CONSPECTUS_STATE", str(home))
    monkeypatch.setenv("CONSPECTUS_CACHE", str(home / "cache"))
    yield home
    until(lambda: not launcher_lives(home), 20)
    # The one monkeypatch of the test, so that what the test itself set is undone first, and the session's server last.
    monkeypatch.undo()
    # The leases of these tests made Prefect forget the session's server.
    refresh()


def until(condition: Callable[[], bool], seconds: float) -> float:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, "waited in vain"
        time.sleep(0.1)
    return time.monotonic() - begun


def launcher_lives(state: Path) -> bool:
    lock = FileLock(state / "launcher.lock")
    try:
        return not lock.take(Share.SHARED)
    finally:
        lock.close()


def info_of(state: Path) -> ServerInfo:
    return ServerInfo(**json.loads((state / "server.json").read_bytes()))


def runs(pid: int) -> bool:
    try:
        # A zombie is dead: in a container nobody may be there to collect it.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def client() -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", CLIENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            if process.stdin is not None and not process.stdin.closed:
                process.stdin.close()
            process.wait(30)


def url_from(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    return url


@contextmanager
def some_server(status: int) -> Iterator[int]:
    """An HTTP server that is not Prefect's; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.prefect
def test_two_at_once_share_one_server_and_it_ends_with_the_last(folders: Path) -> None:
    with client() as first, client() as second:
        assert url_from(first) == url_from(second)
        info = info_of(folders)
        assert (folders / "server.json").stat().st_mode & 0o777 == 0o600
        assert first.stdin is not None
        first.stdin.close()
        assert first.wait(30) == 0
        time.sleep(5)
        assert runs(info.pid)
        with client() as third:
            assert url_from(third) == info.url
    until(lambda: not runs(info.pid) and not (folders / "server.json").exists(), 15)


@pytest.mark.prefect
def test_strangers_are_turned_away(folders: Path) -> None:
    with acquire() as lease:
        lease.wait()
        connection = http.client.HTTPConnection("127.0.0.1", info_of(folders).port)
        connection.request("POST", "/api/flow_runs/filter", "{}", {"Content-Type": "application/json"})
        assert connection.getresponse().status == 401
        connection.close()


@pytest.mark.prefect
def test_kill_of_the_client_leaves_no_server(folders: Path) -> None:
    with client() as process:
        url_from(process)
        info = info_of(folders)
        process.kill()
        process.wait()
        until(lambda: not runs(info.pid) and not launcher_lives(folders), 15)


@pytest.mark.prefect
def test_kill_of_the_client_while_the_server_starts_leaves_none(folders: Path) -> None:
    with client() as process:
        until(lambda: (folders / "server.json").exists(), 60)
        info = info_of(folders)
        process.kill()
        process.wait()
        until(lambda: not runs(info.pid) and not launcher_lives(folders), 25)


@pytest.mark.prefect
def test_kill_of_the_launcher_ends_the_server_and_the_next_client_gets_a_new_one(folders: Path) -> None:
    with client() as process:
        url_from(process)
        old = info_of(folders)
        os.kill(old.launcher_pid, signal.SIGKILL)
        until(lambda: not runs(old.pid), 15)
        # The dead launcher's server.json is still there.
        assert info_of(folders) == old
        with acquire() as lease:
            assert lease.wait() != old.url


@pytest.mark.prefect
def test_stale_file_with_another_server_on_its_port(folders: Path) -> None:
    with some_server(200) as port:
        stale = {"launcher_pid": os.getpid(), "pid": os.getpid(), "port": port, "password": "x", "started": 0.0}
        (folders / "server.json").write_text(json.dumps(stale))
        with acquire() as lease:
            assert lease.wait() != f"http://127.0.0.1:{port}/api"


@pytest.mark.prefect
def test_a_launcher_that_dies_while_a_client_looks_is_replaced(folders: Path) -> None:
    alive = FileLock(folders / "launcher.lock")
    try:
        assert alive.take(Share.ALONE)
        dead = {"launcher_pid": 0, "pid": 0, "port": 9, "password": "x", "started": 0.0}
        (folders / "server.json").write_text(json.dumps(dead))
        with acquire() as lease:
            assert lease.address() == os.environ["PREFECT_API_URL"] == "http://127.0.0.1:9/api"
            alive.close()
            assert lease.wait() == os.environ["PREFECT_API_URL"] == info_of(folders).url
    finally:
        alive.close()


@pytest.mark.prefect
def test_a_client_that_comes_while_the_server_stops_waits_and_gets_a_new_one(folders: Path) -> None:
    in_use, alive = FileLock(folders / "server.lock"), FileLock(folders / "launcher.lock")
    try:
        # As a launcher that stops its server holds them.
        assert in_use.take(Share.ALONE)
        assert alive.take(Share.ALONE)
        with acquire() as lease:
            with pytest.raises(ServerFailed):
                lease.address(1.0)
            alive.close()
            in_use.close()
            assert lease.wait() == info_of(folders).url
    finally:
        alive.close()
        in_use.close()


@pytest.mark.prefect
def test_a_failed_start_shows_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    (tmp_path / "state" / "prefect").mkdir(parents=True)
    (tmp_path / "state" / "prefect" / "prefect.db").write_bytes(b"this is no database" * 1000)
    events: list[str] = []
    with acquire(events.append) as lease, pytest.raises(ServerFailed, match="not a database") as failure:
        lease.wait()
    assert "server.log" in failure.value.remedy
    assert len(events) >= 1


def test_a_users_server_that_is_not_there(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with some_server(200) as port:
        pass
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{port}/api")
    with acquire() as lease, pytest.raises(UsageError, match="PREFECT_API_URL") as failure:
        lease.wait()
    assert "unset PREFECT_API_URL" in failure.value.remedy
    assert not launcher_lives(folders)


@pytest.mark.parametrize("status", [200, 401])
def test_a_users_server_is_used(status: int, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with some_server(status) as port:
        url = f"http://127.0.0.1:{port}/api"
        monkeypatch.setenv("PREFECT_API_URL", url)
        with acquire() as lease:
            assert lease.address() == lease.wait() == url
        assert os.environ["PREFECT_API_URL"] == url
    assert not launcher_lives(folders)


def test_a_users_server_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    with some_server(503) as port:
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{port}/api")
        with acquire() as lease, pytest.raises(UsageError, match="503"):
            lease.wait()
