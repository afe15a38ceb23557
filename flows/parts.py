"""The parts of the digest flow that call the model; each is run inside the flow, never inside a task."""

from conspectus import mapping
from conspectus.desk import Desk
from conspectus.digest import Wish
from conspectus.document import Detail, Source, Statement
from conspectus.drafts import Form
from conspectus.flows.asking import ask
from conspectus.mapping import Drafts, MapPlan
from conspectus.reduce import Overviews
from conspectus.tasks.steps import check_answers, check_overviews, plan_calls, plan_overviews, plan_retries, whole


def restate(source: Source, detail: Detail, form: Form, desk: Desk) -> tuple[MapPlan, Drafts]:
    """Map: lines of the model, checked; refused ones asked again twice, with the reason."""
    plan = plan_calls(whole(source), detail, form)
    answers = ask(plan.calls, desk, f"{source.document.name}: sentences restated, calls")
    drafts = check_answers(whole(source), whole(plan), whole(plan.calls), whole(answers))
    drafts = ask_again(source, plan, drafts, 0, desk)
    return plan, ask_again(source, plan, drafts, 1, desk)


def ask_again(source: Source, plan: MapPlan, drafts: Drafts, turn: int, desk: Desk) -> Drafts:
    """The drafts with the refused lines that came back better."""
    calls = plan_retries(whole(source), whole(plan), whole(drafts), turn)
    answers = ask(calls, desk, f"{source.document.name}: refused lines asked again, calls")
    return mapping.merge(drafts, check_answers(whole(source), whole(plan), whole(calls), whole(answers)))


def sum_up(
    source: Source, plan: MapPlan, statements: list[Statement], wish: Wish, desk: Desk
) -> tuple[Overviews, tuple[str, ...]]:
    """Reduce: the overviews of sections and document, and why calls failed."""
    reducing = plan_overviews(whole(source), whole(plan), whole(statements), wish)
    answers = ask(reducing.calls, desk, f"{source.document.name}: overviews worded, calls", reducing=True)
    overviews = check_overviews(whole(source), whole(statements), whole(reducing), whole(answers))
    return overviews, tuple(answers.failures.values())
