"""The steps of a digest one after the other, as the flow takes them, without Prefect."""

from collections.abc import Sequence

from fake_model import FakeModel

from conspectus import mapping
from conspectus.digest import Failures, Wish, assemble
from conspectus.document import Detail, Digest, Source
from conspectus.drafts import Form, MapCall
from conspectus.errors import EngineError
from conspectus.llama import Completion
from conspectus.mapping import Answers
from conspectus.reduce import ReduceCall, plan_reduce, read_reduce
from conspectus.settle import settle


def ask(model: FakeModel, calls: Sequence[MapCall] | Sequence[ReduceCall]) -> Answers:
    completions: dict[int, Completion] = {}
    failures: dict[int, str] = {}
    for place, call in enumerate(calls):
        try:
            (completions[place],) = model.complete([call.request])
        except EngineError as error:
            failures[place] = error.message
    return Answers(completions, failures)


def digest(
    source: Source,
    model: FakeModel,
    detail: Detail = Detail.FULL,
    *,
    form: Form = Form.ALIGNED,
    reduce: bool = True,
    floor: bool = True,
) -> Digest:
    """The digest of a source with a scripted model."""
    wish = Wish(detail, reduce, floor)
    plan = mapping.plan(source, detail, model, form)
    drafts = mapping.read(source, plan, plan.calls, ask(model, plan.calls))
    for turn in range(2):
        calls = mapping.retries(source, plan, drafts, turn, model)
        drafts = mapping.merge(drafts, mapping.read(source, plan, calls, ask(model, calls)))
    statements = settle(source, drafts.drafts, plan.chosen, detail, plan.first(source), floor=floor)
    reducing = plan_reduce(source, statements, plan.leads, model, words=reduce)
    answers = ask(model, reducing.calls)
    overviews = read_reduce(source, statements, reducing, answers.completions, answers.failures)
    failures = Failures(dict(drafts.failures), tuple(answers.failures.values()))
    return assemble(source, statements, overviews, wish, model.info, failures)
