"""The embedded model: llama.cpp in a process of its own, behind the `Model` contract. Never imports llama_cpp."""

import atexit
import hashlib
import importlib.metadata
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conspectus.errors import EngineError, ModelError
from conspectus.llama.contract import Completion, Finish, Message, ModelInfo, Request
from conspectus.llama.gguf import fingerprint, parts, read_header
from conspectus.llama.options import EngineOptions, gpu_count
from conspectus.llama.supervisor import Call, EngineFacts, Supervisor

# Raised with each change of forcing, rendering or decoding that can change an answer: stored answers depend on it.
_ENGINE_VERSION = 4


class EmbeddedModel:
    """A GGUF model in a child process.

    `context` is in tokens, for prompt and answer together; above what the model was trained on it is lowered to that,
    see `info`. `cache_dir` remembers the hash of the file. `on_event` is told `vocab`, `loaded`, `waiting` (another
    engine of this machine computes), `plain-template` (no usable chat template in the file, a plain form is used),
    `one-sequence` (the self-test: this model cannot be decoded several requests at a time), `restarted`, and what the
    planner gave up to make the model fit, from another thread. `template` replaces the chat template of the file.

    `options` are for the engine; what is not said is chosen for the machine. On several GPUs there is one engine each.

    Raises ModelError at once where the file is missing, no GGUF or not whole. Loading begins with `start` or the first
    use.
    """

    def __init__(
        self,
        path: Path,
        *,
        context: int = 4096,
        cache_dir: Path,
        on_event: Callable[[str], None] | None = None,
        template: str | None = None,
        options: EngineOptions | None = None,
    ) -> None:
        self._path = path.expanduser().resolve()
        self._cache_dir = cache_dir
        self._template = template
        header = read_header(self._path)
        self._name = header.name or self._path.stem
        self._context = min(context, header.context_length) if header.context_length else context
        chosen = options or EngineOptions()
        load = {
            "path": str(self._path),
            "files": [str(part) for part in parts(self._path)],
            "template": template,
            "asked": asdict(chosen.asked(self._context)),
            "self_test": chosen.self_test,
        }
        engines = chosen.devices or gpu_count()
        loads = [{**load, "device": device, "engines": engines} for device in range(engines)]
        self._supervisors = [Supervisor(each, on_event) for each in loads]
        self._starting = threading.Lock()
        self._is_started = False
        self._hash = ""
        self._hash_error: ModelError | None = None
        self._hashing = threading.Thread(target=self._take_hash, name="conspectus-fingerprint", daemon=True)

    @property
    def info(self) -> ModelInfo:
        """Facts about the model; waits for its vocabulary and, the first time a file is seen, for its hash.

        Raises ModelError where the file cannot be used.
        """
        self.start()
        for supervisor in self._supervisors:
            supervisor.wait_for_vocab()
        self._hashing.join()
        if self._hash_error:
            raise self._hash_error
        slots = sum(supervisor.facts.slots for supervisor in self._supervisors)
        return ModelInfo(self._name, self._fingerprint(), self._context, slots)

    @property
    def running(self) -> EngineFacts:
        """What its (first) engine runs with, by the planner's choice and the options; waits as `info` does."""
        self.start()
        self._supervisors[0].wait_for_vocab()
        return self._supervisors[0].facts

    @property
    def speed(self) -> tuple[float, float]:
        """Prompt and generated tokens per second of all running requests, over the last quarter of a second."""
        speeds = [supervisor.speed for supervisor in self._supervisors]
        return sum(s[0] for s in speeds), sum(s[1] for s in speeds)

    def start(self) -> None:
        """Begins loading in the background; does nothing the second time."""
        with self._starting:
            if self._is_started:
                return
            self._is_started = True
            self._hashing.start()
            for supervisor in self._supervisors:
                supervisor.start()
            atexit.register(self.close)

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt, chat template and generation prompt included."""
        return int(self._ask({"op": "count", "messages": [asdict(m) for m in messages]}))

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text alone, tokenised as document text (special tokens off)."""
        return [int(n) for n in self._ask({"op": "count_texts", "texts": list(texts)})]

    def complete(
        self,
        requests: Sequence[Request],
        progress: Callable[[int, int], None] | None = None,
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Completion]:
        """Answers in the order of the requests; `progress(prompt_tokens, generated_tokens)` sums over all of them.

        Raises EngineError for a call that failed (the other requests are then dropped) and, within a second, once
        `stop` says so, ContextExceeded for one that does not fit the context (nothing is cut), ModelError where the
        model cannot be used at all.
        """
        self.start()
        calls: list[tuple[Supervisor, Call]] = []
        last = (0, 0)

        def tick() -> None:
            nonlocal last
            if stop and stop():
                raise EngineError("The model was closed", retryable=False)
            now = (sum(c.progress[0] for _, c in calls), sum(c.progress[1] for _, c in calls))
            if progress and now != last:
                last = now
                progress(*now)

        try:
            for request in requests:
                message = {"op": "complete", "request": asdict(request)}
                supervisor = min(self._supervisors, key=lambda s: s.backlog)
                calls.append((supervisor, supervisor.submit(message, request.deadline_s)))
            return [_completion(supervisor.wait(call, tick)) for supervisor, call in calls]
        except BaseException:
            # Also for Ctrl-C: nobody waits for these answers any more.
            for supervisor in self._supervisors:
                supervisor.cancel([call for owner, call in calls if owner is supervisor])
            raise

    def close(self) -> None:
        """Ends the engine within three seconds; running calls end with EngineError."""
        with self._starting:
            atexit.unregister(self.close)
            self._is_started = True
        for supervisor in self._supervisors:
            supervisor.close()

    def _ask(self, message: dict[str, Any]) -> Any:  # noqa: ANN401 - what JSON gives
        self.start()
        supervisor = self._supervisors[0]
        return supervisor.wait(supervisor.submit(message), lambda: None)

    def _take_hash(self) -> None:
        try:
            self._hash = fingerprint(self._path, self._cache_dir)
        except ModelError as error:
            self._hash_error = error

    def _fingerprint(self) -> str:
        # Neither the context nor the number of threads: they change no answer that fits. Nor the slots: the company of
        # a request can turn a near tie, but neither answer is then the better one.
        settings = {
            "file": self._hash,
            "template": self._template,
            "llama-cpp-python": importlib.metadata.version("llama-cpp-python"),
            "engine": _ENGINE_VERSION,
            # Chosen by the planner, perhaps; engines of equal GPUs choose the same.
            "kv": "+".join(sorted({supervisor.facts.kv_type for supervisor in self._supervisors})),
        }
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _completion(result: dict[str, Any]) -> Completion:
    return Completion(
        lines=tuple(result["lines"]),
        cut=tuple(result["cut"]),
        finish=Finish(result["finish"]),
        prompt_tokens=result["prompt_tokens"],
        cached_tokens=result["cached_tokens"],
        generated_tokens=result["generated_tokens"],
        seconds=result["seconds"],
    )
