"""The words of the project as types: document, page, clause, sentence, chunk, evidence, statement, ledger, digest.

All are frozen and hold plain data. Offsets are character offsets into `Document.text`, half open: `text[start:end]`.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from conspectus.terms.types import Conflict, Duty, Formula, Reference


class Language(StrEnum):
    """The languages with rules and prompts of their own."""

    EN = "en"
    ZH = "zh"


class Detail(StrEnum):
    """How long a digest may be; `share` is the promise in characters of the source."""

    BRIEF = "brief"
    NORMAL = "normal"
    FULL = "full"

    @property
    def share(self) -> float:
        """The statements' characters may be at most this share of the document's."""
        return {"brief": 0.10, "normal": 0.25, "full": 1.0}[self.value]


class PageStatus(StrEnum):
    """How a page ended up; every page has exactly one."""

    TEXT = "text"
    EMPTY = "empty"  # nothing on it
    IMAGE = "image-only"  # a scan: something is drawn, no text is there
    GARBLED = "garbled"  # there is text, but not that which a person sees
    FAILED = "failed"  # the reader raised; `Page.reason` says what
    SKIPPED = "skipped"  # a limit was reached before it


@dataclass(frozen=True, slots=True)
class Page:
    """One PDF page.

    `text` is what was read and repaired, less running heads and page numbers (kept in `furniture`); it stands in the
    document's text from `start` on. `origin[i]` is the offset, in the text as it was read, of the character
    `text[i]`; empty where nothing was changed. `engine` read it; `warnings` say what is odd about it.
    """

    index: int
    label: str
    status: PageStatus
    text: str
    start: int
    furniture: tuple[str, ...] = ()
    reason: str = ""
    engine: str = "pypdf"
    warnings: tuple[str, ...] = ()
    origin: tuple[int, ...] = ()

    @property
    def unread(self) -> bool:
        """True where the page holds something that is not in the document's text."""
        return self.status not in (PageStatus.TEXT, PageStatus.EMPTY)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the PDF's own outline: a hint for the clause tree. `level` 0 is outermost, `page` a page index."""

    title: str
    level: int
    page: int


