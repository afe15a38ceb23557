from dataclasses import replace
from pathlib import Path

import pytest
from gguf_files import Shape as Made
from gguf_files import hybrid_values, recurrent_layers, tensors_of, values_of, write_gguf
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.llama.gguf import read_header
from conspectus.llama.gguf_header import Header, Tensor
from conspectus.llama.planner import GPU_RESERVE, EnginePlan, plan_engine, ram_limit
from conspectus.llama.planner_machine import Gpu, Machine
from conspectus.llama.planner_shape import Shape, cells, compute_bytes, kv_bytes, kv_per_token

GIB = 1 << 30
# Qwen3-8B, and the 35B-A3B of the Qwen 3.5 family, by their published shapes.
EIGHT_B = Made(layers=36, embedding=4096, feed=12288, heads=32, kv_heads=8, head=128, vocab=151_936, quant="Q8_0")
A3B = Made(
    arch="qwen35moe", layers=40, embedding=2048, heads=16, kv_heads=2, head=256, feed=512, experts=256, used=8,
    vocab=248_320, quant="Q4_K", context=262_144,
)  # fmt: skip


def header_of(made: Made, folder: Path) -> Header:
    hybrid = made.arch.startswith("qwen35")
    values = hybrid_values(made) if hybrid else values_of(made)
    tensors = tensors_of(made, recurrent_layers(made) if hybrid else ())
    return read_header(write_gguf(folder / "m.gguf", values, tensors))


def machine(ram: float, vram: float = 0, cores: int = 8) -> Machine:
    return Machine(int(ram * GIB), cores).with_memory(None, vram)


def whole(plan: EnginePlan) -> bool:
    return plan.gpu_layers == plan.layers + 1 and not plan.cpu_moe_layers


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Header:
    return header_of(replace(EIGHT_B, context=262_144), tmp_path_factory.mktemp("8b"))


@pytest.fixture(scope="module")
def mixture(tmp_path_factory: pytest.TempPathFactory) -> Header:
    return header_of(A3B, tmp_path_factory.mktemp("a3b"))


def test_cache_of_grouped_heads(eight: Header) -> None:
    # 36 layers, 8 heads of 128 numbers, key and value: 73,728 numbers a token.
    shape = Shape(eight)
    assert kv_per_token(shape, "f16") == 73_728 * 2
    assert kv_per_token(shape, "q8_0") == 73_728 // 32 * 34
    assert kv_per_token(shape, "q4_0") == 73_728 // 32 * 18


def test_long_context_on_a_large_card(eight: Header) -> None:
    plan = plan_engine(eight, machine(500, 139), 262_144, 1)
    assert plan.fits and whole(plan) and plan.kv_type == "f16"
    assert plan.gpu.kv == 36 * GIB
    assert plan.slot_context == 262_144 and not plan.needs_flash
    three = plan_engine(eight, machine(500, 139), 262_144, 3)
    assert three.fits and three.slots == 3 and three.gpu.kv == 108 * GIB
    six = plan_engine(eight, machine(500, 139), 262_144, 6)
    assert six.fits and six.slots == 3 and any("3 instead of 6" in note for note in six.notes)


def test_long_context_on_a_small_card_gets_fewer_layers(eight: Header) -> None:
    plan = plan_engine(eight, machine(32, 8), 131_072, 1)
    assert plan.fits and 0 < plan.gpu_layers < 37 and plan.kv_type == "q8_0" and plan.needs_flash
    assert plan.gpu.total <= 8 * GIB and plan.host.total <= ram_limit(machine(32))
    # 36 layers of cache, shared between the two places.
    assert plan.gpu.kv + plan.host.kv == 131_072 * 73_728 // 32 * 34
    assert plan.slot_context == 131_072, "the context of a slot is never cut"


