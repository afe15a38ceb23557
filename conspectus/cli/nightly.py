"""`conspectus nightly`: a folder digested at set times."""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from conspectus.errors import ConspectusError, ExitCode, UsageError
from conspectus.filelock import FileLock, Share
from conspectus.metrics.metrics import serving
from conspectus.nightly.job import Due, Value, run_due, settings_of
from conspectus.nightly.notify import check_addresses
from conspectus.nightly.schedule import Schedule, check_folders, missed, read_record
from conspectus.options.batch import BatchOptions
from conspectus.options.digest import ReadingOptions
from conspectus.options.service import ServiceOptions, Times
from conspectus.paths import state_dir
from conspectus.prefect_setup.server import folder_of

if TYPE_CHECKING:
    from prefect import Flow


def nightly(
    *,
    folder: Annotated[Path, Parameter(show_env_var=False)],
    out: Annotated[Path | None, Parameter(show_env_var=False)] = None,
    times: Times | None = None,
    options: BatchOptions | None = None,
    reading: ReadingOptions | None = None,
    service: ServiceOptions | None = None,
) -> int:
    """Digest a folder at set times: new and changed documents, one run at a time, with a report in the morning.

    Stays in the foreground and serves a Prefect deployment: on the server of PREFECT_API_URL where that is set, else on
    one of its own. With --once it runs now and ends, for cron and systemd timers, without a schedule of its own.

    Examples:
      conspectus nightly --folder contracts --out digests --cron "0 22 * * 1-5" --timezone Europe/London
      conspectus nightly --folder contracts --out digests --once     now, once: for cron and systemd timers

    Parameters
    ----------
    folder
        Folder of the documents.
    out
        Folder of the digests, which gets the same tree; the same as -o.
    """
    times, options, service = times or Times(), options or BatchOptions(), service or ServiceOptions()
    folder, out = folders(folder, out, options)
    if times.late_hours <= 0:
        raise UsageError("--late-hours must be above 0", "Give the hours that a run may be late")
    settings = settings_of(replace(options, output=None), reading or ReadingOptions(), service)
    schedule = Schedule.parse(times.cron, times.timezone)
    check_addresses()
    if times.once:
        with serving(service.metrics_port, service.metrics_address):
            return int(_run_once(folder, out, settings))
    name = name_of(folder, out)
    with _alone(name), serving(service.metrics_port, service.metrics_address, state_dir() / "metrics" / name):
        _serve(folder, out, schedule, timedelta(hours=times.late_hours), settings)
    return int(ExitCode.OK)


def folders(folder: Path, out: Path | None, options: BatchOptions) -> tuple[Path, Path]:
    """Both folders as absolute paths; -o stands for --out. Raises UsageError where they cannot be used."""
    if out is None and options.output in (None, "-"):
        raise UsageError("no folder for the digests was named", "Name one: --out digests")
    target = out or Path(str(options.output))
    check_folders(folder, target)
    return folder.absolute(), target.absolute()


def _run_once(folder: Path, out: Path, settings: dict[str, Value]) -> ExitCode:
    from conspectus.nightly.batch import digest_folder, tell_failure

    now = datetime.now(UTC)
    try:
        ran = run_due(out, Due(now, now, timedelta.max), lambda: digest_folder(folder, out, settings))
    except ConspectusError as error:
        tell_failure(error, settings)
        return error.exit_code
    return ExitCode.OK if isinstance(ran, str) else ran.code


def _serve(folder: Path, out: Path, schedule: Schedule, window: timedelta, settings: dict[str, Value]) -> None:
    from conspectus.flows.serving import Service, serve
    from conspectus.nightly.batch import SERVED_BY

    parameters: dict[str, Any] = {
        "folder": str(folder),
        "out": str(out),
        "late_hours": window.total_seconds() / 3600,
        "settings": settings,
    }
    service = Service(
        name_of(folder, out),
        schedule,
        parameters,
        lambda now: missed(schedule, now, read_record(out), window),
        _is_served,
    )
    os.environ[SERVED_BY] = str(os.getpid())
    serve(_flow, service, note)


def _lock(name: str) -> FileLock:
    return FileLock(folder_of(scheduler=True) / f"{_plain(name)}.lock")


def _is_served(name: str) -> bool:
    """Whether a process of this user serves the deployment of this name."""
    lock = _lock(name)
    try:
        return not lock.take(Share.ALONE)
    finally:
        lock.close()


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Lets one process of this user serve a schedule. Raises UsageError in a second one."""
    lock = _lock(name)
    try:
        if not lock.take(Share.ALONE):
            raise UsageError("another process serves these folders already", "End that one first")
        yield
    finally:
        lock.close()


def name_of(folder: Path, out: Path) -> str:
    """The name of the deployment of two folders: the same each time, another one for other folders and machines.

    One server may keep the schedules of several machines, each of which starts its own runs.
    """
    word = _plain(folder.name).lower()[:40] or "folder"
    both = b"\0".join(str(place).encode("utf-8", "surrogateescape") for place in (folder, out))
    return f"{word}-{hashlib.sha256(both).hexdigest()[:8]}-{_plain(platform.node()) or 'machine'}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def _flow() -> "Flow[..., Any]":
    from conspectus.flows.nightly import nightly as flow

    return flow


def note(message: str) -> None:
    """The message on a line of stderr."""
    print(message, file=sys.stderr, flush=True)
