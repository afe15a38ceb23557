"""When a nightly run is due, which late runs are left out, what a deployment keeps."""

import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receivers import receiver

from conspectus.cli import main as cli
from conspectus.cli import nightly as nightly_cli
from conspectus.cli.nightly import name_of
from conspectus.errors import ExitCode, UsageError
from conspectus.filelock import FileLock, Share
from conspectus.nightly.job import Due, Ran, check_settings, options_from, run_due, settings_of
from conspectus.nightly.notify import URLS
from conspectus.nightly.schedule import (
    RECORD,
    Record,
    Schedule,
    check_folders,
    missed,
    read_record,
    why_skip,
    write_record,
)
from conspectus.options.digest import DigestOptions, ReadingOptions
from conspectus.prefect_setup.server import folder_of

NIGHT = timedelta(hours=12)
DONE = Ran(ExitCode.OK, "all done")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        ("0 25 * * *", "hour"), ("60 * * * *", "minute"), ("* * * *", "4 fields"), ("0 22 * * 1-5 *", "6 fields"),
        ("@daily", "1 fields"), ("0 0 31 2 *", "day"), ("a b c d e", "minute"), ("", "0 fields"),
        ("0 22 * * 1–5", "day-of-week"), ("０ 22 * * *", ""),
    ],
)  # fmt: skip
def test_a_wrong_cron_expression_is_a_usage_error(cron: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError) as error:
        Schedule.parse(cron, "UTC")
    assert said in error.value.message.lower()
    code = cli.run(["nightly", "--folder", str(Path(__file__).parent), "--out", "none", f"--cron={cron}"])
    assert code == ExitCode.USAGE
    assert "--cron" in capsys.readouterr().err.replace("\n", " ")


def test_a_wrong_time_zone_is_a_usage_error() -> None:
    for zone in ("Mars/Phobos", "../../etc/passwd", "/etc/localtime", "x" * 300):
        with pytest.raises(UsageError, match="time zone"):
            Schedule.parse("0 22 * * *", zone)


def test_the_times_are_those_of_the_zone() -> None:
    schedule = Schedule.parse(" 0  22 * *\t1-5", "Europe/Berlin")
    assert schedule.next_after(at("2026-11-27T21:30")).astimezone(UTC) == at("2026-11-30T21:00")
    assert schedule.last_before(at("2026-11-30T20:00")).astimezone(UTC) == at("2026-11-27T21:00")
    # The hour that does not exist on the night of summer time is made up for, the one that comes twice is once.
    night = Schedule.parse("30 2 * * *", "Europe/Berlin")
    assert night.next_after(at("2026-03-28T23:00")).astimezone(UTC) == at("2026-03-29T01:00")
    twice = night.next_after(at("2026-10-24T23:00"))
    assert night.next_after(twice) - twice > timedelta(hours=20)


def test_eleven_missed_runs_are_one(tmp_path: Path) -> None:
    """A machine that slept eleven hours under an hourly schedule: its runs all start when it wakes."""
    woke = at("2026-12-01T07:30")
    begun = 0

    def batch() -> Ran:
        nonlocal begun
        begun += 1
        return DONE

    for place, hour in enumerate(range(20, 31)):
        scheduled = at("2026-11-30T00:00") + timedelta(hours=hour)
        # They start one after the other, each some seconds after the last.
        run_due(tmp_path, Due(scheduled, woke + timedelta(seconds=20 * place), NIGHT), batch)
    assert begun == 1
    run_due(tmp_path, Due(at("2026-12-01T08:00"), at("2026-12-01T08:00:02"), NIGHT), batch)
    assert begun == 2


@given(st.lists(st.integers(0, 60 * 24 * 3), min_size=1, max_size=30), st.integers(1, 24))
def test_runs_that_wake_together_are_at_most_one(minutes: list[int], hours: int) -> None:
    """Whatever was missed, in whatever order it starts: one run where any is young enough, else none."""
    woke, window = at("2026-12-05T06:00"), timedelta(hours=hours)
    record: Record | None = None
    ran = 0
    for minute in minutes:
        scheduled = woke - timedelta(minutes=minute)
        if not why_skip(scheduled, woke, record, window):
            ran += 1
            record = Record(woke, ended=True)
    assert ran == any(minute <= hours * 60 for minute in minutes)


def test_a_run_that_is_too_late_is_left_out_and_says_why() -> None:
    assert not why_skip(at("2026-11-30T22:00"), at("2026-12-01T09:59"), None, NIGHT)
    why = why_skip(at("2026-11-30T22:00"), at("2026-12-01T12:00"), None, NIGHT)
    assert "14 hours" in why and "12 hours" in why


def test_a_clock_that_was_set_back_loses_no_run() -> None:
    later = Record(at("2027-06-01T00:00"), ended=True)
    assert not why_skip(at("2026-11-30T22:00"), at("2026-11-30T22:00"), later, NIGHT)


