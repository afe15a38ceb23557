"""Prefect's settings, made before Prefect is imported: it reads the environment once, at import."""

import os
import sys
from pathlib import Path

from conspectus.paths import state_dir

# Set beside PREFECT_API_URL by the server manager, so that a child process can tell our address from the user's.
OWN_URL = "CONSPECTUS_PREFECT_URL"

# Without these something is sent to the makers of Prefect; no environment may turn them on again.
_ALWAYS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
}

_DEFAULTS = {
    "PREFECT_LOGGING_LEVEL": "WARNING",
    # Each event that a dying server did not take would be printed, several kilobytes of it.
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    # One task run at a time costs 80 ms of server time: a backlog of minutes after a large batch.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_EVENTS_WORKER_MAX_QUEUE_SIZE": "20000",
    # A pickled result is code: whoever may write into the folder could run it.
    "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    # Only reached where the server manager was left out; the stock limit of 20 s fails on a cold first start.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
}

# These would lead the local client and server to another profile, database or broker than ours.
_ELSEWHERE = (
    "PREFECT_PROFILE",
    "PREFECT_API_KEY",
    "PREFECT_SERVER_API_AUTH_STRING",
    "PREFECT_RESULTS_DEFAULT_STORAGE_BLOCK",
)


def users_server() -> str:
    """The address of a server that the user chose with PREFECT_API_URL; empty where there is none."""
    url = os.environ.get("PREFECT_API_URL", "")
    return "" if url == os.environ.get(OWN_URL) else url


def configure() -> None:
    """Puts the settings into the environment; to be called before the first `import prefect`, again does no harm.

    Where the user chose a server (PREFECT_API_URL), the environment's own settings win, telemetry excepted. Otherwise
    Prefect's home, profiles and database lie in the state folder and no address but loopback is used. Raises UsageError
    where the folders cannot be made.
    """
    home = state_dir() / "prefect"
    os.environ.update(_ALWAYS)
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    # Answers are stored where the task is told to. What else Prefect writes, a file for each failed flow and task,
    # must not lie among them.
    os.environ.setdefault("PREFECT_RESULTS_LOCAL_STORAGE_PATH", str(home / "storage"))
    if users_server():
        os.environ.setdefault("PREFECT_HOME", str(home))
        return
    os.environ.update(_local(home))
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = _with_loopback(os.environ.get(name, ""))


def _local(home: Path) -> dict[str, str]:
    return {
        "PREFECT_HOME": str(home),
        # Named outright: a prefect.toml or .env in the current folder would otherwise be followed.
        "PREFECT_PROFILES_PATH": str(home / "profiles.toml"),
        "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{home / 'prefect.db'}",
        "PREFECT_MESSAGING_BROKER": "prefect.server.utilities.messaging.memory",
        "PREFECT_MESSAGING_CACHE": "prefect.server.utilities.messaging.memory",
        "PREFECT_SERVER_DOCKET_URL": "memory://",
    }


def _with_loopback(hosts: str) -> str:
    # An office's proxy settings would send even calls to this machine through the proxy.
    listed = [host.strip() for host in hosts.split(",") if host.strip()]
    missing = [host for host in ("127.0.0.1", "localhost") if host not in listed]
    return ",".join(listed + missing) if "*" not in listed else hosts


def refresh() -> None:
    """Makes a Prefect that is already imported look at the environment again; it reads it once, at import."""
    context = sys.modules.get("prefect.context")
    if context is not None:
        context.refresh_global_settings_context()


def drain(seconds: float = 5.0) -> None:
    """Waits until the server has what Prefect still has to tell it, at most so many seconds.

    Prefect does this itself at the end of the process, without a limit: once the server is gone, it waits for ever.
    """
    worker = sys.modules.get("prefect.events.worker")
    if worker is not None:
        worker.EventsWorker.drain_all(timeout=seconds, at_exit=False)
