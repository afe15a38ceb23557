"""The planner's figures against those that llama.cpp logs, for the starter model and for shapes written here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gguf_files import Shape as Made
from gguf_files import hybrid_values, recurrent_layers, tensors_of, values_of, write_gguf

from conspectus.llama.gguf import read_header, starter_path
from conspectus.llama.planner_shape import KV_TYPES, Shape, cells, compute_bytes, kv_bytes, output_buffer

MIB = 1 << 20
PROGRAM = Path(__file__).parent.parent / "support/llama_sizes.py"
HYBRID = Made(arch="qwen35moe", layers=8, embedding=512, heads=4, kv_heads=2, head=256, feed=64, experts=8, used=2)
SHAPES = {
    "dense": Made(),
    "wide": Made(layers=8, embedding=1024, feed=3072, heads=16, kv_heads=8, head=128, vocab=65_536),
    "tied": Made(layers=2, embedding=1024, feed=3072, heads=16, kv_heads=8, head=128, tied=True),
    "mixture": Made(arch="qwen3moe", feed=64, experts=8, used=2),
}
# What llama.cpp may take less than planned: its allocator lets scores and activations share memory.
SLACK = 2.0

pytestmark = pytest.mark.model


def model_file(name: str, folder: Path) -> Path:
    if name == "starter":
        return starter_path()
    if name == "hybrid":
        return write_gguf(folder / "m.gguf", hybrid_values(HYBRID), tensors_of(HYBRID, recurrent_layers(HYBRID)))
    if name == "window":
        made = Made(arch="gemma2", layers=6)
        return write_gguf(folder / "m.gguf", values_of(made) | {"gemma2.attention.sliding_window": 512}, gemma(made))
    return write_gguf(folder / "m.gguf", values_of(SHAPES[name]), tensors_of(SHAPES[name]))


def gemma(made: Made) -> list[tuple[str, tuple[int, ...], str]]:
    """The tensors of gemma2: as qwen3's, with norms after attention and feed-forward, and a tied output."""
    kept = [one for one in tensors_of(made) if not one[0].endswith(("_q_norm.weight", "_k_norm.weight"))]
    kept = [one for one in kept if one[0] != "output.weight"]
    norms = ("post_attention_norm.weight", "post_ffw_norm.weight")
    return kept + [(f"blk.{il}.{name}", (made.embedding,), "F32") for il in range(made.layers) for name in norms]


def logged(path: Path, **settings: int) -> dict[str, float]:
    """The sizes that llama.cpp logs, in MiB."""
    command = [sys.executable, str(PROGRAM), str(path), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=110)
    sizes: dict[str, float] = json.loads(done.stdout)
    assert sizes.get("loaded"), done.stderr
    return sizes


@pytest.mark.parametrize("name", ["starter", *SHAPES, "hybrid", "window"])
@pytest.mark.parametrize(
    ("context", "slots", "ubatch", "kv_type", "flash"),
    [
        (4096, 1, 512, "f16", True),
        (16_384, 1, 512, "f16", True),
        (1024, 4, 128, "q8_0", True),
        (512, 2, 512, "q4_0", True),
        (4096, 1, 512, "f16", False),
        (1000, 4, 2048, "f16", True),
    ],
)
def test_sizes_are_those_of_llama_cpp(
    name: str, context: int, slots: int, ubatch: int, kv_type: str, flash: bool, tmp_path: Path
) -> None:
    path = model_file(name, tmp_path)
    shape = Shape(read_header(path))
    number = KV_TYPES[kv_type]
    sizes = logged(
        path, n_ctx=cells(context) * slots, n_batch=2048, n_ubatch=ubatch, n_seq_max=slots, type_k=number,
        type_v=number, flash_attn_type=1 if flash else 0,
    )  # fmt: skip
    kv = sum(kv_bytes(layer, cells(context) * slots, kv_type) for layer in shape.layers)
    assert sizes["KV"] == pytest.approx(kv / MIB, abs=0.02)
    assert sizes.get("RS", 0) == pytest.approx(sum(layer.state for layer in shape.layers) * slots / MIB, abs=0.02)
    # A buffer ends each tensor at a multiple of 32 bytes; a mapped file is counted from first to last tensor.
    assert sizes["model"] == pytest.approx(shape.weights / MIB, abs=0.05)
    assert sizes["output"] == pytest.approx(output_buffer(shape, slots) / MIB, abs=0.02)
    work = compute_bytes(shape, context=context, slots=slots, ubatch=ubatch, flash=flash, outputs=ubatch) / MIB
    assert sizes["compute"] <= work <= SLACK * sizes["compute"] + 2
