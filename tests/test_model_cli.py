import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from gguf_files import Shape, Value, tensors_of, values_of, write_gguf

from conspectus.cli.main import run
from conspectus.errors import ExitCode
from conspectus.llama.inspect_check import check_file


def whole(**more: Value) -> dict[str, Value]:
    return values_of(Shape()) | {"tokenizer.ggml.tokens": ["a", "b"]} | more


def check(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = run(["model", "check", str(path), *options])
    return code, capsys.readouterr().out


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "Test-qwen3.gguf", whole(), tensors_of(Shape()))


def web_page(path: Path) -> None:
    path.write_text("<!DOCTYPE html><title>Sign in</title>")


def pointer(path: Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4000000000\n")


def truncated(path: Path) -> None:
    write_gguf(path, whole(), tensors_of(Shape()))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1_000_000)


def too_new(path: Path) -> None:
    write_gguf(path, whole() | {"general.architecture": "qwen9"}, tensors_of(Shape()))


def odd_type(path: Path) -> None:
    write_gguf(path, whole(), [*tensors_of(Shape()), ("blk.0.extra.weight", (256, 4), "57")])


def removed_type(path: Path) -> None:
    write_gguf(path, whole(), [*tensors_of(Shape()), ("blk.0.extra.weight", (256, 4), "31")])


def big_endian(path: Path) -> None:
    path.write_bytes(b"GGUF" + struct.pack(">IQQ", 3, 0, 0) + bytes(64))


def safetensors(path: Path) -> None:
    path.write_bytes(struct.pack("<Q", 2) + b"{}")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def encoder(path: Path) -> None:
    write_gguf(path, whole() | {"general.architecture": "bert"}, tensors_of(Shape()))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (web_page, "it is a web page"),
        (pointer, "Git LFS pointer"),
        (truncated, "(1,000,000 are missing)"),
        (too_new, "unknown model architecture: 'qwen9': llama-cpp-python 0.3.36 does not know it"),
        (odd_type, "1 tensor is of type 57; llama-cpp-python 0.3.36 knows types below 43"),
        (removed_type, "Q4_0_4_4"),
        (big_endian, "big-endian"),
        (safetensors, "safetensors"),
        (empty, "the file is empty"),
        (encoder, "writes no text"),
    ],
)
def test_what_is_wrong_is_said_with_exit_code_5(
    make: Callable[[Path], None], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.gguf"
    make(path)
    code, out = check(path, capsys)
    assert code == ExitCode.MODEL
    assert says in out and out.splitlines()[1].startswith("  "), "an error comes with its remedy"


def test_a_whole_file_can_be_used(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(model, capsys) == (ExitCode.OK, f"{model}: can be used\n")


def test_a_q8_k_l_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd_type(tmp_path / "m.gguf")
    assert "Q8_K_L type never existed" in check(tmp_path / "m.gguf", capsys)[1]


def test_warnings_alone_are_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = whole() | {"general.name": "Gemma 3 1B it"}
    del values["tokenizer.chat_template"]
    path = write_gguf(tmp_path / "m.gguf", values, tensors_of(Shape()))
    code, out = check(path, capsys)
    assert code == ExitCode.OK
    assert "no chat template" in out and "named 'Gemma 3 1B it', but its architecture is 'qwen3'" in out


@pytest.mark.parametrize(
    ("name", "arch", "agrees"),
    [
        ("Qwen3 8B", "qwen3", True),
        ("Qwen3 8B", "llama", False),
        ("Meta Llama 3.1 8B Instruct", "llama", True),
        ("Mistral 7B Instruct", "llama", True),
        ("DeepSeek R1 Distill Qwen 7B", "qwen2", True),
        ("SmolLM2 135M", "llama", True),
        ("phi-4", "phi3", True),
        ("Falcon3 7B", "llama", False),
        ("Anything", "llama", True),
    ],
)
def test_name_and_architecture(name: str, arch: str, agrees: bool, tmp_path: Path) -> None:
    values = values_of(Shape(arch=arch)) | {"general.name": name, "tokenizer.ggml.tokens": ["a"]}
    path = write_gguf(tmp_path / "m.gguf", values, tensors_of(Shape()))
    assert any("architecture is" in finding.message for finding in check_file(str(path))) is not agrees


def test_a_context_above_the_trained_one(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = check(model, capsys, "--context", "40000")
    assert code == ExitCode.MODEL and "40,000 tokens was asked, the model was trained on 32,768" in out
    assert check(model, capsys, "--context", "32768")[0] == ExitCode.OK


def test_missing_and_renamed_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = whole() | {"split.count": 2, "split.no": 0}
    code, out = check(write_gguf(tmp_path / "m-00001-of-00002.gguf", values, tensors_of(Shape())), capsys)
    assert code == ExitCode.MODEL and "m-00002-of-00002.gguf is missing" in out
    code, out = check(write_gguf(tmp_path / "renamed.gguf", values, tensors_of(Shape())), capsys)
    assert code == ExitCode.MODEL and "one part of 2, but its name does not say so" in out


def test_check_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truncated(tmp_path / "m.gguf")
    facts = json.loads(check(tmp_path / "m.gguf", capsys, "--json")[1])
    assert facts["usable"] is False
    assert facts["findings"][0]["level"] == "error" and facts["findings"][0]["remedy"]


def test_inspect_shows_and_prints_json(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "inspect", str(model)]) == ExitCode.OK
    assert "architecture qwen3" in capsys.readouterr().out
    assert run(["model", "inspect", str(model), "--json", "--sha256"]) == ExitCode.OK
    facts = json.loads(capsys.readouterr().out)
    assert facts["trained_context"] == 32768 and len(facts["sha256"]) == 64


def test_a_file_cut_short_is_inspected_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truncated(tmp_path / "m.gguf")
    assert run(["model", "inspect", str(tmp_path / "m.gguf")]) == ExitCode.OK
    assert run(["model", "inspect", str(tmp_path / "absent.gguf")]) == ExitCode.MODEL
    assert "no model file" in capsys.readouterr().err


def test_plan_says_what_fits(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["model", "plan", str(model), "--context", "4096", "--slots", "2", "--ram", "8", "--vram", "8"]
    assert run(asked) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "2 of 4,096 tokens, 8,192 together" in shown and "5 of 5 (with the output)" in shown
    assert run([*asked, "--json"]) == ExitCode.OK
    facts = json.loads(capsys.readouterr().out)
    assert facts["fits"] and facts["gpu"]["kv"] == 8192 * 4 * 2 * 128 * 2
    assert sum(facts["layer_weights"]) < facts["gpu"]["weights"] + facts["host"]["weights"]


def test_plan_that_does_not_fit_ends_with_5(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "plan", str(model), "--ram", "0.1", "--vram", "0"]) == ExitCode.MODEL
    assert "does not fit" in capsys.readouterr().out
    assert run(["model", "plan", str(model), "--slots", "0"]) == ExitCode.USAGE
