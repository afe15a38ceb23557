"""The Python packages that the harness needs on a machine without network: pinned, less those that are there.

Prints one `name==version` a line. Run by gpu/prepare.sh with uv on the path. What is there is read from a file of names
(argument; parted by commas or lines, as `pip list --format=freeze` prints them too).
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Not imported by the driver: Prefect, the command line, the splitter of another benchmark (which brings a top-level
# package `benchmarks` of its own). llama_cpp travels apart, without libraries.
NOT_NEEDED = {"prefect", "llama-cpp-python", "cyclopts", "pysbd"}
# langsmith imports it where it sends traces, which it never does here; five megabytes.
NOT_USED = {"zstandard"}


def bare(requirement: str) -> str:
    """The name of a requirement, as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; @]", requirement.strip(), maxsplit=1)[0]).lower()


def main() -> int:
    """Resolves for CPython 3.12 on x86-64 Linux."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [one for one in project["project"]["dependencies"] if bare(one) not in NOT_NEEDED]
    wanted += [one for one in project["dependency-groups"]["bench"] if bare(one) not in NOT_NEEDED]
    # AES-encrypted files are not measured: without the extra, cryptography and cffi need not travel.
    wanted = [one.replace("pypdf[crypto]", "pypdf") for one in wanted]
    listed = Path(sys.argv[1]).read_text("utf-8") if len(sys.argv) > 1 else ""
    there = {bare(name) for name in re.split(r"[,\n]", listed) if name.strip()}
    with tempfile.NamedTemporaryFile("w", suffix=".in") as needs:
        needs.write("\n".join(["diskcache", *wanted]))
        needs.flush()
        platform = ["--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_28"]
        command = ["uv", "pip", "compile", "-q", "--no-annotate", "--no-header", *platform, needs.name]
        made = subprocess.run(command, check=True, capture_output=True, text=True)
    for line in made.stdout.splitlines():
        if line.strip() and not line.startswith("#") and bare(line) not in there | NOT_USED:
            print(line.split(";")[0].strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
