"""What one engine runs with: what a user fixed, and the planner's plan for all else. Never imports llama_cpp."""

from dataclasses import dataclass

from conspectus.llama.gguf_header import Header
from conspectus.llama.planner import EnginePlan, Fixed, plan_engine
from conspectus.llama.planner_machine import Machine

# Two cores decode four sequences in hardly more time than two; more than that only adds waiting (benchmarks/engine).
CPU_SLOTS = 4
GPU_SLOTS = 64
CPU_STEP = 128
# Prompt tokens in one decode on a GPU. The larger step needs work space that a small card has better uses for.
GPU_STEP = 2048
SMALL_GPU_STEP = 512
_LARGE_GPU = 20 << 30


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asked of an engine; None: the planner decides. `context` is in tokens of one sequence."""

    context: int
    slots: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    kv_type: str | None = None
    unified: bool | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """What an engine runs with. `gpu_layers` 0: the processor does the work. `notes` are what a user should know.

    `overrides` are patterns of tensors that stay in main memory; `flash`: flash attention must be on.
    """

    slots: int
    threads: int
    gpu_layers: int
    kv_type: str
    flash: bool
    overrides: tuple[str, ...]
    unified: bool
    step: int
    notes: tuple[str, ...]


def engine_plan(asked: Asked, header: Header, machine: Machine) -> EnginePlan:
    """The planner's answer to `asked` on this machine, of whose GPUs the engine has those that `machine` lists."""
    with_gpu = bool(machine.gpus) and asked.gpu_layers != 0
    step = asked.step or _step(machine, with_gpu=with_gpu)

    def plan(slots: int) -> EnginePlan:
        # The engine asks for the scores of one token of each sequence at most (context.py: n_outputs_max).
        fixed = Fixed(kv_type=asked.kv_type, gpu_layers=asked.gpu_layers, outputs=slots)
        return plan_engine(header, machine, asked.context, slots, ubatch=max(step, slots), fixed=fixed)

    made = plan(asked.slots or (GPU_SLOTS if with_gpu else CPU_SLOTS))
    is_whole = made.gpu_layers == made.layers + 1 and not made.cpu_moe_layers
    # With a part of the work on the processor, more sequences at once cost memory and gain as little as there.
    return made if asked.slots or is_whole or not with_gpu else plan(CPU_SLOTS)


def running(asked: Asked, plan: EnginePlan) -> Running:
    """The settings of an engine by its plan.

    On the processor all sequences share one buffer of cells: a prompt's known beginning is then copied for nothing. On
    a GPU each has its own, which is three times as fast with many (facts/llama.md 8).
    """
    on_cpu = plan.gpu_layers == 0
    return Running(
        slots=plan.slots,
        threads=asked.threads or plan.threads,
        gpu_layers=plan.gpu_layers,
        kv_type=plan.kv_type,
        flash=plan.needs_flash,
        overrides=plan.overrides,
        unified=on_cpu if asked.unified is None else asked.unified,
        step=asked.step or (CPU_STEP if on_cpu else plan.ubatch),
        notes=tuple(note for note in plan.notes if _is_news(note, asked)),
    )


def _is_news(note: str, asked: Asked) -> bool:
    """Fewer slots are news where a number was asked for; a cache type, and fewer layers on a GPU, where none was."""
    return not (
        (note.startswith("slots:") and not asked.slots)
        or (note.startswith("the cache") and asked.kv_type)
        or ("layers fit on the GPU" in note and asked.gpu_layers is not None)
    )


def _step(machine: Machine, *, with_gpu: bool) -> int:
    if not with_gpu:
        return CPU_STEP
    return GPU_STEP if max(gpu.free for gpu in machine.gpus) >= _LARGE_GPU else SMALL_GPU_STEP
