"""Asking the model without Prefect: answers kept on disk by the key of their request, costs counted."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conspectus.digesting.answers import completion_from, record_from
from conspectus.digesting.mapping import Answers
from conspectus.errors import EngineError
from conspectus.llama import Completion, Message, Model, Request
from conspectus.paths import write_atomically

GROUP = 512  # requests handed over at once; between groups the clock is looked at


class OutOfTime(Exception):
    """The minutes of the run are used up; what was answered is kept."""


@dataclass(slots=True)
class Costs:
    """What one cell has cost. Calls and tokens count answers from the disk too; `cached` says how many those were."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    seconds: float = 0.0
    cut: int = 0  # answers that ended at their limit of tokens
    failures: list[str] = field(default_factory=list)


class Asker:
    """The model, a folder of answers and the counters of one cell."""

    def __init__(self, model: Model, store: Path, stop_at: float | None = None) -> None:
        self.model = model
        self.costs = Costs()
        self._store = store
        self._stop_at = stop_at
        self._fingerprint = model.info.fingerprint

    def use(self, model: Model) -> None:
        """Asks another model from now on."""
        self.model = model
        self._fingerprint = model.info.fingerprint

    def ask(self, requests: Sequence[Request]) -> Answers:
        """The answers by place; equal requests are asked once. Raises OutOfTime between two groups."""
        keys = [request.key(self._fingerprint) for request in requests]
        found: dict[str, Completion] = {}
        failed: dict[str, str] = {}
        missing: dict[str, Request] = {}
        for key, request in zip(keys, requests, strict=True):
            stored = self._stored(key)
            if stored is not None:
                found[key] = stored
            else:
                missing.setdefault(key, request)
        self.costs.cached += len(keys) - len([key for key in keys if key in missing])
        self._complete(missing, found, failed)
        self._count([found[key] for key in keys if key in found])
        self.costs.calls += len(keys)
        self.costs.failures += failed.values()
        return Answers(
            {place: found[key] for place, key in enumerate(keys) if key in found},
            {place: failed[key] for place, key in enumerate(keys) if key in failed},
        )

    def say(self, prompts: Sequence[str], max_tokens: int) -> list[str]:
        """Free answers to user messages. Raises EngineError where one fails."""
        answers = self.ask([free(prompt, max_tokens) for prompt in prompts])
        if answers.failures:
            raise EngineError("; ".join(answers.failures.values()), retryable=False)
        return ["\n".join(answers.completions[place].lines) for place in range(len(prompts))]

    def _complete(self, missing: dict[str, Request], found: dict[str, Completion], failed: dict[str, str]) -> None:
        keys = list(missing)
        for at in range(0, len(keys), GROUP):
            if self._stop_at is not None and time.monotonic() > self._stop_at:
                raise OutOfTime
            group = keys[at : at + GROUP]
            began = time.monotonic()
            try:
                answers = self.model.complete([missing[key] for key in group])
                for key, completion in zip(group, answers, strict=True):
                    self._keep(key, completion, found)
            except EngineError:
                # One bad call drops its group: each is asked alone, so that only the bad one fails.
                self._one_by_one(group, missing, found, failed)
            self.costs.seconds += time.monotonic() - began

    def _one_by_one(
        self, keys: Sequence[str], missing: dict[str, Request], found: dict[str, Completion], failed: dict[str, str]
    ) -> None:
        for key in keys:
            if key in found:
                continue
            try:
                (completion,) = self.model.complete([missing[key]])
                self._keep(key, completion, found)
            except EngineError as error:
                failed[key] = error.message

    def _keep(self, key: str, completion: Completion, found: dict[str, Completion]) -> None:
        found[key] = completion
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(record_from(key, completion)).encode())

    def _stored(self, key: str) -> Completion | None:
        try:
            return completion_from(json.loads(self._path(key).read_bytes()), key)
        except (OSError, ValueError):
            return None

    def _path(self, key: str) -> Path:
        return self._store / key[:2] / f"{key}.json"

    def _count(self, completions: Sequence[Completion]) -> None:
        self.costs.prompt_tokens += sum(completion.prompt_tokens for completion in completions)
        self.costs.generated_tokens += sum(completion.generated_tokens for completion in completions)
        self.costs.cut += sum(completion.finish.value == "length" for completion in completions)


def free(prompt: str, max_tokens: int) -> Request:
    """A request for a free answer to one user message."""
    return Request((Message("user", prompt),), max_tokens=max_tokens)
