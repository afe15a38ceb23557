"""One run of `conspectus digest`: open what it needs, digest file by file, report."""

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from conspectus.batch.cluster import remote_of
from conspectus.digesting.assemble import coverage
from conspectus.digesting.desk import DeskCounts
from conspectus.digesting.straight import Models
from conspectus.document import Digest
from conspectus.errors import ConspectusError, ExitCode, InputError, UsageError
from conspectus.llama import Model
from conspectus.llama.choose import ServerAccess, choose_model
from conspectus.llama.remote import Remote
from conspectus.options.digest import DigestOptions, ReadingOptions
from conspectus.paths import answers_dir
from conspectus.pdf.reader import STDIN, check_file, named
from conspectus.plural import many
from conspectus.render.formats import chosen_formats
from conspectus.run.outcome import facts_of, sentence_of, why_partial
from conspectus.run.output import STDOUT, check_target, write
from conspectus.run.progress import Live, Plain, Quiet, Reporter
from conspectus.run.session import Reading, Session
from conspectus.run.speeds import Speed, record

if TYPE_CHECKING:
    from conspectus.prefect_setup.server import ServerLease


@dataclass(slots=True)
class Tally:
    """The run so far: what was delivered, what failed, what it cost."""

    delivered: list[tuple[Path, Digest, DeskCounts, float]] = field(default_factory=list)
    failed: list[tuple[Path, ConspectusError]] = field(default_factory=list)

    def exit_code(self) -> ExitCode:
        """0 all whole, 3 some partial or some failed, else the code of the first failure."""
        if self.failed and not self.delivered:
            return self.failed[0][1].exit_code
        partial = any(digest.partial for _, digest, _, _ in self.delivered)
        return ExitCode.PARTIAL if self.failed or partial else ExitCode.OK


def digest_files(files: Sequence[Path], options: DigestOptions, reading: ReadingOptions) -> ExitCode:
    """Digests the files one after the other; one that fails does not stop the others.

    Raises ConspectusError where nothing can be done at all.
    """
    if not files:
        raise UsageError("no file given", "Name one or more PDFs: conspectus digest lease.pdf")
    if options.json and options.output == STDOUT:
        raise UsageError("--json and -o - both want stdout", "Use one of them")
    check_target(options.output, len(files))
    chosen_formats(options.format)
    remote = remote_of(options)
    tally = Tally()
    readable = []
    for path in files:
        try:
            if path != STDIN:
                check_file(path)
            readable.append(path)
        except InputError as error:
            _failed(tally, path, error, options)
    if readable:
        with ExitStack() as stack:
            if remote is not None:
                stack.enter_context(remote)
            session = _session(options, reading, remote, stack)
            _digest_all(readable, session, options, tally, stack)
    _summary(tally, options)
    return tally.exit_code()


def _reporter(options: DigestOptions, stack: ExitStack) -> Reporter:
    if options.quiet:
        return Quiet()
    console = Console(stderr=True)
    if console.is_terminal and not options.json:
        return stack.enter_context(Live(console))
    return Plain(options.verbose)


def open_model(name: str, context: int, reporter: Reporter, access: ServerAccess | None = None) -> Model:
    """The model that the user names, loading or connecting in the background. Raises ModelError, UsageError."""
    return choose_model(name, context, reporter.note, access)


def _session(options: DigestOptions, reading: ReadingOptions, remote: Remote | None, stack: ExitStack) -> Session:
    """The run: its models begin to load. Raises ModelError, UsageError."""
    reporter = _reporter(options, stack)
    model = open_model(options.model, options.context, reporter, options.access)
    reducing = None
    if options.reduce_model not in (None, options.model):
        reducing = open_model(options.reduce_model, options.context, reporter, options.access)
    how = Reading(reading.language, reading.read_options())
    models = Models.of(model, reducing)
    return stack.enter_context(Session(models, answers_dir(), reporter=reporter, reading=how, remote=remote))


