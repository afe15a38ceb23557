"""`verify` agrees with the run: whatever a model says, the digest that comes of it holds."""

from collections.abc import Callable
from typing import Any

import pipeline
import proofs
import pytest
from fake_model import FakeModel, answer, lines_of, shortened

from conspectus.document import Detail
from conspectus.errors import EngineError
from conspectus.llama import Completion, Request
from conspectus.render.json import render_json
from conspectus.schema import parse
from conspectus.verification.again import rebuilt
from conspectus.verification.check import Judging
from conspectus.verification.file import verify


def _garbage(request: Request) -> Completion:
    """Lines of all kinds: true, false, empty, cut, of another sentence, in another language."""
    shown = list(lines_of(request).values())
    kinds = [
        lambda at: shown[at],
        lambda at: shown[at].replace("shall", "must").replace("The ", "", 1),
        lambda at: shown[at].replace("shall", "may"),
        lambda at: shown[at - 1],
        lambda at: shown[at][: len(shown[at]) // 2],
        lambda at: "",
        lambda at: "合同终止。",
    ]
    count = len(request.forced) or 3
    return answer(request, [kinds[(at + len(shown[0])) % len(kinds)](at % len(shown)) for at in range(count)])


def _failing() -> FakeModel:
    """Every third call is lost."""
    script = [EngineError("the engine was away", retryable=False) if at % 3 == 0 else shortened for at in range(60)]
    return FakeModel(*script, rule=shortened)


RUNS: dict[str, tuple[Callable[[], FakeModel], dict[str, Any]]] = {
    "copies": (lambda: FakeModel(), {}),
    "shorter lines": (lambda: FakeModel(rule=shortened), {"detail": Detail.FULL}),
    "brief": (lambda: FakeModel(rule=shortened), {"detail": Detail.BRIEF}),
    "garbage": (lambda: FakeModel(rule=_garbage), {"detail": Detail.FULL}),
    "garbage shown": (lambda: FakeModel(rule=_garbage), {"detail": Detail.FULL, "floor": False}),
    "no overview": (lambda: FakeModel(rule=shortened), {"reduce": False}),
    "lost calls": (_failing, {"detail": Detail.FULL, "floor": False}),
    "a small context": (lambda: FakeModel(rule=shortened, context=1600), {}),
}


@pytest.mark.parametrize("name", ["lease.pdf", "act-zh.pdf"])
@pytest.mark.parametrize("run_of", RUNS)
def test_it_agrees_with_the_run_whatever_the_model_says(run_of: str, name: str) -> None:
    """No digest that a run delivers is refused, and none of its bytes is lost on the way there and back."""
    make, wish = RUNS[run_of]
    made = pipeline.digest(proofs.source(name), make(), **wish)
    file = parse(render_json(made), name)
    with Judging(file) as judging:
        assert list(verify(file, proofs.source(name), judging)) == []
    assert rebuilt(file, proofs.source(name)) == made
    if run_of == "lost calls":
        assert file.engine_errors and file.coverage.states.failed
