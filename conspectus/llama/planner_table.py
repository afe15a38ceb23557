"""A plan of the engine as plain data and as a table for people."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

from conspectus.llama.gguf_header import Header
from conspectus.llama.inspection import amount
from conspectus.llama.planner import EnginePlan, Use, ram_limit
from conspectus.llama.planner_machine import Machine
from conspectus.llama.planner_shape import KV_TYPES, Shape, can_quantise, kv_bytes, kv_per_token
from conspectus.plural import many


class Place(TypedDict):
    """Bytes in one place, and how many are free there."""

    weights: int
    kv: int
    state: int
    compute: int
    reserve: int
    total: int
    free: int


class CacheRow(TypedDict):
    """One cache type: bytes a token, bytes for the whole context, whether the model's heads allow it."""

    type: str
    per_token: int
    context: int
    allowed: bool


class PlanTable(TypedDict):
    """A plan as plain data; `layer_weights` are the bytes of each layer in order."""

    file: str
    name: str
    fits: bool
    slots: int
    slot_context: int
    context: int
    kv_type: str
    flash_attention_needed: bool
    gpu_layers: int
    layers: int
    cpu_moe_layers: int
    threads: int
    ubatch: int
    gpu: Place
    host: Place
    layer_weights: list[int]
    caches: list[CacheRow]
    notes: list[str]


def merged(headers: Sequence[Header]) -> Header:
    """The header of a split model: the first part's keys with the tensors of all parts."""
    infos = tuple(info for header in headers for info in header.infos)
    return replace(headers[0], infos=infos, tensors=len(infos))


def plan_table(header: Header, machine: Machine, plan: EnginePlan, *, file: str) -> PlanTable:
    """The plan with the figures behind it."""
    shape = Shape(header)
    free = max((gpu.free for gpu in machine.gpus), default=0)
    return PlanTable(
        file=file,
        name=header.name,
        fits=plan.fits,
        slots=plan.slots,
        slot_context=plan.slot_context,
        context=plan.context,
        kv_type=plan.kv_type,
        flash_attention_needed=plan.needs_flash,
        gpu_layers=plan.gpu_layers,
        layers=plan.layers,
        cpu_moe_layers=plan.cpu_moe_layers,
        threads=plan.threads,
        ubatch=plan.ubatch,
        gpu=_place(plan.gpu, free),
        host=_place(plan.host, ram_limit(machine)),
        layer_weights=[layer.weights for layer in shape.layers],
        caches=[
            CacheRow(
                type=kind,
                per_token=kv_per_token(shape, kind),
                context=sum(kv_bytes(layer, plan.context, kind) for layer in shape.layers),
                allowed=can_quantise(shape, kind),
            )
            for kind in KV_TYPES
        ],
        notes=list(plan.notes),
    )


def _place(use: Use, free: int) -> Place:
    return Place(
        weights=use.weights, kv=use.kv, state=use.state, compute=use.compute, reserve=use.reserve, total=use.total,
        free=free,
    )  # fmt: skip


def render_plan(table: PlanTable) -> str:
    """The plan as lines."""
    has_gpu = table["gpu"]["free"] > 0
    where = "CPU only"
    if table["gpu_layers"]:
        where = f"{table['gpu_layers']} of {table['layers'] + 1} (with the output)"
    lines = [
        f"{table['file']}: {'fits' if table['fits'] else 'does not fit'}",
        f"  slots           {table['slots']} of {table['slot_context']:,} tokens, {table['context']:,} together",
        f"  cache type      {table['kv_type']}"
        + (", needs flash attention" if table["flash_attention_needed"] else ""),
        f"  layers on GPU   {where}",
        f"  threads         {table['threads']}",
    ]
    if table["cpu_moe_layers"]:
        lines.append(f"  experts on CPU  those of the first {many(table['cpu_moe_layers'], 'layer')}")
    lines.append("")
    lines.append(f"  {'memory':<14}{'main':>13}" + (f"{'GPU':>13}" if has_gpu else ""))
    rows = [("weights", "weights"), ("KV cache", "kv"), ("state", "state"), ("work space", "compute")]
    for title, key in [*rows, ("kept free", "reserve"), ("together", "total"), ("free", "free")]:
        figures = [_figure(table["host"], key)] + ([_figure(table["gpu"], key)] if has_gpu else [])
        lines.append(f"  {title:<14}" + "".join(f"{amount(figure):>13}" for figure in figures))
    lines.append("")
    lines.append(f"  {'cache':<14}{'a token':>13}{'this context':>14}")
    for row in table["caches"]:
        able = "" if row["allowed"] else "  not with these heads"
        lines.append(f"  {row['type']:<14}{amount(row['per_token']):>13}{amount(row['context']):>14}{able}")
    return "\n".join([*lines, *(f"  note: {note}" for note in table["notes"])])


def _figure(place: Place, key: str) -> int:
    figures: dict[str, int] = {name: size for name, size in place.items() if isinstance(size, int)}
    return figures[key]