def test_a_run_that_was_cut_short_is_made_up_for(tmp_path: Path) -> None:
    schedule = Schedule.parse("0 22 * * *", "UTC")
    now, due = at("2026-12-01T01:00"), at("2026-11-30T22:00")
    assert missed(schedule, now, read_record(tmp_path), NIGHT) is None

    def killed() -> Ran:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_due(tmp_path, Due(due, due, NIGHT), killed)
    assert missed(schedule, now, read_record(tmp_path), NIGHT) == due
    run_due(tmp_path, Due(due, due, NIGHT), lambda: Ran(ExitCode.INTERRUPTED, ""))
    assert missed(schedule, now, read_record(tmp_path), NIGHT) == due
    assert run_due(tmp_path, Due(due, now, NIGHT), lambda: DONE) == DONE
    assert missed(schedule, now, read_record(tmp_path), NIGHT) is None
    # The power was off at ten, and came back at midnight.
    assert missed(schedule, at("2026-12-02T00:00"), read_record(tmp_path), NIGHT) == at("2026-12-01T22:00")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"began": 5}', b'{"began": "2026-01-01", "ended": true}'])
def test_a_damaged_record_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / RECORD).write_bytes(content)
    assert read_record(tmp_path) is None


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), st.booleans())
def test_records_come_back(began: datetime, ended: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write_record(Path(folder) / "夜间" / "out", Record(began, ended))
        assert read_record(Path(folder) / "夜间" / "out") == Record(began, ended)


def test_folders_that_cannot_work_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "file").touch()
    check_folders(tmp_path / "in", tmp_path / "new" / "deep")
    for folder, out in [("none", "out"), ("file", "out"), ("in", "file"), ("in", "in"), ("in", "in/../in")]:
        with pytest.raises(UsageError):
            check_folders(tmp_path / folder, tmp_path / out)


def test_settings_travel_as_json_and_come_back() -> None:
    options = DigestOptions(model="/m.gguf", detail="brief", reduce=False, ca_file=Path("/ca.pem"))
    reading = ReadingOptions(lang="zh", seconds=60.0, password_file=Path("/secret"))
    settings = settings_of(options, reading)
    assert settings["ca_file"] == "/ca.pem" and "context" not in settings
    check_settings(settings, DigestOptions, ReadingOptions)
    assert options_from(DigestOptions, settings) == options
    assert options_from(ReadingOptions, settings) == reading
    with pytest.raises(UsageError, match="detial"):
        check_settings({"detial": "brief"}, DigestOptions, ReadingOptions)
    with pytest.raises(UsageError, match="detail"):
        options_from(DigestOptions, {"detail": "short"})


def test_no_secret_is_kept_by_a_server() -> None:
    with pytest.raises(UsageError, match="password") as error:
        settings_of(ReadingOptions(password="hunter2"))
    assert "hunter2" not in error.value.line()
    with pytest.raises(UsageError):
        check_settings({"password": "hunter2"}, ReadingOptions)


def test_a_deployment_keeps_its_name() -> None:
    name = name_of(Path("/srv/Verträge 合同"), Path("/srv/out"))
    assert name == name_of(Path("/srv/Verträge 合同"), Path("/srv/out")) != name_of(Path("/srv"), Path("/srv/out"))
    assert all((letter.isalnum() and letter.isascii()) or letter == "-" for letter in name)


def test_a_second_process_on_the_same_folders_is_refused(
    fresh_folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (fresh_folders / "in").mkdir()
    name = name_of(fresh_folders / "in", fresh_folders / "out")
    lock = FileLock(folder_of(scheduler=True) / f"{name}.lock")
    try:
        assert not nightly_cli._is_served(name)
        assert lock.take(Share.ALONE)
        assert nightly_cli._is_served(name)
        code = cli.run(["nightly", "--folder", str(fresh_folders / "in"), "--out", str(fresh_folders / "out")])
    finally:
        lock.close()
    assert code == ExitCode.USAGE
    assert "another process" in capsys.readouterr().err


def test_an_empty_folder_is_no_failure(fresh_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (fresh_folders / "in").mkdir()
    code = cli.run(["nightly", "--once", "--folder", str(fresh_folders / "in"), "-o", str(fresh_folders / "out")])
    assert code == ExitCode.OK
    assert "no documents" in capsys.readouterr().err


def test_addresses_and_ports_are_tried_before_the_night(
    fresh_folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (fresh_folders / "in").mkdir()
    command = ["--folder", str(fresh_folders / "in"), "--out", str(fresh_folders / "out")]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for name in (["nightly"], ["watch"], ["nightly", "--once"]):
            assert cli.run([*name, *command, "--metrics-port", port]) == ExitCode.USAGE
            assert port in capsys.readouterr().err
    monkeypatch.setenv(URLS, "slack://hunter2")
    for name in (["nightly"], ["watch"], ["nightly", "--once"]):
        assert cli.run([*name, *command]) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert "address 1" in said and "hunter2" not in said


def test_a_run_that_cannot_be_made_is_told_once(
    fresh_folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (fresh_folders / "in").mkdir()
    (fresh_folders / "in" / "secret client.txt").write_text("1. The Tenant shall pay.")
    command = ["nightly", "--once", "--folder", str(fresh_folders / "in"), "-o", str(fresh_folders / "out")]
    with receiver() as (url, got):
        monkeypatch.setenv(URLS, url)
        assert cli.run([*command, "--model", str(fresh_folders / "none.gguf")]) == ExitCode.MODEL
        assert capsys.readouterr().err.count("none.gguf") == 1
        assert cli.run([*command, "--model", str(fresh_folders / "none.gguf"), "--notify", "never"]) == ExitCode.MODEL
    assert len(got) == 1
    assert got[0]["type"] == "failure" and "exit code 5" in got[0]["message"] and "none" not in got[0]["message"]
