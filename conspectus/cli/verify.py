"""The command `conspectus verify`."""

import json as json_format
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from conspectus.errors import ExitCode, InputError, UsageError
from conspectus.options.digest import ReadingOptions
from conspectus.plural import many

if TYPE_CHECKING:
    from conspectus.verification.file import Verification

STDIN = Path("-")


def verify_files(
    digest: Path, document: Path, reading: ReadingOptions, *, strict: bool, json: bool, quiet: bool
) -> ExitCode:
    """Proves and reports; VERIFICATION where something does not hold. Raises InputError, UsageError."""
    from conspectus.run.progress import Plain, Quiet, Reporter
    from conspectus.verification.file import verify_file

    if digest == document == STDIN:
        raise UsageError("the digest and the document cannot both be stdin", "Name one of them")
    reporter: Reporter = Quiet() if quiet or json else Plain()
    stage = f"{document.name}: pages read"
    try:
        result = verify_file(
            digest,
            document,
            reading.read_options(),
            strict=strict,
            stage=reporter.note,
            progress=lambda done, total: reporter.count(stage, done, total),
        )
    except InputError as error:
        if json:
            code = int(error.exit_code)
            _emit("error", code=code, message=error.message, remedy=error.remedy)
            _emit("summary", status="unreadable", findings=0, exit_code=code)
        raise
    if json:
        _tell_json(result)
    else:
        print(*_as_lines(result, digest, quiet), sep="\n", end="\n" if result.findings or not quiet else "")
    return ExitCode.VERIFICATION if result.findings else ExitCode.OK


def _as_lines(result: "Verification", digest: Path, quiet: bool) -> Iterator[str]:
    yield from (finding.line() for finding in result.findings)
    if quiet:
        return
    file, count = result.digest, len(result.findings)
    for note in result.notes if result.findings else ():
        yield f"note: {note}"
    if count:
        yield f"{digest}: does NOT hold: {many(count, 'finding')}"
        return
    states = file.coverage.verdicts
    yield (
        f"{digest}: holds. {many(len(file.statements), 'statement')} ({states.verified} verified, "
        f"{states.verbatim} verbatim, {states.unverified} unverified), {many(len(file.key_terms), 'key term')}, "
        f"{many(len(file.duties), 'duty', 'duties')}, {many(len(file.ledger), 'clause')}, "
        f"{many(len(file.document.pages), 'page')}" + (", PARTIAL" if file.status == "partial" else "")
    )


def _tell_json(result: "Verification") -> None:
    for finding in result.findings:
        _emit("finding", code=finding.code, where=finding.where, message=finding.message)
    file = result.digest
    _emit(
        "summary",
        status="fails" if result.findings else "holds",
        findings=len(result.findings),
        document=file.document.name,
        digest_status=file.status,
        statements=file.coverage.verdicts.model_dump(),
        clauses=len(file.ledger),
        pages=len(file.document.pages),
        notes=list(result.notes),
        exit_code=int(ExitCode.VERIFICATION if result.findings else ExitCode.OK),
    )


def _emit(kind: str, **fields: object) -> None:
    print(json_format.dumps({"message_type": kind, **fields}, ensure_ascii=False))


def verify(
    digest: Annotated[Path, Parameter(show_env_var=False)],
    document: Annotated[Path, Parameter(show_env_var=False)],
    /,
    *,
    strict: Annotated[bool, Parameter(negative=())] = False,
    json: Annotated[bool, Parameter(negative=())] = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative=())] = False,
    reading: ReadingOptions | None = None,
) -> int:
    """Prove a digest against its document, without a model: say what does not hold. Exit code 6 where anything fails.

    The file is read again; its hash, each quote at its offsets and pages, each verdict by the checker's rules, key
    terms, duties, references, ledger and numbers are compared with the digest.

    Examples:
      conspectus verify lease.pdf.digest.json lease.pdf
      conspectus verify lease.pdf.digest.json lease.pdf --strict    also no unverified line, no unread page
      conspectus verify digests/act.pdf.digest.json act.pdf --json

    Parameters
    ----------
    digest
        A .digest.json; - is stdin.
    document
        The file that it is of; - is stdin.
    strict
        Also fail where a line is unverified, a page was not read, a model call failed, or the digest was reformatted.
    json
        A JSON line for each finding; the last line is the summary.
    quiet
        Findings only.
    """
    stdin = {"<stdin>": STDIN}
    code = verify_files(
        stdin.get(str(digest), digest),
        stdin.get(str(document), document),
        reading or ReadingOptions(),
        strict=strict,
        json=json,
        quiet=quiet,
    )
    sys.stdout.flush()
    return code
