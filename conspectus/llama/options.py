"""What can be chosen of the embedded engine, and how many GPUs there are. Never imports llama_cpp."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from conspectus.llama.planned import Asked
from conspectus.llama.planner_shape import KV_TYPES


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Settings of an engine; None: the planner decides by machine and model (conspectus.llama.planned).

    `slots` requests are decoded at the same time, by `threads` threads. `gpu_layers`: -1 all, 0 none. `kv_type`: f16,
    q8_0 or q4_0 (less memory, slower; other answers). `unified`: one buffer of cells for all sequences. `step`: prompt
    tokens in one decode. `devices`: GPUs to use, one engine each. `self_test`: before the first requests run side by
    side, see whether this model allows it.

    Raises ValueError for a KV type that is not among those.
    """

    slots: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    kv_type: str | None = None
    unified: bool | None = None
    step: int | None = None
    devices: int | None = None
    self_test: bool = True

    def __post_init__(self) -> None:
        if self.kv_type is not None and self.kv_type not in KV_TYPES:
            raise ValueError(f"KV type {self.kv_type}: use one of {', '.join(KV_TYPES)}")

    def asked(self, context: int) -> Asked:
        """The same for an engine with `context` tokens a sequence."""
        return Asked(context, self.slots, self.threads, self.gpu_layers, self.kv_type, self.unified, self.step)


def gpu_count() -> int:
    """GPUs for which an engine each is worth starting; 1 where llama.cpp has no CUDA here or there is one or none."""
    folder = os.environ.get("LLAMA_CPP_LIB_PATH")
    if not folder:
        spec = importlib.util.find_spec("llama_cpp")
        folder = str(Path(spec.origin).parent / "lib") if spec and spec.origin else ""
    if not list(Path(folder).glob("*ggml-cuda*")):
        return 1
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return max(1, len([name for name in visible.split(",") if name.strip()]))
    return max(1, len(list(Path("/proc/driver/nvidia/gpus").glob("*"))))
