"""The wheel installs `conspectus` and nothing else, with everything in it."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_folder_with_code_is_a_listed_package(project: dict[str, dict[str, dict[str, list[str]]]]) -> None:
    listed = set(project["tool"]["setuptools"]["packages"])
    for top in ("conspectus", "flows", "tasks", "prompts"):
        for file in (ROOT / top).rglob("*.py"):
            parts = file.parent.relative_to(ROOT).parts
            name = ".".join(parts if top == "conspectus" else ("conspectus", *parts))
            assert name in listed, f"{file} is in no package of pyproject.toml"


def test_wheel_holds_only_the_import_package(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes((ROOT / name).read_bytes())
    built = subprocess.run(
        ["uv", "build", "--wheel", "-q", "--out-dir", str(tmp_path / "out"), str(tree)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "out").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"conspectus", names[-1].split("/")[0]}
    for needed in (
        "flows/digest.py",
        "tasks/complete.py",
        "prompts/manifest.toml",
        "schema/digest-2.json",
        "prompts/zh/map-contract.jinja",
        "py.typed",
    ):
        assert f"conspectus/{needed}" in names
    assert not any(name.startswith(("tests", "data", "flows", "tasks")) for name in names)


def test_what_is_imported_is_this_tree() -> None:
    import conspectus.flows.asking

    assert Path(conspectus.flows.asking.__file__).resolve() == ROOT / "flows" / "asking.py"


def test_help_imports_neither_prefect_nor_the_engine() -> None:
    code = (
        "import sys\nfrom conspectus.cli.main import run\nrun(['--help']); run(['digest', '--help'])\n"
        "sys.exit(any(name in sys.modules for name in ('prefect', 'llama_cpp', 'pypdf', 'langchain_text_splitters')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--detail" in done.stdout


def test_no_lock_file_or_machine_path_is_tracked() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "uv.lock" not in files
