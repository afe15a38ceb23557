"""What an engine runs with by default: the planner's plan, and what a user fixed."""

from dataclasses import replace

import pytest
from gguf_files import Shape as Made
from gguf_files import tensors_of, values_of, write_gguf
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.llama.gguf import read_header, starter_path
from conspectus.llama.gguf_header import Header
from conspectus.llama.options import EngineOptions
from conspectus.llama.planned import CPU_SLOTS, CPU_STEP, GPU_SLOTS, GPU_STEP, Asked, engine_plan, running
from conspectus.llama.planner import ram_limit
from conspectus.llama.planner_machine import Machine

GIB = 1 << 30
EIGHT_B = Made(
    layers=36, embedding=4096, feed=12288, heads=32, kv_heads=8, head=128, vocab=151_936, quant="Q8_0", context=262_144
)


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Header:
    path = tmp_path_factory.mktemp("8b") / "m.gguf"
    return read_header(write_gguf(path, values_of(EIGHT_B), tensors_of(EIGHT_B)))


def machine(ram: float, vram: float = 0) -> Machine:
    return Machine(int(ram * GIB), 8).with_memory(None, vram)


def test_a_processor_gets_few_slots_that_share_their_cells() -> None:
    header = read_header(starter_path())
    asked = Asked(4096)
    plan = engine_plan(asked, header, machine(4))
    chosen = running(asked, plan)
    assert plan.fits and (chosen.slots, chosen.threads, chosen.gpu_layers) == (CPU_SLOTS, 8, 0)
    assert chosen.unified and chosen.step == CPU_STEP and chosen.kv_type == "f16" and not chosen.notes


def test_a_large_card_gets_many_slots_with_cells_of_their_own(eight: Header) -> None:
    asked = Asked(4096)
    chosen = running(asked, engine_plan(asked, eight, machine(100, 139)))
    assert (chosen.slots, chosen.gpu_layers, chosen.kv_type) == (GPU_SLOTS, 37, "f16")
    assert not chosen.unified and chosen.step == GPU_STEP and not chosen.notes


def test_a_long_context_costs_slots_and_cache_type_before_layers(eight: Header) -> None:
    asked = Asked(131_072)
    plan = engine_plan(asked, eight, machine(100, 24))
    assert plan.fits and plan.gpu_layers == 37 and plan.slot_context == 131_072
    assert plan.slots == 1 and plan.kv_type == "q8_0" and running(asked, plan).flash
    assert any("q8_0" in note for note in running(asked, plan).notes)


def test_on_a_small_card_it_costs_layers(eight: Header) -> None:
    asked = Asked(131_072)
    plan = engine_plan(asked, eight, machine(48, 8))
    assert plan.fits and 0 < plan.gpu_layers < 37 and plan.slots <= CPU_SLOTS
    assert plan.gpu.total <= 8 * GIB and plan.slot_context == 131_072
    assert any("layers fit on the GPU" in note for note in running(asked, plan).notes)


def test_what_cannot_fit_is_never_tried(eight: Header) -> None:
    plan = engine_plan(Asked(262_144, kv_type="f16"), eight, machine(16, 0))
    assert not plan.fits and "smaller context" in plan.notes[-1]


def test_what_a_user_fixed_stays_fixed(eight: Header) -> None:
    asked = Asked(8192, slots=3, threads=2, gpu_layers=20, kv_type="q8_0", unified=True, step=256)
    chosen = running(asked, engine_plan(asked, eight, machine(64, 24)))
    assert (chosen.slots, chosen.threads, chosen.gpu_layers, chosen.kv_type) == (3, 2, 20, "q8_0")
    assert chosen.unified and chosen.step == 256 and chosen.flash
    assert not any("layers fit" in note for note in chosen.notes)  # it was the user's wish, not the card's size
    whole = running(Asked(8192, gpu_layers=-1), engine_plan(Asked(8192, gpu_layers=-1), eight, machine(64, 24)))
    assert whole.gpu_layers == 37
    none = running(Asked(8192, gpu_layers=0), engine_plan(Asked(8192, gpu_layers=0), eight, machine(64, 24)))
    assert none.gpu_layers == 0 and none.unified


def test_options_reach_the_plan_and_wrong_ones_are_refused() -> None:
    assert EngineOptions(slots=2, kv_type="q4_0").asked(512) == Asked(512, slots=2, kv_type="q4_0")
    with pytest.raises(ValueError, match="q8_0"):
        EngineOptions(kv_type="turbo")


@settings(max_examples=150, deadline=None)
@given(
    st.integers(64, 262_144),
    st.one_of(st.none(), st.integers(1, 64)),
    st.sampled_from([None, "f16", "q8_0", "q4_0"]),
    st.sampled_from([None, -1, 0, 7, 100]),
    st.floats(4, 300),
    st.sampled_from([0.0, 4.0, 8.0, 24.0, 139.0]),
)
def test_no_engine_is_started_that_is_over_its_machine(
    context: int, slots: int | None, kv: str | None, layers: int | None, ram: float, vram: float
) -> None:
    header, place = _header(), machine(ram, vram)
    asked = Asked(context, slots=slots, kv_type=kv, gpu_layers=layers)
    plan = engine_plan(asked, header, place)
    chosen = running(asked, plan)
    assert kv in (None, chosen.kv_type)
    assert chosen.slots <= (slots or GPU_SLOTS)
    if layers is not None:
        assert chosen.gpu_layers == (min(layers % 1000, 37) if vram else 0)
    if plan.fits:
        assert plan.host.total <= ram_limit(place) and plan.gpu.total <= int(vram * GIB)
    roomier = engine_plan(asked, header, machine(ram * 2, vram * 2))
    assert roomier.fits or not plan.fits


_HEADERS: list[Header] = []


def _header() -> Header:
    if not _HEADERS:
        kinds = {"Q8_0": 8, "F32": 0}
        from conspectus.llama.gguf_header import Tensor

        values = {k: v for k, v in values_of(EIGHT_B).items() if isinstance(v, str | int | float | bool)}
        infos = tuple(Tensor(name, shape, kinds[kind]) for name, shape, kind in tensors_of(EIGHT_B))
        _HEADERS.append(replace(Header(3, len(infos), values, infos=infos)))
    return _HEADERS[0]
