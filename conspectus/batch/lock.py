"""The claim of one batch on its output folder, so that two runs cannot mix their results in it."""

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.filelock import FileLock, Share
from conspectus.pdf.files import shown

LOCK_FILE = ".conspectus-batch.lock"


class OutputInUse(UsageError):
    """Another batch holds the output folder; it may be free later."""


@contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Holds the output folder, made where it is missing; however this process ends, the claim ends with it.

    Raises OutputInUse where another batch holds it, UsageError where nothing can be written there.
    """
    path = out / LOCK_FILE
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK | os.X_OK):
            # A lock file that is there already could be opened all the same.
            read_only = os.statvfs(out).f_flag & os.ST_RDONLY
            raise OSError(None, "a read-only file system" if read_only else "no right to write")
        lock = FileLock(path)
    except OSError as error:
        raise UsageError(
            f"{shown(out)}: cannot be written to ({error.strerror})", "Name another folder with -o"
        ) from error
    try:
        if not lock.take(Share.ALONE):
            raise OutputInUse(
                f"{shown(out)}: another batch is writing there{_holder(path)}",
                "Wait for its end, or name another folder with -o",
            )
        about = {"process": os.getpid(), "machine": socket.gethostname(), "since": time.strftime("%F %H:%M")}
        # For the message above alone: a full disk, or a file system without room for it, is met elsewhere.
        with contextlib.suppress(OSError):
            path.write_text(json.dumps(about) + "\n", "utf-8")
        yield
    finally:
        lock.close()


def _holder(path: Path) -> str:
    try:
        about = json.loads(path.read_text("utf-8"))
        return f" (process {about['process']} on {about['machine']} since {about['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
