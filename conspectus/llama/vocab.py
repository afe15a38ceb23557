"""The tokens of a model and what llama.cpp says while it works. Imported in the engine process only."""

import ctypes
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

import llama_cpp as lib

from conspectus.llama.template import ChatTemplate, Prompt

_ERROR, _CONTINUED = 4, 5
_THINK_MARKS = (b"<think>", b"</think>")


class LoadError(Exception):
    """llama.cpp cannot use the file; the text is its own reason."""


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
        self.thought_end: list[int] = self._tokenize("</think>\n\n", special=True)

    @property
    def native(self) -> Any:  # noqa: ANN401 - a ctypes pointer
        """llama.cpp's own vocabulary."""
        return self._vocab

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


def start_backend() -> Log:
    """Prepares llama.cpp, once in a process, and collects what it says from then on."""
    log = Log()
    lib.llama_backend_init()
    return log
