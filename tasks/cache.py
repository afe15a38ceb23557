"""The cache key of a model call."""

from dataclasses import dataclass
from typing import Any

from prefect.cache_policies import CachePolicy
from prefect.context import TaskRunContext

from conspectus.digesting.answers import storage_key


@dataclass
class CallKey(CachePolicy):
    """Names a result after the task argument `spec` alone: `<aa>/<key>`, the same on every machine and in every run.

    Prefect only logs what a policy raises and then runs the task uncached: `complete_call` therefore compares the key
    that it runs under with its spec.
    """

    def compute_key(
        self,
        task_ctx: TaskRunContext,
        inputs: dict[str, Any],
        flow_parameters: dict[str, Any],
        **kwargs: object,
    ) -> str | None:
        """The name of the result. Raises TypeError without a `spec` that has a key, ValueError for a malformed key."""
        key = getattr(inputs.get("spec"), "key", None)
        if not isinstance(key, str):
            raise TypeError(f"task {task_ctx.task.name!r} needs an argument `spec` with a `key`")
        return storage_key(key)
