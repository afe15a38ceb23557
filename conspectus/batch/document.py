"""One document of a batch, or several with the same bytes: looked up, digested, written."""

import errno
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conspectus.batch.files import Group, Item
from conspectus.batch.record import RUN_FILE, Recipe, Record
from conspectus.cache.index import noted
from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish, coverage
from conspectus.digesting.desk import CallMade, DeskCounts
from conspectus.document import Digest
from conspectus.errors import ConspectusError, ContextTooSmall, InputError, ModelError
from conspectus.journal.journal import CallNote, CallState, DocumentState, Outcome
from conspectus.paths import write_atomically
from conspectus.pdf.files import hash_of, shown
from conspectus.render.json import as_dict
from conspectus.report.changes import changes_as_dict, changes_between, points_of, read_points
from conspectus.run.outcome import facts_of, why_partial
from conspectus.run.output import link_to, output_name, write
from conspectus.run.session import RunLost, Session, Stopped, Work


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of one input. `facts` as in its run file; `error` where there is no digest."""

    item: Item
    outcome: Outcome
    facts: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[Path, ...] = ()
    error: ConspectusError | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What all documents of a batch share.

    `flow` digests a file whose answers are not all stored; `note_state` and `note_call` go to the journal.
    """

    session: Session
    out: Path
    wish: Wish
    recipe: Recipe
    suffixes: Sequence[str]
    retry_failed: bool
    flow: Callable[[Path], tuple[Digest, DeskCounts]]
    note_state: Callable[[Item, DocumentState], None]
    note_call: Callable[[Item, CallNote], None]

    def folder(self, item: Item) -> Path:
        """Where the outputs of an input go."""
        return self.out / item.place


def settled_before(group: Group, bench: Bench) -> tuple[list[Ended], Group | None]:
    """The inputs whose results of an earlier run still hold, and the group of the others."""
    ended: list[Ended] = []
    stale: list[Item] = []
    for item in group.items:
        before = _before(item, group.sha256, bench)
        if before is None:
            stale.append(item)
        else:
            ended.append(before)
    return ended, Group(group.sha256, tuple(stale)) if stale else None


def work_on(group: Group, bench: Bench) -> list[Ended]:
    """Digests a document and writes it for each of its inputs.

    Raises ModelError where the model is of no use to any document, an error of which `is_full` is true where the disk
    is full, and Stopped where the run ends meanwhile.
    """
    ended: list[Ended] = []
    stale = list(group.items)
    while stale:
        lead, *others = stale
        made = _digested(lead, bench)
        if not isinstance(made, _Made):
            same = others and _still(lead.path, group.sha256)
            ended += [
                _refused(item, group.sha256, _as_of(item, lead, made), bench) for item in (stale if same else [lead])
            ]
            stale = [] if same else others
        elif made.digest.document.sha256 != group.sha256:
            # The file was changed since it was hashed: the others are no longer the same.
            ended.append(_delivered(lead, made, bench))
            stale = others
        else:
            ended.append(_delivered(lead, made, bench))
            ended += [_delivered(item, made, bench, lead) for item in others]
            break
    return ended


def _as_of(item: Item, lead: Item, error: ConspectusError) -> ConspectusError:
    """The error of a document as that of another input with the same bytes: each line names its own file."""
    if item == lead:
        return error
    was, now = shown(lead.path), shown(item.path)
    message = error.message.replace(was, now).removeprefix(f"{lead.path.name}: ")
    if now not in message:
        message = f"{now}: {message}"
    return type(error)(message, error.remedy.replace(was, now))


@dataclass(frozen=True, slots=True)
class _Made:
    digest: Digest
    counts: DeskCounts
    seconds: float
    page_seconds: list[float]


