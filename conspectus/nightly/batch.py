"""The batch behind schedules and watch mode: options by name in, exit code and one sentence out."""

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conspectus.batch.files import walk
from conspectus.errors import ConspectusError, ExitCode, UsageError, show
from conspectus.metrics.metrics import run_counted, serving
from conspectus.nightly.job import Ran, Value, check_settings, options_from
from conspectus.nightly.notify import Notice, check_addresses, send
from conspectus.options.batch import BatchOptions
from conspectus.options.digest import ReadingOptions
from conspectus.options.service import ServiceOptions
from conspectus.report.report import ATTENTION

# Set by the process that serves a schedule: its own id, which its runs find as that of their parent.
SERVED_BY = "CONSPECTUS_SERVED_BY"
KINDS = (BatchOptions, ReadingOptions, ServiceOptions)


def end_with_server() -> None:
    """Ends this process soon after the one that serves the schedule, however that ended.

    Does nothing in a run that was started otherwise, as by a worker of a work pool. Answers of the model are stored as
    they come, so the next run goes on from there.
    """
    parent = os.getppid()
    if os.environ.get(SERVED_BY) != str(parent):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(ExitCode.INTERRUPTED)

    threading.Thread(target=watch, name="end with server", daemon=True).start()


def digest_folder(folder: Path, out: Path, settings: Mapping[str, Value], files: Sequence[Path] = ()) -> Ran:
    """Digests the folder, or only these files of it, into `out`, and tells who wants to know how that ended.

    A folder without documents is no error here: they may come tomorrow. Raises ConspectusError where nothing can be
    done; that is told with `tell_failure`.
    """
    check_settings(settings, *KINDS)
    if not files and next(walk(folder, out.resolve(), []), None) is None:
        print(f"{folder}: no documents", file=sys.stderr, flush=True)
        with run_counted():
            return Ran(ExitCode.OK, "no documents")
    options = replace(options_from(BatchOptions, settings), output=str(out))
    reading, service = options_from(ReadingOptions, settings), options_from(ServiceOptions, settings)
    return batch_told(list(files) or [folder], options, reading, service, folder)


def batch_served(
    inputs: Sequence[Path], options: BatchOptions, reading: ReadingOptions, service: ServiceOptions | None
) -> int:
    """`conspectus batch`: its exit code; its figures can be read meanwhile. Raises what the batch raises."""
    service = service or ServiceOptions()
    check_addresses()
    with serving(service.metrics_port, service.metrics_address):
        return int(batch_told(inputs, options, reading, service).code)


def batch_told(
    inputs: Sequence[Path],
    options: BatchOptions,
    reading: ReadingOptions,
    service: ServiceOptions,
    root: Path | None = None,
) -> Ran:
    """A batch that is counted and whose end is told. Raises what `run_batch` raises."""
    from conspectus.batch.run import run_batch

    with run_counted() as ended:
        end = run_batch(inputs, options, reading, root)
        ended(end.exit_code)
    need = tuple(
        (entry.name, entry.state, entry.row.outcome.why) for entry in end.report.entries if entry.state in ATTENTION
    )
    page = next((path for path in end.files if path.suffix == ".html"), Path(str(options.output)))
    ran = Ran(end.exit_code, end.report.sentence(), need, page)
    names = tuple(f"{state}: {name}" for name, state, _ in ran.need) if service.notify_names else ()
    _tell(Notice(ran.code, ran.sentence, names), service)
    return ran


def tell_failure(error: Exception, settings: Mapping[str, Value]) -> None:
    """Says that a run could not be made at all: on stderr, and to who wants to know."""
    if not isinstance(error, ConspectusError):
        error = ConspectusError(f"unexpected {type(error).__name__}: {error}")
    show(error)
    try:
        service = options_from(ServiceOptions, settings)
    except UsageError:
        service = ServiceOptions()
    # Its message may name files.
    said = error.message if service.notify_names else f"no run could be made (exit code {int(error.exit_code)})"
    _tell(Notice(error.exit_code, said), service)


def _tell(notice: Notice, service: ServiceOptions) -> None:
    if service.notify == "never" or (service.notify == "problems" and notice.code is ExitCode.OK):
        return
    for line in send(notice):
        print(line, file=sys.stderr, flush=True)
