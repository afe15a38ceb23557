"""The engine process: `python -m conspectus.llama.child`. Reads JSON lines from stdin and answers on stdout.

First line in: `load`. Then `count`, `count_texts`, `complete` (each with an `id`) and `cancel` (with `ids`). Lines out:
`event` (vocab, loaded, waiting, plain-template, failed) or `id` with `started`, `progress`, `result` or `error`.
It ends when stdin ends, at once: so no engine outlives the program that started it.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from conspectus.llama.answer import new_answer
from conspectus.llama.contract import Finish, Message

if TYPE_CHECKING:
    from conspectus.llama.engine import Engine, Vocab

_LOCK_FILE = "conspectus-cpu-engine.lock"
_PR_SET_PDEATHSIG = 1
_POLL_S = 0.1
_PROGRESS_S = 0.25
_IDLE_S = 1.0
# Tokenizers with regular expressions recurse over long runs of text; the usual 8 MB are not enough for a bad page.
_READER_STACK = 256 << 20


@dataclass(slots=True)
class _Job:
    """A request that fits the context and waits for the engine."""

    id: int
    prompt: list[int]
    max_tokens: int
    forced: tuple[str, ...]
    line_tokens: int
    deadline_s: float
    is_cancelled: bool = False
    _claimed: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """True for the first caller only: who claims a job answers it."""
        return self._claimed.acquire(blocking=False)


class _Channel:
    """The way back to the parent; each line is written whole."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, **message: Any) -> None:  # noqa: ANN401
        line = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self._stream.write(line)
                self._stream.flush()
        except OSError:
            # The parent is gone.
            os._exit(1)

    def event(self, name: str, **details: Any) -> None:  # noqa: ANN401
        self.send(event=name, **details)

    def error(self, call: int, reason: str, *, retryable: bool) -> None:
        self.send(id=call, error=reason, retryable=retryable)


class _Reader:
    """The thread that reads requests: counts at once, queues completions, ends the process with its stdin."""

    def __init__(self, stream: BinaryIO, channel: _Channel, vocab: "Vocab", context: int) -> None:
        self.jobs: queue.Queue[_Job] = queue.Queue()
        self._stream = stream
        self._channel = channel
        self._vocab = vocab
        self._context = context
        self._known: dict[int, _Job] = {}
        self._told_plain = False

    def run(self) -> None:
        for line in self._stream:
            if not line.endswith(b"\n"):
                # The parent died while it wrote.
                break
            message = json.loads(line)
            try:
                self._handle(message)
            except Exception as error:
                # The type only: the text of an exception may hold text of the document.
                self._channel.error(message.get("id", -1), f"unexpected {type(error).__name__}", retryable=False)
        os._exit(0)

    def _handle(self, message: dict[str, Any]) -> None:
        match message["op"]:
            case "count":
                self._channel.send(id=message["id"], result=len(self._prompt(message["messages"])))
            case "count_texts":
                counts = [len(self._vocab.tokens(text)) for text in message["texts"]]
                self._channel.send(id=message["id"], result=counts)
            case "complete":
                self._enqueue(message)
            case "cancel":
                for call in message["ids"]:
                    self._cancel(call)

    def _prompt(self, messages: list[dict[str, Any]]) -> list[int]:
        prompt = self._vocab.render([Message(**m) for m in messages])
        if prompt.plain and not self._told_plain:
            self._told_plain = True
            self._channel.event("plain-template")
        return self._vocab.prompt_tokens(prompt)

    def _enqueue(self, message: dict[str, Any]) -> None:
        request = message["request"]
        prompt = self._prompt(request["messages"])
        needed = len(prompt) + request["max_tokens"]
        if not prompt or needed > self._context:
            reason = (
                f"a prompt of {len(prompt)} tokens and an answer of up to {request['max_tokens']} "
                f"do not fit the context of {self._context} tokens"
            )
            self._channel.error(message["id"], reason, retryable=False)
            return
        job = _Job(
            message["id"],
            prompt,
            request["max_tokens"],
            tuple(request["forced"]),
            request["line_tokens"],
            request["deadline_s"],
        )
        self._known = {id_: known for id_, known in self._known.items() if not known._claimed.locked()}
        self._known[job.id] = job
        self.jobs.put(job)

    def _cancel(self, call: int) -> None:
        job = self._known.get(call)
        if job:
            job.is_cancelled = True
            if job.claim():
                self._channel.error(call, "cancelled", retryable=False)


