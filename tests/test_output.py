"""Where digests go, and what happens where they cannot."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from digests import act, lease

from conspectus.errors import UsageError
from conspectus.run import output
from conspectus.run.output import check_target, folder_for, link_to, output_name, write

RUN = {"seconds": 1.0}
FORMATS = ("md", "json", "html")
# What `conspectus digest -o -` does with a digest, in a process of its own.
PRINT = """
import sys
sys.path.insert(0, {support!r})
from digests import act
from pathlib import Path
from conspectus.run.output import write
import conspectus.cli.main as cli
write(act(), Path("a.pdf"), "-", {{}}, ())
"""


def test_files_lie_beside_the_document_and_lead_back_to_it(tmp_path: Path) -> None:
    paper = tmp_path / "papers" / "lease 1#a.pdf"
    paper.parent.mkdir()
    paper.write_bytes(b"%PDF")
    for target, wanted in ((None, "lease%201%23a.pdf"), (str(tmp_path / "out"), "../papers/lease%201%23a.pdf")):
        written = write(lease(), paper, target, RUN, FORMATS)
        assert [path.name for path in written] == [
            *(f"lease 1#a.pdf.digest.{suffix}" for suffix in FORMATS), "lease 1#a.pdf.run.json"
        ]  # fmt: skip
        page = written[2]
        assert f'data-file="{wanted}"' in page.read_text("utf-8")
        assert (page.parent / unquote(wanted)).samefile(paper)


def test_a_link_is_relative_and_no_scheme(tmp_path: Path) -> None:
    assert link_to(tmp_path / "javascript:a.pdf", tmp_path) == "javascript%3Aa.pdf"
    assert link_to(tmp_path / "合同.pdf", tmp_path / "x") == "../%E5%90%88%E5%90%8C.pdf"


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = tmp_path / "a.pdf"
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UsageError, match="is a file"):
        check_target(str(file), 1)
    with pytest.raises(UsageError, match="cannot be made"):
        folder_for(paper, str(file / "below"))
    (tmp_path / "out" / "a.pdf.digest.html").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"a\.pdf\.digest\.html: cannot be written"):
        write(lease(), paper, str(tmp_path / "out"), RUN, FORMATS)
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.endswith(".tmp")]
    for code in (errno.ENOSPC, errno.EROFS, errno.EACCES):

        def refuse(_path: Path, _content: bytes, code: int = code) -> None:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(output, "write_atomically", refuse)
        with pytest.raises(UsageError, match=os.strerror(code)) as caught:
            write(lease(), paper, str(tmp_path / "full"), RUN, FORMATS)
        assert "-o" in caught.value.remedy


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot be written"):
        write(lease(), tmp_path / "a.pdf", str(tmp_path / "ro"), RUN, FORMATS)


def process(code: str, **environment: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        cwd="/",
    )


CODE = PRINT.format(support=str(Path(__file__).parent / "support"))


def test_a_pipe_that_closes_early_is_no_failure() -> None:
    child = process(CODE)
    assert child.stdout and child.stderr
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    assert (child.wait(), errors) == (0, b"")


def test_a_locale_without_utf8_gets_utf8_all_the_same() -> None:
    child = process(CODE, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    made, errors = child.communicate()
    assert (child.returncode, errors) == (0, b"")
    assert made.decode().startswith("# 数据交易管理条例")
    assert act().document.title in made.decode()


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"COLUMNS": "40"}]
)
def test_help_and_errors_stand_in_every_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    for arguments in (["digest", "--help"], ["digest", str(tmp_path / "合同.pdf")]):
        child = subprocess.run(
            [sys.executable, "-m", "conspectus", *arguments],
            capture_output=True,
            env={**os.environ, **environment},
            cwd="/",
        )
        assert child.returncode == (0 if "--help" in arguments else 4)
        assert b"Traceback" not in child.stderr
        assert b"--format" in child.stdout or b"conspectus: " in child.stderr


def test_an_unknown_format_is_refused_before_any_work(tmp_path: Path) -> None:
    from conspectus.cli.main import run

    file = tmp_path / "a.txt"
    file.write_text("1. The Tenant shall pay.")
    assert run(["digest", str(file), "--format", "md,pdf"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_names_too_long_for_a_file_system_are_cut_and_told_apart(tmp_path: Path) -> None:
    long = [Path("租" * 80 + f"{end}.pdf") for end in "ab"]
    names = {output_name(path) for path in long}
    assert len(names) == 2
    for name in names:
        (tmp_path / f"{name}.digest.json").touch()
    assert output_name(Path("in/lease.pdf")) == "lease.pdf"
