"""llama.cpp through its low-level API: vocabulary, weights, one context. Imported in the engine process only."""

import ctypes
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# Before numpy: the other order ended in a crash in libstdc++ on one machine (DESIGN 3.7).
import llama_cpp as lib
import numpy as np

from conspectus.llama.answer import Answer
from conspectus.llama.template import ChatTemplate, Prompt

# Prompts are decoded in blocks of this many tokens from their start, and whole blocks alone are reused: their numbers
# then depend on the prompt, not on what was asked before, and the same request gives the same answer.
_BATCH = 128
# Below this a step is short, and asking Python at each node of the graph would cost more than it saves.
_LONG_STEP = 16
_ERROR, _CONTINUED = 4, 5
_THINK_MARKS = (b"<think>", b"</think>")


class LoadError(Exception):
    """llama.cpp cannot use the file; the text is its own reason."""


class DecodeError(Exception):
    """One decode failed. `retryable` is true where the same call may succeed later."""

    def __init__(self, reason: str, *, retryable: bool) -> None:
        super().__init__(reason)
        self.retryable = retryable


class Stopped(Exception):
    """The request was cancelled or its seconds are over."""


@dataclass(slots=True)
class Stop:
    """Says when a request must end: `is_cancelled()`, or the moment `deadline` of the monotonic clock."""

    is_cancelled: Callable[[], bool]
    deadline: float

    def is_due(self) -> bool:
        """True once the request must end."""
        return self.is_cancelled() or time.monotonic() >= self.deadline


