"""Where a digest goes: files beside the document or in a folder, or stdout; nothing half-written."""

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from conspectus.document import Digest
from conspectus.errors import UsageError
from conspectus.paths import write_atomically
from conspectus.render import render_all

STDOUT = "-"
_LONGEST = 255 - len(".digest.json") - 16  # bytes; a file system takes names of 255


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


def link_to(document: Path, folder: Path) -> str:
    """The address of a document as seen from a folder: a relative URL, so that both can be moved together."""
    try:
        there = Path(os.path.relpath(document.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return document.resolve().as_uri()
    # A colon in the first part would read as a scheme.
    return quote(there.encode("utf-8", "surrogateescape"))


def output_name(document: Path) -> str:
    """What the names of a document's outputs begin with: its own name, a very long one cut and told apart by a hash."""
    name = document.name
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    cut = os.fsencode(name)[: _LONGEST - 9].decode("utf-8", "ignore")
    return f"{cut}~{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}"


def write(
    digest: Digest, document: Path, target: str | None, run: Mapping[str, Any], suffixes: Sequence[str]
) -> list[Path]:
    """Writes the files of these keys of RENDERERS and `<name>.run.json`; returns them. To stdout goes Markdown alone.

    That file is the last one written and names the others with their sha256 under `outputs`: where it stands, all
    are whole. Raises UsageError where the folder cannot be written to.
    """
    if target == STDOUT:
        _to_stdout(render_all(digest, "", ("md",))["md"])
        return []
    folder = folder_for(document, target)
    made = render_all(digest, link_to(document, folder), suffixes)
    name = output_name(document)
    contents = {f"{name}.digest.{suffix}": content for suffix, content in made.items()}
    outputs = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    contents[f"{name}.run.json"] = (json.dumps({**run, "outputs": outputs}, indent=2) + "\n").encode()
    written: list[Path] = []
    for name, content in contents.items():
        try:
            write_atomically(folder / name, content)
        except OSError as error:
            raise UsageError(
                f"{folder / name}: cannot be written ({error.strerror})",
                f"Look at its folder (ls -ld {folder}), or name another one with -o",
            ) from error
        written.append(folder / name)
    return written


def _to_stdout(content: bytes) -> None:
    """A reader that has seen enough and closes the pipe (`| head`) is no failure."""
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What is still in the buffer must go somewhere when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
