"""One engine for all runs of a program that name the same model: each holds a lease, the last one closed ends it."""

import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from conspectus.errors import EngineError
from conspectus.llama.contract import Completion, Message, ModelInfo, Request

Note = Callable[[str], None]


class Shareable(Protocol):
    """A model whose calls can be given up by one of several users. See `contract.Model`."""

    @property
    def info(self) -> ModelInfo:
        """Facts about the model."""
        ...

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of a rendered prompt."""
        ...

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        ...

    def complete(
        self,
        requests: Sequence[Request],
        progress: Callable[[int, int], None] | None = None,
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Completion]:
        """Answers; ends with EngineError within a second once `stop` says so, and with the calls of nobody else."""
        ...

    def start(self) -> None:
        """Begins to load or to connect; returns at once."""
        ...

    def close(self) -> None:
        """Ends the model for all."""
        ...


@dataclass(slots=True)
class _Entry:
    model: Shareable
    notes: list[Note]
    leases: int = 0


_entries: dict[Hashable, _Entry] = {}
_lock = threading.Lock()


def share(key: Hashable, make: Callable[[Note], Shareable], note: Note) -> "Lease":
    """A lease on the model called `key` in this process; `make` makes it where there is none yet.

    `make` is given what tells all holders of leases. Raises what `make` raises.
    """
    with _lock:
        entry = _entries.get(key)
        if entry is None:
            notes: list[Note] = []
            entry = _Entry(make(lambda message: _tell(notes, message)), notes)
            _entries[key] = entry
        entry.leases += 1
        entry.notes.append(note)
    return Lease(key, entry, note)


def _tell(notes: list[Note], message: str) -> None:
    for note in list(notes):
        # One listener that fails must not keep it from the others.
        with suppress(Exception):
            note(message)


class Lease:
    """A shared model as one run sees it (`contract.Model`): closing it ends the calls of this run only."""

    def __init__(self, key: Hashable, entry: _Entry, note: Note) -> None:
        self._key = key
        self._entry = entry
        self._note = note
        self._closed = threading.Event()

    def start(self) -> None:
        """Begins to load or to connect; returns at once, and does nothing the second time."""
        self._open().start()

    @property
    def shared(self) -> Shareable:
        """The model itself."""
        return self._entry.model

    @property
    def info(self) -> ModelInfo:
        """Facts about the model."""
        return self._open().info

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt."""
        return self._open().count(messages)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone."""
        return self._open().count_texts(texts)

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        """Answers in the order of the requests; those under way end with EngineError when this lease is closed."""
        return self._open().complete(requests, progress, stop=self._closed.is_set)

    def close(self) -> None:
        """Gives the lease back; the last one ends the model, within three seconds."""
        with _lock:
            if self._closed.is_set():
                return
            self._closed.set()
            entry = self._entry
            entry.leases -= 1
            entry.notes.remove(self._note)
            is_last = entry.leases == 0
            if is_last:
                _entries.pop(self._key, None)
        if is_last:
            entry.model.close()

    def _open(self) -> Shareable:
        if self._closed.is_set():
            raise EngineError("The model was closed", retryable=False)
        return self._entry.model
