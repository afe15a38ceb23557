"""The embedded engine with the real starter model."""

import contextlib
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import conspectus
from conspectus.errors import EngineError, ModelError
from conspectus.llama import Completion, Finish, Message, Model, Request
from conspectus.llama.choose import choose_model
from conspectus.llama.embedded import EmbeddedModel
from conspectus.llama.gguf import starter_path
from conspectus.llama.options import EngineOptions

pytestmark = pytest.mark.model

SENTENCES = "1. The Tenant shall pay rent of $500 monthly.\n2. The Landlord may not enter without notice.\n"
MESSAGES = (
    Message("system", "You restate the sentences of a contract, one line each."),
    Message("user", SENTENCES + "Restate each numbered sentence in one short line."),
)
FORCED = Request(MESSAGES, max_tokens=80, forced=("1: ", "2: "), line_tokens=30)
# Forced lines, since a small model may end a free answer after three words.
LONG = Request(MESSAGES, max_tokens=1900, forced=tuple(f"{n}:" for n in range(1, 301)), line_tokens=30)
SHORT = Request(MESSAGES, max_tokens=90, forced=("1:", "2:", "3:", "4:"), line_tokens=15)


def open_model(tmp_path: Path, slots: int = 1, **options: object) -> EmbeddedModel:
    chosen = {"context": 2048, "options": EngineOptions(slots=slots), **options}
    return EmbeddedModel(starter_path(), cache_dir=tmp_path / "cache", **chosen)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedModel]:
    with contextlib.closing(open_model(tmp_path_factory.mktemp("model"))) as opened:
        yield opened


def answer(model: Model, request: Request) -> Completion:
    (completion,) = model.complete([request])
    return completion


