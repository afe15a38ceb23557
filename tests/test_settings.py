import json
from pathlib import Path

import pytest

from conspectus import settings
from conspectus.cli.main import app, run
from conspectus.errors import ExitCode, UsageError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project as the working folder, and an empty folder for the user's file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "project"
    (folder / "below").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def user(text: str) -> None:
    settings.user_file().parent.mkdir(parents=True, exist_ok=True)
    settings.user_file().write_text(text)


def planned(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[str, int]:
    """The detail and context that a `plan` with these arguments gets."""
    from conspectus.options.digest import PlanOptions

    seen: list[PlanOptions] = []
    monkeypatch.setattr("conspectus.plan.run.plan_files", lambda _files, options, _reading: seen.append(options) or 0)
    assert run(["plan", "a.pdf", *arguments]) == ExitCode.OK
    return seen[0].detail, seen[0].context


def test_flag_variable_project_user_default(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert planned(monkeypatch) == ("normal", 4096)
    user('detail = "brief"\ncontext = 2048\n')
    assert planned(monkeypatch) == ("brief", 2048)
    (project / "conspectus.toml").write_text("context = 3000\n")
    assert planned(monkeypatch) == ("brief", 3000)
    monkeypatch.setenv("CONSPECTUS_CONTEXT", "3500")
    assert planned(monkeypatch) == ("brief", 3500)
    assert planned(monkeypatch, "--context", "5000", "--detail", "full") == ("full", 5000)


def test_a_setting_that_is_called_as_a_command(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "conspectus.toml").write_text('model = "none"\n')
    assert app["model"], "there is a command of this name"
    seen: list[str] = []
    monkeypatch.setattr("conspectus.plan.run.plan_files", lambda _f, options, _r: seen.append(options.model) or 0)
    assert run(["plan", "a.pdf"]) == ExitCode.OK
    assert seen == ["none"]


def test_a_folder_below_finds_the_projects_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "conspectus.toml").write_text("context = 3000\n")
    monkeypatch.chdir(project / "below")
    assert planned(monkeypatch) == ("normal", 3000)


def test_a_file_of_another_user_is_not_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "conspectus.toml").write_text("context = 3000\n")
    monkeypatch.setattr("conspectus.settings._is_own", lambda _path: False)
    assert settings.files() == [] and planned(monkeypatch) == ("normal", 4096)


def test_settings_of_documents_are_no_settings_of_other_commands(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "conspectus.toml").write_text("context = 999999\n")
    assert run(["model", "check", "starter"]) == ExitCode.OK


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("context = \n", "is no TOML"),
        ("contxt = 3\n", "no setting contxt. Did you mean context?"),
        ('password = "x"\n', "no setting password"),
        ("job = 2\n", "no setting job. Did you mean jobs?"),
        ("once = true\n", "no setting once"),
        ('detail = "brif"\n', 'Invalid value "brif"'),
        ('context = "many"\n', "many"),
    ],
)
def test_a_bad_file_is_named(text: str, says: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "conspectus.toml").write_text(text)
    assert run(["plan", "a.pdf", "--model", "none"]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert says in error and "conspectus.toml" in error


def test_init_writes_a_file_that_changes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["config", "init"]) == ExitCode.OK
    assert settings.load(project / "conspectus.toml") == {}
    assert run(["config", "init"]) == ExitCode.USAGE, "a file that is there is kept"
    assert run(["config", "init", "--user"]) == ExitCode.OK
    assert settings.user_file().is_file()
    # Each line without its mark is a setting at its default.
    plain = (project / "conspectus.toml").read_text().replace("# ", "").split("\n\n")[1]
    (project / "conspectus.toml").write_text(plain)
    assert settings.load(project / "conspectus.toml").keys() == settings.known().keys()


def test_batch_and_nightly_take_their_options_from_a_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from conspectus.options.batch import BatchOptions

    (project / "conspectus.toml").write_text(
        'jobs = 2\nmax_hours = 1.5\ncluster = ""\ncron = "0 6 * * 1"\nnotify = "problems"\nmetrics-port = 9100\n'
    )
    options: list[BatchOptions] = []
    monkeypatch.setattr("conspectus.nightly.batch.batch_served", lambda _i, given, *_: options.append(given) or 0)
    assert run(["batch", str(project)]) == ExitCode.OK
    assert (options[0].jobs, options[0].max_hours, options[0].cluster) == (2, 1.5, None)
    schedules: list[str] = []
    monkeypatch.setattr("conspectus.cli.nightly._serve", lambda _f, _o, schedule, *_: schedules.append(schedule.cron))
    assert run(["nightly", "--folder", str(project), "--out", str(project.parent / "out")]) == ExitCode.OK
    assert schedules == ["0 6 * * 1"]
    assert {"cron", "timezone", "late_hours", "notify", "metrics_port", "runner"} <= settings.known().keys()


def test_the_key_and_the_addresses_of_notifications_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"CONSPECTUS_API_KEY": "sk-1", "CONSPECTUS_NOTIFY_URLS": "mailtos://me:word@mail.example"}
    shown = {row.name: row.value for row in settings.effective(given)}
    assert shown["api_key"] == shown["notify_urls"] == "(set)"


def test_show_names_every_origin(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user('detail = "brief"\n')
    (project / "conspectus.toml").write_text('lang = "zh"\n')
    monkeypatch.setenv("CONSPECTUS_CONTEXT", "3500")
    assert run(["config", "show", "--json"]) == ExitCode.OK
    rows = {row["name"]: (row["value"], row["origin"]) for row in json.loads(capsys.readouterr().out)}
    assert rows["detail"] == ("brief", str(settings.user_file()))
    assert rows["lang"] == ("zh", str(project / "conspectus.toml"))
    assert rows["context"] == ("3500", "CONSPECTUS_CONTEXT")
    assert rows["model"] == ("starter", "default")
    assert run(["config", "show"]) == ExitCode.OK
    assert "CONSPECTUS_CONTEXT" in capsys.readouterr().out


def test_a_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    rows = settings.effective({"CONSPECTUS_PASSWORD_FILE": "/secret/place"})
    assert next(row.value for row in rows if row.name == "password_file") == "(set)"
    with pytest.raises(UsageError):
        settings.write_template(project)
