"""The command line. Prefect and the flows are imported only when a digest is made: `--help` answers at once."""

import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

from cyclopts import CycloptsError, Parameter
from cyclopts.config import Env

from conspectus import __version__
from conspectus.cli.helping import HelpfulApp
from conspectus.errors import ConspectusError, ExitCode, show
from conspectus.options.batch import BatchOptions
from conspectus.options.digest import DigestOptions, PlanOptions, ReadingOptions
from conspectus.options.service import ServiceOptions
from conspectus.settings import Files

HELP = """Digests of long contracts and statutes, made on this machine, each line checked against clause and page.

Examples:
  conspectus digest lease.pdf                     writes lease.pdf.digest.md, .json and .html beside it
  conspectus digest act.pdf --detail brief -o -   prints a short digest
  conspectus digest *.pdf -o digests --model my-model.gguf
  conspectus plan contract.pdf --json             what a digest would be: pages, clauses, tokens, calls
  conspectus model check my-model.gguf            what is wrong with a model file

Exit codes: 0 delivered, 1 unexpected, 2 usage, 3 partial, 4 input unreadable, 5 model missing or does not fit,
6 verification below the asked level, 130 interrupted.
"""

app = HelpfulApp(
    name="conspectus",
    help=HELP,
    help_format="plaintext",
    version=__version__,
    config=(Env("CONSPECTUS_", command=False), Files()),
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)


@app.command
def digest(
    *files: Annotated[Path, Parameter(show_env_var=False)],
    options: DigestOptions | None = None,
    reading: ReadingOptions | None = None,
) -> int:
    """Digest documents: one PDF gives <name>.digest.md, .json and .html, and <name>.run.json.

    Each line of a digest cites its clause and page and is marked verified (restated by the model, checked by code) or
    verbatim (the document's own words). Answers of the model are stored: a second run makes no model call.

    Examples:
      conspectus digest lease.pdf                            writes lease.pdf.digest.md, .json and .html beside it
      conspectus digest *.pdf -o digests --detail brief
      conspectus digest act.pdf -o - | less                  prints the digest
      conspectus digest lease.pdf --format docx,xlsx,ics     for Word, a spreadsheet, a calendar
      conspectus digest lease.pdf --model my-model.gguf --context 8192
      curl -s https://example.org/act.pdf | conspectus digest -

    Parameters
    ----------
    files
        PDFs, text or Markdown files; - is stdin.
    """
    from conspectus.run.digest import digest_files

    return int(digest_files(_named(files), options or DigestOptions(), reading or ReadingOptions()))


_PIPE = "<stdin>"


def _piped(arguments: Sequence[str]) -> list[str]:
    """The arguments with a lone `-` under another name: the parser takes it for an option without a letter."""
    before = ["", *arguments]
    return [
        _PIPE if argument == "-" and last not in ("-o", "--output") else argument
        for last, argument in zip(before, arguments, strict=False)
    ]


def _named(files: Sequence[Path]) -> list[Path]:
    return [Path("-") if str(file) == _PIPE else file for file in files]


@app.command
def plan(
    *files: Annotated[Path, Parameter(show_env_var=False)],
    options: PlanOptions | None = None,
    reading: ReadingOptions | None = None,
) -> int:
    """Say what a digest of these documents would be: pages and how they were read, clauses, tokens, model calls.

    Nothing is asked of the model but to count; pages that a digest would miss are named.

    Examples:
      conspectus plan lease.pdf
      conspectus plan lease.pdf --measure              also how many minutes it takes, measured for ten seconds
      conspectus plan *.pdf --model none --json        pages and clauses only, a JSON object for each file

    Parameters
    ----------
    files
        PDFs, text or Markdown files; - is stdin.
    """
    from conspectus.plan.run import plan_files

    return int(plan_files(_named(files), options or PlanOptions(), reading or ReadingOptions()))


