"""digest.json, field by field. The JSON Schema and docs/reference/digest-json.md are made from these models.

A field that is added, taken away or given another meaning makes a new version: SCHEMA, and a new schema file beside
this module. Pydantic stands here because this is a border: what comes from a file is checked before it is believed.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from conspectus.document import ClauseKind, Detail, Language, LedgerState, PageStatus, TermKind, Verdict
from conspectus.terms.types import Modality, ReferenceState

VERSION = 2
SCHEMA: Literal["conspectus-digest-2"] = "conspectus-digest-2"

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _encodable(value: object) -> object:
    # Names of files and broken fonts bring halves of characters, which UTF-8 cannot hold.
    return _LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_encodable)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Index = Annotated[int, Field(ge=0)]
Place = tuple[Index, Index]
"""`[start, end]`: the characters `text[start:end]` of the document's text."""

_PAGES = "Indexes of the pages that the evidence stands on, from 0, ascending."
_LABELS = "The numbers printed on those pages (or the PDF's own labels), in the same order."
_CLAUSE = "The clause as a reader would cite it: its number, else its heading, else its place."
_CLAUSE_ID = "The clause in the ledger."
_QUOTE = "The evidence as it stands in the document, on one line; `[…]` where words of its sentence are left out."
_SPANS = "Where the evidence stands in the document's text: `[start, end]` in characters, end not included, ascending."
_SENTENCE = "The sentence that the row rests on, by its number in the document."
_VERDICT = "verified, verbatim or unverified."
_REFUSED = "What spoke against the model's line: codes of the checker, empty where nothing did."


