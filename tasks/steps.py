"""One task for each step of a digest. No logic: each calls the library."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.utilities.annotations import quote

from conspectus import mapping, reduce, settle
from conspectus.digest import Failures, assemble
from conspectus.document import Detail, Digest, OverviewSentence, Section, Source, Statement
from conspectus.drafts import MapCall
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
def plan_calls(source: Source, detail: Detail) -> MapPlan:
    """Chunks, chosen sentences and the calls about them. Raises ContextTooSmall."""
    return mapping.plan(source, detail, current().model)


@task(name="check", cache_policy=NO_CACHE, persist_result=False)
def check_answers(source: Source, plan: MapPlan, calls: Sequence[MapCall], answers: Answers) -> Drafts:
    """The checked drafts of the answers."""
    return mapping.read(source, plan, calls, answers)


@task(name="plan retries", cache_policy=NO_CACHE, persist_result=False)
def plan_retries(source: Source, plan: MapPlan, drafts: Drafts) -> list[MapCall]:
    """Calls for the refused lines."""
    return mapping.retries(source, plan, drafts, current().model)


@task(name="settle", cache_policy=NO_CACHE, persist_result=False)
def settle_statements(source: Source, plan: MapPlan, drafts: Drafts, detail: Detail) -> list[Statement]:
    """The statements within the promised length; the source's own words where no line was accepted."""
    return settle.settle(source, drafts.drafts, plan.chosen, detail)


@task(name="plan sections", cache_policy=NO_CACHE, persist_result=False)
def plan_sections(source: Source, statements: list[Statement], sections: list[Section]) -> dict[int, reduce.ReduceCall]:
    """The calls that word section overviews, by section."""
    return reduce.plan_sections(source, statements, sections, current().model)


@task(name="assemble", cache_policy=NO_CACHE, persist_result=False)
def assemble_digest(
    source: Source,
    statements: list[Statement],
    sections: Sequence[Section],
    overview: Sequence[OverviewSentence],
    detail: Detail,
    failures: Failures,
) -> Digest:
    """The digest with its ledger."""
    return assemble(source, statements, sections, overview, detail, current().model.info, failures)


@task(name="plan overview", cache_policy=NO_CACHE, persist_result=False)
def plan_document(source: Source, statements: list[Statement], inputs: list[int]) -> list[reduce.ReduceCall]:
    """The next level of calls for the document overview."""
    return reduce.plan_document(source, statements, inputs, current().model)
