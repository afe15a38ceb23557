"""A batch on a Prefect server that fails, on disks that are full: what is told, what is done, what is left."""

import errno
import shutil
import threading
import time
from collections import namedtuple
from itertools import cycle
from pathlib import Path

import httpx
import pytest
from batches import Batch

from conspectus.batch import server as batch_server
from conspectus.batch.document import is_full, unexpected
from conspectus.batch.server import FlowHost
from conspectus.digesting.assemble import Wish
from conspectus.document import Detail
from conspectus.errors import ConspectusError, EngineError, InputError
from conspectus.journal.journal import RunEnd

Usage = namedtuple("Usage", "total used free")


class Session:
    """As much of a session as a host of flows asks for."""

    stopping = threading.Event()


class Flow:
    """A batch flow whose subflows end in these errors, one after another, and then in a digest."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def digest(self, _: Path) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "digest"

    def close(self, _: float) -> None:
        """Nothing is held."""


class Lease:
    def answers(self) -> bool:
        return True

    def release(self) -> None:
        """Nothing is held."""


def unavailable(status: int = 503) -> httpx.HTTPStatusError:
    request = httpx.Request("POST", "http://127.0.0.1/api/task_runs/")
    return httpx.HTTPStatusError(f"{status}\nmore", request=request, response=httpx.Response(status, request=request))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, fresh_folders: Path) -> FlowHost:
    monkeypatch.setattr(batch_server, "PAUSE_SECONDS", 0.0)
    made = FlowHost(fresh_folders, Session(), Wish(Detail.FULL), lambda _: None)  # type: ignore[arg-type]
    made._lease = Lease()  # type: ignore[assignment]
    return made


def asked(host: FlowHost, flow: Flow) -> object:
    host._flow = flow  # type: ignore[assignment]
    return host.digest(Path("a.txt"))


def test_a_server_that_fails_for_a_moment_fails_no_document(host: FlowHost) -> None:
    wrapped = RuntimeError("the flow could not report")
    wrapped.__cause__ = unavailable(500)
    assert asked(host, Flow(unavailable(), wrapped)) == "digest"


def test_a_server_that_goes_on_failing_is_told_in_one_line(host: FlowHost) -> None:
    with pytest.raises(ConspectusError, match="the Prefect server fails: 503") as caught:
        asked(host, Flow(*[unavailable()] * 9))
    assert caught.value.remedy and "more" not in caught.value.message


@pytest.mark.parametrize("error", [ValueError("a fault of the program"), unavailable(404)])
def test_what_is_no_fault_of_the_server_is_not_tried_again(host: FlowHost, error: Exception) -> None:
    flow = Flow(error)
    with pytest.raises(type(error)):
        asked(host, flow)
    assert flow.asked == 1


def test_a_server_without_space_ends_the_run_as_a_full_disk_does(
    host: FlowHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 0))
    flow = Flow(unavailable(500), unavailable(500))
    with pytest.raises(ConspectusError, match=r"cannot write to .*state") as caught:
        asked(host, flow)
    assert flow.asked == 1 and is_full(caught.value)
    monkeypatch.setenv("PREFECT_API_URL", "http://elsewhere/api")
    assert asked(host, Flow(unavailable(500))) == "digest", "the disk of a server elsewhere is not this one"


def test_a_server_that_cannot_start_on_a_full_disk_says_so(host: FlowHost, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin() -> None:
        raise ConspectusError("the local Prefect server ended before it answered", "See its log")

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 0))
    monkeypatch.setattr(host, "_begin", begin)
    for _ in range(2):
        with pytest.raises(ConspectusError, match="cannot write to") as caught:
            host.digest(Path("a.txt"))
        assert is_full(caught.value)


def test_each_line_names_its_document() -> None:
    path = Path("in/lease.pdf")
    assert unexpected(path, EngineError("no server answers", "Start one")).line() == (
        "in/lease.pdf: no server answers. Start one"
    )
    own = InputError("in/lease.pdf: is empty")
    assert unexpected(path, own) is own
    assert unexpected(path, OSError(errno.EIO, "broken")).message.startswith("in/lease.pdf: unexpected OSError")


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for name in ("calm", "jumping"):
        (tmp_path / name).mkdir()
        batch = Batch(tmp_path / name)
        for number in range(6):
            batch.add(f"{number}.txt", number)
        assert batch.run() is RunEnd.FINISHED
        assert set(batch.states().values()) == {"done"}
        made.append({path.name: path.read_bytes() for path in batch.out.glob("*.digest.*")})
        # Three days ahead, a year back, twenty years ahead, the day that Unix began.
        now, jumps = time.time(), cycle((259_200.0, -31_536_000.0, 630_720_000.0, -time.time()))
        monkeypatch.setattr(time, "time", lambda now=now, jumps=jumps: now + next(jumps))
        assert batch.run() is RunEnd.FINISHED
        assert set(batch.states().values()) == {"unchanged"}
    assert made[0] == made[1]
