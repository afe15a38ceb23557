"""The comparison of two versions with its changes worded: read both, compare, ask, check."""

from pathlib import Path

from prefect import flow

from conspectus.cache.index import noted
from conspectus.compare import compare as comparing
from conspectus.compare.compare import Comparison
from conspectus.compare.words import plan_words, with_words
from conspectus.digesting.desk import Desk, DeskCounts
from conspectus.flows.asking import asking
from conspectus.flows.pool import own_threads
from conspectus.run.session import current
from conspectus.tasks.steps import as_task


@flow(
    name="compare",
    flow_run_name="compare {old} {new}",
    task_runner=own_threads(1),
    persist_result=False,
    validate_parameters=False,
)
def compare(old: str, new: str) -> tuple[Comparison, DeskCounts]:
    """The comparison of two files, its changes worded by the session's model, and what the model calls cost.

    A session must be open (conspectus.run.session). Raises InputError, ModelError.
    """
    session = current()
    first = as_task("read", lambda: session.source(Path(old)))
    second = as_task("read", lambda: session.source(Path(new)))
    made = as_task("compare", lambda: comparing.compare(first, second))
    with Desk(session.model, session.reporter.tokens) as desk:
        calls = as_task("plan", lambda: plan_words(made, first, second, session.model))
        requests = [side.call.request for side in calls]
        documents = [source.document.sha256 for source in (first, second)]
        ask = noted(asking(desk), documents, session.models, session.answers)
        answers = ask(requests, f"{second.document.name}: changes worded, calls")
        made = as_task("check", lambda: with_words(made, first, second, calls, answers, session.model))
    return made, desk.counts
