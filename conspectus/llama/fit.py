"""Slots, layers and layout for this machine, where the user has not said. Small rules; the planner explains more."""

import os
import sys
from dataclasses import dataclass

# Bytes of one KV number by cache type (llama.cpp's block sizes).
KV_BYTES = {"f16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}
# Two cores decode four sequences in hardly more time than two; more than that only adds waiting (benchmarks/engine).
CPU_SLOTS = 4
GPU_SLOTS = 64
CPU_STEP = 128
GPU_STEP = 2048
# Of a GPU's free memory, what weights and KV may take; the rest is for compute buffers and other programs.
_SHARE = 0.9
_COMPUTE = 1 << 30


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asked of an engine; None: decide."""

    context: int
    slots: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    kv_type: str = "f16"
    unified: bool | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a model: bytes of its files, layers, and KV numbers of one token (all layers, keys and values)."""

    file_bytes: int
    layers: int
    kv_numbers: int


@dataclass(frozen=True, slots=True)
class Fit:
    """What an engine runs with. `gpu_layers` -1: all; 0: the processor does the work."""

    slots: int
    threads: int
    gpu_layers: int
    unified: bool
    step: int


def fit(asked: Asked, model: Shape, gpu_free: int) -> Fit:
    """Settings for a model on this machine; `gpu_free` is the free bytes of the GPU, 0 without one."""
    room = gpu_free * _SHARE - _COMPUTE
    kv = model.kv_numbers * KV_BYTES[asked.kv_type] * asked.context
    layers = asked.gpu_layers
    if layers is None:
        layers = _layers(model, room - kv) if gpu_free else 0
    if not gpu_free:
        layers = 0
    slots = asked.slots
    if slots is None:
        slots = CPU_SLOTS if layers != -1 else int((room - model.file_bytes) // kv) if kv else GPU_SLOTS
    return Fit(
        slots=max(1, min(slots, 256 if asked.slots else GPU_SLOTS)),
        threads=asked.threads or usable_cores(),
        gpu_layers=layers,
        unified=(layers == 0) if asked.unified is None else asked.unified,
        step=asked.step or (GPU_STEP if layers else CPU_STEP),
    )


def _layers(model: Shape, room: float) -> int:
    if room >= model.file_bytes:
        return -1
    return max(0, int(model.layers * room / max(1, model.file_bytes)))


def usable_cores() -> int:
    """Cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
