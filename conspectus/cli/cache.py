"""`conspectus cache`: the stored answers of models counted, checked, and removed."""

import json as json_format
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from conspectus.cache import folder as store
from conspectus.cache import index as store_index
from conspectus.cache.folder import Inventory, Removal, as_size
from conspectus.errors import ExitCode, UsageError
from conspectus.paths import answers_dir

app = App(
    name="cache",
    help="""Count, check and remove the stored answers of models.

The folder is CONSPECTUS_CACHE, else the user's cache folder. Several machines may share it, on NFS too: files are
renamed into place whole, never changed, and checked each time they are read. Whatever is removed is computed again
when it is needed.

Examples:
  conspectus cache stats
  conspectus cache verify --remove              removes the answers that are torn or altered
  conspectus cache forget lease.pdf             removes what this document left
  conspectus cache prune --max-size 1GB         removes the oldest
""",
    help_format="plaintext",
)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RemovalOptions:
    """How answers are removed."""

    dry_run: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False
    """Say what would be removed, remove nothing."""
    json: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False
    """One JSON object on stdout."""


@app.command
def stats(*, json: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False) -> int:
    """Say how many answers are stored, how large and how old they are, and by which models they were given.

    Examples:
      conspectus cache stats
      conspectus cache stats --json

    Parameters
    ----------
    json
        One JSON object.
    """
    folder = answers_dir()
    found = store.scan(folder)
    models = store_index.by_model(folder, found.answers)
    known = store_index.documents(folder)
    now = time.time()
    written = [stored.written for stored in found.answers]
    if json:
        _print_json(
            folder=str(folder),
            answers=len(found.answers),
            bytes=found.size,
            oldest_seconds=round(now - min(written), 1) if written else None,
            newest_seconds=round(now - max(written), 1) if written else None,
            models=[{"model": m or None, "answers": count, "bytes": size} for m, (count, size) in models.items()],
            documents=len(known),
            temporary=len(found.temporary),
            others=len(found.others),
        )
        return ExitCode.OK
    print(f"{folder}\n  answers    {len(found.answers):,}, {as_size(found.size)}")
    if written:
        print(f"  written    {_ago(now - min(written))} to {_ago(now - max(written))} ago")
    print(f"  documents  {len(known):,} can be forgotten by name")
    for model, (count, size) in models.items():
        print(f"  {count:>8,} by {model or 'a model that is not recorded'}, {as_size(size)}")
    _tell_others(found)
    return ExitCode.OK


@app.command
def verify(
    *,
    remove: Annotated[bool, Parameter(negative=(), show_env_var=False)] = False,
    options: RemovalOptions | None = None,
) -> int:
    """Read every stored answer and name those that are torn, altered or of another version. Exit code 6 for any.

    A run never uses such an answer: it is computed again. With --remove they are gone at once, and the exit code is 0.

    Examples:
      conspectus cache verify
      conspectus cache verify --remove

    Parameters
    ----------
    remove
        Remove what is named.
    """
    options = options or RemovalOptions()
    found = store.scan(answers_dir())
    faulty = list(store.check(found.answers))
    counts = Counter(one.fault.value for one in faulty)
    done = Removal()
    if remove:
        done = store.remove([one.stored for one in faulty], dry_run=options.dry_run)
    sound = len(found.answers) - len(faulty)
    if options.json:
        _print_json(
            answers=len(found.answers),
            sound=sound,
            faulty=[{"file": str(one.stored.path), "fault": one.fault.value} for one in faulty],
            **_removal_facts(done, options),
        )
    else:
        for one in faulty:
            print(f"{one.stored.path}: {one.fault.value}")
        told = ", ".join(f"{count:,} {fault}" for fault, count in sorted(counts.items()))
        print(f"{sound:,} of {len(found.answers):,} answers are sound{f'; {told}' if told else ''}")
        if faulty and not remove:
            print("Remove them with: conspectus cache verify --remove", file=sys.stderr)
        if remove:
            _tell(done, options, "answers")
        _tell_others(found)
    cured = remove and not options.dry_run and not done.failed
    return ExitCode.OK if not faulty or cured else ExitCode.VERIFICATION


@app.command
def prune(*, max_size: Annotated[str, Parameter(show_env_var=False)], options: RemovalOptions | None = None) -> int:
    """Remove the oldest answers until the rest is no larger than --max-size, and what killed processes left.

    Examples:
      conspectus cache prune --max-size 1GB --dry-run     says what would go
      conspectus cache prune --max-size 1GB

    Parameters
    ----------
    max_size
        1GB, 500MB, 2GiB, 0.
    """
    options = options or RemovalOptions()
    folder, most = answers_dir(), store.bytes_of(max_size)
    found = store.scan(folder)
    going = store.oldest_over(found.answers, most)
    index = store_index.stale(folder, [stored.key for stored in going], found.answers)
    done = store.remove(going, dry_run=options.dry_run)
    rest = store.remove([*store.left_behind(found.temporary), *index], dry_run=options.dry_run)
    left = found.size - done.size
    if options.json:
        _print_json(left_bytes=left, **_removal_facts(_sum(done, rest), options))
    else:
        _tell(done, options, "answers", f", {as_size(left)} left")
        _tell_others(found)
    return _end(done, rest)


