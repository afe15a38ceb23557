"""The flow of a batch, with a subflow for each document that has calls to make.

Documents are worked on in threads of the run (conspectus.batch.run), which start a subflow each in the context of this
flow. A batch whose answers are all stored never gets here.
"""

import contextvars
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from prefect import flow

from conspectus.digesting.assemble import Wish
from conspectus.digesting.desk import DeskCounts
from conspectus.document import Digest
from conspectus.flows.clusters import cluster_runner
from conspectus.flows.digest import digest
from conspectus.flows.pool import SharedThreads
from conspectus.run.session import current


@flow(name="batch", flow_run_name="batch to {out}", persist_result=False, validate_parameters=False)
def batch(out: str, run: str) -> None:
    """Stands open while documents are digested into the folder `out`; `run` names the BatchFlow that it stands for."""
    _open[run]()


_open: dict[str, Callable[[], None]] = {}


class BatchFlow:
    """One run of the flow, in a thread of its own. `close` it at the end."""

    def __init__(self, out: Path, workers: int, wish: Wish) -> None:
        self._out, self._run_name = str(out), secrets.token_hex(8)
        self._wish = wish
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="conspectus-call")
        remote = current().remote
        self._runner: Any = SharedThreads(self._pool, workers) if remote is None else cluster_runner(remote.cluster)
        self._opened, self._closing = threading.Event(), threading.Event()
        self._context: contextvars.Context | None = None
        self._error: BaseException | None = None
        # In the caller's context: where it runs inside a flow itself, this one is a subflow of that.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run,), name="batch flow", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Returns once documents can be digested. Raises what kept the flow from starting."""
        self._opened.wait()
        if self._context is None:
            raise self._error or RuntimeError("the batch flow ended before it began")

    def digest(self, path: Path) -> tuple[Digest, DeskCounts]:
        """The digest of one document, as a subflow. May be called from several threads. Raises what the flow raises."""
        assert self._context is not None
        wish = self._wish
        one = digest.with_options(task_runner=self._runner)
        return self._context.copy().run(one, str(path), wish.detail.value, reduce=wish.reduce, floor=wish.floor)

    def cancel(self) -> None:
        """Drops the calls that have not begun; those under way go on."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self, seconds: float = 10.0) -> None:
        """Ends the flow; waits so long for Prefect to take note."""
        self._closing.set()
        if seconds:
            self._thread.join(seconds)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        _open[self._run_name] = self._stand
        try:
            batch(self._out, self._run_name)
        except BaseException as error:
            self._error = error
        finally:
            _open.pop(self._run_name, None)
            self._opened.set()

    def _stand(self) -> None:
        self._context = contextvars.copy_context()
        self._opened.set()
        self._closing.wait()
