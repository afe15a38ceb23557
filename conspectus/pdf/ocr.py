"""Recognising the text of scans with ocrmypdf, where the user has it: offered, not built in."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from conspectus.document import Language
from conspectus.errors import InputError
from conspectus.pdf.files import Snapshot, shown, take_snapshot
from conspectus.text import language_of

# By language, the name of tesseract's data for it.
TESSERACT: Mapping[Language, str] = {Language.EN: "eng", Language.ZH: "chi_sim"}
INSTALL = "Install it: apt install ocrmypdf (or: pipx install ocrmypdf), then run the same command again"


def require(path: Path) -> str:
    """The program to call. Raises InputError that says how to install it."""
    program = shutil.which("ocrmypdf")
    if program is None:
        raise InputError(f"{shown(path)}: has scanned pages and --ocr needs ocrmypdf, which is not installed", INSTALL)
    return program


def languages(path: Path, asked: str, text: str) -> str:
    """The languages to recognise, as tesseract names them: those asked for, else that of `text` (the other pages).

    Where neither says anything it is all of ours that are installed: English text is then found in a Chinese scan, too.
    Raises InputError that names the package of a language that is not installed.
    """
    there = _installed()
    if there is None:
        return asked or TESSERACT[language_of(text)]
    if not asked and not text.strip():
        found = [code for code in TESSERACT.values() if code in there]
        asked = "+".join(found) or TESSERACT[Language.EN]
    asked = asked or TESSERACT[language_of(text)]
    for code in asked.split("+"):
        if code not in there:
            package = f"tesseract-ocr-{code.replace('_', '-')}"
            raise InputError(
                f"{shown(path)}: --ocr needs tesseract's language {code}, which is not installed",
                f"Install it: apt install {package}, then run the same command again",
            )
    return asked


def _installed() -> frozenset[str] | None:
    """The languages that tesseract has; None where it cannot be asked: ocrmypdf will say what is wrong."""
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--list-langs"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return frozenset((done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").split())


@contextmanager
def recognised(snapshot: Snapshot, codes: str, seconds: float, memory_mb: int) -> Iterator[Snapshot]:
    """A snapshot of the file with a text layer on its scanned pages; pages with text stay as they are.

    `codes` are the languages, as `languages` gives them. Works in a private folder that is removed. Raises InputError
    where ocrmypdf fails or takes longer than `seconds`.
    """
    name = shown(snapshot.path)
    program = require(snapshot.path)
    with tempfile.TemporaryDirectory(prefix="conspectus-ocr-") as folder:
        before, after = Path(folder) / "in.pdf", Path(folder) / "out.pdf"
        before.write_bytes(snapshot.data())
        command = [program, "--skip-text", "--quiet", "-l", codes, str(before), str(after)]
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
                f"See what it says: ocrmypdf --skip-text -l {codes} {name} with-text.pdf",
            )
        with take_snapshot(after, max(memory_mb, 1)) as result:
            yield result
