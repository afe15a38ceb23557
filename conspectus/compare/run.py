"""One run of `conspectus compare`: read both versions, compare them, word the changes where asked, write and report."""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from conspectus.compare.compare import Comparison, compare
from conspectus.compare.render import RENDERERS, Links, as_dict
from conspectus.compare.view import verdict
from conspectus.digesting.desk import DeskCounts
from conspectus.document import Source
from conspectus.errors import ExitCode, UsageError
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.options.compare import CompareOptions
from conspectus.options.digest import ReadingOptions
from conspectus.paths import answers_dir, write_atomically
from conspectus.pdf.reader import STDIN, check_file, named, read_pdf
from conspectus.run.output import STDOUT, check_target, folder_for, link_to
from conspectus.run.progress import Live, Plain, Quiet, Reporter


def compare_files(old: Path, new: Path, options: CompareOptions, reading: ReadingOptions) -> ExitCode:
    """Compares two files and writes `<new>.compare.{md,json,html}`, or prints the Markdown with `-o -`.

    Exit code 0, with or without differences; 3 where pages were not read or model calls failed. Raises UsageError,
    InputError, ModelError.
    """
    if options.json and options.output == STDOUT:
        raise UsageError("--json and -o - both want stdout", "Use one of them")
    check_target(options.output, 1)
    if old == new == STDIN:
        raise UsageError("both versions are stdin", "Name at least one file: conspectus compare old.pdf -")
    for path in (old, new):
        if path != STDIN:
            check_file(path)
    with ExitStack() as stack:
        reporter = _reporter(options, stack)
        if options.words:
            made, counts = _worded(old, new, options, reading, reporter, stack)
        else:
            sources = [_read(path, reading, reporter) for path in (old, new)]
            made, counts = compare(*sources), DeskCounts()
    written = _write(made, old, new, options)
    _report(made, counts, written, options)
    return ExitCode.PARTIAL if made.partial else ExitCode.OK


def _reporter(options: CompareOptions, stack: ExitStack) -> Reporter:
    if options.quiet:
        return Quiet()
    console = Console(stderr=True)
    if console.is_terminal and not options.json:
        return stack.enter_context(Live(console))
    return Plain(options.verbose)


def _read(path: Path, reading: ReadingOptions, reporter: Reporter) -> Source:
    stage = f"{path.name}: pages read"
    read = read_pdf(path, reading.read_options(), lambda done, total: reporter.count(stage, done, total))
    return to_source(to_document(named(path), read, reading.language))


def _worded(
    old: Path, new: Path, options: CompareOptions, reading: ReadingOptions, reporter: Reporter, stack: ExitStack
) -> tuple[Comparison, DeskCounts]:
    """The comparison with its changes worded, through the flow: answers are stored and not asked for twice."""
    from conspectus.digesting.straight import Models
    from conspectus.llama.choose import choose_model
    from conspectus.prefect_setup import env as prefect_env
    from conspectus.prefect_setup import server as prefect_server
    from conspectus.run.session import Reading, Session

    model = choose_model(options.model, options.context, reporter.note, options.access)
    how = Reading(reading.language, reading.read_options())
    session = stack.enter_context(Session(Models.of(model), answers_dir(), reporter=reporter, reading=how))
    session.read_ahead([old, new])
    if not options.verbose:
        # What fails is told in one line by us; Prefect would add a traceback for each.
        os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    prefect_env.configure()
    lease = stack.enter_context(prefect_server.acquire(reporter.note))
    for path in (old, new):
        session.source(path)
    lease.address()
    from conspectus.flows.compare import compare as flow
    from conspectus.flows.pool import own_threads

    lease.wait()
    return flow.with_options(task_runner=own_threads(model.info.slots))(str(old), str(new))


def _write(made: Comparison, old: Path, new: Path, options: CompareOptions) -> list[Path]:
    """The files of the comparison; to stdout goes Markdown alone."""
    if options.output == STDOUT:
        sys.stdout.buffer.write(RENDERERS["md"](made, Links()))
        sys.stdout.buffer.flush()
        return []
    folder = folder_for(new, options.output)
    links = Links(*("" if path == STDIN else link_to(path, folder) for path in (old, new)))
    written: list[Path] = []
    for suffix, render in RENDERERS.items():
        path = folder / f"{named(new).name}.compare.{suffix}"
        try:
            write_atomically(path, render(made, links))
        except OSError as error:
            raise UsageError(f"{path}: cannot be written ({error.strerror})", "Name a folder with -o") from error
        written.append(path)
    return written


def _report(made: Comparison, counts: DeskCounts, written: list[Path], options: CompareOptions) -> None:
    """JSON lines, or a line for people."""
    if not options.json:
        if not options.quiet:
            where = f" -> {written[-1]}" if written else ""
            print(f"{made.new.name}: {verdict(made)}{where}", file=sys.stderr)
        if made.partial:
            print(f"{made.new.name}: PARTIAL, {_why(made)}", file=sys.stderr)
        return
    plain = as_dict(made)
    for change in plain["changes"]:
        print(json.dumps({"message_type": "change", **change}, ensure_ascii=False))
    summary = {
        "message_type": "summary",
        "status": plain["status"],
        "partial": made.partial,
        "old": str(made.old.name),
        "new": str(made.new.name),
        "counts": plain["counts"],
        "likeness": plain["likeness"],
        "outputs": [str(path) for path in written],
        "model_calls": counts.model_calls,
        "cache_hits": counts.cache_hits,
    }
    print(json.dumps(summary, ensure_ascii=False), flush=True)


def _why(made: Comparison) -> str:
    unread = [f"{side.name} page {page.label}" for side in (made.old, made.new) for page in side.pages if page.unread]
    return f"not read: {', '.join(unread)}" if unread else f"model calls failed: {'; '.join(made.failures)}"
