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

from cyclopts import App, CycloptsError, Parameter
from cyclopts.config import Env

from conspectus import __version__
from conspectus.errors import ConspectusError, ExitCode, show
from conspectus.options import DigestOptions, PlanOptions, ReadingOptions
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

app = App(
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

    Parameters
    ----------
    files
        PDFs, text or Markdown files; - is stdin.
    """
    from conspectus.run import digest_files

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

    Parameters
    ----------
    files
        PDFs, text or Markdown files; - is stdin.
    """
    from conspectus.plan_run import plan_files

    return int(plan_files(_named(files), options or PlanOptions(), reading or ReadingOptions()))


# Loaded when they are called: `--help` stays quick.
app.command("conspectus.model_cli:app", name="model", help="Look at a model file (inspect, check, plan), or serve it.")
app.command("conspectus.doctor_cli:doctor", name="doctor", help="Say what this machine has and what may be wrong.")
app.command("conspectus.config_cli:app", name="config", help="Show or begin the configuration file.")


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
        show(ConspectusError(f"usage: {error}", "See: conspectus digest --help"))
        return ExitCode.USAGE
    except KeyboardInterrupt:
        show(_INTERRUPTED)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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


def main() -> None:
    """Entry point of the console script."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # In a locale without UTF-8 a Chinese name is shown as escapes rather than ending the run.
        sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, _interrupts)
    signal.signal(signal.SIGTERM, _interrupts)
    code = int(run(sys.argv[1:]))
    sys.stdout.flush()
    sys.stderr.flush()
    # All is written and every process of ours has ended by now; what Prefect does at exit can wait for ever.
    os._exit(code)


if __name__ == "__main__":
    main()