def children(parent: int | None = None) -> list[int]:
    """Process ids of the engines that `parent` (this process by default) has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, rest = int(status.parent.name), status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
            if int(rest[1]) == (parent or os.getpid()) and b"conspectus.llama.child" in command and rest[0] != "Z":
                found.append(pid)
    return found


def engine_of(model: EmbeddedModel) -> int:
    process = model._supervisors[0]._process
    assert process
    return process.pid


def eventually(holds: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.02)


def running(model: EmbeddedModel, request: Request) -> tuple[threading.Thread, list[object]]:
    """Starts `request` in a thread and waits until it generates; the list receives its answer or error."""
    outcome: list[object] = []
    generates = threading.Event()

    def tell(_prompt: int, generated: int) -> None:
        if generated > 3:
            generates.set()

    def work() -> None:
        try:
            outcome.extend(model.complete([request], tell))
        except EngineError as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert generates.wait(60)
    return thread, outcome


def test_count_equals_the_tokens_that_are_decoded(model: EmbeddedModel) -> None:
    assert answer(model, FORCED).prompt_tokens == model.count(MESSAGES)


def test_forced_lines(model: EmbeddedModel) -> None:
    completion = answer(model, FORCED)
    assert len(completion.lines) == 2
    assert completion.finish is Finish.STOP
    assert "$500" in completion.lines[0] and "notice" in completion.lines[1]
    assert not any(line.startswith(("1", "2")) or "\n" in line for line in completion.lines)
    assert completion.generated_tokens <= FORCED.max_tokens


def test_a_line_share_cuts_each_line(model: EmbeddedModel) -> None:
    completion = answer(model, Request(MESSAGES, max_tokens=60, forced=("1:", "2:", "3:"), line_tokens=3))
    assert len(completion.lines) == 3
    assert (completion.finish, completion.cut) == (Finish.STOP, (0, 1, 2))


def test_the_prefix_is_reused_and_changes_nothing(model: EmbeddedModel, tmp_path: Path) -> None:
    # Whole blocks alone are reused, so the prompts must be longer than one.
    answer(model, replace(FORCED, messages=(MESSAGES[0], Message("user", SENTENCES * 8 + "Restate them."))))
    longer = Request((MESSAGES[0], Message("user", SENTENCES * 8 + "Say what the Tenant owes.")), max_tokens=30)
    reused = answer(model, longer)
    assert reused.cached_tokens >= 128
    with contextlib.closing(open_model(tmp_path)) as fresh:
        anew = answer(fresh, longer)
    assert anew.cached_tokens == 0
    assert anew.lines == reused.lines


def test_info_and_fingerprint(model: EmbeddedModel, tmp_path: Path) -> None:
    assert (model.info.context, model.info.slots) == (2048, 1)
    with contextlib.closing(open_model(tmp_path, context=1_000_000)) as wide:
        assert wide.info.context == 8192
        assert wide.info.fingerprint == model.info.fingerprint
    with contextlib.closing(
        open_model(tmp_path, template="{% for m in messages %}{{ m.content }}{% endfor %}")
    ) as other:
        assert other.info.fingerprint != model.info.fingerprint
        assert other.count(MESSAGES) < model.count(MESSAGES)


def test_chinese_text_comes_back(model: EmbeddedModel) -> None:
    text = "承租人应当每月支付租金，不得转租。"
    assert model.count_texts([text, "", "a"])[1:] == [0, 1]
    free = answer(model, Request((Message("user", f"Repeat exactly: {text}\nRepeat exactly: {text}"),), max_tokens=60))
    assert "\ufffd" not in free.lines[0]
    assert "承租人" in free.lines[0]


def test_control_tokens_in_a_document_are_plain_text(model: EmbeddedModel) -> None:
    assert model.count_texts(["<|im_end|>"]) > [1]
    without = model.count([Message("user", "ab")])
    assert model.count([Message("user", "a<|im_end|>b")]) > without + 1


def test_odd_texts_can_be_counted(model: EmbeddedModel) -> None:
    counts = model.count_texts(["\x00", "\ud800", "a" * 300_000, "." * 300_000, "\u0301" * 1000, "合" * 100_000])
    assert all(counts)


def test_what_does_not_fit_is_refused_before_decoding(model: EmbeddedModel) -> None:
    with pytest.raises(EngineError, match=r"do not fit the context of 2048") as caught:
        answer(model, Request((Message("user", "secret " * 2048),), max_tokens=10))
    assert not caught.value.retryable
    assert "secret" not in caught.value.line()
    exact = 2048 - model.count(MESSAGES)
    with pytest.raises(EngineError):
        answer(model, Request(MESSAGES, max_tokens=exact + 1))
    assert answer(model, Request(MESSAGES, max_tokens=exact)).finish in (Finish.STOP, Finish.LOOP)


def test_several_callers_at_once(model: EmbeddedModel) -> None:
    expected = answer(model, FORCED).lines
    outcomes: list[tuple[str, ...]] = []
    threads = [threading.Thread(target=lambda: outcomes.append(answer(model, FORCED).lines)) for _ in range(4)]
    for thread in threads:
        thread.start()
    counts = [model.count(MESSAGES) for _ in range(20)]
    for thread in threads:
        thread.join()
    assert outcomes == [expected] * 4
    assert len(set(counts)) == 1


def test_the_deadline_ends_an_answer_in_the_middle(model: EmbeddedModel) -> None:
    completion = answer(model, replace(LONG, deadline_s=4.0))
    assert completion.finish is Finish.DEADLINE
    assert 0 < len(completion.lines) < 300
    prefill = Request((Message("user", "word " * 1500),), max_tokens=10, deadline_s=0.01)
    assert answer(model, prefill).finish is Finish.DEADLINE
    assert answer(model, FORCED).finish is Finish.STOP


def test_cancelled_calls_leave_the_engine_free(model: EmbeddedModel) -> None:
    class Stop(Exception):
        pass

    def stop(_prompt: int, _generated: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        model.complete([LONG, LONG, FORCED], stop)
    begun = time.monotonic()
    answer(model, Request(MESSAGES, max_tokens=1))
    # Each of the long ones takes minutes.
    assert time.monotonic() - begun < 60


def test_kill_9_of_the_engine_costs_no_answer(tmp_path: Path) -> None:
    events: list[str] = []
    with contextlib.closing(open_model(tmp_path, on_event=events.append)) as model:
        expected = answer(model, SHORT)
        thread, outcome = running(model, LONG)
        waiting = threading.Thread(target=lambda: outcome.append(answer(model, SHORT)))
        waiting.start()
        os.kill(engine_of(model), signal.SIGKILL)
        thread.join(120)
        waiting.join(60)
    assert "restarted" in events
    assert len(outcome) == 2 and all(isinstance(o, Completion) for o in outcome)
    assert any(isinstance(o, Completion) and o.lines == expected.lines for o in outcome)


def test_a_call_that_always_kills_the_engine_fails_alone(tmp_path: Path) -> None:
    with contextlib.closing(open_model(tmp_path)) as model:
        thread, outcome = running(model, LONG)
        for _ in range(3):
            eventually(lambda: model._supervisors[0]._calls[1].started)
            os.kill(engine_of(model), signal.SIGKILL)
            eventually(lambda: not model._supervisors[0]._calls or model._supervisors[0]._calls[1].started is None)
        thread.join(20)
        (error,) = outcome
        assert isinstance(error, EngineError) and not error.retryable
        assert "SIGKILL" in error.line() and "Tenant" not in error.line()
        assert answer(model, FORCED).finish is Finish.STOP


def test_close_is_quick_and_ends_running_calls(tmp_path: Path) -> None:
    model = open_model(tmp_path)
    thread, outcome = running(model, LONG)
    child = engine_of(model)
    begun = time.monotonic()
    model.close()
    assert time.monotonic() - begun < 3
    thread.join(5)
    assert isinstance(outcome[0], EngineError)
    eventually(lambda: not Path(f"/proc/{child}").exists())
    model.close()
    with pytest.raises(EngineError, match="closed"):
        model.count(MESSAGES)
    with pytest.raises(EngineError, match="closed"):
        _ = model.info


def test_a_model_never_used_starts_nothing(tmp_path: Path) -> None:
    before = children()
    open_model(tmp_path).close()
    assert children() == before


PARENT = """
import sys, threading, time
from pathlib import Path
from conspectus.llama import Message, Request
from conspectus.llama.embedded import EmbeddedModel
from conspectus.llama.gguf import starter_path
from conspectus.llama.options import EngineOptions
model = EmbeddedModel(starter_path(), cache_dir=Path(sys.argv[1]), context=2048)
request = Request((Message("user", "Count."),), max_tokens=1500, forced=("a:",) * 300, line_tokens=30)
def tell(prompt, generated):
    print("runs", flush=True)
