"""The journal's SQLite file: opened, checked, moved aside where it is broken, brought to the present schema."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.filelock import FileLock, Share

BUSY_SECONDS = 10.0

# Each entry takes a file one version further; `PRAGMA user_version` counts those that were applied.
MIGRATIONS = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, started REAL NOT NULL, seconds REAL NOT NULL DEFAULT 0,
        command TEXT NOT NULL, out BLOB, model TEXT NOT NULL, program TEXT NOT NULL, lock TEXT NOT NULL,
        ended TEXT NOT NULL, exit_code INTEGER, calls_kept INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, path BLOB NOT NULL, state TEXT NOT NULL,
        why TEXT NOT NULL DEFAULT '', remedy TEXT NOT NULL DEFAULT '', sha256 TEXT NOT NULL DEFAULT '',
        pages INTEGER NOT NULL DEFAULT 0, pages_read INTEGER NOT NULL DEFAULT 0, clauses INTEGER NOT NULL DEFAULT 0,
        verified INTEGER NOT NULL DEFAULT 0, verbatim INTEGER NOT NULL DEFAULT 0,
        unverified INTEGER NOT NULL DEFAULT 0, digest BLOB, same_as BLOB, seconds REAL NOT NULL DEFAULT 0,
        calls INTEGER NOT NULL DEFAULT 0, cached INTEGER NOT NULL DEFAULT 0, again INTEGER NOT NULL DEFAULT 0,
        prompt_tokens INTEGER NOT NULL DEFAULT 0, generated_tokens INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX documents_run ON documents (run);
    CREATE INDEX documents_path ON documents (path);
    CREATE TABLE calls (
        id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents, key TEXT NOT NULL, state TEXT NOT NULL,
        label TEXT NOT NULL, attempt INTEGER NOT NULL, reason TEXT NOT NULL, prompt_tokens INTEGER NOT NULL,
        generated_tokens INTEGER NOT NULL, seconds REAL NOT NULL, cached INTEGER NOT NULL);
    CREATE INDEX calls_document ON calls (document);
    """,
)


def open_file(path: Path, tell: Callable[[str], None]) -> sqlite3.Connection:
    """A connection to the journal at `path`, made where there is none.

    A broken file is moved aside, one of a newer version is left alone (another beside it is used); `tell` hears of
    both. Raises UsageError where the folder cannot be used.
    """
    try:
        with opening(path):
            return _open(path, tell)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(
            f"The run journal {path} cannot be used: {error}",
            "Give yourself access to its folder, free some space, or set CONSPECTUS_STATE to another folder",
        ) from error


@contextlib.contextmanager
def opening(path: Path) -> Iterator[None]:
    """One process at a time looks at the file, moves it aside or changes its schema. Raises OSError, TimeoutError."""
    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        if not lock.take_within(Share.ALONE, BUSY_SECONDS):
            raise TimeoutError("another process of conspectus is holding it")
        yield
    finally:
        lock.close()


def _open(path: Path, tell: Callable[[str], None]) -> sqlite3.Connection:
    try:
        connection = _connect(path)
        try:
            version = _checked(connection)
            if version <= len(MIGRATIONS):
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                _migrate(connection, version)
                return connection
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        if not _is_broken(error):
            raise
        aside = _move_aside(path)
        tell(f"The run journal {path} is damaged ({error}); it was moved to {aside.name} and a new one begun")
        return _open(path, tell)
    connection.close()
    beside = path.with_name(f"{path.stem}.v{len(MIGRATIONS)}{path.suffix}")
    tell(f"The run journal {path} is of a newer version of conspectus; {beside.name} is used instead")
    return _open(beside, tell)


def _connect(path: Path) -> sqlite3.Connection:
    # SQLite would make it readable to all that may enter the folder; its -wal and -shm take their mode from it.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _checked(connection: sqlite3.Connection) -> int:
    """The version of the file. Raises DatabaseError where it is damaged, or is no journal of ours."""
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise Damaged(found.replace("\n", " "))
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if version == 0 and tables:
        raise Damaged("it holds other tables")
    if version and not {"runs", "documents", "calls"} <= tables:
        raise Damaged("its tables are missing")
    if version == len(MIGRATIONS):
        for table, columns in _columns().items():
            here = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            if not columns <= here:
                raise Damaged(f"it has no {', '.join(sorted(columns - here))} in {table}")
    return version


@cache
def _columns() -> dict[str, frozenset[str]]:
    """The columns of each table in the present schema."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        _migrate(fresh, 0)
        tables = ("runs", "documents", "calls")
        return {t: frozenset(row[1] for row in fresh.execute(f"PRAGMA table_info({t})")) for t in tables}


def copied(connection: sqlite3.Connection) -> sqlite3.Connection:
    """All that a journal holds, in memory, to be read and changed where its file cannot be."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.backup(copy)
    return copy


def copy_of(path: Path) -> sqlite3.Connection:
    """The journal at `path` in memory, where its folder is full or may not be written to. Raises sqlite3.Error.

    Without a log that others could be writing, the file is taken as one that does not change: SQLite would want to
    make files beside it.
    """
    log = path.with_name(f"{path.name}-wal")
    still = "" if log.exists() and log.stat().st_size else "&immutable=1"
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{still}", uri=True)) as source:
        copy = copied(source)
    _migrate(copy, _checked(copy))
    return copy


class Damaged(sqlite3.DatabaseError):
    """A file that SQLite opens, and that is no sound journal all the same."""


def _is_broken(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, Damaged) or (code or 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")


def _move_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        # A log that stays would be taken for that of the new file.
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside
