"""GGUF files made to measure: any header, and weights of zero bytes that take no room on the disk.

llama.cpp loads what the shapes below describe (the tokenizer is `no_vocab`), so its own numbers can be compared.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conspectus.llama.ggml_types import TENSOR_TYPES

Value = str | int | float | bool | list[int] | list[bool] | list[str]
Info = tuple[str, tuple[int, ...], str]
_NUMBERS = {kind.name: number for number, kind in TENSOR_TYPES.items()}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    head = struct.pack("<I", 9)
    if value and isinstance(value[0], str):
        return head + struct.pack("<IQ", 8, len(value)) + b"".join(text(str(item)) for item in value)
    if value and isinstance(value[0], bool):
        return head + struct.pack(f"<IQ{len(value)}?", 7, len(value), *value)
    return head + struct.pack(f"<IQ{len(value)}I", 4, len(value), *value)


def write_gguf(
    path: Path, values: dict[str, Value], tensors: Sequence[Info] = (), *, size: int | None = None, version: int = 3
) -> Path:
    """Writes the header; the data is a hole. `size` cuts or stretches the file."""
    head, offset = [], 0
    for name, shape, kind in tensors:
        number = _NUMBERS.get(kind, -1) if not kind.isdigit() else int(kind)
        head.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, number, offset))
        elements = 1
        for length in shape:
            elements *= length
        known = TENSOR_TYPES.get(number)
        offset += -(-(known.bytes_for(elements) if known else 0) // 32) * 32
    start = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    start += b"".join(text(key) + _value(value) for key, value in values.items()) + b"".join(head)
    start += bytes(-len(start) % 32)
    path.write_bytes(start)
    with path.open("r+b") as file:
        file.truncate(len(start) + offset if size is None else size)
    return path


@dataclass(frozen=True)
class Shape:
    """A transformer's measures. `experts` 0: dense."""

    arch: str = "qwen3"
    layers: int = 4
    embedding: int = 256
    feed: int = 512
    heads: int = 4
    kv_heads: int = 2
    head: int = 64
    vocab: int = 1024
    context: int = 32768
    experts: int = 0
    used: int = 0
    quant: str = "F16"
    tied: bool = False


def values_of(shape: Shape, **more: Value) -> dict[str, Value]:
    a = shape.arch
    values: dict[str, Value] = {
        "general.architecture": a,
        "general.name": f"Test {a}",
        "general.file_type": {"F16": 1, "Q8_0": 7, "Q4_0": 2, "Q4_K": 15}[shape.quant],
        f"{a}.context_length": shape.context,
        f"{a}.block_count": shape.layers,
        f"{a}.embedding_length": shape.embedding,
        f"{a}.feed_forward_length": shape.feed,
        f"{a}.attention.head_count": shape.heads,
        f"{a}.attention.head_count_kv": shape.kv_heads,
        f"{a}.attention.key_length": shape.head,
        f"{a}.attention.value_length": shape.head,
        f"{a}.attention.layer_norm_rms_epsilon": 1e-6,
        f"{a}.rope.freq_base": 1e6,
        f"{a}.vocab_size": shape.vocab,
        "tokenizer.ggml.model": "no_vocab",
        "tokenizer.chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}",
    }
    if shape.experts:
        values[f"{a}.expert_count"] = shape.experts
        values[f"{a}.expert_used_count"] = shape.used
        values[f"{a}.expert_feed_forward_length"] = shape.feed
    return {**values, **{key.replace("__", "."): value for key, value in more.items()}}


def tensors_of(shape: Shape, recurrent: Iterable[int] = ()) -> list[Info]:
    """The tensors of qwen3 and qwen3moe, and of qwen35moe with `recurrent` layers."""
    s, q = shape, shape.quant
    tensors: list[Info] = [
        ("token_embd.weight", (s.embedding, s.vocab), q),
        ("output_norm.weight", (s.embedding,), "F32"),
    ]
    if not s.tied:
        tensors.append(("output.weight", (s.embedding, s.vocab), q))
    skipped = set(recurrent)
    for layer in range(s.layers):
        b = f"blk.{layer}."
        tensors += [(b + "attn_norm.weight", (s.embedding,), "F32")]
        tensors += _delta_net(b, s) if layer in skipped else _attention(b, s)
        tensors += _feed(b, s)
    return tensors


