"""The local Prefect server: one for all runs of this user, started at need, gone when nobody needs it.

    client    holds a shared lock on server.lock, trusts server.json only under it
    launcher  `python -m conspectus.prefect_setup.server launch`, a session of its own: holds launcher.lock as long as
              it lives, starts the server, stops it once it gets the exclusive lock on server.lock
    server    `... serve FD`: ends when its standard input ends, so it cannot outlive the launcher

The kernel drops the locks of a process however it ends: no process id is ever trusted. All files lie in the state
folder (mode 0700). The server listens on loopback only and asks for a password made at its start, because other users
of the machine, and any page open in a browser, reach loopback too.
"""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus.errors import ConspectusError
from conspectus.filelock import FileLock, Share
from conspectus.paths import state_dir, write_atomically
from conspectus.prefect_setup import env as prefect_env
from conspectus.prefect_setup.reach import check_users_server
from conspectus.spawn import spawned

START_SECONDS = 180.0
LINGER_SECONDS = 3.0
_POLL_SECONDS = 0.5
_STOP_SECONDS = 8.0
_NEWS_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What server.json says: the launcher's and the server's process ids, the port, the password, the start (Unix)."""

    launcher_pid: int
    pid: int
    port: int
    password: str
    started: float

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self.port}/api"


class ServerFailed(ConspectusError):
    """The local Prefect server did not start."""


class ServerLease:
    """A claim on a Prefect server; while it is held, the server runs. Made by `acquire`.

    The order of use: `address()` (fast), `import prefect` (seconds, while the server starts), `wait()`, flows,
    `release()`. Holds no server where the user chose one with PREFECT_API_URL.

    With `scheduler` the server also starts the runs of schedules. It is one of its own, with its own database: runs
    that end within minutes share a server that has nothing else to do.
    """

    def __init__(self, on_event: Callable[[str], None], *, scheduler: bool = False) -> None:
        self._on_event = on_event
        self._scheduler = scheduler
        self._stop = threading.Event()
        self._known = threading.Event()
        self._ended = threading.Event()
        self._info: ServerInfo | None = None
        self._error: Exception | None = None
        self._replaced: dict[str, str | None] = {}
        self._claim: FileLock | None = None
        self._thread = threading.Thread(target=self._run, name="prefect server", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()

    def address(self, timeout: float = START_SECONDS) -> str:
        """The API's URL as soon as it is known, also put into PREFECT_API_URL; the server may not answer yet.

        `wait` may change it where a server died in between.
        `timeout` in seconds. Raises ServerFailed or UsageError where it is already plain that none will come.
        """
        self._known.wait(timeout)
        return self._publish("no address for the local Prefect server", known=self._known.is_set())

    def wait(self, timeout: float = START_SECONDS) -> str:
        """The API's URL once the server answers; sets PREFECT_API_URL as `address` does.

        `timeout` in seconds. Raises ServerFailed with the end of the server's log, or UsageError where the user's own
        server cannot be reached.
        """
        self._ended.wait(timeout)
        return self._publish("the local Prefect server did not answer", known=self._ended.is_set())

    def answers(self) -> bool:
        """Whether the server answers now; of a user's own one that is not asked."""
        return self._info is None or _answers(self._info.port)

    def release(self) -> None:
        """Gives the claim back and PREFECT_API_URL its former value; the server ends some seconds later if unused."""
        self._stop.set()
        self._thread.join()
        if self._claim is not None:
            prefect_env.drain()
            self._claim.close()
            self._claim = None
        if self._replaced:
            for name, value in self._replaced.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            self._replaced = {}
            prefect_env.refresh()

    def _publish(self, failure: str, *, known: bool) -> str:
        if self._error is not None:
            raise self._error
        if not known:
            raise _failed(failure, self._scheduler)
        info = self._info
        if info is None:
            return prefect_env.users_server()
        ours = {"PREFECT_API_URL": info.url, "PREFECT_API_AUTH_STRING": info.password}
        if not self._scheduler:
            # Without this mark the runs of a schedule keep to the server that started them.
            ours[prefect_env.OWN_URL] = info.url
        self._replaced = self._replaced or {name: os.environ.get(name) for name in ours}
        if any(os.environ.get(name) != value for name, value in ours.items()):
            os.environ.update(ours)
            prefect_env.refresh()
        return info.url

    def _run(self) -> None:
        try:
            url = prefect_env.users_server()
            if url:
                self._known.set()
                check_users_server(url)
            else:
                self._claim_server(folder_of(self._scheduler))
        except Exception as error:
            # Raised again by `address` and `wait`, in the caller's thread.
            self._error = error
        finally:
            self._ended.set()
            self._known.set()

    def _claim_server(self, folder: Path) -> None:
        self._claim = FileLock(folder / "server.lock")
        # The launcher holds it exclusively while it stops a server: that one is no longer to be had.
        if not self._claim.take_within(Share.SHARED, START_SECONDS, self._stop):
            raise _failed("the last local Prefect server does not end", self._scheduler)
        begun = time.monotonic()
        next_news = begun + _NEWS_SECONDS
        launched = False
        while not self._stop.is_set():
            if _launcher_lives(folder):
                # Read anew each time: a launcher that is just being killed still holds its lock.
                self._info = _read_info(folder) or self._info
                if self._info is not None:
                    self._known.set()
                if self._info is not None and _answers(self._info.port):
                    return
            elif launched:
                raise _failed("the local Prefect server ended before it answered", self._scheduler)
            else:
                self._on_event("starting the local Prefect server (the first start takes up to a minute)")
                _launch_detached(folder, self._scheduler)
                launched = True
            now = time.monotonic()
            if now > begun + START_SECONDS:
                text = f"the local Prefect server did not answer within {START_SECONDS:.0f} s"
                raise _failed(text, self._scheduler)
            if now > next_news:
                self._on_event(f"the local Prefect server is still starting ({now - begun:.0f} s)")
                next_news += _NEWS_SECONDS
            self._stop.wait(0.1)
        raise ServerFailed("the wait for the local Prefect server was given up")