def _before(item: Item, sha256: str, bench: Bench) -> Ended | None:
    """What an earlier run made of the same bytes in the same way, where that still holds."""
    folder, name = bench.folder(item), output_name(item.path)
    record = Record.read(folder, name)
    if record is None:
        return None
    made = bench.recipe.made(sha256, link_to(item.path, folder))
    facts = dict(record.facts)
    if record.status == "unreadable":
        if bench.retry_failed or record.made != made:
            return None
        error = InputError(str(facts.get("why", "")), str(facts.get("remedy", "")))
        outcome = Outcome(DocumentState.UNREADABLE, f"{error.message} (as before)", error.remedy, sha256)
        return Ended(item, outcome, facts, error=error)
    names = [f"{name}.digest.{suffix}" for suffix in bench.suffixes]
    if not record.holds(folder, made, names) or record.outages:
        return None
    partial = record.status == "partial"
    if partial and bench.retry_failed:
        return None
    state = DocumentState.PARTIAL if partial else DocumentState.UNCHANGED
    why = f"{facts.get('why', '')} (as before)" if partial else ""
    return Ended(item, _outcome(state, sha256, facts, folder, names, why), facts)


def _outcome(
    state: DocumentState, sha256: str, facts: Mapping[str, Any], folder: Path, names: Sequence[str], why: str = ""
) -> Outcome:
    verdicts = facts.get("statements", {})
    return Outcome(
        state,
        why,
        sha256=sha256,
        pages=facts.get("pages", 0),
        pages_read=facts.get("pages_read", 0),
        clauses=facts.get("clauses", 0),
        verified=verdicts.get("verified", 0),
        verbatim=verdicts.get("verbatim", 0),
        unverified=verdicts.get("unverified", 0),
        digest=_opened_first(folder, names),
    )


def _opened_first(folder: Path, names: Sequence[str]) -> Path | None:
    """The output that a reader opens."""
    for suffix in ("html", "md", "json"):
        for name in names:
            if name.endswith(f".digest.{suffix}"):
                return folder / name
    return folder / names[0] if names else None


def _digested(item: Item, bench: Bench) -> "_Made | ConspectusError":
    """The digest of an input, or why there is none. Raises as `work_on`."""
    session, path = bench.session, item.path
    began = time.monotonic()
    try:
        digest, counts = _asked(item, bench)
        if digest.engine_errors and session.stopping.is_set():
            raise Stopped
        return _Made(digest, counts, time.monotonic() - began, session.page_seconds(path))
    except (InputError, ContextTooSmall) as error:
        return error
    except (ModelError, RunLost, Stopped):
        raise
    except Exception as error:
        if session.stopping.is_set():
            raise Stopped from error
        if is_full(error):
            raise
        return unexpected(path, error)
    finally:
        session.forget(path)


def unexpected(path: Path, error: BaseException) -> ConspectusError:
    """An error as it is told: its own words, with the document where they do not name it, or those for a fault of ours.

    The class is kept where it decides what comes of the document: an InputError.
    """
    if isinstance(error, InputError):
        return error
    if isinstance(error, ConspectusError):
        named = path.name in error.message or shown(path) in error.message
        return error if named else ConspectusError(f"{shown(path)}: {error.message}", error.remedy)
    return ConspectusError(f"{shown(path)}: unexpected {type(error).__name__}: {error}", "Run it alone with -v")


def _asked(item: Item, bench: Bench) -> tuple[Digest, DeskCounts]:
    """The digest from stored answers alone, else with the flow, which goes on where the stored answers end."""
    session, path = bench.session, item.path
    work = Work(on_call=lambda call: bench.note_call(item, note_of(call)))
    bench.note_state(item, DocumentState.READING)
    source = work.replay.keep("read", lambda: session.source(path))
    bench.note_state(item, DocumentState.RUNNING)
    hits: list[str] = []
    ask = straight.stored(session.answers, session.models, hits.append)
    ask = noted(ask, [source.document.sha256], session.models, session.answers)
    try:
        made = straight.digest(source, bench.wish, session.models, ask, work.replay.keep)
    except straight.Missing:
        del source
        session.works[path] = work
        return bench.flow(path)
    for key in hits:
        bench.note_call(item, CallNote(key, cached=True))
    return made, DeskCounts(cache_hits=len(hits))


