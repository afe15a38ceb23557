"""One task for each step of a digest. No logic: each calls the library."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.utilities.annotations import quote

from conspectus import mapping, reduce, settle
from conspectus.digest import Failures, Wish, assemble
from conspectus.document import Detail, Digest, Source, Statement
from conspectus.drafts import Form, MapCall
from conspectus.mapping import Answers, Drafts, MapPlan
from conspectus.session import current
from conspectus.source import to_source

T = TypeVar("T")


def whole(value: T) -> T:
    """The value wrapped so that Prefect hands it over as it is; the task receives it unwrapped."""
    return cast(T, quote(value))


@task(name="read", cache_policy=NO_CACHE, persist_result=False)
def read_source(file: str) -> Source:
    """The file with its clauses and sentences. Raises InputError."""
    return to_source(current().document(Path(file)))


@task(name="plan", cache_policy=NO_CACHE, persist_result=False)
def plan_calls(source: Source, detail: Detail, form: Form) -> MapPlan:
    """Chunks, chosen sentences and the calls about them. Raises ContextTooSmall."""
    return mapping.plan(source, detail, current().model, form)


@task(name="check", cache_policy=NO_CACHE, persist_result=False)
def check_answers(source: Source, plan: MapPlan, calls: Sequence[MapCall], answers: Answers) -> Drafts:
    """The checked drafts of the answers."""
    return mapping.read(source, plan, calls, answers)


@task(name="plan retries", cache_policy=NO_CACHE, persist_result=False)
def plan_retries(source: Source, plan: MapPlan, drafts: Drafts, turn: int) -> list[MapCall]:
    """Calls for the refused lines; `turn` is 0 for the first time they are asked again."""
    return mapping.retries(source, plan, drafts, turn, current().model)


@task(name="settle", cache_policy=NO_CACHE, persist_result=False)
def settle_statements(source: Source, plan: MapPlan, drafts: Drafts, wish: Wish) -> list[Statement]:
    """The statements within the promised length; where no line was accepted, what the wish says."""
    return settle.settle(source, drafts.drafts, plan.chosen, wish.detail, plan.first(source), floor=wish.floor)


@task(name="plan overviews", cache_policy=NO_CACHE, persist_result=False)
def plan_overviews(source: Source, plan: MapPlan, statements: list[Statement], wish: Wish) -> reduce.ReducePlan:
    """The points of the overviews and the calls that word them."""
    return reduce.plan_reduce(source, statements, plan.leads, current().reduce_model, words=wish.reduce)


@task(name="check overviews", cache_policy=NO_CACHE, persist_result=False)
def check_overviews(
    source: Source, statements: list[Statement], plan: reduce.ReducePlan, answers: Answers
) -> reduce.Overviews:
    """The overviews: checked lines, and statements where a line was refused."""
    return reduce.read_reduce(source, statements, plan, answers.completions, answers.failures)


@task(name="assemble", cache_policy=NO_CACHE, persist_result=False)
def assemble_digest(
    source: Source,
    statements: list[Statement],
    overviews: reduce.Overviews,
    wish: Wish,
    failures: Failures,
) -> Digest:
    """The digest with its ledger."""
    return assemble(source, statements, overviews, wish, current().info, failures)
