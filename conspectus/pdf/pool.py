"""Reading children and how the pages of a file are dealt out to them.

Starting a child and opening a file in it costs 0.3 to 1.5 seconds, so a second child is only worth it from
PAGES_A_WORKER on. Pages are dealt in small blocks: a child that meets heavy pages holds nobody up. A child that dies
takes one page with it: that page is failed or skipped, and a fresh child goes on behind it.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conspectus.pdf.files import Snapshot
from conspectus.pdf.opening import Refusal
from conspectus.pdf.types import ReadOptions
from conspectus.spawn import spawned

PAGES_A_WORKER = 50
MAX_WORKERS = 8
BLOCK = 16
LARGE_FILE = 300_000  # bytes from which a file probably has pages for two: the second child starts at once
MAX_DEATHS = 20
HARD_FACTOR = 4.0  # wall time may be this many times the CPU time of a page: the machine may be busy

Row = dict[str, Any]


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def workers_for(pages: int, options: ReadOptions) -> int:
    """How many children read a file of so many pages."""
    if options.workers:
        return max(1, min(options.workers, pages))
    return max(1, min(usable_cores(), MAX_WORKERS, pages // PAGES_A_WORKER))


class Worker:
    """One reading child. Use `close` at the end, whatever happened."""

    def __init__(self, snapshot: Snapshot, options: ReadOptions, engine: str) -> None:
        self.process = spawned(
            lambda: subprocess.Popen(
                # -P: a json.py in the working folder must not be imported.
                [sys.executable, "-P", "-m", "conspectus.pdf.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(snapshot.descriptor,),
            )
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self.out = self.process.stdin, self.process.stdout
        os.set_blocking(self.out.fileno(), False)
        self._rest = b""
        self.wanted: deque[int] = deque()
        self.at: int | None = None
        self.since = time.monotonic()
        self.opened = False
        self.killed = ""
        self.send(
            {
                "descriptor": snapshot.descriptor,
                "size": snapshot.size,
                "password": options.password,
                "engine": engine,
                "detect": options.detect,
                "memory_mb": options.memory_mb,
                "cpu_seconds": int(options.seconds),  # to open the file; each page then has its own
                "page_seconds": options.page_seconds,
            }
        )

    def send(self, request: Row) -> None:
        """Asks for something; a child that has died is noticed when its answers end."""
        with contextlib.suppress(BrokenPipeError):
            self._in.write(json.dumps(request).encode() + b"\n")
            self._in.flush()

    def read(self, indexes: list[int]) -> None:
        """Asks for pages."""
        self.wanted.extend(indexes)
        self.since = time.monotonic()
        self.send({"read": indexes})

    def answers(self) -> tuple[list[Row], bool]:
        """The answers that are there now, and whether there will be no more."""
        ended = False
        while True:
            try:
                part = os.read(self.out.fileno(), 1 << 16)
            except BlockingIOError:
                break
            if not part:
                ended = True
                break
            self._rest += part
            if len(self._rest) > 1 << 22:
                break
        *lines, self._rest = self._rest.split(b"\n")
        return [json.loads(line) for line in lines], ended

    def kill(self, why: str = "") -> None:
        """Ends it at once."""
        self.killed = self.killed or why
        self.process.kill()

    def close(self) -> None:
        """Ends it and waits."""
        self.process.kill()
        for pipe in (self._in, self.out):
            with contextlib.suppress(OSError):
                pipe.close()
        self.process.wait()

    def last_words(self) -> str:
        """Why it died."""
        code = self.process.wait()
        if self.killed:
            return self.killed
        if code == -getattr(signal, "SIGXCPU", 0):
            self.killed = "it took more than its share of CPU time"
            return self.killed
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"the reading process died ({signal.Signals(-code).name})"
        return f"the reading process died (exit code {code})"


@dataclass(slots=True)
class Pool:
    """Reads pages of one file with one engine. `on_page` is called with each row as it comes, in any order.

    `indexes` None means all pages, found out with `head`. Rows are those of the child.
    """

    snapshot: Snapshot
    options: ReadOptions
    engine: str
    on_page: Callable[[int, int], None] = lambda done, total: None
    head: Row = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    _todo: deque[int] = field(default_factory=deque)
    _workers: list[Worker] = field(default_factory=list)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _idle: list[Worker] = field(default_factory=list)
    _again: set[int | None] = field(default_factory=set)
    _first: Worker | None = None  # the one that was asked for the head
    _deaths: int = 0
    _total: int = 0

    def run(self, indexes: list[int] | None = None) -> dict[int, Row]:
        """The rows of the asked pages. Raises Refusal where the file cannot be opened.

        A page that no child could read has a row with status failed or skipped and the reason.
        """
        self._todo = deque(indexes or ())
        self._total = len(self._todo)
        began = time.monotonic()
        try:
            first = self._start()
            if indexes is None:
                self._first = first
                first.send({"head": True})
                if self.snapshot.size >= LARGE_FILE and workers_for(2 * PAGES_A_WORKER, self.options) > 1:
                    self._idle.append(self._start())
            else:
                self._deal(first)
            while self._workers:
                self._turn(began)
        finally:
            for worker in self._workers:
                worker.close()
            self._selector.close()
        return self.rows

    def _start(self) -> Worker:
        worker = Worker(self.snapshot, self.options, self.engine)
        self._workers.append(worker)
        self._selector.register(worker.out, selectors.EVENT_READ, worker)
        return worker

    def _stop(self, worker: Worker) -> None:
        self._selector.unregister(worker.out)
        self._workers.remove(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        worker.close()

    def _deal(self, worker: Worker) -> None:
        """Gives a worker its next block, or sends it home."""
        block = min(BLOCK, max(1, -(-len(self._todo) // (2 * max(1, len(self._workers))))))
        if workers_for(self._total, self.options) == 1:
            block = self._total
        indexes = [self._todo.popleft() for _ in range(min(block, len(self._todo)))]
        if indexes:
            worker.read(indexes)
        else:
            self._stop(worker)

    def _turn(self, began: float) -> None:
        for key, _ in self._selector.select(timeout=0.5):
            worker: Worker = key.data
            answers, ended = worker.answers()
            for answer in answers:
                self._take(worker, answer)
            if ended and worker in self._workers:
                self._bury(worker)
        self._watch(began)

    def _watch(self, began: float) -> None:
        """Ends children that are over their time."""
        now = time.monotonic()
        total = self.options.seconds + self._total * self.options.seconds_a_page
        if now - began > total:
            self._give_up(f"the time limit of {total:g} seconds was reached")
            return
        for worker in self._workers:
            limit = self.options.page_seconds * HARD_FACTOR if worker.opened else self.options.seconds
            if now - worker.since > limit:
                worker.kill(f"it took more than {limit:g} seconds")

    def _take(self, worker: Worker, answer: Row) -> None:
        if "error" in answer:
            raise Refusal(answer["error"], answer["detail"])
        worker.opened = True
        worker.since = time.monotonic()
        if "head" in answer:
            self.head = answer["head"]
            self._total = self.head["pages"]
            self._todo = deque(range(self._total))
            if self._total == 0:
                raise Refusal("no-pages")
        elif "at" in answer:
            worker.at = answer["at"]
        elif "page" in answer:
            worker.at = None
            worker.wanted.popleft()
            self._done(answer["page"], answer)
        elif not worker.wanted:
            self._deal(worker)
            self._fill()

    def _fill(self) -> None:
        """As many children as the file is worth."""
        while self._idle:
            self._deal(self._idle.pop())
        while self._todo and len(self._workers) < workers_for(self._total, self.options):
            self._deal(self._start())

    def _done(self, index: int, row: Row) -> None:
        self.rows[index] = row
        self.on_page(len(self.rows), self._total)

    def _bury(self, worker: Worker) -> None:
        """A child is gone: its page is lost, the others go back to be read by a fresh one."""
        why = worker.last_words()
        self._deaths += 1
        self._stop(worker)
        if self._spared(worker):
            return
        if not worker.opened and (not self.head or self._deaths > 2) and not self.rows:
            raise Refusal("time" if worker.killed else "died", why)
        if worker.at is not None:
            worker.wanted.popleft()
            self._done(worker.at, lost(why, "skipped" if worker.killed else "failed"))
        self._todo.extendleft(reversed(worker.wanted))
        if self._deaths > MAX_DEATHS:
            self._give_up(f"the reading process died {self._deaths} times")
        elif self._todo:
            self._deal(self._start())

    def _spared(self, worker: Worker) -> bool:
        """Reads again what a child was at that somebody else killed: the system out of memory, or a person.

        Once for a page, and once for the opening of the file: the second time it is the file's doing.
        """
        outside = not worker.killed and worker.process.returncode == -getattr(signal, "SIGKILL", 0)
        if not outside or worker.at in self._again:
            return False
        self._again.add(worker.at)
        self._todo.extendleft(reversed(worker.wanted))
        if self._todo:
            self._deal(self._start())
        elif worker is self._first and not self.head:
            self._first = self._start()
            self._first.send({"head": True})
        return True

    def _give_up(self, why: str) -> None:
        """Ends everything; what was not read is skipped."""
        if not self._total:
            raise Refusal("time", why)
        missing = [*self._todo, *(index for worker in self._workers for index in worker.wanted)]
        for index in missing:
            self._done(index, lost(why, "skipped"))
        self._todo.clear()
        for worker in list(self._workers):
            self._stop(worker)


def lost(reason: str, status: str) -> Row:
    """The row of a page that no child gave."""
    return {"text": "", "status": status, "reason": reason, "warnings": [], "suspect": False, "seconds": 0.0}
