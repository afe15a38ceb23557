"""Progress on stderr: live bars on a terminal, plain lines otherwise; never the text of a document."""

import sys
import threading
import time
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

PLAIN_SECONDS = 10.0


class Reporter(Protocol):
    """What the steps tell about themselves. Methods may be called from any thread."""

    def note(self, message: str) -> None:
        """Something that happened once: a stage began, a server is being started."""
        ...

    def count(self, stage: str, done: int, total: int) -> None:
        """How far a stage is: pages read, model calls done."""
        ...

    def tokens(self, prompt: int, generated: int) -> None:
        """Tokens of a model call so far; both start at 0 for each call."""
        ...


class Quiet:
    """Says nothing (`-q`)."""

    def note(self, message: str) -> None:
        """Nothing."""

    def count(self, stage: str, done: int, total: int) -> None:
        """Nothing."""

    def tokens(self, prompt: int, generated: int) -> None:
        """Nothing."""


class _Rate:
    """Tokens per second over the calls so far, from counts that start again with each call."""

    def __init__(self) -> None:
        self._began = 0.0
        self._sum = 0
        self._last = 0

    def add(self, tokens: int) -> str:
        now = time.monotonic()
        self._began = self._began or now
        self._sum += tokens - self._last if tokens >= self._last else tokens
        self._last = tokens
        seconds = now - self._began
        return f"{self._sum / seconds:.0f} tokens/s" if seconds > 1 else ""


class Plain:
    """One line a stage and one every ten seconds of a long one: for logs and pipes."""

    def __init__(self, verbose: bool = False) -> None:
        self._lock = threading.Lock()
        self._rate = _Rate()
        self._speed = ""
        self._began: dict[str, float] = {}
        self._said: dict[str, float] = {}
        self._verbose = verbose

    def note(self, message: str) -> None:
        """The message on a line."""
        with self._lock:
            print(message, file=sys.stderr, flush=True)

    def count(self, stage: str, done: int, total: int) -> None:
        """A line when the stage is done, and at most one every ten seconds before."""
        now = time.monotonic()
        with self._lock:
            began = self._began.setdefault(stage, now)
            due = now - self._said.get(stage, began) >= PLAIN_SECONDS or self._verbose
            if done < total and not due:
                return
            self._said[stage] = now
            left = f", about {_minutes((now - began) / done * (total - done))} left" if 0 < done < total else ""
            speed = f", {self._speed}" if self._speed and done < total else ""
            print(f"{stage}: {done} of {total}{left}{speed}", file=sys.stderr, flush=True)
            if done >= total:
                self._began.pop(stage, None)
                self._said.pop(stage, None)

    def tokens(self, prompt: int, generated: int) -> None:
        """Remembered for the next line."""
        with self._lock:
            self._speed = self._rate.add(prompt + generated)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"


class Live:
    """Bars on a terminal."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[speed]}"),
            console=console,
            transient=True,
        )
        self._stages: dict[str, TaskID] = {}
        self._rate = _Rate()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def note(self, message: str) -> None:
        """The message above the bars."""
        self._progress.console.print(message, style="dim", markup=False, highlight=False)

    def count(self, stage: str, done: int, total: int) -> None:
        """A bar for the stage; it goes when the stage is done."""
        with self._lock:
            if stage not in self._stages:
                self._stages[stage] = self._progress.add_task(stage, total=total, speed="")
            task = self._stages[stage]
            self._progress.update(task, completed=done, total=total)
            if done >= total:
                self._progress.remove_task(self._stages.pop(stage))

    def tokens(self, prompt: int, generated: int) -> None:
        """The speed behind the newest bar."""
        with self._lock:
            speed = self._rate.add(prompt + generated)
            for task in list(self._stages.values())[-1:]:
                self._progress.update(task, speed=speed)
