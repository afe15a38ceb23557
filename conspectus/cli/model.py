"""`conspectus model`: what a model file is, what is wrong with it, how it fits this machine."""

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from conspectus.errors import ExitCode, ModelError, UsageError

if TYPE_CHECKING:
    from conspectus.llama.planner_machine import Machine

app = App(
    name="model",
    help="""Look at a model file without loading it.

Examples:
  conspectus model inspect my-model.gguf          architecture, quantisation, context, template
  conspectus model check my-model.gguf            what is wrong with it; exit code 5 where something is
  conspectus model plan my-model.gguf --context 32768 --slots 4
  conspectus model serve my-model.gguf            a llama-server on this machine, for --model http://127.0.0.1:8080
""",
    help_format="plaintext",
)

# Loaded when it is called: it needs httpx.
app.command("conspectus.llama.serve:serve", name="serve", help="Start a llama-server on this machine with a model.")

_Json = Annotated[bool, Parameter(negative=())]


@app.command
def inspect(file: str, *, sha256: Annotated[bool, Parameter(negative=())] = False, json: _Json = False) -> int:
    """Say what a model file is, from its header: nothing is loaded.

    Examples:
      conspectus model inspect starter
      conspectus model inspect my-model.gguf --sha256     also the hash, to compare it with the publisher's
      conspectus model inspect https://example.org/some-7b.gguf --json

    Parameters
    ----------
    file
        A .gguf file, starter, or the http(s) address of a .gguf file, of which only the header is fetched.
    sha256
        Also take the hash of the whole file, to compare it with the publisher's.
    json
        One JSON object.
    """
    from conspectus.llama.inspect_file import inspect_address, inspect_file, is_address
    from conspectus.llama.inspection import render_inspection

    if is_address(file):
        if sha256:
            raise UsageError("--sha256 needs the whole file, and only the header of an address is fetched")
        facts = inspect_address(file)
    else:
        facts = inspect_file(file, sha256=sha256, progress=_Percent("hashed") if sha256 else None)
    print(json_format.dumps(facts, ensure_ascii=False) if json else render_inspection(facts))
    return ExitCode.OK


class _Percent:
    """Progress of a long step on one line of stderr; silent where that is no terminal."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = -1

    def __call__(self, done: int, total: int) -> None:
        percent = 100 * done // total if total else 100
        if percent != self._shown and sys.stderr.isatty():
            self._shown = percent
            print(f"\r{percent:3} % {self._what}", end="\n" if percent == 100 else "", file=sys.stderr, flush=True)


@app.command
def check(file: str, *, context: int = 0, json: _Json = False) -> int:
    """Say what is wrong with a model file. Exit code 0: it can be used; 5: it cannot.

    Examples:
      conspectus model check my-model.gguf
      conspectus model check my-model.gguf --context 32768 --json

    Parameters
    ----------
    file
        A .gguf file, or starter.
    context
        Tokens that you want to use, compared with what the model was trained on.
    json
        One JSON object.
    """
    from conspectus.llama.inspect_check import check_file

    findings = check_file(file, context)
    broken = any(finding.is_error for finding in findings)
    if json:
        rows = [
            {"level": "error" if one.is_error else "warning", "message": one.message, "remedy": one.remedy}
            for one in findings
        ]
        print(json_format.dumps({"file": file, "usable": not broken, "findings": rows}, ensure_ascii=False))
    else:
        for one in findings:
            print(f"{'error' if one.is_error else 'warning'}: {one.message}")
            if one.remedy:
                print(f"  {one.remedy}")
        print(f"{file}: {'cannot be used' if broken else 'can be used'}")
    return ExitCode.MODEL if broken else ExitCode.OK


@app.command
def plan(
    file: str,
    *,
    context: int = 4096,
    slots: int | None = None,
    vram: float | None = None,
    ram: float | None = None,
    json: _Json = False,
) -> int:
    """Say how a model would be run so that it fits: layers on the GPU, cache type, slots, memory. Nothing is loaded.

    Examples:
      conspectus model plan my-model.gguf --context 16384 --slots 4
      conspectus model plan my-model.gguf --vram 24 --ram 64      for another machine

    Parameters
    ----------
    file
        A .gguf file, or starter.
    context
        Tokens of one slot, for prompt and answer together.
    slots
        Requests at the same time, at most (default: as many as a digest would use).
    vram
        GiB of GPU memory that are free (default: what nvidia-smi says); 0: no GPU.
    ram
        GiB of main memory that are free (default: what this machine has).
    json
        One JSON object.
    """
    from conspectus.llama.gguf import parts, read_header, resolve_model
    from conspectus.llama.planned import Asked, engine_plan
    from conspectus.llama.planner_machine import detect
    from conspectus.llama.planner_table import merged, plan_table, render_plan

    if context < 1 or (slots is not None and slots < 1) or (vram or 0) < 0 or (ram or 1) <= 0:
        raise UsageError("--context, --slots and --ram must be above 0, --vram 0 or more")
    path: Path = resolve_model(file)
    header = merged([read_header(part) for part in parts(path)])
    if not header.number("block_count"):
        raise ModelError(f"{path} does not say how many layers it has", f"Run: conspectus model check {file}")
    machine: Machine = detect().with_memory(ram, vram)
    made = engine_plan(Asked(context, slots=slots), header, machine)
    table = plan_table(header, machine, made, file=str(path))
    print(json_format.dumps(table, ensure_ascii=False) if json else render_plan(table))
    return ExitCode.OK if made.fits else ExitCode.MODEL
