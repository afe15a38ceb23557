"""prefect.yaml, systemd units and the crontab: they name what there is."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from conspectus.cli.main import app
from conspectus.nightly.batch import KINDS
from conspectus.nightly.job import check_settings, options_from
from conspectus.nightly.schedule import Schedule

ROOT = Path(__file__).parent.parent
UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))


def test_the_deployments_can_be_loaded_and_take_their_parameters() -> None:
    from prefect.flows import load_flow_from_entrypoint

    content = yaml.safe_load((ROOT / "prefect.yaml").read_text("utf-8"))
    assert content["deployments"]
    for deployment in content["deployments"]:
        flow = load_flow_from_entrypoint(deployment["entrypoint"])
        parameters = flow.validate_parameters(deployment["parameters"])
        settings = parameters.get("settings") or {}
        check_settings(settings, *KINDS)
        for kind in KINDS:
            options_from(kind, settings)
        for schedule in deployment["schedules"]:
            Schedule.parse(schedule["cron"], schedule["timezone"])
        assert deployment["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}


def test_the_flow_loads_from_its_file_too() -> None:
    from prefect.flows import load_flow_from_entrypoint

    by_file = load_flow_from_entrypoint(f"{ROOT}/flows/nightly.py:nightly")
    assert by_file.name == load_flow_from_entrypoint("conspectus.flows.nightly.nightly").name == "nightly"


def commands() -> list[str]:
    lines = [line for unit in UNITS for line in unit.read_text("utf-8").splitlines() if line.startswith("ExecStart=")]
    cron = (ROOT / "deploy/crontab.example").read_text("utf-8").splitlines()
    return [*lines, *(line for line in cron if not line.startswith("#"))]


@pytest.mark.parametrize("line", [line for line in commands() if "bin/conspectus " in line])
def test_each_command_line_is_one_that_the_program_takes(line: str) -> None:
    arguments = shlex.split(line.partition("bin/conspectus ")[2])
    _, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    assert bound.arguments["folder"] == Path("/srv/contracts")


def test_times_in_the_units_are_those_of_the_crontab() -> None:
    cron = next(line for line in commands() if line[0].isdigit())
    assert Schedule.parse(" ".join(cron.split()[:5]), "UTC").cron == "0 22 * * 1-5"
    assert "OnCalendar=Mon..Fri 22:00" in (ROOT / "deploy/systemd/conspectus-once.timer").read_text("utf-8")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_have_no_secret_and_no_unknown_key(unit: Path) -> None:
    text = unit.read_text("utf-8")
    assert "EnvironmentFile=" in text and not re.search(r"(KEY|TOKEN|NOTIFY_URLS)=\S", text)
    try:
        said = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
        ).stderr
    except FileNotFoundError:
        return
    assert not re.search(r"Unknown (key|lvalue|section)", said), said
