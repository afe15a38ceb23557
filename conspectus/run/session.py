"""What one run shares: the models, the readings under way, where answers lie, who is told about progress.

A flow finds it with `current()`. Loading the model, starting the server and reading files begin when the session
opens, so that they overlap.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus.digesting.desk import CallMade
from conspectus.digesting.straight import Models, Replay
from conspectus.document import Language, Source
from conspectus.errors import ConspectusError
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.llama import Model, ModelInfo
from conspectus.llama.remote import Remote
from conspectus.pdf import ReadOptions, named, read_pdf
from conspectus.run.progress import Quiet, Reporter

AHEAD = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: `ahead` is how many may lie read at a time, `readers` how many are read side by side."""

    language: Language | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    ahead: int = AHEAD
    # One file at a time: reading is CPU-bound and the model's threads want the other cores.
    readers: int = 1


@dataclass(frozen=True, slots=True)
class Work:
    """What a flow takes over from a first pass over a document: results of steps, and who is told of its calls."""

    replay: Replay = field(default_factory=Replay)
    on_call: Callable[[CallMade], None] | None = None


class Stopped(Exception):
    """A document that was given up because the run ends: nothing of it is to be written."""


class RunLost(ConspectusError):
    """Something that every document needs cannot be had: the run ends."""


class Session:
    """One run. Use as a context manager; its models are closed at its end.

    `models` has the model of the lines and the one that words the overviews. With `remote`, calls are made on the
    machines of a cluster.
    """

    def __init__(
        self,
        models: Models,
        answers: Path,
        *,
        reporter: Reporter | None = None,
        reading: Reading | None = None,
        remote: Remote | None = None,
    ) -> None:
        self.remote = remote
        self.models = models
        self.answers = answers
        self.reporter: Reporter = reporter or Quiet()
        self.works: dict[Path, Work] = {}
        self.stopping = threading.Event()
        self._reading = reading or Reading()
        self._page_seconds: dict[Path, list[float]] = {}
        self._readings: dict[Path, Future[Source]] = {}
        self._told: set[str] = set()
        self._waiting: deque[Path] = deque()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=self._reading.readers, thread_name_prefix="conspectus-read")

    def __enter__(self) -> Self:
        global _current
        with _lock:
            _current = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        global _current
        with _lock:
            _current = None
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.close_models()

    def note_once(self, message: str) -> None:
        """Tells people something, however often it comes up."""
        with self._lock:
            new = message not in self._told
            self._told.add(message)
        if new:
            self.reporter.note(message)

    def close_models(self) -> None:
        """Ends the models; calls under way end with EngineError, and `stopping` says that it was for this reason."""
        self.stopping.set()
        self.model.close()
        if self.reduce_model is not self.model:
            self.reduce_model.close()

    @property
    def model(self) -> Model:
        """The model of the lines."""
        return self.models.model

    @property
    def reduce_model(self) -> Model:
        """The model of the overviews."""
        return self.models.reduce_model

    @property
    def info(self) -> ModelInfo:
        """Facts about the models."""
        return self.models.info

    def read_ahead(self, paths: Sequence[Path]) -> None:
        """Begins to read these files in the background, in order, a few at a time: the next ones after `forget`."""
        with self._lock:
            known = {*self._waiting, *self._readings}
            self._waiting.extend(path for path in dict.fromkeys(paths) if path not in known)
            self._begin()

    def source(self, path: Path) -> Source:
        """A file with its clauses and sentences; waits for it. Raises InputError where it cannot be read."""
        with self._lock:
            if path not in self._readings:
                if path in self._waiting:
                    self._waiting.remove(path)
                self._readings[path] = self._pool.submit(self._read, path)
            reading = self._readings[path]
        return reading.result()

    def page_seconds(self, path: Path) -> list[float]:
        """The seconds of each page of a file that was read."""
        with self._lock:
            return self._page_seconds.get(path, [])

    def forget(self, path: Path) -> None:
        """Lets go of a file that is done with, so that the next one can be read."""
        with self._lock:
            self._readings.pop(path, None)
            self._page_seconds.pop(path, None)
            self.works.pop(path, None)
            self._begin()

    def _begin(self) -> None:
        while self._waiting and len(self._readings) < self._reading.ahead:
            path = self._waiting.popleft()
            self._readings[path] = self._pool.submit(self._read, path)

    def _read(self, path: Path) -> Source:
        stage = f"{path.name}: pages read"
        reading = read_pdf(path, self._reading.options, lambda done, total: self.reporter.count(stage, done, total))
        with self._lock:
            self._page_seconds[path] = [round(page.seconds, 4) for page in reading.pages]
        return to_source(to_document(named(path), reading, self._reading.language))


_current: Session | None = None
_lock = threading.Lock()


def current() -> Session:
    """The open session of this process. Raises LookupError where there is none."""
    with _lock:
        if _current is None:
            raise LookupError("no session is open in this process: use `with Session(...)`")
        return _current
