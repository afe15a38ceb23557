"""Watch mode: no half file is digested, each whole one once."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.cli import main as cli
from conspectus.cli import watch as watch_cli
from conspectus.cli.watch import Rhythm, loop
from conspectus.errors import EngineError, ExitCode, ModelError, UsageError
from conspectus.nightly.job import Ran
from conspectus.nightly.watch import Facts, Settling, files_in

STILL = 30.0
A = Path("/in/a.pdf")
NOW = 1_800_000_000.0


class Ended(Exception):
    """The test has seen enough."""


def test_a_file_that_grows_waits_until_it_is_still() -> None:
    settling = Settling(STILL)
    for second in range(0, 100, 10):
        growing = {A: Facts(1000 + second, NOW + second, 1)}
        assert settling.look(growing, NOW + second, second) == []
    whole = {A: Facts(1090, NOW + 90, 1)}
    given_at = [s for s in range(100, 200, 10) if settling.look(whole, NOW + s, s)]
    assert given_at == [120]


def test_a_file_moved_into_place_waits_for_a_second_look_only() -> None:
    settling = Settling(STILL)
    whole = {A: Facts(1000, NOW - 3600, 1)}
    assert settling.look(whole, NOW, 0.0) == []
    assert settling.look(whole, NOW + 10, 10.0) == [A]
    assert settling.look(whole, NOW + 20, 20.0) == []


def test_a_changed_file_is_handed_out_again_also_with_size_and_time_as_before() -> None:
    settling = Settling(0.0)
    settling.look({A: Facts(9, NOW, 1)}, NOW, 0)
    assert settling.look({A: Facts(9, NOW, 1)}, NOW, 1) == [A]
    settling.look({A: Facts(9, NOW, 2)}, NOW, 2)
    assert settling.look({A: Facts(9, NOW, 2)}, NOW, 3) == [A]


def test_a_clock_that_jumps_hands_out_no_half_file() -> None:
    settling = Settling(STILL)
    assert settling.look({A: Facts(1, NOW, 1)}, NOW, 0) == []
    # The clock of the machine is set back by a day while the file grows.
    assert settling.look({A: Facts(2, NOW - 86400, 1)}, NOW - 86400, 10) == []
    assert settling.look({A: Facts(3, NOW - 86390, 1)}, NOW - 86390, 20) == []
    assert settling.look({A: Facts(3, NOW - 86390, 1)}, NOW - 86360, 50) == [A]
    # A file from a machine whose clock is ahead: still is what does not change.
    ahead = {Path("/in/b.pdf"): Facts(1, NOW + 86400, 1)}
    assert [bool(settling.look(ahead, NOW + s, 60 + s)) for s in (0, 10, 20, 30, 40)] == [False] * 3 + [True, False]


def test_an_empty_file_and_one_that_vanished_are_not_handed_out() -> None:
    settling = Settling(0.0)
    assert [settling.look({A: Facts(0, NOW - 99, 1)}, NOW, s) for s in range(3)] == [[], [], []]
    settling.look({}, NOW, 4)
    assert settling.waiting() == 0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_what_is_handed_out_was_still(sizes: list[int]) -> None:
    """However a file grows, shrinks and rests: one look a second, and never a file that changed within the time."""
    settling, still = Settling(3.0), 3
    changed = 0
    for second, size in enumerate(sizes):
        if second == 0 or size != sizes[second - 1]:
            changed = second
        if settling.look({A: Facts(size, NOW + changed, 1)}, NOW + second, second):
            assert size and second - changed >= still
            assert len(set(sizes[second - still : second + 1])) == 1


def test_unfinished_hidden_and_foreign_files_are_left_out(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "in" / "out"
    (folder / "deep").mkdir(parents=True)
    out.mkdir()
    names = ["a.pdf", "deep/合同.PDF", "b.txt", "c.pdf", "c.pdf.part", "d.pdf", "d.pdf.crdownload", "~$e.pdf", ".f.pdf",
             "g.docx", "h.pdf.tmp", "out/i.pdf", ".git/j.pdf", "~$k.txt"]  # fmt: skip
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    (folder / "gone.pdf").symlink_to(folder / "nothing.pdf")
    (folder / "loop").symlink_to(folder)
    assert sorted(str(p.relative_to(folder)) for p in files_in(folder, out)) == ["a.pdf", "b.txt", "deep/合同.PDF"]


def test_a_folder_that_vanishes_and_comes_back_ends_nothing(tmp_path: Path) -> None:
    assert files_in(tmp_path / "none", tmp_path / "out") == {}


def test_files_are_digested_as_they_come(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    batches: list[list[str]] = []

    def batch(files: Sequence[Path]) -> Ran:
        batches.append([file.name for file in files])
        return Ran(ExitCode.PARTIAL, "")

    def write(name: str) -> None:
        (folder / name).write_text("whole")
        hour_ago = time.time() - 3600
        os.utime(folder / name, (hour_ago, hour_ago))

    def sleep(_seconds: float) -> None:
        turn = next(turns)
        if turn == 0:
            write("a.pdf")
        elif turn == 3:
            write("b.pdf")
            (folder / "a.pdf").unlink()
        elif turn == 6:
            write("a.pdf")
        elif turn == 9:
            raise Ended

    turns = iter(range(10))
    with pytest.raises(Ended):
        loop(folder, out, Rhythm(1.0, 30.0), batch, sleep=sleep)
    assert batches == [["a.pdf"], ["b.pdf"], ["a.pdf"]]


def test_a_model_that_is_away_is_tried_again_with_longer_pauses(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_text("whole")
    tries, pauses, told = 0, list[float](), list[str]()

    def batch(files: Sequence[Path]) -> Ran:
        nonlocal tries
        tries += 1
        if tries < 5:
            raise (ModelError if tries % 2 else EngineError)("no server answers", "Start one")
        return Ran(ExitCode.OK, "")

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) > 12:
            raise Ended

    with pytest.raises(Ended):
        loop(
            tmp_path / "in", tmp_path / "out", Rhythm(1.0, 0.0), batch, lambda error: told.append(error.message), sleep
        )
    assert tries == 5
    assert pauses[:7] == [1.0, 2.0, 4.0, 8.0, 16.0, 1.0, 1.0]
    assert told == ["no server answers"]


def test_a_setting_that_is_wrong_ends_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_text("whole")

    def batch(files: Sequence[Path]) -> Ran:
        raise UsageError("no such format", "")

    with pytest.raises(UsageError):
        loop(tmp_path / "in", tmp_path / "out", Rhythm(1.0, 0.0), batch, sleep=lambda _: None)


def test_the_server_is_kept_for_some_minutes_after_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lease:
        def __init__(self) -> None:
            leases.append(True)

        def release(self) -> None:
            leases.append(False)

    leases: list[bool] = []
    clock = [0.0]
    monkeypatch.setattr(watch_cli, "acquire", Lease)
    warm = watch_cli.WarmServer(lambda: clock[0])
    warm.look(busy=False)
    for clock[0], busy in ((0.0, True), (100.0, False), (200.0, True), (499.0, False)):
        warm.look(busy=busy)
    assert leases == [True]
    clock[0] = 501.0
    warm.look(busy=False)
    warm.look(busy=False)
    assert leases == [True, False]
    warm.look(busy=True)
    warm.close()
    warm.close()
    assert leases == [True, False, True, False]


@pytest.mark.parametrize("wrong", [["--every", "0"], ["--still", "-1"], ["--folder", "nowhere"]])
def test_the_command_refuses_what_cannot_be(wrong: list[str], tmp_path: Path) -> None:
    assert cli.run(["watch", "--folder", str(tmp_path), "--out", str(tmp_path / "o"), *wrong]) == ExitCode.USAGE
