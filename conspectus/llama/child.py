"""The engine process: `python -m conspectus.llama.child`. Reads JSON lines from stdin and answers on stdout.

First line in: `load`. Then `count`, `count_texts`, `complete` (each with an `id`) and `cancel` (with `ids`). Lines out:
`event` (vocab, loaded, waiting, plain-template, one-sequence, failed), `id` with `started`, `result` or `error`, and
`progress`: of each running request its prompt and generated tokens, with the tokens per second of all together.
It ends when stdin ends, at once: so no engine outlives the program that started it.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from conspectus.llama.answer import new_answer
from conspectus.llama.contract import Finish, Message
from conspectus.llama.cpu_lock import CpuLock
from conspectus.llama.planned import Asked, Running, engine_plan, running
from conspectus.llama.planner import EnginePlan
from conspectus.llama.planner_machine import Gpu, detect

if TYPE_CHECKING:
    from conspectus.llama.context import Context, Settings
    from conspectus.llama.template import Prompt
    from conspectus.llama.vocab import Vocab
    from conspectus.llama.work import Work

_PR_SET_PDEATHSIG = 1
_PROGRESS_S = 0.25
_IDLE_S = 1.0
# Tokenizers with regular expressions recurse over long runs of text; the usual 8 MB are not enough for a bad page.
_READER_STACK = 256 << 20


@dataclass(slots=True, eq=False)
class _Job:
    """A request that fits the context and waits for the engine."""

    id: int
    prompt: list[int]
    head: int
    request: dict[str, Any]
    alone: bool
    is_cancelled: bool = False
    begun: float = 0.0
    _claimed: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """True for the first caller only: who claims a job answers it."""
        return self._claimed.acquire(blocking=False)

    def is_due(self) -> bool:
        """True once it must end; its seconds count from when it runs."""
        return self.is_cancelled or (self.begun > 0 and time.monotonic() >= self.begun + self.request["deadline_s"])


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

    def error(self, call: int, reason: str, *, retryable: bool, **details: int) -> None:
        self.send(id=call, error=reason, retryable=retryable, **details)


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
                self._channel.send(
                    id=message["id"], result=len(self._vocab.prompt_tokens(self._prompt(message["messages"])))
                )
            case "count_texts":
                counts = [len(self._vocab.tokens(text)) for text in message["texts"]]
                self._channel.send(id=message["id"], result=counts)
            case "complete":
                self._enqueue(message)
            case "cancel":
                for call in message["ids"]:
                    self._cancel(call)

    def _prompt(self, messages: list[dict[str, Any]]) -> "Prompt":
        prompt = self._vocab.render([Message(**m) for m in messages])
        if prompt.plain and not self._told_plain:
            self._told_plain = True
            self._channel.event("plain-template")
        return prompt

    def _enqueue(self, message: dict[str, Any]) -> None:
        request = message["request"]
        whole = self._prompt(request.pop("messages"))
        prompt = self._vocab.prompt_tokens(whole)
        needed = len(prompt) + request["max_tokens"]
        if not prompt or needed > self._context:
            reason = (
                f"a prompt of {len(prompt)} tokens and an answer of up to {request['max_tokens']} "
                f"do not fit the context of {self._context} tokens"
            )
            # Named by these two, it is the caller's to split.
            sizes = {"prompt_tokens": len(prompt), "context": self._context}
            self._channel.error(message["id"], reason, retryable=False, **sizes)
            return
        head = len(self._vocab.prompt_tokens(whole.head)) if whole.head.pieces else 0
        job = _Job(message["id"], prompt, head, request, bool(message.get("alone")))
        self._known = {id_: known for id_, known in self._known.items() if not known._claimed.locked()}
        self._known[job.id] = job
        self.jobs.put(job)

    def _cancel(self, call: int) -> None:
        job = self._known.get(call)
        if job:
            job.is_cancelled = True
            if job.claim():
                self._channel.error(call, "cancelled", retryable=False)


class _Worker:
    """The engine thread: feeds jobs to the engine, steps it, and tells the parent."""

    def __init__(self, reader: _Reader, channel: _Channel, vocab: "Vocab", context: "Context", chosen: Running) -> None:
        # Here, not above: the context has imported llama_cpp, which must come before numpy.
        from conspectus.llama.engine import Engine
        from conspectus.llama.work import Layout, Pace

        self._reader = reader
        self._channel = channel
        self._vocab = vocab
        self._context = context
        self._jobs: dict[Work, _Job] = {}
        layout = Layout(chosen.slots, reader._context, unified=chosen.unified, joins=chosen.gpu_layers != 0)
        self._engine = Engine(context, layout, self._started, self._ended)
        self._pace = Pace()
        self._told = time.monotonic()
        self._lock = CpuLock(lambda: channel.event("waiting"), is_needed=chosen.gpu_layers == 0)

    def run(self, *, self_test: bool) -> None:
        untested = self_test and self._engine.width > 1
        while True:
            if not self._engine.is_busy:
                try:
                    job = self._reader.jobs.get(timeout=_IDLE_S)
                except queue.Empty:
                    # An idle engine must not keep the others of this machine waiting.
                    self._lock.free()
                    continue
                self._lock.take()
                if untested:
                    untested = False
                    self._test()
                self._add(job)
            while not self._reader.jobs.empty():
                self._add(self._reader.jobs.get())
            try:
                self._engine.step()
            except Exception as error:
                self._engine.fail_all(f"unexpected {type(error).__name__}")
            self._tell()

    def _test(self) -> None:
        from conspectus.llama.selftest import TEXT, batches_well

        if not batches_well(self._engine, self._vocab.tokens(TEXT)):
            self._engine.width = 1
            self._channel.event("one-sequence")

    def _add(self, job: _Job) -> None:
        import numpy as np

        from conspectus.llama.work import Work

        request = job.request
        limits = request["max_tokens"], tuple(request["forced"]), request["line_tokens"]
        work = Work(
            np.array(job.prompt, dtype=np.int32),
            lambda: new_answer(self._vocab, *limits),
            job.is_due,
            alone=job.alone,
            head=job.head,
            new_sampling=self._sampling(request),
        )
        self._jobs[work] = job
        self._engine.add(work)

    def _sampling(self, request: dict[str, Any]) -> Any:  # noqa: ANN401 - what the engine calls to get a sampler
        choice = {name: request[name] for name in ("temperature", "seed", "grammar")}
        if not choice["temperature"] and not choice["grammar"]:
            return None
        from conspectus.llama.sampler import Sampler

        return lambda: Sampler(self._vocab.native, **choice)

    def _started(self, work: "Work") -> None:
        job = self._jobs[work]
        if job.claim():
            job.begun = time.monotonic()
            self._channel.send(id=job.id, started=True)

    def _ended(self, work: "Work") -> None:
        job = self._jobs.pop(work)
        if not job.begun:
            # Cancelled before it ran, and told so by the reader.
            return
        if work.error is not None:
            self._channel.error(job.id, work.error, retryable=work.retryable)
            return
        if job.is_cancelled:
            self._channel.error(job.id, "cancelled", retryable=False)
            return
        finish = Finish.DEADLINE if work.stopped else work.answer.finish or Finish.STOP
        result = {
            "lines": work.answer.lines(),
            "cut": work.answer.cut(),
            "finish": finish,
            "prompt_tokens": len(job.prompt),
            "cached_tokens": work.cached,
            "generated_tokens": work.answer.used,
            "seconds": time.monotonic() - job.begun,
        }
        self._channel.send(id=job.id, result=result)

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._told < _PROGRESS_S:
            return
        self._told = now
        engine = self._engine
        places = {self._jobs[work].id: [work.prefilled, work.answer.used] for work in engine.running}
        self._channel.send(progress=places, speed=self._pace.look(engine.prompt_tokens, engine.generated_tokens))


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


def _plan(load: dict[str, Any], free: int) -> EnginePlan:
    """How the model is run on this engine's part of the machine, with `free` bytes of a GPU (0: without one)."""
    from conspectus.llama.gguf import read_header
    from conspectus.llama.planner_table import merged

    own = (Gpu(f"GPU {load['device']}", free, free),) if free else ()
    machine = replace(detect().shared_by(load["engines"]), gpus=own, unused_gpus=())
    return engine_plan(Asked(**load["asked"]), merged([read_header(Path(part)) for part in load["files"]]), machine)


