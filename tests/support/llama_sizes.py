"""Prints, as JSON, the buffer sizes that llama.cpp reports for a model and context settings; run as a program.

usage: llama_sizes.py FILE '{"n_ctx": 4096, ...}'
"""

import ctypes
import json
import re
import sys

import llama_cpp as lib

_LINE = re.compile(r"(KV|RS|compute|output|model) buffer size = +([0-9.]+) MiB")


def main(path: str, settings: dict[str, int]) -> None:
    sizes: dict[str, float] = {}
    lines: list[str] = []

    def take(_level: int, text: bytes, _data: object) -> None:
        lines.append(text.decode("utf-8", "replace"))

    callback = lib.llama_log_callback(take)
    lib.llama_log_set(callback, ctypes.c_void_p(0))
    model = lib.llama_model_load_from_file(path.encode(), lib.llama_model_default_params())
    if model:
        params = lib.llama_context_default_params()
        for name, value in settings.items():
            setattr(params, name, value)
        context = lib.llama_init_from_model(model, params)
        sizes["loaded"] = 1.0 if context else 0.0
    for kind, size in _LINE.findall("".join(lines)):
        sizes[kind] = sizes.get(kind, 0.0) + float(size)
    if "-v" in sys.argv:
        print("".join(lines), file=sys.stderr)
    print(json.dumps(sizes))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