@app.command
def batch(
    *inputs: Annotated[Path, Parameter(show_env_var=False)],
    options: BatchOptions | None = None,
    reading: ReadingOptions | None = None,
    service: ServiceOptions | None = None,
) -> int:
    """Digest a folder of documents: whatever happens to one of them, the others are done; run again to go on.

    The output folder mirrors the folders of the documents and gets a report of the run. What has not changed since the
    last run is left alone, identical files are digested once.

    Examples:
      conspectus batch contracts -o digests
      conspectus batch contracts -o digests --max-hours 8 --model http://127.0.0.1:8080
      conspectus batch contracts -o digests --retry-failed
      find . -name "*.pdf" | conspectus batch - -o digests --json

    Parameters
    ----------
    inputs
        Folders and files; - is a list of them on stdin.
    """
    from conspectus.nightly.batch import batch_served

    return batch_served(_named(inputs), options or BatchOptions(), reading or ReadingOptions(), service)


# Loaded when they are called: `--help` stays quick.
app.command("conspectus.cli.nightly:nightly", name="nightly", help="Digest a folder at set times.")
app.command("conspectus.cli.watch:watch", name="watch", help="Digest files as they come into a folder.")
app.command("conspectus.cli.verify:verify", name="verify", help="Prove a digest against its document, without a model.")
app.command("conspectus.cli.runs:app", name="runs", help="List the runs, or explain one document by document.")
app.command("conspectus.cli.compare:compare", name="compare", help="Compare two versions of a document.")
app.command("conspectus.cli.cache:app", name="cache", help="Count, check and remove the stored answers of models.")
app.command("conspectus.cli.model:app", name="model", help="Look at a model file (inspect, check, plan), or serve it.")
app.command(
    "conspectus.cli.bench:bench",
    name="bench",
    help="Measure the engine here: tokens a second by slots, threads, cache.",
)
app.command("conspectus.cli.doctor:doctor", name="doctor", help="Say what this machine has and what may be wrong.")
app.command("conspectus.cli.completion:completion", name="completion", help="Print a completion script for the shell.")
app.command("conspectus.cli.config:app", name="config", help="Show or begin the configuration file.")


class _Interrupts:
    """The first Ctrl-C ends the run in order, within EXIT_SECONDS; the second one ends it now."""

    EXIT_SECONDS = 8.0

    def __init__(self) -> None:
        self.seen = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        if self.seen:
            os._exit(ExitCode.INTERRUPTED)
        self.seen = True
        last = threading.Timer(self.EXIT_SECONDS, self._end)
        last.daemon = True
        last.start()
        raise KeyboardInterrupt

    def _end(self) -> None:
        show(_INTERRUPTED)
        os._exit(ExitCode.INTERRUPTED)


_interrupts = _Interrupts()
_INTERRUPTED = ConspectusError("interrupted", "What was computed is kept: run the same command again to go on")


def run(arguments: Sequence[str]) -> int:
    """The program with these arguments; returns its exit code."""
    verbose = "-v" in arguments or "--verbose" in arguments
    try:
        result = app(_piped(arguments), exit_on_error=False, print_error=False)
    except CycloptsError as error:
        show(ConspectusError(f"usage: {error}", f"See: {_help_of(arguments)}"))
        return ExitCode.USAGE
    except KeyboardInterrupt:
        show(_INTERRUPTED)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _reader_is_gone()
        return ExitCode.OK
    except Exception as error:
        if _interrupts.seen:
            # What was under way when Ctrl-C came may end in any error.
            show(_INTERRUPTED)
            return ExitCode.INTERRUPTED
        if verbose:
            raise
        if isinstance(error, ConspectusError):
            show(error)
            return error.exit_code
        show(ConspectusError(f"unexpected {type(error).__name__}: {error}", "Run again with -v for the traceback"))
        return ExitCode.UNEXPECTED
    return result if isinstance(result, int) else ExitCode.OK


def _help_of(arguments: Sequence[str]) -> str:
    """The command that shows the help of what was asked for."""
    chain, _, _ = app.parse_commands(arguments)
    return " ".join(("conspectus", *chain, "--help"))


def _reader_is_gone() -> None:
    """The reader of a pipe has seen enough: what is still to be written goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Entry point of the console script."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # In a locale without UTF-8 a Chinese name is shown as escapes rather than ending the run.
        sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, _interrupts)
    signal.signal(signal.SIGTERM, _interrupts)
    code = int(run(sys.argv[1:]))
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _reader_is_gone()
    sys.stderr.flush()
    # All is written and every process of ours has ended by now; what Prefect does at exit can wait for ever.
    os._exit(code)


if __name__ == "__main__":
    main()
