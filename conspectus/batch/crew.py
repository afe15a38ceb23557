"""The threads of a batch: each takes the next document until there is none, or a reason to stop."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from conspectus.batch.document import Bench, Ended, is_full, settled_before, unexpected, work_on
from conspectus.batch.files import Group
from conspectus.errors import ModelError, UsageError
from conspectus.journal.journal import DocumentState, Outcome, RunEnd
from conspectus.run.session import RunLost, Stopped

# What a model gets to end its answers once Ctrl-C was pressed; the whole program has ten.
GRACE_SECONDS = 4.0
_BAD = (DocumentState.FAILED, DocumentState.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many documents at a time, whether the first failure ends it, until when (monotonic) new ones are begun."""

    jobs: int
    fail_fast: bool = False
    until: float | None = None


class Listener(Protocol):
    """Who is told what came of each input."""

    def ended(self, ended: Ended) -> None:
        """One input is done with."""
        ...

    def note(self, message: str) -> None:
        """Something for people."""
        ...


class Crew:
    """Works on all groups of documents. `cancel` drops the model calls that have not begun."""

    def __init__(
        self, bench: Bench, limits: Limits, listener: Listener, cancel: Callable[[], None] = lambda: None
    ) -> None:
        self._bench, self._limits, self._listener = bench, limits, listener
        self._cancel = cancel
        self._lock = threading.Lock()
        self._todo: deque[Group] = deque()
        self._end = RunEnd.FINISHED
        self._stop = False
        self._fatal: BaseException | None = None

    def work(self, groups: Sequence[Group]) -> RunEnd:
        """Works until all is done or something ends it, and says what. Documents not begun stay queued.

        Raises ModelError and KeyboardInterrupt; what was under way then is saved as far as it got.
        """
        new: list[Group] = []
        for group in groups:
            ended, rest = settled_before(group, self._bench)
            for one in ended:
                self._listener.ended(one)
            if rest is not None:
                new.append(rest)
        self._todo.extend(new)
        self._bench.session.read_ahead([group.items[0].path for group in new])
        threads = [
            threading.Thread(target=self._run, name=f"document {number}", daemon=True)
            for number in range(min(self._limits.jobs, len(new)))
        ]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                # In short pieces: a signal is only seen in between on some systems.
                while thread.is_alive():
                    thread.join(0.2)
        except BaseException:
            self._interrupted(threads)
            raise
        if self._fatal is not None:
            raise self._fatal
        return self._end

    def _run(self) -> None:
        while (group := self._next()) is not None:
            try:
                for ended in work_on(group, self._bench):
                    self._listener.ended(ended)
                    if ended.outcome.state in _BAD and self._limits.fail_fast:
                        self._halt(RunEnd.STOPPED)
            except BaseException as error:
                self._lost(group, error)

    def _next(self) -> Group | None:
        with self._lock:
            late = self._limits.until is not None and time.monotonic() >= self._limits.until
            if self._todo and late and not self._stop:
                self._end, self._stop = RunEnd.TIME_UP, True
            if self._stop or not self._todo:
                return None
            return self._todo.popleft()

    def _halt(self, end: RunEnd) -> None:
        with self._lock:
            if not self._stop:
                self._end, self._stop = end, True

    def _lost(self, group: Group, error: BaseException) -> None:
        """A document that ended in an error; one that is not its own alone ends the run."""
        if isinstance(error, Stopped) or self._end is RunEnd.INTERRUPTED:
            return
        full = is_full(error)
        if full:
            self._halt(RunEnd.STOPPED)
        elif isinstance(error, ModelError | RunLost) or not isinstance(error, Exception):
            with self._lock:
                self._fatal = self._fatal or error
            self._halt(RunEnd.STOPPED)
        for item in group.items:
            told = unexpected(item.path, error)
            if full:
                told = UsageError(
                    f"no space left: {told.message}", "Make room and run the same command again: what is done is kept"
                )
            self._listener.ended(
                Ended(item, Outcome(DocumentState.FAILED, told.message, told.remedy, group.sha256), error=told)
            )

    def _interrupted(self, threads: Sequence[threading.Thread]) -> None:
        """Ends in order: no new document, no new call; calls under way get some seconds."""
        session = self._bench.session
        session.stopping.set()
        self._halt(RunEnd.INTERRUPTED)
        self._cancel()
        end = time.monotonic() + GRACE_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        session.close_models()
        for thread in threads:
            thread.join(max(0.0, end + 1.0 - time.monotonic()))
