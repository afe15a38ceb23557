"""The digest of one document: read, restate, settle, sum up, assemble."""

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from conspectus.desk import Desk, DeskCounts
from conspectus.digest import Failures
from conspectus.document import Detail, Digest
from conspectus.flows.parts import restate, sum_up_document, sum_up_sections
from conspectus.session import current
from conspectus.tasks.steps import assemble_digest, read_source, settle_statements, whole


@flow(
    name="digest",
    flow_run_name="digest {file}",
    task_runner=ThreadPoolTaskRunner(max_workers=1),
    persist_result=False,
    validate_parameters=False,
)
def digest(file: str, detail: str = "normal") -> tuple[Digest, DeskCounts]:
    """The digest of one file, and what its model calls cost.

    A session must be open (conspectus.session). The caller sets as many workers as the model has slots, with
    `digest.with_options(task_runner=...)`. Raises InputError, ModelError.
    """
    asked, session = Detail(detail), current()
    source = read_source(file)
    with Desk(session.model, session.reporter.tokens) as desk:
        plan, drafts = restate(source, asked, desk)
        statements = settle_statements(whole(source), whole(plan), whole(drafts), asked)
        sections, lost = sum_up_sections(source, statements, desk)
        overview, lost_too = sum_up_document(source, statements, sections, desk)
        failures = Failures(dict(drafts.failures), (*lost, *lost_too))
        made = assemble_digest(
            whole(source), whole(statements), whole(sections), whole(overview), asked, whole(failures)
        )
    return made, desk.counts