def _digest_all(
    files: Sequence[Path], session: Session, options: DigestOptions, tally: Tally, stack: ExitStack
) -> None:
    """Starts the server while files are read, then digests each file."""
    from conspectus.prefect_setup import env as prefect_env
    from conspectus.prefect_setup import server as prefect_server

    session.read_ahead(files)
    if not options.verbose:
        # What fails is told in one line by us; Prefect would add a traceback for each.
        os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    prefect_env.configure()
    lease = stack.enter_context(prefect_server.acquire(session.reporter.note))
    for path in files:
        began = time.monotonic()
        try:
            session.source(path)
            made, counts = _run_flow(path, options, lease, session)
        except InputError as error:
            _failed(tally, path, error, options)
            session.forget(path)
            continue
        seconds = time.monotonic() - began
        if session.model is session.reduce_model:
            speed = Speed(counts.model_calls, counts.prompt_tokens, counts.generated_tokens, seconds)
            record(session.info.fingerprint, speed)
        tally.delivered.append((path, made, counts, seconds))
        _deliver(path, made, facts_of(made, counts, seconds), session.page_seconds(path), options)
        session.forget(path)


def _run_flow(path: Path, options: DigestOptions, lease: "ServerLease", session: Session) -> tuple[Digest, DeskCounts]:
    """The flow on one file, with as many workers as the model has slots, or those of the cluster."""
    lease.address()
    from conspectus.flows.clusters import cluster_runner
    from conspectus.flows.digest import digest
    from conspectus.flows.pool import own_threads

    lease.wait()
    remote = session.remote
    runner = own_threads(session.model.info.slots) if remote is None else cluster_runner(remote.cluster)
    return digest.with_options(task_runner=runner)(
        str(path), options.detail, reduce=options.reduce, floor=options.floor
    )


def _deliver(
    path: Path, made: Digest, facts: dict[str, Any], page_seconds: list[float], options: DigestOptions
) -> None:
    """Writes the digest and says so."""
    # What came through a pipe goes on through one, unless a folder is named.
    piped = path == STDIN and options.output is None and not options.json
    target = STDOUT if piped else options.output
    about = {**facts, "page_seconds": page_seconds}
    written = write(made, named(path), target, about, chosen_formats(options.format))
    count = coverage(made)
    if options.json:
        _emit("digest", file=str(path), outputs=[str(out) for out in written], **facts)
    elif not options.quiet:
        where = f" -> {written[-2]}" if written else ""
        print(f"{path.name}: {sentence_of(count)}{where}", file=sys.stderr)
    if made.partial and not options.json:
        print(f"{path.name}: PARTIAL, {why_partial(made)}", file=sys.stderr)


def _failed(tally: Tally, path: Path, error: ConspectusError, options: DigestOptions) -> None:
    tally.failed.append((path, error))
    if options.json:
        _emit("error", file=str(path), code=int(error.exit_code), message=error.message, remedy=error.remedy)
    Console(stderr=True, soft_wrap=True).print(
        f"conspectus: {error.line()}", style="red", markup=False, highlight=False
    )


def _emit(kind: str, **fields: object) -> None:
    print(json.dumps({"message_type": kind, **fields}, ensure_ascii=False), flush=True)


def _summary(tally: Tally, options: DigestOptions) -> None:
    """The last JSON line, or the last line for people: what the run cost."""
    facts = [facts_of(made, counts, seconds) for _, made, counts, seconds in tally.delivered]
    total = {
        key: sum(fact[key] for fact in facts)
        for key in ("pages", "clauses", "model_calls", "cache_hits", "prompt_tokens", "generated_tokens", "seconds")
    }
    if options.json:
        verdicts = ("verified", "verbatim", "unverified")
        statements = {verdict: sum(fact["statements"][verdict] for fact in facts) for verdict in verdicts}
        status = {ExitCode.OK: "complete", ExitCode.PARTIAL: "partial"}.get(tally.exit_code(), "failed")
        _emit(
            "summary", status=status, files=len(facts), failed=len(tally.failed), statements=statements,
            exit_code=int(tally.exit_code()), **total,
        )  # fmt: skip
    elif facts and not options.quiet:
        print(
            f"{many(total['model_calls'], 'model call')}, {many(total['cache_hits'], 'answer')} from the cache, "
            f"{total['prompt_tokens']} + {total['generated_tokens']} tokens, {total['seconds']:.0f} s",
            file=sys.stderr,
        )
