"""Prefect for a batch: nothing of it is started before the first document has a call to make."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from conspectus.digesting.assemble import Wish
from conspectus.digesting.desk import DeskCounts
from conspectus.document import Digest
from conspectus.errors import ConspectusError, UsageError
from conspectus.paths import state_dir
from conspectus.run.session import RunLost, Session, Stopped

if TYPE_CHECKING:
    from conspectus.flows.batch import BatchFlow
    from conspectus.prefect_setup.server import ServerLease


ATTEMPTS = 3  # to start a server, and to digest a document with one that fails
PAUSE_SECONDS = 2.0
LEAST_ROOM = 1 << 20  # bytes, below which a server's database cannot be expected to grow


class FlowHost:
    """Holds the server and the batch flow once they are needed. Use as a context manager."""

    def __init__(self, out: Path, session: Session, wish: Wish, note: Callable[[str], None]) -> None:
        self._out, self._session, self._wish, self._note = out, session, wish, note
        self._lock = threading.Lock()
        self._lost: ConspectusError | None = None
        self._lease: ServerLease | None = None
        self._flow: BatchFlow | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._flow is not None:
            self._flow.close(2.0 if error else 10.0)
        self._release()

    def digest(self, path: Path) -> tuple[Digest, DeskCounts]:
        """The digest of a document, as a subflow of the batch; again where the server failed or died meanwhile.

        Raises what the subflow raises, RunLost without a server, an error of which `is_full` is true where the server
        has no space left for its database.
        """
        for left in reversed(range(ATTEMPTS)):
            flow = self._standing()
            try:
                return flow.digest(path)
            except (ConspectusError, Stopped):
                raise
            except Exception as error:
                # Whatever Prefect raises for its server: what was answered is stored, so that another time is short.
                self._check_again(flow, error, left)
        raise AssertionError("the last attempt ends in an answer or an error")

    def _check_again(self, flow: "BatchFlow", error: Exception, left: int) -> None:
        """Returns where a document is to be tried again after this error; raises why not else."""
        if self._session.stopping.is_set():
            raise error
        if self._flow is flow and self._lives():
            if not _of_server(error):
                raise error
            _check_room(error)
            if not left:
                words = next(iter(str(error).splitlines()), "") or type(error).__name__
                text = f"the Prefect server fails: {words}"
                raise ConspectusError(text, "Run the same command again: what is done is kept") from error
            self._session.stopping.wait(PAUSE_SECONDS)
        elif not left:
            raise error
        else:
            self._drop(flow)

    def _standing(self) -> "BatchFlow":
        """The batch flow, begun by the first who needs it."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            for attempt in range(1, ATTEMPTS + 1):
                if self._flow is not None:
                    break
                try:
                    self._flow = self._begin()
                except ConspectusError as error:
                    self._release()
                    try:
                        _check_room(error)
                    except ConspectusError as full:
                        self._lost = full
                        raise
                    if attempt == ATTEMPTS or self._session.stopping.is_set():
                        self._lost = RunLost(error.message, error.remedy)
                        raise self._lost from error
            assert self._flow is not None
            return self._flow

    def _lives(self) -> bool:
        lease = self._lease
        return lease is not None and lease.answers()

    def _drop(self, flow: "BatchFlow") -> None:
        """Lets go of a flow whose server is gone; the first one who notices does it."""
        with self._lock:
            if self._flow is flow:
                self._note("the Prefect server is gone; another one is started")
                self._flow = None
                flow.close(0.0)
                self._release()

    def _release(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    def cancel(self) -> None:
        """Drops the calls that have not begun."""
        # No waiting for the lock: whoever holds it may be starting a server.
        if self._flow is not None:
            self._flow.cancel()

    def _begin(self) -> "BatchFlow":
        from conspectus.prefect_setup import env as prefect_env
        from conspectus.prefect_setup import server as prefect_server

        # What fails is told in one line by us; Prefect would add a traceback for each.
        os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
        prefect_env.configure()
        self._lease = self._lease or prefect_server.acquire(self._note)
        self._lease.address()
        from conspectus.flows.batch import BatchFlow

        self._lease.wait()
        # Two or more calls wait at the model's door, so that no slot is idle while Prefect does its books.
        slots = self._session.info.slots
        flow = BatchFlow(self._out, slots + max(2, slots // 4), self._wish)
        flow.wait()
        return flow


def _of_server(error: BaseException | None) -> bool:
    """Whether an error comes from the Prefect server, as a database that is locked for too long, not from the flow."""
    import httpx

    while error is not None:
        if isinstance(error, httpx.TransportError):
            return True
        if isinstance(error, httpx.HTTPStatusError) and error.response.status_code >= 500:
            return True
        error = error.__cause__ or error.__context__
    return False


def _check_room(error: Exception) -> None:
    """Raises an error of which `is_full` is true where the local server's database has no room to grow."""
    from conspectus.prefect_setup import env as prefect_env

    folder = state_dir()
    if not prefect_env.users_server() and shutil.disk_usage(folder).free < LEAST_ROOM:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        full.__context__ = error
        raise UsageError(f"the Prefect server cannot write to {folder}", "Make room there") from full
