"""`conspectus model serve`: a local llama-server with flags that fit the machine and that this very binary knows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from conspectus.errors import ConspectusError, ExitCode, ModelError, UsageError
from conspectus.llama import tether
from conspectus.spawn import spawned

_FLAG = re.compile(r"(?<![\w-])-{1,2}[A-Za-z][A-Za-z0-9-]*")
_HELP_S = 60.0  # a CUDA build looks for its devices first
_STOP_S = 3.0
_BUILD = (
    "Install llama.cpp so that llama-server is on PATH, or name it with --binary; the sources in llama-cpp-python's "
    "sdist build it: cmake -B build && cmake --build build --target llama-server"
)
# Its default is 8 GiB of main memory for prompts of the past (llama.cpp#22629); here the prefix in a slot is enough.
_CACHE_RAM_MIB = 256
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Serving:
    """What is to be served. `context` is in tokens of one slot; `gpu_layers` None: let the server choose."""

    model: Path
    port: int = 8080
    slots: int = 4
    context: int = 4096
    threads: int = 0
    gpu_layers: int | None = None
    cpu_moe_layers: int = 0
    kv_type: str = "f16"
    unified: bool = False
    mlock: bool = False


def flags_in(text: str) -> frozenset[str]:
    """The flags that a `--help` text names."""
    return frozenset(_FLAG.findall(text))


def probe(binary: str) -> frozenset[str]:
    """The flags that a binary knows, from its `--help`. Raises ModelError where it cannot be run."""
    try:
        done = subprocess.run([binary, "--help"], capture_output=True, timeout=_HELP_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise ModelError(f"{binary} cannot be run: {type(error).__name__}", _BUILD) from error
    known = flags_in((done.stdout + done.stderr).decode("utf-8", "replace"))
    if "--port" not in known or "--model" not in known:
        raise ModelError(f"{binary} is no llama-server: its --help names neither --model nor --port", _BUILD)
    return known


def find_binary(named: str | None) -> str:
    """The llama-server to run. Raises ModelError where there is none."""
    found = shutil.which(named or "llama-server")
    if found is None:
        raise ModelError(f"{named or 'llama-server'} was not found{'' if named else ' on PATH'}", _BUILD)
    return found


def command(binary: str, serving: Serving, known: frozenset[str]) -> list[str]:
    """The command line: only flags that the binary knows, since names change between releases (facts/llama.md 1, 3).

    The cache is split between the slots unless `unified`: measured faster from 8 slots on.
    """
    made = [binary, "--model", str(serving.model), "--host", HOST, "--port", str(serving.port)]

    def add(*flag_and_value: str) -> None:
        if flag_and_value[0] in known:
            made.extend(flag_and_value)

    total = serving.context if serving.unified else serving.context * serving.slots
    add("--parallel", str(serving.slots))
    add("--ctx-size", str(total))
    if serving.unified:
        add("--kv-unified")
    if serving.threads:
        add("--threads", str(serving.threads))
    if serving.gpu_layers is not None:
        add(_first(("--gpu-layers", "--n-gpu-layers"), known), str(serving.gpu_layers))
    if serving.cpu_moe_layers:
        add("--n-cpu-moe", str(serving.cpu_moe_layers))
    if serving.kv_type != "f16":
        add("--cache-type-k", serving.kv_type)
        add("--cache-type-v", serving.kv_type)
    if serving.mlock and "--load-mode" in known:
        add("--load-mode", "mlock")
    elif serving.mlock:
        add("--mlock")  # its name until 2026 (llama.cpp PR 20834)
    add("--cache-ram", str(_CACHE_RAM_MIB))
    add("--metrics")
    add("--slots")
    add("--jinja")
    add("--offline")
    add(_first(("--no-ui", "--no-webui"), known))
    return made


def _first(names: Sequence[str], known: frozenset[str]) -> str:
    return next((name for name in names if name in known), names[0])


def planned(model: str, context: int, slots: int) -> tuple[Serving, tuple[str, ...]]:
    """What to serve on this machine, and what there is to say about it. Raises ModelError where it does not fit."""
    from conspectus.llama.gguf import parts, read_header, resolve_model
    from conspectus.llama.planner import plan_engine
    from conspectus.llama.planner_machine import detect
    from conspectus.llama.planner_table import merged

    path = resolve_model(model)
    machine = detect()
    plan = plan_engine(merged([read_header(part) for part in parts(path)]), machine, context, slots)
    if not plan.fits:
        raise ModelError(
            f"{path.name} does not fit this machine: {'; '.join(plan.notes)}",
            f"See: conspectus model plan {model} --context {context} --slots {slots}",
        )
    serving = Serving(
        model=path,
        slots=plan.slots,
        context=plan.slot_context,
        threads=plan.threads,
        gpu_layers=plan.gpu_layers if machine.gpus else None,
        cpu_moe_layers=plan.cpu_moe_layers,
        kv_type=plan.kv_type,
    )
    return serving, plan.notes


def run_server(arguments: Sequence[str], base: str, say: Callable[[str], None]) -> int:
    """Runs the server until it ends or Ctrl-C (then 0); says when it can be used. Returns its exit code.

    It is stopped within three seconds, and on Linux ends with this process however that ends.
    """
    tethered = [sys.executable, "-P", "-S", tether.__file__, str(os.getpid()), *arguments]
    process = spawned(lambda: subprocess.Popen(tethered, start_new_session=True))
    told = False
    try:
        while process.poll() is None:
            if not told and _is_ready(base):
                told = True
                say(f"ready; use it with: conspectus digest FILE --model {base}")
            time.sleep(0.2)
        return process.returncode
    except KeyboardInterrupt:
        # The usual end of a server, nothing to say about.
        return 0
    finally:
        _stop(process)


def _is_ready(base: str) -> bool:
    import httpx

    try:
        return httpx.get(f"{base}/health", timeout=1.0, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def serve(
    file: Annotated[str, Parameter(show_env_var=False)] = "starter",
    /,
    *,
    port: int = 8080,
    slots: int = 4,
    context: int = 4096,
    binary: Annotated[str | None, Parameter(name="--binary")] = None,
    unified: Annotated[bool, Parameter(negative=())] = False,
    mlock: Annotated[bool, Parameter(negative=())] = False,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Start a llama-server on this machine with a model, set up so that it fits; Ctrl-C ends it.

    Examples:
      conspectus model serve my-model.gguf --slots 8
      conspectus model serve my-model.gguf --dry-run             prints the command of llama-server
      conspectus digest lease.pdf --model http://127.0.0.1:8080  in another terminal

    Parameters
    ----------
    file
        A .gguf file, or starter.
    port
        Port on 127.0.0.1; nothing outside this machine can reach it.
    slots
        Requests at the same time, at most.
    context
        Tokens of one slot, for prompt and answer together.
    binary
        The llama-server to run (default: the one on PATH).
    unified
        One context of so many tokens shared by all slots: less memory, slower with many slots.
    mlock
        Keep the model in main memory.
    dry_run
        Print the command and start nothing.
    """
    if not 0 < port < 65536 or slots < 1 or context < 1:
        raise UsageError("--port must be 1 to 65535, --slots and --context at least 1")
    from conspectus.llama.pool.address import is_address

    if is_address(file):
        raise UsageError(f"{file} is an address: it is served already", "Name a .gguf file, or starter")
    found = find_binary(binary)
    known = probe(found)
    serving, notes = planned(file, context, slots)
    made = command(found, replace(serving, port=port, unified=unified, mlock=mlock), known)
    for note in notes:
        print(f"model: {note}", file=sys.stderr)
    if dry_run:
        print(shlex.join(made))
        return ExitCode.OK
    base = f"http://{HOST}:{port}"
    if _is_ready(base):
        raise UsageError(f"another server answers at {base}", "Choose another one with --port")
    code = run_server(made, base, lambda message: print(f"model: {message}", file=sys.stderr, flush=True))
    if code:
        raise ConspectusError(f"llama-server ended with exit code {code}", "Its own messages above say why")
    return ExitCode.OK
