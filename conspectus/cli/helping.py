"""Help pages: paragraphs that fit the terminal, and the examples of each command below its options.

Cyclopts drops a section `Examples:` of a docstring, and shows for a command that is loaded late only the line that it
was registered with. Here the command's own docstring is shown, as far as its parameters, and its examples after them.
"""

import inspect
import re
import shlex
import sys
from collections.abc import Iterable

from cyclopts import App
from rich.console import Console

_EXAMPLES = re.compile(r"^Examples:\n((?:[ \t]+\S.*(?:\n|$)|[ \t]*\n)+)", re.M)
_PARAMETERS = re.compile(r"^Parameters\n-{3,}", re.M)


def without_examples(text: str) -> str:
    """A docstring less its examples."""
    return _EXAMPLES.sub("", inspect.cleandoc(text))


def parts(text: str) -> tuple[str, str]:
    """A docstring as description, its paragraphs on one line each, and examples; its parameters are left out."""
    text = inspect.cleandoc(text)
    found = _EXAMPLES.search(text)
    examples = found[1].rstrip() if found else ""
    told = _PARAMETERS.split(without_examples(text))[0]
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", told) if part.strip()]
    return "\n\n".join(paragraphs), examples


def _words(tokens: str | Iterable[str] | None) -> list[str]:
    """The tokens as Cyclopts takes them: those of this process where none are given."""
    if tokens is None:
        return sys.argv[1:]
    return shlex.split(tokens) if isinstance(tokens, str) else list(tokens)


class HelpfulApp(App):
    """The whole command line: its `--help` is that of the command that is asked about."""

    def parse_commands(
        self, tokens: str | Iterable[str] | None = None, *, include_parent_meta: bool = True
    ) -> tuple[tuple[str, ...], tuple[App, ...], list[str]]:
        """The commands that the tokens name."""
        words = _words(tokens)
        if words and words[0] in self._commands:
            self[words[0]]
        return super().parse_commands(words, include_parent_meta=include_parent_meta)

    def __getitem__(self, key: str) -> App:
        late = self._commands.get(key)
        if late is not None and not isinstance(late, App) and not late.is_resolved:
            # The line that it was registered with is for the list of commands; its page has its own words.
            late.help = None
        return super().__getitem__(key)

    def help_print(self, tokens: str | Iterable[str] | None = None, *, console: Console | None = None) -> None:
        """Prints the help page of the command that `tokens` name."""
        words = _words(tokens)
        _, apps, _ = self.parse_commands(words)
        asked = apps[-1]
        command = asked.default_command if asked is not self else None
        own = command.__doc__ if command is not None else None
        description, examples = parts(own or asked.help or "")
        asked.help = description
        if command is not None and own:
            # A colon in an example would be read as the description of a parameter.
            command.__doc__ = without_examples(own)
        try:
            super().help_print(words, console=console)
        except SystemExit as error:
            # So rich says that the reader of a pipe is gone.
            raise BrokenPipeError from error
        finally:
            if command is not None:
                command.__doc__ = own
        if examples:
            with self.app_stack(apps, overrides={"_console": console}):
                asked.console.print(f"Examples:\n{examples}", markup=False, highlight=False, soft_wrap=True)
            asked.help = f"{description}\n\nExamples:\n{examples}\n"