def _serve(stdin: BinaryIO, channel: _Channel, load: dict[str, Any]) -> None:
    from conspectus.llama.context import Context, gpu_memory
    from conspectus.llama.vocab import LoadError, Vocab, start_backend

    log = start_backend()
    device = load["device"]
    has_gpu = gpu_memory(device) > 0
    # Two engines that plan for the same free memory of a GPU would not fit together: one after the other.
    loading = CpuLock(lambda: channel.event("waiting"), is_needed=has_gpu, name=f"gpu-{device}-loading")
    try:
        vocab = Vocab(load["path"], load["template"], log)
        loading.take()
        plan = _plan(load, gpu_memory(device))
        if not plan.fits:
            channel.event("failed", reason="; ".join(plan.notes[:-1]), remedy=plan.notes[-1].capitalize())
            return
        chosen = running(Asked(**load["asked"]), plan)
        facts = {name: getattr(chosen, name) for name in ("slots", "threads", "gpu_layers", "kv_type")}
        channel.event("vocab", **facts, notes=chosen.notes)
        reader = _Reader(stdin, channel, vocab, load["asked"]["context"])
        threading.stack_size(_READER_STACK)
        threading.Thread(target=reader.run, name="reader", daemon=True).start()
        threading.stack_size(0)
        context = Context(_settings(load, chosen), log)
    except LoadError as error:
        channel.event("failed", reason=str(error))
        return
    finally:
        loading.free()
    channel.event("loaded")
    _Worker(reader, channel, vocab, context, chosen).run(self_test=load["self_test"])


def _settings(load: dict[str, Any], chosen: Running) -> "Settings":
    from conspectus.llama.context import Settings

    return Settings(
        load["path"],
        load["asked"]["context"],
        slots=chosen.slots,
        threads=chosen.threads,
        gpu_layers=chosen.gpu_layers,
        device=load["device"],
        kv_type=chosen.kv_type,
        unified=chosen.unified,
        step=chosen.step,
        flash=chosen.flash,
        overrides=chosen.overrides,
    )


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
