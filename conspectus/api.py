"""Conspectus from Python: `from conspectus import digest`.

    result = digest("lease.pdf")
    for line in result.statements:
        print(line.verdict, line.text, line.clause, line.pages)
    result.save("digests")

The same steps as on the command line, without Prefect: nothing is started but the model. Answers of the model are
stored in the same place, so what was asked once is not asked again. Errors are `ConspectusError`s with a remedy.
"""

import time
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conspectus.cache.index import noted
from conspectus.digesting.asking import Asker, Progress
from conspectus.digesting.assemble import Coverage, Wish, coverage
from conspectus.digesting.desk import DeskCounts
from conspectus.digesting.straight import Models
from conspectus.digesting.straight import digest as steps
from conspectus.document import Detail, Digest, Document, KeyTerm, LedgerRow, OverviewSentence, Page, Section, Statement
from conspectus.errors import UsageError
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.llama import Model
from conspectus.llama.choose import choose_model
from conspectus.options.digest import ReadingOptions
from conspectus.paths import answers_dir
from conspectus.pdf import named, read_pdf
from conspectus.pdf.reader import STDIN
from conspectus.render import render_all
from conspectus.render.formats import DEFAULT, chosen_formats
from conspectus.render.json import as_file
from conspectus.run.outcome import facts_of, why_partial
from conspectus.run.output import STDOUT, write
from conspectus.schema import DigestFile
from conspectus.terms.types import Conflict, Duty, Reference
from conspectus.verification.file import Verification, verify_file
from conspectus.verification.types import Finding

__all__ = ["DigestResult", "Finding", "ReadingOptions", "Verification", "digest", "load_model", "verify"]


