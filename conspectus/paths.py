"""Where the program keeps things that outlive a run: stored answers, and the state of the local Prefect server."""

import contextlib
import fcntl
import os
import re
import secrets
from pathlib import Path

from conspectus.errors import UsageError


def cache_dir() -> Path:
    """The folder of stored results: `CONSPECTUS_CACHE`, else `$XDG_CACHE_HOME/conspectus`. Absolute, mode 0700.

    Raises UsageError where it cannot be made.
    """
    return _private(_chosen("CONSPECTUS_CACHE", "XDG_CACHE_HOME", ".cache"), "CONSPECTUS_CACHE")


def state_dir() -> Path:
    """The folder of server files and Prefect's home: `CONSPECTUS_STATE`, else `$XDG_STATE_HOME/conspectus`.

    Absolute, mode 0700. Raises UsageError where it cannot be made.
    """
    return _private(_chosen("CONSPECTUS_STATE", "XDG_STATE_HOME", ".local/state"), "CONSPECTUS_STATE")


def answers_dir() -> Path:
    """The folder of stored model answers, `<aa>/<sha256>` below it; the result storage of the flows."""
    return _private(cache_dir() / "answers", "CONSPECTUS_CACHE")


def _chosen(variable: str, xdg: str, fallback: str) -> Path:
    own = os.environ.get(variable)
    if own:
        return Path(own).expanduser()
    base = os.environ.get(xdg, "")
    # The XDG specification says that a relative path is to be ignored.
    root = Path(base) if Path(base).is_absolute() else Path.home() / fallback
    return root / "conspectus"


def _private(folder: Path, variable: str) -> Path:
    try:
        # Resolved, because Prefect compares a result's path with the resolved folder.
        folder = folder.resolve()
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Set also on a folder that was there before: it holds text of confidential papers and a server's token.
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise UsageError(
            f"The folder {folder} cannot be used: {error.strerror or error}",
            f"Set {variable} to a folder of your own that you can write to",
        ) from error
    return folder


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Writes `content` so that readers, also after a crash, find the old file or the whole new one.

    `mode` is cut by the umask. Raises OSError; the temporary file is gone then. One that a killed process leaves is
    what `sweep` takes away.
    """
    temporary = path.parent / f".{_cut(path.name)}.{secrets.token_hex(6)}{_TEMPORARY}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            # Held until the file has its name: `sweep` takes only what nobody holds. Not every file system has locks.
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


_TEMPORARY = ".tmp"
_TEMPORARY_NAME = re.compile(r"\..*\.[0-9a-f]{12}\.tmp", re.DOTALL)


def _cut(name: str, size: int = 100) -> str:
    """The beginning of a name, at most so many bytes: a file system counts those, and a character may take four."""
    return os.fsencode(name)[:size].decode("utf-8", "ignore")


def sweep(folder: Path) -> int:
    """Removes the temporary files in a folder whose writers were killed, and says how many.

    A folder that cannot be looked into has none.
    """
    removed = 0
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _TEMPORARY_NAME.fullmatch(path.name):
                removed += _removed(path)
    return removed


def _removed(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    # Some file systems refuse fsync on a folder; the rename itself is done by then.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
