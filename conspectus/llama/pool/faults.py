"""What can go wrong with one call to one server, by what is to be done about it."""

import json
import re
import ssl
from dataclasses import dataclass
from enum import StrEnum

import httpx


class Kind(StrEnum):
    """The kinds of failure; each has one way to handle it (dispatch.py)."""

    TOO_LONG = "too long"  # the prompt is over the server's context: split it
    CROWDED = "crowded"  # requests share one context that overflowed, or a slot is missing: fewer at a time
    LOADING = "loading"  # wait
    BROKEN = "broken"  # 5xx, garbage, a connection lost: try again, elsewhere
    SILENT = "silent"  # no byte for too long: elsewhere, and prove the server before it gets more
    UNREACHABLE = "unreachable"  # nobody listens: as SILENT
    EMPTY = "empty"  # reasoning only, or nothing: once more, then a failure of this request
    REFUSED = "refused"  # the server says the request is wrong: no use to repeat it
    KEY = "key"  # 401, 403
    TLS = "tls"
    CHANGED = "changed"  # another model answers than at the start


@dataclass(slots=True)
class Fault(Exception):
    """One failed call. `text` is for people and holds nothing of a document."""

    kind: Kind
    text: str
    prompt_tokens: int = 0
    n_ctx: int = 0

    def __str__(self) -> str:
        return self.text


_CONTEXT_TYPES = ("exceed_context_size_error", "context_length_exceeded")
# vLLM and OpenAI name the numbers in prose only.
_LIMIT = re.compile(r"maximum context length (?:is|of) (\d+)")
_ASKED = re.compile(r"(?:requested|resulted in|contains at least) (\d+)")


def from_answer(status: int, body: bytes) -> Fault:
    """The fault behind an HTTP answer that is none of 200; `body` as the server sent it."""
    error = _error_in(body)
    if status in (401, 403):
        return Fault(Kind.KEY, f"it refuses the key (HTTP {status})")
    return from_error(error, status)


def from_error(error: dict[str, object], status: int = 500) -> Fault:
    """The fault behind an error object, in an answer or in the middle of a stream.

    Of the server's message only what is known is repeated: it may quote the prompt.
    """
    message = str(error.get("message") or "")
    code = error.get("code")
    if isinstance(code, int) and not isinstance(code, bool):
        status = code
    if error.get("type") in _CONTEXT_TYPES or code in _CONTEXT_TYPES or _LIMIT.search(message):
        return _too_long(error, message)
    if "context size has been exceeded" in message.lower():
        return Fault(Kind.CROWDED, "its context overflowed")
    if status == 503 and "loading" in message.lower():
        return Fault(Kind.LOADING, "it is loading its model")
    if status in (429, 503):
        return Fault(Kind.CROWDED, f"it has no slot free (HTTP {status})")
    if status in (400, 404, 405, 413, 415, 422, 501):
        return Fault(Kind.REFUSED, f"it refuses the request (HTTP {status}{_words(error)})")
    return Fault(Kind.BROKEN, f"it answers HTTP {status}")


def from_transport(error: Exception) -> Fault:
    """The fault behind an exception of httpx."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return Fault(Kind.TLS, f"no secure connection: {getattr(cause, 'verify_message', '') or cause.reason}")
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        return Fault(Kind.UNREACHABLE, "it cannot be reached")
    if isinstance(error, httpx.TimeoutException):
        return Fault(Kind.SILENT, "it does not answer in time")
    return Fault(Kind.BROKEN, "it closed the connection")


def _too_long(error: dict[str, object], message: str) -> Fault:
    limit, asked = _LIMIT.search(message), _ASKED.search(message)
    prompt, context = error.get("n_prompt_tokens"), error.get("n_ctx")
    return Fault(
        Kind.TOO_LONG,
        "the prompt is over its context",
        prompt if isinstance(prompt, int) else int(asked[1]) if asked else 0,
        context if isinstance(context, int) else int(limit[1]) if limit else 0,
    )


def _error_in(body: bytes) -> dict[str, object]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    error = content.get("error", content) if isinstance(content, dict) else {}
    return error if isinstance(error, dict) else {"message": str(error)}


def _words(error: dict[str, object]) -> str:
    kind = error.get("type")
    return f", {kind}" if isinstance(kind, str) and re.fullmatch(r"[A-Za-z_]{1,60}", kind) else ""
