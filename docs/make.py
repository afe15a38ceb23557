"""Writes the pages of docs/reference and docs/explanation that are made from the code.

    python docs/make.py            writes them
    python docs/make.py --check    writes nothing; exit code 1 where a page is out of date

tests/test_docs.py runs the check. Pages made elsewhere: errors.md (conspectus.llama.messages).
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from conspectus import errors, prompts, settings
from conspectus.cli.main import app
from conspectus.errors import ConspectusError, ExitCode

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOTE = "Made by `python docs/make.py`; do not edit by hand."

MEANINGS: Mapping[ExitCode, str] = {
    ExitCode.OK: "Delivered. Also: there was nothing to do.",
    ExitCode.UNEXPECTED: "An error that nobody thought of; `-v` shows where. `doctor`: it found a problem.",
    ExitCode.USAGE: "A flag, a path or a setting is wrong.",
    ExitCode.PARTIAL: "Partial: a page or a file was not read, or calls of the model failed. What is missing is named.",
    ExitCode.INPUT: "No document could be read.",
    ExitCode.MODEL: "The model is missing, broken, or does not fit.",
    ExitCode.VERIFICATION: "What was verified did not hold, or less of it than was asked for.",
    ExitCode.INTERRUPTED: "Interrupted (Ctrl-C, SIGTERM). The same command goes on where this one stopped.",
}


def command_line() -> str:
    """Every command with its options, from the program itself."""
    text = app.generate_docs(recursive=True).partition("## Table of Contents")[2]
    contents, _, rest = text.partition("**Commands**")
    commands = rest.partition("\n## ")[2]
    parts = ["# Command line", NOTE]
    parts += ["Settings and where they may stand instead: [configuration](configuration.md).", contents.strip()]
    return "\n\n".join(parts) + "\n\n## " + _escaped(commands).strip() + "\n"


def _escaped(text: str) -> str:
    """`<name>` in running text as it is read, not as an HTML element; each line without blanks at its end."""
    lines: list[str] = []
    code = False
    for line in text.splitlines():
        code ^= line.startswith("```")
        lines.append(line.rstrip() if code else re.sub(r"(?<![\\`])<([a-z]+)>", r"\\<\1>", line).rstrip())
    return "\n".join(lines)


def exit_codes() -> str:
    """The exit codes, and the errors that end with them."""
    rows = [f"| {int(code)} | `{code.name}` | {MEANINGS[code]} |" for code in ExitCode]
    kinds = [
        f"| `{kind.__name__}` | {int(kind.exit_code)} | {(kind.__doc__ or '').splitlines()[0]} |"
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, ConspectusError) and kind is not ConspectusError
    ]
    return "\n".join(
        [
            "# Exit codes",
            "",
            NOTE,
            "",
            "The numbers do not change between versions.",
            "",
            "| code | name | meaning |",
            "|---|---|---|",
            *rows,
            "",
            "With several files: 0 where all are whole, 3 where some are partial or some failed; where none could be",
            "delivered, the code of the first failure.",
            "",
            "## Errors in Python",
            "",
            "Each is a `conspectus.errors.ConspectusError` with `message`, `remedy` (the next thing to do) and",
            "`exit_code`. Partial, verification and interrupted are outcomes, not exceptions.",
            "",
            "| error | code | what it is |",
            "|---|---|---|",
            *kinds,
            "",
        ]
    )


_ENVIRONMENT: Mapping[str, str] = {
    "api_key": "Key for the model servers; `--api-key-env` names another variable.",
    "cache": "Folder of stored answers, mode 0700. Default: `$XDG_CACHE_HOME/conspectus`, `~/.cache/conspectus`.",
    "notify_urls": "Addresses that are told how a night run ended ([schedule](../how-to/schedule.md)).",
    "state": "Folder of the run history and the local Prefect server's files. Default: `~/.local/state/conspectus`.",
}


def configuration() -> str:
    """The settings that a file or a variable may give."""
    helps: dict[str, str] = {}
    for command in ("nightly", "batch", "digest"):  # the words of digest, where several have an option
        for argument in app[command].assemble_argument_collection(parse_docstring=True):
            if argument.show:
                name = argument.name.lstrip("-").replace("-", "_")
                helps[name] = " ".join(str(argument.parameter.help or "").split())
    rows = [
        f"| `{name}` | {_shown(default)} | `{settings.PREFIX}{name.upper()}` | {_cell(helps.get(name, ''))} |"
        for name, default in sorted(settings.known().items())
        if helps.get(name)
    ]
    only = [f"| `{settings.PREFIX}{name.upper()}` | {text} |" for name, text in _ENVIRONMENT.items()]
    return "\n".join(
        [
            "# Configuration",
            "",
            NOTE,
            "",
            "A setting is taken from the first of these that has it:",
            "",
            "1. the flag on the command line,",
            "2. the variable `CONSPECTUS_<NAME>`,",
            f"3. `{settings.PROJECT_FILE}` in the working folder or the nearest folder above it,",
            "4. `~/.config/conspectus/config.toml` (`$XDG_CONFIG_HOME`),",
            "5. the default.",
            "",
            "The files are flat TOML; a name may have `-` or `_`. A name that is no setting is an error, and a file",
            "that belongs to another user (root apart) is not read. `--password`, `--json`, `--quiet`, `--verbose`,",
            '`--from-list` and `--once` belong to one run and stand in no file. `""` is for: not set.',
            "",
            "```console",
            "$ conspectus config init      # writes conspectus.toml here, every setting commented out",
            "$ conspectus config show      # every setting, its value and where it comes from",
            "```",
            "",
            "## Settings",
            "",
            "| name in a file | default | variable | what it is |",
            "|---|---|---|---|",
            *rows,
            "",
            "## Variables only",
            "",
            "| variable | what it is |",
            "|---|---|",
            *only,
            "",
            "Of Prefect's own variables `PREFECT_API_URL` is the one to know: with it the flows report to a server of",
            "yours, and none is started here.",
            "",
        ]
    )


def _shown(value: settings.Value) -> str:
    return "" if value is None or value == "" else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return text.replace("|", "&#124;")


def prompt_pages() -> str:
    """The prompts with their versions and variables, and the English texts."""
    manifest = tomllib.loads((ROOT / "prompts/manifest.toml").read_text("utf-8"))
    languages = sorted({path.parent.name for path in (ROOT / "prompts").glob("*/*.jinja")})
    rows = []
    for name in prompts.names():
        links = ", ".join(f"[{lang}](../../prompts/{lang}/{name}.jinja)" for lang in languages)
        variables = ", ".join(f"`{variable}`" for variable in manifest[name]["variables"])
        rows.append(f"| `{name}` | {manifest[name]['version']} | {manifest[name]['purpose']} | {variables} | {links} |")
    return "\n".join(
        [
            "# Prompts",
            "",
            NOTE,
            "",
            "One file for each prompt and language, in Jinja; `prompts/manifest.toml` declares version and variables.",
            "A line of three dashes parts the system part from the user part. The versions are written into each",
            "digest. How to change one: [own prompts](../how-to/own-prompts.md).",
            "",
            "| prompt | version | what for | variables | text |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def metrics_page() -> str:
    """The figures for Prometheus, from the collectors themselves."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics import MetricWrapperBase

    from conspectus.journal.types import CallState, DocumentState
    from conspectus.metrics.metrics import Counting

    rows = []
    for one in vars(Counting(CollectorRegistry())).values():
        if isinstance(one, MetricWrapperBase):
            (metric,) = one.describe()
            name = f"{metric.name}_total" if metric.type == "counter" else metric.name
            labels = ", ".join(f"`{label}`" for label in one._labelnames)
            rows.append(f"| `{name}` | {metric.type} | {labels} | {metric.documentation} |")
    documents, calls = (", ".join(f"`{state}`" for state in kind) for kind in (DocumentState, CallState))
    return "\n".join(
        [
            "# Metrics",
            "",
            NOTE,
            "",
            "For Prometheus, at `/metrics` of the port that is named:",
            "",
            "```console",
            "$ conspectus nightly --folder contracts --out digests --metrics-port 9464",
            "```",
            "",
            "It listens on this machine alone, unless `--metrics-address` says otherwise. No name of a file and no",
            "text is among them.",
            "",
            "| metric | type | labels | what it is |",
            "|---|---|---|---|",
            *rows,
            "",
            "States of documents:",
            f"{documents}.",
            "",
            f"States of calls: {calls}.",
            "",
            "Reasons of calls made again: `transport` where the call failed, else the code of the rule that refused",
            "the line (`conspectus.check.reasons.Reason`).",
            "",
            "Ready to use: [dashboard for Grafana](../../deploy/grafana-dashboard.json),",
            "[alerts](../../deploy/alerts.yml).",
            "",
        ]
    )


