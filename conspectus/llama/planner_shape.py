"""What a model takes of memory, computed from its header alone: weights, KV cache, state, work space.

The rules are those of llama.cpp as vendored in llama-cpp-python 0.3.36: src/llama-kv-cache.cpp (cache tensors),
src/llama-kv-cache-iswa.cpp (window), src/llama-memory-recurrent.cpp and llama-hparams.cpp `n_embd_r`, `n_embd_s`
(state), src/llama-context.cpp (padding to 256). All sizes are bytes.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from conspectus.llama.ggml_types import HYBRID, RECURRENT, TENSOR_TYPES
from conspectus.llama.gguf_header import Header

KV_TYPES = {"f16": 1, "q8_0": 8, "q4_0": 2}
PAD = 256  # llama.cpp rounds a sequence's cells up to this
_FLOAT = 4

# Every n-th layer sees all of the text, the others only a window; True: the first of the n does (`load_swa_pattern`).
_WINDOWS: dict[str, tuple[int, bool]] = {
    "afmoe": (4, False), "cohere2": (4, False), "cohere2moe": (4, True), "exaone-moe": (4, False),
    "exaone4": (4, False), "gemma2": (2, False), "gemma3": (6, False), "gemma3n": (5, False), "gpt-oss": (2, False),
    "laguna": (4, True), "llama4": (4, False), "mellum": (4, False), "muse-glimmer": (4, False), "olmo2": (4, False),
    "plamo3": (8, False), "smallthinker": (4, True),
}  # fmt: skip
# In these the file itself lists which layers see a window only.
_LISTED_WINDOWS = frozenset({"gemma4", "granite_swa", "maple", "mimo2", "spark2_5", "step35", "dots3note"})
_DEFAULT_WINDOW = {"gemma2": 4096, "exaone4": 4096, "exaone-moe": 128, "llama4": 8192}
_BY_INTERVAL = frozenset({"qwen3next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01"})
# Their caches have parts beside K and V that are not computed here: the plan is a lower bound and says so.
APPROXIMATE = frozenset(
    "deepseek4 deepseek32 glm-dsa glm5-next hy_v4 dots3note minimax-m3 qwen4exp rwkv6 rwkv6qwen2 rwkv7 arwkv7 kimi-k3 "
    "kimi-linear bailingmoe3 plamo2 t5 minimax-01".split()
)
_LAYER = re.compile(r"blk\.(\d+)\.")
_EXPERT = re.compile(r"ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\.")


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: bytes of its weights, how many of them are routed experts, the numbers it keeps of each token.

    `key` and `value` are elements a cell, 0 where the layer keeps none; `state` is bytes for each sequence.
    """

    weights: int
    experts: int
    key: int
    value: int
    is_window: bool
    state: int


