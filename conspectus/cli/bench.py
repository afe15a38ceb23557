"""`conspectus bench`: how many tokens a second the engine does here, by slots, threads and type of the KV cache."""

import json as json_format
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, TypedDict

from cyclopts import Parameter

from conspectus.errors import ExitCode, ModelError, UsageError
from conspectus.llama import Message, Model, Request

PROMPT_TOKENS = 512
ANSWER_TOKENS = 64
CONTEXT = 1024
_CHARACTERS_A_TOKEN = 4.4  # of the words below; the prompt is cut by the model's own count
_WORDS = (
    "the Tenant shall pay the rent on the first day of each month and keep the premises in good repair unless the "
    "Landlord agrees otherwise in writing within thirty days of notice under this Lease"
).split()


class Row(TypedDict):
    """One setting and what it did. Tokens a second: of prompts and of answers while they ran, and of both together."""

    slots: int
    threads: int
    kv: str
    gpu_layers: int
    requests: int
    prompt: float
    generated: float
    together: float
    seconds: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What is measured; None: the planner decides."""

    slots: int | None
    threads: int | None
    kv: str | None


@dataclass(frozen=True, slots=True)
class Load:
    """What one engine is asked: prompts of 512 tokens, answers of 64, for at most `seconds`."""

    prompt_tokens: int
    answer_tokens: int
    seconds: float


def bench(
    *,
    model: str = "starter",
    slots: str = "",
    threads: str = "",
    kv: str = "",
    seconds: float = 20.0,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Measure the engine on this machine: tokens a second by slots, threads and type of the KV cache.

    Each setting loads the model anew and answers twice as many requests as it has slots: a prompt of 512 tokens each,
    and 64 tokens of answer. Other programs that compute at the same time make every number too small.

    Examples:
      conspectus bench
      conspectus bench --model my-model.gguf --slots 1,4,16 --kv f16,q8_0 --seconds 60
      conspectus bench --threads 2,4,8 --json

    Parameters
    ----------
    model
        starter, or the path of a .gguf file.
    slots
        Requests at the same time, comma separated: 1,2,4. Default: what the planner takes.
    threads
        Threads, comma separated. Default: the cores.
    kv
        Types of the KV cache, comma separated: f16,q8_0,q4_0. Default: what the planner takes.
    seconds
        Most seconds of one setting, loading not counted.
    json
        One JSON object with the rows.
    """
    from conspectus.llama.gguf import resolve_model
    from conspectus.llama.pool.address import is_address

    if is_address(model):
        raise UsageError("bench measures the engine of this program, not a server", "Give --model a .gguf file")
    if not 1 <= seconds <= 3600:
        raise UsageError("--seconds must be from 1 to 3600")
    settings = [
        Setting(*one) for one in product(_numbers("--slots", slots), _numbers("--threads", threads), _kinds(kv))
    ]
    path = resolve_model(model)
    rows = [_measured(path, one, Load(PROMPT_TOKENS, ANSWER_TOKENS, seconds)) for one in settings]
    if json:
        print(json_format.dumps({"model": path.name, "rows": rows}, ensure_ascii=False))
    else:
        print(render_rows(path.name, rows))
    return ExitCode.OK


def _numbers(flag: str, text: str) -> list[int | None]:
    if not text:
        return [None]
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and 1 <= int(part) <= 256 for part in parts):
        raise UsageError(f"{flag} wants numbers from 1 to 256, comma separated: {text!r}", f"Write {flag} 1,2,4")
    return [int(part) for part in parts]


def _kinds(text: str) -> list[str | None]:
    from conspectus.llama.planner_shape import KV_TYPES

    kinds = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [kind for kind in kinds if kind not in KV_TYPES]
    if wrong:
        raise UsageError(f"--kv {wrong[0]}: no type of cache", f"Use some of {', '.join(KV_TYPES)}")
    return list(kinds) or [None]


def _measured(path: Path, setting: Setting, load: Load) -> Row:
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.options import EngineOptions
    from conspectus.paths import cache_dir

    options = EngineOptions(slots=setting.slots, threads=setting.threads, kv_type=setting.kv)
    engine = EmbeddedModel(path, context=CONTEXT, cache_dir=cache_dir(), options=options)
    try:
        if sys.stderr.isatty():
            print(f"{path.name}: measuring {_named(setting)}", file=sys.stderr)
        row = measure(engine, load)
        running = engine.running
        return Row(**{**row, "threads": running.threads, "kv": running.kv_type, "gpu_layers": running.gpu_layers})
    finally:
        engine.close()


