"""A digest as people read it: titled parts of lines and tables, each line with its place in the source.

Every format for people (Markdown, HTML, DOCX, XLSX) shows these parts and no others, so that none of them knows more
than the next. The parts of a contract stand in the order of a working brief: who and what, what it is about, what is
due when, who must do what, money, end, liability, what is punished or excluded, what is odd, meanings, then clause by
clause, then what is not there. A statute has its meanings first, and its dates after the duties.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from conspectus.document import Span, Verdict


class PartName(StrEnum):
    """The parts, in the order in which those of a contract are shown."""

    HEADER = "header"
    OVERVIEW = "overview"
    DATES = "dates"
    DUTIES = "duties"
    MONEY = "money"
    TERM = "term"
    LIABILITY = "liability"
    EXCLUSIONS = "exclusions"
    FLAGS = "flags"
    DEFINITIONS = "definitions"
    REFERENCES = "references"
    SECTION = "section"
    LEDGER = "ledger"
    METHOD = "method"


@dataclass(frozen=True, slots=True)
class Cite:
    """Where a line stands: the clause as a reader would cite it, its id, page indexes and labels, spans and words."""

    clause: str
    clause_id: str
    pages: tuple[int, ...]
    labels: tuple[str, ...]
    spans: tuple[Span, ...]
    quote: str

    @property
    def page_range(self) -> str:
        """`5` or `5–6`, in printed labels."""
        return "–".join(dict.fromkeys((self.labels[0], self.labels[-1]))) if self.labels else ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its verdict. `number` is that of the statement whose own line this is.

    All other lines have None there and name in `cites` the statements that they rest on or repeat.
    """

    text: str
    verdict: Verdict
    cite: Cite
    number: int | None = None
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table. Cells stand in the order of the table's columns."""

    cells: tuple[str, ...]
    cite: Cite | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column titles. `filters` names the columns by which a reader will want to narrow the rows.

    `short` are the rows for a format that is read from top to bottom: as many as the asked length allows.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    filters: tuple[int, ...] = ()
    short: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One titled part. It has lines, or a table, or notes, or several of them; never nothing."""

    name: PartName
    title: str
    notes: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A whole digest as shown. `alerts` come first: what makes it partial, what is odd about the file."""

    title: str
    language: str
    partial: bool
    alerts: tuple[str, ...]
    coverage: str
    parts: tuple[Part, ...] = field(default=())
