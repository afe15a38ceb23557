"""How a model is run on a machine so that it fits: a pure function from header, machine and wish to a plan.

Memory is given up in this order: a smaller cache type and fewer slots, down to one, as long as the model stays whole on
the GPU; experts of a mixture in main memory; fewer layers on the GPU; the 4-bit cache. The context of a slot is never
cut, and what does not fit is said (`fits`), never tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from conspectus.llama.gguf_header import Header
from conspectus.llama.planner_machine import Gpu, Machine
from conspectus.llama.planner_shape import (
    APPROXIMATE,
    Shape,
    can_quantise,
    cells,
    compute_bytes,
    kv_bytes,
    output_buffer,
)

UBATCH = 512
MAX_SLOTS = 256  # LLAMA_MAX_SEQ
# Of a GPU: the CUDA context and what the driver keeps; llama.cpp's own `-fit` leaves as much free (1024 MiB).
GPU_RESERVE = 1 << 30
# Of main memory: the program itself, Python, and room for other programs' sudden wishes.
RAM_RESERVE = 512 << 20
_RAM_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Use:
    """Bytes in one place (GPU or main memory). `state` is that of recurrent layers."""

    weights: int = 0
    kv: int = 0
    state: int = 0
    compute: int = 0
    reserve: int = 0

    @property
    def total(self) -> int:
        """All of it together."""
        return self.weights + self.kv + self.state + self.compute + self.reserve


@dataclass(frozen=True, slots=True)
class EnginePlan:
    """How to load a model and make its context.

    `slot_context` tokens for each of `slots` sequences, `context` = both together (llama.cpp's `n_ctx` with a split
    cache). `gpu_layers` counts as llama.cpp's `n_gpu_layers`: from the end, the output first; 0 without a GPU.
    `cpu_moe_layers` of the first layers keep their experts in main memory (`overrides` names the tensors). `kv_type`
    holds for K and V alike: mixed types fall back to the CPU without a word. `needs_flash` is set where llama.cpp
    refuses the context without flash attention. `fits` is false where the machine is too small: `notes` say why.
    """

    context: int
    slot_context: int
    slots: int
    kv_type: str
    needs_flash: bool
    gpu_layers: int
    layers: int
    cpu_moe_layers: int
    threads: int
    ubatch: int
    fits: bool
    gpu: Use
    host: Use
    notes: tuple[str, ...] = ()

    @property
    def overrides(self) -> tuple[str, ...]:
        """Patterns of tensors for llama.cpp's `tensor_buft_overrides`, all to the CPU's buffer type."""
        return tuple(rf"blk\.{il}\.ffn_(up|down|gate|gate_up)_(ch|)exps" for il in range(self.cpu_moe_layers))


@dataclass(frozen=True, slots=True)
class Fixed:
    """What is not the planner's to choose; None: it is. `gpu_layers` -1: all of them.

    `outputs` bounds the tokens of one decode whose scores are wanted (None: all may be).
    """

    kv_type: str | None = None
    gpu_layers: int | None = None
    outputs: int | None = None


@dataclass(frozen=True, slots=True)
class _Wish:
    slots: int
    slot_context: int
    kv_type: str
    ubatch: int
    outputs: int


_NOTHING_FIXED = Fixed()


def plan_engine(
    header: Header, machine: Machine, context: int, slots: int, *, ubatch: int = UBATCH, fixed: Fixed = _NOTHING_FIXED
) -> EnginePlan:
    """The plan for `slots` sequences (at most) of `context` tokens each, prompt and answer together.

    A context above what the model was trained on is lowered to that, as the engine does. Of several GPUs the one with
    the most free memory is planned for: each has an engine of its own. Never raises; see `EnginePlan.fits`.
    """
    shape = Shape(header)
    notes: list[str] = []
    if shape.trained and context > shape.trained:
        notes.append(f"the model was trained on {shape.trained:,} tokens: the context is lowered to that")
        context = shape.trained
    if shape.architecture in APPROXIMATE:
        notes.append(f"{shape.architecture} keeps more than keys and values: its memory is planned from below")
    if machine.unused_gpus:
        notes.append(
            "a GPU is there, but the installed llama.cpp is built without CUDA: "
            "reinstall llama-cpp-python with CMAKE_ARGS=-DGGML_CUDA=on"
        )
    slots = max(1, min(slots, MAX_SLOTS))
    gpu = max(machine.gpus, key=lambda one: one.free, default=None)
    last: EnginePlan | None = None
    for wish, gpu_layers, moe in _allowed(_tries(shape, gpu, cells(context), slots, ubatch), shape, gpu, fixed):
        last = _plan(shape, wish, gpu_layers, moe, machine)
        if _fits(last, gpu, machine):
            return replace(last, fits=True, notes=(*notes, *_said(last, shape, gpu, slots)))
    assert last is not None
    return replace(last, notes=(*notes, *_too_small(last, gpu, machine)))


def _allowed(
    tries: Iterator[tuple[_Wish, int, int]], shape: Shape, gpu: Gpu | None, fixed: Fixed
) -> Iterator[tuple[_Wish, int, int]]:
    """The tries, each once, with what is fixed in place of what they would choose."""
    layers = fixed.gpu_layers if gpu is not None else 0
    if layers is not None and layers < 0:
        layers = shape.count + 1
    seen = set()
    for wish, gpu_layers, moe in tries:
        one = replace(
            wish, kv_type=fixed.kv_type or wish.kv_type, outputs=min(fixed.outputs or wish.ubatch, wish.ubatch)
        )
        made = (one, gpu_layers, moe) if layers is None else (one, min(layers, shape.count + 1), 0)
        if made not in seen:
            seen.add(made)
            yield made


def _tries(shape: Shape, gpu: Gpu | None, context: int, slots: int, ubatch: int) -> Iterator[tuple[_Wish, int, int]]:
    """Wishes in the order of how well they serve, each with layers on the GPU and layers with experts on the CPU."""

    def wish(count: int, kind: str) -> _Wish:
        return _Wish(count, context, kind, ubatch, ubatch)

    fewer = sorted({max(1, slots // part) for part in (1, 2, 4)}, reverse=True)
    least = [count for count in (slots // 8, slots // 16, slots // 32, 1) if 1 <= count < fewer[-1]]
    least = sorted(set(least), reverse=True)
    good = [kind for kind in ("f16", "q8_0") if can_quantise(shape, kind)]
    every = shape.count + 1
    wishes = [wish(count, kind) for kind in good for count in fewer]
    small = [wish(count, kind) for count in least for kind in good]
    four = [wish(count, "q4_0") for count in (fewer[-1], 1) if can_quantise(shape, "q4_0")]
    if gpu is None:
        yield from ((one, 0, 0) for one in (*wishes, *small, *four))
        return
    # One sequence on the GPU outruns many whose layers are partly here.
    yield from ((one, every, 0) for one in (*wishes, *small))
    if shape.experts:
        # The experts are most of the weights and the least used of them: attention and cache stay on the GPU.
        yield from (
            (wish(count, kind), every, moe)
            for count, kind, moe in product((*fewer, *least), good, range(1, shape.trunk + 1))
        )
    # Several sequences are worth some layers, since each layer that is here is read once for all of them; not most.
    half = every // 2
    yield from (
        (wish(count, kind), gpu_layers, 0)
        for count, gpu_layers, kind in product((fewer[-1], *least), range(every - 1, half, -1), good)
    )
    yield from ((wish(1, kind), gpu_layers, 0) for gpu_layers, kind in product(range(half, -1, -1), good))
    yield from ((one, gpu_layers, 0) for one, gpu_layers in product(four, range(every, -1, -1)))


def _plan(shape: Shape, wish: _Wish, gpu_layers: int, moe: int, machine: Machine) -> EnginePlan:
    gpu = Use(reserve=GPU_RESERVE) if gpu_layers else Use()
    # The input embedding stays in main memory; as the output of a tied model the GPU has its own copy of it.
    rest = shape.weights - shape.output_bytes - sum(layer.weights for layer in shape.layers)
    host = Use(weights=max(rest, shape.input_bytes if gpu_layers else 0), reserve=RAM_RESERVE)
    if gpu_layers:
        gpu = replace(gpu, weights=shape.output_bytes)
    else:
        host = replace(host, weights=shape.weights - sum(layer.weights for layer in shape.layers))
    start = shape.count + 1 - gpu_layers
    for il, layer in enumerate(shape.layers):
        experts = layer.experts if il < moe else 0
        kv = kv_bytes(layer, wish.slot_context * wish.slots, wish.kv_type)
        state = layer.state * wish.slots
        if gpu_layers and il >= start:
            gpu = _more(gpu, layer.weights - experts, kv, state)
            host = _more(host, experts, 0, 0)
        else:
            host = _more(host, layer.weights, kv, state)
    # On the processor the sequences share one buffer of cells, and each token's mask is as long as all of it.
    seen = wish.slot_context * (1 if gpu_layers else wish.slots)
    work = compute_bytes(shape, context=seen, slots=wish.slots, ubatch=wish.ubatch, flash=True, outputs=wish.outputs)
    if gpu_layers:
        gpu = replace(gpu, compute=work + _unpacked(shape, wish))
    # With a GPU the host holds the graph's inputs, and the experts' part of the work where they are here.
    share = work if moe or gpu_layers <= shape.count else work // 8
    host = replace(host, compute=share + output_buffer(shape, wish.slots))
    return EnginePlan(
        context=wish.slot_context * wish.slots,
        slot_context=wish.slot_context,
        slots=wish.slots,
        kv_type=wish.kv_type,
        needs_flash=wish.kv_type != "f16" and not shape.is_mla,
        gpu_layers=gpu_layers,
        layers=shape.count,
        cpu_moe_layers=moe,
        threads=machine.cores,
        ubatch=wish.ubatch,
        fits=False,
        gpu=gpu,
        host=host,
    )


def _more(use: Use, weights: int, kv: int, state: int) -> Use:
    return replace(use, weights=use.weights + weights, kv=use.kv + kv, state=use.state + state)


def _unpacked(shape: Shape, wish: _Wish) -> int:
    """CUDA's flash attention for prompts unpacks a quantised cache of one layer to f16 (ggml-cuda/fattn-common.cuh)."""
    if wish.kv_type == "f16":
        return 0
    return max((kv_bytes(layer, wish.slot_context, "f16") for layer in shape.layers), default=0)