def _attention(b: str, s: Shape) -> list[Info]:
    gate = 2 if s.arch.startswith("qwen35") else 1
    return [
        (b + "attn_q.weight", (s.embedding, s.heads * s.head * gate), s.quant),
        (b + "attn_k.weight", (s.embedding, s.kv_heads * s.head), s.quant),
        (b + "attn_v.weight", (s.embedding, s.kv_heads * s.head), s.quant),
        (b + "attn_output.weight", (s.heads * s.head, s.embedding), s.quant),
        (b + "attn_q_norm.weight", (s.head,), "F32"),
        (b + "attn_k_norm.weight", (s.head,), "F32"),
    ]


# The delta net of the Qwen 3.5 family: sizes as its 35B-A3B has them.
SSM = {"conv_kernel": 4, "inner_size": 4096, "state_size": 128, "time_step_rank": 32, "group_count": 16}


def _delta_net(b: str, s: Shape) -> list[Info]:
    key, value, heads = SSM["state_size"] * SSM["group_count"], SSM["inner_size"], SSM["time_step_rank"]
    return [
        (b + "attn_qkv.weight", (s.embedding, key * 2 + value), s.quant),
        (b + "attn_gate.weight", (s.embedding, value), s.quant),
        (b + "ssm_conv1d.weight", (SSM["conv_kernel"], key * 2 + value), "F32"),
        (b + "ssm_dt.bias", (heads,), "F32"),
        (b + "ssm_a", (heads,), "F32"),
        (b + "ssm_beta.weight", (s.embedding, heads), s.quant),
        (b + "ssm_alpha.weight", (s.embedding, heads), s.quant),
        (b + "ssm_norm.weight", (SSM["state_size"],), "F32"),
        (b + "ssm_out.weight", (value, s.embedding), s.quant),
    ]


def _feed(b: str, s: Shape) -> list[Info]:
    norm = "post_attention_norm.weight" if s.arch.startswith("qwen35") else "ffn_norm.weight"
    tensors: list[Info] = [(b + norm, (s.embedding,), "F32")]
    if not s.experts:
        return [
            *tensors,
            (b + "ffn_gate.weight", (s.embedding, s.feed), s.quant),
            (b + "ffn_up.weight", (s.embedding, s.feed), s.quant),
            (b + "ffn_down.weight", (s.feed, s.embedding), s.quant),
        ]
    tensors += [
        (b + "ffn_gate_inp.weight", (s.embedding, s.experts), "F32"),
        (b + "ffn_gate_exps.weight", (s.embedding, s.feed, s.experts), s.quant),
        (b + "ffn_up_exps.weight", (s.embedding, s.feed, s.experts), s.quant),
        (b + "ffn_down_exps.weight", (s.feed, s.embedding, s.experts), s.quant),
    ]
    if s.arch.startswith("qwen35"):
        tensors += [
            (b + "ffn_gate_inp_shexp.weight", (s.embedding,), "F32"),
            (b + "ffn_gate_shexp.weight", (s.embedding, s.feed), s.quant),
            (b + "ffn_up_shexp.weight", (s.embedding, s.feed), s.quant),
            (b + "ffn_down_shexp.weight", (s.feed, s.embedding), s.quant),
        ]
    return tensors


def hybrid_values(shape: Shape, interval: int = 4) -> dict[str, Value]:
    a = shape.arch
    values = values_of(shape)
    values |= {f"{a}.ssm.{key}": number for key, number in SSM.items()}
    values |= {
        f"{a}.full_attention_interval": interval,
        f"{a}.expert_shared_feed_forward_length": shape.feed,
        f"{a}.rope.dimension_sections": [11, 11, 10, 0],
        f"{a}.rope.dimension_count": 64,
    }
    return values


def recurrent_layers(shape: Shape, interval: int = 4) -> list[int]:
    return [layer for layer in range(shape.layers) if (layer + 1) % interval]
