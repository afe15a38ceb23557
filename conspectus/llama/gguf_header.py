"""The header of a GGUF, read with a cursor from a mapped file or from the first bytes of a download."""

import mmap
import struct
from dataclasses import dataclass, field

from conspectus.llama.ggml_types import TENSOR_TYPES

MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
# A real header has some dozens of keys and at most some thousands of tensors; more is a damaged count.
_MAX_ENTRIES = 1_000_000
# Lists of one number a layer are kept; vocabularies and their scores are longer than any model is deep.
_MAX_LIST = 2_048
_ALIGNMENT = 32

Scalar = int | float | bool | str


class NotWholeError(Exception):
    """The header promises more bytes than the file has, or makes no sense."""


class EndsError(NotWholeError):
    """The bytes end inside the header; of a download more may follow."""


class NotUsableError(Exception):
    """A whole file, but of a kind that llama.cpp cannot use."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor as the header describes it. `kind` is ggml's number of its type, `shape` the fastest axis first."""

    name: str
    shape: tuple[int, ...]
    kind: int

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def size(self) -> int:
        """Bytes; 0 for a type that is not in TENSOR_TYPES."""
        known = TENSOR_TYPES.get(self.kind)
        return known.bytes_for(self.elements) if known else 0


@dataclass(frozen=True, slots=True)
class Header:
    """What the start of a GGUF says. `values` holds every key except arrays.

    `lengths` has the number of entries of each array, `lists` the entries of short arrays of numbers (one a layer).
    `needed` is the size in bytes that the file must at least have, by its tensors.
    """

    version: int
    tensors: int
    values: dict[str, Scalar]
    lengths: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)
    infos: tuple[Tensor, ...] = ()
    needed: int = 0

    @property
    def architecture(self) -> str:
        """`general.architecture`, such as `llama` or `qwen3`; empty where missing."""
        return str(self.values.get("general.architecture", ""))

    @property
    def name(self) -> str:
        """`general.name`; empty where missing."""
        return str(self.values.get("general.name", ""))

    @property
    def context_length(self) -> int:
        """Tokens that the model was trained on, `{arch}.context_length`; 0 where missing."""
        return self.number("context_length")

    @property
    def template(self) -> str:
        """The chat template of the file; empty where missing."""
        return str(self.values.get("tokenizer.chat_template", ""))

    def number(self, key: str, default: int = 0) -> int:
        """The whole number under `{arch}.{key}`; `default` where missing or of another type."""
        value = self.values.get(f"{self.architecture}.{key}", default)
        return int(value) if isinstance(value, int) else default

    def by_layer(self, key: str, layers: int, default: int = 0) -> list[int]:
        """The number of each layer under `{arch}.{key}`, which is one number for all or a list."""
        listed = self.lists.get(f"{self.architecture}.{key}")
        if listed is None:
            return [self.number(key, default)] * layers
        numbers = [int(value) if isinstance(value, int) else default for value in listed[:layers]]
        return numbers + [default] * (layers - len(numbers))


def parse(data: mmap.mmap | bytes) -> Header:
    """The header of a GGUF whose first bytes are `data`, the magic checked already.

    Raises EndsError where `data` ends inside the header, else NotWholeError, and NotUsableError.
    """
    return _Walk(data).header()


class _Walk:
    """One pass over the header, with a cursor. `data` starts with the first byte of the file."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self.data = data
        self.at = len(MAGIC)

    def header(self) -> Header:
        (version,) = self.take("I")
        if version & 0xFFFF == 0:
            raise NotUsableError("it is a big-endian GGUF")
        if version < 2:
            raise NotUsableError(f"it is GGUF version {version}, which llama.cpp no longer reads")
        tensors, keys = self.take("QQ")
        if tensors > _MAX_ENTRIES or keys > _MAX_ENTRIES:
            raise NotWholeError("its header counts are absurd")
        header = Header(version, tensors, {})
        for _ in range(keys):
            self.key_value(header)
        infos, end = self.tensors(tensors)
        alignment = header.values.get("general.alignment", _ALIGNMENT)
        step = alignment if isinstance(alignment, int) and alignment > 0 else _ALIGNMENT
        start = (self.at + step - 1) // step * step
        return Header(
            version, tensors, header.values, header.lengths, header.lists, infos, start + end if tensors else self.at
        )

    def key_value(self, header: Header) -> None:
        key = self.string()
        (kind,) = self.take("I")
        if kind != _ARRAY:
            header.values[key] = self.string() if kind == _STRING else self.scalar(kind)
            return
        kind, length = self.take("IQ")
        header.lengths[key] = length
        if kind in _SCALARS and length <= _MAX_LIST:
            header.lists[key] = self.take(f"{length}{_SCALARS[kind]}")
        else:
            self.skip_array(kind, length)

    def take(self, layout: str) -> tuple[int, ...]:
        try:
            values = struct.unpack_from("<" + layout, self.data, self.at)
        except struct.error:
            raise EndsError("it ends inside its header") from None
        self.at += struct.calcsize("<" + layout)
        return values

    def scalar(self, kind: int) -> Scalar:
        if kind not in _SCALARS:
            raise NotWholeError(f"its header has a value of unknown type {kind}")
        return self.take(_SCALARS[kind])[0]

    def string(self) -> str:
        (length,) = self.take("Q")
        start = self.at
        self.skip(length)
        return self.data[start : self.at].decode("utf-8", "replace")

    def skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.data):
            raise EndsError("it ends inside its header")

    def skip_array(self, kind: int, length: int) -> None:
        if kind in _SCALARS:
            self.skip(length * struct.calcsize("<" + _SCALARS[kind]))
        elif kind == _STRING:
            self.skip_strings(length)
        elif kind == _ARRAY:
            for _ in range(length):
                self.skip_array(*self.take("IQ"))
        else:
            raise NotWholeError(f"its header has a list of unknown type {kind}")

    def skip_strings(self, count: int) -> None:
        # The hot loop: a vocabulary has up to 300,000 entries and its merges as many again.
        data, at, unpack = self.data, self.at, struct.Struct("<Q").unpack_from
        try:
            for _ in range(count):
                at += 8 + unpack(data, at)[0]
        except (struct.error, OverflowError):
            raise EndsError("it ends inside its header") from None
        self.at = at
        self.skip(0)

    def tensors(self, count: int) -> tuple[tuple[Tensor, ...], int]:
        """The tensors and where the last of them ends, counted from the start of the data."""
        infos: list[Tensor] = []
        end = 0
        for _ in range(count):
            name = self.string()
            (dimensions,) = self.take("I")
            if dimensions > 8:
                raise NotWholeError("its header describes an impossible tensor")
            shape = self.take(f"{dimensions}Q")
            kind, offset = self.take("IQ")
            infos.append(Tensor(name, shape, kind))
            end = max(end, offset + infos[-1].size)
        return tuple(infos), end
