"""The command `conspectus compare`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from conspectus.options.compare import CompareOptions
from conspectus.options.digest import ReadingOptions

PIPE = "<stdin>"  # what conspectus.cli.main calls a lone dash


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
    from conspectus.compare.run import compare_files

    old, new = (Path("-") if str(path) == PIPE else path for path in (old, new))
    return int(compare_files(old, new, options or CompareOptions(), reading or ReadingOptions()))
