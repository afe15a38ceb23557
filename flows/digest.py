"""The digest of one document: read, restate, settle, sum up, assemble."""

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from conspectus.desk import Desk, DeskCounts
from conspectus.digest import Failures, Wish
from conspectus.document import Detail, Digest
from conspectus.drafts import Form
from conspectus.flows.parts import restate, sum_up
from conspectus.session import current
from conspectus.tasks.steps import assemble_digest, read_source, settle_statements, whole


@flow(
    name="digest",
    flow_run_name="digest {file}",
    task_runner=ThreadPoolTaskRunner(max_workers=1),
    persist_result=False,
    validate_parameters=False,
)
def digest(
    file: str, detail: str = "normal", *, reduce: bool = True, floor: bool = True, form: str = "aligned"
) -> tuple[Digest, DeskCounts]:
    """The digest of one file, and what its model calls cost.

    Without `reduce` no overview is worded by the model; without `floor` refused lines stand, marked as unverified.

    A session must be open (conspectus.session). The caller sets as many workers as the model has slots, with
    `digest.with_options(task_runner=...)`. Raises InputError, ModelError.
    """
    wish, session = Wish(Detail(detail), reduce, floor), current()
    source = read_source(file)
    with Desk(session.model, session.reporter.tokens, session.reduce_model) as desk:
        plan, drafts = restate(source, wish.detail, Form(form), desk)
        statements = settle_statements(whole(source), whole(plan), whole(drafts), wish)
        overviews, lost = sum_up(source, plan, statements, wish, desk)
        failures = Failures(dict(drafts.failures), lost)
        made = assemble_digest(whole(source), whole(statements), whole(overviews), wish, whole(failures))
    return made, desk.counts
