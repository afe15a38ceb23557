"""The weights and one llama_context: the native side of the engine. Imported in the engine process only."""

import ctypes
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

# Before numpy: the other order ended in a crash in libstdc++ on one machine (DESIGN 3.7).
import llama_cpp as lib
import numpy as np
import numpy.typing as npt

from conspectus.llama.batch import Batch
from conspectus.llama.planner_shape import KV_TYPES
from conspectus.llama.vocab import LoadError, Log

_SPLIT_NONE = 0
_FLASH_ON = 1
_PAD = 256
# Below this many logits one thread finds the largest sooner than a pool is told to.
_PARALLEL_LOGITS = 4_000_000
_WORKERS = 4

Logits = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is loaded.

    `context` is in tokens of one sequence, `slots` sequences decode at once. `gpu_layers` -1 puts all on the GPU, 0
    none; `device` picks one of several. `kv_type` is a key of KV_TYPES. `unified`: all sequences share one buffer of
    cells; copying a prefix is then free, but each token looks at every sequence's cells (measured on an H200: 3,611
    against 10,591 tokens/s with 64 sequences). `step` is the number of prompt tokens in one decode.
    `flash`: flash attention must be on (a quantised cache needs it); else llama.cpp decides. `overrides` are patterns
    of tensors that stay in main memory. `device_sampling`: the likeliest token is found where the logits are.
    """

    path: str
    context: int
    slots: int = 1
    threads: int = 1
    gpu_layers: int = 0
    device: int = 0
    kv_type: str = "f16"
    unified: bool = True
    step: int = 128
    flash: bool = False
    overrides: tuple[str, ...] = ()
    device_sampling: bool = False

    @property
    def cells(self) -> int:
        """Cells of all sequences together."""
        own = self.context if self.slots == 1 else math.ceil(self.context / _PAD) * _PAD
        return own * self.slots


class Context:
    """Implements the engine's `Decoder` with llama.cpp. Owned by one thread.

    Raises LoadError where the file or the memory does not allow it.
    """

    def __init__(self, settings: Settings, log: Log) -> None:
        model_params = lib.llama_model_default_params()
        model_params.n_gpu_layers = settings.gpu_layers
        if settings.gpu_layers:
            # One engine for each GPU serves more requests than one model spread over all of them.
            model_params.split_mode = _SPLIT_NONE
            model_params.main_gpu = settings.device
        if settings.overrides:
            self._overrides = _in_main_memory(settings.overrides)
            model_params.tensor_buft_overrides = ctypes.addressof(self._overrides)
        self._model = lib.llama_model_load_from_file(settings.path.encode(), model_params)
        if not self._model:
            raise LoadError(log.reason())
        self.vocab = lib.llama_model_get_vocab(self._model)
        self._vocab_size: int = lib.llama_vocab_n_tokens(self.vocab)
        self._chains = self._greedy_chains(settings) if settings.device_sampling else None
        params = self._parameters(settings)
        self._context = lib.llama_init_from_model(self._model, params)
        if not self._context:
            raise LoadError(log.reason())
        self._memory = lib.llama_get_memory(self._context)
        if not self._memory:
            raise LoadError("the model keeps no memory of a text, so it cannot write one")
        step = min(settings.step, int(lib.llama_n_batch(self._context)))
        self.batch = Batch(max(step, settings.slots), settings.slots)
        self.step = step
        self._native = _native(self.batch)
        self._abort = lib.ggml_abort_callback(self._is_due)
        self._due: Callable[[], bool] | None = None
        self._pool = ThreadPoolExecutor(min(_WORKERS, os.cpu_count() or 1), thread_name_prefix="logits")
        # A state that cannot be cut back to a prefix: recurrent layers keep one state for all they have read.
        self.can_trim = not (lib.llama_model_is_recurrent(self._model) or lib.llama_model_is_hybrid(self._model))

    def decode(self) -> int:
        """Computes the batch; the code of llama_decode (0 done, 1 no room, 2 aborted, -1 invalid, below: fatal)."""
        self._native.n_tokens = self.batch.size
        return int(lib.llama_decode(self._context, self._native))

    def decode_until(self, due: Callable[[], bool]) -> int:
        """Like `decode`, ended early with code 2 once `due` says so (on the CPU only)."""
        self._due = due
        lib.llama_set_abort_callback(self._context, self._abort, ctypes.c_void_p(0))
        try:
            return self.decode()
        finally:
            lib.llama_set_abort_callback(self._context, lib.ggml_abort_callback(), ctypes.c_void_p(0))

    def best(self) -> npt.NDArray[np.int64]:
        """The likeliest token for each output of the last batch, in order; -1 where the model computed no number."""
        wanted = np.flatnonzero(self.batch.outputs[: self.batch.size])
        if self._chains:
            lib.llama_synchronize(self._context)
            return np.array([lib.llama_get_sampled_token_ith(self._context, int(i)) for i in wanted], dtype=np.int64)
        logits = self.logits(len(wanted))
        if logits.size < _PARALLEL_LOGITS:
            return _argmax(logits)
        parts = np.array_split(logits, self._pool._max_workers)
        return np.concatenate(list(self._pool.map(_argmax, parts)))

    def logits(self, outputs: int) -> Logits:
        """The logits of the last batch, one row for each of its outputs; valid until the next `decode`."""
        pointer = lib.llama_get_logits(self._context)
        return np.ctypeslib.as_array(pointer, shape=(outputs, self._vocab_size))

    def copy(self, source: int, target: int) -> None:
        """Makes `target` the same text as `source`."""
        lib.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def trim(self, sequence: int, size: int) -> bool:
        """Cuts a sequence to its first `size` tokens; false where this memory cannot (it then stays as it is)."""
        return bool(lib.llama_memory_seq_rm(self._memory, sequence, size if size else -1, -1))

    def clear(self) -> None:
        """Empties all sequences."""
        lib.llama_memory_clear(self._memory, True)

    def synchronize(self) -> None:
        """Waits for what was decoded."""
        lib.llama_synchronize(self._context)

    def _is_due(self, _data: Any) -> bool:  # noqa: ANN401
        return self._due is not None and self._due()

    def _parameters(self, settings: Settings) -> Any:  # noqa: ANN401 - a ctypes struct
        params = lib.llama_context_default_params()
        params.n_ctx = settings.cells
        params.n_batch = params.n_ubatch = max(settings.step, settings.slots)
        params.n_seq_max = settings.slots
        params.n_outputs_max = settings.slots
        params.n_threads = params.n_threads_batch = settings.threads
        params.kv_unified = settings.unified
        params.type_k = params.type_v = KV_TYPES[settings.kv_type]
        if settings.flash:
            params.flash_attn_type = _FLASH_ON
        if self._chains:
            self._configs = (lib.llama_sampler_seq_config * settings.slots)()
            for i, chain in enumerate(self._chains):
                self._configs[i].seq_id, self._configs[i].sampler = i, ctypes.cast(chain, ctypes.c_void_p)
            params.samplers = self._configs
            params.n_samplers = settings.slots
        return params

    def _greedy_chains(self, settings: Settings) -> list[Any]:
        chains = []
        for _ in range(settings.slots):
            chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
            lib.llama_sampler_chain_add(chain, lib.llama_sampler_init_greedy())
            chains.append(chain)
        return chains


def gpu_memory(number: int) -> int:
    """Free bytes of a GPU that this build of llama.cpp can use, by its number among them; 0 where it is not there.

    The others are not asked: a question alone takes some of a card's memory.
    """
    if not lib.llama_supports_gpu_offload():
        return 0
    libggml = _ggml()
    libggml.ggml_backend_dev_count.restype = ctypes.c_size_t
    libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    libggml.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    libggml.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    libggml.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_size_t)] * 2
    devices = (libggml.ggml_backend_dev_get(index) for index in range(libggml.ggml_backend_dev_count()))
    own = [device for device in devices if libggml.ggml_backend_dev_type(device) == 1][number : number + 1]
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    for device in own:
        libggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
    return free.value


def _ggml() -> Any:  # noqa: ANN401 - a ctypes library
    """The ggml that llama.cpp itself uses; the package has a handle too, but of the one in its own folder."""
    library = lib.llama_cpp._lib
    if hasattr(library, "ggml_backend_dev_count"):
        return library
    # Where a library's handle does not lead to those it needs (Windows).
    from llama_cpp._ggml import libggml

    return libggml


class _Override(ctypes.Structure):
    """llama.cpp's `llama_model_tensor_buft_override`, which the Python package does not declare."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p))