def test_a_mixture_on_a_small_card_leaves_experts_in_main_memory(mixture: Header) -> None:
    plan = plan_engine(mixture, machine(32, 8), 8192, 4)
    assert plan.fits and plan.gpu_layers == 41 and 0 < plan.cpu_moe_layers < 40
    assert plan.gpu.total <= 8 * GIB
    assert plan.host.weights > 10 * GIB
    # 10 layers of full attention with 2 heads of 256, f16; 30 layers with a state of fixed size for each slot.
    assert plan.gpu.kv == plan.context * 10 * 2 * 512 * 2
    assert plan.gpu.state == plan.slots * 30 * 4 * (3 * 8192 + 128 * 4096)
    assert len(plan.overrides) == plan.cpu_moe_layers and "exps" in plan.overrides[0]
    roomy = plan_engine(mixture, machine(32, 24), 8192, 1)
    assert whole(roomy) and not roomy.overrides


def test_without_a_gpu_everything_is_in_main_memory(eight: Header) -> None:
    plan = plan_engine(eight, machine(32, 0, cores=6), 4096, 1)
    assert plan.fits and plan.gpu_layers == 0 and plan.gpu.total == 0 and plan.threads == 6
    assert plan.host.weights == sum(info.size for info in eight.infos)


def test_what_does_not_fit_is_said(eight: Header) -> None:
    plan = plan_engine(eight, machine(6), 4096, 1)
    assert not plan.fits
    assert "does not fit" in plan.notes[-2] and "smaller" in plan.notes[-1]


def test_a_context_above_the_trained_one_is_lowered(eight: Header) -> None:
    plan = plan_engine(eight, machine(500, 139), 1_000_000, 1)
    assert plan.slot_context == 262_144 and "trained on 262,144" in plan.notes[0]


def test_a_gpu_that_the_library_cannot_use_is_named(eight: Header) -> None:
    plan = plan_engine(eight, Machine(32 * GIB, 8, (), 0, (Gpu("H200", 139 * GIB, 139 * GIB),)), 4096, 1)
    assert plan.gpu_layers == 0 and any("without CUDA" in note for note in plan.notes)


def test_a_tied_output_is_copied_to_the_gpu(tmp_path: Path) -> None:
    tied = plan_engine(header_of(Made(tied=True), tmp_path), machine(8, 8), 1024, 1)
    assert tied.gpu.weights + tied.host.weights > sum(i.size for i in header_of(Made(tied=True), tmp_path).infos)


@pytest.mark.parametrize(
    ("arch", "layers", "windowed"), [("gemma3", 12, 10), ("gemma2", 12, 6), ("gpt-oss", 12, 6), ("qwen3", 12, 0)]
)
def test_sliding_windows(arch: str, layers: int, windowed: int, tmp_path: Path) -> None:
    made = Made(arch=arch, layers=layers)
    values = values_of(made) | {f"{arch}.attention.sliding_window": 1024}
    shape = Shape(read_header(write_gguf(tmp_path / "m.gguf", values, tensors_of(made))))
    assert sum(shape.windowed) == windowed
    assert shape.window == (1024 if windowed else 0)
    # llama.cpp's default keeps windows at full size: a shared beginning of prompts could not be kept otherwise.
    assert all(layer.key == 128 for layer in shape.layers)


def test_layers_with_their_own_counts_of_heads(tmp_path: Path) -> None:
    made = Made(arch="jamba", layers=4)
    values = values_of(made) | {
        "jamba.attention.head_count_kv": [0, 2, 0, 2],
        "jamba.ssm.conv_kernel": 4,
        "jamba.ssm.inner_size": 512,
        "jamba.ssm.state_size": 16,
    }
    shape = Shape(read_header(write_gguf(tmp_path / "m.gguf", values, tensors_of(made))))
    assert shape.recurrent == (True, False, True, False)
    assert [layer.key for layer in shape.layers] == [0, 128, 0, 128]
    assert shape.layers[0].state == 4 * (3 * 512 + 16 * 512) and shape.layers[1].state == 0


