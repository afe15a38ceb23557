from pathlib import Path

import pytest

from conspectus.llama import planner_machine
from conspectus.llama.planner_machine import Gpu, Machine, cpu_quota, memory, physical_cores, read_smi

MEMINFO = "MemTotal:       16000000 kB\nMemFree: 1000 kB\nMemAvailable:   12000000 kB\n"


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    proc, sys = tmp_path / "proc", tmp_path / "sys"
    (proc / "self").mkdir(parents=True)
    (sys / "fs/cgroup").mkdir(parents=True)
    (proc / "meminfo").write_text(MEMINFO)
    return proc, sys


def test_memory_without_a_control_group(roots: tuple[Path, Path]) -> None:
    assert memory(*roots) == (16_000_000 * 1024, 12_000_000 * 1024)


def test_the_limit_of_a_control_group_above_counts(roots: tuple[Path, Path]) -> None:
    proc, sys = roots
    (proc / "self/cgroup").write_text("0::/box/run\n")
    folder = sys / "fs/cgroup/box"
    (folder / "run").mkdir(parents=True)
    (folder / "run/memory.max").write_text("max\n")
    (folder / "memory.max").write_text(f"{4 << 30}\n")
    (folder / "memory.current").write_text(f"{3 << 30}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {1 << 30}\n")
    assert memory(proc, sys) == (4 << 30, 2 << 30)


def test_control_groups_of_version_one(roots: tuple[Path, Path]) -> None:
    proc, sys = roots
    (proc / "self/cgroup").write_text("5:cpu,cpuacct:/x\n7:memory:/box\n")
    folder = sys / "fs/cgroup/memory/box"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text(f"{2 << 30}")
    (folder / "memory.usage_in_bytes").write_text(f"{1 << 30}")
    assert memory(proc, sys) == (2 << 30, 1 << 30)


def test_threads_of_one_core_count_once(roots: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    proc, sys = roots
    rows = [(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 0, 1), (4, 1, 0), (5, 1, 1), (6, 1, 0), (7, 1, 1)]
    text = "\n".join(f"processor\t: {n}\nphysical id\t: {p}\ncore id\t: {c}\n" for n, p, c in rows)
    (proc / "cpuinfo").write_text(text)
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(range(8)))
    assert physical_cores(proc, sys) == 4
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    assert physical_cores(proc, sys) == 2
    (proc / "self/cgroup").write_text("0::/\n")
    (sys / "fs/cgroup/cpu.max").write_text("150000 100000\n")
    assert cpu_quota(proc, sys) == 1.5 and physical_cores(proc, sys) == 1


def test_lines_of_nvidia_smi() -> None:
    lines = ["NVIDIA H200, 143771, 143000, 580.65", "[N/A], [N/A], [N/A], x", ""]
    assert read_smi(lines) == (Gpu("NVIDIA H200", 143771 << 20, 143000 << 20, "580.65"),)


def test_memory_may_be_given() -> None:
    given = Machine(1, 2, (Gpu("a", 1, 1),)).with_memory(16, 0)
    assert given.ram == 16 << 30 and given.gpus == ()
    two = Machine(1, 2, (Gpu("a", 1, 1), Gpu("b", 2, 2)))
    assert two.with_gpu(1).gpus == (Gpu("b", 2, 2),)


def test_engines_side_by_side_share_memory_and_cores() -> None:
    assert Machine(64 << 30, 6).shared_by(4) == Machine(16 << 30, 1)
    assert Machine(64 << 30, 6).shared_by(1) == Machine(64 << 30, 6)


def test_this_machine_is_read() -> None:
    found = planner_machine.detect()
    assert found.cores >= 1 and 0 < found.ram <= found.ram_total