def note_of(call: CallMade) -> CallNote:
    """A call as the journal keeps it: without the name of the document, which the journal knows."""
    label = call.label.rpartition(": ")[2].replace(", calls", "")
    again = "asked again" in label
    done = call.completion
    return CallNote(
        call.key,
        CallState.OK if done else CallState.ERROR,
        label,
        attempt=call.attempt + again,
        reason=call.error or ("transport" if call.attempt > 1 else "refused" if again else ""),
        prompt_tokens=done.prompt_tokens if done else 0,
        generated_tokens=done.generated_tokens if done else 0,
        seconds=call.seconds,
        cached=call.cached,
    )


def _delivered(item: Item, made: _Made, bench: Bench, lead: Item | None = None) -> Ended:
    """Writes a digest; what goes wrong with it is this input's alone, unless the disk is full."""
    try:
        return _written(item, made, bench, lead)
    except Exception as error:
        if is_full(error):
            raise
        told = unexpected(item.path, error)
        outcome = Outcome(DocumentState.FAILED, told.message, told.remedy, made.digest.document.sha256)
        return Ended(item, outcome, error=told)


def _written(item: Item, made: _Made, bench: Bench, lead: Item | None = None) -> Ended:
    """Writes a digest for an input; `lead` is the one with the same bytes that it was made of."""
    folder = bench.folder(item)
    name = output_name(item.path)
    digest = replace(made.digest, document=replace(made.digest.document, name=item.path.name))
    counts = DeskCounts() if lead else made.counts
    sha256 = digest.document.sha256
    facts = {
        **facts_of(digest, counts, 0.0 if lead else made.seconds),
        "pages_read": coverage(digest).pages_read,
        "why": why_partial(digest),
        "engine_errors": list(digest.engine_errors),
        "changes": _changes(digest, folder / f"{name}.digest.json"),
        "made": bench.recipe.made(sha256, link_to(item.path, folder)),
    }
    if lead is not None:
        facts["same_as"] = str(lead.path)
    about = {**facts, "page_seconds": made.page_seconds}
    outputs = write(digest, item.path, str(folder), about, bench.suffixes)
    state = DocumentState.PARTIAL if digest.partial else DocumentState.DUPLICATE if lead else DocumentState.DONE
    names = [path.name for path in outputs]
    outcome = _outcome(state, sha256, facts, folder, names, str(facts["why"]))
    return Ended(item, replace(outcome, same_as=lead.path if lead else None), facts, tuple(outputs))


def _changes(digest: Digest, before: Path) -> dict[str, Any] | None:
    """What is new against the digest that stands there; None where there is none."""
    old = read_points(before)
    return None if old is None else changes_as_dict(changes_between(old, points_of(as_dict(digest))))


def _refused(item: Item, sha256: str, error: ConspectusError, bench: Bench) -> Ended:
    """An input without a digest. One that cannot be read is noted beside where its digest would be."""
    unreadable = isinstance(error, InputError)
    state = DocumentState.UNREADABLE if unreadable else DocumentState.FAILED
    if unreadable and _still(item.path, sha256):
        folder = bench.folder(item)
        facts = {
            "status": "unreadable",
            "why": error.message,
            "remedy": error.remedy,
            "made": bench.recipe.made(sha256, link_to(item.path, folder)),
            "outputs": {},
        }
        note_beside(folder, output_name(item.path), facts)
    return Ended(item, Outcome(state, error.message, error.remedy, sha256), error=error)


def note_beside(folder: Path, name: str, facts: Mapping[str, Any]) -> None:
    """Writes a run file where that can be done: without it the document is only tried again."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{name}{RUN_FILE}", (json.dumps(dict(facts), indent=2) + "\n").encode())
    except OSError:
        return


def _still(path: Path, sha256: str) -> bool:
    """Whether a file has these bytes now."""
    try:
        return hash_of(path) == sha256
    except InputError:
        return False


def is_full(error: BaseException | None) -> bool:
    """Whether an error comes from a disk, or a share of one, that is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False