def ram_limit(machine: Machine) -> int:
    """Bytes of main memory that a plan may use."""
    return int(machine.ram * _RAM_SHARE)


def _fits(plan: EnginePlan, gpu: Gpu | None, machine: Machine) -> bool:
    return plan.host.total <= ram_limit(machine) and (gpu is None or plan.gpu.total <= gpu.free)


def _said(plan: EnginePlan, shape: Shape, gpu: Gpu | None, slots: int) -> list[str]:
    notes = []
    if plan.slots < slots:
        notes.append(f"slots: {plan.slots} instead of {slots}, more do not fit beside the weights")
    if plan.kv_type != "f16":
        notes.append(f"the cache is kept as {plan.kv_type}: it fits, and decoding at depth is slower")
    if plan.cpu_moe_layers:
        notes.append(f"the experts of {plan.cpu_moe_layers} of {shape.trunk} layers stay in main memory")
    if gpu is not None and not plan.cpu_moe_layers and plan.gpu_layers <= shape.count:
        notes.append(f"{plan.gpu_layers} of {shape.count + 1} layers fit on the GPU (the output counts as one)")
    return notes


def _too_small(plan: EnginePlan, gpu: Gpu | None, machine: Machine) -> list[str]:
    need = f"it does not fit: {_gib(plan.host.total)} of main memory needed, {_gib(ram_limit(machine))} free"
    if gpu is not None and plan.gpu_layers:
        need += f"; {_gib(plan.gpu.total)} of GPU memory needed, {_gib(gpu.free)} free"
    return [need, "take a smaller context (--context), fewer slots (--slots) or a smaller model"]


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