def test_latent_attention_keeps_keys_only(tmp_path: Path) -> None:
    made = Made(arch="deepseek2", kv_heads=1, head=576)
    values = values_of(made) | {
        "deepseek2.attention.key_length_mla": 192,
        "deepseek2.attention.value_length_mla": 128,
    }
    shape = Shape(read_header(write_gguf(tmp_path / "m.gguf", values, tensors_of(made))))
    assert kv_per_token(shape, "f16") == 4 * 576 * 2


def test_heads_that_are_no_whole_blocks_stay_f16(tmp_path: Path) -> None:
    header = header_of(Made(head=80, layers=32, kv_heads=32, context=262_144), tmp_path)
    plan = plan_engine(header, machine(20), 100_000, 1)
    assert plan.kv_type == "f16" and not plan.fits


MADE = st.builds(
    Made,
    layers=st.integers(1, 60),
    embedding=st.sampled_from([576, 1024, 4096]),
    feed=st.sampled_from([512, 4096, 14336]),
    heads=st.sampled_from([8, 32]),
    kv_heads=st.sampled_from([1, 2, 8]),
    head=st.sampled_from([64, 128]),
    vocab=st.sampled_from([32_000, 151_936]),
    experts=st.sampled_from([0, 8, 64]),
    used=st.just(2),
    quant=st.sampled_from(["F16", "Q8_0", "Q4_K"]),
)


def made_header(made: Made) -> Header:
    kinds = {"F16": 1, "Q8_0": 8, "Q4_K": 12, "F32": 0}
    values = {key: value for key, value in values_of(made).items() if isinstance(value, str | int | float | bool)}
    infos = tuple(Tensor(name, shape, kinds[kind]) for name, shape, kind in tensors_of(made))
    return Header(3, len(infos), values, infos=infos)


@settings(max_examples=150, deadline=None)
@given(
    MADE,
    st.floats(0.5, 600),
    st.sampled_from([0.0, 2.0, 8.0, 24.0, 139.0]),
    st.integers(64, 40_000),
    st.integers(1, 64),
)
def test_a_plan_that_fits_is_within_every_limit(made: Made, ram: float, vram: float, context: int, slots: int) -> None:
    header, place = made_header(made), machine(ram, vram)
    plan = plan_engine(header, place, context, slots)
    asked = min(context, made.context)
    assert plan.slot_context == cells(asked) and 1 <= plan.slots <= slots
    assert plan.context == plan.slots * plan.slot_context
    every = sum(info.size for info in header.infos)
    assert plan.gpu.weights + plan.host.weights >= every
    layers = Shape(header).layers
    assert plan.gpu.kv + plan.host.kv == sum(kv_bytes(layer, plan.context, plan.kv_type) for layer in layers)
    if plan.fits:
        assert plan.host.total <= ram_limit(place)
        assert plan.gpu.total <= int(vram * GIB)
        if plan.gpu_layers:
            assert plan.gpu.reserve == GPU_RESERVE
    more = plan_engine(header, machine(ram * 4, vram * 4), context, slots)
    # More memory gives more layers on the GPU, or more sequences at once for some of them.
    assert not plan.fits or (more.fits and (more.gpu_layers >= plan.gpu_layers or more.slots > plan.slots))


@settings(max_examples=100, deadline=None)
@given(MADE, st.integers(256, 100_000), st.integers(1, 16))
def test_work_space_grows_with_context_and_without_flash_attention(made: Made, context: int, slots: int) -> None:
    shape = Shape(made_header(made))

    def work(tokens: int, flash: bool, ubatch: int = 512) -> int:
        return compute_bytes(shape, context=tokens, slots=slots, ubatch=ubatch, flash=flash, outputs=ubatch)

    assert work(context, True) <= work(2 * context, True)
    assert work(context, True) < work(context, False)
    assert work(context, True, 128) < work(context, True, 2048)
