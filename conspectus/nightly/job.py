"""One run of a schedule: which options it has, whether it is still wanted, how its end is kept."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from conspectus.errors import ExitCode, UsageError
from conspectus.nightly.schedule import Record, read_record, why_skip, write_record

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# What is kept by the Prefect server is shown in its pages: never a secret.
_SECRETS = frozenset({"password"})
Value = str | int | float | bool | list[str] | None
Options = TypeVar("Options", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a batch ended: its exit code and one sentence for people, without the name of any document.

    `need` has the documents that need a look: name, state, why. `report` is the file that a reader opens.
    """

    code: ExitCode
    sentence: str
    need: tuple[tuple[str, str, str], ...] = ()
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """When a run was due, when it is looked at, and how late one may still begin."""

    scheduled: datetime
    now: datetime
    window: timedelta


def settings_of(*options: "DataclassInstance") -> dict[str, Value]:
    """What was asked for beside the defaults, as plain JSON values by the options' names.

    Raises UsageError for a secret, which must not be kept on a server.
    """
    found: dict[str, Value] = {}
    for one in options:
        for field in fields(one):
            value = getattr(one, field.name)
            if value == (None if field.default is MISSING else field.default):
                continue
            if field.name in _SECRETS:
                raise UsageError(
                    f"--{field.name} would be kept by the Prefect server",
                    f"Use --{field.name}-file, which names a file",
                )
            found[field.name] = _plain(value)
    return found


def _plain(value: object) -> Value:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Path):
        # A run may begin in another folder than the one in which it was asked for.
        return str(value.absolute())
    return [str(item) for item in value] if isinstance(value, list | tuple) else str(value)


def options_from(kind: type[Options], settings: Mapping[str, Value]) -> Options:
    """The options of this kind in `settings`, which may hold those of others too.

    Raises UsageError for a value that an option does not take.
    """
    from pydantic import TypeAdapter, ValidationError

    names = {field.name for field in fields(kind)}
    try:
        return TypeAdapter(kind).validate_python({name: v for name, v in settings.items() if name in names})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"the setting {where} is wrong: {first['msg']}", "Correct it in the deployment") from error


def check_settings(settings: Mapping[str, Value], *kinds: type["DataclassInstance"]) -> None:
    """Refuses names that no option has: a night is not to be lost to a misspelt one. Raises UsageError."""
    known = {field.name for kind in kinds for field in fields(kind)} - _SECRETS
    unknown = sorted(set(settings) - known)
    if unknown:
        raise UsageError(f"there is no setting {', '.join(unknown)}", f"There are: {', '.join(sorted(known))}")


def run_due(out: Path, due: Due, batch: Callable[[], Ran]) -> Ran | str:
    """Runs the batch and keeps its beginning and end in the output folder, or says why it is not wanted any more.

    Raises what the batch raises. A run that was interrupted counts as not ended: it is made up for.
    """
    why = why_skip(due.scheduled, due.now, read_record(out), due.window)
    if why:
        return why
    write_record(out, Record(due.now, ended=False))
    ran = batch()
    if ran.code is not ExitCode.INTERRUPTED:
        write_record(out, Record(due.now, ended=True))
    return ran
