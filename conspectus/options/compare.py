"""What a user may ask of a comparison, as the command line shows it."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from conspectus.options.digest import ServerOptions


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
