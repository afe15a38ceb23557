"""A scripted llama-server (or OpenAI-compatible server, or router) on loopback, with faults by the number of the call.

Run as a program it takes llama-server's flags, so that `model serve` can be tried without the real one.
"""

import json
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

Fault = Callable[[int, dict[str, Any]], str | None]
_SHOWN = re.compile(r"^\[(\d+)\] (.*)$", re.M)


def tokens(text: str) -> int:
    """Tokens as this server counts them."""
    return len(re.findall(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9\s]", text))


def answer_of(body: dict[str, Any]) -> str:
    """The sentences that the prompt asks for, one numbered line each; else what the prompt says last."""
    prompt = body["messages"][-1]["content"]
    shown = dict(_SHOWN.findall(prompt))
    labels = re.findall(r'"(\d+):"', body.get("grammar", "")) or list(shown)
    if not labels:
        return f"yes {prompt[-40:]}"
    return "\n".join(f"{label}: {shown.get(label, 'nothing')}" for label in labels)


class FakeServer:
    """One server; all attributes may be changed while it runs. `fault(n, body)` names the fault of the n-th call.

    Faults: error500, hang, close, garbage, notjson, crowded, busy, loading, reasoning, empty, toolong, key, slow,
    drop (connection closed before any answer), loop.
    """

    def __init__(self, kind: str = "llama", *, slots: int = 4, context: int = 4096, port: int = 0) -> None:
        self.kind = kind
        self.slots = slots
        self.context = context
        self.model = "qwen-7b"
        self.n_params = 7_000_000_000
        self.build = "b100-abc"
        self.key = ""
        self.is_loading = False
        self.piece_s = 0.0
        self.hang_s = 30.0
        self.extra_tokens = 0
        self.has_input_tokens = True
        self.strict = False
        self.fault: Fault = lambda _n, _body: None
        self.answer: Callable[[dict[str, Any]], str] = answer_of
        self.calls: list[dict[str, Any]] = []
        self.paths: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.hosts: set[str] = set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.completed: Counter[str] = Counter()
        self.routed = {"qwen-7b": "unloaded", "qwen-14b": "unloaded"}
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self._http = _Server(("127.0.0.1", port), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.drop()

    def serve(self) -> None:
        """Serves in this thread."""
        self._http.serve_forever(0.02)

    def secure(self, context: Any) -> None:
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        self._open.discard(request)
        super().close_request(request)

    def drop(self) -> None:
        for one in list(self._open):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that break are what this server is for."""


def _handler(fake: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        server_of = fake

    return Handler


class _Handler(BaseHTTPRequestHandler):
    server_of: FakeServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        fake, url = self.server_of, urlsplit(self.path)
        if not self._admitted(url.path):
            return
        name = parse_qs(url.query).get("model", [""])[0]
        if url.path in ("/models", "/v1/models"):
            self._json(200, {"data": self._models()})
        elif url.path == "/props" and fake.kind == "router" and not name:
            self._json(200, {"role": "router", "default_generation_settings": {"n_ctx": 0}})
        elif url.path == "/props" and fake.kind in ("llama", "router"):
            self._json(200, self._props(name or fake.model))
        elif url.path == "/health":
            self._json(200, {"status": "ok"})
        else:
            self._json(404, {"error": {"code": 404, "type": "not_found_error", "message": "File Not Found"}})

    def do_POST(self) -> None:
        fake, path = self.server_of, urlsplit(self.path).path
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if not self._admitted(path):
            return
        if path == "/v1/chat/completions":
            self._chat(body)
        elif fake.kind == "openai":
            self._json(404, {"error": {"message": "no such path"}})
        elif path == "/v1/chat/completions/input_tokens" and fake.has_input_tokens:
            self._json(200, {"input_tokens": self._prompt_tokens(body)})
        elif path == "/apply-template":
            self._json(200, {"prompt": " ".join(m["content"] for m in body["messages"])})
        elif path == "/tokenize":
            self._json(200, {"tokens": list(range(tokens(body["content"])))})
        elif path == "/models/load" and body["model"] in fake.routed:
            fake.routed[body["model"]] = "loaded"
            self._json(200, {"success": True})
        else:
            self._json(404, {"error": {"code": 404, "type": "not_found_error", "message": "File Not Found"}})

    def _admitted(self, path: str) -> bool:
        fake = self.server_of
        with fake.lock:
            fake.paths[path] += 1
            fake.hosts.add(self.headers.get("Host", ""))
        if fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
            self._json(401, {"error": {"code": 401, "type": "authentication_error", "message": "Invalid API Key"}})
            return False
        if fake.is_loading:
            self._json(503, {"error": {"code": 503, "type": "unavailable_error", "message": "Loading model"}})
            return False
        return True

    def _models(self) -> list[dict[str, Any]]:
        fake = self.server_of
        if fake.kind == "router":
            return [{"id": name, "status": {"value": value}} for name, value in fake.routed.items()]
        entry: dict[str, Any] = {"id": fake.model}
        if fake.kind == "llama":
            entry["meta"] = {"n_params": fake.n_params, "n_vocab": 1000, "size": 1, "n_embd": 64}
        return [entry]

    def _props(self, name: str) -> dict[str, Any]:
        fake = self.server_of
        return {
            "default_generation_settings": {"n_ctx": fake.context},
            "total_slots": fake.slots,
            "model_path": f"/models/{name}.gguf",
            "chat_template": "{{ messages }}",
            "build_info": fake.build,
        }

    def _prompt_tokens(self, body: dict[str, Any]) -> int:
        return sum(tokens(m["content"]) + 4 for m in body["messages"])

    def _chat(self, body: dict[str, Any]) -> None:
        fake = self.server_of
        with fake.lock:
            fake.calls.append(body)
            number = len(fake.calls)
            fake.in_flight += 1
            fake.most_in_flight = max(fake.most_in_flight, fake.in_flight)
            fault = fake.fault(number, body)
            if fault:
                fake.faults[fault] += 1
        try:
            self._answer(body, fault)
        finally:
            with fake.lock:
                fake.in_flight -= 1

    def _answer(self, body: dict[str, Any], fault: str | None) -> None:
        fake = self.server_of
        prompt = self._prompt_tokens(body)
        if fake.strict and "chat_template_kwargs" in body:
            self._json(400, {"error": {"message": "Unrecognized request argument supplied: chat_template_kwargs"}})
        elif fault == "toolong" or prompt >= fake.context:
            error = {"code": 400, "type": "exceed_context_size_error", "message": f"request ({prompt} tokens) exceeds"}
            self._json(400, {"error": {**error, "n_prompt_tokens": prompt, "n_ctx": fake.context}})
        elif fault in _STATUS:
            code, message = _STATUS[fault]
            self._json(code, {"error": {"code": code, "type": "server_error", "message": message}})
        elif fault == "notjson":
            self._raw(b"<html>Bad Gateway</html>")
        elif fault == "drop":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._stream(body, fault, prompt)

    def _stream(self, body: dict[str, Any], fault: str | None, prompt: int) -> None:
        fake = self.server_of
        text = "" if fault == "empty" else fake.answer(body)
        if fault == "loop":
            text = "again and again\n" * 50
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        name = body.get("model") or fake.model
        base = {"model": name, "system_fingerprint": fake.build, "object": "chat.completion.chunk"}
        self._event({**base, "prompt_progress": {"total": prompt, "processed": prompt}})
        pieces = [text[at : at + 12] for at in range(0, len(text), 12)]
        field = "reasoning_content" if fault == "reasoning" else "content"
        for place, piece in enumerate(pieces):
            if fault and place == len(pieces) // 2 and self._breaks(fault):
                return
            if fake.piece_s or fault == "slow":
                time.sleep(fake.piece_s or 0.5)
            self._event({**base, "choices": [{"index": 0, "delta": {field: piece}, "finish_reason": None}]})
        count = tokens(text)
        cut = count > body["max_tokens"]
        self._event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "length" if cut else "stop"}]})
        usage = {"prompt_tokens": prompt + fake.extra_tokens, "completion_tokens": count}
        self._event({**base, "choices": [], "usage": usage, "timings": {"cache_n": 3}})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")
        with fake.lock:
            fake.completed[body["messages"][-1]["content"]] += 1

    def _breaks(self, fault: str) -> bool:
        """The faults in the middle of an answer; true where the answer ends there."""
        if fault == "hang":
            self.server_of.stopping.wait(self.server_of.hang_s)
        elif fault == "garbage":
            self._chunk(b'data: {"choices": [{"delta": {"cont\n\n')
        elif fault == "overflow":
            message = "Context size has been exceeded."
            self._chunk(b"error: " + json.dumps({"code": 500, "message": message, "type": "server_error"}).encode())
            self._chunk(b"\n\n")
        elif fault != "close":
            return False
        self.close_connection = True
        return True

    def _event(self, event: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _json(self, code: int, content: object) -> None:
        self._raw(json.dumps(content).encode(), code)

    def _raw(self, data: bytes, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


_STATUS = {
    "error500": (500, "something went wrong"),
    "crowded": (500, "Context size has been exceeded."),
    "busy": (503, "no slot available"),
    "loading": (503, "Loading model"),
    "key": (401, "Invalid API Key"),
}

_HELP = """----- common params -----
-h,    --help, --usage                  print usage and exit
-c,    --ctx-size N                     size of the prompt context
-ngl,  --gpu-layers, --n-gpu-layers N   max. number of layers to store in VRAM
{loading}
-t,    --threads N                      number of CPU threads
-ctk,  --cache-type-k TYPE              KV cache data type for K
-np,   --parallel N                     number of server slots
-kvu,  --kv-unified, -no-kvu, --no-kv-unified   use single unified KV buffer
-cram, --cache-ram N                    set the maximum cache size in MiB
       --offline                        Offline mode
-m,    --model FNAME                    model path to load
       --host HOST                      ip address to listen
       --port PORT                      port to listen
       --ui, --webui, --no-ui, --no-webui   whether to enable the Web UI
       --metrics                        enable prometheus compatible metrics endpoint
       --jinja, --no-jinja              whether to use jinja template engine for chat
"""
_LOADING = {
    "new": "-lm,   --load-mode MODE                 model loading mode",
    "old": "       --mlock                          force system to keep model in RAM\n"
    "       --no-mmap                        do not memory-map model",
}


def main(arguments: list[str], age: str = "new") -> int:
    """llama-server's command line, as far as `model serve` uses it."""
    if "--help" in arguments:
        print(_HELP.format(loading=_LOADING[age]))
        return 0
    given = dict(zip(arguments, [*arguments[1:], ""], strict=True))
    slots = int(given.get("--parallel", 1))
    fake = FakeServer(slots=slots, context=int(given["--ctx-size"]) // slots, port=int(given["--port"]))
    fake.model = given["--model"].rsplit("/", 1)[-1].removesuffix(".gguf")
    print(json.dumps(arguments), file=sys.stderr, flush=True)
    fake.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
