import os
import stat
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

# At import, before any test module is: nothing may ever see the user's own folders, and Prefect reads the environment
# when it is imported.
_ROOT = tempfile.TemporaryDirectory(prefix="conspectus-tests-", ignore_cleanup_errors=True)
_OWN = {
    "CONSPECTUS_STATE": f"{_ROOT.name}/state",
    "CONSPECTUS_CACHE": f"{_ROOT.name}/cache",
    "XDG_CONFIG_HOME": f"{_ROOT.name}/config",
}
for _name in [name for name in os.environ if name.startswith(("PREFECT_", "CONSPECTUS_PREFECT"))]:
    del os.environ[_name]
os.environ.update(_OWN)

from conspectus.paths import answers_dir  # noqa: E402
from conspectus.prefect_setup import env as prefect_env  # noqa: E402
from conspectus.prefect_setup.server import acquire  # noqa: E402

prefect_env.configure()


def pytest_unconfigure() -> None:
    _ROOT.cleanup()


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may reach the user's folders, whatever a test before it did to the environment."""
    for name, value in _OWN.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def fresh_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """State and cache folders of this test alone: `state` and `cache` below the returned folder."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("CONSPECTUS_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[str]:
    """The URL of one Prefect server for the whole session; PREFECT_API_URL leads to it meanwhile."""
    with acquire() as lease:
        yield lease.wait()


@pytest.fixture
def answers(fresh_folders: Path) -> Path:
    """An empty folder of answers."""
    folder = answers_dir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is installed (CONSPECTUS_NO_SKIP), a test that skips because something is missing has failed."""
    report = yield
    if report.skipped and os.environ.get("CONSPECTUS_NO_SKIP") and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2])
        if "missing: " in reason:
            report.outcome = "failed"
    return report
