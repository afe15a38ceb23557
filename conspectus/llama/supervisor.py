"""Keeps one engine process alive: starts it, carries requests to it, starts it again when it dies."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import conspectus
from conspectus.errors import ConspectusError, ContextExceeded, EngineError, ModelError
from conspectus.llama.messages import explain
from conspectus.spawn import spawned

_COMMAND = [sys.executable, "-P", "-m", "conspectus.llama.child"]
_RESENDS = 2
_GRACE_S = 30.0
_CLOSE_S = 2.0
_NEWER = "Update llama-cpp-python with conspectus, or choose another .gguf with --model"
_MEMORY = "Close other programs, choose a smaller model, or a smaller context with --context"


@dataclass(slots=True, eq=False)
class Call:
    """One message on its way through the engine. `result` or `error` is set when `is_done`."""

    id: int
    message: dict[str, Any]
    deadline_s: float
    deaths: int = 0
    started: float | None = None
    progress: tuple[int, int] = (0, 0)
    is_done: bool = False
    result: Any = None
    error: ConspectusError | None = None
    changed: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an engine runs with: requests at the same time, threads, layers on the GPU, type of the KV cache."""

    slots: int = 1
    threads: int = 1
    gpu_layers: int = 0
    kv_type: str = "f16"


class Supervisor:
    """The engine process of one model, and the calls that wait for it. Thread-safe.

    `load` is the first message of each process. `on_event` is told `vocab`, `loaded`, `waiting` (another engine has the
    CPU), `plain-template` (the model's chat template is missing or unusable), `one-sequence` (the model answers
    otherwise when several requests are decoded at once, so it does not), `restarted`, and the planner's notes.

    A call is sent to at most three processes. After it was running in two that died, it is sent alone: a request that
    always ends the engine then fails by itself, and those that only ran beside it are answered.
    """

    def __init__(self, load: dict[str, Any], on_event: Callable[[str], None] | None) -> None:
        self._load = load
        self._listener = on_event
        # Guards registering a call together with sending it, against a restart that sends all calls again.
        self._sending = threading.Lock()
        # Guards all fields below. May be taken inside `_sending`, never the other way round.
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._calls: dict[int, Call] = {}
        self._last_id = 0
        self._failure: ConspectusError | None = None
        self._is_closed = False
        self._has_vocab = False
        self._is_loaded = False
        self._early_deaths = 0
        self._facts = EngineFacts()
        self._speed = (0.0, 0.0)
        self._thread = threading.Thread(target=self._run, name="conspectus-engine", daemon=True)

    def start(self) -> None:
        """Begins loading; returns at once."""
        self._thread.start()

    def wait_for_vocab(self) -> None:
        """Returns once tokens can be counted. Raises ModelError where the file cannot be used."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_vocab or self._failure)
            if self._failure:
                raise self._failure

    @property
    def facts(self) -> EngineFacts:
        """What the engine runs with; valid once the vocabulary is loaded."""
        with self._changed:
            return self._facts

    @property
    def speed(self) -> tuple[float, float]:
        """Prompt and generated tokens per second, lately."""
        with self._changed:
            return self._speed if self._calls else (0.0, 0.0)

    @property
    def backlog(self) -> int:
        """Calls that are not done."""
        with self._changed:
            return len(self._calls)

    def submit(self, message: dict[str, Any], deadline_s: float = 0.0) -> Call:
        """Sends `message`; the answer comes through `wait`. `deadline_s` 0 means no watchdog."""
        with self._sending:
            with self._changed:
                self._last_id += 1
                call = Call(self._last_id, {**message, "id": self._last_id}, deadline_s)
                if self._failure:
                    self._end(call, None, self._failure)
                    return call
                self._calls[call.id] = call
                process = self._process
                # Wakes a supervisor that waits for work before it starts a new process.
                self._changed.notify_all()
            if process:
                _write(process, call.message)
        return call

    def wait(self, call: Call, tick: Callable[[], None]) -> Any:  # noqa: ANN401 - what JSON gives
        """The result of `call`; `tick` is called whenever something may have moved. Raises the call's error."""
        while True:
            # Each call has its own event: with many waiting, one condition would wake all of them for each message.
            call.changed.wait(1.0)
            with self._changed:
                call.changed.clear()
                done = call.is_done
                self._watch(call)
            tick()
            if done:
                if call.error:
                    raise call.error
                return call.result

    def cancel(self, calls: Iterable[Call]) -> None:
        """Drops the calls that are not done; the engine stops computing them."""
        with self._sending:
            with self._changed:
                dropped = [call.id for call in calls if self._calls.pop(call.id, None)]
                process = self._process
            if process and dropped:
                _write(process, {"op": "cancel", "ids": dropped})

    def close(self) -> None:
        """Ends the process, within three seconds; waiting calls end with EngineError."""
        with self._changed:
            self._is_closed = True
            self._fail_all(EngineError("The model was closed", retryable=False))
            process = self._process
        if process:
            # A signal rather than the end of its input: another thread may be writing to that pipe.
            process.terminate()
            try:
                process.wait(_CLOSE_S)
            except subprocess.TimeoutExpired:
                process.kill()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(1.0)

    def _run(self) -> None:
        try:
            self._keep_alive()
        except Exception as error:
            # Else every caller would wait for ever.
            self._fail(EngineError(f"The engine cannot be run: {type(error).__name__}", retryable=False))
            raise

    def _keep_alive(self) -> None:
        while self._may_start():
            try:
                process = self._spawn()
            except OSError as error:
                self._fail(ModelError(f"The engine process cannot be started: {error.strerror or error}"))
                return
            assert process.stdout is not None
            for line in process.stdout:
                # A process that is killed while it writes leaves half a line.
                if line.endswith(b"\n"):
                    self._receive(json.loads(line))
            process.wait()
            with self._sending, self._changed:
                self._process = None
            _close_pipes(process)
            self._after_death(process.returncode)

    def _may_start(self) -> bool:
        with self._changed:
            # After a death without work there is no hurry; the next call brings the engine back.
            self._changed.wait_for(lambda: self._is_closed or self._failure or self._calls or not self._is_loaded)
            return not (self._is_closed or self._failure)

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = dict(os.environ)
        # The child must find this very package, however it came onto the path.
        package_root = str(Path(conspectus.__file__).parent.parent)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package_root, environment.get("PYTHONPATH")]))
        with self._sending:
            # A session of its own: Ctrl-C in the terminal is for the program, which then ends the engine in order.
            process = spawned(
                lambda: subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    start_new_session=True,
                )
            )
            with self._changed:
                self._process = process
                closed = self._is_closed
                calls = list(self._calls.values())
                for call in calls:
                    call.started = None
            if closed:
                process.kill()
            _write(process, {"op": "load", "parent": os.getpid(), **self._load})
            for call in calls:
                _write(process, {**call.message, "alone": call.deaths >= _RESENDS})
        return process

    def _receive(self, message: dict[str, Any]) -> None:
        if "event" in message:
            self._take_event(message)
            return
        if "progress" in message:
            self._take_progress(message)
            return
        with self._changed:
            call = self._calls.get(message["id"])
            if call is None:
                return
            if "started" in message:
                call.started = time.monotonic()
                call.changed.set()
            else:
                error = None
                if "error" in message:
                    error = _error(message)
                result = message.get("result")
                if isinstance(result, dict):
                    call.progress = (result["prompt_tokens"], result["generated_tokens"])
                self._end(call, result, error)

    def _take_progress(self, message: dict[str, Any]) -> None:
        with self._changed:
            self._speed = (message["speed"][0], message["speed"][1])
            for call_id, (prompt_tokens, generated_tokens) in message["progress"].items():
                call = self._calls.get(int(call_id))
                if call:
                    call.progress = (prompt_tokens, generated_tokens)
                    call.changed.set()

    def _take_event(self, message: dict[str, Any]) -> None:
        event = message["event"]
        with self._changed:
            if event == "vocab":
                self._has_vocab = True
                names = (one.name for one in fields(EngineFacts))
                self._facts = EngineFacts(**{name: message[name] for name in names})
            elif event == "loaded":
                self._is_loaded = True
                self._early_deaths = 0
            self._changed.notify_all()
        if event == "failed":
            remedy = message.get("remedy") or explain(message["reason"])[1] or _NEWER
            self._fail(ModelError(f"{self._load['path']} cannot be loaded: {message['reason']}", remedy))
            return
        self._on_event(event)
        for note in message.get("notes", ()):
            self._on_event(note)

    def _after_death(self, code: int) -> None:
        how = _death(code)
        with self._changed:
            if self._is_closed or self._failure:
                return
            running = [call for call in self._calls.values() if call.started is not None]
            if not self._is_loaded:
                self._early_deaths += 1
            for call in running or list(self._calls.values()):
                call.deaths += 1
                if call.deaths > _RESENDS:
                    reason = f"The engine ended {call.deaths} times during this call ({how})"
                    self._end(call, None, EngineError(reason, retryable=False))
            gives_up = self._early_deaths > _RESENDS
            self._changed.notify_all()
        if gives_up:
            message = f"{self._load['path']} cannot be loaded: the engine ended ({how})"
            self._fail(ModelError(message, explain(how)[1] or _MEMORY))
        else:
            self._on_event("restarted")

    def _on_event(self, event: str) -> None:
        # A listener's own failure must not end the thread that everybody waits for.
        with contextlib.suppress(Exception):
            if self._listener:
                self._listener(event)

    def _watch(self, call: Call) -> None:
        late = call.deadline_s and call.started and time.monotonic() - call.started > call.deadline_s + _GRACE_S
        if late and not call.is_done and self._process:
            # It counts as a death of the engine, and the call is sent again.
            self._process.kill()

    def _fail(self, error: ConspectusError) -> None:
        with self._changed:
            self._fail_all(error)

    def _fail_all(self, error: ConspectusError) -> None:
        self._failure = self._failure or error
        for call in list(self._calls.values()):
            self._end(call, None, self._failure)
        self._changed.notify_all()

    def _end(self, call: Call, result: Any, error: ConspectusError | None) -> None:  # noqa: ANN401
        call.result, call.error, call.is_done = result, error, True
        self._calls.pop(call.id, None)
        call.changed.set()


def _error(message: dict[str, Any]) -> EngineError:
    """The error that the engine reports for one call."""
    text = f"A model call failed: {message['error']}"
    if "context" in message:
        sizes = {name: message[name] for name in ("prompt_tokens", "context")}
        return ContextExceeded(text, "Give the model more context with --context", **sizes)
    return EngineError(text, retryable=message["retryable"])


def _write(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    # A dead process is noticed by its output, and its calls are sent again.
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        # Closing flushes what a dead process did not take.
        with contextlib.suppress(OSError, ValueError):
            if pipe:
                pipe.close()


def _death(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
