"""The digest of one document, its steps as tasks: read, restate, settle, sum up, assemble (see digesting.straight)."""

from pathlib import Path

from prefect import flow

from conspectus.cache.index import noted
from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish
from conspectus.digesting.desk import Desk, DeskCounts
from conspectus.document import Detail, Digest
from conspectus.flows.asking import asking
from conspectus.flows.pool import own_threads
from conspectus.run.session import Work, current
from conspectus.tasks.steps import as_task


@flow(
    name="digest",
    flow_run_name="digest {file}",
    task_runner=own_threads(1),
    persist_result=False,
    validate_parameters=False,
)
def digest(file: str, detail: str = "normal", *, reduce: bool = True, floor: bool = True) -> tuple[Digest, DeskCounts]:
    """The digest of one file, and what its model calls cost.

    Without `reduce` no overview is worded by the model; without `floor` refused lines stand, marked as unverified.

    A session must be open (conspectus.run.session); what a first pass did there (Work) is not done again. The caller
    sets as many workers as the model has slots, with `digest.with_options(task_runner=...)`. Raises InputError,
    ModelError.
    """
    wish, session = Wish(Detail(detail), reduce, floor), current()
    work = session.works.get(Path(file), Work())
    step = work.replay.after(as_task)
    source = step("read", lambda: session.source(Path(file)))
    with Desk(session.model, session.reporter.tokens, session.reduce_model, work.on_call, session.remote) as desk:
        ask = noted(asking(desk), [source.document.sha256], session.models, session.answers)
        made = straight.digest(source, wish, session.models, ask, step)
    return made, desk.counts
