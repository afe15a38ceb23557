import errno
import subprocess
import sys

import pytest

from conspectus.spawn import spawned


def failing(code: int, times: int) -> "tuple[list[int], object]":
    tries: list[int] = []

    def start() -> "subprocess.Popen[bytes]":
        tries.append(1)
        if len(tries) <= times:
            raise OSError(code, "refused")
        return subprocess.Popen([sys.executable, "-c", ""])

    return tries, start


def test_a_passing_refusal_is_tried_again() -> None:
    tries, start = failing(errno.EFAULT, 2)
    with spawned(start) as process:  # type: ignore[arg-type]
        assert process.wait() == 0
    assert len(tries) == 3


@pytest.mark.parametrize(("code", "attempts"), [(errno.ENOENT, 1), (errno.EFAULT, 4)])
def test_a_lasting_refusal_is_raised(code: int, attempts: int) -> None:
    tries, start = failing(code, 99)
    with pytest.raises(OSError, match="refused"):
        spawned(start)  # type: ignore[arg-type]
    assert len(tries) == attempts
