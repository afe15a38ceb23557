"""The parent's side of the engine process, with a child that plays it: deaths, deadlines, deleted files, Ctrl-C."""

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import conspectus
from conspectus.cli.main import run
from conspectus.errors import ContextExceeded, EngineError, ExitCode, ModelError
from conspectus.llama import Message, Request, supervisor
from conspectus.llama.child import _Channel, _Reader
from conspectus.llama.embedded import EmbeddedModel
from conspectus.llama.gguf import starter_path
from conspectus.llama.options import EngineOptions
from conspectus.llama.supervisor import EngineFacts
from conspectus.llama.template import Piece, Prompt

CHILD = Path(__file__).parent / "support/fake_child.py"
Open = Callable[..., EmbeddedModel]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(starter_path(), tmp_path / "model.gguf"))


@pytest.fixture
def opened(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setattr(supervisor, "_COMMAND", [sys.executable, str(CHILD)])
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            contextlib.closing(EmbeddedModel(file, cache_dir=tmp_path, context=2048, **options))
        )


def asking(text: str, deadline: float = 600.0) -> Request:
    return Request((Message("user", text),), max_tokens=20, deadline_s=deadline)


def outcomes(model: EmbeddedModel, requests: Sequence[Request]) -> list[str | EngineError]:
    """Each request by a caller of its own, as the tasks of a flow ask."""
    found: dict[int, str | EngineError] = {}

    def ask(place: int, request: Request) -> None:
        try:
            found[place] = model.complete([request])[0].lines[0]
        except EngineError as error:
            found[place] = error

    threads = [threading.Thread(target=ask, args=pair) for pair in enumerate(requests)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [found[place] for place in range(len(requests))]


def eventually(holds: Callable[[], object], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_of(model: EmbeddedModel) -> int:
    process = model._supervisors[0]._process
    assert process
    return process.pid


def test_what_it_runs_with_and_what_was_given_up_are_told(opened: Open) -> None:
    told: list[str] = []
    model = opened(on_event=told.append, options=EngineOptions(kv_type="q8_0", devices=1))
    assert model.running == EngineFacts(slots=2, threads=3, gpu_layers=0, kv_type="q8_0")
    eventually(lambda: "loaded" in told)
    assert told == ["vocab", "the experts stay in main memory", "loaded"]
    other = opened(options=EngineOptions(devices=1))
    assert other.info.fingerprint != model.info.fingerprint, "another cache type gives other answers"


def test_what_does_not_fit_this_machine_says_what_to_do(opened: Open) -> None:
    with pytest.raises(ModelError, match="does not fit") as caught:
        opened(options=EngineOptions(kv_type="q4_0")).complete([asking("a")])
    assert caught.value.remedy == "Take a smaller model"


def test_a_death_costs_no_answer(opened: Open) -> None:
    told: list[str] = []
    model = opened(on_event=told.append)
    requests = [asking("first"), asking("DIES ONCE"), asking("WAITS a"), asking("WAITS b")]
    assert outcomes(model, requests) == ["first", "DIES ONCE", "WAITS a", "WAITS b"]
    assert "restarted" in told


def test_a_call_that_always_kills_the_engine_fails_alone(opened: Open) -> None:
    found = outcomes(opened(), [asking("DIES"), asking("WAITS a"), asking("WAITS b")])
    assert found[1:] == ["WAITS a", "WAITS b"]
    assert isinstance(found[0], EngineError) and not found[0].retryable
    assert "3 times" in found[0].message and "SIGKILL" in found[0].message


def test_what_is_over_the_context_is_named_so(opened: Open) -> None:
    (error,) = outcomes(opened(), [asking("LONG")])
    assert isinstance(error, ContextExceeded) and (error.prompt_tokens, error.context) == (5000, 2048)


def test_a_deleted_file_matters_only_to_a_new_process(opened: Open, file: Path) -> None:
    model = opened()
    assert outcomes(model, [asking("a")]) == ["a"]
    file.unlink()
    assert outcomes(model, [asking("b")]) == ["b"]
    os.kill(pid_of(model), signal.SIGKILL)
    with pytest.raises(ModelError, match=r"model\.gguf cannot be loaded"):
        for _ in range(50):
            model.complete([asking("c")])


def test_an_engine_that_hangs_is_started_again(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_GRACE_S", 0.2)
    begun = time.monotonic()
    (error,) = outcomes(opened(), [asking("HANGS", deadline=0.2)])
    assert isinstance(error, EngineError) and "3 times" in error.message
    assert time.monotonic() - begun < 25


def test_calls_of_one_that_stops_end_within_a_second_and_the_others_go_on(opened: Open) -> None:
    model = opened()
    assert model.count([]) == 7
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(EngineError, match="closed"):
        model.complete([asking("HANGS")], stop=stop.is_set)
    assert time.monotonic() - begun < 2.5
    assert outcomes(model, [asking("b")]) == ["b"]


def test_bench_measures_an_engine_of_its_own_for_each_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supervisor, "_COMMAND", [sys.executable, str(CHILD)])
    assert run(["bench", "--kv", "f16,q8_0", "--seconds", "5", "--json"]) == ExitCode.OK
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["slots"], row["threads"], row["kv"], row["requests"]) for row in rows] == [
        (2, 3, "f16", 4), (2, 3, "q8_0", 4)
    ]  # fmt: skip
    assert all(row["together"] > 0 and row["whole"] for row in rows)
    assert run(["bench", "--kv", "q4_0"]) == ExitCode.MODEL


