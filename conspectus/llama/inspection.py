"""What a model file is, from its header alone, as plain data and as lines for people."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypedDict

from conspectus.llama.ggml_types import FILE_TYPES, REMOVED_TYPES, TENSOR_TYPES
from conspectus.llama.gguf_header import Header, Tensor
from conspectus.llama.planner_shape import KV_TYPES, Shape, kv_per_token

_THINKING = re.compile(r"enable_thinking|<think>|reasoning_content|reasoning_effort|<\|channel\|?>")


class TensorFacts(TypedDict):
    """The tensors of one type: how many, how many bytes."""

    type: str
    tensors: int
    bytes: int


class ModelFacts(TypedDict):
    """A model file as plain data; numbers that the header does not give are 0, texts empty.

    `bytes` is the size of all parts, `weights` that of the tensors of the parts that were read. `bits_per_weight`
    covers all tensors. `kv_heads` and `heads` list the different counts of the layers. `kv_bytes_per_token` is by cache
    type. `sha256` is None unless asked for.
    """

    file: str
    parts: list[str]
    bytes: int
    gguf_version: int
    architecture: str
    name: str
    size_label: str
    license: str
    parameters: int
    file_type: str
    tensor_types: list[TensorFacts]
    weights: int
    bits_per_weight: float
    trained_context: int
    layers: int
    embedding: int
    heads: list[int]
    kv_heads: list[int]
    head_key: int
    head_value: int
    experts: int
    experts_used: int
    sliding_window: int
    window_layers: int
    full_attention_interval: int
    recurrent_layers: int
    vocabulary: int
    tokenizer: str
    pre_tokenizer: str
    chat_template: bool
    template_knows_thinking: bool
    kv_bytes_per_token: dict[str, int]
    state_bytes: int
    sha256: str | None


def type_name(kind: int) -> str:
    """The name of a tensor type; one that llama.cpp does not know is named by its number."""
    known = TENSOR_TYPES.get(kind)
    return known.name if known else REMOVED_TYPES.get(kind, f"type {kind}")


def inspect_header(
    header: Header,
    *,
    file: str,
    parts: Sequence[str],
    size: int,
    more: Sequence[Tensor] = (),
    sha256: str | None = None,
) -> ModelFacts:
    """The facts of a header. `parts` names all files of a split model, `more` has the tensors of the other parts."""
    infos = (*header.infos, *more)
    shape = Shape(header)
    counts, sizes = Counter[int](), Counter[int]()
    for info in infos:
        counts[info.kind] += 1
        sizes[info.kind] += info.size
    weights, parameters = sum(sizes.values()), sum(info.elements for info in infos)
    text = {key: str(header.values.get(key, "")) for key in _TEXTS}
    return ModelFacts(
        file=file,
        parts=list(parts),
        bytes=size,
        gguf_version=header.version,
        architecture=header.architecture,
        name=header.name,
        size_label=text["general.size_label"],
        license=text["general.license"],
        parameters=parameters,
        file_type=_file_type(header),
        tensor_types=[TensorFacts(type=type_name(kind), tensors=counts[kind], bytes=sizes[kind]) for kind, _ in
                      sorted(sizes.items(), key=lambda item: (-item[1], item[0]))],
        weights=weights,
        bits_per_weight=round(weights * 8 / parameters, 3) if parameters else 0.0,
        trained_context=header.context_length,
        layers=shape.count,
        embedding=shape.embedding,
        heads=sorted(set(shape.heads)),
        kv_heads=sorted(set(shape.kv_heads)),
        head_key=shape.head_key,
        head_value=shape.head_value,
        experts=shape.experts,
        experts_used=shape.experts_used,
        sliding_window=shape.window,
        window_layers=sum(shape.windowed),
        full_attention_interval=header.number("full_attention_interval"),
        recurrent_layers=sum(shape.recurrent),
        vocabulary=shape.vocabulary,
        tokenizer=text["tokenizer.ggml.model"],
        pre_tokenizer=text["tokenizer.ggml.pre"],
        chat_template=bool(header.template),
        template_knows_thinking=bool(_THINKING.search(header.template)),
        kv_bytes_per_token={kind: kv_per_token(shape, kind) for kind in KV_TYPES},
        state_bytes=sum(layer.state for layer in shape.layers),
        sha256=sha256,
    )  # fmt: skip


_TEXTS = ("general.size_label", "general.license", "tokenizer.ggml.model", "tokenizer.ggml.pre")


def _file_type(header: Header) -> str:
    number = header.values.get("general.file_type")
    return FILE_TYPES.get(number, f"file type {number}") if isinstance(number, int) else ""


def amount(size: int) -> str:
    """Bytes as people read them."""
    for unit, step in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= step:
            return f"{size / step:,.2f} {unit}"
    return f"{size} bytes"


def render_inspection(facts: ModelFacts) -> str:
    """The facts as lines; what the header does not say is left out."""
    types = ", ".join(f"{one['type']} {one['tensors']} ({amount(one['bytes'])})" for one in facts["tensor_types"])
    shared = _several(facts["kv_heads"])
    heads = f"{_several(facts['heads'])} heads, {shared} KV head{'' if shared == '1' else 's'}"
    if facts["head_key"]:
        heads += f", {facts['head_key']} and {facts['head_value']} numbers for a key and a value"
    template = "none"
    if facts["chat_template"]:
        template = "present, knows thinking" if facts["template_knows_thinking"] else "present, without thinking"
    kv = ", ".join(f"{kind} {amount(size)}" for kind, size in facts["kv_bytes_per_token"].items())
    rows = [
        ("architecture", facts["architecture"]),
        ("name", " ".join(filter(None, [facts["name"], f"({facts['size_label']})" if facts["size_label"] else ""]))),
        ("licence", facts["license"]),
        ("size", f"{amount(facts['bytes'])} in {len(facts['parts'])} file{'s' * (len(facts['parts']) > 1)}"),
        ("parameters", f"{facts['parameters']:,}" if facts["parameters"] else ""),
        (
            "quantised",
            f"{facts['file_type']}, {facts['bits_per_weight']:.2f} bits a weight" if facts["weights"] else "",
        ),
        ("tensors", types),
        ("context", f"{facts['trained_context']:,} tokens trained" if facts["trained_context"] else "not said"),
        ("layers", f"{facts['layers']} of {facts['embedding']:,}; {heads}" if facts["layers"] else ""),
        ("experts", f"{facts['experts']}, {facts['experts_used']} used a token" if facts["experts"] else ""),
        ("window", _window(facts)),
        ("hybrid", _hybrid(facts)),
        ("cache", f"{kv} a token" if facts["layers"] else ""),
        ("vocabulary", f"{facts['vocabulary']:,}, tokenizer {_tokenizer(facts)}"),
        ("template", template),
        ("sha256", facts["sha256"] or ""),
    ]
    return "\n".join([facts["file"], *(f"  {name:<12} {value}" for name, value in rows if value)])


def _window(facts: ModelFacts) -> str:
    if not facts["sliding_window"]:
        return ""
    return f"{facts['sliding_window']:,} tokens in {facts['window_layers']} of {facts['layers']} layers"


def _hybrid(facts: ModelFacts) -> str:
    if not facts["recurrent_layers"]:
        return ""
    interval = f", every {facts['full_attention_interval']}th is full attention"
    return (
        f"{facts['recurrent_layers']} of {facts['layers']} layers recurrent"
        f"{interval if facts['full_attention_interval'] else ''}, {amount(facts['state_bytes'])} a sequence"
    )


def _tokenizer(facts: ModelFacts) -> str:
    return f"{facts['tokenizer'] or 'none'}{f' ({pre})' if (pre := facts['pre_tokenizer']) else ''}"


def _several(numbers: Sequence[int]) -> str:
    return " / ".join(str(number) for number in numbers) or "?"