def _work(reader: _Reader, channel: _Channel, vocab: "Vocab", engine: "Engine") -> None:
    from conspectus.llama.engine import needs_cpu_lock

    lock = -1
    while True:
        try:
            job = reader.jobs.get(timeout=_IDLE_S)
        except queue.Empty:
            # An idle engine must not keep the others of this machine waiting, least of all one of its own program.
            lock = _free_cpu_lock(lock)
            continue
        if lock < 0 and needs_cpu_lock():
            lock = _take_cpu_lock(channel)
        if not job.claim():
            continue
        channel.send(id=job.id, started=True)
        try:
            _answer(job, channel, vocab, engine)
        except Exception as error:
            engine.forget()
            channel.error(job.id, f"unexpected {type(error).__name__}", retryable=False)


def _answer(job: _Job, channel: _Channel, vocab: "Vocab", engine: "Engine") -> None:
    from conspectus.llama.engine import DecodeError, Stop, Stopped

    begun = time.monotonic()
    stop = Stop(lambda: job.is_cancelled, begun + job.deadline_s)
    answer = new_answer(vocab, job.max_tokens, job.forced, job.line_tokens)
    cached, finish = 0, Finish.STOP
    try:
        cached = engine.run(job.prompt, answer, stop, _throttled(job.id, channel))
        finish = answer.finish or finish
    except Stopped:
        if job.is_cancelled:
            channel.error(job.id, "cancelled", retryable=False)
            return
        finish = Finish.DEADLINE
    except DecodeError as error:
        channel.error(job.id, str(error), retryable=error.retryable)
        return
    result = {
        "lines": answer.lines(),
        "cut": answer.cut(),
        "finish": finish,
        "prompt_tokens": len(job.prompt),
        "cached_tokens": cached,
        "generated_tokens": answer.used,
        "seconds": time.monotonic() - begun,
    }
    channel.send(id=job.id, result=result)


def _throttled(call: int, channel: _Channel) -> Callable[[int, int], None]:
    last = time.monotonic()

    def progress(prompt_tokens: int, generated_tokens: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_S:
            last = now
            channel.send(id=call, progress=[prompt_tokens, generated_tokens])

    return progress


def _take_cpu_lock(channel: _Channel) -> int:
    """Waits until no other engine of this machine computes on the CPU; returns the lock's descriptor, -1 without one.

    The kernel frees the lock when the process ends, however it ends.
    """
    if sys.platform == "win32":
        return -1
    import fcntl

    descriptor = _open_lock(Path(tempfile.gettempdir()) / _LOCK_FILE)
    told = False
    while descriptor >= 0:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if not told:
                channel.event("waiting")
            told = True
            time.sleep(_POLL_S)
        except OSError:
            # A file system without locks: slower beside another engine, but no reason to stop.
            os.close(descriptor)
            return -1
    return -1


def _free_cpu_lock(descriptor: int) -> int:
    if descriptor >= 0:
        os.close(descriptor)
    return -1


def _open_lock(path: Path) -> int:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    # First without O_CREAT: in a sticky folder the kernel refuses it for another user's file.
    for more in (0, os.O_CREAT):
        try:
            descriptor = os.open(path, flags | more, 0o666)
        except OSError:
            continue
        if more:
            # The umask took away what the other users need.
            os.fchmod(descriptor, 0o666)
        return descriptor
    return -1


def _die_with_parent(parent: int) -> None:
    """Asks the kernel to end this process with the thread that started it.

    The end of stdin says the same, but a process forked from the parent may hold the other end of the pipe open. The
    starting thread is the supervisor's, which lives as long as the engine.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if hasattr(os, "getppid") and os.getppid() != parent:
        os._exit(0)


def _take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Private copies of stdin and stdout; the usual numbers lead nowhere, since C libraries print to them."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    return stdin, stdout


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _serve(stdin: BinaryIO, channel: _Channel, load: dict[str, Any]) -> None:
    from conspectus.llama.engine import Engine, LoadError, Vocab, start_backend

    log = start_backend()
    try:
        vocab = Vocab(load["path"], load["template"], log)
        channel.event("vocab")
        reader = _Reader(stdin, channel, vocab, load["context"])
        threading.stack_size(_READER_STACK)
        threading.Thread(target=reader.run, name="reader", daemon=True).start()
        threading.stack_size(0)
        engine = Engine(load["path"], load["context"], _usable_cores(), log)
    except LoadError as error:
        channel.event("failed", reason=str(error))
        return
    channel.event("loaded")
    _work(reader, channel, vocab, engine)


def main() -> None:
    """Runs the engine until stdin ends."""
    stdin, stdout = _take_stdio()
    channel = _Channel(stdout)
    line = stdin.readline()
    if not line:
        return
    load = json.loads(line)
    _die_with_parent(load["parent"])
    try:
        _serve(stdin, channel, load)
    except Exception as error:
        channel.event("failed", reason=f"{type(error).__name__}: {error}")
    # Without the interpreter's teardown: llama.cpp's threads may still run, and freed objects abort.
    os._exit(3)


if __name__ == "__main__":
    main()
