"""Addresses of model servers, as a user writes them."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from conspectus.errors import UsageError

_EXAMPLE = "Write it as http://host:8080, or http://host:8080#name for one model of several"


@dataclass(frozen=True, slots=True)
class Address:
    """One server: `base` without a slash at its end and without `/v1`; `model` names one of several models there."""

    base: str
    model: str = ""

    @property
    def is_loopback(self) -> bool:
        """True where the server is this machine: such an address never goes through a proxy."""
        host = urlsplit(self.base).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def is_plain(self) -> bool:
        """True where what is sent can be read on the way."""
        return self.base.startswith("http://") and not self.is_loopback

    def __str__(self) -> str:
        return f"{self.base}#{self.model}" if self.model else self.base


def is_address(name: str) -> bool:
    """True where `name` (of --model) names servers rather than a file."""
    return name.strip().lower().startswith(("http://", "https://"))


def parse_addresses(text: str) -> tuple[Address, ...]:
    """The servers in `text`, comma separated, in order, each once. Raises UsageError naming the wrong one."""
    found = dict.fromkeys(_parse(part.strip()) for part in text.split(",") if part.strip())
    if not found:
        raise UsageError("no address of a model server was given", _EXAMPLE)
    return tuple(found)


def _parse(text: str) -> Address:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{text!r} is no address of a model server: {error}", _EXAMPLE) from error
    if parts.username is not None or parts.password is not None:
        # Not repeated in the message: what stands before the @ is a secret.
        raise UsageError(
            f"the address of {parts.hostname} holds a name or password",
            "Set CONSPECTUS_API_KEY in the environment instead: command lines are visible to other users",
        )
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.query:
        raise UsageError(f"{text!r} is no address of a model server", _EXAMPLE)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return Address(f"{parts.scheme.lower()}://{host}{f':{port}' if port else ''}{path}", unquote(parts.fragment))
