import os
from pathlib import Path

import pytest

from conspectus.prefect_setup.env import OWN_URL, configure, users_server


@pytest.fixture(autouse=True)
def no_settings(fresh_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("PREFECT_") or name in (OWN_URL, "DO_NOT_TRACK")]:
        monkeypatch.delenv(name)
    # configure() changes the environment: monkeypatch takes it back only where it has seen the name.
    monkeypatch.setattr(os, "environ", os.environ.copy())
    return fresh_folders


def test_local_settings_lead_nowhere_else(no_settings: Path) -> None:
    os.environ.update(
        {
            "PREFECT_HOME": "/somewhere/else",
            "PREFECT_PROFILE": "cloud",
            "PREFECT_API_KEY": "secret",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "true",
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": "postgresql+asyncpg://db.example/prefect",
            "PREFECT_LOGGING_LEVEL": "DEBUG",
            "NO_PROXY": "intranet",
        }
    )
    configure()
    configure()
    assert os.environ["PREFECT_HOME"] == str(no_settings / "state" / "prefect")
    assert "db.example" not in os.environ["PREFECT_SERVER_DATABASE_CONNECTION_URL"]
    assert "PREFECT_PROFILE" not in os.environ
    assert "PREFECT_API_KEY" not in os.environ
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert os.environ["DO_NOT_TRACK"] == "1"
    assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG"
    assert os.environ["NO_PROXY"] == "intranet,127.0.0.1,localhost"


def test_a_users_server_keeps_its_own_settings() -> None:
    os.environ.update(
        {"PREFECT_API_URL": "http://box:4200/api", "PREFECT_HOME": "/home/me/.prefect", "PREFECT_API_KEY": "k"}
    )
    configure()
    assert users_server() == "http://box:4200/api"
    assert os.environ["PREFECT_HOME"] == "/home/me/.prefect"
    assert os.environ["PREFECT_API_KEY"] == "k"
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"


def test_our_own_address_is_not_the_users() -> None:
    os.environ.update({"PREFECT_API_URL": "http://127.0.0.1:1/api", OWN_URL: "http://127.0.0.1:1/api"})
    assert users_server() == ""
