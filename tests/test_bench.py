"""`conspectus bench`: what is asked, what is counted, what the table says."""

import itertools
import json
from collections.abc import Callable, Sequence

import pytest
from fake_model import FakeModel

from conspectus.cli import bench as bench_cli
from conspectus.cli.bench import Load, Row, Setting, bench, measure, render_rows
from conspectus.cli.main import run
from conspectus.errors import ExitCode, ModelError, UsageError
from conspectus.llama import Completion, Finish, Request

ROW = Row(
    slots=2, threads=1, kv="f16", gpu_layers=0, requests=4, prompt=100.0, generated=10.0, together=60.0, seconds=2.0,
    whole=True,
)  # fmt: skip


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Paced(FakeModel):
    """Reads 100 tokens in a second, then writes 10."""

    def __init__(self, clock: Clock, finish: Finish = Finish.STOP, written: int = 64) -> None:
        super().__init__(slots=3)
        self.clock, self.finish, self.written = clock, finish, written
        self.seen: list[Sequence[Request]] = []

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        self.seen.append(requests)
        made, read, wrote = [], 0, 0
        for request in requests:
            prompt = self.count(request.messages)
            made.append(Completion(("x",), self.finish, prompt, 0, self.written, 1.0))
            for amount, pace in ((prompt, 100.0), (self.written, 10.0)):
                self.clock.now += amount / pace
                read, wrote = (read + amount, wrote) if pace == 100.0 else (read, wrote + amount)
                if progress:
                    progress(read, wrote)
        return made


def test_rates_are_those_of_their_own_time() -> None:
    model = Paced(clock := Clock())
    row = measure(model, Load(512, 64, 20.0), clock)
    assert row["requests"] == 6 and row["whole"]
    assert row["prompt"] == pytest.approx(100.0) and row["generated"] == pytest.approx(10.0)
    assert row["together"] == pytest.approx(_tokens(model) / row["seconds"], rel=0.01)


def _tokens(model: Paced) -> int:
    return sum(model.count(request.messages) + 64 for request in model.seen[-1])


def test_prompts_have_the_wanted_length_and_differ() -> None:
    model = Paced(clock := Clock())
    measure(model, Load(512, 64, 20.0), clock)
    requests = model.seen[-1]
    texts = [request.messages[0].content for request in requests]
    assert len(set(texts)) == 6
    assert all(440 <= model.count(request.messages) <= 512 for request in requests)
    assert all(request.deadline_s == 20.0 and request.max_tokens == 64 for request in requests)


def test_time_that_ran_out_is_said() -> None:
    model = Paced(clock := Clock(), Finish.DEADLINE)
    row = measure(model, Load(512, 64, 20.0), clock)
    assert not row["whole"] and "out of time" in render_rows("m", [row])
    with pytest.raises(ModelError, match="in 20 seconds"):
        measure(Paced(clock, Finish.DEADLINE, written=0), Load(512, 64, 20.0), clock)


def test_every_combination_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[Setting] = []
    speed = itertools.count(1)

    def fake(_path: object, setting: Setting, _load: Load) -> Row:
        asked.append(setting)
        return Row(**{**ROW, "slots": setting.slots or 9, "kv": setting.kv or "f16", "together": float(next(speed))})

    monkeypatch.setattr(bench_cli, "_measured", fake)
    assert bench(slots="1,4", threads="2", kv="f16,q8_0") == ExitCode.OK
    assert [(one.slots, one.threads, one.kv) for one in asked] == [
        (1, 2, "f16"), (1, 2, "q8_0"), (4, 2, "f16"), (4, 2, "q8_0")
    ]  # fmt: skip
    table = capsys.readouterr().out
    assert table.count("\n") == 6 and table.splitlines()[-1].endswith("fastest")
    assert run(["bench", "--json"]) == ExitCode.OK
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) == 1 and set(rows[0]) == set(ROW) and asked[-1] == Setting(None, None, None)


@pytest.mark.parametrize(
    "wrong",
    [{"slots": "0"}, {"slots": "1,x"}, {"threads": "-2"}, {"kv": "turbo"}, {"seconds": 0.5}, {"model": "http://a:1"}],
)
def test_wrong_wishes_are_usage_errors(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        bench(**wrong)  # type: ignore[arg-type]
