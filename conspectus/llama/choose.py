"""The model that a user names: the bundled one, a file, or servers."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import UsageError
from conspectus.llama.contract import Model
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
    """How servers are reached: the variable that holds the key (never the key itself), the authority of their TLS."""

    key_variable: str = KEY_VARIABLE
    ca_file: Path | None = None

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

    return _servers(name, context, note, access or ServerAccess()) if is_address(name) else _file(name, context, note)


def _servers(name: str, context: int, note: Callable[[str], None], access: ServerAccess) -> Model:
    from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses

    settings = PoolSettings(
        context=context, api_key=access.key(), key_variable=access.key_variable, ca_file=access.ca_file
    )
    addresses = parse_addresses(name)
    note(f"model: connecting to {', '.join(str(address) for address in addresses)}")
    pool = ServerPool(addresses, settings, note)
    pool.start()
    return pool


def _file(name: str, context: int, note: Callable[[str], None]) -> Model:
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.gguf import resolve_model

    said: set[str] = set()

    def tell(event: str) -> None:
        if event not in said or event == "restarted":
            said.add(event)
            note(EVENTS.get(event, f"model: {event}"))

    path = resolve_model(name)
    note(f"model: loading {path.name}")
    model = EmbeddedModel(path, context=context, cache_dir=cache_dir(), on_event=tell)
    model.start()
    return model
