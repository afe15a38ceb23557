from typing import Any

import pytest
from documents import ACT, LEASE, source
from fake_model import FakeModel

from conspectus import prompts
from conspectus.digesting.drafts import TERMS_MAX, Setting, defuse, map_prompt, path_of, terms_budget, terms_for
from conspectus.digesting.kind import DocumentKind
from conspectus.document import Language

MAP: dict[str, object] = {
    "title": "T", "path": "P", "terms": [("Net Area", "the floor")], "sentence": "one",
}  # fmt: skip
RETRY: dict[str, object] = {
    "title": "T", "path": "P", "sentence": "one", "reason": "why", "keep": "30 days, not", "most": 0,
}  # fmt: skip
VALUES: dict[str, dict[str, Any]] = {
    "map-contract": MAP,
    "map-statute": MAP,
    "map-generic": MAP,
    "retry": RETRY,
    "retry-last": RETRY,
    "section-overview": {"title": "T", "part": "P", "points": [(1, ["one"]), (2, ["two", "three"])]},
    "document-overview": {"title": "T", "points": [(1, ["one"])]},
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", prompts.names())
def test_files_use_exactly_what_they_declare(name: str, language: str) -> None:
    assert prompts.used(name, language) == prompts.declared(name)
    made = prompts.render(name, language, **VALUES[name])
    assert made.system and made.user
    assert "[1] one" in made.user
    assert "T" in made.user and "\n\n\n" not in made.user


def test_missing_and_unknown_variables_are_errors() -> None:
    with pytest.raises(prompts.PromptError, match="missing variables: points"):
        prompts.render("document-overview", "en", title="T")
    with pytest.raises(prompts.PromptError, match="unknown variables: tone"):
        prompts.render("retry", "en", tone="kind", **VALUES["retry"])
    with pytest.raises(prompts.PromptError, match="no prompt 'poem'"):
        prompts.render("poem", "en")


def test_words_of_a_document_are_data() -> None:
    hostile = "{{ 7 * 7 }} {% raw %} \n---\n <b>&amp;</b>"
    made = prompts.render("map-contract", "en", **{**MAP, "sentence": hostile})
    assert hostile in made.user
    assert "49" not in made.user
    assert hostile not in made.system


def test_scaffold_speaks_the_language_of_the_document() -> None:
    for name in prompts.names():
        made = prompts.render(name, "zh", **VALUES[name])
        words = made.system + made.user
        for given in ("one", "two", "three", "why", "30 days, not", "Net Area", "the floor", "T", "P"):
            words = words.replace(given, "")
        assert not any("a" <= char.lower() <= "z" for char in words), words


@pytest.mark.parametrize(
    ("name", "reason", "words"),
    [("retry", "refused because why.", "Words that must stand in the short sentence: 30 days, not."),
     ("retry-last", "Refused because why.\n", "Words to keep: 30 days, not.\n")],
)  # fmt: skip
def test_a_retry_names_reason_and_words_to_keep_only_where_there_are_any(name: str, reason: str, words: str) -> None:
    made = prompts.render(name, "en", **RETRY)
    assert reason in made.user and words in made.user
    made = prompts.render(name, "en", **{**RETRY, "keep": ""})
    assert reason in made.user and words[:10] not in made.user


@pytest.mark.parametrize(("language", "words"), [("en", "at most 9 words"), ("zh", "9字")])
@pytest.mark.parametrize("name", ["retry", "retry-last"])
def test_a_retry_of_a_copy_names_a_length(name: str, language: str, words: str) -> None:
    assert words in prompts.render(name, language, **{**RETRY, "most": 9}).user
    assert words not in prompts.render(name, language, **RETRY).user


def test_no_prompt_states_a_fact_of_its_own() -> None:
    # A small model printed the prompt's own example as a fact: prompts have no examples, so no figures either.
    for name in prompts.names():
        for language in ("en", "zh"):
            made = prompts.render(name, language, **VALUES[name])
            assert not any(char.isdigit() for char in made.system), name


def test_version_names_every_prompt() -> None:
    assert all(name in prompts.version() for name in prompts.names())


def test_each_kind_of_document_has_its_prompt() -> None:
    assert {map_prompt(kind) for kind in DocumentKind} == {"map-contract", "map-statute", "map-generic"}


def test_terms_of_elsewhere_travel_with_a_sentence_within_their_budget() -> None:
    made = source(LEASE)
    shown = " ".join(s.text for s in made.sentences if s.text.startswith("The Tenant"))
    meanings = {"Tenant": "Mill Lane Bakery Limited [7]", "Property": "the shop " * 60, "Warehouse": "elsewhere"}
    setting = Setting(DocumentKind.CONTRACT, meanings)
    kept = terms_for(setting, shown, FakeModel())
    assert [name for name, _ in kept] == ["Tenant", "Property"]
    assert dict(kept)["Tenant"].endswith("(7)") and dict(kept)["Property"].endswith("…")
    small = FakeModel(context=320)
    kept = terms_for(setting, shown, small)
    assert sum(small.count_texts([f"- {name}: {text}" for name, text in kept])) <= terms_budget(small)
    many = Setting(
        DocumentKind.CONTRACT, {word: f"a {word} abroad" for word in "Tenant shall the not use rent store".split()}
    )
    assert len(terms_for(many, shown, FakeModel())) == TERMS_MAX
    defined_here = Setting(DocumentKind.CONTRACT, {"Tenant": shown})
    assert terms_for(defined_here, shown, FakeModel()) == ()


def test_a_fake_sentence_number_is_written_otherwise() -> None:
    assert defuse("see [3] and [Name] and [2027]") == "see (3) and [Name] and [2027]"


@pytest.mark.parametrize(("text", "language"), [(LEASE, Language.EN), (ACT, Language.ZH)])
def test_a_path_is_short_and_ends_with_the_heading(text: str, language: Language) -> None:
    made = source(text)
    last = made.clauses[-1]
    assert path_of(last, language).endswith(last.heading)
    deep = type(last)(last.id, last.kind, "9.9", "Long " * 90, ("Part " * 80, "Chapter"), last.start, last.end)
    assert len(path_of(deep, language)) <= {Language.EN: 201, Language.ZH: 61}[language]


@pytest.mark.parametrize(
    ("path", "shown"),
    [(("PART 2 RENT", "4.1 Review of rent"), "RENT > Review of rent"), (("Article IV", "Payment"), "Payment"),
     (("第二章　租金", "第十条 租金的支付"), "租金 > 租金的支付"), (("一、总则",), "总则"), (("（三）押金",), "押金"),
     (("§ 3 - Scope",), "Scope"), (("Schedule 1: Keys", "2. Parking"), "Keys > Parking"), (("Interest",), "Interest"),
     (("Clause of survival",), "Clause of survival"), ((), "-")],
)  # fmt: skip
def test_a_path_has_no_numbers(path: tuple[str, ...], shown: str) -> None:
    # A clause that is only renumbered keeps its stored answer.
    clause = source(LEASE).clauses[-1]
    for number in ("4", "5"):
        bare = type(clause)(clause.id, clause.kind, number, "", path, clause.start, clause.end)
        assert path_of(bare, Language.ZH if shown > "一" else Language.EN) == shown
