"""Which stored answers belong to which document, so that `cache forget` can take away what one document left.

`<cache>/documents/<sha256 of the document>/<name>` holds a line about the model and a line for each key. The keys are
written before the model is asked: a killed run leaves no answer that is not listed. They cannot be computed again
later: the calls depend on the model, the settings and, where lines are asked again, on what the model said. Files are
only ever added whole (a rename), so that several processes and machines may write here at once. No text and no name of
a document is in them.
"""

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.cache.folder import DOCUMENTS, Stored
from conspectus.errors import InputError, UsageError
from conspectus.llama import ModelInfo, Request
from conspectus.paths import write_atomically

if TYPE_CHECKING:
    from conspectus.digesting.mapping import Answers
    from conspectus.digesting.straight import Ask, Models

_HASH = re.compile(r"[0-9a-f]{64}")
_VERSION = 1
_SUFFIX = ".keys"


@dataclass(frozen=True, slots=True)
class Listing:
    """One file of the index: the model that was asked, and the keys of the calls."""

    path: Path
    model: str
    fingerprint: str
    keys: frozenset[str]


def noted(ask: "Ask", documents: Sequence[str], models: "Models", answers: Path) -> "Ask":
    """Asks as `ask` does, and first lists the calls under these documents (their sha256).

    `answers` is the folder of stored answers. Raises UsageError where the list cannot be written: an answer that
    cannot be forgotten is not asked for.
    """

    def asked(requests: Sequence[Request], stage: str, *, reducing: bool = False) -> "Answers":
        info = (models.reduce_model if reducing else models.model).info
        keys = {request.key(info.fingerprint) for request in requests}
        for document in documents:
            note(answers, document, keys, info)
        return ask(requests, stage, reducing=reducing)

    return asked


def note(answers: Path, document: str, keys: Iterable[str], model: "ModelInfo") -> None:
    """Lists the keys of calls about a document; those that are listed already are not written again."""
    if not _HASH.fullmatch(document):
        raise ValueError(f"{document!r} is no sha256 of a document")
    new = set(keys).difference(*(listing.keys for listing in listings(answers, document)))
    if not new:
        return
    head = json.dumps({"version": _VERSION, "model": model.name, "fingerprint": model.fingerprint})
    folder = _folder(answers) / document
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        content = "\n".join([head, *sorted(new)]) + "\n"
        write_atomically(folder / f"{secrets.token_hex(8)}{_SUFFIX}", content.encode(), 0o600)
    except OSError as error:
        raise UsageError(
            f"The folder {folder} cannot be written: {error.strerror or error}",
            "Give yourself access to the cache folder, or set CONSPECTUS_CACHE to another one",
        ) from error


def listings(answers: Path, document: str) -> list[Listing]:
    """What is listed under a document. A file of another version, or a damaged one, has the keys that can be read."""
    folder = _folder(answers) / document
    found = (_listing(path) for path in sorted(folder.glob(f"*{_SUFFIX}")))
    return [listing for listing in found if listing is not None]


def _listing(path: Path) -> Listing | None:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:  # forgotten by another process meanwhile
        return None
    try:
        head = json.loads(lines[0]) if lines else {}
    except ValueError:
        head = {}
    about = head if isinstance(head, dict) else {}
    keys = frozenset(line for line in lines if _HASH.fullmatch(line))
    return Listing(path, str(about.get("model", "")), str(about.get("fingerprint", "")), keys)


def documents(answers: Path) -> list[str]:
    """The documents that the index knows, by their sha256."""
    folder = _folder(answers)
    return sorted(path.name for path in folder.glob("*") if _HASH.fullmatch(path.name)) if folder.is_dir() else []


def by_model(answers: Path, stored: Iterable[Stored]) -> dict[str, tuple[int, int]]:
    """Answers and bytes by the model that gave them; "" for those of which nothing is listed."""
    model_of = {
        key: listing.model
        for document in documents(answers)
        for listing in listings(answers, document)
        for key in listing.keys
    }
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for one in stored:
        counts[model_of.get(one.key, "")] += 1
        sizes[model_of.get(one.key, "")] += one.size
    return {model: (counts[model], sizes[model]) for model in sorted(counts)}


@dataclass(frozen=True, slots=True)
class Traces:
    """What one document left: its answers, the files of the index, and how many answers another document shares."""

    document: str
    answers: tuple[Stored, ...]
    index: tuple[Stored, ...]
    shared: int


def traces(answers: Path, document: str, stored: Iterable[Stored]) -> Traces:
    """What a document left. Answers that it shares with another (words that stand in both) are among them."""
    own = listings(answers, document)
    keys = frozenset[str]().union(*(listing.keys for listing in own))
    found = tuple(one for one in stored if one.key in keys)
    others = (listing.keys for other in documents(answers) if other != document for listing in listings(answers, other))
    elsewhere = frozenset[str]().union(*others)
    return Traces(document, found, _files(own), sum(one.key in elsewhere for one in found))


def stale(answers: Path, gone: Iterable[str], stored: Iterable[Stored]) -> tuple[Stored, ...]:
    """The files of the index of which no answer is left once the keys `gone` are."""
    left = {one.key for one in stored}.difference(gone)
    every = (listing for document in documents(answers) for listing in listings(answers, document))
    return _files([listing for listing in every if not listing.keys & left])


def everything(answers: Path) -> tuple[Stored, ...]:
    """All files of the index."""
    return _files([listing for document in documents(answers) for listing in listings(answers, document)])


def _files(found: Iterable[Listing]) -> tuple[Stored, ...]:
    files: list[Stored] = []
    for listing in found:
        try:
            facts = listing.path.stat()
        except OSError:
            continue
        files.append(Stored(listing.path, listing.path.name, facts.st_size, facts.st_mtime))
    return tuple(files)


def document_of(file: str) -> str:
    """The sha256 of a document: of a file's bytes, or as it is given where the file itself is gone.

    Raises InputError where the file cannot be read.
    """
    if _HASH.fullmatch(file.lower()):
        return file.lower()
    made = sha256()
    try:
        with Path(file).open("rb") as opened:
            while block := opened.read(1 << 20):
                made.update(block)
    except OSError as error:
        raise InputError(
            f"{file}: cannot be read ({error.strerror or error})",
            "Give the document's sha256 instead, as it stands in its digest: conspectus cache forget SHA256",
        ) from error
    return made.hexdigest()


def _folder(answers: Path) -> Path:
    return answers.parent / DOCUMENTS
