"""How long `conspectus verify` takes, stage by stage and as a command, beside reading the file alone.

    .venv/bin/python -P benchmarks/cli/verify_speed.py ../shared/corpus/statutes/us_title17_copyright_370p.pdf

The digest is made with the scripted model of the tests, `--detail full`, so that most lines are marked verified: the
worst case for the checker.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import pipeline
from fake_model import FakeModel, shortened

from conspectus.document import Detail
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import read_pdf
from conspectus.render.json import render_json
from conspectus.schema import parse
from conspectus.verification.again import again
from conspectus.verification.check import claims, judge
from conspectus.verification.lines import lines

T = TypeVar("T")


def timed(what: str, do: Callable[[], T]) -> T:
    began = time.perf_counter()
    made = do()
    print(f"{what:32} {time.perf_counter() - began:6.2f} s")
    return made


def main(path: Path) -> None:
    read = timed("reading", lambda: read_pdf(path))
    source = timed("clauses and sentences", lambda: to_source(to_document(path, read)))
    data = render_json(pipeline.digest(source, FakeModel(rule=shortened), Detail.FULL))
    file = timed("parsing digest.json", lambda: parse(data, path.name))
    reasons = timed(f"checking {len(claims(file))} lines", lambda: judge(claims(file), source.language))
    findings = timed("quotes and tables", lambda: list(lines(file, source.document.text, reasons)))
    findings += timed("making it again", lambda: list(again(file, source)))
    print(f"{len(read.pages)} pages, {len(file.statements)} statements, {len(data):,} bytes, {len(findings)} findings")
    with tempfile.TemporaryDirectory() as folder:
        digest = Path(folder) / "d.json"
        digest.write_bytes(data)
        command = [sys.executable, "-P", "-m", "conspectus", "verify", str(digest), str(path), "-q"]
        timed("conspectus verify", lambda: subprocess.run(command, check=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
