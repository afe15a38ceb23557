"""The command `conspectus doctor`."""

import json as json_format
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from conspectus.errors import ExitCode, UsageError


def doctor(
    *,
    model: str = "starter",
    self_test: bool = True,
    json: Annotated[bool, Parameter(negative=())] = False,
    report: Path | None = None,
) -> int:
    """Say what is installed, what this machine has, and what may be wrong. Exit code 1 where there is a problem.

    Examples:
      conspectus doctor                              with the starter model
      conspectus doctor --model my.gguf --report report.txt
      conspectus doctor --no-self-test --json

    Parameters
    ----------
    model
        starter, or the path of a .gguf file: it is checked, and asked for a few tokens.
    self_test
        Load the model and let it write a few tokens.
    json
        One JSON object.
    report
        Also write a page to attach to a bug report: no text of documents, no names of users.
    """
    from conspectus.doctor.examine import examine, render
    from conspectus.doctor.examine import report as page
    from conspectus.paths import write_atomically

    sections = examine(model, self_test=self_test)
    if report is not None:
        try:
            write_atomically(report, page(sections).encode())
        except OSError as error:
            raise UsageError(f"{report}: cannot be written ({error.strerror})", "Name another file") from error
    if json:
        print(json_format.dumps({section.title: [asdict(row) for row in section.rows] for section in sections}))
    else:
        print(render(sections))
    problem = any(row.state == "problem" for section in sections for row in section.rows)
    return ExitCode.UNEXPECTED if problem else ExitCode.OK
