"""`conspectus config`: the configuration files begun and shown."""

import json as json_format
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from conspectus import settings
from conspectus.errors import ExitCode

app = App(
    name="config",
    help="""Show or begin the configuration file.

A flag is stronger than a variable CONSPECTUS_*, that than conspectus.toml here or in a folder above, that than the
user's own file.

Examples:
  conspectus config init            writes conspectus.toml here, every setting commented out
  conspectus config init --user     the same for all projects of this user
  conspectus config show            every setting with its value and origin
""",
    help_format="plaintext",
)


@app.command
def init(*, user: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Write a configuration file with every setting at its default, commented out.

    Examples:
      conspectus config init            writes conspectus.toml here
      conspectus config init --user     writes the file for all projects of this user

    Parameters
    ----------
    user
        The file for all projects of this user, not the one of this folder.
    """
    path = settings.write_template(settings.user_file() if user else Path.cwd() / settings.PROJECT_FILE)
    print(path)
    return ExitCode.OK


@app.command
def show(*, json: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Say what each setting is and where its value comes from.

    Examples:
      conspectus config show
      CONSPECTUS_DETAIL=brief conspectus config show --json

    Parameters
    ----------
    json
        One JSON object.
    """
    rows = settings.effective()
    if json:
        print(json_format.dumps([{"name": r.name, "value": r.value, "origin": r.origin} for r in rows]))
        return ExitCode.OK
    width = max(len(row.name) for row in rows)
    for row in rows:
        shown = "" if row.value is None else str(row.value)
        print(f"{row.name:<{width}}  {shown:<20} {row.origin}")
    return ExitCode.OK
