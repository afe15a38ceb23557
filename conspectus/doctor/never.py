"""Options that people ask for and that llama.cpp never had, or has under another name; looked up in its sources."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from conspectus.doctor.machine import Row


@dataclass(frozen=True, slots=True)
class Never:
    """What is asked for, and what there is in its place."""

    asked: str
    instead: str


NEVER = (
    Never(
        "--kv-cache-type turbo, -ctk turbo4",
        "never in llama.cpp (requests 20977 and 21307 were closed; forks have it). The cache types are f32, f16, bf16, "
        "q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl; q8_0 halves the cache.",
    ),
    Never("LLAMA_TURBO_QUANT", "no such variable; it does nothing."),
    Never(
        "a -turbo GGUF", "TurboQuant is a method for the cache, not for weights: the word in a file name says nothing."
    ),
    Never(
        "Q8_K_L", "never a quantisation. Q8_K is an intermediate form that no file is stored in; the largest is Q8_0."
    ),
    Never("tensor type 17 = Q5_K_M", "two lists: type 17 of a tensor is IQ2_XS, file type 17 is Q5_K_M."),
    Never(
        "--prompt-cache with llama-server",
        "only llama-completion has it. llama-server keeps prompts by itself; --slot-save-path saves them.",
    ),
    Never(
        "POST /v1/models/load",
        "it is POST /models/load, and only for a llama-server that was started without a model (router).",
    ),
    Never(
        "--mlock --no-mmap", "newer builds have --load-mode (auto, none, mmap, mlock, mmap+mlock, dio) in their place."
    ),
    Never("--draft-max", "renamed with the other options of speculative decoding: see --spec-type."),
    Never("kv_cache_usage_ratio in /metrics", "taken out of llama-server's metrics."),
)


def never_rows(environment: Mapping[str, str] | None = None, model: str = "") -> list[Row]:
    """The table as rows; where this machine's environment or the model's name shows one of them, a warning first."""
    environment = os.environ if environment is None else environment
    rows = [
        Row(name, "is set and does nothing: llama.cpp has no such variable", "warning", f"unset {name}")
        for name in sorted(environment)
        if re.fullmatch(r"(LLAMA|GGML)_TURBO\w*", name)
    ]
    if re.search(r"-turbo\b", model, re.I):
        rows.append(Row(model, "'turbo' in a file name says nothing about its weights", "warning"))
    if re.search(r"q8_k_l", model, re.I):
        rows.append(Row(model, "Q8_K_L is no quantisation", "warning", "See: conspectus model inspect FILE"))
    return [*rows, *(Row(one.asked, one.instead) for one in NEVER)]
