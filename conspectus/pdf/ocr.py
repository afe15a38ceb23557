"""Recognising the text of scans with ocrmypdf, where the user has it: offered, not built in."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conspectus.errors import InputError
from conspectus.pdf.files import Snapshot, shown, take_snapshot

INSTALL = "Install it: apt install ocrmypdf (or: pipx install ocrmypdf), then run the same command again"


def require(path: Path) -> str:
    """The program to call. Raises InputError that says how to install it."""
    program = shutil.which("ocrmypdf")
    if program is None:
        raise InputError(f"{shown(path)}: has scanned pages and --ocr needs ocrmypdf, which is not installed", INSTALL)
    return program


@contextmanager
def recognised(snapshot: Snapshot, seconds: float, memory_mb: int) -> Iterator[Snapshot]:
    """A snapshot of the file with a text layer on its scanned pages; pages with text stay as they are.

    Works in a private folder that is removed. Raises InputError where ocrmypdf fails or takes longer than `seconds`.
    """
    name = shown(snapshot.path)
    program = require(snapshot.path)
    with tempfile.TemporaryDirectory(prefix="conspectus-ocr-") as folder:
        before, after = Path(folder) / "in.pdf", Path(folder) / "out.pdf"
        before.write_bytes(snapshot.data())
        command = [program, "--skip-text", "--quiet", str(before), str(after)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(f"{name}: ocrmypdf took more than {seconds:g} seconds", "Split the file") from error
        except OSError as error:
            raise InputError(f"{name}: ocrmypdf cannot be run ({error.strerror})", INSTALL) from error
        if done.returncode or not after.is_file():
            raise InputError(
                f"{name}: ocrmypdf could not recognise it (exit code {done.returncode})",
                f"See what it says: ocrmypdf --skip-text {name} with-text.pdf",
            )
        with take_snapshot(after, max(memory_mb, 1)) as result:
            yield result
