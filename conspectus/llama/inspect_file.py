"""A model named by path or address, inspected: all parts of a split file, or the first bytes of a download."""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.errors import ModelError
from conspectus.llama.gguf import SPLIT_NAME, check_magic, parts, read_header, resolve_model
from conspectus.llama.gguf_header import EndsError, Header, NotUsableError, NotWholeError, parse
from conspectus.llama.inspection import ModelFacts, inspect_header

if TYPE_CHECKING:
    import httpx

_FIRST = 1 << 20
# A vocabulary of 300,000 entries with its merges takes about 15 MiB.
_MOST = 128 << 20
_SECONDS = 30.0
_BLOCK = 1 << 22


def is_address(name: str) -> bool:
    """Whether `name` is an http(s) address rather than a path."""
    return name.startswith(("http://", "https://"))


def inspect_file(name: str, *, sha256: bool = False, progress: Callable[[int, int], None] | None = None) -> ModelFacts:
    """The facts of the model that `name` means: "starter" or a path; a file cut short is inspected all the same.

    `progress(done, total)` is told bytes while the hash is taken. Raises ModelError.
    """
    path = resolve_model(name) if name == "starter" else Path(name).expanduser()
    if not path.is_file():
        resolve_model(str(path))
    header = read_header(path, whole=False)
    files = parts(path)
    if files[0] != path:
        header = read_header(files[0], whole=False)
    more = [info for part in files[1:] for info in read_header(part, whole=False).infos]
    size = sum(part.stat().st_size for part in files)
    digest = hash_files(files, size, progress) if sha256 else None
    return inspect_header(
        header, file=str(path), parts=[part.name for part in files], size=size, more=more, sha256=digest
    )


def hash_files(files: list[Path], size: int, progress: Callable[[int, int], None] | None = None) -> str:
    """sha256 of the file; of a split model that of its parts' hashes, as the fingerprint of a model has it."""
    hashes, done = [], 0
    for path in files:
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    done += len(block)
                    if progress:
                        progress(done, size)
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
        hashes.append(digest.hexdigest())
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def inspect_address(address: str, client: "httpx.Client | None" = None) -> ModelFacts:
    """The facts of a model behind an address that the user named; only its header is fetched.

    Of a split model the tensors of the named part alone are counted. Raises ModelError.
    """
    import httpx

    with client or httpx.Client(follow_redirects=True, timeout=_SECONDS) as session:
        try:
            header, size = _fetch_header(address, session)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise ModelError(f"{address} cannot be read: {reason}", "Check the address and the network") from error
    name = httpx.URL(address).path.rpartition("/")[2]
    match = SPLIT_NAME.fullmatch(name)
    names = [name]
    if match:
        total = int(match[3])
        names = [f"{match[1]}-{n:05d}-of-{total:05d}.gguf" for n in range(1, total + 1)]
    return inspect_header(header, file=address, parts=names, size=size)


def _fetch_header(address: str, client: "httpx.Client") -> tuple[Header, int]:
    data, size = b"", 0
    wanted = _FIRST
    while True:
        more, size = _fetch(address, len(data), wanted, client)
        data += more
        check_magic(data[:512], address)
        try:
            return parse(data), size
        except EndsError as error:
            if not more or wanted >= _MOST or len(data) >= size:
                raise ModelError(f"{address} is damaged or cut short: {error}") from error
            wanted *= 4
        except (NotWholeError, NotUsableError) as error:
            raise ModelError(f"{address} cannot be used: {error}") from error


def _fetch(address: str, start: int, end: int, client: "httpx.Client") -> tuple[bytes, int]:
    """The bytes from `start` to `end` and the size of the whole file."""
    with client.stream("GET", address, headers={"Range": f"bytes={start}-{end - 1}"}) as answer:
        if answer.status_code == 416:
            return b"", start
        if answer.status_code >= 400:
            raise ModelError(
                f"{address} cannot be read: HTTP status {answer.status_code}",
                "Open the address in a browser: it may ask for a login or a licence",
            )
        partial = answer.status_code == 206
        # A server without ranges sends the whole file: what is known already is skipped, the rest is not waited for.
        got = b"".join(_limited(answer.iter_bytes(), (end - start) if partial else end))
        total = re.search(r"/(\d+)$", answer.headers.get("content-range", ""))
        size = int(total[1]) if total else int(answer.headers.get("content-length", 0) or 0)
    return (got if partial else got[start:]), size


def _limited(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    for block in blocks:
        yield block[:size]
        size -= len(block)
        if size <= 0:
            return
