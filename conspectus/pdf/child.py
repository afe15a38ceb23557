"""The reading child: opens one PDF and answers requests for its pages with a JSON line each.

It runs in a process of its own because a PDF can eat all memory, loop, or crash its reader; only this process dies.

Protocol (one JSON object a line). stdin: first `{"descriptor", "size", "password", "engine", ...}`, then
`{"head": true}` or `{"read": [indexes]}`; at its end the child leaves. The password comes this way because command
lines and environments can be read by others. stdout: `{"head": {...}}`; `{"at": i}` before and `{"page": i, ...}`
after each page; `{"done": true}` after a request; or one `{"error": kind, "detail"}`.
"""

import contextlib
import json
import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

from conspectus.pdf.files import read_all
from conspectus.pdf.layers import Value
from conspectus.pdf.opening import Refusal

IDLE_SECONDS = 120  # CPU time for what lies between pages: labels, bookmarks


class PageTime(BaseException):
    """A page took more than its share of CPU time. No Exception: pypdf swallows those."""


def _limit(memory_mb: int, cpu_seconds: int) -> None:
    """Caps address space and CPU time, where the system knows how."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
        _allow_cpu(cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold the document


def _allow_cpu(seconds: float) -> None:
    """So many CPU seconds more, then SIGXCPU: it ends even a loop in C code that no Python signal handler reaches."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, hard))


def _late(*_: object) -> None:
    raise PageTime


@contextlib.contextmanager
def _page_time(seconds: float) -> Iterator[None]:
    """Raises PageTime inside after so many CPU seconds."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    _allow_cpu(2 * seconds + 2)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        _allow_cpu(IDLE_SECONDS)


def read_page(engine: Value, index: int, seconds: float) -> dict[str, Any]:
    """The row of one page, whatever happens short of the death of this process."""
    began = time.perf_counter()
    try:
        with _page_time(seconds):
            row: dict[str, Any] = engine.page(index)
    except PageTime:
        row = _lost("skipped", f"it took more than {seconds:g} seconds")
    except MemoryError:
        row = _lost("skipped", "it needs more memory than the limit")
    except RecursionError:
        row = _lost("failed", "it is nested too deeply (RecursionError)")
    return {"page": index, **row, "seconds": round(time.perf_counter() - began, 4)}


def _lost(status: str, reason: str) -> dict[str, Any]:
    return {"text": "", "status": status, "reason": reason, "warnings": [], "suspect": False}


def open_engine(data: bytes, setup: dict[str, Any]) -> Value:
    """The asked engine with the file open in it. Raises Refusal."""
    if setup["engine"] == "pdfium":
        from conspectus.pdf.second import Pdfium

        return Pdfium(data, setup["password"])
    from conspectus.pdf.engine import Pypdf, cache_fonts

    cache_fonts()
    return Pypdf(data, setup["password"], setup["detect"])


def serve(setup: dict[str, Any], requests: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The answers to all requests, in order."""
    try:
        data = read_all(setup["descriptor"], setup["size"])
        engine = open_engine(data, setup)
        for line in requests:
            request = json.loads(line)
            if "head" in request:
                yield {"head": engine.head()}
            for index in request.get("read", ()):
                yield {"at": index}
                yield read_page(engine, index, setup["page_seconds"])
            yield {"done": True}
    except Refusal as refusal:
        yield {"error": refusal.kind, "detail": str(refusal)[:300]}
    except MemoryError:
        yield {"error": "memory", "detail": ""}
    except RecursionError:
        yield {"error": "broken", "detail": "it is nested too deeply (RecursionError)"}


def main() -> None:
    """Reads the set-up from stdin and serves."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answers
    requests = sys.stdin.buffer
    setup = json.loads(requests.readline())
    _limit(setup["memory_mb"], setup["cpu_seconds"])
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, _late)
    with contextlib.suppress(BrokenPipeError):
        for answer in serve(setup, iter(lambda: requests.readline().decode(), "")):
            out.write(json.dumps(answer) + "\n")
            out.flush()
    os._exit(0)  # nothing to tidy; a broken pipe must not print


if __name__ == "__main__":
    main()
