"""How the command line behaves whatever is asked: help, completion, streams, terminals, locales, pipes."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import proofs
import pytest
from cyclopts import App

from conspectus.cli import main as cli
from conspectus.cli.completion import completion
from conspectus.cli.helping import parts
from conspectus.errors import ExitCode

ROOT = Path(__file__).parent.parent
RUN = [sys.executable, "-P", "-m", "conspectus"]


def commands(app: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, groups of commands included."""
    yield path
    for name in app:
        if not name.startswith("-"):
            yield from commands(app[name], (*path, name))


ALL = sorted(set(commands(cli.app)))


def start(
    arguments: Sequence[str], env: dict[str, str] | None = None, folder: Path | None = None
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*RUN, *arguments], env={**os.environ, **(env or {})}, cwd=folder, capture_output=True, check=False
    )


def test_there_are_the_commands_that_are_promised() -> None:
    names = {path[0] for path in ALL if path}
    assert {"digest", "plan", "batch", "nightly", "compare", "verify", "model", "doctor", "cache", "config"} <= names
    assert {("model", "inspect"), ("model", "check"), ("cache", "stats"), ("config", "init")} <= set(ALL)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_each_command_has_help_with_examples_of_itself(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([*path, "--help"]) == ExitCode.OK
    page = capsys.readouterr().out
    assert page.startswith(f"Usage: {' '.join(('conspectus', *path))}")
    _, found, examples = page.partition("Examples:\n")
    assert found, "no examples"
    own = [line for line in examples.splitlines() if line.strip().startswith(" ".join(("conspectus", *path)))]
    assert own, examples
    assert not re.search(r"│ [ *]*(?!-)[A-Z]+(?: --\w+)? +│", page), "an argument without a word about it"
    assert cli.run([*path, "--help"]) == ExitCode.OK
    assert capsys.readouterr().out == page, "the second time it is the same"


HEAVY = {"prefect", "llama_cpp", "pypdf", "numpy", "pydantic", "jinja2", "rapidfuzz", "langchain_text_splitters"}
HEAVY |= {"snowballstemmer", "apprise", "dateparser", "docx"}


@pytest.mark.parametrize("name", sorted({path[0] for path in ALL if path} | {""}))
def test_help_loads_nothing_heavy(name: str) -> None:
    """What decides how long `--help` takes; benchmarks/cli measures it."""
    code = (
        f"import sys\nfrom conspectus.cli.main import run\n"
        f"for path in {[path for path in ALL if path[:1] == ((name,) if name else ())]!r}:\n"
        "    run([*path, '--help'])\n"
        f"    bad = {HEAVY!r} & set(sys.modules)\n"
        "    if bad: sys.exit(f'{path}: {bad}')\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_is_written_as_paragraphs_and_examples() -> None:
    description, examples = parts(
        """One
        sentence.

        Examples:
          conspectus x   why

          conspectus y

        More
        words.

        Parameters
        ----------
        x
            What it is.
        """
    )
    assert description == "One sentence.\n\nMore words."
    assert examples == "  conspectus x   why\n\n  conspectus y"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_its_shell(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["completion", shell]) == ExitCode.OK
    script = capsys.readouterr().out
    assert "verify" in script and "--detail" in script
    path = tmp_path / f"completion.{shell}"
    path.write_text(script)
    if shutil.which(shell) is None:
        pytest.skip(f"missing: {shell}")
    assert subprocess.run([shell, "-n", str(path)], check=False).returncode == 0
    if shell == "bash":
        words = "COMP_WORDS=(conspectus ver); COMP_CWORD=1; _conspectus; echo ${COMPREPLY[@]}"
        asked = f"complete() {{ :; }}; source {path}; {words}"
        done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "verify"


def test_completion_of_another_shell_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["completion", "tcsh"]) == ExitCode.USAGE
    assert "bash" in capsys.readouterr().err
    assert completion.__doc__ is not None


@pytest.mark.parametrize(
    "path", [path for path in ALL if path in ((), ("digest",), ("verify",), ("model", "check"))], ids=" ".join
)
def test_forty_columns(path: tuple[str, ...]) -> None:
    done = start([*path, "--help"], {"COLUMNS": "40", "TERM": "dumb"})
    page = done.stdout.decode().partition("Examples:")[0]
    assert done.returncode == 0 and max(map(len, page.splitlines())) <= 40


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"LC_ALL": "C"}])
def test_a_locale_without_utf_8(locale: dict[str, str], tmp_path: Path) -> None:
    name = tmp_path / "条例.pdf"
    name.write_bytes((proofs.DATA / "act-zh.pdf").read_bytes())
    done = start(["plan", str(name), "--model", "none"], locale)
    assert done.returncode == 0, done.stderr
    done = start(["digest", "--help"], locale)
    assert done.returncode == 0 and b"--detail" in done.stdout
    (tmp_path / "d.json").write_bytes(proofs.content("act-zh.pdf"))
    done = start(["verify", str(tmp_path / "d.json"), str(name)], locale)
    assert done.returncode == 0, done.stderr
    done = start(["verify", str(tmp_path / "缺.json"), str(name)], locale)
    assert done.returncode == ExitCode.INPUT and b"there is no such file" in done.stderr


