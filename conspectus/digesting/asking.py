"""Asking a model without Prefect: stored answers first, the rest on the model's slots, each stored as it comes.

For the use from Python, where starting a server for one document would be a burden. The answers are those of the
command line: what one has asked, the other need not.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import metadata
from pathlib import Path

from conspectus.digesting.answers import SERIALIZER, is_clean, lookup, record_from, storage_key
from conspectus.digesting.desk import DeskCounts
from conspectus.digesting.mapping import Answers, answers_of
from conspectus.digesting.straight import Models
from conspectus.errors import EngineError, UsageError
from conspectus.llama import Completion, Model, Request
from conspectus.paths import write_atomically

ATTEMPTS_AFTER = (1.0, 5.0)  # seconds before a call that failed in a passing way is made again

Progress = Callable[[str, int, int], None]
"""`(stage, done, total)`, from the thread that asked."""


class Asker:
    """Answers to requests (an `Ask` of conspectus.digesting.straight), counted. Answers lie in `answers`."""

    def __init__(self, models: Models, answers: Path, progress: Progress) -> None:
        self._models = models
        self._answers = answers
        self._progress = progress
        self._lock = threading.Lock()
        self.counts = DeskCounts()

    def __call__(self, requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        """Equal requests are made once. A call that ended in an EngineError is a failure of that call alone."""
        model = self._models.reduce_model if reducing else self._models.model
        keys = [request.key(model.info.fingerprint) for request in requests]
        wanted = dict(zip(keys, requests, strict=True))
        found = {key: stored for key in wanted if (stored := lookup(self._answers, key)) is not None}
        self._count(DeskCounts(cache_hits=len(found)))
        failed = self._ask({key: wanted[key] for key in wanted if key not in found}, found, model, stage)
        return answers_of(keys, found, failed)

    def _ask(
        self, missing: Mapping[str, Request], found: dict[str, Completion], model: Model, stage: str
    ) -> dict[str, EngineError]:
        """Makes the calls, puts their answers into `found`, and returns why the others failed, by key."""
        failed: dict[str, EngineError] = {}
        if not missing:
            return failed
        with ThreadPoolExecutor(max_workers=max(1, model.info.slots), thread_name_prefix="conspectus-ask") as pool:
            futures = {pool.submit(self._one, key, request, model): key for key, request in missing.items()}
            try:
                for done, future in enumerate(as_completed(futures), 1):
                    key = futures[future]
                    try:
                        found[key] = future.result()
                    except EngineError as error:
                        failed[key] = error
                    self._progress(stage, done, len(missing))
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
        return failed

    def _one(self, key: str, request: Request, model: Model) -> Completion:
        for pause in (*ATTEMPTS_AFTER, None):
            self._count(DeskCounts(model_calls=1))
            try:
                (completion,) = model.complete([request])
            except EngineError as error:
                if not error.retryable or pause is None:
                    raise
                time.sleep(pause)
                continue
            self._count(
                DeskCounts(prompt_tokens=completion.prompt_tokens, generated_tokens=completion.generated_tokens)
            )
            if is_clean(completion):
                store(self._answers, key, completion)
            return completion
        raise AssertionError("the last attempt returns or raises")

    def _count(self, more: DeskCounts) -> None:
        with self._lock:
            self.counts += more


def store(answers: Path, key: str, completion: Completion) -> None:
    """Stores an answer as Prefect's result store would. Raises UsageError where it cannot be written."""
    path = answers / storage_key(key)
    content = {
        "metadata": {
            "storage_key": str(path),
            "expiration": None,
            "serializer": SERIALIZER
            | {"object_encoder": "prefect.serializers.prefect_json_object_encoder", "dumps_kwargs": {}},
            "prefect_version": metadata.version("prefect"),
            "storage_block_id": None,
        },
        "result": json.dumps(record_from(key, completion)),
    }
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        write_atomically(path, json.dumps(content).encode(), 0o600)
    except OSError as error:
        raise UsageError(
            f"The answer {path} cannot be stored: {error.strerror or error}",
            "Make room, or set CONSPECTUS_CACHE to another folder",
        ) from error
