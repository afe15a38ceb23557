"""The product's own pipeline without Prefect: the library's functions in the order of flows/digest.py.

tests/test_quality_harness.py holds this file to the flow: both must give the same digest.
"""

from collections.abc import Sequence
from typing import Protocol

from benchmarks.quality.asking import Asker
from conspectus import mapping, reduce, settle
from conspectus.digest import Failures, Wish, assemble
from conspectus.document import Detail, Digest, Source, Statement
from conspectus.drafts import Form, MapCall
from conspectus.llama import Request
from conspectus.mapping import Answers, Drafts, MapPlan

TURNS = 2  # how often refused lines are asked again


class UnknownForm(Exception):
    """A form of the map step that this version of the library does not have."""


class Call(Protocol):
    """Anything with a request."""

    @property
    def request(self) -> Request:
        """What the model is asked."""
        ...


def digest(source: Source, wish: Wish, asker: Asker, form: str = "") -> Digest:
    """The digest of a document. Raises UnknownForm, OutOfTime, ContextTooSmall."""
    ((plan, drafts),) = restate([source], wish.detail, asker, form)
    statements = _settle(source, plan, drafts, wish)
    reducing = reduce.plan_reduce(source, statements, plan.leads, asker.model, words=wish.reduce)
    answers = asker.ask([call.request for call in reducing.calls])
    overviews = reduce.read_reduce(source, statements, reducing, answers.completions, answers.failures)
    failures = Failures(dict(drafts.failures), tuple(answers.failures.values()))
    return assemble(source, statements, overviews, wish, asker.model.info, failures)


def lines(sources: Sequence[Source], wish: Wish, asker: Asker, form: str = "") -> list[list[Statement]]:
    """The statements alone of many short documents; their calls are made together."""
    return [
        _settle(source, plan, drafts, wish)
        for source, (plan, drafts) in zip(sources, restate(sources, wish.detail, asker, form), strict=True)
    ]


def restate(sources: Sequence[Source], detail: Detail, asker: Asker, form: str) -> list[tuple[MapPlan, Drafts]]:
    """Map: all calls of all documents at once, then their refused lines, twice."""
    plans = [mapping.plan(source, detail, asker.model, _form(form)) for source in sources]
    drafts = _answered(sources, plans, [plan.calls for plan in plans], asker)
    for turn in range(TURNS):
        calls = [
            mapping.retries(source, plan, so_far, turn, asker.model)
            for source, plan, so_far in zip(sources, plans, drafts, strict=True)
        ]
        again = _answered(sources, plans, calls, asker)
        drafts = [mapping.merge(before, after) for before, after in zip(drafts, again, strict=True)]
    return list(zip(plans, drafts, strict=True))


def _form(name: str) -> Form:
    try:
        return Form(name) if name else next(iter(Form))
    except ValueError as error:
        raise UnknownForm(f"the library has no form {name!r}") from error


def _answered(
    sources: Sequence[Source], plans: Sequence[MapPlan], groups: Sequence[Sequence[MapCall]], asker: Asker
) -> list[Drafts]:
    return [
        mapping.read(source, plan, calls, answers)
        for source, plan, calls, answers in zip(sources, plans, groups, _ask_all(groups, asker), strict=True)
    ]


def _ask_all(groups: Sequence[Sequence[Call]], asker: Asker) -> list[Answers]:
    """The answers of several lists of calls, asked as one list."""
    asked = asker.ask([call.request for calls in groups for call in calls])
    out: list[Answers] = []
    at = 0
    for calls in groups:
        end = at + len(calls)
        out.append(
            Answers(
                {place - at: asked.completions[place] for place in range(at, end) if place in asked.completions},
                {place - at: asked.failures[place] for place in range(at, end) if place in asked.failures},
            )
        )
        at = end
    return out


def _settle(source: Source, plan: MapPlan, drafts: Drafts, wish: Wish) -> list[Statement]:
    return settle.settle(source, drafts.drafts, plan.chosen, wish.detail, plan.first(source), floor=wish.floor)
