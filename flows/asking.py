"""Asking the model from a flow: stored answers first, the rest mapped over the model's slots."""

from collections.abc import Sequence
from typing import Protocol

from prefect.futures import PrefectFuture, as_completed

from conspectus.answers import completion_from, lookup
from conspectus.desk import CallSpec, Desk
from conspectus.errors import EngineError
from conspectus.llama import Completion, Request
from conspectus.mapping import Answers
from conspectus.session import current
from conspectus.tasks.complete import complete_call


class Call(Protocol):
    """Anything with a request."""

    @property
    def request(self) -> Request:
        """What the model is asked."""
        ...


def ask(calls: Sequence[Call], desk: Desk, stage: str, *, reducing: bool = False) -> Answers:
    """The answers to the calls, by place. Must be called from a flow: only then is each stored as soon as it is there.

    Stored answers are taken without a task run, equal calls are made once. A call that ended in an EngineError is a
    failure of that call alone; any other error ends the flow. `reducing` calls go to the model for overviews.
    """
    specs = [desk.put(call.request, f"{stage} {place}", reducing=reducing) for place, call in enumerate(calls, 1)]
    found: dict[str, Completion] = {}
    missing: dict[str, CallSpec] = {}
    for spec in specs:
        if spec.key in found or spec.key in missing:
            continue
        stored = lookup(current().answers, spec.key)
        if stored is None:
            missing[spec.key] = spec
        else:
            desk.note_hit()
            found[spec.key] = stored
    failed = _run(list(missing.values()), found, desk, stage)
    return Answers(
        {place: found[spec.key] for place, spec in enumerate(specs) if spec.key in found},
        {place: failed[spec.key] for place, spec in enumerate(specs) if spec.key in failed},
    )


def _run(specs: Sequence[CallSpec], found: dict[str, Completion], desk: Desk, stage: str) -> dict[str, str]:
    """Makes the calls, puts their answers into `found`, and returns why the others failed, by key."""
    if not specs:
        return {}
    task = complete_call.with_options(result_storage=current().answers)
    futures = {task.submit(spec): spec for spec in specs}
    failed: dict[str, str] = {}
    try:
        for done, future in enumerate(as_completed(list(futures)), 1):
            key = futures[future].key
            try:
                found[key] = _completion(future, key)
            except EngineError as error:
                failed[key] = error.message
            current().reporter.count(stage, done, len(specs))
    except BaseException:
        # Prefect waits for the calls under way before it lets go: without a model they end at once.
        current().close_models()
        raise
    return failed


def _completion(future: "PrefectFuture[dict[str, object]]", key: str) -> Completion:
    """The answer of a finished call. Raises what its task raised."""
    completion = completion_from(future.result(), key, fresh=True)
    if completion is None:
        raise EngineError("the answer of a model call was damaged on its way", retryable=True)
    return completion
