"""Imports point one way: prompts < conspectus < tasks < flows < cli; the library never imports Prefect."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import conspectus

ROOT = Path(__file__).parent.parent
RANK = {"prompts": 0, "conspectus": 1, "tasks": 2, "flows": 3}
# The command line and the run behind it stand on top of all layers; they import flows when a digest is made.
TOP = {
    "conspectus/cli/main.py",
    "conspectus/run/digest.py",
    "conspectus/plan/run.py",
    "conspectus/__main__.py",
    "conspectus/batch/run.py",
    "conspectus/batch/server.py",
    "conspectus/cli/nightly.py",
    "conspectus/nightly/batch.py",
    "conspectus/compare/run.py",
}
FILES = sorted(path for folder in RANK for path in (ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names if module == "conspectus"}
    return names


def layer(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "conspectus" and len(parts) > 1 and parts[1] in RANK else parts[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    relative = str(path.relative_to(ROOT))
    if relative in TOP:
        return
    own = RANK[relative.split("/")[0]]
    for module in imported(path):
        assert RANK.get(layer(module), -1) <= own, f"{relative} imports {module}"
        if own <= RANK["conspectus"]:
            assert module.split(".")[0] != "prefect", f"{relative} imports Prefect"


def package(module: str) -> str:
    """The folder in conspectus that a module lies in; "" for what lies in conspectus itself."""
    name = module.split(".")[1] if module.startswith("conspectus.") else ""
    return name if (ROOT / "conspectus" / name).is_dir() else ""


def test_the_packages_of_the_library_form_no_circle() -> None:
    uses: dict[str, set[str]] = {}
    for path in FILES:
        relative = path.relative_to(ROOT)
        if relative.parts[0] == "conspectus" and str(relative) not in TOP and len(relative.parts) > 2:
            uses.setdefault(relative.parts[1], set()).update(package(module) for module in imported(path))
    left = {name: used - {"", name} for name, used in uses.items()}
    while done := {name for name, used in left.items() if not used & set(left)}:
        left = {name: used for name, used in left.items() if name not in done}
    assert not left, f"these import each other: {left}"


def test_no_module_hides_what_the_package_offers() -> None:
    # `from conspectus import digest` finds a folder or file of that name before the function.
    names = {path.stem for path in (ROOT / "conspectus").iterdir()}
    assert not names & set(conspectus.__all__)


def test_llama_cpp_is_imported_by_the_engine_process_alone() -> None:
    importers = {str(p.relative_to(ROOT)) for p in FILES if any(m.split(".")[0] == "llama_cpp" for m in imported(p))}
    assert importers
    assert all(name.startswith("conspectus/llama/") for name in importers)
    code = (
        "import sys, conspectus.run.digest, conspectus.llama.embedded\n"
        "sys.exit('llama_cpp' in sys.modules or 'prefect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


def test_files_and_functions_keep_their_size() -> None:
    for path in FILES:
        tree = ast.parse(path.read_text("utf-8"))
        assert len(path.read_text("utf-8").splitlines()) <= 400, path
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path}: {node.name}"


def test_a_flow_is_a_table_of_contents() -> None:
    tree = ast.parse((ROOT / "flows/digest.py").read_text("utf-8"))
    flow = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "digest")
    assert (flow.end_lineno or 0) - flow.lineno <= 40
    assert not any(isinstance(node, ast.For | ast.While | ast.If) for node in ast.walk(flow))


def test_no_file_is_named_as_the_package_or_a_standard_module() -> None:
    # Prefect puts a flow file's folder first on the path: such a stem would hide the real module.
    for path in (ROOT / "flows").glob("*.py"):
        assert path.stem not in {"conspectus", *sys.stdlib_module_names}, path
