"""Locks between the engines of one machine.

One engine computes on the processor at a time: llama.cpp's threads spin, and two would both crawl. One at a time plans
for a GPU's free memory and takes it.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_POLL_S = 0.1


class CpuLock:
    """A machine-wide lock called `name`. The kernel frees it when the process ends, however it ends.

    `is_needed` is false where there is nothing to share. `waiting` is called once each time another engine holds it.
    """

    def __init__(self, waiting: Callable[[], None], *, is_needed: bool, name: str = "cpu-engine") -> None:
        self._path = Path(tempfile.gettempdir()) / f"conspectus-{name}.lock"
        self._waiting = waiting
        self._is_needed = is_needed and sys.platform != "win32"
        self._descriptor = -1

    def take(self) -> None:
        """Waits until no other engine of this machine computes on the CPU."""
        if not self._is_needed or self._descriptor >= 0:
            return
        import fcntl

        descriptor = _open(self._path)
        told = False
        while descriptor >= 0:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    self._waiting()
                told = True
                time.sleep(_POLL_S)
            except OSError:
                # A file system without locks: slower beside another engine, but no reason to stop.
                os.close(descriptor)
                descriptor = -1
        self._descriptor = descriptor

    def free(self) -> None:
        """Lets others compute."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def _open(path: Path) -> int:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    # First without O_CREAT: in a sticky folder the kernel refuses it for another user's file.
    for more in (0, os.O_CREAT):
        try:
            descriptor = os.open(path, flags | more, 0o666)
        except OSError:
            continue
        if more:
            # The umask took away what the other users need.
            os.fchmod(descriptor, 0o666)
        return descriptor
    return -1
