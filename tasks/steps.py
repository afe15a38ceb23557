"""Each step of a digest as a task of its name. What a step does stands in the library (conspectus.digesting.straight).

Steps are not stored; only model calls are (conspectus.tasks.complete). Documents never travel through Prefect, which
would walk through them in search of futures: a step is handed over as a function without arguments.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.utilities.annotations import quote

T = TypeVar("T")


@task(cache_policy=NO_CACHE, persist_result=False)
def run_step(do: Callable[[], object]) -> object:
    """The result of a step."""
    return do()


@lru_cache(maxsize=64)
def _named(name: str) -> Task[[Callable[[], object]], object]:
    return run_step.with_options(name=name)


def as_task(name: str, do: Callable[[], T]) -> T:
    """Runs a step as a task of the flow that is running. Raises what the step raises."""
    # Prefect hands over what is quoted as it is; the task receives it without the quotes.
    return cast(T, _named(name)(cast(Callable[[], object], quote(do))))
