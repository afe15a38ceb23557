"""Plays the engine process without llama.cpp: the protocol of conspectus.llama.child, accidents included.

A request whose last message holds `DIES` kills the process each time; `DIES ONCE` the first time only (a file beside
the model remembers it); `HANGS` never ends; `WAITS` ends after half a second; `LONG` does not fit.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

CONTEXT = 2048
_lock = threading.Lock()
_alone = threading.Lock()
cancelled: set[int] = set()


def send(**message: object) -> None:
    with _lock:
        print(json.dumps(message), flush=True)


def answer(call: int, request: dict[str, object], model: Path) -> None:
    text = str(request["messages"][-1]["content"])  # type: ignore[index]
    if "LONG" in text:
        send(id=call, error="it does not fit", retryable=False, prompt_tokens=5000, context=CONTEXT)
        return
    send(id=call, started=True)
    send(progress={str(call): [10, 4]}, speed=[1.0, 1.0])
    mark = model.with_suffix(".died")
    if "DIES" in text and not ("ONCE" in text and mark.exists()):
        mark.touch()
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGKILL)
    end = time.monotonic() + (3600 if "HANGS" in text else 0.5 if "WAITS" in text else 0)
    while time.monotonic() < end:
        if call in cancelled:
            return
        time.sleep(0.01)
    result = {"lines": [text], "cut": [], "finish": "stop", "prompt_tokens": 10, "cached_tokens": 0,
              "generated_tokens": 4, "seconds": 0.1}  # fmt: skip
    send(id=call, result=result)


def one_by_one(call: int, request: dict[str, object], model: Path) -> None:
    with _alone:
        answer(call, request, model)


def main() -> None:
    load = json.loads(sys.stdin.readline())
    model = Path(load["path"])
    if not model.exists():
        send(event="failed", reason="failed to open the file: No such file or directory")
        return
    notes = load["asked"]["kv_type"] or ""
    if notes == "q4_0":
        send(event="failed", reason="it does not fit: 9 GiB needed", remedy="Take a smaller model")
        return
    send(event="vocab", slots=2, threads=3, gpu_layers=0, kv_type=load["asked"]["kv_type"] or "f16",
         notes=["the experts stay in main memory"])  # fmt: skip
    send(event="loaded")
    for line in sys.stdin:
        message = json.loads(line)
        if message["op"] == "complete":
            run = one_by_one if message.get("alone") else answer
            threading.Thread(target=run, args=(message["id"], message["request"], model), daemon=True).start()
        elif message["op"] == "cancel":
            cancelled.update(message["ids"])
        else:
            send(id=message["id"], result=7 if message["op"] == "count" else [7] * len(message["texts"]))
    os._exit(0)


if __name__ == "__main__":
    main()
