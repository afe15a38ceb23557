"""One run of `conspectus batch`: documents found, shared out over threads, written, journalled, reported."""

import contextlib
import math
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from conspectus.batch.cluster import remote_of
from conspectus.batch.crew import Crew, Limits
from conspectus.batch.document import Bench
from conspectus.batch.files import find, listed
from conspectus.batch.lock import claimed
from conspectus.batch.record import Recipe
from conspectus.batch.report import Teller, write_report
from conspectus.batch.server import FlowHost
from conspectus.digesting.assemble import Wish
from conspectus.digesting.straight import Models
from conspectus.document import Detail
from conspectus.errors import ConspectusError, ExitCode, ModelError, UsageError
from conspectus.journal.journal import Journal, RunEnd, command_line
from conspectus.llama.inspect_file import is_address
from conspectus.llama.remote import Remote
from conspectus.metrics.metrics import metered
from conspectus.options.batch import BatchOptions
from conspectus.options.digest import ReadingOptions
from conspectus.paths import answers_dir, sweep
from conspectus.pdf.pool import usable_cores
from conspectus.pdf.reader import STDIN
from conspectus.render.formats import chosen_formats
from conspectus.report.report import Report
from conspectus.run.digest import open_model
from conspectus.run.output import STDOUT, check_target
from conspectus.run.session import Reading, Session
from conspectus.run.speeds import Speed, record

MOST_JOBS, MOST_READERS = 16, 8
ASK_AGAIN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """How a batch ended: its exit code, its number in the journal, its report, the files of that."""

    exit_code: ExitCode
    run: int
    end: RunEnd
    report: Report
    files: tuple[Path, ...] = field(default_factory=tuple)


def run_batch(
    inputs: Sequence[Path], options: BatchOptions, reading: ReadingOptions, root: Path | None = None
) -> BatchEnd:
    """Digests all documents of the inputs into the output folder. One that fails does not stop the others.

    The tree of single files below `root` is kept in the output folder.

    Raises UsageError where nothing can be begun, ModelError where the model is of no use, KeyboardInterrupt once what
    was under way is saved.
    """
    paths, out = _checked(inputs, options)
    remote = remote_of(options, options.wait * 60)
    began = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(claimed(out))
        teller = stack.enter_context(Teller(options))
        teller.note(f"looking through {', '.join(str(path) for path in inputs) or options.from_list}")
        found = find(paths, out, root)
        items = [item for group in found.groups for item in group.items] + [item for item, _ in found.lost]
        if not items:
            raise UsageError("no document found: neither PDF nor text file", "Name a folder with documents, or files")
        for folder in {out / item.place for item in items}:
            sweep(folder)
        if remote is not None:
            stack.enter_context(remote)
        models = _opened(options, teller, began)
        session = stack.enter_context(_session(models, options, reading, teller, remote))
        journal = stack.enter_context(Journal.open(note=teller.note))
        run = journal.start_run(command_line(sys.argv[1:]), out, session.info.name)
        numbers = dict(zip(items, journal.add_documents(run, [item.path for item in items]), strict=True))
        teller.begin(len(items), journal, numbers)
        for item, error in found.lost:
            teller.refused(item, error)
        host = stack.enter_context(FlowHost(out, session, _wish(options), teller.note))
        bench = _bench(session, options, reading, out, host, teller)
        limits = Limits(_jobs(options, session), options.fail_fast, _until(began, options))
        crew = Crew(bench, limits, teller, host.cancel)
        try:
            end = crew.work(found.groups)
        except BaseException as error:
            end, code = RunEnd.INTERRUPTED, ExitCode.INTERRUPTED
            if isinstance(error, ConspectusError):
                end, code = RunEnd.STOPPED, error.exit_code
            journal.finish_run(run, end, int(code))
            # Else the page of the run before would be taken for that of this one. What ended the run counts more.
            with contextlib.suppress(ConspectusError):
                teller.ends_early(*write_report(journal, run, out, teller))
            raise
        _record_speed(session, teller, time.monotonic() - began)
        return _finished(journal, run, end, teller, out)


