import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conspectus.digesting.answers import completion_from, lookup, record_from
from conspectus.digesting.desk import CallSpec, Desk, DeskCounts
from conspectus.errors import EngineError, ModelError
from conspectus.llama.contract import Completion, Finish, Message, ModelInfo, Request

pytestmark = pytest.mark.prefect


class ScriptedModel:
    """Answers with the request's text; words in the text make it fail or stop short."""

    def __init__(self, fingerprint: str = "f" * 64) -> None:
        self.info = ModelInfo(name="scripted", fingerprint=fingerprint, context=1000, slots=2)
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def count(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content) for message in messages)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        return [self._answer(request.messages[-1].content) for request in requests]

    def _answer(self, text: str) -> Completion:
        with self._lock:
            self.asked.append(text)
            before = self.asked.count(text) - 1
        if "flaky" in text and before == 0:
            raise EngineError("the engine was restarted")
        if "refused" in text:
            raise EngineError("the request is too long", retryable=False)
        if "gone" in text:
            raise ModelError("the model is gone")
        finish = next((end for end in Finish if f"<{end.value}>" in text), Finish.STOP)
        return Completion((f"{text} #{before}",), finish, 10, 0, 5, 0.1)

    def close(self) -> None:
        pass


Outcome = list[Completion | Exception]


@pytest.fixture
def ask(prefect_api: str, answers: Path) -> Callable[..., tuple[Outcome, DeskCounts]]:
    """Runs a flow that maps the call task over texts, each time as a new run on the same store."""
    # Not at the head of this file: Prefect is to be imported once its server's address is known.
    from prefect import flow
    from prefect.task_runners import ThreadPoolTaskRunner

    from conspectus.tasks.complete import complete_call

    # Prefect's own annotations do not fit each other here.
    runner: Any = ThreadPoolTaskRunner(max_workers=2)

    def run(model: ScriptedModel, *texts: str, prefilter: bool = False) -> tuple[Outcome, DeskCounts]:
        @flow(
            name="test calls",
            result_storage=answers,
            persist_result=False,
            task_runner=runner,
        )
        def calls() -> tuple[Outcome, DeskCounts]:
            outcome: dict[str, Completion | Exception] = {}
            with Desk(model) as desk:
                specs = [desk.put(request_of(text), f"{text} {{label}}") for text in texts]
                for spec in specs if prefilter else ():
                    stored = lookup(answers, spec.key)
                    if stored is not None:
                        outcome[spec.key] = stored
                        desk.note_hit()
                missing = [spec for spec in specs if spec.key not in outcome]
                futures = complete_call.map(missing)
                for spec, future in zip(missing, futures, strict=True):
                    result: Any = future.result(raise_on_failure=False)
                    record = result if isinstance(result, Exception) else completion_from(result, spec.key, fresh=True)
                    assert record is not None
                    outcome[spec.key] = record
                return [outcome[spec.key] for spec in specs], desk.counts

        return calls()

    return run


def request_of(text: str) -> Request:
    return Request(messages=(Message("user", text),), max_tokens=20)


def key_of(model: ScriptedModel, text: str) -> str:
    return request_of(text).key(model.info.fingerprint)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


Ask = Callable[..., tuple[Outcome, DeskCounts]]


def test_the_second_run_makes_no_call(ask: Ask, answers: Path) -> None:
    first, second, third = ScriptedModel(), ScriptedModel(), ScriptedModel()
    outcome, counts = ask(first, "a", "b", "不得转租 \ud800")
    assert counts == DeskCounts(model_calls=3, cache_hits=0, prompt_tokens=30, generated_tokens=15)
    keys = [key_of(first, text) for text in ("a", "b", "不得转租 \ud800")]
    assert files_in(answers) == sorted(f"{key[:2]}/{key}" for key in keys)
    assert [lookup(answers, key) for key in keys] == outcome
    assert ask(second, "a", "b", "不得转租 \ud800")[0] == outcome
    assert second.asked == []
    again, counts = ask(third, "a", "b", "不得转租 \ud800", prefilter=True)
    assert again == outcome
    assert counts == DeskCounts(cache_hits=3)


def test_another_model_is_asked_anew(ask: Ask) -> None:
    ask(ScriptedModel(), "a")
    other = ScriptedModel(fingerprint="0" * 64)
    ask(other, "a")
    assert other.asked == ["a"]


@pytest.mark.parametrize("damage", ["empty", "torn", "foreign", "altered"])
def test_a_damaged_file_is_computed_anew(damage: str, ask: Ask, answers: Path) -> None:
    model = ScriptedModel()
    outcome, _ = ask(model, "a")
    key = key_of(model, "a")
    path = answers / key[:2] / key
    whole = path.read_text()
    path.write_text(
        {"empty": "", "torn": whole[:-30], "foreign": '{"a": 1}', "altered": whole.replace("a #0", "b #0")}[damage]
    )
    fresh = ScriptedModel()
    assert ask(fresh, "a", prefilter=True)[0] == outcome
    assert fresh.asked == ["a"]
    assert path.read_text() == whole


@pytest.mark.parametrize("finish", ["deadline"])
def test_an_answer_over_its_deadline_is_used_but_not_stored(finish: str, ask: Ask, answers: Path) -> None:
    model = ScriptedModel()
    text = f"cut <{finish}>"
    outcome, _ = ask(model, text)
    assert [answer.finish for answer in outcome if isinstance(answer, Completion)] == [Finish(finish)]
    assert files_in(answers) == []
    ask(model, text)
    assert model.asked == [text, text]


