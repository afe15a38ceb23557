import pytest

from conspectus import prompts

VALUES: dict[str, dict[str, object]] = {
    "map": {"title": "T", "path": "P", "sentences": [(1, "one"), (2, "two")], "chosen": [2]},
    "retry": {"title": "T", "path": "P", "sentences": [(1, "one", "why")]},
    "overview": {"title": "T", "part": "P", "statements": [(1, "one")], "count": 3},
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", prompts.names())
def test_files_use_exactly_what_they_declare(name: str, language: str) -> None:
    assert prompts.used(name, language) == prompts.declared(name)
    made = prompts.render(name, language, **VALUES[name])
    assert made.system and made.user
    assert "[1] one" in made.user


def test_missing_and_unknown_variables_are_errors() -> None:
    with pytest.raises(prompts.PromptError, match="missing variables: count"):
        prompts.render("overview", "en", title="T", part="P", statements=[])
    with pytest.raises(prompts.PromptError, match="unknown variables: tone"):
        prompts.render("overview", "en", tone="kind", **VALUES["overview"])
    with pytest.raises(prompts.PromptError, match="no prompt 'poem'"):
        prompts.render("poem", "en")


def test_words_of_a_document_are_data() -> None:
    hostile = "{{ 7 * 7 }} {% raw %} \n---\n <b>&amp;</b>"
    made = prompts.render("map", "en", **{**VALUES["map"], "sentences": [(1, hostile)]})
    assert hostile in made.user
    assert "49" not in made.user
    assert hostile not in made.system


def test_scaffold_speaks_the_language_of_the_document() -> None:
    for name in prompts.names():
        made = prompts.render(name, "zh", **VALUES[name])
        words = made.system + made.user
        assert not any(word in words for word in ("Restate", "Document", "sentence"))


def test_version_names_every_prompt() -> None:
    assert all(name in prompts.version() for name in prompts.names())
