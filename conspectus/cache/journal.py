"""What the run journal tells of one document, taken out of it for `cache forget`."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.journal.file import open_file
from conspectus.paths import state_dir

_FOUND = "SELECT id FROM documents WHERE sha256 = ? OR (sha256 = '' AND path = ?)"


def forget_rows(document: str, file: Path | None, *, dry_run: bool = False) -> int:
    """Deletes the rows of a document (its sha256) and of its calls, and says of how many documents of runs they were.

    `file` finds the rows of readings that failed, which have no sha256. The command lines of runs stay. What is deleted
    is overwritten in the file. Raises UsageError where the journal cannot be used.
    """
    path = state_dir() / "journal.sqlite"
    if not path.exists():
        return 0
    with closing(open_file(path, lambda _: None)) as connection:
        try:
            return _forget(connection, (document, os.fsencode(file.absolute()) if file else b""), dry_run=dry_run)
        except sqlite3.Error as error:
            raise UsageError(
                f"The run journal {path} cannot be changed: {error}",
                "Try again when no run is under way, or set CONSPECTUS_STATE to another folder",
            ) from error


def _forget(connection: sqlite3.Connection, known: tuple[str, bytes], *, dry_run: bool) -> int:
    count = len(connection.execute(_FOUND, known).fetchall())
    if dry_run or not count:
        return count
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(f"DELETE FROM calls WHERE document IN ({_FOUND})", known)
        connection.execute("DELETE FROM documents WHERE sha256 = ? OR (sha256 = '' AND path = ?)", known)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    # Else the rows would stand in the write-ahead log until it is written over.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return count
