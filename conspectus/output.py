"""Where a digest goes: files beside the document or in a folder, or stdout; nothing half-written."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conspectus.document import Digest
from conspectus.errors import UsageError
from conspectus.paths import write_atomically
from conspectus.render import RENDERERS

STDOUT = "-"


def check_target(target: str | None, files: int) -> None:
    """Refuses, before any work, an output that cannot be written. Raises UsageError."""
    if target is None:
        return
    if target == STDOUT:
        if files > 1:
            raise UsageError(f"-o - takes one file, {files} were given", "Name a folder: -o digests")
        return
    if target.startswith("-"):
        raise UsageError(f"-o needs a folder, not {target}", "Name a folder: -o digests, or -o - for stdout")
    path = Path(target)
    if path.exists() and not path.is_dir():
        raise UsageError(f"{target}: is a file; -o names a folder", f"Use another name: -o {target}.digests")


def folder_for(document: Path, target: str | None) -> Path:
    """The folder of a document's outputs. Raises UsageError where it cannot be made."""
    folder = document.parent if target is None else Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror})", "Name another folder with -o") from error
    return folder


def write(digest: Digest, document: Path, target: str | None, run: Mapping[str, Any]) -> list[Path]:
    """Writes every format and `<name>.run.json`; returns the files. To stdout goes the Markdown alone.

    Raises UsageError where the folder cannot be written to.
    """
    if target == STDOUT:
        sys.stdout.buffer.write(RENDERERS["md"](digest))
        sys.stdout.buffer.flush()
        return []
    folder = folder_for(document, target)
    contents = {f"{document.name}.digest.{suffix}": render(digest) for suffix, render in RENDERERS.items()}
    contents[f"{document.name}.run.json"] = (json.dumps(dict(run), indent=2) + "\n").encode()
    written: list[Path] = []
    for name, content in contents.items():
        try:
            write_atomically(folder / name, content)
        except OSError as error:
            raise UsageError(
                f"{folder / name}: cannot be written ({error.strerror})", "Name a folder with -o"
            ) from error
        written.append(folder / name)
    return written
