"""Locks between processes, as files that the kernel unlocks however their holder ends."""

import fcntl
import os
import threading
import time
from enum import IntEnum
from pathlib import Path


class Share(IntEnum):
    """Who else may hold the lock."""

    SHARED = fcntl.LOCK_SH  # others that share it
    ALONE = fcntl.LOCK_EX  # nobody


class FileLock:
    """A lock file, opened once. The lock is held until `give`, `close` or the end of the process.

    A child made by `fork` without `exec` holds it too. Raises OSError where the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def take(self, share: Share) -> bool:
        """Takes the lock if that needs no waiting, and says whether it did."""
        try:
            fcntl.flock(self._descriptor, share | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take_within(self, share: Share, seconds: float, stop: threading.Event | None = None) -> bool:
        """Takes the lock, waiting up to `seconds` or until `stop` is set, and says whether it did."""
        end = time.monotonic() + seconds
        while not self.take(share):
            if time.monotonic() > end or (stop is not None and stop.is_set()):
                return False
            time.sleep(0.05)
        return True

    def give(self) -> None:
        """Gives the lock back; the file stays open."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Gives the lock back and closes the file; again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
