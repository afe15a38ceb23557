import struct
from pathlib import Path

import httpx
import pytest
from gguf_files import Shape, hybrid_values, recurrent_layers, tensors_of, values_of, write_gguf

from conspectus.errors import ModelError
from conspectus.llama.ggml_types import ARCHITECTURES, FILE_TYPES, HYBRID, RECURRENT, TENSOR_TYPES, WITHOUT_TEXT
from conspectus.llama.gguf import read_header
from conspectus.llama.inspect_file import inspect_address, inspect_file
from conspectus.llama.inspection import inspect_header, render_inspection

GIB = 1 << 30


def large(path: Path) -> Path:
    """A file of 40 GB with a header as large models have it: 1,000 tensors, 150,000 tokens and as many merges."""
    shape = Shape(layers=90, embedding=8192, feed=22016, heads=64, kv_heads=8, head=128, vocab=150_000, quant="Q4_0")
    values = values_of(shape) | {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"token {n}" for n in range(150_000)],
        "tokenizer.ggml.merges": [f"to ken{n}" for n in range(150_000)],
        "tokenizer.ggml.token_type": [1] * 150_000,
    }
    return write_gguf(path, values, tensors_of(shape), size=40 * 10**9)


def test_the_header_of_a_40_gb_file_is_read_from_its_start(tmp_path: Path) -> None:
    path = large(tmp_path / "large.gguf")
    header = read_header(path)
    assert (header.tensors, header.lengths["tokenizer.ggml.tokens"]) == (993, 150_000)
    assert header.needed < 40 * 10**9
    facts = inspect_file(str(path))
    assert (facts["bytes"], facts["vocabulary"], facts["layers"]) == (40 * 10**9, 150_000, 90)
    assert path.stat().st_blocks * 512 < 20_000_000, "the test must not write 40 GB"


def test_facts_of_a_hybrid_mixture(tmp_path: Path) -> None:
    shape = Shape(arch="qwen35moe", layers=8, embedding=512, heads=4, kv_heads=2, head=256, feed=64, experts=8, used=2)
    values = hybrid_values(shape) | {
        "general.license": "apache-2.0",
        "general.size_label": "35B-A3B",
        "tokenizer.chat_template": "{% if enable_thinking %}<think>{% endif %}",
    }
    path = write_gguf(tmp_path / "hybrid.gguf", values, tensors_of(shape, recurrent_layers(shape)))
    facts = inspect_file(str(path))
    assert facts["recurrent_layers"] == 6 and facts["full_attention_interval"] == 4
    assert (facts["experts"], facts["experts_used"]) == (8, 2)
    assert facts["template_knows_thinking"]
    assert facts["kv_bytes_per_token"] == {"f16": 2 * 2 * 512 * 2, "q8_0": 2 * 2 * 544, "q4_0": 2 * 2 * 288}
    # One delta-net layer: 3 rows of convolution and a 128 x 4096 state, in f32.
    assert facts["state_bytes"] == 6 * 4 * (3 * 8192 + 128 * 4096)
    shown = render_inspection(facts)
    assert "6 of 8 layers recurrent, every 4th is full attention" in shown
    assert "apache-2.0" in shown and "knows thinking" in shown


def test_bits_per_weight_and_types_are_counted(tmp_path: Path) -> None:
    tensors = [("a.weight", (256, 4), "Q4_K"), ("b.weight", (32, 2), "Q8_0"), ("c.weight", (64,), "F32")]
    path = write_gguf(tmp_path / "m.gguf", values_of(Shape(quant="Q4_K")), tensors)
    facts = inspect_file(str(path))
    assert [(t["type"], t["tensors"], t["bytes"]) for t in facts["tensor_types"]] == [
        ("Q4_K", 1, 576),
        ("F32", 1, 256),
        ("Q8_0", 1, 68),
    ]
    assert facts["bits_per_weight"] == round(900 * 8 / 1152, 3)
    assert facts["file_type"] == "Q4_K_M"


