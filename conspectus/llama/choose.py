"""The model that a user names: the bundled one, a file, or servers."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.llama.contract import Model
from conspectus.llama.shared import share
from conspectus.paths import cache_dir

KEY_VARIABLE = "CONSPECTUS_API_KEY"

EVENTS = {
    "vocab": "model: vocabulary loaded",
    "loaded": "model: weights loaded",
    "waiting": "model: another run is using this machine's engine, waiting for it",
    "plain-template": "model: the file has no usable chat template, a plain instruction form is used",
    "one-sequence": "model: it answers differently beside other requests, so they run one after the other",
    "restarted": "model: the engine died and was started again",
}


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """How a model is reached and addressed: for servers the variable that holds the key (never the key itself) and the
    authority of their TLS, and for how many seconds a call waits while none of them answers, where that is longer than
    usual; for a file the file with a chat template in place of its own.
    """

    key_variable: str = KEY_VARIABLE
    ca_file: Path | None = None
    chat_template: Path | None = None
    patience_s: float = 0.0

    def template(self) -> str | None:
        """The chat template in place of the model's own. Raises UsageError where it cannot be read or compiled."""
        if self.chat_template is None:
            return None
        try:
            text = self.chat_template.read_text("utf-8")
        except (OSError, UnicodeError) as error:
            raise UsageError(
                f"{self.chat_template}: the chat template cannot be read", "Check --chat-template"
            ) from error
        from conspectus.llama.template import template_error

        reason = template_error(text)
        if reason:
            raise UsageError(f"{self.chat_template} is no chat template: {reason}", "Check --chat-template")
        return text

    def key(self) -> str:
        """The key; empty where none is set. Raises UsageError where a variable was named and is not set."""
        key = os.environ.get(self.key_variable, "").strip()
        if not key and self.key_variable != KEY_VARIABLE:
            raise UsageError(
                f"--api-key-env names {self.key_variable}, which is not set", f"Set it: export {self.key_variable}=..."
            )
        return key


def choose_model(name: str, context: int, note: Callable[[str], None], access: ServerAccess | None = None) -> Model:
    """The model behind `name`, loading or connecting in the background.

    `name` is starter, the path of a .gguf file, or addresses of servers with one model, comma separated
    (`http://host:8080,http://other:8080`, `#name` for one model of several). `context` is in tokens; servers that tell
    theirs are believed. `note` is told, from any thread, what happens. Raises ModelError, UsageError.
    """
    from conspectus.llama.pool.address import is_address

    access = access or ServerAccess()
    if not is_address(name):
        return _file(name, context, note, access.template())
    if access.chat_template is not None:
        raise UsageError(
            "--chat-template is for a model file: a server has its own",
            "Start it with: llama-server --chat-template-file",
        )
    return _servers(name, context, note, access)


def _servers(name: str, context: int, note: Callable[[str], None], access: ServerAccess) -> Model:
    from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses

    settings = PoolSettings(
        context=context, api_key=access.key(), key_variable=access.key_variable, ca_file=access.ca_file
    )
    settings = replace(settings, patience_s=max(settings.patience_s, access.patience_s))
    addresses = parse_addresses(name)
    note(f"model: connecting to {', '.join(str(address) for address in addresses)}")
    # Two pools would each send as many requests as the servers have slots.
    model = share((tuple(addresses), settings), lambda tell: ServerPool(addresses, settings, tell), note)
    model.start()
    return model


def _file(name: str, context: int, note: Callable[[str], None], template: str | None) -> Model:
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.gguf import resolve_model

    path = resolve_model(name).expanduser().resolve()

    def make(tell: Callable[[str], None]) -> EmbeddedModel:
        said: set[str] = set()

        def on_event(event: str) -> None:
            if event not in said or event == "restarted":
                said.add(event)
                tell(EVENTS.get(event, f"model: {event}"))

        return EmbeddedModel(path, context=context, cache_dir=cache_dir(), on_event=on_event, template=template)

    note(f"model: loading {path.name}")
    model = share(("file", *_identity(path), context, template), make, note)
    model.start()
    return model


def _identity(path: Path) -> tuple[str, int, int]:
    """What tells whether a file is still the one that an engine has loaded."""
    try:
        found = path.stat()
    except OSError:
        # Whoever opens it says what is wrong.
        return str(path), 0, 0
    return str(path), found.st_size, found.st_mtime_ns
