"""The errors a user can meet, each with its exit code and the next thing to do.

    ConspectusError
    ├── UsageError          2   a flag, a path or a setting is wrong
    ├── InputError          4   a document cannot be read
    ├── ModelError          5   the model is missing, broken or does not fit
    │   ├── ContextTooSmall 5
    │   └── ModelChanged    5
    └── EngineError         1   one model call failed; `retryable` says whether to try it again
        └── ContextExceeded 1   its prompt is over the context: split it

Exit codes are a stable interface (DESIGN section 4); 3 (partial), 6 (verification) and 130 (interrupted) are outcomes,
not exceptions.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the shell sees; documented and stable."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    PARTIAL = 3
    INPUT = 4
    MODEL = 5
    VERIFICATION = 6
    INTERRUPTED = 130


class ConspectusError(Exception):
    """A failure that the user can understand; printed as one line, without a traceback.

    `message` says what, where and why; `remedy` is the next command or step.
    """

    exit_code = ExitCode.UNEXPECTED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def line(self) -> str:
        """The error as one line: message, then the remedy."""
        text = f"{self.message}. {self.remedy}" if self.remedy else self.message
        return " ".join(text.split())


class UsageError(ConspectusError):
    """A flag, a path or a setting that cannot be used as given."""

    exit_code = ExitCode.USAGE


class InputError(ConspectusError):
    """A document that cannot be read."""

    exit_code = ExitCode.INPUT


class ModelError(ConspectusError):
    """A model file that is missing, broken, unknown to this llama.cpp or too large."""

    exit_code = ExitCode.MODEL


class ContextTooSmall(ModelError):
    """A context into which not even one sentence with its prompt fits."""


class EngineError(ConspectusError):
    """One model call failed. `retryable` is true where the same call may succeed later."""

    def __init__(self, message: str, remedy: str = "", *, retryable: bool = True) -> None:
        super().__init__(message, remedy)
        self.retryable = retryable


class ModelChanged(ModelError):
    """A server answers with another model than at the start: its answers would be stored under the wrong name."""


class ContextExceeded(EngineError):
    """A request that is over the context of its model, by our count or by the server's: the caller splits it.

    `prompt_tokens` and `context` are 0 where the server did not tell them.
    """

    def __init__(self, message: str, remedy: str = "", *, prompt_tokens: int = 0, context: int = 0) -> None:
        super().__init__(message, remedy, retryable=False)
        self.prompt_tokens = prompt_tokens
        self.context = context


def show(error: ConspectusError) -> None:
    """The error on one line of stderr, in red on a terminal."""
    from rich.console import Console

    console = Console(stderr=True, soft_wrap=True)
    console.print(f"conspectus: {error.line()}", style="red", markup=False, highlight=False)