class _Model(BaseModel):
    """Nothing is left out, nothing is added, nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_by_name=True, validate_by_alias=True)


class PageRow(_Model):
    """One page of the document and how it was read."""

    index: Index = Field(description="Its place in the file, from 0.")
    label: Text = Field(description="The number printed on it, or the PDF's own label; else index + 1.")
    status: PageStatus = Field(description="How it ended up. Only `text` and `empty` pages count as read.")
    reason: Text = Field(description="Why it was not read; empty where it was.")
    engine: Text = Field(description="What read it: pypdf, pdfium or text.")
    start: Index = Field(description="Where its text begins in the document's text, in characters.")
    characters: Index = Field(description="How many characters of the document's text are its own.")
    warnings: tuple[Text, ...] = Field(description="What is odd about it.")
    running_lines: tuple[Text, ...] = Field(description="Running heads and page numbers that were taken out.")


class DocumentPart(_Model):
    """The document as it was read. Its text is not repeated in the digest; the offsets below count in it."""

    name: Text = Field(description="The file's name, without its folder.")
    title: Text = Field(description="Its title as found in its text.")
    sha256: Sha256 = Field(description="Hash of the file's bytes.")
    text_sha256: Sha256 = Field(description="Hash of the text as it was read, as UTF-8; another reader, another text.")
    language: Language = Field(description="By whose rules it was read: en or zh.")
    characters: Index = Field(description="Characters of its text.")
    pages: tuple[PageRow, ...] = Field(description="Every page, in order.")


class VerdictCounts(_Model):
    """Statements by verdict."""

    verified: Index = Field(description="Worded by the model, and nothing in the checker's rules speaks against them.")
    verbatim: Index = Field(description="The document's own words.")
    unverified: Index = Field(description="Refused lines, shown and marked; only with --no-floor.")


class StateCounts(_Model):
    """Clauses by what became of them."""

    in_digest: Index = Field(alias="in digest", description="At least one statement rests on the clause.")
    condensed: Index = Field(description="Material, but beyond the promised length.")
    immaterial: Index = Field(description="No duty, right, amount, date, term or sanction was found in it.")
    failed: Index = Field(description="The model calls about it ended in errors.")


class CoveragePart(_Model):
    """The account in numbers."""

    pages: Index = Field(description="Pages of the file.")
    pages_read: Index = Field(description="Pages whose text is in the document's text, and empty ones.")
    clauses: Index = Field(description="Clauses of the document.")
    accounted: Index = Field(description="Clauses with a row in the ledger; equal to `clauses` in a sound digest.")
    characters: Index = Field(description="Characters of all statements together.")
    promised: Index = Field(description="How many they may have at most, by the detail asked for.")
    source_characters: Index = Field(description="Characters of the document.")
    verdicts: VerdictCounts = Field(description="Statements by verdict.")
    states: StateCounts = Field(description="Clauses by state.")


class StatementRow(_Model):
    """One line of the digest with its evidence and its verdict."""

    id: Index = Field(description="Its place among the statements, from 0; other parts name it by this number.")
    text: Text = Field(description="The line as it is shown.")
    verdict: Verdict = Field(description=_VERDICT)
    quote: Text = Field(description=_QUOTE)
    clause: Text = Field(description=_CLAUSE)
    clause_id: Text = Field(description=_CLAUSE_ID)
    pages: tuple[Index, ...] = Field(description=_PAGES)
    page_labels: tuple[Text, ...] = Field(description=_LABELS)
    spans: tuple[Place, ...] = Field(description=_SPANS)
    sentences: tuple[Index, ...] = Field(description="The sentences that it rests on, by number, ascending.")
    refused: tuple[Text, ...] = Field(description=_REFUSED)


class OverviewRow(_Model):
    """One sentence of an overview; it rests on the statements that it cites."""

    text: Text = Field(description="The sentence as it is shown.")
    verdict: Verdict = Field(description=_VERDICT)
    quote: Text = Field(description="The quotes of the statements that it cites, ` […] ` between them.")
    clause: Text = Field(description="Their clauses, comma between them.")
    pages: tuple[Index, ...] = Field(description=_PAGES)
    page_labels: tuple[Text, ...] = Field(description=_LABELS)
    statements: tuple[Index, ...] = Field(description="Ids of the statements that it rests on, ascending.")
    refused: tuple[Text, ...] = Field(description=_REFUSED)


class FormulaRow(_Model):
    """A point in time or a length that hangs on an event; never computed."""

    offset: Text = Field(description="How many: `30`.")
    unit: Text = Field(description="Of what: days, months.")
    direction: Text = Field(description="before, after, from, until, notice (so long a notice) or length.")
    trigger: Text = Field(description="The document's words for the event.")
    limit: Text = Field(description="min (at least), max (within) or empty.")
    text: Text = Field(description="All of it in the document's language.")


class KeyTermRow(_Model):
    """One row of the key terms: parties, dates, amounts, definitions and the like."""

    kind: TermKind = Field(description="Which table it belongs to.")
    name: Text = Field(description="What it is about: a role, a defined term, the words before an amount.")
    value: Text = Field(description="Its value in the document's words.")
    text: Text = Field(description="The same as `value`: every object with a verdict has a text.")
    role: Text = Field(description="What a date, period or law is for: effective, expiry, notice, payment and so on.")
    computed: Text = Field(description="The value in plain form where one reading alone is possible: 2027-03-01.")
    formula: FormulaRow | None = Field(description="For what hangs on an event; null otherwise.")
    note: Text = Field(description="What a reader should know about it.")
    verdict: Literal[Verdict.VERBATIM] = Field(description="Always verbatim: code finds key terms, no model.")
    quote: Text = Field(description=_QUOTE)
    clause: Text = Field(description=_CLAUSE)
    clause_id: Text = Field(description=_CLAUSE_ID)
    pages: tuple[Index, ...] = Field(description=_PAGES)
    page_labels: tuple[Text, ...] = Field(description=_LABELS)
    spans: tuple[Place, ...] = Field(description=_SPANS)
    sentence: Index = Field(description=_SENTENCE)


class _Cited(_Model):
    quote: Text = Field(description=_QUOTE)
    clause: Text = Field(description=_CLAUSE)
    clause_id: Text = Field(description=_CLAUSE_ID)
    pages: tuple[Index, ...] = Field(description=_PAGES)
    page_labels: tuple[Text, ...] = Field(description=_LABELS)
    spans: tuple[Place, ...] = Field(description=_SPANS)
    sentence: Index = Field(description=_SENTENCE)


class DutyRow(_Cited):
    """One row of the table of duties and rights, in the document's words."""

    who: Text = Field(description="Who must or may; `-` where a thing is the subject and nobody is named.")
    modality: Modality = Field(description="must, must not, may or need not.")
    operator: Text = Field(description="The words that say so: shall, is entitled to, 应当.")
    what: Text = Field(description="What must or may be done.")
    when: Text = Field(description="By when or on what event; empty where it is not said.")
    condition: Text = Field(description="Under which condition; empty where none is said.")
    exception: Text = Field(description="Except when; empty where none is said.")


class ReferenceRow(_Cited):
    """One cross reference."""

    words: Text = Field(description="The reference as it stands.")
    target: Text = Field(description="The number that it names.")
    state: ReferenceState = Field(description="resolved, broken (this document has no such place) or external.")
    leads_to: Text = Field(description="Id of the clause that it leads to; empty unless resolved.")


class ConflictSide(_Cited):
    """One of two places that do not agree."""

    text: Text = Field(description="The words that differ from the other side's.")


class ConflictRow(_Model):
    """Two places of the document that do not agree."""

    kind: Text = Field(description="The rule that found it.")
    about: Text = Field(description="What both are about.")
    a: ConflictSide = Field(description="The first place.")
    b: ConflictSide = Field(description="The second place.")


