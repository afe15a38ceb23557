"""`model serve` with a script in the place of llama-server, and servers as the model of a run."""

import datetime
import ipaddress
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path

import fake_server
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fake_server import FakeServer

from conspectus.cli import main as cli
from conspectus.errors import ExitCode, ModelError, UsageError
from conspectus.llama import Message, Request
from conspectus.llama.choose import ServerAccess, choose_model
from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses
from conspectus.llama.pool.lines import read_lines
from conspectus.llama.serve import Serving, command, find_binary, flags_in, probe, run_server

SUPPORT = Path(fake_server.__file__).parent


def script(folder: Path, age: str) -> Path:
    path = folder / "llama-server"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(SUPPORT)!r})\n"
        f"from fake_server import main\nsys.exit(main(sys.argv[1:], {age!r}))\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def free_port() -> int:
    with FakeServer() as server:
        return int(server.url.rsplit(":", 1)[1])


@pytest.mark.parametrize(("age", "words"), [("new", ["--load-mode", "mlock"]), ("old", ["--mlock"])])
def test_flags_are_those_of_the_binary(tmp_path: Path, age: str, words: list[str]) -> None:
    binary = str(script(tmp_path, age))
    made = command(binary, Serving(Path("m.gguf"), slots=3, context=1000, gpu_layers=7, mlock=True), probe(binary))
    given = dict(zip(made, [*made[1:], ""], strict=True))
    assert given["--ctx-size"] == "3000" and given["--parallel"] == "3" and given["--gpu-layers"] == "7"
    assert made[made.index(words[0]) : made.index(words[0]) + len(words)] == words
    assert "--slots" not in made and {"--jinja", "--metrics", "--offline", "--cache-ram"} <= set(made)
    assert {part for part in made if part.startswith("-")} <= probe(binary)


def test_a_unified_context_is_not_multiplied() -> None:
    known = flags_in("-c, --ctx-size N\n-kvu, --kv-unified, -no-kvu\n-np, --parallel N")
    made = command("s", Serving(Path("m.gguf"), slots=4, context=1000, unified=True), known)
    assert made[made.index("--ctx-size") + 1] == "1000" and "--kv-unified" in made


def test_without_a_binary_the_error_says_where_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelError, match="not found on PATH") as caught:
        find_binary(None)
    assert "llama.cpp" in caught.value.remedy
    other = tmp_path / "other"
    other.write_text(f"#!{sys.executable}\nprint('usage: other [-x]')\n")
    other.chmod(0o755)
    with pytest.raises(ModelError, match="no llama-server"):
        probe(str(other))
    assert cli.run(["model", "serve", "x.gguf"]) == ExitCode.MODEL


def test_serve_runs_until_it_is_stopped(tmp_path: Path, free_port: int) -> None:
    from conspectus.llama import serve as module

    code = (
        "import sys\nfrom pathlib import Path\nfrom conspectus.llama.serve import *\n"
        f"serving = Serving(Path('tiny.gguf'), port={free_port})\n"
        "made = command(sys.argv[1], serving, probe(sys.argv[1]))\n"
        f"run_server(made, 'http://127.0.0.1:{free_port}', lambda m: print(m, flush=True))"
    )
    assert module.HOST == "127.0.0.1"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(script(tmp_path, "new"))], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith(b"ready; use it with")
        pool = ServerPool(parse_addresses(f"http://127.0.0.1:{free_port}"))
        assert (pool.info.name, pool.info.slots, pool.info.context) == ("tiny", 4, 4096)
        pool.close()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    end = time.monotonic() + 3
    while _answers(free_port) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _answers(free_port), "the server ends with its starter, however that ends"


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def test_a_server_that_fails_gives_its_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "fails"
    path.write_text(f"#!{sys.executable}\nraise SystemExit(7)\n")
    path.chmod(0o755)
    assert run_server([str(path)], "http://127.0.0.1:9", lambda _message: None) == 7