def test_errors_are_retried_only_where_that_may_help_and_leave_no_files(ask: Ask, answers: Path) -> None:
    model = ScriptedModel()
    outcome, counts = ask(model, "flaky", "refused", "gone")
    assert sorted(model.asked) == ["flaky", "flaky", "gone", "refused"]
    assert isinstance(outcome[0], Completion)
    assert outcome[0].lines == ("flaky #1",)
    assert isinstance(outcome[1], EngineError)
    assert outcome[1].message == "the request is too long"
    assert isinstance(outcome[2], ModelError)
    assert counts.model_calls == 4
    key = key_of(model, "flaky")
    assert files_in(answers) == [f"{key[:2]}/{key}"]


def test_a_call_inside_a_task_is_refused(prefect_api: str, answers: Path) -> None:
    from prefect import flow, task

    from conspectus.tasks.complete import complete_call

    @task(persist_result=False)
    def outer(spec: CallSpec) -> Any:
        return complete_call(spec)

    @flow(result_storage=answers, persist_result=False)
    def calls(spec: CallSpec) -> Any:
        return outer(spec, return_state=True)

    with Desk(ScriptedModel()) as desk:
        state: Any = calls(desk.put(request_of("a"), "a"), return_state=True)
    with pytest.raises(RuntimeError, match="inside another task"):
        state.result()
    assert files_in(answers) == []


def test_a_key_that_cannot_be_computed_is_loud(prefect_api: str, answers: Path) -> None:
    from prefect import flow

    from conspectus.tasks.cache import CallKey
    from conspectus.tasks.complete import complete_call

    class Broken(CallKey):
        def compute_key(self, *_: Any, **__: Any) -> str | None:
            raise KeyError("spec")

    broken = complete_call.with_options(cache_policy=Broken())

    @flow(result_storage=answers, persist_result=False)
    def calls(spec: CallSpec) -> Any:
        return broken(spec, return_state=True)

    with Desk(ScriptedModel()) as desk:
        state: Any = calls(desk.put(request_of("a"), "a"), return_state=True)
    with pytest.raises(RuntimeError, match="would not be stored"):
        state.result()


def test_the_task_has_the_argument_that_its_key_needs(prefect_api: str) -> None:
    from conspectus.tasks.cache import CallKey
    from conspectus.tasks.complete import complete_call

    assert list(inspect.signature(complete_call.fn).parameters) == ["spec"]
    assert isinstance(complete_call.cache_policy, CallKey)
    assert complete_call.tags == set()
    assert complete_call.timeout_seconds is None


def test_a_spec_takes_only_a_key() -> None:
    with pytest.raises(ValueError, match="64"):
        CallSpec(key="../../etc/passwd", label="x", run="y")


def test_the_bare_function_needs_no_server() -> None:
    from conspectus.tasks.complete import complete_call

    with Desk(ScriptedModel()) as desk:
        spec = desk.put(request_of("a"), "a")
        answer = Completion(("a #0",), Finish.STOP, 10, 0, 5, 0.1)
        assert complete_call.fn(spec) == record_from(spec.key, answer)
    with pytest.raises(LookupError, match="no desk"):
        complete_call.fn(spec)


def test_no_run_connects_beyond_loopback(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            seen.append(str(arguments[1][0]))
        elif event == "socket.getaddrinfo":
            seen.append(str(arguments[0]))

    sys.addaudithook(watch)
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    ask(ScriptedModel(), "a")
    assert set(seen) <= {"127.0.0.1", "localhost", socket.gethostname()}


RESUMED = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from conspectus.prefect_setup import env as prefect_env
prefect_env.configure()
from conspectus.prefect_setup.server import acquire
lease = acquire()
lease.address()
from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner
from conspectus.tasks.complete import complete_call
from conspectus.digesting.desk import Desk
from conspectus.paths import answers_dir
from test_call_cache import ScriptedModel, request_of

class Dying(ScriptedModel):
    def _answer(self, text):
        if len(self.asked) == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._answer(text)

model = Dying()

@flow(result_storage=answers_dir(), persist_result=False, task_runner=ThreadPoolTaskRunner(max_workers=1))
def calls():
    with Desk(model) as desk:
        complete_call.map([desk.put(request_of(f"text {n}"), str(n)) for n in range(8)]).wait()

lease.wait()
calls()
print(json.dumps(model.asked))
lease.release()
"""


def test_a_killed_run_computes_nothing_twice(prefect_api: str, answers: Path) -> None:
    # The session's server lies in another state folder: handed over as a user's own would be.
    environment = {name: value for name, value in os.environ.items() if name != "CONSPECTUS_PREFECT_URL"}

    def run(dies_at: int) -> "subprocess.CompletedProcess[str]":
        arguments = [sys.executable, "-P", "-c", RESUMED, str(Path(__file__).parent), str(dies_at)]
        return subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120)

    assert run(5).returncode == -9
    stored = len(files_in(answers))
    assert stored in (4, 5)
    second = run(-1)
    assert second.returncode == 0, second.stderr
    assert len(json.loads(second.stdout)) == 8 - stored