class SectionRow(_Model):
    """A top-level part of the document."""

    heading: Text = Field(description="Its heading; empty for what stands before the first.")
    clauses: tuple[Text, ...] = Field(description="Ids of its clauses, in order.")
    overview: tuple[OverviewRow, ...] = Field(description="Its overview; empty where it has few statements.")
    statements: tuple[Index, ...] = Field(description="Ids of its statements, in order.")


class LevelCallRow(_Model):
    """One model call that worded lines of an overview."""

    part: Text = Field(description="The section's heading; empty for the document.")
    statements: tuple[Index, ...] = Field(description="Ids of the statements that the model was shown.")
    lines: tuple[Text, ...] = Field(description="What it wrote, a line each.")
    sentences: tuple[OverviewRow, ...] = Field(description="The same lines as they were judged.")
    failure: Text = Field(description="Why the call gave nothing; empty where it did.")


class LevelRow(_Model):
    """One level of the reduce step."""

    name: Text = Field(description="sections or document.")
    calls: tuple[LevelCallRow, ...] = Field(description="Its model calls.")


class LedgerRowModel(_Model):
    """The account of one clause."""

    clause_id: Text = Field(description="Its id; other parts name it by this.")
    number: Text = Field(description="Its number, empty where it has none.")
    heading: Text = Field(description="Its heading, empty where it has none.")
    kind: ClauseKind = Field(description="What it is called where clauses are counted.")
    path: tuple[Text, ...] = Field(description="The headings that it stands under, outermost first.")
    start: Index = Field(description="Where it begins in the document's text. Clauses follow each other without gaps.")
    end: Index = Field(description="Where it ends, not included.")
    pages: tuple[Index, ...] = Field(description="Indexes of the pages that it stands on.")
    page_labels: tuple[Text, ...] = Field(description=_LABELS)
    state: LedgerState = Field(description="in digest, condensed, immaterial or failed.")
    reason: Text = Field(description="Why.")
    statements: tuple[Index, ...] = Field(description="Ids of the statements that rest on it.")
    condensed: tuple[Text, ...] = Field(description="Its material sentences that no statement rests on.")


class ProvenancePart(_Model):
    """What the digest was made with. How long it took stands in `<name>.run.json`: same input, same bytes here."""

    program: Text = Field(description="Name and version of this program.")
    versions: dict[str, Text] = Field(description="Versions of the packages that the result depends on.")
    model: Text = Field(description="Name of the model.")
    model_fingerprint: Text = Field(description="Hash of the model file, or what a server says of its model.")
    prompts: Text = Field(description="Version of the prompts: a hash of their files.")
    detail: Detail = Field(description="The length asked for: brief, normal or full.")
    reduce: bool = Field(description="Whether the model was to word overviews.")
    floor: bool = Field(description="Whether refused lines are replaced by the document's own words.")
    context: Index = Field(description="Tokens of the model's context for prompt and answer together.")


class DigestFile(_Model):
    """digest.json: the digest of one document, the source of all other formats."""

    schema_name: Literal["conspectus-digest-2"] = Field(alias="schema", description="Name and version of this format.")
    status: Literal["complete", "partial"] = Field(description="partial: a page was not read, or model calls failed.")
    document: DocumentPart = Field(description="The document as it was read.")
    coverage: CoveragePart = Field(description="The account in numbers.")
    warnings: tuple[Text, ...] = Field(description="What is odd about the file as a whole.")
    unread_pages: tuple[Index, ...] = Field(description="Indexes of the pages that hold something that was not read.")
    engine_errors: tuple[Text, ...] = Field(description="Why model calls failed, each reason once.")
    overview: tuple[OverviewRow, ...] = Field(description="The document's overview.")
    key_terms: tuple[KeyTermRow, ...] = Field(description="By kind, within a kind in the document's order.")
    duties: tuple[DutyRow, ...] = Field(description="Duties and rights, in the document's order.")
    references: tuple[ReferenceRow, ...] = Field(description="Cross references, in the document's order.")
    conflicts: tuple[ConflictRow, ...] = Field(description="Places that do not agree.")
    sections: tuple[SectionRow, ...] = Field(description="The document's top-level parts.")
    levels: tuple[LevelRow, ...] = Field(description="How the overviews came about.")
    statements: tuple[StatementRow, ...] = Field(description="All lines of the digest, in the document's order.")
    ledger: tuple[LedgerRowModel, ...] = Field(description="One row for each clause: nothing is silently left out.")
    provenance: ProvenancePart = Field(description="What it was made with.")
    checksum: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = Field(
        description="sha256 of this file with an empty checksum. It shows that a file was edited, not who made it."
    )
