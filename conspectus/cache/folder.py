"""The folder of stored answers as a whole: what lies there, what is damaged, what is to go.

Files are named by their key and never change, and each is checked when it is read. So several processes, and machines
with the folder on NFS, may share it without locks: of two that store one answer the last rename stands, and both hold
the same; one that is removed or torn is computed again. What does not hold on NFS: an answer stored on one machine may
be seen some seconds later on another, which then computes it once more. Nothing here is ever unpickled, and only files
that are named as answers are removed.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from conspectus.digesting.answers import SCHEMA, completion_in, schema_in
from conspectus.errors import UsageError

DOCUMENTS = "documents"
TEMPORARY_SECONDS = 24 * 3600.0  # a file half-written for longer was left by a process that is gone
_KEY = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = re.compile(r"\..*\.tmp|.*\.(?:tmp|lock)")


@dataclass(frozen=True, slots=True)
class Stored:
    """One file of an answer: its key, its bytes on disk, when it was written (seconds since 1970)."""

    path: Path
    key: str
    size: int
    written: float


@dataclass(frozen=True, slots=True)
class Inventory:
    """What lies in the folder of answers. `temporary` are half-written files; `others` are no files of this version."""

    answers: tuple[Stored, ...] = ()
    temporary: tuple[Stored, ...] = ()
    others: tuple[Path, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all answers."""
        return sum(stored.size for stored in self.answers)


class Fault(StrEnum):
    """Why a stored answer is of no use; it is computed again when it is needed."""

    EMPTY = "empty"
    TORN = "torn or foreign"  # no complete JSON as this program writes it
    OLDER = "of an older version"
    NEWER = "of a newer version"
    ALTERED = "altered"  # its hash, its key or a field is not what was stored
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Faulty:
    """One answer of no use."""

    stored: Stored
    fault: Fault


@dataclass(frozen=True, slots=True)
class Removal:
    """What a command removed, or would remove."""

    files: int = 0
    size: int = 0
    failed: tuple[str, ...] = field(default=())


def scan(answers: Path) -> Inventory:
    """What lies in the folder of answers; links are not followed. Raises UsageError where it cannot be listed."""
    found: list[Stored] = []
    temporary: list[Stored] = []
    others: list[Path] = []
    try:
        for folder in sorted(os.scandir(answers), key=lambda entry: entry.name):
            if folder.is_dir(follow_symlinks=False) and re.fullmatch("[0-9a-f]{2}", folder.name):
                for entry in os.scandir(folder.path):
                    _sort_in(entry, folder.name, found, temporary, others)
            else:
                _sort_in(folder, "", found, temporary, others)
    except OSError as error:
        raise UsageError(
            f"The folder {answers} cannot be listed: {error.strerror or error}",
            "Give yourself access to the cache folder, or set CONSPECTUS_CACHE to another one",
        ) from error
    return Inventory(tuple(found), tuple(temporary), tuple(others))


def _sort_in(
    entry: "os.DirEntry[str]", folder: str, found: list[Stored], temporary: list[Stored], others: list[Path]
) -> None:
    path = Path(entry.path)
    if not entry.is_file(follow_symlinks=False):
        others.append(path)
        return
    try:
        facts = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # another process took it away meanwhile
        return
    stored = Stored(path, entry.name, facts.st_size, facts.st_mtime)
    if _KEY.fullmatch(entry.name) and entry.name[:2] == folder:
        found.append(stored)
    elif _TEMPORARY.fullmatch(entry.name):
        temporary.append(stored)
    else:
        others.append(path)


def check(answers: Iterable[Stored]) -> Iterator[Faulty]:
    """Reads each answer and yields those of no use; nothing is changed."""
    for stored in answers:
        try:
            content = stored.path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError:
            yield Faulty(stored, Fault.UNREADABLE)
            continue
        if completion_in(content, stored.key) is None:
            yield Faulty(stored, _fault(content))


def _fault(content: bytes) -> Fault:
    if not content.strip(b"\0 \n"):
        return Fault.EMPTY
    version = schema_in(content)
    if version is None:
        return Fault.TORN
    return Fault.OLDER if version < SCHEMA else Fault.NEWER if version > SCHEMA else Fault.ALTERED


def oldest_over(answers: Sequence[Stored], most: int) -> list[Stored]:
    """The oldest answers that must go for the rest to have at most `most` bytes; by name where equally old."""
    over = sum(stored.size for stored in answers) - most
    going: list[Stored] = []
    for stored in sorted(answers, key=lambda stored: (stored.written, stored.key)):
        if over <= 0:
            break
        going.append(stored)
        over -= stored.size
    return going


def left_behind(temporary: Iterable[Stored], now: float | None = None) -> list[Stored]:
    """Half-written files of processes that are gone. One from the future (a clock was turned back) is kept."""
    limit = (time.time() if now is None else now) - TEMPORARY_SECONDS
    return [stored for stored in temporary if stored.written < limit]


def remove(files: Iterable[Stored], *, dry_run: bool = False) -> Removal:
    """Removes files one by one; one that is gone already is none of ours, one that cannot be removed is named."""
    count = size = 0
    failed: list[str] = []
    folders: set[Path] = set()
    for stored in files:
        try:
            if not dry_run:
                stored.path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            failed.append(f"{stored.path}: {error.strerror or error}")
            continue
        count, size = count + 1, size + stored.size
        folders.add(stored.path.parent)
    if not dry_run:
        for folder in folders:
            _remove_if_empty(folder)
    return Removal(count, size, tuple(failed))


def _remove_if_empty(folder: Path) -> None:
    # A folder that another process has just written into stays.
    if re.fullmatch("[0-9a-f]{2}|[0-9a-f]{64}", folder.name):
        try:
            folder.rmdir()
        except OSError:
            return


_UNITS = {"": 1, "b": 1, **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)}}
_UNITS |= {f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", 1)}
_UNITS |= {unit: 1000**power for power, unit in enumerate("kmgt", 1)}


def bytes_of(size: str) -> int:
    """1GB, 500 MB, 2GiB, 1.5g as bytes; GB is 1000 MB, GiB 1024 MiB. Raises UsageError for what is no size."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", size, re.I)
    if match is None or match[2].lower() not in _UNITS:
        raise UsageError(f"{size!r} is no size", "Write a number and a unit: --max-size 1GB")
    return int(float(match[1]) * _UNITS[match[2].lower()])


def as_size(size: int) -> str:
    """Bytes for people: 812 B, 1.4 MB."""
    if size < 1000:
        return f"{size} B"
    power = min(4, (len(str(size)) - 1) // 3)
    return f"{size / 1000**power:.1f} {('', 'kB', 'MB', 'GB', 'TB')[power]}"
