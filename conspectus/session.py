"""What one run shares: the model, the readings under way, where answers lie, who is told about progress.

A flow finds it with `current()`. Loading the model, starting the server and reading files begin when the session
opens, so that they overlap.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from conspectus.document import Document, Language
from conspectus.llama import Model, ModelInfo
from conspectus.pdf import ReadOptions, named, read_pdf
from conspectus.progress import Quiet, Reporter
from conspectus.reading import to_document


class Session:
    """One run. Use as a context manager; its models are closed at its end.

    `reduce_model` words the overviews; None: `model` does.
    """

    def __init__(
        self,
        model: Model,
        answers: Path,
        *,
        reporter: Reporter | None = None,
        language: Language | None = None,
        reading: ReadOptions | None = None,
        reduce_model: Model | None = None,
    ) -> None:
        self.model = model
        self.reduce_model = reduce_model or model
        self.answers = answers
        self.reporter: Reporter = reporter or Quiet()
        self._language = language
        self._reading = reading or ReadOptions()
        self.page_seconds: dict[Path, list[float]] = {}  # of each page that was read, by file
        self._readings: dict[Path, Future[Document]] = {}
        # One file at a time: reading is CPU-bound and the model's threads want the other cores.
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="conspectus-read")

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

    def close_models(self) -> None:
        """Ends the models; calls under way end with EngineError."""
        self.model.close()
        if self.reduce_model is not self.model:
            self.reduce_model.close()

    @property
    def info(self) -> ModelInfo:
        """Facts about the model; with another one for overviews, both names and both fingerprints."""
        first, second = self.model.info, self.reduce_model.info
        if first == second:
            return first
        return ModelInfo(
            name=f"{first.name}, overviews by {second.name}",
            fingerprint=f"{first.fingerprint}+{second.fingerprint}",
            context=first.context,
            slots=first.slots,
        )

    def read_ahead(self, paths: Sequence[Path]) -> None:
        """Begins to read these files in the background, in order."""
        for path in paths:
            if path not in self._readings:
                self._readings[path] = self._pool.submit(self._read, path)

    def document(self, path: Path) -> Document:
        """The document of a file; waits for it. Raises InputError where it cannot be read."""
        self.read_ahead([path])
        return self._readings[path].result()

    def _read(self, path: Path) -> Document:
        stage = f"{path.name}: pages read"
        reading = read_pdf(path, self._reading, lambda done, total: self.reporter.count(stage, done, total))
        self.page_seconds[path] = [round(page.seconds, 4) for page in reading.pages]
        return to_document(named(path), reading, self._language)


_current: Session | None = None
_lock = threading.Lock()


def current() -> Session:
    """The open session of this process. Raises LookupError where there is none."""
    with _lock:
        if _current is None:
            raise LookupError("no session is open in this process: use `with Session(...)`")
        return _current
