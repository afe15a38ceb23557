"""Figures for Prometheus: what is counted, who can read it, what the dashboard and the alerts ask for."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fake_model import FakeModel
from prometheus_client import CollectorRegistry, generate_latest
from receivers import free_port, parsed, scraped

from conspectus.errors import ExitCode, ModelError, UsageError
from conspectus.journal.types import CallNote, CallState, DocumentState
from conspectus.llama import Completion, Message, Request
from conspectus.metrics import metrics

ROOT = Path(__file__).parent.parent
KEY = "a" * 64


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def counting(registry: CollectorRegistry) -> metrics.Counting:
    return metrics.Counting(registry)


def shown(registry: CollectorRegistry) -> dict[str, float]:
    return parsed(generate_latest(registry).decode())


def test_documents_are_counted_by_state(counting: metrics.Counting, registry: CollectorRegistry) -> None:
    for number in range(5):
        counting.document(number, DocumentState.QUEUED)
    counting.document(0, DocumentState.READING)
    counting.document(0, DocumentState.RUNNING)
    counting.document(1, DocumentState.READING)
    counting.document(2, DocumentState.UNCHANGED)
    counting.document(1, DocumentState.UNREADABLE)
    now = shown(registry)
    assert now['conspectus_documents_now{state="queued"}'] == 2
    assert now['conspectus_documents_now{state="running"}'] == 1
    assert now['conspectus_documents_now{state="reading"}'] == 0
    assert now['conspectus_documents_total{state="unchanged"}'] == 1
    assert now['conspectus_documents_total{state="unreadable"}'] == 1
    counting.document(0, DocumentState.DONE)
    counting.ended(ExitCode.PARTIAL)
    now = shown(registry)
    assert now['conspectus_documents_now{state="queued"}'] == now['conspectus_documents_now{state="running"}'] == 0
    assert now["conspectus_last_run_exit_code"] == 3
    assert abs(now["conspectus_last_run_timestamp_seconds"] - time.time()) < 60


def test_calls_tokens_hits_and_retries_are_counted(counting: metrics.Counting, registry: CollectorRegistry) -> None:
    counting.call(CallNote(KEY, prompt_tokens=100, generated_tokens=20, seconds=2.0))
    counting.call(CallNote(KEY, CallState.REFUSED, attempt=2, reason="loop,number-not-in-evidence", prompt_tokens=50))
    counting.call(CallNote(KEY, CallState.ERROR, attempt=2, reason="http://10.0.0.1 said: secret"))
    counting.call(CallNote(KEY, prompt_tokens=9000, cached=True))
    now = shown(registry)
    assert now["conspectus_prompt_tokens_total"] == 150 and now["conspectus_generated_tokens_total"] == 20
    assert now["conspectus_cache_hits_total"] == 1
    assert {s: now[f'conspectus_calls_total{{state="{s}"}}'] for s in ("ok", "refused", "error")} == {
        "ok": 1, "refused": 1, "error": 1,
    }  # fmt: skip
    assert now['conspectus_retries_total{reason="loop"}'] == 1
    assert now['conspectus_retries_total{reason="number-not-in-evidence"}'] == 1
    assert now['conspectus_retries_total{reason="transport"}'] == 1
    assert not any("secret" in name for name in now)
    assert now["conspectus_tokens_per_second"] == pytest.approx(170 / 60)


def test_what_is_with_the_model_is_counted(counting: metrics.Counting, registry: CollectorRegistry) -> None:
    reached, go_on = threading.Event(), threading.Event()

    class Slow(FakeModel):
        def complete(self, requests, progress=None) -> list[Completion]:  # type: ignore[no-untyped-def]  # noqa: ANN001
            progress(500, 12)
            reached.set()
            assert go_on.wait(10)
            return super().complete(requests)

    model = Slow()
    counted = metrics.Metered(model, counting)
    request = Request((Message("user", "hello"),), 10)
    thread = threading.Thread(target=counted.complete, args=([request],))
    thread.start()
    assert reached.wait(10)
    now = shown(registry)
    assert now["conspectus_calls_in_flight"] == 1
    room = model.info.context * model.info.slots
    assert now["conspectus_kv_used_ratio"] == pytest.approx(512 / room)
    go_on.set()
    thread.join()
    now = shown(registry)
    assert now["conspectus_calls_in_flight"] == now["conspectus_kv_used_ratio"] == 0
    assert counted.info == model.info and counted.count(request.messages) == model.count(request.messages)


def test_a_call_that_fails_is_with_the_model_no_more(counting: metrics.Counting, registry: CollectorRegistry) -> None:
    class Broken(FakeModel):
        def complete(self, requests, progress=None) -> list[Completion]:  # type: ignore[no-untyped-def]  # noqa: ANN001
            raise ModelError("gone", "")

    with pytest.raises(ModelError):
        metrics.Metered(Broken(), counting).complete([])
    assert shown(registry)["conspectus_calls_in_flight"] == 0


def test_figures_are_served_on_loopback_and_only_meanwhile() -> None:
    port, model = free_port(), FakeModel()
    assert metrics.metered(model) is model
    with metrics.serving(port):
        assert metrics.metered(model) is not model
        metrics.current().call(CallNote(KEY, prompt_tokens=7))
        assert scraped(port)["conspectus_prompt_tokens_total"] == 7
        with pytest.raises(UsageError, match=str(port)) as error, metrics.serving(port):
            pass
        assert "free port" in error.value.remedy
    with pytest.raises(OSError):
        scraped(port)
    metrics.current().call(CallNote(KEY))
    with metrics.serving(None):
        assert metrics.metered(model) is model


@pytest.mark.parametrize(
    ("ending", "code"), [(None, 0), (KeyboardInterrupt(), 130), (ModelError("x", ""), 5), (ValueError(), 1)]
)
def test_the_end_of_a_run_is_counted(ending: BaseException | None, code: int) -> None:
    port = free_port()
    with metrics.serving(port):
        try:
            with metrics.run_counted() as ended:
                ended(ExitCode.OK)
                if ending is not None:
                    raise ending
        except BaseException as error:
            assert error is ending
        assert scraped(port)["conspectus_last_run_exit_code"] == code


CHILD = """
import sys, time
from conspectus.metrics import metrics
from conspectus.errors import ExitCode
from conspectus.journal.types import CallNote, DocumentState
metrics.join()
now = metrics.current()
now.document(1, DocumentState.QUEUED)
now.call(CallNote("a" * 64, prompt_tokens=5))
now.under_way(3, 100, 1000)
now.ended(ExitCode.PARTIAL) if sys.argv[1] == "end" else None
print("ready", flush=True)
time.sleep(0 if sys.argv[1] == "end" else 60)
"""
SERVER = """
import sys
from pathlib import Path
from conspectus.metrics import metrics
with metrics.serving(int(sys.argv[1]), shared=Path(sys.argv[2])):
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_runs_in_processes_of_their_own_are_summed_up(tmp_path: Path) -> None:
    """As under `conspectus nightly`: counts stay when a run ends, what was under way goes with a run that is killed."""
    port, shared = free_port(), tmp_path / "shared"

    def started(code: str, *arguments: str, **more: dict[str, str]) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **more.get("env", {})},
        )  # fmt: skip
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        return process

    with started(SERVER, str(port), str(shared)) as server:
        own = {metrics.SHARED: str(shared)}
        with started(CHILD, "end", env=own) as first:
            assert first.wait(20) == 0
        with started(CHILD, "stay", env=own) as second:
            now = scraped(port)
            assert now["conspectus_prompt_tokens_total"] == 10
            assert now["conspectus_calls_in_flight"] == 3
            assert now["conspectus_last_run_exit_code"] == 3
            second.send_signal(signal.SIGKILL)
            second.wait()
        now = scraped(port)
        assert now["conspectus_prompt_tokens_total"] == 10
        assert now.get("conspectus_calls_in_flight", 0) == 0
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(20) == 0


