"""Settings and where each value comes from: flag > CONSPECTUS_* > conspectus.toml > user's config.toml > default.

The files are flat TOML, one key an option of the command line (`password-file` or `password_file`). The project's file
is `conspectus.toml` in the working folder or the nearest folder above it; the user's is
`$XDG_CONFIG_HOME/conspectus/config.toml`. A file of another user is not read: whoever owns it would decide what
happens to one's papers.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.errors import UsageError
from conspectus.paths import write_atomically

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import ArgumentCollection

PROJECT_FILE = "conspectus.toml"
PREFIX = "CONSPECTUS_"
DEFAULT = "default"
# Said for one run on the command line, never kept: what is printed, which files, and secrets.
_FLAGS_ONLY = {"password", "json", "quiet", "verbose", "from_list", "once"}
# Folders and addresses that are read from the environment alone.
_ENVIRONMENT_ONLY = ("cache", "state", "api_key", "notify_urls")
_SECRET = ("key", "token", "secret", "password", "urls")

Value = str | int | float | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name as in a file, its value, and where that comes from (a variable, a file, or `default`)."""

    name: str
    value: Value
    origin: str


def known() -> dict[str, Value]:
    """The names that a file may have, with their defaults: the options of digest, plan, batch, nightly."""
    from conspectus.options.batch import BatchOptions
    from conspectus.options.digest import ReadingOptions
    from conspectus.options.service import ServiceOptions, Times

    found: dict[str, Value] = {}
    for kind in (BatchOptions, ReadingOptions, ServiceOptions, Times):  # those of digest are among those of a batch
        for one in fields(kind):
            if one.name not in _FLAGS_ONLY:
                default = None if one.default is MISSING else one.default
                found[one.name] = default if isinstance(default, str | int | float | bool) else _plain(default)
    return found


def _plain(value: object) -> Value:
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return None if value is None else str(value)


def project_file(folder: Path | None = None) -> Path | None:
    """The nearest conspectus.toml, from `folder` (the working folder) upwards; None where there is none of our own."""
    start = (folder or Path.cwd()).resolve()
    for place in (start, *start.parents):
        path = place / PROJECT_FILE
        if path.is_file():
            return path if _is_own(path) else None
    return None


def user_file() -> Path:
    """The user's configuration file, there or not."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return root / "conspectus" / "config.toml"


def files() -> list[Path]:
    """The configuration files that are there, the stronger one first."""
    user = user_file()
    found = [project_file(), user if user.is_file() and _is_own(user) else None]
    return [path for path in found if path is not None]


def _is_own(path: Path) -> bool:
    return not hasattr(os, "getuid") or path.stat().st_uid in (os.getuid(), 0)


def load(path: Path) -> dict[str, Value]:
    """The settings in a file, by name. Raises UsageError where it is no TOML or has a key that is no setting."""
    return dict(_load(path, path.stat().st_mtime_ns))


@lru_cache(maxsize=8)
def _load(path: Path, _changed: int) -> Mapping[str, Value]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{path}: is no TOML: {error}", "Mend that line, or begin again: conspectus config init"
        ) from error
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", "Make it readable, or move it away") from error
    names, found = known(), dict[str, Value]()
    for key, value in content.items():
        name = key.replace("-", "_")
        if name not in names:
            near = get_close_matches(name, names, 1)
            raise UsageError(
                f"{path}: there is no setting {key}",
                f"Did you mean {near[0]}?" if near else "conspectus config show lists the settings",
            )
        found[name] = value if isinstance(value, str | int | float | bool) else _plain(value)
    return found


class Files:
    """The configuration files as a source for cyclopts, read when a command is called."""

    def __call__(self, app: "App", commands: tuple[str, ...], arguments: "ArgumentCollection") -> None:
        """Fills what neither the command line nor the environment gave. Raises UsageError for a bad file."""
        from cyclopts.config import Dict

        # Only the commands about documents are set so; another command's --context is another thing.
        if len(commands) != 1 or commands[0] not in _COMMANDS:
            return
        for path in files():
            # "" is how a file says that an option without a default is not set; it is no path and no number.
            values = {name.replace("_", "-"): value for name, value in load(path).items() if value != ""}
            # Under the command's name: a flat one would drop a setting that is called as a command is, such as `model`.
            source = Dict({commands[0]: values}, allow_unknown=True, source=str(path))
            source(app, commands, arguments)


_COMMANDS = ("digest", "plan", "batch", "nightly", "watch", "compare", "verify")


def effective(environment: Mapping[str, str] | None = None) -> list[Setting]:
    """Every setting with its value and origin, flags left out: they belong to one run.

    Raises UsageError for a bad file.
    """
    environment = os.environ if environment is None else environment
    sources = [(str(path), load(path)) for path in files()]
    rows = [Setting(name, *_from(name, default, environment, sources)) for name, default in known().items()]
    for name in _ENVIRONMENT_ONLY:
        rows.append(Setting(name, *_from(name, None, environment, ())))
    return sorted(rows, key=lambda row: row.name)


def _from(
    name: str, default: Value, environment: Mapping[str, str], sources: Sequence[tuple[str, Mapping[str, Value]]]
) -> tuple[Value, str]:
    variable = PREFIX + name.upper()
    if environment.get(variable):
        return ("(set)" if any(word in name for word in _SECRET) else environment[variable]), variable
    for origin, values in sources:
        if name in values:
            return values[name], origin
    return default, DEFAULT


def template() -> str:
    """A configuration file with every setting, commented out, at its default."""
    lines = [
        "# Settings of conspectus. A flag or a variable CONSPECTUS_<NAME> is stronger than this file.",
        "# Take the mark away before what you want to change; `conspectus config show` says what holds.",
        "",
    ]
    for name, default in sorted(known().items()):
        lines.append(f"# {name} = {_toml(default)}")
    return "\n".join(lines) + "\n"


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    text = "" if value is None else value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def write_template(path: Path) -> Path:
    """Writes the template to `path`. Raises UsageError where a file is there already or cannot be written."""
    if path.exists():
        raise UsageError(f"{path}: is there already", "Edit it, or move it away first")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, template().encode(), 0o600)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}", "Name another folder") from error
    return path