def test_a_split_model_is_one(tmp_path: Path) -> None:
    shape = Shape()
    tensors = tensors_of(shape)
    first = write_gguf(tmp_path / "m-00001-of-00002.gguf", values_of(shape) | {"split.count": 2}, tensors[:20])
    second = write_gguf(tmp_path / "m-00002-of-00002.gguf", {"split.no": 1, "split.count": 2}, tensors[20:])
    whole = write_gguf(tmp_path / "whole.gguf", values_of(shape), tensors)
    one, split = inspect_file(str(whole)), inspect_file(str(second))
    assert split["parts"] == [first.name, second.name]
    for key in ("weights", "parameters", "architecture", "bits_per_weight"):
        assert split[key] == one[key]  # type: ignore[literal-required]


def test_sha256_is_taken_with_progress(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", values_of(Shape()), tensors_of(Shape()))
    seen: list[tuple[int, int]] = []
    facts = inspect_file(str(path), sha256=True, progress=lambda done, total: seen.append((done, total)))
    assert facts["sha256"] and len(facts["sha256"]) == 64
    assert seen[-1] == (path.stat().st_size, path.stat().st_size) and len(seen) > 1
    assert inspect_file(str(path))["sha256"] is None


def server(content: bytes, *, ranges: bool = True, asked: list[int] | None = None) -> httpx.Client:
    """A client whose every address is a file with this content."""

    def answer(request: httpx.Request) -> httpx.Response:
        start, end = (int(part) for part in request.headers["range"].removeprefix("bytes=").split("-"))
        if asked is not None:
            asked.append(end + 1 - start)
        if not ranges:
            return httpx.Response(200, content=content)
        part = content[start : end + 1]
        return httpx.Response(206, content=part, headers={"content-range": f"bytes {start}-{end}/{len(content)}"})

    return httpx.Client(transport=httpx.MockTransport(answer))


@pytest.mark.parametrize("ranges", [True, False])
def test_only_the_header_of_an_address_is_fetched(tmp_path: Path, ranges: bool) -> None:
    values = values_of(Shape()) | {
        "tokenizer.ggml.tokens": [f"a long token of this vocabulary {n}" for n in range(60_000)]
    }
    content = write_gguf(tmp_path / "m.gguf", values, tensors_of(Shape(layers=16))).read_bytes()
    asked: list[int] = []
    facts = inspect_address("https://models.example/m.gguf", server(content, ranges=ranges, asked=asked))
    assert (facts["architecture"], facts["vocabulary"], facts["bytes"]) == ("qwen3", 60_000, len(content))
    assert len(asked) == 2, "the header is longer than the first request"
    assert facts["parameters"] == inspect_file(str(tmp_path / "m.gguf"))["parameters"]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"<!DOCTYPE html>" + b" " * 600, "web page"), (b"GGUF" + struct.pack("<IQQ", 3, 1, 1), "cut short")],
)
def test_an_address_without_a_model_is_named(content: bytes, says: str) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        inspect_address("https://models.example/m.gguf", server(content))
    assert "https://models.example/m.gguf" in caught.value.message


def test_a_refusing_server_and_a_dead_one() -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(401)

    def die(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    with pytest.raises(ModelError, match="401"):
        inspect_address("https://models.example/m.gguf", httpx.Client(transport=httpx.MockTransport(refuse)))
    with pytest.raises(ModelError, match="no route"):
        inspect_address("https://models.example/m.gguf", httpx.Client(transport=httpx.MockTransport(die)))


def test_the_tables_agree_with_each_other() -> None:
    assert HYBRID | RECURRENT | WITHOUT_TEXT <= ARCHITECTURES
    assert {"llama", "qwen3", "qwen35moe", "gpt-oss", "gemma3"} <= ARCHITECTURES and len(ARCHITECTURES) == 153
    assert FILE_TYPES[15] == "Q4_K_M" and FILE_TYPES[17] == "Q5_K_M" and TENSOR_TYPES[17].name == "IQ2_XS"
    assert "Q8_K_L" not in {*FILE_TYPES.values(), *(kind.name for kind in TENSOR_TYPES.values())}


def test_a_header_without_anything_is_shown(tmp_path: Path) -> None:
    header = read_header(write_gguf(tmp_path / "m.gguf", {"general.architecture": "llama"}))
    shown = render_inspection(inspect_header(header, file="m.gguf", parts=["m.gguf"], size=10))
    assert "architecture llama" in shown and "not said" in shown
