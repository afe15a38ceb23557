"""The nightly run: is it still wanted, digest the folder, tell how it ended."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from prefect import flow, runtime
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from conspectus.batch.lock import OutputInUse
from conspectus.errors import ExitCode
from conspectus.flows.artifacts import show_end, shown_progress
from conspectus.metrics.metrics import join
from conspectus.nightly.batch import digest_folder, end_with_server, tell_failure
from conspectus.nightly.job import Due, Ran, Value, run_due

LATE_HOURS = 12.0


@flow(name="nightly", flow_run_name="nightly {folder}", persist_result=False)
def nightly(
    folder: str, out: str, late_hours: float = LATE_HOURS, settings: dict[str, Value] | None = None
) -> State[None]:
    """Digests the documents of `folder` into `out`, as `conspectus batch` does.

    A run that is found more than `late_hours` after its time is left out, and so is one whose work a run did that
    began later. `settings` are the options of `conspectus batch` by name (`{"model": "...", "detail": "brief"}`).
    Secrets are read from the environment of the process that runs it. Raises ConspectusError.
    """
    end_with_server()
    join()
    now = datetime.now(UTC)
    due = Due(runtime.flow_run.scheduled_start_time or now, now, timedelta(hours=late_hours))
    try:
        with shown_progress():
            ran = run_due(Path(out), due, lambda: digest_folder(Path(folder), Path(out), settings or {}))
        if isinstance(ran, Ran):
            show_end(ran)
        return _state(ran)
    except OutputInUse as error:
        return _state(error.message)
    except Exception as error:
        tell_failure(error, settings or {})
        raise


def _state(ran: Ran | str) -> State[None]:
    """The state that Prefect shows, and that its automations can wait for: Skipped, Completed, Partial or Failed."""
    if isinstance(ran, str):
        return Completed(name="Skipped", message=ran)
    if ran.code in (ExitCode.OK, ExitCode.PARTIAL):
        return Completed(name="Completed" if ran.code is ExitCode.OK else "Partial", message=ran.sentence)
    return Failed(message=ran.sentence)