def acquire(on_event: Callable[[str], None] = lambda message: None, *, scheduler: bool = False) -> ServerLease:
    """Begins to find or start a server, in the background; `on_event` gets messages for people, from another thread."""
    return ServerLease(on_event, scheduler=scheduler)


def folder_of(scheduler: bool) -> Path:
    """The folder of the files of a server, mode 0700. Raises UsageError where the state folder cannot be made."""
    folder = state_dir() / "nightly" if scheduler else state_dir()
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _failed(message: str, scheduler: bool = False) -> ServerFailed:
    log = folder_of(scheduler) / "server.log"
    try:
        tail = " | ".join(log.read_text(errors="replace").splitlines()[-8:])
    except OSError:
        tail = ""
    said = f"; its log ends: {tail}" if tail else ""
    return ServerFailed(f"{message}{said}", f"See {log}, or set PREFECT_API_URL to a Prefect server of your own")


def _launcher_lives(folder: Path) -> bool:
    lock = FileLock(folder / "launcher.lock")
    try:
        return not lock.take(Share.SHARED)
    finally:
        lock.close()


def _read_info(folder: Path) -> ServerInfo | None:
    try:
        return ServerInfo(**json.loads((folder / "server.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _command(*arguments: str) -> list[str]:
    # -P: a file named like a module in the current folder must not be imported.
    return [sys.executable, "-P", "-m", "conspectus.prefect_setup.server", *arguments]


def _launch_detached(folder: Path, scheduler: bool) -> None:
    with (folder / "server.log").open("ab") as log:
        # Its own session: Ctrl-C in the client's terminal must not reach the server before the client is done.
        launcher = spawned(
            lambda: subprocess.Popen(
                _command("launch", *(["scheduler"] if scheduler else [])),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,
            )
        )
    try:
        # It forks once it holds its lock; what is waited for here is only the parent.
        code = launcher.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        launcher.kill()
        launcher.wait()
        raise _failed("the launcher of the local Prefect server hangs", scheduler) from None
    if code != 0:
        raise _failed(f"the launcher of the local Prefect server failed with code {code}", scheduler)


def _launch(scheduler: bool) -> None:
    folder = folder_of(scheduler)
    alive = FileLock(folder / "launcher.lock")
    # Clients probe this lock for an instant, so one refusal says nothing; held for longer, another launcher is at it.
    if not alive.take_within(Share.ALONE, 1.0):
        return
    info_path = folder / "server.json"
    info_path.unlink(missing_ok=True)
    os.ftruncate(sys.stdout.fileno(), 0)
    # The parent ends here, which tells the client that the lock is held; the child keeps the same lock.
    if os.fork():
        os._exit(0)
    in_use = FileLock(folder / "server.lock")
    server, info = _start_server(folder, scheduler)
    try:
        write_atomically(info_path, json.dumps(asdict(info)).encode(), mode=0o600)
        _watch(server, in_use)
    finally:
        info_path.unlink(missing_ok=True)
        _stop_server(server)
        # Before the other lock, which goes with this process: no client may see a living launcher without a server.
        alive.close()


def _start_server(folder: Path, scheduler: bool) -> tuple["subprocess.Popen[bytes]", ServerInfo]:
    password = f"conspectus:{secrets.token_urlsafe(24)}"
    environment = {
        **os.environ,
        "PREFECT_SERVER_API_AUTH_STRING": password,
        # Into server.log, whose end a failed start shows.
        "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
        "PREFECT_UI_ENABLED": "false",
        # Nothing here loads a block from the server, and registering them all slows the start.
        "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
        # No automations: every event would be matched against none.
        "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
        "PREFECT__SERVER_FINAL": "1",
        **(_scheduling(folder) if scheduler else {"PREFECT__SERVER_EPHEMERAL": "1"}),
    }
    for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING", prefect_env.OWN_URL, "PROMETHEUS_MULTIPROC_DIR"):
        environment.pop(name, None)
    with socket.socket() as listener:
        # The bound socket itself is handed over: no other process can take the port in between.
        listener.bind(("127.0.0.1", 0))
        server = spawned(
            lambda: subprocess.Popen(
                _command("serve", str(listener.fileno())),
                stdin=subprocess.PIPE,
                pass_fds=[listener.fileno()],
                env=environment,
            )
        )
        port = listener.getsockname()[1]
    return server, ServerInfo(os.getpid(), server.pid, port, password, time.time())


def _scheduling(folder: Path) -> dict[str, str]:
    # Without Prefect's own mark for a helper server, EPHEMERAL, it schedules, and notices runs that are late.
    return {
        "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{folder / 'prefect.db'}",
        # In memory the place of a run that was under way would be lost with the server and never given back.
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
        # A year of nights would else stay in the database for good.
        "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    }


def _watch(server: "subprocess.Popen[bytes]", in_use: FileLock) -> None:
    free_since: float | None = None
    while server.poll() is None:
        time.sleep(_POLL_SECONDS)
        if not in_use.take(Share.ALONE):
            free_since = None
            continue
        now = time.monotonic()
        free_since = now if free_since is None else free_since
        if now - free_since >= LINGER_SECONDS:
            return  # with the lock: who comes now waits for the end and starts anew
        in_use.give()


def _stop_server(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _serve(descriptor: int) -> None:
    threading.Thread(target=_end_with_input, name="end with launcher", daemon=True).start()
    import uvicorn

    config = uvicorn.Config(
        "prefect.server.api.server:create_app",
        factory=True,
        lifespan="on",
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


def _end_with_input() -> None:
    # The launcher holds the other end and never writes: this returns when it is gone, however it went. No orderly stop:
    # without the launcher nobody would end a server that hangs in one. SQLite survives it.
    # Unbuffered, because a thread inside a buffered read aborts the interpreter's own ending.
    os.read(0, 1)
    os._exit(1)


def main(arguments: list[str]) -> None:
    """`launch [scheduler]`, or `serve FD` from the launcher; not for people."""
    if arguments in (["launch"], ["launch", "scheduler"]):
        prefect_env.configure()
        _launch("scheduler" in arguments)
    elif len(arguments) == 2 and arguments[0] == "serve":
        _serve(int(arguments[1]))
    else:
        raise SystemExit("usage: python -m conspectus.prefect_setup.server launch [scheduler]")


if __name__ == "__main__":
    main(sys.argv[1:])
