"""Runs a program that ends with the process that started it: `python tether.py PARENT_PID PROGRAM ARGUMENTS...`.

Imports nothing of conspectus: it is run as a file, by an interpreter that finds nothing else.
"""

import ctypes
import os
import signal
import sys
from typing import NoReturn

_PR_SET_PDEATHSIG = 1


def main(parent: int, arguments: list[str]) -> NoReturn:
    """Becomes the program. The wish to be killed with the parent outlives that (prctl(2))."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit(1)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
