"""What a verification looks at and what it finds."""

from collections.abc import Iterator
from dataclasses import dataclass

from conspectus.schema.models import DigestFile, OverviewRow

Claim = tuple[str, str]
"""A line that is marked verified, and the quote that it is said to be true to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold. `code` is stable, `where` names the part of the digest, `message` says what."""

    code: str
    where: str
    message: str

    def line(self) -> str:
        """For people."""
        return f"{self.where}: {self.message}"


def overviews(file: DigestFile) -> Iterator[tuple[str, OverviewRow]]:
    """All sentences of overviews that are shown, each with its name."""
    for at, sentence in enumerate(file.overview, 1):
        yield f"overview, sentence {at}", sentence
    for section in file.sections:
        for at, sentence in enumerate(section.overview, 1):
            yield f"overview of {section.heading or 'the front matter'}, sentence {at}", sentence


def level_lines(file: DigestFile) -> Iterator[tuple[str, OverviewRow]]:
    """The lines that the model calls of the overviews gave, each with its name."""
    for level in file.levels:
        for number, call in enumerate(level.calls, 1):
            for at, sentence in enumerate(call.sentences, 1):
                yield f"level {level.name}, call {number}, line {at}", sentence
