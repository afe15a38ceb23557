import getpass
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_model import FakeModel, answer

from conspectus.cli.main import run
from conspectus.doctor import examine as doctor
from conspectus.doctor import machine as doctor_machine
from conspectus.doctor.never import NEVER, never_rows
from conspectus.errors import ExitCode, ModelError
from conspectus.llama.planner_machine import Gpu


def text_of(rows: list[doctor_machine.Row]) -> str:
    return "\n".join(f"{row.name}: {row.state}: {row.text} {row.remedy}" for row in rows)


def test_doctor_has_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["doctor", "--no-self-test"])
    shown = capsys.readouterr().out
    assert code == ExitCode.OK
    for title in ("Versions", "Model", "Machine", "Prefect", "Settings", "Network", "never in llama.cpp"):
        assert title in shown
    assert "llama-cpp-python: 0.3.36" in shown and "sent: nothing" in shown and "detail: normal (default)" in shown


def test_a_bad_model_is_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.gguf").write_text("<!DOCTYPE html>")
    assert run(["doctor", "--no-self-test", "--model", str(tmp_path / "m.gguf"), "--json"]) == ExitCode.UNEXPECTED
    facts = json.loads(capsys.readouterr().out)
    row = facts["Model"][0]
    assert row["state"] == "problem" and "web page" in row["text"] and row["remedy"]


def test_the_engine_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeModel(rule=lambda request: answer(request, ["yes"]))
    monkeypatch.setattr("conspectus.run.digest.open_model", lambda *_: model)
    (row,) = doctor.test_rows("starter")
    assert row.state == "ok" and "tokens" in row.text
    assert model.closed and model.asked[0].max_tokens == 8


def test_an_engine_that_fails_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> FakeModel:
        raise ModelError("m.gguf cannot be loaded: unknown model architecture: 'qwen9'", "?")

    monkeypatch.setattr("conspectus.run.digest.open_model", fail)
    (row,) = doctor.test_rows("starter")
    assert row.state == "problem" and "newer than the installed llama.cpp" in row.text and "Update" in row.remedy


def test_the_report_names_no_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home" / "annabel"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOGNAME", "annabel")
    monkeypatch.setenv("CONSPECTUS_CACHE", str(home / "cache"))
    monkeypatch.setenv("CONSPECTUS_OUTPUT", "/home/berthold/papers")
    assert getpass.getuser() == "annabel"
    assert run(["doctor", "--no-self-test", "--report", str(tmp_path / "report.txt")]) == ExitCode.OK
    page = (tmp_path / "report.txt").read_text()
    assert "annabel" not in page and "berthold" not in page and os.uname().nodename not in page
    assert "~/cache" in page and "/home/user/papers" in page
    assert run(["doctor", "--no-self-test", "--report", str(tmp_path / "no/such/report")]) == ExitCode.USAGE


def test_a_server_that_is_named_is_where_text_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSPECTUS_MODEL", "https://user:secret@gpu.example:8080")
    monkeypatch.setenv("PREFECT_API_URL", "https://prefect.example/api")
    shown = text_of(doctor.network_rows())
    assert "https://gpu.example:8080: the text of documents goes there" in shown
    assert "prefect.example" in shown and "secret" not in shown


def test_a_bad_configuration_is_a_problem_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "conspectus.toml").write_text("contxt = 3")
    monkeypatch.chdir(tmp_path)
    assert run(["doctor", "--no-self-test"]) == ExitCode.UNEXPECTED
    assert "PROBLEM: " in capsys.readouterr().out


def test_processor_and_limits_of_another_machine(tmp_path: Path) -> None:
    proc, sys_ = tmp_path / "proc", tmp_path / "sys"
    proc.mkdir()
    (proc / "cpuinfo").write_text("processor : 0\nmodel name : Old CPU\nflags : fpu sse4_2 avx\n")
    for node, cores in ((0, "0-3"), (1, "4-7")):
        (sys_ / f"devices/system/node/node{node}").mkdir(parents=True)
        (sys_ / f"devices/system/node/node{node}/cpulist").write_text(cores)
    (sys_ / "devices/system/cpu/cpu0/thermal_throttle").mkdir(parents=True)
    (sys_ / "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count").write_text("12")
    (sys_ / "fs/cgroup").mkdir(parents=True)
    (sys_ / "fs/cgroup/cpu.stat").write_text("usage_usec 5\nnr_throttled 7\n")
    shown = text_of(doctor_machine.cpu_rows(proc, sys_))
    assert "Old CPU" in shown and "warning: no AVX2" in shown
    assert "2 nodes (node0: 0-3; node1: 4-7) numactl" in shown or "numactl" in shown
    assert "throttled 12 times" in shown and "held back 7 times" in shown


def test_little_memory_and_little_disk_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.doctor.machine.memory", lambda *_: (2 << 30, 500 << 20))
    assert doctor_machine.memory_rows()[0].state == "warning"
    monkeypatch.setattr("conspectus.doctor.machine._LITTLE_DISK", 1 << 62)
    (row,) = doctor_machine.disk_rows({"cache folder": tmp_path / "not/yet"})
    assert row.state == "warning" and "cache stats" in row.remedy


def test_a_gpu_without_its_library_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conspectus.doctor.machine.gpus", lambda: (Gpu("H200", 139 << 30, 138 << 30, "580"),))
    monkeypatch.setattr("conspectus.doctor.machine.has_cuda_library", lambda: False)
    rows = doctor_machine.gpu_rows()
    assert "H200" in rows[0].text and rows[1].state == "warning" and "DGGML_CUDA" in rows[1].remedy


def test_what_llama_cpp_never_had() -> None:
    shown = text_of(never_rows({"LLAMA_TURBO_QUANT": "1"}, "model-turbo.gguf"))
    assert "warning: is set and does nothing" in shown and "'turbo' in a file name" in shown
    for asked in ("turbo", "LLAMA_TURBO_QUANT", "Q8_K_L", "--prompt-cache", "/v1/models/load", "--mlock"):
        assert any(asked in one.asked for one in NEVER)
    assert all(row.state == "ok" for row in never_rows({}, "model.gguf"))


def test_doctor_imports_neither_prefect_nor_llama_cpp() -> None:
    code = (
        "import sys, conspectus.cli.main as c; code = c.run(['doctor', '--no-self-test'])\n"
        "sys.exit(code or 'llama_cpp' in sys.modules or 'prefect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_the_network_names_notifications_metrics_and_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSPECTUS_NOTIFY_URLS", "mailtos://me:word@mail.example json://hooks.example/x")
    monkeypatch.setenv("CONSPECTUS_METRICS_PORT", "9100")
    monkeypatch.setenv("CONSPECTUS_CLUSTER", "tcp://host:8786")
    text = text_of(doctor.network_rows())
    assert "2 in CONSPECTUS_NOTIFY_URLS (mailtos, json)" in text and "counts, no name" in text
    assert "word" not in text and "hooks" not in text
    assert "127.0.0.1:9100" in text and "cluster: warning: tcp://host:8786" in text and "nothing" not in text
    monkeypatch.setenv("CONSPECTUS_NOTIFY_NAMES", "1")
    assert "names of files" in text_of(doctor.network_rows())
    assert "NOTIFY" not in text_of([row for row in doctor.setting_rows() if row.state != "ok"])
