"""The documentation against the program: generated pages are current, commands and options exist, links lead somewhere.

In a block that begins with ```console, lines with `$ ` are commands, the others what is printed. Every command of
conspectus is parsed by the program's own parser. Blocks marked ```console run are run in an empty folder with a copy of
data/, all of a page in one folder, with a scripted model: every line that is shown must be printed, in this order; `…`
stands for anything.
"""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from cyclopts import App
from fake_model import FakeModel

from conspectus.cli import main as cli
from conspectus.errors import ExitCode

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# Made from the code; what they show is tested where it is made.
GENERATED = {"cli.md", "errors.md", "digest-json.md"}
# Options of other programs that the pages speak of.
FOREIGN = {"--find-links", "--no-deps", "--extra", "--no-group", "--ctx-size", "--parallel"}
# Programs that a block marked `run` may call besides conspectus.
SHELL = {"printf", "sed", "cp", "mkdir"}


@dataclass(frozen=True)
class Command:
    """A command of a page with the lines that are shown below it."""

    page: Path
    line: int
    text: str
    shown: tuple[str, ...]
    run: bool

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def words(self) -> list[str]:
        """The arguments of conspectus; empty for other programs. What is behind a pipe or a redirection is left out."""
        words = shlex.split(self.text, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if words[:2] == ["uv", "run"]:
            words = words[2:]
        if not words or words[0].split("/")[-1] != "conspectus":
            return []
        stop = next((i for i, word in enumerate(words) if word in ("|", "<", ">", "2>", ">>", "&&", "&")), len(words))
        return words[1:stop]


@cache
def blocks(page: Path) -> tuple[tuple[int, str, str], ...]:
    """Fenced blocks: line number, what stands behind the fence, text."""
    text = page.read_text("utf-8")
    return tuple(
        (text[: found.start()].count("\n") + 2, found[2].strip(), found[3])
        for found in re.finditer(r"^( *)```(.*)\n((?:.*\n)*?) *```$", text, re.M)
    )


def commands(page: Path) -> Iterator[Command]:
    for first, kind, text in blocks(page):
        if kind.split(" ")[0] != "console":
            continue
        lines = text.splitlines()
        starts = [i for i, line in enumerate(lines) if line.lstrip().startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            own = lines[start:end]
            said = [own.pop(0).strip()[2:]]
            while said[-1].endswith("\\"):
                said[-1] = said[-1][:-1]
                said.append(own.pop(0).strip())
            shown = tuple(line for line in own if line.strip())
            yield Command(page, first + start, " ".join(said), shown, kind.endswith(" run"))


def inline(page: Path) -> Iterator[Command]:
    """Commands of conspectus in running text and in tables."""
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        for text in re.findall(r"`((?:uv run )?conspectus [a-z][^`]*)`", line):
            yield Command(page, number, text, (), run=False)


COMMANDS = [
    command
    for page in PAGES
    if page.name not in GENERATED
    for command in (*commands(page), *inline(page))
    if "…" not in command.text
]
OURS = [command for command in COMMANDS if command.words]


def all_commands(app: App = cli.app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that can be called."""
    below = [name for name in app if not name.startswith("-")]
    if not below or (path and app.default_command is not None):
        yield path
    for name in below:
        yield from all_commands(app[name], (*path, name))


@pytest.fixture(scope="module")
def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs/make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current() -> None:
    # In a process of its own: a help page that was shown before has other line ends.
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("", ""), "run: python docs/make.py"


def test_every_exit_code_is_explained(make: ModuleType) -> None:
    assert set(make.MEANINGS) == set(ExitCode)
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", readme, re.M)}
    assert listed == {int(code) for code in ExitCode}


@pytest.mark.parametrize("command", OURS, ids=str)
def test_a_command_of_the_docs_can_be_parsed(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--help" if word == "-h" else word for word in command.words]
    if "--help" in words or "--version" in words:
        words = [word for word in words if word not in ("--help", "--version")]
        assert not words or tuple(words) in {path[: len(words)] for path in all_commands()}
        return
    if tuple(words) in {path[:size] for path in all_commands() for size in range(1, len(path) + 1)}:
        return  # named without what it needs
    cli.app.parse_args(cli._piped(words), exit_on_error=False, print_error=False)


def test_every_command_is_in_the_docs() -> None:
    said = {" ".join(command.words) + " " for command in OURS}
    missing = [path for path in all_commands() if not any(text.startswith(" ".join(path) + " ") for text in said)]
    assert not missing, "no page shows these commands"


def options(app: App = cli.app) -> set[str]:
    """Every option of every command."""
    found = {"--help", "--version"}
    if app.default_command is not None:
        found.update(name for argument in app.assemble_argument_collection() for name in argument.names)
    for name in app:
        if not name.startswith("-"):
            found |= options(app[name])
    return found


def test_options_and_variables_that_the_docs_name_exist() -> None:
    known = options() | FOREIGN
    code = "\n".join(path.read_text("utf-8") for top in ("conspectus", "tests") for path in (ROOT / top).rglob("*.py"))
    variables = set(re.findall(r"CONSPECTUS_[A-Z_]+", code))
    variables |= {"CONSPECTUS_" + name[2:].upper().replace("-", "_") for name in options()}
    for page in PAGES:
        if page.name in GENERATED:
            continue
        text = page.read_text("utf-8")
        for option in re.findall(r"`(--[a-z][a-z-]+)", text):
            assert option in known, f"{page.relative_to(ROOT)}: there is no {option}"
        for variable in re.findall(r"CONSPECTUS_[A-Z_]*[A-Z]\b", text):
            assert variable in variables, f"{page.relative_to(ROOT)}: there is no {variable}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if re.match(r"https?:|mailto:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), f"{target} is not there"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{target}: no such heading"


def test_every_page_is_reached_from_the_index() -> None:
    seen: set[Path] = set()
    ways = [ROOT / "docs/README.md"]
    while ways:
        page = ways.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        ways += [
            (page.parent / target.partition("#")[0]).resolve()
            for target in re.findall(r"\]\(([^)#\s:]+)", page.read_text("utf-8"))
        ]
    assert {page for page in PAGES if (ROOT / "docs") in page.parents} <= seen


def test_pages_keep_their_width() -> None:
    for page in PAGES:
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            wide = sum(2 if ord(character) > 0x2E80 else 1 for character in line)
            if not line.startswith(("|", "$ ")) and page.name not in GENERATED:
                assert wide <= 120, f"{page.relative_to(ROOT)}:{number}"


RUN_PAGES = sorted({command.page for command in OURS if command.run})


@pytest.mark.prefect
@pytest.mark.usefixtures("prefect_api")
@pytest.mark.parametrize("page", RUN_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_the_docs_show_is_printed(
    page: Path, fresh_folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fresh_folders / "walk"
    shutil.copytree(ROOT / "data", folder / "data")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(fresh_folders / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("conspectus.run.digest.choose_model", lambda *_: FakeModel())
    for command in (one for one in commands(page) if one.run):
        if not command.words:
            assert command.text.split()[0] in SHELL, command
            subprocess.run(["bash", "-c", command.text], check=True)
            continue
        before = set(os.environ)
        monkeypatch.setattr("sys.argv", ["conspectus", *command.words])
        code = cli.run(command.words)
        printed = "".join(reversed(capsys.readouterr()))  # messages on stderr come before the result
        for name in set(os.environ) - before:
            monkeypatch.delenv(name)
        assert code == ExitCode.OK, f"{command}: {printed}"
        rest = [" ".join(line.split()) for line in printed.splitlines()]
        for line in command.shown:
            form = re.compile(".*".join(re.escape(part) for part in " ".join(line.split()).split("…")))
            place = next((i for i, real in enumerate(rest) if form.fullmatch(real)), None)
            assert place is not None, f"{command}: {line!r} is not printed; what is left: {rest}"
            rest = rest[place + 1 :]


PYTHON_PAGES = [page for page in PAGES if any(kind == "python run" for _, kind, _ in blocks(page))]


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_the_docs_runs(page: Path, fresh_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fresh_folders / "data").mkdir()
    for name in ("lease.pdf", "act-zh.pdf"):
        shutil.copy(ROOT / "data" / name, fresh_folders / "data")
    monkeypatch.chdir(fresh_folders)
    monkeypatch.setattr("conspectus.api.choose_model", lambda *_: FakeModel())
    names: dict[str, object] = {}
    for line, kind, text in blocks(page):
        if kind == "python run":
            exec(compile("\n" * (line - 1) + text, str(page), "exec"), names)