def on_terminal(arguments: Sequence[str], env: dict[str, str]) -> str:
    """What a command writes to stderr where that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*RUN, *arguments],
        env={**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}, "TERM": "xterm", **env},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    process.wait()
    os.close(ours)
    return said.decode()


def test_colour_on_a_terminal_and_none_with_no_color() -> None:
    missing = ["verify", "/nowhere.json", "/nowhere.pdf"]
    assert "\x1b[31m" in on_terminal(missing, {})
    plain = on_terminal(missing, {"NO_COLOR": "1"})
    assert "no such file" in plain and not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)
    assert "\x1b" not in start(missing).stderr.decode()


@pytest.mark.parametrize("arguments", [["--help"], ["config", "show"], ["completion", "bash"], ["verify"]])
def test_a_pipe_that_closes_early(arguments: list[str], tmp_path: Path) -> None:
    """`conspectus … | head -1`: quiet, whatever is still to be written."""
    if arguments == ["verify"]:
        (tmp_path / "d.json").write_bytes(proofs.content())
        arguments = ["verify", str(tmp_path / "d.json"), str(proofs.LEASE), "-q", "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*RUN, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == ExitCode.OK


def test_a_dash_is_stdin(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(proofs.content())
    digest, pdf = tmp_path / "d.json", proofs.LEASE
    for arguments, piped in ((["-", str(pdf)], digest), ([str(digest), "-"], pdf)):
        with piped.open("rb") as stdin:
            done = subprocess.run([*RUN, "verify", *arguments], stdin=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"holds" in done.stdout


def test_progress_goes_to_stderr_stage_by_stage(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(proofs.content())
    done = start(["verify", str(tmp_path / "d.json"), str(proofs.LEASE)])
    said = done.stderr.decode().splitlines()
    assert said == [
        "lease.pdf: pages read: 14 of 14",
        "finding clauses and sentences",
        "checking lines against their evidence",
    ]
    assert len(done.stdout.decode().splitlines()) == 1


def test_each_line_of_json_names_its_kind(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(proofs.content())
    for arguments, last in (
        (["verify", str(tmp_path / "d.json"), str(proofs.LEASE), "--json"], "summary"),
        (["plan", str(proofs.LEASE), "--model", "none", "--json"], "plan"),
        (["digest", str(tmp_path / "absent.pdf"), "--json"], "summary"),
    ):
        lines = [json.loads(line) for line in start(arguments).stdout.decode().splitlines()]
        assert lines and all("message_type" in line for line in lines), arguments
        assert lines[-1]["message_type"] == last


def test_a_wrong_option_names_the_command_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["verify", "a", "b", "--nonsense"]) == ExitCode.USAGE
    assert "conspectus verify --help" in capsys.readouterr().err
    assert cli.run(["model", "chek"]) == ExitCode.USAGE
    assert "conspectus model --help" in capsys.readouterr().err
    assert cli.run(["vrify"]) == ExitCode.USAGE
    assert "conspectus --help" in capsys.readouterr().err
