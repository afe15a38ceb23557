"""The documents of a batch: found in folders, files and lists, each with its own place below the output folder."""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath

from conspectus.errors import ConspectusError, InputError, UsageError
from conspectus.pdf.files import TEXT_SUFFIXES, hash_of, shown
from conspectus.pdf.reader import STDIN

SUFFIXES = (".pdf", *TEXT_SUFFIXES)
_HASHING = 4  # files hashed side by side: the disk is what is waited for


@dataclass(frozen=True, slots=True)
class Item:
    """One input and where its outputs go: the folder `place`, relative to the output folder."""

    path: Path
    place: PurePath


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs with the same bytes: the digest is made of the first one, the others get it under their own names."""

    sha256: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a batch is about: groups in the order of their first files, and what can be no document, with the reason."""

    groups: tuple[Group, ...]
    lost: tuple[tuple[Item, ConspectusError], ...]


def listed(source: Path) -> list[Path]:
    """The paths in a list, one a line or separated by NUL (find -print0); `-` is stdin. Raises UsageError.

    They are taken as they stand: relative ones from the working folder.
    """
    try:
        content = sys.stdin.buffer.read() if source == STDIN else source.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{shown(source)}: the list cannot be read ({error.strerror})", "Name a file with one path a line"
        ) from error
    content = content.removeprefix(b"\xef\xbb\xbf")
    parts = content.split(b"\0") if b"\0" in content else content.splitlines()
    return [Path(os.fsdecode(part)) for part in parts if part.strip()]


def find(inputs: Sequence[Path], out: Path, root: Path | None = None) -> Found:
    """The documents below folders (PDF and text files, symlinks followed, hidden files and `out` left out) and files.

    One folder is mirrored from its root; of several inputs each is mirrored under its own path, or below `root` where
    it lies there. Files are hashed here: what vanishes afterwards is found out when it is read.
    """
    items: dict[Path, Item] = {}
    lost: list[tuple[Item, ConspectusError]] = []
    one = len(inputs) == 1 and inputs[0].is_dir()
    for given in inputs:
        if given.is_dir():
            for path in walk(given, out.resolve(), lost):
                place = path.relative_to(given).parent
                items.setdefault(path.absolute(), Item(path, place if one else _mirrored(given, root) / place))
        else:
            items.setdefault(given.absolute(), Item(given, _mirrored(given.parent, root)))
    apart = list(_apart(items.values()))
    with ThreadPoolExecutor(_HASHING, thread_name_prefix="conspectus-hash") as pool:
        hashes = list(pool.map(_hash, (item.path for item in apart)))
    groups: dict[str, list[Item]] = {}
    for item, hashed in zip(apart, hashes, strict=True):
        if isinstance(hashed, ConspectusError):
            lost.append((item, hashed))
        else:
            groups.setdefault(hashed, []).append(item)
    return Found(tuple(Group(sha256, tuple(same)) for sha256, same in groups.items()), tuple(lost))


def walk(root: Path, out: Path, lost: list[tuple[Item, ConspectusError]]) -> Iterator[Path]:
    """The documents below a folder, in the order of their names; a folder is entered once, by whatever way."""
    seen: set[tuple[int, int]] = set()
    _is_new(root, out, seen)

    def refused(error: OSError) -> None:
        folder = Path(os.fsdecode(error.filename or root))
        why = InputError(f"{shown(folder)}: cannot be opened ({error.strerror})", f"Check its rights: ls -ld {folder}")
        lost.append((Item(folder, PurePath()), why))

    for folder, folders, names in os.walk(root, onerror=refused, followlinks=True):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and _is_new(here / name, out, seen))
        for name in sorted(names):
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
                yield here / name


def _is_new(folder: Path, out: Path, seen: set[tuple[int, int]]) -> bool:
    """Whether a folder is to be entered: not the output folder, and not one where the walk has been."""
    try:
        facts = folder.stat()
        if folder.resolve() == out:
            return False
    except OSError:
        return True  # os.walk will say why it cannot be entered
    known = (facts.st_dev, facts.st_ino) in seen
    seen.add((facts.st_dev, facts.st_ino))
    return not known


def _mirrored(folder: Path, start: Path | None = None) -> PurePath:
    """A folder's own path as one below the output folder: from `start` or the working folder, else from the root."""
    full = Path(os.path.normpath(folder.absolute()))
    here = Path.cwd() if start is None else Path(os.path.normpath(start.absolute()))
    inside = full.relative_to(here) if full.is_relative_to(here) else full.relative_to(full.anchor)
    return PurePath(inside)


def _apart(items: Iterable[Item]) -> Iterator[Item]:
    """Items of which no two have the same place and name, also where upper and lower case are one."""
    taken: set[str] = set()
    for item in items:
        key = str(item.place / item.path.name).casefold()
        if key in taken:
            mark = hashlib.sha256(os.fsencode(item.path.absolute())).hexdigest()[:8]
            item = Item(item.path, item.place / f"~{mark}")
        taken.add(key)
        yield item


def _hash(path: Path) -> str | ConspectusError:
    """The sha256 of a file, or why it can be no document."""
    try:
        return hash_of(path)
    except InputError as error:
        return error
    except OSError as error:
        return InputError(f"{shown(path)}: cannot be read ({error.strerror})", f"Check its rights: ls -l {shown(path)}")
