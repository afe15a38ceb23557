"""Starting child processes from several threads at once."""

import errno
import subprocess
import threading
import time
from collections.abc import Callable

_one_at_a_time = threading.Lock()
_ATTEMPTS = 4
# Seen once in some hundred starts from three threads on a busy machine: execve answered EFAULT for a good path.
_PASSING = frozenset({errno.EFAULT, errno.EAGAIN, errno.ENOMEM})


def spawned(start: Callable[[], "subprocess.Popen[bytes]"]) -> "subprocess.Popen[bytes]":
    """The process that `start` starts: one at a time, and again where the system refuses for the moment.

    Raises OSError where it refuses for good.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with _one_at_a_time:
                return start()
        except OSError as error:
            if error.errno not in _PASSING or attempt == _ATTEMPTS:
                raise
            time.sleep(0.1 * attempt)
    raise AssertionError("the last attempt returns or raises")