threading.Thread(target=lambda: model.complete([request], tell), daemon=True).start()
if sys.argv[2] == "stays":
    time.sleep(60)
else:
    while not model.count([Message("user", "a")]):
        pass
"""


def start_parent(tmp_path: Path, what: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(conspectus.__file__).parent.parent)}
    command = [sys.executable, "-c", PARENT, str(tmp_path), what]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_no_engine_outlives_its_program(tmp_path: Path, signal_number: int) -> None:
    with start_parent(tmp_path, "stays") as parent:
        assert parent.stdout and parent.stdout.readline() == "runs\n"
        (child,) = children(parent.pid)
        parent.send_signal(signal_number)
        parent.wait(10)
    eventually(lambda: not Path(f"/proc/{child}").exists(), seconds=3)


def test_a_program_that_forgets_to_close_still_ends(tmp_path: Path) -> None:
    with start_parent(tmp_path, "ends") as parent:
        assert parent.wait(30) == 0


def test_a_second_engine_waits_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    events: list[str] = []
    with (tmp_path / "conspectus-cpu-engine.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.closing(open_model(tmp_path, on_event=events.append)) as model:
            assert model.count(MESSAGES) > 0
            outcome: list[Completion] = []
            thread = threading.Thread(target=lambda: outcome.append(answer(model, FORCED)))
            thread.start()
            eventually(lambda: "waiting" in events)
            assert not outcome
            fcntl.flock(lock, fcntl.LOCK_UN)
            thread.join(60)
    assert len(outcome) == 1


def test_an_unknown_architecture_reaches_the_user(tmp_path: Path) -> None:
    key, value = b"general.architecture", b"madeup"
    path = tmp_path / "new.gguf"
    fields = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + fields)
    with contextlib.closing(EmbeddedModel(path, cache_dir=tmp_path)) as model:
        for ask in (lambda: model.info, lambda: model.count(MESSAGES), lambda: model.complete([FORCED])):
            with pytest.raises(ModelError, match="unknown model architecture: 'madeup'"):
                ask()


def test_weights_cut_short_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.gguf"
    path.write_bytes(starter_path().read_bytes()[:-1000])
    with pytest.raises(ModelError, match="cut short"):
        EmbeddedModel(path, cache_dir=tmp_path)


def test_two_runs_of_one_program_share_an_engine() -> None:
    notes: list[str] = []
    before = set(children())  # of the tests before
    first, second = (choose_model("starter", 2048, notes.append) for _ in range(2))
    try:
        both = [answer(one, FORCED) for one in (first, second)]
        assert both[0].lines == both[1].lines and len(set(children()) - before) == 1
        first.close()
        assert answer(second, FORCED).lines == both[0].lines
    finally:
        first.close()
        second.close()
    eventually(lambda: not set(children()) - before)


def test_a_file_deleted_while_it_is_loaded_is_needed_only_for_a_new_engine(tmp_path: Path) -> None:
    path = Path(shutil.copy(starter_path(), tmp_path / "copy.gguf"))
    with contextlib.closing(EmbeddedModel(path, cache_dir=tmp_path, options=EngineOptions(slots=1))) as model:
        expected = answer(model, FORCED).lines
        path.unlink()
        assert answer(model, FORCED).lines == expected
        os.kill(engine_of(model), signal.SIGKILL)
        with pytest.raises(ModelError, match=r"copy\.gguf cannot be loaded"):
            for _ in range(20):
                answer(model, FORCED)
