"""A task runner whose threads several flows share: the model's slots are filled from all documents under way."""

import concurrent.futures
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, Self, TypeVar, cast

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

P = ParamSpec("P")
T = TypeVar("T")


def own_threads(count: int) -> TaskRunner[Any]:
    """Prefect's task runner with threads of the flow's own. `Any`: a flow does not take it with the futures it has."""
    runner: ThreadPoolTaskRunner[Any] = ThreadPoolTaskRunner(max_workers=count)
    return runner


class Lent(Executor):
    """A share in a pool of threads: `shutdown` ends what was submitted here and leaves the pool as it is."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._own: set[Future[Any]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hands a call to the pool."""
        future = self._pool.submit(fn, *args, **kwargs)
        self._own.add(future)
        future.add_done_callback(self._own.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Waits for own calls, those that have not begun cancelled or not."""
        own = list(self._own)
        if cancel_futures:
            for future in own:
                future.cancel()
        if wait:
            concurrent.futures.wait(own)


class SharedThreads(ThreadPoolTaskRunner[Any]):
    """Prefect's task runner with threads, on a pool that outlives the flow.

    Calls of several documents are taken in the order in which they came, so that the first ones end first.
    """

    def __init__(self, pool: ThreadPoolExecutor, max_workers: int) -> None:
        super().__init__(max_workers)
        self._lender = pool

    def duplicate(self) -> Self:
        """Another runner on the same pool; Prefect makes one for each flow run."""
        return type(self)(self._lender, self._max_workers)

    def __enter__(self) -> Self:
        super().__enter__()
        # The one that Prefect has just made has no threads yet.
        self._executor = cast(ThreadPoolExecutor, Lent(self._lender))
        return self
