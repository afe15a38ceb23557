import fcntl
import stat
from pathlib import Path

import pytest

from conspectus.errors import UsageError
from conspectus.paths import answers_dir, cache_dir, state_dir, sweep, write_atomically


def test_own_variables_win_and_folders_are_private(fresh_folders: Path) -> None:
    assert cache_dir() == fresh_folders / "cache"
    assert state_dir() == fresh_folders / "state"
    assert answers_dir() == fresh_folders / "cache" / "answers"
    for folder in (cache_dir(), state_dir(), answers_dir()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_xdg_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONSPECTUS_CACHE")
    monkeypatch.delenv("CONSPECTUS_STATE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert cache_dir() == tmp_path / "c" / "conspectus"
    assert state_dir() == tmp_path / "s" / "conspectus"


def test_a_relative_xdg_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONSPECTUS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "conspectus"


def test_a_relative_folder_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONSPECTUS_CACHE", "sub/cache")
    assert cache_dir() == tmp_path / "sub" / "cache"


def test_a_folder_that_was_open_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.setenv("CONSPECTUS_CACHE", str(folder))
    assert stat.S_IMODE(cache_dir().stat().st_mode) == 0o700


def test_a_file_in_the_way_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "file" / "state"))
    with pytest.raises(UsageError, match="CONSPECTUS_STATE"):
        try:
            state_dir()
        except UsageError as error:
            raise UsageError(error.line()) from error


def test_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_atomically(path, b"old and longer")
    write_atomically(path, b"new", mode=0o600)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    (path / "kept").touch()
    with pytest.raises(OSError):
        write_atomically(path, b"x")
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_of_the_longest_kind_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


def test_the_temporary_name_of_a_long_chinese_name_fits(tmp_path: Path) -> None:
    # A file system counts bytes, and each of these takes three.
    path = tmp_path / f"{'租' * 80}.pdf"
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


def test_what_killed_writers_leave_is_swept_and_nothing_else(tmp_path: Path) -> None:
    left = tmp_path / ".a.pdf.digest.md.0123456789ab.tmp"
    left.write_bytes(b"half")
    kept = [tmp_path / name for name in (".hidden.tmp", "a.0123456789ab.tmp", ".a.0123456789AB.tmp")]
    for path in kept:
        path.touch()
    written = tmp_path / ".b.0123456789ab.tmp"
    with written.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert sweep(tmp_path) == 1
    assert not left.exists() and written.exists() and all(path.exists() for path in kept)
    assert sweep(tmp_path) == 1
    assert sweep(tmp_path / "none") == 0
