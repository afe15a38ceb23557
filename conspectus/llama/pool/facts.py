"""What a server says about itself: which model, how many slots, how much context."""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import httpx

from conspectus.errors import UsageError
from conspectus.llama.pool.faults import Fault, Kind, from_answer, from_transport
from conspectus.llama.pool.settings import PoolSettings

_POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """One server. `identity` is a sha256 over what tells models apart (name, file name, sizes, chat template).

    `build` is the program's version: other builds may word the same answer differently. `is_llama`: llama.cpp's own
    server. `told` is false where slots and context are our settings, since the server does not tell them.
    """

    name: str
    identity: str
    build: str
    slots: int
    context: int
    is_llama: bool
    told: bool


async def read_facts(
    client: httpx.AsyncClient, model: str, settings: PoolSettings, on_loading: Callable[[str], None] | None = None
) -> ServerFacts:
    """Asks a server what it is; on a router loads `model` first.

    Raises Fault, and UsageError where a router's model must be named or is none of its models.
    """
    if model:
        # Before anything else is asked: a router would load it in the middle of that request.
        await _load(client, model, settings, on_loading)
    props = await _get(client, "/props", {"model": model} if model else {})
    if props is not None and props.get("role") == "router":
        raise UsageError(
            f"{client.base_url} holds several models: {', '.join(await _names(client)) or 'none yet'}",
            f"Name one of them: --model {str(client.base_url).rstrip('/')}#NAME",
        )
    listed = await _listed(client, model)
    if props is not None and "default_generation_settings" in props:
        return _llama_facts(props, listed, settings)
    return _other_facts(listed, model, settings)


def _llama_facts(props: dict[str, Any], listed: dict[str, Any], settings: PoolSettings) -> ServerFacts:
    generation, meta = _dict(props.get("default_generation_settings")), _dict(listed.get("meta"))
    template = str(props.get("chat_template") or "")
    path = PurePosixPath(str(props.get("model_path") or "").replace("\\", "/")).name
    name = path.removesuffix(".gguf") or str(listed.get("id") or "unnamed")
    slots, context = props.get("total_slots"), generation.get("n_ctx")
    told = isinstance(slots, int) and isinstance(context, int) and context > 0
    identity = {
        "name": path or listed.get("id"),
        "sizes": {key: meta.get(key) for key in ("n_params", "n_vocab", "size", "n_embd")},
        "ftype": props.get("model_ftype") or meta.get("ftype"),
        "template": hashlib.sha256(template.encode()).hexdigest(),
    }
    return ServerFacts(
        name=name,
        identity=_digest(identity),
        build=str(props.get("build_info") or ""),
        slots=max(1, slots) if isinstance(slots, int) else settings.slots,
        context=context if isinstance(context, int) and context > 0 else settings.context,
        is_llama=True,
        told=told,
    )


def _other_facts(listed: dict[str, Any], model: str, settings: PoolSettings) -> ServerFacts:
    name = model or str(listed.get("id") or "")
    if not name:
        raise Fault(Kind.REFUSED, "it names no model under /v1/models")
    longest = listed.get("max_model_len")  # vLLM tells it
    context = min(settings.context, longest) if isinstance(longest, int) and longest > 0 else settings.context
    identity = {"name": name, "root": listed.get("root"), "api": "openai"}
    return ServerFacts(name, _digest(identity), "", settings.slots, context, is_llama=False, told=False)


async def _get(client: httpx.AsyncClient, path: str, query: dict[str, str]) -> dict[str, Any] | None:
    """A JSON object, or None where the server knows no such path."""
    try:
        response = await client.get(path, params=query)
    except httpx.HTTPError as error:
        raise from_transport(error) from error
    if response.status_code != 200:
        fault = from_answer(response.status_code, response.content)
        if fault.kind is Kind.REFUSED:
            return None
        raise fault
    try:
        content = response.json()
    except ValueError:
        # A catch-all page of some other program.
        return None
    return content if isinstance(content, dict) else None


async def _entries(client: httpx.AsyncClient, path: str) -> list[dict[str, Any]]:
    content = await _get(client, path, {}) or {}
    data = content.get("data")
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


async def _listed(client: httpx.AsyncClient, model: str) -> dict[str, Any]:
    entries = await _entries(client, "/v1/models")
    named = [entry for entry in entries if _is_named(entry, model)]
    return named[0] if named else entries[0] if entries and not model else {}


async def _names(client: httpx.AsyncClient) -> list[str]:
    return [str(entry.get("id")) for entry in await _entries(client, "/models")][:20]


async def _load(
    client: httpx.AsyncClient, model: str, settings: PoolSettings, on_loading: Callable[[str], None] | None
) -> None:
    """Has a router load `model` and waits for it; does nothing where the server is no router."""
    asked, end = False, time.monotonic() + settings.loading_s
    while time.monotonic() < end:
        # Only a router says of each model whether it is loaded.
        entries = [entry for entry in await _entries(client, "/models") if isinstance(entry.get("status"), dict)]
        if not entries:
            return
        entry = next((entry for entry in entries if _is_named(entry, model)), None)
        if entry is None:
            names = ", ".join(str(known.get("id")) for known in entries[:20])
            raise UsageError(f"{client.base_url} has no model {model!r}", f"It has: {names}")
        status = entry["status"]
        if status.get("value") in ("loaded", "sleeping"):
            return
        if asked and status.get("failed"):
            raise Fault(Kind.REFUSED, f"it cannot load {model} (its process ended with {status.get('exit_code')})")
        if not asked:
            asked = True
            if on_loading:
                on_loading(f"{client.base_url}: loading {model}")
            await _post_load(client, model)
        await asyncio.sleep(_POLL_S)
    raise Fault(Kind.LOADING, f"it is still loading {model}")


def _is_named(entry: dict[str, Any], model: str) -> bool:
    aliases = entry.get("aliases")
    return entry.get("id") == model or (isinstance(aliases, list) and model in aliases)


async def _post_load(client: httpx.AsyncClient, model: str) -> None:
    try:
        response = await client.post("/models/load", json={"model": model})
    except httpx.HTTPError as error:
        raise from_transport(error) from error
    # Loading already, or loaded in the meantime: what GET /models says decides.
    if response.status_code in (401, 403):
        raise from_answer(response.status_code, response.content)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
