import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel, tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.document import Detail, Language
from conspectus.errors import ContextTooSmall
from conspectus.mapping import plan
from conspectus.pack import pack


def test_chunks_partition_the_text() -> None:
    made = source(LEASE)
    sizes = [tokens(s.text) for s in made.sentences]
    chunks = pack(made.document, made.clauses, made.sentences, sizes, 50)
    assert "".join(made.document.text[c.start : c.end] for c in chunks) == made.document.text
    assert [i for c in chunks for i in c.sentences] == list(range(len(made.sentences)))
    assert all(sum(sizes[i] for i in c.sentences) <= 50 for c in chunks)
    assert len(chunks) > 2


def test_one_sentence_over_the_budget_is_an_error_that_names_the_page() -> None:
    made = source(LEASE)
    with pytest.raises(ContextTooSmall, match=r"page 1.*leaves 10"):
        pack(made.document, made.clauses, made.sentences, [tokens(s.text) for s in made.sentences], 10)


def test_an_inserted_clause_changes_only_chunks_near_it() -> None:
    clauses = [
        f"{n}.{m} The Tenant shall do thing {n} {m} within {n + m} days.\n" for n in range(1, 30) for m in range(1, 4)
    ]
    heads = {n * 3: f"{n + 1}. HEADING {n + 1}\n" for n in range(29)}
    before = "".join(heads.get(i, "") + text for i, text in enumerate(clauses))
    after = before.replace("5. HEADING 5\n", "4.4 The Landlord must mend the roof.\n5. HEADING 5\n")

    def texts(text: str) -> set[str]:
        made = source(text)
        chunks = pack(made.document, made.clauses, made.sentences, [tokens(s.text) for s in made.sentences], 150)
        return {made.document.text[c.start : c.end] for c in chunks}

    old, new = texts(before), texts(after)
    assert len(old) > 8
    assert len(new - old) <= 2


CLAUSES = st.lists(
    st.sampled_from(
        ["The Tenant shall pay £5,000 within 30 days.", "No person may enter. Each party must give notice.",
         LEASE[60:700], "The fee is 5% unless waived; it may not exceed £100. " * 4]
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(CLAUSES, st.integers(400, 4096), st.sampled_from(Detail))
def test_no_prompt_over_the_context(texts: list[str], context: int, detail: Detail) -> None:
    made = source("\n".join(f"{n}. HEADING\n{text}" for n, text in enumerate(texts, 1)))
    model = FakeModel(context=context)
    try:
        planned = plan(made, detail, model)
    except ContextTooSmall:
        return
    for call in planned.calls:
        assert model.count(call.request.messages) + call.request.max_tokens <= context
        assert len(call.lines) == len(call.request.forced)
    assert sorted(i for call in planned.calls for i in call.lines) == sorted(planned.chosen)


def test_context_too_small_for_anything() -> None:
    for text in (LEASE, ACT):
        with pytest.raises(ContextTooSmall, match="context of 128 tokens"):
            plan(source(text), Detail.NORMAL, FakeModel(context=128))


def test_chinese_document_plans() -> None:
    planned = plan(source(ACT, language=Language.ZH), Detail.FULL, FakeModel())
    assert "第三条" in planned.calls[0].request.messages[1].content or planned.calls
