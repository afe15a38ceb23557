"""The task that asks the model, once for each key."""

from typing import Any

from prefect import Task, task
from prefect.client.schemas.objects import State, TaskRun
from prefect.context import TaskRunContext
from prefect.transactions import Transaction, get_transaction

from conspectus.digesting.answers import is_clean, record_from, storage_key
from conspectus.digesting.desk import CallSpec, desk_of
from conspectus.errors import EngineError
from conspectus.llama import Completion
from conspectus.llama.remote import answer_to
from conspectus.tasks.cache import CallKey


def may_succeed_later(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Prefect's retry condition: only an EngineError that says it is retryable."""
    error = state.data
    return isinstance(error, EngineError) and error.retryable


@task(
    name="model call",
    task_run_name="{spec.label}",
    cache_policy=CallKey(),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 5],
    retry_jitter_factor=0.3,
    retry_condition_fn=may_succeed_later,
)
def complete_call(spec: CallSpec) -> dict[str, Any]:
    """The record of the answer to `spec` (conspectus.digesting.answers), stored under its key where it is clean.

    To be called from a flow, never from a task. Raises EngineError and ModelError from the model, LookupError without
    an open desk, RuntimeError where Prefect would not store the answer as it must.
    """
    try:
        transaction = _own_transaction(spec)
        completion = _answer_to(spec)
    except Exception:
        _keep_failure_off_disk()
        raise
    if transaction is not None and not is_clean(completion):
        # An answer that ran out of time serves this run but must not answer the next one. `write_on_commit` is the
        # switch that Prefect's own engine turns for failed states; it belongs to this attempt's transaction. A second,
        # unpersisted task would cost a second task run for each such call, and raising would lose the answer.
        transaction.write_on_commit = False
    return record_from(spec.key, completion)


def _answer_to(spec: CallSpec) -> Completion:
    if spec.place is not None:
        return answer_to(spec.place, spec.key)
    return desk_of(spec.run).complete(spec.key)


def _own_transaction(spec: CallSpec) -> Transaction | None:
    context = TaskRunContext.get()
    # Called through `.fn`, or with a policy that the caller chose: nothing is stored, nothing to check.
    if context is None or not isinstance(context.task.cache_policy, CallKey):
        return None
    transaction = get_transaction()
    if not isinstance(transaction, Transaction) or transaction.key != storage_key(spec.key):
        raise RuntimeError(f"the answer to {spec.label!r} would not be stored: its cache key was not computed")
    if transaction.get_parent() is not None:
        raise RuntimeError(f"{spec.label!r} was called inside another task: its answer would be stored too late")
    return transaction


def _keep_failure_off_disk() -> None:
    # Prefect writes the exception of a persisted task to a file with a random name that nothing ever reads. This
    # context lives for one attempt and is read after the exception: the next attempt gets a fresh one.
    context = TaskRunContext.get()
    if context is not None:
        context.persist_result = False
