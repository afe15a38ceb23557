"""Bad input: one line with file, reason and next command; the right exit code; nothing left behind."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_model import FakeModel
from pdfs import write_pdf
from pypdf import PdfWriter

from conspectus.cli import main as cli
from conspectus.errors import ExitCode
from conspectus.run import digest as run

Files = Callable[[Path], Path]


def empty(folder: Path) -> Path:
    (folder / "x.pdf").touch()
    return folder / "x.pdf"


def no_pdf(folder: Path) -> Path:
    (folder / "x.pdf").write_text("<html>not found</html>")
    return folder / "x.pdf"


def torn(folder: Path) -> Path:
    (folder / "x.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<<")
    return folder / "x.pdf"


def no_pages(folder: Path) -> Path:
    writer = PdfWriter()
    writer.write(folder / "x.pdf")
    return folder / "x.pdf"


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """These inputs fail before a flow would run: no server may be started, no model loaded."""
    import conspectus.prefect_setup.server

    class Lease:
        def __enter__(self) -> "Lease":
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(conspectus.prefect_setup.server, "acquire", lambda *_: Lease())
    monkeypatch.setattr(run, "open_model", lambda *_: FakeModel())


@pytest.mark.usefixtures("no_server")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder / "absent.pdf", "there is no such file"),
        (lambda folder: folder, "is a folder"),
        (empty, "the file is empty (0 bytes)"),
        (no_pdf, "is not a PDF"),
        (torn, "is a broken PDF"),
        (no_pages, "has no pages"),
        (lambda folder: write_pdf(folder / "x.pdf", "secret", password="pw"), "is encrypted and needs a password"),
        (lambda folder: write_pdf(folder / "x.pdf", "", ""), "no text on any of its 2 pages"),
    ],
    ids=["absent", "folder", "empty", "no-pdf", "torn", "no-pages", "encrypted", "scanned"],
)
def test_unreadable_input(make: Files, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.run(["digest", str(path), "-q"]) == ExitCode.INPUT
    streams = capsys.readouterr()
    (line,) = streams.err.strip().split("\n")
    assert said in line and str(path) in line
    assert line.endswith(tuple("abcdefghijklmnopqrstuvwxyz0123456789")), "a next step follows the reason"
    assert streams.out == ""
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["digest"], "no file given"),
        (["digest", "x.pdf", "--detail", "huge"], "usage"),
        (["digest", "x.pdf", "--nonsense"], "usage"),
        (["digest", "a.pdf", "b.pdf", "-o", "-"], "-o - takes one file"),
        (["digest", "a.pdf", "-o", "-", "--json"], "both want stdout"),
        (["digest", "a.pdf", "-o", __file__], "is a file; -o names a folder"),
        (["digest", "a.pdf", "-o", "--json"], "-o needs a folder"),
        (["explode"], "usage"),
    ],
)
def test_usage_errors(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(arguments) == ExitCode.USAGE
    assert said in capsys.readouterr().err


def gguf_html(folder: Path) -> Path:
    (folder / "m.gguf").write_text("<!DOCTYPE html><html>404</html>")
    return folder / "m.gguf"


def gguf_empty(folder: Path) -> Path:
    (folder / "m.gguf").touch()
    return folder / "m.gguf"


@pytest.mark.parametrize("make", [lambda folder: folder / "absent.gguf", gguf_html, gguf_empty, lambda folder: folder])
def test_unusable_models(make: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pdf = write_pdf(tmp_path / "x.pdf", "The Tenant shall pay £5.".encode("latin-1", "ignore").decode("latin-1"))
    path = make(tmp_path)
    assert cli.run(["digest", str(pdf), "-q", "--model", str(path)]) == ExitCode.MODEL
    (line,) = capsys.readouterr().err.strip().split("\n")
    assert str(path) in line


@pytest.mark.usefixtures("no_server")
def test_json_error_is_a_line_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    assert cli.run(["digest", str(empty(tmp_path)), "--json"]) == ExitCode.INPUT
    error, summary = [json.loads(line) for line in capsys.readouterr().out.strip().split("\n")]
    assert (error["message_type"], error["code"]) == ("error", 4)
    assert (summary["message_type"], summary["status"], summary["failed"]) == ("summary", "failed", 1)


def test_plan_needs_no_model_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    data = Path(__file__).parent.parent / "data"
    assert cli.run(["plan", str(data / "act-zh.pdf"), "--json", "--model", "none"]) == ExitCode.OK
    facts = json.loads(capsys.readouterr().out)
    assert (facts["articles"], len(facts["pages"]), facts["tokens"]) == (68, 10, None)
    assert cli.run(["plan", str(data / "act-zh.pdf"), str(data / "absent.pdf"), "--model", "none", "-q"]) == 3
    assert cli.run(["plan", str(data / "absent.pdf"), "--model", "none"]) == ExitCode.INPUT


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("digest", "plan"):
        assert cli.run([command, "--help"]) == ExitCode.OK
        assert "stdin" in capsys.readouterr().out
