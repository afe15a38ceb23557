import json
from dataclasses import replace

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel

from conspectus.document import Detail, PageStatus
from conspectus.errors import ContextTooSmall
from conspectus.mapping import plan
from conspectus.planning import plan_facts, render_plan


def test_plan_counts_what_the_run_would_do() -> None:
    made, model = source(LEASE), FakeModel()
    facts = plan_facts(made, model)
    run = plan(made, Detail.NORMAL, model)
    assert (facts["chunks"], facts["map_calls"]) == (len(run.chunks), len(run.calls))
    assert facts["tokens"] == sum(run.tokens)
    assert (facts["numbered"], facts["articles"], facts["front"]) == (11, 0, 1)
    assert facts["clauses"] == 12
    assert not model.asked
    assert json.loads(json.dumps(facts)) == facts


def test_plan_without_a_model_has_no_tokens() -> None:
    facts = plan_facts(source(ACT), None)
    assert (facts["articles"], facts["containers"], facts["language"]) == (5, 2, "zh")
    assert facts["tokens"] is facts["chunks"] is facts["map_calls"] is None
    assert "model" not in render_plan(facts)


def test_plan_shows_odd_pages_and_the_calls() -> None:
    made = source(LEASE, "3.4 Nothing else.")
    pages = (
        replace(made.document.pages[0], warnings=("hidden text left out",)),
        replace(made.document.pages[1], status=PageStatus.GARBLED, reason="U+FFFD", label="ii"),
    )
    made = replace(made, document=replace(made.document, pages=pages, warnings=("2 attachments not read",)))
    shown = render_plan(plan_facts(made, FakeModel(), Detail.FULL))
    assert "page ii: garbled (U+FFFD)" in shown
    assert "page 1: text (hidden text left out)" in shown
    assert "2 attachments not read" in shown
    assert "12 numbered" in shown and "--detail full" in shown


def test_plan_fails_as_the_run_would() -> None:
    with pytest.raises(ContextTooSmall):
        plan_facts(source(LEASE), FakeModel(context=128))