@pytest.mark.parametrize(
    "text", ["", "ftp://x", "http://", "http://u:secret@host", "http://host:99999999", "http://h?x=1", "host:8080"]
)
def test_what_is_no_address_is_said(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_addresses(text)
    assert "secret" not in caught.value.line()


def test_addresses_are_read_as_they_are_written() -> None:
    found = parse_addresses("http://LOCALHOST:8080/v1/, https://h/llm#a%20b,http://[::1]:1,http://localhost:8080")
    assert [str(one) for one in found] == ["http://localhost:8080", "https://h/llm#a b", "http://[::1]:1"]
    assert [one.is_loopback for one in found] == [True, False, True]
    assert [one.is_plain for one in parse_addresses("http://10.0.0.1,https://10.0.0.1,http://127.0.0.9")] == [
        True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lines"),
    [("1: a\n2: b", ("a", "b")), ("2: b\n1: a", ("a", "b")), ("1: a", ("a",)), ("2: b", ("", "b")),
     ("a\nb", ("a", "b")), ("only one", ()), ("", ()), ("[1] a\nmore\n\n(2) b\n\nThat is all.", ("a more", "b")),
     ("1：甲。\n2、乙。", ("甲。", "乙。")), ("1: a\n1: again\n2: b", ("a", "b")),
     ("1: a costs\n2.5 million\n2. b", ("a costs 2.5 million", "b")), ("1: 3.5 m\n2: 4: 5", ("3.5 m", "4: 5"))],
)  # fmt: skip
def test_lines_of_a_free_answer(text: str, lines: tuple[str, ...]) -> None:
    assert read_lines(text, ("1: ", "2: ")) == lines


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSPECTUS_API_KEY", "first")
    monkeypatch.setenv("OTHER", "second")
    assert ServerAccess().key() == "first" and ServerAccess("OTHER").key() == "second"
    with pytest.raises(UsageError, match="UNSET"):
        ServerAccess("UNSET").key()
    with FakeServer() as server:
        server.key = "second"
        notes: list[str] = []
        model = choose_model(server.url, 4096, notes.append, ServerAccess("OTHER"))
        assert model.info.slots == 4
        model.close()
        assert not any("second" in note for note in notes) and "second" not in repr(PoolSettings(api_key="second"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate of 127.0.0.1 with its key, in one file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "conspectus test")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


def test_a_private_authority_needs_its_certificate(certificate: Path, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with FakeServer() as server:
        server.secure(context)
        url = server.url.replace("http://", "https://")
        with pytest.raises(ModelError, match="no secure connection") as caught:
            _ = _pool(url, PoolSettings()).info
        assert "--ca-file" in caught.value.remedy
        pool = _pool(url, PoolSettings(ca_file=certificate))
        assert pool.complete([Request((Message("user", "[1] Pay."),), 20, ("1: ",), 10)])[0].lines == ("Pay.",)
        pool.close()
        with pytest.raises(UsageError, match="no certificates"):
            _ = _pool(url, PoolSettings(ca_file=tmp_path / "none.pem")).info


_opened: list[ServerPool] = []


def _pool(url: str, settings: PoolSettings) -> ServerPool:
    _opened.append(ServerPool(parse_addresses(url), settings))
    return _opened[-1]


@pytest.fixture(autouse=True)
def closed() -> object:
    yield
    while _opened:
        _opened.pop().close()


@pytest.mark.prefect
def test_a_digest_through_servers_with_another_model_for_overviews(
    prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSPECTUS_CACHE", str(tmp_path / "cache"))
    text = tmp_path / "rules.txt"
    text.write_text(
        "\n".join(f"{n}. DUTY\n{n}.1 The Tenant shall pay the sum of GBP {n}00 within {n} days." for n in range(1, 30)),
        "utf-8",
    )
    with FakeServer() as first, FakeServer() as second, FakeServer("router") as router:
        asked = ["--model", f"{first.url},{second.url}", "--reduce-model", f"{router.url}#qwen-14b", "-q"]
        assert cli.run(["digest", str(text), "-o", str(tmp_path / "out"), *asked]) == ExitCode.OK
        assert len(first.calls) > 1 or len(second.calls) > 1
        assert any("Say: yes" not in str(call["messages"]) for call in router.calls)
        calls = len(first.calls), len(second.calls), len(router.calls)
        assert cli.run(["digest", str(text), "-o", str(tmp_path / "out"), *asked]) == ExitCode.OK
        pings = [len(server.calls) - before for server, before in zip((first, second, router), calls, strict=True)]
        assert pings == [1, 1, 1], "the second run asks each server for its sign of life only"


def test_planning_counts_with_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "rules.txt"
    text.write_text("1. DUTY\n1.1 The Tenant shall pay GBP 100.\n", "utf-8")
    with FakeServer() as server:
        assert cli.run(["plan", str(text), "--model", server.url]) == ExitCode.OK
        assert "qwen-7b" in capsys.readouterr().out
        assert server.paths["/tokenize"] >= 1 and len(server.calls) == 1


def test_a_path_is_still_a_path() -> None:
    with pytest.raises(ModelError):
        choose_model("no-such.gguf", 4096, lambda _message: None)