def _named(setting: Setting) -> str:
    parts = [f"{name} {value}" for name, value in (("slots", setting.slots), ("threads", setting.threads)) if value]
    return ", ".join([*parts, *([f"cache {setting.kv}"] if setting.kv else [])]) or "the planner's own settings"


def measure(model: Model, load: Load, clock: Callable[[], float] = time.monotonic) -> Row:
    """The pace of a model under `load`. A first small request loads it; its time is not counted.

    Raises ModelError where nothing was computed in the time.
    """
    slots = model.info.slots
    model.complete([Request((Message("user", "Count."),), max_tokens=2)])
    requests = _requests(model, 2 * slots, load)
    watch = _Watch(clock)
    found = model.complete(requests, watch)
    end = clock()
    prompt = sum(one.prompt_tokens - one.cached_tokens for one in found if one.generated_tokens)
    generated = sum(one.generated_tokens for one in found)
    if not generated:
        raise ModelError(f"nothing was generated in {load.seconds:.0f} seconds", "Give it more time: --seconds 120")
    prompt_s, answer_s = watch.shares(end)
    return Row(
        slots=slots, threads=0, kv="", gpu_layers=0, requests=len(found),
        prompt=round(prompt / prompt_s, 1), generated=round(generated / answer_s, 1),
        together=round((prompt + generated) / (end - watch.begun), 1), seconds=round(end - watch.begun, 2),
        whole=all(one.finish != "deadline" for one in found),
    )  # fmt: skip


def _requests(model: Model, count: int, load: Load) -> list[Request]:
    """Prompts of the wanted length that share nothing, and forced lines, so that no answer ends early."""
    source = random.Random(7)
    size = int(load.prompt_tokens * _CHARACTERS_A_TOKEN)
    lines = max(1, load.answer_tokens // 16)
    made = []
    for _ in range(count):
        words: list[str] = []
        while sum(map(len, words)) + len(words) < size:
            words.append(source.choice(_WORDS))
        while len(words) > 1 and model.count([Message("user", " ".join(words))]) > load.prompt_tokens:
            words = words[: -max(1, len(words) // 40)]
        made.append(
            Request(
                (Message("user", " ".join(words)),),
                max_tokens=load.answer_tokens,
                forced=tuple(f"{number}:" for number in range(1, lines + 1)),
                line_tokens=16,
                deadline_s=load.seconds,
            )
        )
    return made


class _Watch:
    """Divides the time between prompts and answers, by which of the two grew; where both did, by halves."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self.begun = clock()
        self._at = (self.begun, 0, 0)
        self._shares = [0.0, 0.0]

    def __call__(self, prompt: int, generated: int) -> None:
        with self._lock:
            now = self._clock()
            then, last_prompt, last_generated = self._at
            self._at = (now, prompt, generated)
            grew = (prompt > last_prompt, generated > last_generated)
            for place in range(2):
                if grew[place]:
                    self._shares[place] += (now - then) / sum(grew)

    def shares(self, end: float) -> tuple[float, float]:
        """Seconds of prompts and of answers; what was never told about belongs to answers."""
        self._shares[1] += max(0.0, end - self._at[0])
        return max(self._shares[0], 1e-6), max(self._shares[1], 1e-6)


def render_rows(name: str, rows: Sequence[Row]) -> str:
    """The rows as a table; the fastest one is marked."""
    heads = ("slots", "threads", "cache", "GPU layers", "prompt t/s", "answer t/s", "together", "seconds")
    best = max(row["together"] for row in rows)
    lines = [name, "  ".join(f"{head:>10}" for head in heads)]
    for row in rows:
        cells = (
            row["slots"], row["threads"], row["kv"], row["gpu_layers"], f"{row['prompt']:,.1f}",
            f"{row['generated']:,.1f}", f"{row['together']:,.1f}", f"{row['seconds']:.1f}",
        )  # fmt: skip
        marks = ("  fastest" if row["together"] == best and len(rows) > 1 else "") + (
            "" if row["whole"] else "  (out of time)"
        )
        lines.append("  ".join(f"{cell!s:>10}" for cell in cells) + marks)
    return "\n".join(lines)