def names(registry: CollectorRegistry) -> set[str]:
    """Every name that a query may use."""
    found: set[str] = set()
    for metric in registry.collect():
        end = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(metric.type, [""])
        found |= {metric.name + suffix for suffix in end}
    return found


def test_the_dashboard_and_the_alerts_ask_for_what_there_is(
    counting: metrics.Counting, registry: CollectorRegistry
) -> None:
    known = names(registry)
    board = json.loads((ROOT / "deploy/grafana-dashboard.json").read_text("utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    rules = (ROOT / "deploy/alerts.yml").read_text("utf-8")
    for text in [*queries, rules]:
        for name in re.findall(r"\bconspectus_\w+", text):
            assert name in known, name
        for state in re.findall(r'state=~?"([^"]*)"', text):
            assert set(state.split("|")) <= {*DocumentState, *CallState}, state
    asked = {name for text in queries for name in re.findall(r"\bconspectus_\w+", text)}
    assert {name.removesuffix("_sum").removesuffix("_count") for name in known} <= {
        name.removesuffix("_bucket") for name in asked
    } | {"conspectus_call_seconds_bucket"}
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(text.count("(") == text.count(")") for text in queries)


def test_the_alerts_are_rules_of_prometheus() -> None:
    import yaml

    content = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text("utf-8"))
    rules = [rule for group in content["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 5
    assert all({"alert", "expr", "labels", "annotations"} <= rule.keys() for rule in rules)
