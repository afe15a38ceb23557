import contextlib
import json
import stat
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conspectus.errors import ExitCode, ModelError
from conspectus.llama import gguf

STRING, ARRAY, U32 = 8, 9, 4


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf_bytes(*, tensor_bytes: int = 128, version: int = 3) -> bytes:
    """A GGUF with every kind of key and one float32 tensor of 32 elements."""
    keys = [
        text("general.architecture") + struct.pack("<I", STRING) + text("llama"),
        text("general.name") + struct.pack("<I", STRING) + text("Tiny"),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", ARRAY, STRING, 3) + text("a") + text("合同") + text(""),
        text("tokenizer.ggml.scores") + struct.pack("<IIQ3f", ARRAY, 6, 3, 0.0, 1.0, 2.0),
        text("nested") + struct.pack("<IIQ", ARRAY, ARRAY, 1) + struct.pack("<IQ2H", 2, 2, 7, 8),
        text("llama.context_length") + struct.pack("<II", U32, 2048),
        text("flag") + struct.pack("<I?", 7, True),
    ]
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(keys)) + b"".join(keys)
    head += text("weights") + struct.pack("<IQIQ", 1, 32, 0, 0)
    return head + bytes(-len(head) % 32) + bytes(tensor_bytes)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_bytes())
    return path


def refusal(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        gguf.resolve_model(str(path))
    error = caught.value
    assert error.exit_code == ExitCode.MODEL
    assert path.name in error.line() and error.remedy and "\n" not in error.line()
    return error


def test_header_gives_name_architecture_and_context(model: Path) -> None:
    header = gguf.read_header(model)
    assert (header.architecture, header.name, header.context_length) == ("llama", "Tiny", 2048)
    assert header.values["flag"] is True
    assert "tokenizer.ggml.tokens" not in header.values


def test_a_path_resolves_to_itself(model: Path) -> None:
    assert gguf.resolve_model(str(model)) == model


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>Sign in</html>", "web page"),
        (b"\n <HTML>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "LFS pointer"),
        (b'{"error": "gated"}', "JSON"),
        (struct.pack("<Q", 2) + b"{}", "safetensors"),
        (b"PK\x03\x04rest", "zip"),
        (b"lmggrest", "before GGUF"),
        (b"\x00\x01\x02\x03", "not with b'GGUF'"),
    ],
)
def test_what_is_no_gguf_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert says in refusal(path).message


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "no model file" in refusal(tmp_path / "absent.gguf").message
    assert "folder" in refusal(tmp_path).message


def test_missing_tensor_bytes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "short.gguf"
    whole = gguf_bytes()
    path.write_bytes(whole[:-1])
    assert f"{len(whole) - 1:,} of at least {len(whole):,} bytes" in refusal(path).message


@pytest.mark.parametrize(("version", "says"), [(1, "version 1"), (0x03000000, "big-endian")])
def test_versions_that_llama_cpp_does_not_read(tmp_path: Path, version: int, says: str) -> None:
    path = tmp_path / "old.gguf"
    path.write_bytes(gguf_bytes(version=version))
    assert says in refusal(path).message


@pytest.mark.parametrize("length", range(4, len(gguf_bytes()) - 128, 7))
def test_every_cut_header_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(gguf_bytes()[:length])
    refusal(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_bytes_give_a_header_or_a_model_error(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(gguf_bytes())
    for at in data.draw(st.lists(st.integers(4, len(content) - 1), min_size=1, max_size=6)):
        content[at] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.gguf"
    path.write_bytes(content)
    with contextlib.suppress(ModelError):
        gguf.read_header(path)


def test_a_split_model_needs_all_its_parts(tmp_path: Path) -> None:
    first, second = tmp_path / "m-00001-of-00002.gguf", tmp_path / "m-00002-of-00002.gguf"
    first.write_bytes(gguf_bytes())
    assert second.name in refusal(first).message
    second.write_bytes(gguf_bytes())
    assert gguf.resolve_model(str(second)) == first
    both = gguf.fingerprint(first, tmp_path / "cache")
    second.write_bytes(gguf_bytes() + b"x")
    assert gguf.fingerprint(first, tmp_path / "cache") != both


def test_starter_missing_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ModelError, match="not installed") as caught:
        gguf.resolve_model("starter")
    assert "uv sync --group starter" in caught.value.remedy


def test_fingerprint_hashes_a_file_once(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "deep" / "cache"
    first = gguf.fingerprint(model, cache)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert [p.name for p in cache.iterdir()] == ["fingerprints.json"]
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("hashed again"))
    assert gguf.fingerprint(model, cache) == first


def test_fingerprint_follows_the_content(model: Path, tmp_path: Path) -> None:
    first = gguf.fingerprint(model, tmp_path / "cache")
    model.write_bytes(gguf_bytes() + b"x")
    assert gguf.fingerprint(model, tmp_path / "cache") != first


@pytest.mark.parametrize("content", ["", "[]", "{", json.dumps({"path": 3})])
def test_a_damaged_fingerprint_cache_is_a_miss(model: Path, tmp_path: Path, content: str) -> None:
    first = gguf.fingerprint(model, tmp_path / "a")
    (tmp_path / "a" / "fingerprints.json").write_text(content)
    assert gguf.fingerprint(model, tmp_path / "a") == first


def test_an_unusable_cache_folder_costs_no_run(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(gguf.fingerprint(model, tmp_path / "file")) == 64
