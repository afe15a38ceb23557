"""How fast a model was in the last runs here, kept in the state folder; `conspectus plan` reckons with it."""

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.paths import state_dir, write_atomically

FILE = "speeds.json"
_RUNS, _MODELS = 8, 32
# Below this a run was mostly loading and starting, and says nothing of the model.
_LEAST_TOKENS = 500


@dataclass(frozen=True, slots=True)
class Speed:
    """One run, or several added: model calls, tokens of prompts and answers, and the seconds they took together."""

    calls: int
    prompt_tokens: int
    generated_tokens: int
    seconds: float

    @property
    def tokens_a_second(self) -> float:
        """Prompt and generated tokens together; 0 where nothing was measured."""
        return (self.prompt_tokens + self.generated_tokens) / self.seconds if self.seconds > 0 else 0.0

    @property
    def answer_tokens(self) -> float:
        """Generated tokens of a call; 0 where none was made."""
        return self.generated_tokens / self.calls if self.calls else 0.0


def record(fingerprint: str, speed: Speed) -> None:
    """Keeps a run's figures under the model's fingerprint; a folder that cannot be written costs nothing."""
    if speed.prompt_tokens + speed.generated_tokens < _LEAST_TOKENS or speed.seconds <= 0:
        return
    try:
        path = state_dir() / FILE
        content = _read(path)
        runs = content.pop(fingerprint, [])
        # The newest model stands last: the oldest are dropped.
        content[fingerprint] = [*runs, {**asdict(speed), "when": int(time.time())}][-_RUNS:]
        kept = dict(list(content.items())[-_MODELS:])
        write_atomically(path, json.dumps(kept, indent=1).encode(), 0o600)
    except (OSError, UsageError):
        return


def recall(fingerprint: str) -> Speed | None:
    """The last runs of a model, added; None where it never ran here."""
    try:
        runs = _read(state_dir() / FILE).get(fingerprint, [])
    except UsageError:
        return None
    return added(_speed(run) for run in runs) if runs else None


def added(speeds: Iterable[Speed]) -> Speed:
    """The sum of some runs."""
    total = Speed(0, 0, 0, 0.0)
    for one in speeds:
        total = Speed(
            total.calls + one.calls,
            total.prompt_tokens + one.prompt_tokens,
            total.generated_tokens + one.generated_tokens,
            total.seconds + one.seconds,
        )
    return total


def _speed(run: dict[str, float]) -> Speed:
    return Speed(int(run["calls"]), int(run["prompt_tokens"]), int(run["generated_tokens"]), float(run["seconds"]))


def _read(path: Path) -> dict[str, list[dict[str, float]]]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {name: runs for name, runs in content.items() if isinstance(runs, list) and all(map(_is_run, runs))}


def _is_run(run: object) -> bool:
    names = ("calls", "prompt_tokens", "generated_tokens", "seconds")
    return isinstance(run, dict) and all(isinstance(run.get(name), int | float) for name in names)