class Shape:
    """A model's measures, from its header."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.architecture = header.architecture
        self.count = header.number("block_count")
        self.trunk = max(self.count - header.number("nextn_predict_layers"), 0)
        self.embedding = header.number("embedding_length")
        self.trained = header.context_length
        self.heads = header.by_layer("attention.head_count", self.count)
        self.kv_heads = header.by_layer("attention.head_count_kv", self.count)
        if not header.number("attention.head_count_kv") and not any(self.kv_heads):
            self.kv_heads = self.heads if self.architecture not in RECURRENT else self.kv_heads
        per_head = self.embedding // max(self.heads, default=0) if any(self.heads) else 0
        self.head_key = header.number("attention.key_length", per_head)
        self.head_value = header.number("attention.value_length", per_head)
        self.experts = header.number("expert_count")
        self.experts_used = header.number("expert_used_count")
        self.is_mla = bool(header.number("attention.key_length_mla") and header.number("attention.value_length_mla"))

    @cached_property
    def window(self) -> int:
        """Tokens of the sliding window; 0 where every layer sees the whole text."""
        known = self.architecture in _WINDOWS or self.architecture in _LISTED_WINDOWS
        default = _DEFAULT_WINDOW.get(self.architecture, 0)
        return self.header.number("attention.sliding_window", default) if known else 0

    @cached_property
    def windowed(self) -> tuple[bool, ...]:
        """For each layer whether it sees a window only."""
        if not self.window:
            return (False,) * self.count
        listed = self.header.lists.get(f"{self.architecture}.attention.sliding_window_pattern")
        if listed is not None:
            return tuple(bool(value) for value in [*listed, *[False] * self.count][: self.count])
        period, dense_first = _WINDOWS.get(self.architecture, (1, False))
        period = self.header.number("attention.sliding_window_pattern", period)
        full = 0 if dense_first else period - 1
        return tuple(il < self.trunk and (period == 0 or il % period != full) for il in range(self.count))

    @cached_property
    def recurrent(self) -> tuple[bool, ...]:
        """For each layer whether it keeps a state of fixed size in place of, or beside, a cache."""
        name = self.architecture
        if name in RECURRENT or name == "falcon-h1":
            return (True,) * self.count
        if name not in HYBRID or name == "deepseek4":
            return (False,) * self.count
        if name in _BY_INTERVAL:
            listed = self.header.lists.get(f"{name}.attention.recurrent_layers")
            if listed is not None:
                return tuple(bool(value) for value in [*listed, *[False] * self.count][: self.count])
            interval = self.header.number("full_attention_interval", 4) or 1
            return tuple(il < self.trunk and (il + 1) % interval != 0 for il in range(self.count))
        return tuple(heads == 0 for heads in self.kv_heads)

    @property
    def state_bytes(self) -> int:
        """Bytes that one recurrent layer keeps of one sequence, in f32 whatever the cache type."""
        number = self.header.number
        if number("wkv.head_size"):
            return _FLOAT * self.embedding * (number("token_shift_count", 2) + number("wkv.head_size"))
        if number("shortconv.l_cache"):
            return _FLOAT * self.embedding * (number("shortconv.l_cache") - 1)
        heads = max(self.heads, default=0)
        if number("kda.head_dim"):
            head = number("kda.head_dim")
            return _FLOAT * (3 * max(number("ssm.conv_kernel", 4) - 1, 0) * heads * head + head * head * heads)
        conv = max(number("ssm.conv_kernel") - 1, 0) * self.convolution
        return _FLOAT * (conv + number("ssm.state_size") * number("ssm.inner_size"))

    @property
    def convolution(self) -> int:
        """Channels of the recurrent layers' convolution."""
        number = self.header.number
        return number("ssm.inner_size") + 2 * number("ssm.group_count") * number("ssm.state_size")

    @cached_property
    def vocabulary(self) -> int:
        """Entries of the vocabulary, by the list of tokens or the embedding."""
        listed = self.header.lengths.get("tokenizer.ggml.tokens", 0) or self.header.number("vocab_size")
        shapes = {info.name: info.shape for info in self.header.infos}
        return listed or (shapes.get("token_embd.weight", (0, 0))[1:] or (0,))[0]

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers in order."""
        weights, experts = [0] * self.count, [0] * self.count
        for info in self.header.infos:
            match = _LAYER.match(info.name)
            if match and int(match[1]) < self.count:
                weights[int(match[1])] += info.size
                experts[int(match[1])] += info.size if _EXPERT.search(info.name) else 0
        return tuple(
            Layer(weights[il], experts[il], *self._cells(il), self.windowed[il], self._state(il))
            for il in range(self.count)
        )

    def _cells(self, il: int) -> tuple[int, int]:
        number, name = self.header.number, self.architecture
        mixed = name == "falcon-h1"
        from_start = self.count - number("attention.shared_kv_layers") if name == "gemma4" else self.count
        from_start = 20 if name == "gemma3n" else from_start
        without = il >= self.trunk or il >= from_start or (self.recurrent[il] and not mixed)
        if without or name in RECURRENT or (name.startswith("nemotron_h") and self._feed(il)):
            return 0, 0
        key, value = self.head_key, self.head_value
        if self.windowed[il]:
            key, value = number("attention.key_length_swa", key), number("attention.value_length_swa", value)
        return key * self.kv_heads[il], 0 if self.is_mla else value * self.kv_heads[il]

    def _state(self, il: int) -> int:
        if (
            il >= self.trunk
            or not self.recurrent[il]
            or (self.architecture.startswith("nemotron_h") and self._feed(il))
        ):
            return 0
        return self.state_bytes

    def _feed(self, il: int) -> int:
        return self.header.by_layer("feed_forward_length", self.count)[il]

    @cached_property
    def feed(self) -> int:
        """Numbers of one token that the widest feed-forward step holds at once."""
        dense = 2 * max(self.header.by_layer("feed_forward_length", max(self.count, 1)))
        if not self.experts:
            return dense
        width = max(self.header.by_layer("expert_feed_forward_length", max(self.count, 1)))
        return self.experts_used * max(2 * width, width + self.embedding)

    @cached_property
    def input_bytes(self) -> int:
        """Weights that stay in main memory: the token embedding and its like."""
        return sum(i.size for i in self.header.infos if i.name.startswith(("token_", "per_layer_token_embd")))

    @cached_property
    def output_bytes(self) -> int:
        """Weights after the last layer; where the embedding serves as output too, a GPU gets a copy of it."""
        sizes = {info.name: info.size for info in self.header.infos if not _LAYER.match(info.name)}
        own = sum(size for name, size in sizes.items() if name.startswith("output"))
        return own if "output.weight" in sizes else own + sizes.get("token_embd.weight", 0)

    @cached_property
    def weights(self) -> int:
        """Bytes of all tensors."""
        return sum(info.size for info in self.header.infos)


def cells(context: int) -> int:
    """Cells that llama.cpp makes of a context of one sequence."""
    return -(-max(context, 1) // PAD) * PAD


def kv_bytes(layer: Layer, tokens: int, kv_type: str) -> int:
    """Bytes of the cache of `tokens` cells in one layer."""
    kind = TENSOR_TYPES[KV_TYPES[kv_type]]
    return tokens * (kind.bytes_for(layer.key) + kind.bytes_for(layer.value))


def kv_per_token(shape: Shape, kv_type: str) -> int:
    """Bytes of cache that each token takes over all layers, windows not counted off."""
    return sum(kv_bytes(layer, 1, kv_type) for layer in shape.layers)


def can_quantise(shape: Shape, kv_type: str) -> bool:
    """Whether llama.cpp takes this cache type: the heads must be whole blocks (llama_init_from_model)."""
    block = TENSOR_TYPES[KV_TYPES[kv_type]].block
    heads = [shape.head_key] + ([] if shape.is_mla else [shape.head_value])
    # DeepSeek-V4 answers with nonsense then (llama.cpp issue 25382).
    return block == 1 or (shape.architecture != "deepseek4" and all(head % block == 0 for head in heads))


def compute_bytes(shape: Shape, *, context: int, slots: int, ubatch: int, flash: bool, outputs: int) -> int:
    """Work space of one decode of `ubatch` tokens, from above: llama.cpp's buffer is smaller or equal.

    The terms were fitted to the buffers that llama.cpp reported for dense, expert and hybrid models (see
    tests/model/test_planner.py): the scores of the vocabulary against mask, attention and activations of one layer; the
    larger of both, and half of the smaller for what its allocator cannot share. `outputs` bounds the tokens of one
    decode whose scores are wanted.
    """
    scores = _FLOAT * (min(outputs, ubatch) * shape.vocabulary + 2 * ubatch * shape.embedding)
    # A model with sliding windows has a mask of its own for them.
    masks = 2 if any(shape.windowed) else 1
    mask = masks * cells(context) * ubatch * (2 if flash else _FLOAT)
    heads = max(shape.heads, default=0)
    attention = 0 if flash else _FLOAT * cells(context) * ubatch * heads
    wide = shape.feed + 3 * shape.embedding + 2 * heads * max(shape.head_key, shape.head_value)
    state = 0
    if any(shape.recurrent):
        wide = max(wide, 2 * shape.convolution + 2 * shape.header.number("ssm.inner_size") + 3 * shape.embedding)
        state = 2 * slots * shape.state_bytes
    layer = mask + attention + ubatch * wide * 5 + state
    return max(scores, layer) + min(scores, layer) // 2


def output_buffer(shape: Shape, slots: int) -> int:
    """The buffer that scores are handed over in."""
    return _FLOAT * shape.vocabulary * slots
