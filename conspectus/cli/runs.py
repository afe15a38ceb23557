"""`conspectus runs`: what was run, and what became of each document of it."""

import json as json_format
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from conspectus.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from conspectus.journal.journal import Journal
    from conspectus.journal.types import DocumentRow, RunRecord, RunRow

app = App(name="runs", help_format="plaintext")

_Json = Annotated[bool, Parameter(negative=())]


@app.default
def runs(*, limit: int = 20, json: _Json = False) -> int:
    """List the last runs, the newest first: number, start, length, end, documents by state, command.

    Examples:
      conspectus runs                 the last twenty
      conspectus runs show            the last one, document by document
      conspectus runs show 12 --json  run 12 as one JSON object
      conspectus runs report 12       its morning report again: of a run that was killed there is none yet

    Parameters
    ----------
    limit
        How many.
    json
        One JSON array.
    """
    from conspectus.journal.facts import run_facts
    from conspectus.journal.journal import Journal

    if limit < 1:
        raise UsageError(f"--limit {limit}: must be 1 or more")
    with Journal.to_read() as journal:
        rows = journal.runs(limit)
    if json:
        print(json_format.dumps([run_facts(row) for row in rows], ensure_ascii=False))
    elif rows:
        _print_list(rows)
    else:
        print("No runs yet. Begin one: conspectus batch FOLDER -o digests")
    return ExitCode.OK


@app.command
def show(run: int | None = None, /, *, json: _Json = False) -> int:
    """Explain a run: each document with its state, why, model calls, calls asked again, tokens, seconds.

    Examples:
      conspectus runs show            the last one
      conspectus runs show 12 --json  run 12 as one JSON object

    Parameters
    ----------
    run
        The number of a run; without one, the last.
    json
        One JSON object.
    """
    from conspectus.journal.facts import record_facts
    from conspectus.journal.journal import Journal

    with Journal.to_read() as journal:
        record = journal.show(_newest(journal) if run is None else run)
    if json:
        print(json_format.dumps(record_facts(record), ensure_ascii=False))
    else:
        print("\n".join(_shown(record)))
    return ExitCode.OK


@app.command
def report(
    run: int | None = None,
    /,
    *,
    output: Annotated[str | None, Parameter(name=("--output", "-o"), allow_leading_hyphen=True)] = None,
    language: Literal["en", "zh"] = "en",
) -> int:
    """Write the morning report of a run again: report.md, report.html and report.json.

    Of a run that was killed there is none yet. What changed in a document is read from the files beside its digest.

    Examples:
      conspectus runs report                 of the last run, into the folder of its digests
      conspectus runs report 12 -o -         printed
      conspectus runs report --language zh

    Parameters
    ----------
    run
        The number of a run; without one, the last.
    output
        The folder for the three files; without it, that of the run's digests. With -, Markdown to stdout.
    language
        Of the headings: en or zh.
    """
    from conspectus.document import Language
    from conspectus.journal.journal import Journal
    from conspectus.report.render import MARKDOWN, render_report
    from conspectus.report.report import changes_beside, report_of
    from conspectus.run.output import STDOUT, check_target

    check_target(output, 1)
    with Journal.to_read() as journal:
        record = journal.show(_newest(journal) if run is None else run)
        made = report_of(journal, record.run.id, changes_beside(record), Language(language))
    folder = record.run.out if output in (None, STDOUT) else Path(str(output))
    if output == STDOUT:
        print(render_report(made, folder or Path.cwd())[MARKDOWN].decode(), end="")
    elif folder is None:
        raise UsageError(f"run {record.run.id} has no output folder", "Name one with -o, or -o - for stdout")
    else:
        _write(render_report(made, folder), folder)
    return ExitCode.OK


def _write(contents: Mapping[str, bytes], folder: Path) -> None:
    from conspectus.paths import write_atomically

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            write_atomically(folder / name, content)
            print(folder / name)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written to ({error.strerror})", "Name a folder with -o") from error


