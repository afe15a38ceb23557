import json
import stat
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel

from conspectus.check.check import Reason
from conspectus.digesting.answers import record_from, storage_key
from conspectus.digesting.drafts import Draft
from conspectus.digesting.mapping import Drafts, plan, retries
from conspectus.digesting.retries import ROUNDS
from conspectus.document import Detail, PageStatus
from conspectus.errors import ContextTooSmall
from conspectus.llama import Request
from conspectus.plan.calls import measure, missing_requests
from conspectus.plan.facts import MemoryFacts, Surroundings, plan_facts, render_plan
from conspectus.run.speeds import Speed, recall, record


def test_plan_counts_what_the_run_would_do() -> None:
    made, model = source(LEASE), FakeModel()
    facts = plan_facts(made, model)
    run = plan(made, Detail.NORMAL, model)
    assert (facts["chunks"], facts["map_calls"]) == (len(run.chunks), len(run.calls))
    assert facts["tokens"] == sum(run.tokens)
    assert (facts["numbered"], facts["articles"], facts["front"]) == (11, 0, 1)
    assert facts["clauses"] == 12
    assert not model.asked
    assert json.loads(json.dumps(facts)) == facts


def test_plan_without_a_model_has_no_tokens() -> None:
    facts = plan_facts(source(ACT), None)
    assert (facts["articles"], facts["containers"], facts["language"]) == (5, 2, "zh")
    assert facts["tokens"] is facts["chunks"] is facts["map_calls"] is None
    assert "model" not in render_plan(facts)


def test_plan_shows_odd_pages_and_the_calls() -> None:
    made = source(LEASE, "3.4 Nothing else.")
    pages = (
        replace(made.document.pages[0], warnings=("hidden text left out",)),
        replace(made.document.pages[1], status=PageStatus.GARBLED, reason="U+FFFD", label="ii"),
    )
    made = replace(made, document=replace(made.document, pages=pages, warnings=("2 attachments not read",)))
    shown = render_plan(plan_facts(made, FakeModel(), Detail.FULL))
    assert "page ii: garbled (U+FFFD)" in shown
    assert "page 1: text (hidden text left out)" in shown
    assert "2 attachments not read" in shown
    assert "12 numbered" in shown and "--detail full" in shown


def test_plan_fails_as_the_run_would() -> None:
    with pytest.raises(ContextTooSmall):
        plan_facts(source(LEASE), FakeModel(context=128))


def test_plan_counts_stored_answers_and_names_unread_pages(answers: Path) -> None:
    made, model = source(LEASE, "3.4 Nothing else."), FakeModel()
    pages = (made.document.pages[0], replace(made.document.pages[1], status=PageStatus.IMAGE, label="ii"))
    made = replace(made, document=replace(made.document, pages=pages))
    calls = plan(made, Detail.NORMAL, model).calls
    store(answers, calls[0].request, model)
    facts = plan_facts(made, model, around=Surroundings(answers))
    assert facts["calls"] is not None
    assert (facts["calls"]["first"], facts["calls"]["cached"]) == (len(calls), 1)
    assert facts["unread"] == ["ii"]
    shown = render_plan(facts)
    assert "1 answered already" in shown and "not read  1 page: ii" in shown and "--measure" in shown


def store(folder: Path, request: Request, model: FakeModel) -> None:
    """Writes an answer as Prefect stores it."""
    key = request.key(model.info.fingerprint)
    record = record_from(key, model.complete([request])[0])
    serializer = {
        "type": "json",
        "jsonlib": "json",
        "object_encoder": "prefect.serializers.prefect_json_object_encoder",
        "object_decoder": "prefect.serializers.prefect_json_object_decoder",
        "dumps_kwargs": {},
        "loads_kwargs": {},
    }
    path = folder / storage_key(key)
    path.parent.mkdir()
    path.write_text(json.dumps({"metadata": {"serializer": serializer}, "result": json.dumps(record)}))


def test_minutes_follow_the_measured_speed() -> None:
    made, model = source(LEASE), FakeModel()
    facts = plan_facts(
        made, model, around=Surroundings(speed=Speed(10, 4000, 1000, 50.0), speed_source="the last runs")
    )
    calls, minutes = facts["calls"], facts["minutes"]
    assert calls is not None and minutes is not None
    assert minutes["tokens_a_second"] == 100.0
    answer = min(100 * calls["first"], calls["answer_tokens"])
    assert minutes["first"] == pytest.approx((calls["prompt_tokens"] + answer) / 100 / 60, abs=0.01)
    assert minutes["at_most"] >= minutes["first"]
    assert "the last runs" in render_plan(facts)


def test_memory_that_does_not_suffice_is_said() -> None:
    memory = MemoryFacts(main=8 << 30, gpu=2 << 30, fits=False, notes=["too small"])
    facts = plan_facts(source(LEASE), FakeModel(), around=Surroundings(memory=memory))
    assert "8.0 GiB, 2.0 GiB on the GPU: does not fit" in render_plan(facts)


@pytest.mark.parametrize("context", [900, 4096])
@pytest.mark.parametrize("text", [LEASE, ACT])
def test_no_round_of_retries_is_above_its_ceiling(text: str, context: int) -> None:
    """Every line refused for every reason there is, in both rounds."""
    made, model = source(text), FakeModel(context=context)
    run = plan(made, Detail.FULL, model)
    facts = plan_facts(made, model, Detail.FULL)["calls"]
    assert facts is not None
    refused = Drafts(tuple(Draft(index, "No.", (Reason.NUMBER,)) for index in run.chosen), {})
    again = [retries(made, run, refused, turn, model) for turn in range(ROUNDS)]
    assert 0 < sum(len(calls) for calls in again) <= facts["retries_at_most"]


def test_measuring_asks_as_many_requests_as_there_are_slots() -> None:
    made, model = source(LEASE), FakeModel(slots=2)
    requests = missing_requests(plan(made, Detail.NORMAL, model), model, None)
    speed = measure(requests, model)
    assert speed is not None and len(model.asked) == min(2, len(requests))
    assert all(request.deadline_s == 10.0 for request in model.asked)
    assert speed.generated_tokens == 7 * len(model.asked)
    assert measure([], model) is None


def test_measuring_ends_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(FakeModel):
        def complete(self, requests: Any, progress: Any = None) -> Any:
            for tokens in count(100, 50):
                progress(tokens, 0)

    made, model = source(LEASE), Endless()
    monkeypatch.setattr("conspectus.plan.calls.MEASURE_SECONDS", 0.05)
    speed = measure([call.request for call in plan(made, Detail.NORMAL, model).calls], model)
    assert speed is not None and speed.prompt_tokens > 0 and speed.prompt_tokens % 50 == 0
    assert 0.05 <= speed.seconds < 5 and speed.calls == 0


def test_speeds_are_kept_by_model(fresh_folders: Path) -> None:
    assert recall("a") is None
    for seconds in (10.0, 30.0):
        record("a", Speed(2, 900, 100, seconds))
    record("b", Speed(1, 10, 10, 1.0))
    assert recall("a") == Speed(4, 1800, 200, 40.0) and recall("b") is None, "a run of a few tokens says nothing"
    assert stat.S_IMODE((fresh_folders / "state/speeds.json").stat().st_mode) == 0o600
    for _ in range(20):
        record("a", Speed(1, 1000, 0, 1.0))
    known = recall("a")
    assert known is not None and known.calls == 8
    (fresh_folders / "state/speeds.json").write_text('{"a": [{"calls": "x"}], "b": 3}')
    assert recall("a") is recall("b") is None
