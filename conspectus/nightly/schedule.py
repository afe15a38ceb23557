"""When a nightly run is due, and whether a run that comes late is still wanted.

A run's beginning and end are kept in the output folder, so that all machines that serve the same folder agree.
"""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from conspectus.errors import UsageError
from conspectus.paths import write_atomically
from conspectus.plural import many

RECORD = ".conspectus-nightly.json"
_FIELDS = 5
_EXAMPLE = 'Five fields, minute hour day month weekday: --cron "0 22 * * 1-5" is ten at night, Monday to Friday'


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron expression of five fields and the name of the time zone that it is meant in."""

    cron: str
    timezone: str

    @classmethod
    def parse(cls, cron: str, timezone: str | None = None) -> Self:
        """The schedule; without a time zone that of this machine. Raises UsageError for what is none."""
        from cronsim import CronSim, CronSimError

        cron = " ".join(cron.split())
        zone = timezone or local_timezone()
        try:
            ZoneInfo(zone)
        except (LookupError, OSError, ValueError) as error:
            raise UsageError(f"{zone!r} is no time zone", "Name one of the tz database: Europe/Berlin, UTC") from error
        if len(cron.split()) != _FIELDS:
            # With six, one library takes the first and another the last for the seconds.
            raise UsageError(f"the cron expression {cron!r} has {len(cron.split())} fields", _EXAMPLE)
        try:
            next(CronSim(cron, datetime(2024, 1, 1)))
        except CronSimError as error:
            raise UsageError(f"the cron expression {cron!r} is wrong: {error}", _EXAMPLE) from error
        except StopIteration:
            raise UsageError(f"the cron expression {cron!r} never comes", _EXAMPLE) from None
        return cls(cron, zone)

    def next_after(self, when: datetime) -> datetime:
        """The first time after `when` that the schedule names."""
        from cronsim import CronSim

        return next(CronSim(self.cron, when.astimezone(ZoneInfo(self.timezone))))

    def last_before(self, when: datetime) -> datetime:
        """The last time before `when` that the schedule named."""
        from cronsim import CronSim

        return next(CronSim(self.cron, when.astimezone(ZoneInfo(self.timezone)), reverse=True))


def local_timezone() -> str:
    """The name of this machine's time zone; UTC where it has none."""
    from tzlocal import get_localzone_name

    try:
        return str(get_localzone_name() or "UTC")
    except LookupError:
        return "UTC"


@dataclass(frozen=True, slots=True)
class Record:
    """The last run into an output folder: when it began, and whether it came to its end. Times have a zone."""

    began: datetime
    ended: bool


def read_record(out: Path) -> Record | None:
    """What the folder says of its last nightly run; None where there was none or the file is damaged."""
    try:
        content = json.loads((out / RECORD).read_bytes())
        began = datetime.fromisoformat(content["began"])
        return Record(began, content["ended"] is True) if began.tzinfo else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_record(out: Path, record: Record) -> None:
    """Keeps the record in the folder, which is made where it is missing. Raises UsageError where it cannot be."""
    content = {"began": record.began.astimezone(UTC).isoformat(), "ended": record.ended}
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / RECORD, json.dumps(content).encode())
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written to ({error.strerror or error})", "Name another folder with --out"
        ) from error


def why_skip(scheduled: datetime, now: datetime, record: Record | None, window: timedelta) -> str:
    """Why the run that was due at `scheduled` is not wanted any more; empty where it is.

    After a night in which the machine slept, every missed run is started at once: the first of them does the work of
    all, because it began after the others were due. A run that never came to its end covers none.
    """
    if now - scheduled > window:
        return f"it was due {_ago(now - scheduled)} ago, and runs later than {_ago(window)} are left out"
    # A beginning in the future is one of before the clock was set back.
    if record is not None and record.ended and scheduled <= record.began <= now:
        return f"the run that began at {record.began.isoformat(timespec='minutes')} came after it was due"
    return ""


def missed(schedule: Schedule, now: datetime, record: Record | None, window: timedelta) -> datetime | None:
    """The time of a run that has to be made up for when serving begins: it was missed, or cut short, by a power loss.

    None where nothing was missed, and in a folder that never had a run: its first comes at its time.
    """
    due = schedule.last_before(now)
    return due if record is not None and not why_skip(due, now, record, window) else None


def _ago(span: timedelta) -> str:
    hours = span.total_seconds() / 3600
    return many(round(hours), "hour") if hours >= 2 else many(round(span.total_seconds() / 60), "minute")


def check_folders(folder: Path, out: Path) -> None:
    """Refuses folders that a schedule cannot work with, before anything waits for ten at night. Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: is no folder", "Name the folder of the documents: --folder contracts")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; --out names a folder", f"Use another name: --out {out}.digests")
    inside = out.resolve()
    if inside == folder.resolve():
        raise UsageError(f"{out}: is the folder of the documents", "Name another folder for the digests with --out")
    nearest = next(place for place in (inside, *inside.parents) if place.exists())
    if not os.access(nearest, os.W_OK):
        raise UsageError(f"{out}: cannot be written to", "Name another folder with --out")
