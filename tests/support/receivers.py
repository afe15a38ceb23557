"""What stands at the other end of notifications and metrics in tests, on loopback."""

import json
import re
import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

SECRET = "tok3n-that-is-secret"


@contextmanager
def receiver(status: int = 200) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            got.append({**json.loads(content), "path": self.path})
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"json://127.0.0.1:{server.server_port}/{SECRET}", got
        finally:
            server.shutdown()
            thread.join()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def scraped(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return parsed(answer.read().decode())


def parsed(text: str) -> dict[str, float]:
    return {m[1]: float(m[2]) for m in re.finditer(r"^(conspectus_\S+?(?:\{.*\})?) (\S+)$", text, re.M)}
