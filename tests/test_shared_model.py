"""Runs of one program that name the same model share one engine."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fake_model import FakeModel

from conspectus.errors import EngineError, ModelError
from conspectus.llama import Completion, Finish, Message, Request
from conspectus.llama import choose as choosing
from conspectus.llama.choose import choose_model
from conspectus.llama.gguf import starter_path
from conspectus.llama.shared import _entries

ASKED = Request((Message("user", "Say it."),), max_tokens=4)


class Engine(FakeModel):
    """A model that answers when it is let, and knows who gave up."""

    made: list["Engine"] = []  # noqa: RUF012 - emptied by the fixture

    def __init__(
        self, path: Path, *, context: int, cache_dir: Path, on_event: Callable[[str], None], template: str | None
    ) -> None:
        super().__init__(context=context)
        self.path, self.tell, self.template = path, on_event, template
        self.starts = 0
        self.released = threading.Event()
        self.runs = threading.Semaphore(0)
        self.made.append(self)

    def start(self) -> None:
        self.starts += 1

    def complete(
        self,
        requests: Sequence[Request],
        progress: Callable[[int, int], None] | None = None,
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Completion]:
        self.runs.release()
        while not self.released.wait(0.01):
            if stop and stop():
                raise EngineError("The model was closed", retryable=False)
        return [Completion(("said",), Finish.STOP, 3, 0, 1, 0.1) for _ in requests]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Engine]:
    monkeypatch.setattr("conspectus.llama.embedded.EmbeddedModel", Engine)
    Engine.made = []
    assert not _entries
    return Engine.made


def open_one(notes: list[str], context: int = 4096, name: str = "starter") -> choosing.Model:
    return choose_model(name, context, notes.append)


def test_two_runs_have_one_engine_and_the_last_one_ends_it(made: list[Engine]) -> None:
    first, second = open_one([]), open_one([], name=str(starter_path()))
    assert len(made) == 1 and first.info == second.info
    first.close()
    first.close()
    assert not made[0].closed
    made[0].released.set()
    assert second.complete([ASKED])[0].lines == ("said",)
    second.close()
    assert made[0].closed and not _entries
    third = open_one([])
    assert len(made) == 2 and not made[1].closed
    third.close()


def test_another_context_or_another_file_is_another_engine(made: list[Engine], tmp_path: Path) -> None:
    copy = tmp_path / "other.gguf"
    copy.write_bytes(starter_path().read_bytes())
    opened = [open_one([]), open_one([], context=2048), open_one([], name=str(copy))]
    copy.write_bytes(copy.read_bytes() + b"\0")
    opened.append(open_one([], name=str(copy)))
    assert len(made) == 4
    for one in opened:
        one.close()
    assert all(engine.closed for engine in made)


def test_another_chat_template_is_another_engine(made: list[Engine], tmp_path: Path) -> None:
    path = tmp_path / "own.jinja"
    path.write_text("{% for m in messages %}{{ m.content }}{% endfor %}", "utf-8")
    opened = [open_one([]), choose_model("starter", 4096, print, choosing.ServerAccess(chat_template=path))]
    assert [engine.template for engine in made] == [None, path.read_text("utf-8")]
    for one in opened:
        one.close()


def test_closing_one_run_ends_its_calls_alone(made: list[Engine]) -> None:
    first, second = open_one([]), open_one([])
    outcomes: dict[str, object] = {}

    def ask(name: str, model: choosing.Model) -> None:
        try:
            outcomes[name] = model.complete([ASKED])
        except EngineError as error:
            outcomes[name] = error

    threads = [threading.Thread(target=ask, args=pair) for pair in (("first", first), ("second", second))]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert made[0].runs.acquire(timeout=10)
    first.close()
    threads[0].join(10)
    assert isinstance(outcomes["first"], EngineError) and "second" not in outcomes
    with pytest.raises(EngineError, match="closed"):
        first.count([])
    made[0].released.set()
    threads[1].join(10)
    assert isinstance(outcomes["second"], list)
    second.close()


def test_every_run_is_told_what_happens(made: list[Engine]) -> None:
    first, second = list[str](), list[str]()
    one, other = open_one(first), open_one(second)
    made[0].tell("restarted")
    assert first[-1] == second[-1] == "model: the engine died and was started again"
    one.close()
    made[0].tell("restarted")
    assert len(second) == len(first) + 1
    other.close()


def test_a_model_that_cannot_be_opened_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ModelError("it is none")

    monkeypatch.setattr("conspectus.llama.embedded.EmbeddedModel", refuse)
    with pytest.raises(ModelError):
        open_one([])
    assert not _entries
