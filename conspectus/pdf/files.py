"""The file before it is read: is it one, what kind, and one snapshot of its bytes that everything afterwards uses."""

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus.errors import InputError

HEADER_WITHIN = 1 << 16  # real files carry mail headers and the like before %PDF-
TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown")
_BLOCK = 1 << 20


def shown(path: Path) -> str:
    """A path as it may stand in a message: on one line, whatever the name holds."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode() for char in str(path)
    )


def _open(path: Path) -> int:
    """A descriptor of a regular file; never waits for the other end of a FIFO."""
    name = shown(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{name}: is a folder, not a file", f"Name files: conspectus digest {name}/*.pdf")
        if not stat.S_ISREG(mode):
            raise InputError(f"{name}: is not a regular file", "Copy it to a file first")
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise _not_opened(path, error) from error


def _not_opened(path: Path, error: OSError) -> InputError:
    """Why a file cannot be opened: of a link, where it leads is what people need to see."""
    name = shown(path)
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return InputError(f"{name}: is a link to a file that is not there", f"See where it leads: ls -l {name}")
    if error.errno == errno.ELOOP:
        return InputError(f"{name}: is a link that leads in a circle", f"See where it leads: ls -l {name}")
    if isinstance(error, FileNotFoundError):
        where = shown(path.parent)
        return InputError(f"{name}: there is no such file", f"Check the name, for example with: ls {where}")
    return InputError(f"{name}: cannot be opened ({error.strerror})", f"Check its rights: ls -l {name}")


def check_file(path: Path) -> bytes:
    """The first 64 KB of a file that may be a PDF or a text.

    Raises InputError for what certainly is neither; a PDF may have junk before its header, so that is searched.
    """
    descriptor = _open(path)
    try:
        head = _read(path, descriptor, HEADER_WITHIN)
    finally:
        os.close(descriptor)
    _kind(path, head)
    return head


def hash_of(path: Path) -> str:
    """The sha256 of a file that may be a PDF or a text; never waits for bytes that may never come.

    Of a file that is being written to, or has no end, no more is read than it has at the beginning. Raises InputError
    as `check_file` does.
    """
    descriptor = _open(path)
    try:
        head = block = _read(path, descriptor, HEADER_WITHIN)
        _kind(path, head)
        left = max(os.fstat(descriptor).st_size, len(head))
        made = hashlib.sha256()
        while block:
            made.update(block)
            left -= len(block)
            block = _read(path, descriptor, min(_BLOCK, left)) if left > 0 else b""
        return made.hexdigest()
    finally:
        os.close(descriptor)


def _read(path: Path, descriptor: int, size: int) -> bytes:
    try:
        return os.read(descriptor, size)
    except OSError as error:
        raise InputError(
            f"{shown(path)}: cannot be read ({error.strerror})", "Copy it to a local disk first"
        ) from error


def _kind(path: Path, head: bytes) -> bool:
    """True for a PDF, False for a text; raises InputError for anything else."""
    name = shown(path)
    if not head:
        raise InputError(f"{name}: the file is empty (0 bytes)", "Fetch or export it again")
    if b"%PDF-" in head and path.suffix.lower() not in TEXT_SUFFIXES:
        return True
    if path.suffix.lower() in TEXT_SUFFIXES:
        return False
    raise InputError(f"{name}: is not a PDF ({_looks_like(head)})", "Export it as PDF first")


def _looks_like(head: bytes) -> str:
    """What a file without a PDF header is, as far as its first bytes tell; never its own words."""
    known = {
        b"PK\x03\x04": "a zip archive or an Office document",
        b"\xd0\xcf\x11\xe0": "an old Office document",
        b"{\\rtf": "an RTF document",
        b"\x89PNG": "a PNG image",
        b"\xff\xd8\xff": "a JPEG image",
        b"II*\x00": "a TIFF image",
        b"MM\x00*": "a TIFF image",
    }
    for start, what in known.items():
        if head.startswith(start):
            return f"it looks like {what}"
    if b"<html" in head[:2048].lower() or b"<!doctype html" in head[:2048].lower():
        return "it looks like a web page"
    return "it has no %PDF- header"


@dataclass(slots=True)
class Snapshot:
    """The bytes of one file as they were at one moment, with their sha256.

    The file may change while it is read: so it is copied once, in memory where the system can (memfd), hashed on the
    way, and every child reads the copy. `descriptor` is what children inherit.
    """

    path: Path
    sha256: str
    size: int
    is_pdf: bool
    descriptor: int

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)

    def data(self) -> bytes:
        """All bytes."""
        return read_all(self.descriptor, self.size)


def read_all(descriptor: int, size: int) -> bytes:
    """`size` bytes from the start, without moving the offset that several processes share."""
    parts = bytearray()
    while len(parts) < size:
        part = os.pread(descriptor, min(_BLOCK, size - len(parts)), len(parts))
        if not part:
            break
        parts += part
    return bytes(parts)


def _private_file() -> int:
    """A descriptor of a nameless file, in memory where possible: a copy of a confidential paper leaves no trace."""
    if sys.platform == "linux":
        return os.memfd_create("conspectus", os.MFD_CLOEXEC)
    descriptor, name = tempfile.mkstemp(prefix="conspectus-")
    Path(name).unlink()
    return descriptor


def take_snapshot(path: Path, limit_mb: int) -> Snapshot:
    """Copies and hashes a file.

    Raises InputError where it is no file of a known kind, or larger than the memory that a reading child may use.
    """
    source = _open(path)
    try:
        if os.fstat(source).st_size > limit_mb << 20:
            raise InputError(f"{shown(path)}: is larger than the memory limit of {limit_mb} MB", "Split the file")
        head = _read(path, source, HEADER_WITHIN)
        is_pdf = _kind(path, head)
        copy = _private_file()
        digest, size = hashlib.sha256(), 0
        while head:
            digest.update(head)
            size += len(head)
            os.write(copy, head)
            head = _read(path, source, _BLOCK)
        return Snapshot(path, digest.hexdigest(), size, is_pdf, copy)
    finally:
        os.close(source)


def snapshot_of(data: bytes, name: str) -> Snapshot:
    """A snapshot of bytes that came from elsewhere, for example from stdin."""
    copy = _private_file()
    view = memoryview(data)
    while view:
        view = view[os.write(copy, view[:_BLOCK]) :]
    is_pdf = b"%PDF-" in data[:1024]
    return Snapshot(Path(name), hashlib.sha256(data).hexdigest(), len(data), is_pdf, copy)