def _newest(journal: "Journal") -> int:
    newest = journal.runs(1)
    if not newest:
        raise UsageError("there are no runs yet", "Begin one: conspectus batch FOLDER -o digests")
    return newest[0].id


def _print_list(rows: "tuple[RunRow, ...]") -> None:
    from conspectus.journal.facts import by_state, counted, took
    from conspectus.render.safe import one_line

    table = [("run", "started", "took", "end", "exit", "documents", "command")]
    for row in rows:
        table.append(
            (
                str(row.id),
                f"{row.started.astimezone():%Y-%m-%d %H:%M}",
                took(row.seconds),
                row.end.value,
                "" if row.exit_code is None else str(row.exit_code),
                counted(by_state(row)) or "none",
                one_line(row.command),
            )
        )
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for cells in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


def _shown(record: "RunRecord") -> list[str]:
    from conspectus.journal.facts import by_state, counted, speed, state_of, took
    from conspectus.plural import many
    from conspectus.render.safe import one_line

    run, cost = record.run, record.cost
    code = "" if run.exit_code is None else f", exit code {run.exit_code}"
    lines = [
        f"run {run.id}: {run.end.value}{code}; started {run.started.astimezone():%Y-%m-%d %H:%M}, "
        f"took {took(run.seconds)}",
        f"  {one_line(run.command)}",
        f"  {one_line(run.model) or 'no model'}, {run.program}, output {one_line(str(run.out or 'beside the files'))}",
        f"  documents: {counted(by_state(run)) or 'none'}",
        f"  {many(cost.calls, 'model call')}, {many(cost.cached, 'answer')} from the cache ({cost.cache_share:.0%}), "
        f"{cost.prompt_tokens:,} + {cost.generated_tokens:,} tokens, {speed(cost, run.seconds):,.0f} tokens/s",
    ]
    lines += [f"  asked again: {_reasons(record.retries)}"] if record.retries else []
    lines += [] if record.calls_kept else ["  its single calls are no longer kept"]
    for row in record.documents:
        lines += ["", f"{state_of(run, row.state)}: {one_line(str(row.path))}"]
        lines += [f"  {line}" for line in _explained(row)]
    return lines


def _explained(row: "DocumentRow") -> list[str]:
    from conspectus.journal.facts import counted, took
    from conspectus.plural import many
    from conspectus.render.safe import one_line

    outcome, cost = row.outcome, row.cost
    lines = [f"why: {one_line(outcome.why)}"] if outcome.why else []
    lines += [f"next: {one_line(outcome.remedy)}"] if outcome.remedy else []
    if outcome.same_as is not None:
        lines.append(f"the same file as {one_line(str(outcome.same_as))}")
    if row.made_in is not None:
        lines.append(f"its digest was made in run {row.made_in}")
    if outcome.pages:
        verdicts = {"verified": outcome.verified, "verbatim": outcome.verbatim, "unverified": outcome.unverified}
        found = counted({name: count for name, count in verdicts.items() if count}) or "no"
        lines.append(
            f"{outcome.pages_read:,} of {many(outcome.pages, 'page')} read, {many(outcome.clauses, 'clause')}, "
            f"{found} {'line' if sum(verdicts.values()) == 1 else 'lines'}"
        )
    if cost.calls or cost.cached:
        lines.append(
            f"{many(cost.calls, 'model call')}, {cost.cached:,} from the cache, {cost.prompt_tokens:,} + "
            f"{cost.generated_tokens:,} tokens, {took(cost.seconds)}"
        )
    lines += [f"asked again: {_reasons(row.retries)}"] if row.retries else []
    lines += [f"error: {one_line(message)} ({many(count, 'time')})" for message, count in row.errors.items()]
    if row.slowest:
        lines.append("slowest: " + ", ".join(f"{one_line(call.label)} {took(call.seconds)}" for call in row.slowest))
    if outcome.digest is not None:
        lines.append(f"digest: {one_line(str(outcome.digest))}")
    return lines


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
