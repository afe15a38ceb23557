"""Asking the model from a flow: stored answers first, the rest handed to the model's slots."""

from collections.abc import Iterator, Sequence
from functools import partial
from queue import SimpleQueue
from typing import TypeAlias

from prefect.futures import PrefectFuture

from conspectus.digesting.answers import completion_from, is_clean, lookup
from conspectus.digesting.desk import CallSpec, Desk
from conspectus.digesting.mapping import Answers, answers_of
from conspectus.digesting.straight import Ask
from conspectus.errors import EngineError, ModelError
from conspectus.llama import Completion, Request
from conspectus.run.session import current
from conspectus.tasks.complete import complete_call

Call: TypeAlias = "PrefectFuture[dict[str, object]]"
Ended: TypeAlias = "SimpleQueue[tuple[str, Call]]"

# Task runs of one document that are under way or waiting for a slot. Prefect keeps some 25 KB for each.
WINDOW = 256


def asking(desk: Desk) -> Ask:
    """Asks through this desk. To be used from a flow: only then is each answer stored as soon as it is there.

    Stored answers are taken without a task run, equal calls are made once. A call that ended in an EngineError is a
    failure of that call alone; any other error ends the flow.
    """

    def ask(requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        specs = [desk.put(request, f"{stage} {place}", reducing=reducing) for place, request in enumerate(requests, 1)]
        found: dict[str, Completion] = {}
        missing: dict[str, CallSpec] = {}
        for spec in specs:
            if spec.key in found or spec.key in missing:
                continue
            stored = lookup(current().answers, spec.key)
            if stored is None:
                missing[spec.key] = spec
            else:
                desk.note_hit(spec.key, stored)
                found[spec.key] = stored
        failed = _run(list(missing.values()), found, desk, stage)
        return answers_of([spec.key for spec in specs], found, failed)

    return ask


def _run(specs: Sequence[CallSpec], found: dict[str, Completion], desk: Desk, stage: str) -> dict[str, EngineError]:
    """Makes the calls, puts their answers into `found`, and returns why the others failed, by key."""
    failed: dict[str, EngineError] = {}
    session = current()
    try:
        for done, (key, future) in enumerate(_submitted(specs), 1):
            try:
                found[key] = _completion(future, key)
                _warn_where_unstored(key, found[key])
                if session.remote is not None:
                    desk.note_made(key, found[key])
            except EngineError as error:
                failed[key] = error
                if session.remote is not None:
                    desk.note_made(key, None, error.message)
            session.reporter.count(stage, done, len(specs))
    except (ModelError, KeyboardInterrupt):
        # Of no use to anyone any more. Prefect waits for the calls under way before it lets go: without a model they
        # end at once. Any other error is this document's alone.
        session.close_models()
        raise
    return failed


def _submitted(specs: Sequence[CallSpec]) -> Iterator[tuple[str, Call]]:
    """The calls as they end, never more than WINDOW of them at a time in Prefect's hands."""
    task = complete_call.with_options(result_storage=current().answers)
    ended: Ended = SimpleQueue()
    waiting = iter(specs)
    under_way = 0
    while True:
        while under_way < WINDOW and (spec := next(waiting, None)) is not None:
            future = task.submit(spec)
            future.add_done_callback(partial(_note_end, ended, spec.key))
            under_way += 1
        if not under_way:
            return
        yield ended.get()
        under_way -= 1


def _note_end(ended: Ended, key: str, call: Call) -> None:
    ended.put((key, call))


def _warn_where_unstored(key: str, completion: Completion) -> None:
    """Prefect only logs that it could not store a result: on a full disk the run goes on, and is to be told of it."""
    session = current()
    if is_clean(completion) and lookup(session.answers, key) is None:
        session.note_once(f"the model's answers cannot be stored in {session.answers}: is there room, and the right?")


def _completion(call: Call, key: str) -> Completion:
    """The answer of a finished call. Raises what its task raised."""
    completion = completion_from(call.result(), key, fresh=True)
    if completion is None:
        raise EngineError("the answer of a model call was damaged on its way", retryable=True)
    return completion
