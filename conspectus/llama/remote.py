"""Model calls made in other processes, on this machine or on others: what they need to find request and model.

The run lays each request into a folder that all machines share, beside the stored answers; a call carries only its key
and the place. A process that makes calls connects to the model's servers once.
"""

import json
import os
import shutil
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from conspectus.errors import EngineError, ModelChanged, UsageError
from conspectus.llama.choose import ServerAccess, choose_model
from conspectus.llama.contract import Completion, Model, Request
from conspectus.llama.pool.address import is_address
from conspectus.paths import write_atomically

_KEPT_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call finds its request (a folder) and its model (addresses as in --model, context in tokens)."""

    requests: Path
    addresses: str
    context: int
    access: ServerAccess


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which cluster makes the calls: its kind and the address of its scheduler."""

    kind: Literal["dask", "ray"]
    address: str


class Remote:
    """The calls of one run that are made elsewhere. Use as a context manager: its requests are removed at the end.

    `place` is that of calls to the first model, `reduce_addresses` of the servers that word overviews. Raises
    UsageError where a model is no server: a file is loaded by one process of one machine.
    """

    def __init__(self, cluster: Cluster, place: Place, reduce_addresses: str | None = None) -> None:
        for name in (place.addresses, reduce_addresses or place.addresses):
            if not is_address(name):
                raise UsageError(
                    f"--runner {cluster.kind} needs a model on servers that every machine reaches, not {name}",
                    "Serve it: conspectus model serve; then --model http://host:8080",
                )
        self.cluster = cluster
        own = place.requests / f"{os.getpid()}-{time.time_ns():x}"
        self._place = replace(place, requests=own)
        self._reduce_place = replace(self._place, addresses=reduce_addresses or place.addresses)

    def __enter__(self) -> Self:
        folder = self._place.requests
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep(folder.parent)
        folder.mkdir(mode=0o700)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self._place.requests, ignore_errors=True)

    def lay(self, key: str, request: Request, *, reducing: bool) -> Place:
        """Puts a request where every machine finds it. Raises UsageError where the folder cannot be written to."""
        path = self._place.requests / f"{key}.json"
        if not path.exists():
            try:
                write_atomically(path, json.dumps(asdict(request)).encode(), 0o600)
            except OSError as error:
                raise UsageError(
                    f"{path.parent}: cannot be written to ({error.strerror})", "Set CONSPECTUS_CACHE to a shared folder"
                ) from error
        return self._reduce_place if reducing else self._place


def _sweep(folder: Path) -> None:
    # What runs left that were killed: it holds the text of documents.
    for old in folder.iterdir():
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)


def answer_to(place: Place, key: str) -> Completion:
    """The answer to a call, from this process's connection to the servers, which is made once.

    Raises EngineError where the request is not to be found, ModelChanged where the servers have another model than the
    run, and what the model raises.
    """
    path = place.requests / f"{key}.json"
    try:
        request = _request(json.loads(path.read_bytes()))
    except FileNotFoundError:
        raise EngineError(
            f"no request {key[:12]} in {path.parent}",
            "CONSPECTUS_CACHE must be one folder that all machines share, at the same path",
            retryable=False,
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EngineError(f"the request {key[:12]} cannot be read: {type(error).__name__}", retryable=True) from error
    model = _model(place)
    if request.key(model.info.fingerprint) != key:
        raise ModelChanged(
            f"the servers {place.addresses} have another model for this machine than for the run",
            "Let all machines reach the same servers by the same names",
        )
    (completion,) = model.complete([request])
    return completion


def _request(content: dict[str, object]) -> Request:
    """The request in a file; its key proves afterwards that nothing was changed."""
    from pydantic import TypeAdapter

    return TypeAdapter(Request).validate_python(content)


_models: dict[tuple[str, int, ServerAccess], Model] = {}
_lock = threading.Lock()


def _model(place: Place) -> Model:
    name = (place.addresses, place.context, place.access)
    with _lock:
        if name not in _models:
            model = choose_model(place.addresses, place.context, _say, place.access)
            try:
                _ = model.info  # waits for the connection
            except BaseException:
                model.close()
                raise
            _models[name] = model
        return _models[name]


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def close_models() -> None:
    """Ends this process's connections."""
    with _lock:
        for model in _models.values():
            model.close()
        _models.clear()
