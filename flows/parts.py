"""The parts of the digest flow that call the model; each is run inside the flow, never inside a task."""

from conspectus import mapping, reduce
from conspectus.desk import Desk
from conspectus.document import Detail, OverviewSentence, Section, Source, Statement
from conspectus.flows.asking import ask
from conspectus.mapping import Drafts, MapPlan
from conspectus.tasks.steps import check_answers, plan_calls, plan_document, plan_retries, plan_sections, whole


def restate(source: Source, detail: Detail, desk: Desk) -> tuple[MapPlan, Drafts]:
    """Map: the chosen sentences restated and checked; refused ones asked again once, with the reason."""
    plan = plan_calls(whole(source), detail)
    answers = ask(plan.calls, desk, f"{source.document.name}: sentences restated, calls")
    first = check_answers(whole(source), whole(plan), whole(plan.calls), whole(answers))
    calls = plan_retries(whole(source), whole(plan), whole(first))
    answers = ask(calls, desk, f"{source.document.name}: refused lines asked again, calls")
    second = check_answers(whole(source), whole(plan), whole(calls), whole(answers))
    return plan, mapping.merge(first, second)


def sum_up_sections(
    source: Source, statements: list[Statement], desk: Desk
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """The sections with their overviews, and why calls failed; a failed one leaves the floor."""
    sections = reduce.group(source, statements)
    calls = plan_sections(whole(source), whole(statements), whole(sections))
    answers = ask(list(calls.values()), desk, f"{source.document.name}: sections summed up, calls")
    overviews = {
        section: reduce.read_lines(source, statements, call, answers.completions.get(place))
        for place, (section, call) in enumerate(calls.items())
    }
    return reduce.with_overviews(sections, overviews), tuple(answers.failures.values())


def sum_up_document(
    source: Source, statements: list[Statement], sections: tuple[Section, ...], desk: Desk
) -> tuple[list[OverviewSentence], tuple[str, ...]]:
    """The document overview, level by level, and why calls failed. Each level has fewer inputs than the one before."""
    inputs, failures = reduce.leaders(source, statements, sections), list[str]()
    while calls := plan_document(whole(source), whole(statements), whole(inputs)):
        answers = ask(calls, desk, f"{source.document.name}: document summed up, calls")
        failures += answers.failures.values()
        lines = [
            line
            for place, call in enumerate(calls)
            for line in reduce.read_lines(source, statements, call, answers.completions.get(place))
        ]
        if len(calls) == 1:
            return lines, tuple(failures)
        inputs = reduce.cited(lines)
    return reduce.floor(source, statements, inputs, reduce.DOCUMENT_LINES), tuple(failures)