def _checked(inputs: Sequence[Path], options: BatchOptions) -> tuple[list[Path], Path]:
    """The inputs and the output folder. Raises UsageError."""
    if options.output is None or options.output == STDOUT:
        raise UsageError("a batch needs a folder for its results", "Name one: conspectus batch contracts -o digests")
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs}: at least one document must be under way", "Try --jobs 2")
    if options.max_hours is not None and not options.max_hours > 0:
        raise UsageError(f"--max-hours {options.max_hours}: no time is left in it", "Try --max-hours 8")
    if not 0 <= options.wait < math.inf:
        raise UsageError(f"--wait {options.wait}: is no number of minutes", "Try --wait 30")
    check_target(options.output, 2)
    chosen_formats(options.format)
    paths: list[Path] = []
    for path in inputs:
        paths += listed(STDIN) if path == STDIN else [path]
    if options.from_list is not None:
        paths += listed(STDIN if str(options.from_list) in ("-", "<stdin>") else options.from_list)
    if not paths:
        raise UsageError("no folder and no file given", "Name a folder: conspectus batch contracts -o digests")
    return paths, Path(options.output)


def _opened(options: BatchOptions, teller: Teller, began: float) -> Models:
    """The models; a server that is down is asked again as long as the user wants to wait. Raises ModelError."""
    access = replace(options.access, patience_s=options.wait * 60)
    while True:
        model = open_model(options.model, options.context, teller, access)
        other = None
        if options.reduce_model not in (None, options.model):
            other = open_model(str(options.reduce_model), options.context, teller, access)
        models = Models.of(metered(model), None if other is None else metered(other))
        try:
            if is_address(options.model):
                _ = models.info
            return models
        except ModelError as error:
            for one in (model, other):
                if one is not None:
                    one.close()
            if time.monotonic() - began > options.wait * 60:
                raise
            teller.note(f"{error.message}; it is asked again in {ASK_AGAIN_SECONDS:.0f} s")
            time.sleep(ASK_AGAIN_SECONDS)


def _wish(options: BatchOptions) -> Wish:
    return Wish(Detail(options.detail), options.reduce, options.floor)


def _session(
    models: Models, options: BatchOptions, reading: ReadingOptions, teller: Teller, remote: Remote | None
) -> Session:
    readers = max(1, min(MOST_READERS, usable_cores() // 2))
    ahead = (options.jobs or MOST_JOBS) + readers + 1
    how = Reading(reading.language, reading.read_options(), ahead, readers)
    return Session(models, answers_dir(), reporter=teller, reading=how, remote=remote)


def _jobs(options: BatchOptions, session: Session) -> int:
    """How many documents are under way: enough that some have calls while others are read, checked and written."""
    return options.jobs or min(MOST_JOBS, 3 + session.info.slots // 8)


def _until(began: float, options: BatchOptions) -> float | None:
    return None if options.max_hours is None else began + options.max_hours * 3600


def _bench(
    session: Session, options: BatchOptions, reading: ReadingOptions, out: Path, host: FlowHost, teller: Teller
) -> Bench:
    wish = _wish(options)
    return Bench(
        session=session,
        out=out,
        wish=wish,
        recipe=Recipe.of(wish, session.info, reading.language, ocr=reading.ocr),
        suffixes=chosen_formats(options.format),
        retry_failed=options.retry_failed,
        flow=host.digest,
        note_state=teller.state,
        note_call=teller.call,
    )


def _record_speed(session: Session, teller: Teller, seconds: float) -> None:
    """Keeps the speed for `conspectus plan`, where one model did it all."""
    if session.model is session.reduce_model:
        total = teller.total()
        speed = Speed(total["model_calls"], total["prompt_tokens"], total["generated_tokens"], seconds)
        record(session.info.fingerprint, speed)


def _finished(journal: Journal, run: int, end: RunEnd, teller: Teller, out: Path) -> BatchEnd:
    code = ExitCode.OK if end is RunEnd.FINISHED and not teller.attention() else ExitCode.PARTIAL
    journal.finish_run(run, end, int(code))
    report, files = write_report(journal, run, out, teller)
    teller.finish(report, files, code)
    return BatchEnd(code, run, end, report, files)
