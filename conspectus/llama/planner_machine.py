"""What this machine has for a model: memory that is free, GPUs, cores. Reads Linux files and nvidia-smi only."""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_PROC, _SYS = Path("/proc"), Path("/sys")
_UNKNOWN_RAM = 8 << 30
_SMI = ("--query-gpu=name,memory.total,memory.free,driver_version", "--format=csv,noheader,nounits")


@dataclass(frozen=True, slots=True)
class Gpu:
    """One NVIDIA GPU; sizes in bytes."""

    name: str
    total: int
    free: int
    driver: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Memory in bytes, as free now and within the limits of this process; `cores` are physical ones it may use.

    `gpus` are those that llama.cpp could use; `unused_gpus` are there, but the installed library is built without CUDA.
    """

    ram: int
    cores: int
    gpus: tuple[Gpu, ...] = ()
    ram_total: int = 0
    unused_gpus: tuple[Gpu, ...] = ()

    def with_memory(self, ram_gb: float | None, vram_gb: float | None) -> "Machine":
        """The same with other sizes, in GiB; `vram_gb` 0 is a machine without a GPU."""
        machine = self if ram_gb is None else replace(self, ram=int(ram_gb * 2**30), ram_total=int(ram_gb * 2**30))
        if vram_gb is None:
            return machine
        size = int(vram_gb * 2**30)
        return replace(machine, gpus=(Gpu("GPU as given", size, size),) if size else (), unused_gpus=())

    def shared_by(self, engines: int) -> "Machine":
        """What each of so many engines may count on, started side by side."""
        return replace(self, ram=self.ram // engines, cores=max(1, self.cores // engines))

    def with_gpu(self, index: int) -> "Machine":
        """The same with one GPU only, for an engine that owns this one."""
        return replace(self, gpus=self.gpus[index : index + 1])


def detect() -> Machine:
    """The machine as it is now. Never raises: what cannot be read counts as absent."""
    total, free = memory()
    found = gpus()
    usable = found if has_cuda_library() else ()
    return Machine(free, physical_cores(), usable, total, () if usable else found)


def memory(proc: Path = _PROC, sys: Path = _SYS) -> tuple[int, int]:
    """Main memory, all of it and what is free, within the limits of this process's control group."""
    sizes = {}
    for line in _text(proc / "meminfo").splitlines():
        name, _, rest = line.partition(":")
        sizes[name] = int(rest.split()[0]) * 1024 if rest.split() and rest.split()[0].isdigit() else 0
    total = sizes.get("MemTotal", 0) or _UNKNOWN_RAM
    free = sizes.get("MemAvailable", 0) or total // 2
    for limit, used in _group_limits(proc, sys):
        total, free = min(total, limit), min(free, max(limit - used, 0))
    return total, free


def _group_limits(proc: Path, sys: Path) -> list[tuple[int, int]]:
    """Limit and use of each control group above this process, in bytes; version 2 first, else version 1."""
    found = []
    for number, controllers, path in _groups(proc):
        if number == "0" and not controllers:
            root, names = sys / "fs/cgroup", ("memory.max", "memory.current", "memory.stat")
        elif "memory" in controllers.split(","):
            root = sys / "fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
        else:
            continue
        folder = root / path.lstrip("/")
        while True:
            limit, used = _number(folder / names[0]), _number(folder / names[1])
            if limit is not None and limit < 1 << 60:
                found.append((limit, max((used or 0) - _reclaimable(folder / names[2]), 0)))
            if folder == root or root not in folder.parents:
                break
            folder = folder.parent
    return found


def _reclaimable(stat: Path) -> int:
    # Pages of files: the kernel gives them up when memory is wanted.
    for line in _text(stat).splitlines():
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            return int(line.split()[1])
    return 0


def physical_cores(proc: Path = _PROC, sys: Path = _SYS) -> int:
    """Physical cores that this process may use: hyper-threads count once, affinity and CPU quota are kept."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pairs, package, logical = set(), "0", 0
    for line in _text(proc / "cpuinfo").splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "processor":
            logical += 1
        elif name == "physical id":
            package = value
        elif name == "core id":
            pairs.add((package, value))
    physical = len(pairs) or logical or allowed
    # Where only some of the threads are allowed, nobody says which: the same share of the cores is taken.
    share = max(1, physical * min(allowed, logical or allowed) // (logical or allowed))
    quota = cpu_quota(proc, sys)
    return max(1, min(share, int(quota)) if quota else share)


def cpu_quota(proc: Path = _PROC, sys: Path = _SYS) -> float | None:
    """Processors that the control group allows, None without a limit."""
    path = next((p for n, c, p in _groups(proc) if n == "0" and not c), "")
    words = _text(sys / "fs/cgroup" / path.lstrip("/") / "cpu.max").split()
    if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
        return int(words[0]) / int(words[1])
    quota, period = _number(sys / "fs/cgroup/cpu/cpu.cfs_quota_us"), _number(sys / "fs/cgroup/cpu/cpu.cfs_period_us")
    return quota / period if quota and quota > 0 and period else None


def _groups(proc: Path) -> list[tuple[str, str, str]]:
    lines = [line.split(":", 2) for line in _text(proc / "self/cgroup").splitlines()]
    return [(line[0], line[1], line[2]) for line in lines if len(line) == 3]


def gpus() -> tuple[Gpu, ...]:
    """The NVIDIA GPUs, by nvidia-smi where it is installed."""
    program = shutil.which("nvidia-smi")
    if not program:
        return ()
    try:
        done = subprocess.run([program, *_SMI], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    return read_smi(done.stdout.splitlines())


def read_smi(lines: Sequence[str]) -> tuple[Gpu, ...]:
    """The GPUs in nvidia-smi's lines `name, total MiB, free MiB, driver`; a line that is none is left out."""
    found = []
    for line in lines:
        parts = [part.strip() for part in line.split(",")]
        if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
            found.append(Gpu(parts[0], int(parts[1]) << 20, int(parts[2]) << 20, parts[3]))
    return tuple(found)


def library_folder() -> Path | None:
    """The folder of llama.cpp's shared libraries, found without loading them."""
    named = os.environ.get("LLAMA_CPP_LIB_PATH")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("llama_cpp")
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) / "lib" if places else None


def has_cuda_library() -> bool:
    """Whether the installed llama.cpp has its CUDA part."""
    folder = library_folder()
    return folder is not None and any(folder.glob("*ggml-cuda*"))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.lstrip("-").isdigit() else None