@dataclass(frozen=True)
class Document:
    """One file as it was read. Pages are joined by a line feed; `pages[i].start` says where each begins."""

    name: str
    sha256: str
    language: Language
    text: str
    pages: tuple[Page, ...]
    title: str = ""
    bookmarks: tuple[Bookmark, ...] = ()
    warnings: tuple[str, ...] = ()  # of the file as a whole: attachments that were not read, a portfolio

    @cached_property
    def _starts(self) -> list[int]:
        return [page.start for page in self.pages]

    def page_at(self, offset: int) -> int:
        """Index of the page that holds the character at `offset`."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def pages_of(self, start: int, end: int) -> tuple[int, ...]:
        """Indexes of the pages that `text[start:end]` touches."""
        return tuple(range(self.page_at(start), self.page_at(max(start, end - 1)) + 1))

    def pages_of_spans(self, spans: "tuple[Span, ...]") -> tuple[int, ...]:
        """Indexes of the pages that any of the spans touches, ascending."""
        return tuple(sorted({page for span in spans for page in self.pages_of(span.start, span.end)}))


class ClauseKind(StrEnum):
    """What a clause is called where it is counted."""

    FRONT = "front"  # before the first heading, the table of contents as one clause
    CONTAINER = "container"  # a part, chapter or schedule heading with the text under it that has no number
    ARTICLE = "article"  # Article 5, Section 12, § 3, 第十条
    NUMBERED = "numbered"  # 4.2
    RECITAL = "recital"  # (A), (1) after "Whereas:", a paragraph that begins with WHEREAS
    PARAGRAPH = "paragraph"  # where there is no numbering


# Items of a schedule count from 1 again: "4" alone would be taken for clause 4.
_ATTACHED = re.compile(
    r"(?:(?:the )?(?:schedule|annex|appendix|exhibit|attachment)\b(?:\s+(?:no\. ?)?(?:[0-9]{1,3}|[a-z]|[ivx]{1,5})\b)?|"
    r"(?:附件|附录|附表)[一二三四五六七八九十0-9]{0,3})",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """The document's own unit. The clauses of a document follow each other without gaps and cover its whole text."""

    id: str
    kind: ClauseKind
    number: str
    heading: str
    path: tuple[str, ...]
    start: int
    end: int

    @property
    def label(self) -> str:
        """How a reader would cite it: its number, in a schedule with the schedule; else its heading, else its place."""
        if self.number and (attached := next(filter(None, map(_ATTACHED.match, self.path)), None)):
            name = " ".join(attached[0].split())
            return f"{name.capitalize() if name.isupper() else name}, {self.number}"
        return self.number or self.heading or ("front matter" if self.kind is ClauseKind.FRONT else self.id)


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, limb or table row of a clause: the unit that a statement rests on.

    `own` are its own words. `context` are the words that its meaning needs from the same sentence: what leads into a
    list, the proviso that closes one, the header of a table. `text` is the quote: all of these in the order of the
    document, white space folded, `[…]` where they are not adjacent. `is_row` marks a row of a table: nothing of it can
    be said shorter without its header, so it stands as it is.
    """

    index: int
    clause: int
    own: Span
    context: tuple[Span, ...]
    text: str
    is_row: bool = False

    @property
    def spans(self) -> tuple[Span, ...]:
        """Own words and context in the order of the document."""
        return tuple(sorted((self.own, *self.context), key=lambda span: span.start))


@dataclass(frozen=True, slots=True)
class Source:
    """A document with its clauses and sentences: all that a digest is made from."""

    document: Document
    clauses: tuple[Clause, ...]
    sentences: tuple[Sentence, ...]

    @property
    def language(self) -> Language:
        """The document's language."""
        return self.document.language

    def clause_of(self, sentence: int) -> Clause:
        """The clause that a sentence is in."""
        return self.clauses[self.sentences[sentence].clause]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive clauses, or a piece of a long one: a line about a sentence is judged beside the others of its chunk.

    Chunks partition the document's text. `sentences` are those whose own words lie in `text[start:end]`.
    """

    index: int
    start: int
    end: int
    sentences: tuple[int, ...]


class TermKind(StrEnum):
    """The tables of key terms, in the order in which they are shown."""

    PARTY = "party"
    DATE = "date"
    COMMENCEMENT = "commencement"
    REPEAL = "repeal"
    PERIOD = "period"
    MONEY = "money"
    PERCENTAGE = "percentage"
    LAW = "governing law"
    SANCTION = "sanction"
    EXCLUSION = "exclusion"  # what does not apply, has no effect, or nobody answers for
    DEFINITION = "definition"


@dataclass(frozen=True, slots=True)
class KeyTerm:
    """One row: what it is about (`name`: a role, a defined term, the words before an amount), its value as it stands
    in the document, and the sentence that it rests on.

    `role` says what a date, period or law is for (effective, expiry, notice, payment, jurisdiction). `computed` stands
    beside the words, where one reading alone is possible: an ISO date, "30000 GBP", "4" (per cent). `note` is what a
    reader should know: what describes a party, why nothing was computed.
    """

    kind: TermKind
    name: str
    value: str
    sentence: int
    role: str = ""
    computed: str = ""
    note: str = ""
    formula: Formula | None = None


class Verdict(StrEnum):
    """What the checker said of a statement."""

    VERIFIED = "verified"
    VERBATIM = "verbatim"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of the digest with its evidence: sentences of one clause by index, ascending; a run gives one each."""

    text: str
    verdict: Verdict
    quote: str
    clause: str
    clause_id: str
    pages: tuple[int, ...]
    spans: tuple[Span, ...]
    sentences: tuple[int, ...]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OverviewSentence:
    """One sentence of an overview; it rests on the statements that it cites (indexes into `Digest.statements`)."""

    text: str
    verdict: Verdict
    cites: tuple[int, ...]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelCall:
    """One model call of a level of the reduce step: the statements that it was shown and what came back.

    `lines` are the model's lines without reasoning and list marks; `sentences` has one for each, UNVERIFIED with its
    reasons where it was refused. `failure` says why a call gave nothing.
    """

    part: str
    inputs: tuple[int, ...]
    lines: tuple[str, ...]
    sentences: tuple[OverviewSentence, ...]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One level of the reduce step: "sections", then "document"."""

    name: str
    calls: tuple[LevelCall, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A top-level part of the document with the overview of its statements."""

    heading: str
    clauses: tuple[int, ...]
    statements: tuple[int, ...]
    overview: tuple[OverviewSentence, ...]


class LedgerState(StrEnum):
    """What became of a clause."""

    IN_DIGEST = "in digest"
    CONDENSED = "condensed"  # material, beyond the asked length
    IMMATERIAL = "immaterial"
    FAILED = "failed"  # the model's calls ended in errors; nothing stands in for it


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """The account of one clause: nothing is silently left out."""

    clause_id: str
    number: str
    heading: str
    pages: tuple[int, ...]
    state: LedgerState
    reason: str
    statements: tuple[int, ...] = ()
    condensed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """The result for one document; all output formats are made from it and from nothing else."""

    document: Document
    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]
    overview: tuple[OverviewSentence, ...]
    sections: tuple[Section, ...]
    ledger: tuple[LedgerRow, ...]
    detail: Detail
    model: str
    fingerprint: str
    prompts: str
    engine_errors: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    key_terms: tuple[KeyTerm, ...] = ()
    evidence: tuple[Sentence, ...] = ()  # of the key terms, in their order
    duties: tuple[Duty, ...] = ()
    references: tuple[Reference, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    cited: tuple[Sentence, ...] = ()  # that duties, references and conflicts rest on, ascending by index
    reduce: bool = True  # what was asked for, as in conspectus.digesting.assemble.Wish
    floor: bool = True
    context: int = 0  # tokens of the model's context

    def cited_sentence(self, index: int) -> Sentence:
        """The sentence that a row of duties, references or conflicts names; KeyError where none rests on it."""
        at = bisect_left(self.cited, index, key=lambda sentence: sentence.index)
        if at == len(self.cited) or self.cited[at].index != index:
            raise KeyError(index)
        return self.cited[at]

    @property
    def unread_pages(self) -> tuple[Page, ...]:
        """Pages that hold something that could not be read."""
        return tuple(page for page in self.document.pages if page.unread)

    @property
    def partial(self) -> bool:
        """True where a page was not read or a chunk's model calls ended in engine errors."""
        return bool(self.unread_pages) or bool(self.engine_errors)