@app.command
def clear(*, options: RemovalOptions | None = None) -> int:
    """Remove every stored answer, and the lists of which document each belongs to. Nothing else in the folder.

    Examples:
      conspectus cache clear --dry-run     says what would go
      conspectus cache clear
    """
    options = options or RemovalOptions()
    folder = answers_dir()
    found = store.scan(folder)
    done = store.remove(found.answers, dry_run=options.dry_run)
    rest = store.remove([*found.temporary, *store_index.everything(folder)], dry_run=options.dry_run)
    if options.json:
        _print_json(**_removal_facts(_sum(done, rest), options))
    else:
        _tell(done, options, "answers")
        _tell_others(found)
    return _end(done, rest)


@app.command
def forget(*files: Annotated[str, Parameter(show_env_var=False)], options: RemovalOptions | None = None) -> int:
    """Remove what documents left in the cache: the stored answers about them, also those that another version shares.

    Their rows in the history of runs go too. Digests that were written, and the command lines of runs, are not touched.

    Examples:
      conspectus cache forget lease.pdf
      conspectus cache forget lease.pdf --dry-run
      conspectus cache forget 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08

    Parameters
    ----------
    files
        Documents; or their sha256, as it stands in a digest, where the file is gone.
    """
    from conspectus.cache import journal as store_journal

    options = options or RemovalOptions()
    if not files:
        raise UsageError("no file given", "Name a document: conspectus cache forget lease.pdf")
    folder = answers_dir()
    ends = []
    for file in files:
        document = store_index.document_of(file)
        traces = store_index.traces(folder, document, store.scan(folder).answers)
        done = store.remove(traces.answers, dry_run=options.dry_run)
        # The list goes last: where an answer could not be removed it can be tried again.
        rest = Removal() if done.failed else store.remove(traces.index, dry_run=options.dry_run)
        path = None if file.lower() == document else Path(file)
        rows = store_journal.forget_rows(document, path, dry_run=options.dry_run)
        ends += [done, rest]
        if options.json:
            facts = _removal_facts(_sum(done, rest), options)
            _print_json(
                file=file, sha256=document, answers=done.files, shared=traces.shared, journal_rows=rows, **facts
            )
            continue
        if rows:
            verb = "would be removed" if options.dry_run else "removed"
            print(f"{rows:,} {'row' if rows == 1 else 'rows'} of the run journal {verb} ({file})")
        if not traces.index:
            print(f"{file}: nothing is recorded for this document (sha256 {document})")
            print("Answers of versions without a record go with: conspectus cache clear", file=sys.stderr)
            continue
        shared = f", {traces.shared:,} of them shared with other documents" if traces.shared else ""
        _tell(done, options, "answers", f"{shared} ({file})")
    return _end(*ends)


def _print_json(**fields: object) -> None:
    print(json_format.dumps(fields, ensure_ascii=False), flush=True)


def _removal_facts(done: Removal, options: RemovalOptions) -> dict[str, object]:
    return {
        "removed": done.files,
        "removed_bytes": done.size,
        "dry_run": options.dry_run,
        "failed": list(done.failed),
    }


def _sum(*removals: Removal) -> Removal:
    return Removal(
        sum(one.files for one in removals),
        sum(one.size for one in removals),
        tuple(failure for one in removals for failure in one.failed),
    )


def _tell(done: Removal, options: RemovalOptions, what: str, more: str = "") -> None:
    verb = "would be removed" if options.dry_run else "removed"
    print(f"{done.files:,} {what} {verb}, {as_size(done.size)}{more}")


def _tell_others(found: Inventory) -> None:
    """What a reader should know of files that are not answers of this version."""
    if found.temporary:
        print(f"{len(found.temporary):,} half-written files of runs under way or killed", file=sys.stderr)
    if found.others:
        shown = ", ".join(_names(found.others))
        print(
            f"{len(found.others):,} files of an older version or of another program are left alone: {shown}",
            file=sys.stderr,
        )


def _names(paths: Sequence[Path], most: int = 3) -> list[str]:
    return [str(path) for path in paths[:most]] + (["…"] if len(paths) > most else [])


def _end(*removals: Removal) -> ExitCode:
    failed = [failure for one in removals for failure in one.failed]
    for failure in failed:
        print(f"conspectus: not removed: {failure}", file=sys.stderr)
    return ExitCode.PARTIAL if failed else ExitCode.OK


def _ago(seconds: float) -> str:
    """An age for people. A clock that was turned back makes no negative one."""
    left = max(0.0, seconds)
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if left >= 2 * size:
            return f"{left / size:.0f} {unit}"
    return f"{left:.0f} seconds"
