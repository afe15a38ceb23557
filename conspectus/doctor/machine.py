"""What doctor reads of the machine: processor, memory, disks, limits, graphics. Linux files; absent is absent."""

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from conspectus.llama.planner_machine import cpu_quota, gpus, has_cuda_library, memory, physical_cores
from conspectus.plural import many

# What llama.cpp's kernels make use of, the most useful first.
_WANTED = "avx512f avx512_vnni avx512_bf16 amx_int8 avx_vnni avx2 fma f16c avx sse4_2 asimd asimddp i8mm sve".split()
_LITTLE_DISK = 2 << 30


@dataclass(frozen=True, slots=True)
class Row:
    """One thing doctor looked at. `state` is ok, warning or problem; `remedy` is the next step where it is not ok."""

    name: str
    text: str
    state: str = "ok"
    remedy: str = ""


def gib(size: int) -> str:
    """Bytes in GiB."""
    return f"{size / 2**30:.1f} GiB"


def read(path: Path) -> str:
    """The text of a small system file, stripped; empty where it cannot be read."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def machine_rows() -> list[Row]:
    """Processor, memory, graphics."""
    return [*cpu_rows(), *memory_rows(), *gpu_rows()]


def cpu_rows(proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> list[Row]:
    """Model, cores, instruction sets, NUMA, throttling."""
    info = read(proc / "cpuinfo")
    name, flags = "", set[str]()
    for line in info.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "model name" and not name:
            name = value
        if key in ("flags", "Features"):
            flags = set(value.split())
            break
    rows = [
        Row("processor", f"{name or platform.machine()}, {many(physical_cores(proc, sys), 'physical core')} to use")
    ]
    have = [flag for flag in _WANTED if flag in flags]
    rows.append(Row("instructions", ", ".join(have) or "none of those that llama.cpp makes use of"))
    if flags and not {"avx2", "asimd"} & flags:
        rows[-1] = Row(
            "instructions",
            f"no AVX2 ({', '.join(have)})",
            "warning",
            "A ready-made llama.cpp may end with SIGILL: build it here, with CMAKE_ARGS=-DGGML_NATIVE=on",
        )
    quota = cpu_quota(proc, sys)
    if quota:
        rows.append(Row("quota", f"{quota:g} {'processor' if quota == 1 else 'processors'} by the control group"))
    return [*rows, *_numa(sys), *_throttling(sys)]


def _numa(sys: Path) -> list[Row]:
    nodes = sorted((sys / "devices/system/node").glob("node[0-9]*"))
    if not nodes:
        return []
    if len(nodes) == 1:
        return [Row("NUMA", "one node")]
    layout = "; ".join(f"{node.name}: {read(node / 'cpulist')}" for node in nodes)
    return [
        Row(
            "NUMA",
            f"{len(nodes)} nodes ({layout})",
            "warning",
            "Weights in another node's memory are slow: run with numactl --cpunodebind=0 --membind=0",
        )
    ]


def _throttling(sys: Path) -> list[Row]:
    counts = [
        read(path) for path in (sys / "devices/system/cpu").glob("cpu[0-9]*/thermal_throttle/core_throttle_count")
    ]
    hot = sum(int(count) for count in counts if count.isdigit())
    rows = []
    if counts:
        state, remedy = ("warning", "The processor gets too hot: better cooling makes it faster") if hot else ("ok", "")
        rows.append(Row("heat", f"throttled {many(hot, 'time')} since the start", state, remedy))
    held = [
        line.split()[1] for line in read(sys / "fs/cgroup/cpu.stat").splitlines() if line.startswith("nr_throttled ")
    ]
    if held and int(held[0]):
        rows.append(
            Row(
                "quota",
                f"held back {many(int(held[0]), 'time')} by the control group",
                "warning",
                "Raise the CPU limit",
            )
        )
    governor = read(sys / "devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor == "powersave":
        rows.append(Row("governor", "powersave", "warning", "cpupower frequency-set -g performance"))
    return rows


def memory_rows(proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> list[Row]:
    """Main memory, and the limits on locking and mapping it."""
    total, free = memory(proc, sys)
    rows = [Row("memory", f"{gib(free)} free of {gib(total)}")]
    if free < 1 << 30:
        rows[0] = Row("memory", rows[0].text, "warning", "Close other programs: even the starter model wants 1 GiB")
    try:
        import resource
    except ImportError:
        return rows
    locked, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    rows.append(Row("mlock", f"limit {_limit(locked)}; conspectus locks nothing"))
    space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if space != resource.RLIM_INFINITY:
        rows.append(
            Row("address space", f"limit {_limit(space)}", "warning", "ulimit -v unlimited, or the model is not mapped")
        )
    return rows


def _limit(size: int) -> str:
    return "unlimited" if size < 0 or size >= 1 << 62 else f"{size / 2**20:,.0f} MiB"


def gpu_rows() -> list[Row]:
    """NVIDIA GPUs, and whether the installed llama.cpp can use them."""
    found, able = gpus(), has_cuda_library()
    if not found:
        return [Row("GPU", "none (nvidia-smi finds none)" + (", though llama.cpp is built for CUDA" if able else ""))]
    rows = [Row("GPU", f"{gpu.name}, {gib(gpu.free)} free of {gib(gpu.total)}, driver {gpu.driver}") for gpu in found]
    if not able:
        rows.append(
            Row(
                "llama.cpp",
                "built without CUDA: the GPU is not used",
                "warning",
                "Reinstall from source: CMAKE_ARGS=-DGGML_CUDA=on uv sync --reinstall-package llama-cpp-python",
            )
        )
    return rows


def disk_rows(folders: dict[str, Path]) -> list[Row]:
    """Free space at each folder; one that is not there yet is judged by the nearest above it."""
    rows = []
    for name, folder in folders.items():
        place = next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))
        free = shutil.disk_usage(place).free
        if not os.access(place, os.W_OK):
            rows.append(
                Row(name, f"{folder}: cannot be written", "problem", f"Set CONSPECTUS_{name.split()[0].upper()}")
            )
        elif free < _LITTLE_DISK:
            rows.append(Row(name, f"{folder}: {gib(free)} free", "warning", "Make room: conspectus cache stats"))
        else:
            rows.append(Row(name, f"{folder}: {gib(free)} free"))
    return rows