def _in_main_memory(patterns: tuple[str, ...]) -> Any:  # noqa: ANN401 - a ctypes array
    """Overrides that keep the tensors with these names in main memory, and the empty one that ends the list."""
    libggml = _ggml()
    libggml.ggml_backend_cpu_buffer_type.restype = ctypes.c_void_p
    memory = libggml.ggml_backend_cpu_buffer_type()
    made = (_Override * (len(patterns) + 1))()
    for place, pattern in enumerate(patterns):
        made[place] = _Override(pattern.encode(), memory)
    return made


def _argmax(logits: Logits) -> npt.NDArray[np.int64]:
    if not len(logits):
        return np.empty(0, dtype=np.int64)
    best = np.argmax(logits, axis=1)
    # numpy's argmax finds the first NaN of a row, so this one look sees any.
    return np.where(np.isnan(logits[np.arange(len(logits)), best]), -1, best)


def _native(batch: Batch) -> Any:  # noqa: ANN401 - a ctypes struct
    native = lib.llama_batch()
    for name, array in (
        ("token", batch.tokens),
        ("pos", batch.positions),
        ("n_seq_id", batch.id_counts),
        ("seq_id", batch.id_pointers),
        ("logits", batch.outputs),
    ):
        pointer = type(getattr(native, name))
        setattr(native, name, ctypes.cast(ctypes.c_void_p(array.ctypes.data), pointer))
    return native
