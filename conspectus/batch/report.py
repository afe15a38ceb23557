"""What a batch tells: progress and one line a document while it runs, its journal, the report at its end."""

import json
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console

from conspectus.batch.document import Ended
from conspectus.batch.files import Item
from conspectus.errors import ConspectusError, ExitCode, UsageError
from conspectus.journal.journal import CallNote, DocumentState, Journal, Outcome
from conspectus.metrics import metrics
from conspectus.options.batch import BatchOptions
from conspectus.paths import write_atomically
from conspectus.pdf.files import shown
from conspectus.plural import many
from conspectus.report.changes import Changes, changes_from
from conspectus.report.report import Report, report_of
from conspectus.run.progress import Live, Plain, Quiet, Reporter

_COUNTS = ("pages", "clauses", "model_calls", "cache_hits", "prompt_tokens", "generated_tokens")
_GOOD = (DocumentState.DONE, DocumentState.UNCHANGED, DocumentState.DUPLICATE)
STAGE = "documents"


class Teller:
    """Progress, messages, journal and counts of one batch. Thread-safe; use as a context manager."""

    def __init__(self, options: BatchOptions) -> None:
        self._options = options
        self._stack = ExitStack()
        self._reporter: Reporter = Quiet()
        self._lock = threading.Lock()
        self._journal: Journal | None = None
        self._numbers: Mapping[Item, int] = {}
        self._all = 0
        self._states: Counter[DocumentState] = Counter()
        self._total: Counter[str] = Counter()
        self.changes: dict[Path, Changes] = {}

    def __enter__(self) -> Self:
        if not self._options.quiet:
            console = Console(stderr=True)
            live = console.is_terminal and not self._options.json
            self._reporter = self._stack.enter_context(Live(console)) if live else Plain(self._options.verbose)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def note(self, message: str) -> None:
        """Something that happened once."""
        self._reporter.note(message)

    def count(self, stage: str, done: int, total: int) -> None:
        """How far a stage of one document is: shown only where more is asked for; documents are counted here."""
        if self._options.verbose:
            self._reporter.count(stage, done, total)

    def tokens(self, prompt: int, generated: int) -> None:
        """Tokens of a model call so far."""
        self._reporter.tokens(prompt, generated)

    def begin(self, total: int, journal: Journal, numbers: Mapping[Item, int]) -> None:
        """The run has so many documents, by these numbers in the journal."""
        self._all, self._journal, self._numbers = total, journal, numbers
        for number in numbers.values():
            metrics.current().document(number, DocumentState.QUEUED)
        if self._options.json:
            self._emit("begin", documents=total)

    def state(self, item: Item, state: DocumentState) -> None:
        """A document has got so far."""
        if self._journal is not None:
            self._journal.note_state(self._numbers[item], state)
            metrics.current().document(self._numbers[item], state)

    def call(self, item: Item, note: CallNote) -> None:
        """A model call of a document has ended."""
        if self._journal is not None:
            self._journal.note_call(self._numbers[item], note)
        with self._lock:
            self._total["cache_hits" if note.cached else "model_calls"] += 1
            if not note.cached:
                self._total["prompt_tokens"] += note.prompt_tokens
                self._total["generated_tokens"] += note.generated_tokens
        metrics.current().call(note)

    def refused(self, item: Item, error: ConspectusError) -> None:
        """An input that can be no document."""
        self.ended(Ended(item, Outcome(DocumentState.UNREADABLE, error.message, error.remedy), error=error))

    def ended(self, ended: Ended) -> None:
        """A document is done with: journal, counts, one line."""
        outcome, facts = ended.outcome, ended.facts
        if self._journal is not None:
            self._journal.note_outcome(self._numbers[ended.item], outcome)
            metrics.current().document(self._numbers[ended.item], outcome.state)
        changes = changes_from(facts.get("changes"))
        with self._lock:
            self._states[outcome.state] += 1
            done = self._states.total()
            for name in ("pages", "clauses"):
                self._total[name] += facts.get(name, 0)
            if changes is not None:
                self.changes[ended.item.path] = changes
        self._tell(ended)
        self._reporter.count(STAGE, done, self._all)

    def attention(self) -> bool:
        """Whether any document so far is anything but well done."""
        with self._lock:
            return any(count for state, count in self._states.items() if state not in _GOOD)

    def total(self) -> Counter[str]:
        """Pages, clauses, calls, hits and tokens so far."""
        with self._lock:
            return Counter({name: self._total[name] for name in _COUNTS})

    def finish(self, report: Report, files: tuple[Path, ...], code: ExitCode) -> None:
        """The last line."""
        if self._options.json:
            with self._lock:
                states = {state.value: self._states[state] for state in DocumentState}
            self._emit(
                "summary", status="complete" if code is ExitCode.OK else "partial", exit_code=int(code),
                run=report.record.run.id, end=report.record.run.end.value, documents=self._all, states=states,
                report=[str(path) for path in files], **self.total(),
            )  # fmt: skip
        elif not self._options.quiet:
            total = self.total()
            where = f" -> {shown(files[0])}" if files else ""
            self.note(
                f"{many(total['model_calls'], 'model call')}, {many(total['cache_hits'], 'answer')} from the cache, "
                f"{total['prompt_tokens']} + {total['generated_tokens']} tokens"
            )
            self.note(f"{report.sentence()}{where}")

    def ends_early(self, report: Report, files: tuple[Path, ...]) -> None:
        """The counts of a run that an error or Ctrl-C ends; why is told by who catches that."""
        if not self._options.quiet:
            self.note(f"{report.sentence()}{f' -> {shown(files[0])}' if files else ''}")

    def _tell(self, ended: Ended) -> None:
        outcome, name = ended.outcome, shown(ended.item.path)
        if self._options.json:
            facts = {key: value for key, value in ended.facts.items() if key not in ("made", "changes", "outputs")}
            self._emit(
                "document",
                **{
                    **facts,
                    "file": str(ended.item.path),
                    "state": outcome.state.value,
                    "why": outcome.why,
                    "remedy": outcome.remedy,
                    "outputs": [str(path) for path in ended.outputs],
                },
            )
        if ended.error is not None:
            line = f"conspectus: {ended.error.line()}"
            self.note(line) if not self._options.quiet else print(line, file=sys.stderr, flush=True)
        elif not self._options.json and outcome.state is DocumentState.PARTIAL:
            self.note(f"{name}: PARTIAL, {outcome.why}")
        elif not self._options.json and (outcome.state is not DocumentState.UNCHANGED or self._options.verbose):
            same = f" as {shown(outcome.same_as)}" if outcome.same_as else ""
            where = f" -> {shown(outcome.digest)}" if outcome.digest else ""
            self.note(f"{name}: {outcome.state.value}{same}{where}")

    def _emit(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - whatever JSON can say
        line = json.dumps({"message_type": kind, **fields}, ensure_ascii=False)
        with self._lock:
            # A name that is no UTF-8 holds lone surrogates.
            sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
            sys.stdout.flush()


def write_report(journal: Journal, run: int, out: Path, teller: Teller) -> tuple[Report, tuple[Path, ...]]:
    """The report of the run, written into the output folder; without files where that cannot be written to."""
    from conspectus.report.render import render_report

    report = report_of(journal, run, teller.changes)
    files: list[Path] = []
    try:
        for name, content in render_report(report, out).items():
            write_atomically(out / name, content)
            files.append(out / name)
    except (OSError, UsageError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        teller.note(
            f"conspectus: the report cannot be written into {shown(out)} ({why}). "
            f"Write it elsewhere: conspectus runs report {run} -o FOLDER"
        )
    return report, tuple(files)