@dataclass(frozen=True, slots=True)
class DigestResult:
    """The digest of one document, and what it cost.

    `digest` holds all of it as plain data (conspectus.document.Digest); the properties are its parts. Offsets in
    `spans` count characters of `document.text`, pages are indexes into `document.pages`.
    """

    path: Path
    digest: Digest
    model_calls: int
    cache_hits: int
    prompt_tokens: int
    generated_tokens: int
    seconds: float

    @property
    def document(self) -> Document:
        """The document as it was read: its text, its pages with how each was read, its hash."""
        return self.digest.document

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All lines of the digest, in the document's order, each with quote, clause, pages, spans and verdict."""
        return self.digest.statements

    @property
    def overview(self) -> tuple[OverviewSentence, ...]:
        """The document in at most ten sentences; `cites` are indexes into `statements`."""
        return self.digest.overview

    @property
    def sections(self) -> tuple[Section, ...]:
        """The top-level parts of the document with their statements (by index) and overviews."""
        return self.digest.sections

    @property
    def key_terms(self) -> tuple[KeyTerm, ...]:
        """Parties, dates, periods, amounts, definitions and the like."""
        return self.digest.key_terms

    @property
    def duties(self) -> tuple[Duty, ...]:
        """Who must, must not, may or need not do what."""
        return self.digest.duties

    @property
    def references(self) -> tuple[Reference, ...]:
        """Cross references and where they lead."""
        return self.digest.references

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Places of the document that do not agree."""
        return self.digest.conflicts

    @property
    def ledger(self) -> tuple[LedgerRow, ...]:
        """What became of each clause."""
        return self.digest.ledger

    @property
    def coverage(self) -> Coverage:
        """Pages, clauses, characters and verdicts in numbers."""
        return coverage(self.digest)

    @property
    def partial(self) -> bool:
        """True where a page was not read or model calls failed; `why_partial` says which."""
        return self.digest.partial

    @property
    def why_partial(self) -> str:
        """What is missing; empty where nothing is."""
        return why_partial(self.digest)

    @property
    def unread_pages(self) -> tuple[Page, ...]:
        """Pages that hold something that could not be read."""
        return self.digest.unread_pages

    def file(self) -> DigestFile:
        """The digest as digest.json has it (conspectus.schema), with page labels and a quote for every row."""
        return as_file(self.digest)

    def to_dict(self) -> dict[str, Any]:
        """The content of digest.json."""
        return self.file().model_dump(mode="json", by_alias=True)

    def to_markdown(self) -> str:
        """The digest for people to read."""
        return render_all(self.digest, "", ("md",))["md"].decode()

    def save(self, folder: str | Path | None = None, format: str = DEFAULT) -> list[Path]:
        """Writes `<name>.digest.<format>` for each format, and `<name>.run.json`; returns the files.

        `folder` None: beside the document. `format` is as on the command line: "md,json,html,docx,xlsx,csv,ics".
        Raises UsageError for an unknown format and for a folder that cannot be written to.
        """
        if folder is None and self.path == STDIN:
            raise UsageError("what came from stdin has no folder", "Name one: save('digests')")
        target = None if folder is None else str(folder)
        if target == STDOUT:
            raise UsageError("save() writes files", "Use to_markdown() or to_dict()")
        counts = DeskCounts(self.model_calls, self.cache_hits, self.prompt_tokens, self.generated_tokens)
        facts = facts_of(self.digest, counts, self.seconds)
        return write(self.digest, named(self.path), target, facts, chosen_formats(format))


def load_model(name: str = "starter", *, context: int = 4096) -> Model:
    """A model for several digests: starter, the path of a .gguf file, or addresses of servers, comma separated.

    It loads in the background. Close it at the end: `with contextlib.closing(load_model()) as model:`. Raises
    ModelError, UsageError.
    """
    return choose_model(name, context, _unheard)


def _unheard(_: str) -> None:
    return None


def _unseen(_: str, __: int, ___: int) -> None:
    return None


def digest(
    path: str | Path,
    *,
    model: str | Model = "starter",
    detail: Literal["brief", "normal", "full"] = "normal",
    context: int = 4096,
    reduce: bool = True,
    floor: bool = True,
    reading: ReadingOptions | None = None,
    progress: Progress | None = None,
) -> DigestResult:
    """The digest of one PDF, text or Markdown file.

    `model` is a name as in `load_model` (loaded and closed again by this call) or a model that is loaded already, then
    `context` is its own. `detail` bounds the length: a tenth of the document's characters, a quarter, or all that is
    material. Without `reduce` the model words no overview; without `floor` refused lines stand, marked as unverified.
    `reading` has language, password and limits. `progress(stage, done, total)` is called as the work goes on.

    Raises InputError where the file cannot be read, ModelError where the model cannot be used, UsageError for a wrong
    argument. Calls that fail make the result partial; they raise nothing.
    """
    if detail not in list(Detail):
        raise UsageError(f"detail {detail!r}: there is none", f"Use one of: {', '.join(Detail)}")
    file, tell, how = Path(path), progress or _unseen, reading or ReadingOptions()
    began = time.monotonic()
    with (
        closing(choose_model(model, context, lambda note: tell(note, 0, 0)))
        if isinstance(model, str)
        else (nullcontext(model)) as loaded
    ):
        read = read_pdf(file, how.read_options(), lambda done, total: tell(f"{file.name}: pages read", done, total))
        source = to_source(to_document(named(file), read, how.language))
        models, answers = Models.of(loaded), answers_dir()
        asker = Asker(models, answers, tell)
        ask = noted(asker, [source.document.sha256], models, answers)
        made = steps(source, Wish(Detail(detail), reduce, floor), models, ask)
    counts = asker.counts
    return DigestResult(
        path=file,
        digest=made,
        model_calls=counts.model_calls,
        cache_hits=counts.cache_hits,
        prompt_tokens=counts.prompt_tokens,
        generated_tokens=counts.generated_tokens,
        seconds=time.monotonic() - began,
    )


def verify(
    digest: str | Path, document: str | Path, *, strict: bool = False, reading: ReadingOptions | None = None
) -> Sequence[Finding]:
    """What does not hold of a digest.json, compared with its document; empty where all holds. No model is needed.

    `strict` also finds unverified lines, unread pages and failed calls. Raises InputError where one of the two files
    cannot be read.
    """
    how = (reading or ReadingOptions()).read_options()
    return verify_file(Path(digest), Path(document), how, strict=strict).findings