# The picture of the code.

_TOPS = ("conspectus", "flows", "tasks", "prompts")
RUNS, WORDS = "command line and runs", "conspectus"


def _module(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    parts = parts if parts[0] == "conspectus" else ["conspectus", *parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> Iterator[str]:
    """Modules that a file imports, anywhere in it; of `from a import b` both a and a.b."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def packages() -> dict[str, str]:
    """Every module with the part of the picture it belongs to.

    A folder in `conspectus` is a part, with the folders in it. The command line, the modules that import flows, and
    the modules that import one of these are a part of their own, above all others.
    """
    files = {_module(path): path for top in _TOPS for path in sorted((ROOT / top).rglob("*.py"))}
    uses = {name: set(_imports(path)) for name, path in files.items()}
    folders = {".".join(_module(path).split(".")[:2]) for path in files.values() if path.name == "__init__.py"}
    parts = {name: one if (one := ".".join(name.split(".")[:2])) in folders else WORDS for name in files}
    own = [name for name in files if parts[name] not in ("conspectus.flows", "conspectus.tasks")]
    top = {name for name in own if parts[name] == "conspectus.cli"}
    more = {name for name in own if any(one.startswith("conspectus.flows") for one in uses[name])}
    while more := more - top:
        top |= more
        more = {name for name in own if uses[name] & top}
    return parts | dict.fromkeys(sorted(top), RUNS)


def arrows() -> set[tuple[str, str]]:
    """Which part of the program uses which; the modules that lie in `conspectus` itself apart."""
    parts = packages()
    found = set()
    for path in (path for top in _TOPS for path in (ROOT / top).rglob("*.py")):
        here = parts.get(_module(path), WORDS)
        found |= {(here, there) for name in _imports(path) if (there := parts.get(name, WORDS)) != here}
    return {arrow for arrow in found if WORDS not in arrow}


def _below(part: str, uses: Mapping[str, set[str]]) -> set[str]:
    """All that a part uses, directly or by way of others."""
    found: set[str] = set()
    more = set(uses.get(part, ()))
    while more := more - found:
        found |= more
        more = {there for one in more for there in uses.get(one, ())}
    return found


def needed(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows without those that follow from others; those back to the runs all stay, none follows from them."""
    back = {arrow for arrow in found if arrow[1] == RUNS}
    uses: dict[str, set[str]] = {}
    for here, there in found - back:
        uses.setdefault(here, set()).add(there)
    below = {part: _below(part, uses) for part in uses}
    return back | {(a, b) for a, b in found - back if not any(b in below.get(other, ()) for other in uses[a] - {b})}


def architecture() -> str:
    """A picture of the packages in mermaid, and what each is for."""
    names = sorted({*packages().values(), "conspectus.cli"} - {WORDS})
    said = [f"| `{name}` | {_about(name)} |" for name in names if name != RUNS]
    boxes = [name for name in names if name != "conspectus.cli"]
    ids = {name: f"p{index}" for index, name in enumerate(boxes)}
    return "\n".join(
        [
            "# Architecture",
            "",
            NOTE,
            "",
            "Each box is a package of `conspectus`; an arrow says that some module of the one imports the other. An",
            "arrow that follows from others is left out. What lies in `conspectus` itself is used everywhere and not",
            "drawn: the words of the project as types (`document`), `errors`, `paths`, `settings` and the like.",
            "",
            "Imports point one way: prompts, conspectus, tasks, flows, command line. The modules that run a flow",
            "(`run.digest`, `batch.run`, `compare.run`, `nightly.batch`, `plan.run` and what is built on them) stand",
            "with the command line here, wherever they lie; the flow of a schedule starts such a run in its turn.",
            "The library never imports Prefect. `tests/test_layers.py` holds them to it.",
            "",
            "```mermaid",
            "flowchart TD",
            *(f'    {ids[name]}["{name.removeprefix("conspectus.")}"]' for name in boxes),
            *(f"    {ids[a]} --> {ids[b]}" for a, b in sorted(needed(arrows()))),
            "```",
            "",
            "| package | what it is |",
            "|---|---|",
            *said,
            "",
        ]
    )


def _about(name: str) -> str:
    own = ROOT.joinpath(*name.split("."), "__init__.py")
    if not own.exists():
        own = ROOT.joinpath(*name.split(".")[1:], "__init__.py")
    doc = ast.get_docstring(ast.parse(own.read_text("utf-8"))) or ""
    return doc.split("\n\n")[0].replace("\n", " ")


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/cli.md": command_line,
    "reference/configuration.md": configuration,
    "reference/exit-codes.md": exit_codes,
    "reference/prompts.md": prompt_pages,
    "reference/metrics.md": metrics_page,
    "explanation/architecture.md": architecture,
}


def stale() -> list[str]:
    """The pages that are not what the code would write."""
    return [
        name for name, make in PAGES.items() if not (DOCS / name).exists() or (DOCS / name).read_text("utf-8") != make()
    ]


def main(arguments: list[str]) -> int:
    """Writes the pages, or with --check names those that are out of date."""
    old = stale()
    for name in old:
        print(f"docs/{name}")
        if "--check" not in arguments:
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(PAGES[name](), "utf-8")
    return int("--check" in arguments and bool(old))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