PROGRAM = """
import sys
from pathlib import Path
from conspectus.llama import Message, Request, supervisor
from conspectus.llama.embedded import EmbeddedModel
supervisor._COMMAND = [sys.executable, sys.argv[2]]
model = EmbeddedModel(Path(sys.argv[1]), cache_dir=Path(sys.argv[3]))
def tell(prompt, generated):
    print(model._supervisors[0]._process.pid, flush=True)
try:
    model.complete([Request((Message("user", "HANGS"),), max_tokens=9)], tell)
finally:
    model.close()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_three_seconds_after_the_program_is_told_to_end(
    number: int, file: Path, tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(conspectus.__file__).parent.parent)}
    command = [sys.executable, "-c", PROGRAM, str(file), str(CHILD), str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as program:
        assert program.stdout
        child = int(program.stdout.readline())
        assert is_alive(child)
        program.send_signal(number)
        begun = time.monotonic()
        program.wait(10)
        eventually(lambda: not is_alive(child), 5)
    assert time.monotonic() - begun < 3


class Letters:
    """A vocabulary of one token a letter; `plain` is whether the file had no chat template."""

    def __init__(self, plain: bool = False) -> None:
        self.plain = plain

    def render(self, messages: Sequence[Message]) -> Prompt:
        return Prompt((Piece("".join(message.content for message in messages), is_special=False),), self.plain)

    def prompt_tokens(self, prompt: Prompt) -> list[int]:
        return [ord(letter) for piece in prompt.pieces for letter in piece.text]

    def tokens(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]


def reader_of(vocab: Letters) -> tuple[_Reader, io.BytesIO]:
    out = io.BytesIO()
    return _Reader(io.BytesIO(), _Channel(out), vocab, 100), out  # type: ignore[arg-type]


def lines_of(out: io.BytesIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def complete(call: int, text: str, most: int) -> dict[str, object]:
    request = {"messages": [{"role": "user", "content": text}], "max_tokens": most, "deadline_s": 5.0}
    return {"op": "complete", "id": call, "request": request}


def test_the_child_refuses_what_does_not_fit_and_queues_what_does() -> None:
    reader, out = reader_of(Letters())
    reader._handle(complete(1, "x" * 60, 40))
    reader._handle(complete(2, "x" * 60, 41))
    (refused,) = lines_of(out)
    assert (refused["id"], refused["prompt_tokens"], refused["context"]) == (2, 60, 100)
    assert reader.jobs.qsize() == 1 and not reader.jobs.get().is_due(), "what only waits is not due"


def test_a_job_knows_where_its_own_text_begins() -> None:
    class Scaffold(Letters):
        def render(self, messages: Sequence[Message]) -> Prompt:
            pieces = [Piece("<s>", is_special=True)]
            for message in messages:
                pieces += [Piece(message.content, is_special=False), Piece("</s>", is_special=True)]
            return Prompt(tuple(pieces), self.plain)

    reader, _ = reader_of(Scaffold())
    request = complete(1, "own", 5)
    told = [{"role": "system", "content": "rules"}, {"role": "user", "content": "own"}]
    reader._handle({**request, "request": {**request["request"], "messages": told}})  # type: ignore[dict-item]
    reader._handle(complete(2, "own", 5))
    assert [reader.jobs.get().head for _ in range(2)] == [len("<s>rules</s>"), len("<s>")]


def test_a_model_without_template_is_told_once() -> None:
    reader, out = reader_of(Letters(plain=True))
    for call in range(3):
        reader._handle({"op": "count", "id": call, "messages": [{"role": "user", "content": "abc"}]})
    told = lines_of(out)
    assert [one for one in told if "event" in one] == [{"event": "plain-template"}]
    assert [one["result"] for one in told if "result" in one] == [3, 3, 3]


def test_a_dropped_call_that_waits_is_answered_at_once_and_once() -> None:
    reader, out = reader_of(Letters())
    reader._handle(complete(1, "abc", 5))
    reader._handle({"op": "cancel", "ids": [1, 1, 99]})
    assert [one["error"] for one in lines_of(out)] == ["cancelled"]
    assert reader.jobs.get().is_due()