class Log:
    """The last lines that llama.cpp wrote, to explain a failure."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=60)
        # Kept on the object: llama.cpp holds no reference to the Python function it calls.
        self._callback = lib.llama_log_callback(self._take)
        lib.llama_log_set(self._callback, ctypes.c_void_p(0))

    def _take(self, level: int, text: bytes | None, _data: Any) -> None:  # noqa: ANN401
        line = (text or b"").decode("utf-8", "replace")
        if level == _CONTINUED and self._lines:
            level, start = self._lines.pop()
            line = start + line
        self._lines.append((level, line))

    def reason(self) -> str:
        """The line that says best what went wrong, without the name of the C function."""
        errors = [text.strip() for level, text in self._lines if level == _ERROR]
        telling = [text for text in errors if "error loading model" in text] or errors or ["llama.cpp gave no reason"]
        return re.sub(r"^(\w+: )?(error loading model: )?", "", telling[0])


class Vocab:
    """The tokens of a model, loaded without its weights. Thread-safe."""

    def __init__(self, path: str, template: str | None, log: Log) -> None:
        params = lib.llama_model_default_params()
        params.vocab_only = True
        self._model = lib.llama_model_load_from_file(path.encode(), params)
        if not self._model:
            raise LoadError(log.reason())
        self._vocab = lib.llama_model_get_vocab(self._model)
        self.size: int = lib.llama_vocab_n_tokens(self._vocab)
        if self.size == 0:
            raise LoadError("the file has no vocabulary")
        own = lib.llama_model_chat_template(self._model, None)
        self._template = ChatTemplate(
            template or (own.decode("utf-8", "replace") if own else None),
            bos=self._special_text(lib.llama_vocab_bos(self._vocab)),
            eos=self._special_text(lib.llama_vocab_eos(self._vocab)),
        )
        self._pieces: dict[int, bytes] = {}
        newline = lib.llama_vocab_nl(self._vocab)
        self.newline: list[int] = [newline] if newline >= 0 else self.tokens("\n")

    def render(self, messages: Sequence[Any]) -> Prompt:
        """The prompt of `messages`, as text."""
        return self._template.render(messages)

    def prompt_tokens(self, prompt: Prompt) -> list[int]:
        """The tokens of a whole prompt; control tokens are read in its scaffolding only."""
        tokens = [t for piece in prompt.pieces for t in self._tokenize(piece.text, special=piece.is_special)]
        bos = lib.llama_vocab_bos(self._vocab)
        if lib.llama_vocab_get_add_bos(self._vocab) and bos >= 0 and tokens[:1] != [bos]:
            return [bos, *tokens]
        return tokens

    def tokens(self, text: str) -> list[int]:
        """The tokens of `text` as document text."""
        return self._tokenize(text, special=False)

    def piece(self, token: int) -> bytes:
        """The bytes that `token` stands for; nothing for a control token, except the marks around thinking."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._render(token)
            if lib.llama_vocab_is_control(self._vocab, token) and piece not in _THINK_MARKS:
                piece = b""
            self._pieces[token] = piece
        return piece

    def ends(self, token: int) -> bool:
        """True for every end-of-generation token."""
        return bool(lib.llama_vocab_is_eog(self._vocab, token))

    def _special_text(self, token: int) -> str:
        return self._render(token).decode("utf-8", "replace") if token >= 0 else ""

    def _tokenize(self, text: str, *, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        while True:
            buffer = (lib.llama_token * room)()
            count = lib.llama_tokenize(self._vocab, data, len(data), buffer, room, False, special)
            if count >= 0:
                return buffer[:count]
            room = -count

    def _render(self, token: int) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            size = lib.llama_token_to_piece(self._vocab, token, buffer, room, 0, True)
            if size >= 0:
                return buffer.raw[:size]
            room = -size


class Engine:
    """The weights and one context. Owned by one thread; one sequence at a time.

    `context` and `threads` are numbers of tokens and of threads.
    """

    def __init__(self, path: str, context: int, threads: int, log: Log) -> None:
        self._model = lib.llama_model_load_from_file(path.encode(), lib.llama_model_default_params())
        if not self._model:
            raise LoadError(log.reason())
        params = lib.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = _BATCH
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = threads
        self._context = lib.llama_init_from_model(self._model, params)
        if not self._context:
            raise LoadError(log.reason())
        self._memory = lib.llama_get_memory(self._context)
        if not self._memory:
            raise LoadError("the model keeps no memory of a text, so it cannot write one")
        self._vocab_size: int = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(self._model))
        self._step = min(_BATCH, lib.llama_n_batch(self._context))
        self._batch = lib.llama_batch_init(self._step, 0, 1)
        self._cached: list[int] = []
        self._blocks = 0
        self._stop: Stop | None = None
        self._abort = lib.ggml_abort_callback(self._is_due)

    def run(self, prompt: list[int], answer: Answer, stop: Stop, progress: Callable[[int, int], None]) -> int:
        """Writes `answer` to `prompt` and returns how many prompt tokens were still in the context.

        Raises Stopped when `stop` says so, DecodeError where llama.cpp fails.
        """
        cached = self._reuse(prompt)
        self._blocks = len(prompt) // self._step * self._step
        pending = prompt[cached:] + answer.feed()
        while answer.finish is None:
            self._decode(pending, stop, lambda: progress(min(len(self._cached), len(prompt)), answer.used))
            answer.accept(self._best())
            pending = answer.feed()
        return cached

    def forget(self) -> None:
        """Empties the context."""
        lib.llama_memory_clear(self._memory, True)
        self._cached = []
        self._blocks = 0

    def _reuse(self, prompt: list[int]) -> int:
        # The last token is always decoded anew: its logits are needed.
        limit = min(len(prompt) - 1, len(self._cached), self._blocks)
        same = next((i for i in range(limit) if prompt[i] != self._cached[i]), limit) // self._step * self._step
        if same < len(self._cached):
            if lib.llama_memory_seq_rm(self._memory, 0, same, -1):
                self._cached = self._cached[:same]
            else:
                # Recurrent and sliding-window memories cannot forget a part.
                self.forget()
        return len(self._cached)

    def _decode(self, tokens: list[int], stop: Stop, progress: Callable[[], None]) -> None:
        for start in range(0, len(tokens), self._step):
            step = tokens[start : start + self._step]
            if stop.is_due():
                raise Stopped
            self._fill(step, wants_logits=start + len(step) == len(tokens))
            code = self._guarded(step, stop)
            if code:
                self.forget()
                raise _failure(code)
            self._cached += step
            progress()

    def _guarded(self, step: list[int], stop: Stop) -> int:
        if len(step) < _LONG_STEP:
            return int(lib.llama_decode(self._context, self._batch))
        self._stop = stop
        lib.llama_set_abort_callback(self._context, self._abort, ctypes.c_void_p(0))
        try:
            return int(lib.llama_decode(self._context, self._batch))
        finally:
            lib.llama_set_abort_callback(self._context, lib.ggml_abort_callback(), ctypes.c_void_p(0))

    def _is_due(self, _data: Any) -> bool:  # noqa: ANN401
        return self._stop is not None and self._stop.is_due()

    def _fill(self, step: list[int], *, wants_logits: bool) -> None:
        batch = self._batch
        batch.n_tokens = len(step)
        for i, token in enumerate(step):
            batch.token[i] = token
            batch.pos[i] = len(self._cached) + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = 0
        batch.logits[len(step) - 1] = wants_logits

    def _best(self) -> int:
        pointer = lib.llama_get_logits_ith(self._context, self._batch.n_tokens - 1)
        logits = np.ctypeslib.as_array(pointer, shape=(self._vocab_size,))
        best = int(np.argmax(logits))
        if np.isnan(logits[best]):
            self.forget()
            raise DecodeError("the model computed no numbers (NaN)", retryable=False)
        return best


def start_backend() -> Log:
    """Prepares llama.cpp, once in a process, and collects what it says from then on."""
    log = Log()
    lib.llama_backend_init()
    return log


def needs_cpu_lock() -> bool:
    """True where the weights run on the processor, which two engines cannot share without both crawling."""
    return not lib.llama_supports_gpu_offload()


def _failure(code: int) -> Exception:
    if code == 2:
        return Stopped()
    if code == 1:
        return DecodeError("the context had no room left", retryable=True)
    return DecodeError(f"llama_decode returned {code}", retryable=code < -1)
