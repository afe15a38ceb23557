"""The command `conspectus compare`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from conspectus.options import ReadingOptions, ServerOptions

PIPE = "<stdin>"  # what conspectus.cli calls a lone dash


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CompareOptions(ServerOptions):
    """How two versions are compared and where the result goes."""

    output: Annotated[str | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)] = None
    """Folder for the results (default: beside the new version); - prints the comparison as Markdown."""
    words: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False
    """Let the model restate the changed sentences of each side; a line that fails the check is the sentence itself."""
    model: str = "starter"
    """starter, the path of a .gguf file, or addresses of servers; asked only with --words."""
    context: int = 4096
    """Tokens of the model's context for prompt and answer together."""
    json: Annotated[bool, Parameter(negative=())] = False
    """Report as JSON lines on stdout, one for each change; the last one is the summary."""
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False
    """No progress; errors only."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative=())] = False
    """More progress lines, and tracebacks with errors."""


def compare(
    old: Annotated[Path, Parameter(show_env_var=False)],
    new: Annotated[Path, Parameter(show_env_var=False)],
    *,
    options: CompareOptions | None = None,
    reading: ReadingOptions | None = None,
) -> int:
    """Compare two versions of a document, clause by clause: added, removed, changed, moved, renumbered.

    Writes <new>.compare.md, .json and .html. What differs (shall and may, numbers, dates, amounts, parties) is
    highlighted, both sides are quoted with clause and page. Exit code 0, with or without differences; 3 where a page
    was not read.

    Examples:
      conspectus compare lease.pdf lease-amended.pdf
      conspectus compare old.pdf new.pdf -o -            prints it
      conspectus compare old.pdf new.pdf --words --model my-model.gguf

    Parameters
    ----------
    old
        The earlier version: a PDF, text or Markdown file.
    new
        The later version.
    """
    from conspectus.compare_run import compare_files

    old, new = (Path("-") if str(path) == PIPE else path for path in (old, new))
    return int(compare_files(old, new, options or CompareOptions(), reading or ReadingOptions()))
