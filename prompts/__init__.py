"""Prompt templates: one file for each prompt and language, declared in manifest.toml.

A file holds the system part and the user part, parted by a line of three dashes. Every variable must be declared, and
every declared one must be given: a typing mistake is an error, not an empty place in a prompt.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template, meta

SEPARATOR = "\n---\n"


class PromptError(ValueError):
    """A prompt that does not exist, or variables that are not those it declares."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt: what the model is, and what it is asked."""

    system: str
    user: str


@cache
def _manifest() -> dict[str, dict[str, object]]:
    return tomllib.loads(files(__name__).joinpath("manifest.toml").read_text("utf-8"))


@cache
def _source(name: str, language: str) -> str:
    return files(__name__).joinpath(language, f"{name}.jinja").read_text("utf-8")


@cache
def _template(name: str, language: str) -> Template:
    # Prompts go to a model, not to a browser: escaping would change the words of the document.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(_source(name, language))


def names() -> tuple[str, ...]:
    """All prompts of the manifest."""
    return tuple(_manifest())


def version() -> str:
    """Name and version of every prompt, as it is written into a digest: "map 1, retry 1"."""
    return ", ".join(f"{name} {entry['version']}" for name, entry in sorted(_manifest().items()))


def declared(name: str) -> frozenset[str]:
    """The variables of a prompt. Raises PromptError for a name that is not in the manifest."""
    if name not in _manifest():
        raise PromptError(f"no prompt {name!r}; there are: {', '.join(_manifest())}")
    variables = _manifest()[name]["variables"]
    assert isinstance(variables, list)
    return frozenset(str(variable) for variable in variables)


def used(name: str, language: str) -> frozenset[str]:
    """The variables that a prompt's file uses."""
    return frozenset(meta.find_undeclared_variables(Environment().parse(_source(name, language))))


def render(name: str, language: str, **variables: object) -> Prompt:
    """The prompt with its variables filled in; values are data and are not rendered themselves.

    Raises PromptError for an unknown prompt and for missing or unknown variables.
    """
    wanted = declared(name)
    if missing := wanted - variables.keys():
        raise PromptError(f"prompt {name}: missing variables: {', '.join(sorted(missing))}")
    if unknown := variables.keys() - wanted:
        raise PromptError(f"prompt {name}: unknown variables: {', '.join(sorted(unknown))}")
    system, _, user = _template(name, language).render(**variables).partition(SEPARATOR)
    return Prompt(system.strip(), user.strip())
