"""The report as what is shown: headings, facts, tables of cells; the same for Markdown and HTML."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.digesting.retries import REASON_WORDS
from conspectus.document import Language
from conspectus.journal.facts import NOT_STARTED, speed, took
from conspectus.journal.journal import Cost, RunEnd
from conspectus.plural import Count
from conspectus.render.said import remedy, why
from conspectus.report.diff import Item, items_of
from conspectus.report.report import ATTENTION, Entry, Report
from conspectus.report.words import WORDS
from conspectus.run.output import link_to

ITEMS = 20  # changes of one document on the page; the JSON has all
FOLDED = 12  # rows above which documents that need nobody are folded away
SLOW_DOCUMENTS = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `link` is a relative address or empty. Numbers stand right."""

    text: str
    link: str = ""
    number: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A table under a heading. `name` is stable; `loud` for what needs somebody."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    loud: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """What changed in one document."""

    name: str
    link: str
    note: str
    items: tuple[Item, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ReportView:
    """The whole page."""

    language: str
    title: str
    alert: str  # empty where all is well
    lead: tuple[str, ...]
    counts: tuple[tuple[str, str, int, bool], ...]  # name of the section, word, how many, whether it needs somebody
    facts: tuple[tuple[str, str], ...]
    attention: tuple[Section, ...]
    changes: tuple[Changed, ...]
    sections: tuple[Section, ...]
    made: str


def view_of(report: Report, folder: Path) -> ReportView:
    """The report as it is shown in a page that lies in `folder`."""
    return _Maker(report, folder).view()


class _Maker:
    """Holds what all parts need: the report, its words, the folder of the page."""

    def __init__(self, report: Report, folder: Path) -> None:
        self._report = report
        self._folder = folder
        self._words: Mapping[str, Any] = WORDS[report.language]

    def view(self) -> ReportView:
        report, words = self._report, self._words
        run = report.record.run
        needed = {state: count for state, count in report.counts.items() if state in ATTENTION}
        return ReportView(
            language=report.language.value,
            title=words["title"].format(id=run.id),
            alert=self._alert(needed),
            lead=tuple(self._lead(bool(needed))),
            counts=tuple((state, words["states"][state], n, state in ATTENTION) for state, n in report.counts.items()),
            facts=tuple(self._facts()),
            attention=tuple(self._plain(state) for state in report.counts if state not in _WHOLE),
            changes=tuple(self._changed(entry) for entry in report.entries if entry.changes),
            sections=tuple(section for section in self._sections() if section.rows),
            made=words["made"].format(program=run.program, id=run.id),
        )

    def _alert(self, needed: Mapping[str, int]) -> str:
        if not needed:
            return ""
        words = self._words["states"]
        if self._report.language is Language.ZH:
            states = "、".join(f"{words[state]} {count:,}" for state, count in needed.items())
        else:
            states = ", ".join(f"{count:,} {words[state]}" for state, count in needed.items())
        return str(
            self._words["attention"].format(
                count=sum(needed.values()), total=Count(len(self._report.entries)), states=states
            )
        )

    def _lead(self, needed: bool) -> Iterator[str]:
        report, words = self._report, self._words
        if report.record.run.end is RunEnd.RUNNING:
            yield words["running"]
        elif not report.entries:
            yield words["nothing"]
        elif not needed:
            yield words["whole"]
        if resumed := report.resumed:
            runs = ", ".join(str(number) for number in sorted({entry.row.made_in or 0 for entry in resumed}))
            since = report.record.since
            said = words["resumed" if since else "resumed_first"]
            yield said.format(count=Count(len(resumed)), since=since, runs=runs)
        if report.base:
            yield words["base"].format(base=report.base)

    def _took(self, seconds: float) -> str:
        return took(seconds, self._words["units"])

    def _facts(self) -> Iterator[tuple[str, str]]:
        record, words = self._report.record, self._words["facts"]
        run, cost = record.run, record.cost
        outcomes = [row.outcome for row in record.documents]
        pages = sum(outcome.pages for outcome in outcomes)
        read = sum(outcome.pages_read for outcome in outcomes)
        yield words["started"], f"{run.started.astimezone():%Y-%m-%d %H:%M %z}"
        yield words["took"], self._took(run.seconds)
        yield words["end"], self._words["ends"][run.end.value]
        yield words["command"], run.command
        yield words["model"], run.model
        if run.out is not None:
            yield words["out"], str(run.out)
        yield words["pages"], self._words["pages"].format(read=read, pages=pages)
        yield words["calls"], f"{cost.calls:,}"
        yield words["cache"], self._cache(cost)
        yield words["tokens"], f"{cost.prompt_tokens:,} + {cost.generated_tokens:,}"
        yield words["speed"], f"{speed(cost, run.seconds):,.1f}"
        yield words["again"], f"{cost.again:,}"

    def _cache(self, cost: Cost) -> str:
        return str(
            self._words["cache"].format(cached=cost.cached, all=Count(cost.calls + cost.cached), share=cost.cache_share)
        )

    def _link(self, entry: Entry) -> str:
        digest = entry.row.outcome.digest
        return "" if digest is None else link_to(digest, self._folder)

    def _file(self, entry: Entry) -> Cell:
        return Cell(entry.name, self._link(entry))

    def _columns(self, *names: str) -> tuple[str, ...]:
        return tuple(self._words["columns"][name] for name in names)

    def _plain(self, state: str) -> Section:
        """The documents of a state that is not whole: which, why, what to do."""
        entries = self._report.of(state)
        note = self._words["notes"].get(state, "")
        if state == NOT_STARTED:
            note = note[self._report.record.run.end.value]
        names: tuple[str, ...] = ("file", "why", "remedy")
        language = self._report.language
        rows = [
            (
                self._file(entry),
                Cell(why(entry.row.outcome.why, language)),
                Cell(remedy(entry.row.outcome.remedy, language)),
            )
            for entry in entries
        ]
        if not any(cell.text for row in rows for cell in row[1:]):
            names, short = names[:1], [row[:1] for row in rows]
            return self._section(state, names, short, note, loud=state in ATTENTION)
        return self._section(state, names, rows, note, loud=state in ATTENTION)

    def _section(
        self, state: str, names: Sequence[str], rows: Sequence[tuple[Cell, ...]], note: str = "", *, loud: bool = False
    ) -> Section:
        title = self._words["states"].get(state) or self._words[state]
        title = title[:1].upper() + title[1:]
        folded = not loud and len(rows) > FOLDED
        return Section(state.replace(" ", "-"), title, self._columns(*names), tuple(rows), note, loud, folded)

    def _changed(self, entry: Entry) -> Changed:
        assert entry.changes is not None
        items = items_of(entry.changes)
        note = self._words["same_document"] if entry.changes.same_document else ""
        return Changed(entry.name, self._link(entry), note, items[:ITEMS], max(0, len(items) - ITEMS))

    def _sections(self) -> Iterator[Section]:
        yield self._done()
        report, notes = self._report, self._words["notes"]
        rows = [
            (self._file(entry), Cell("" if entry.row.made_in is None else str(entry.row.made_in), number=True))
            for entry in report.of("unchanged")
        ]
        yield self._section("unchanged", ("file", "made_in"), rows, notes["unchanged"])
        twins = [(self._file(entry), Cell(self._twin(entry))) for entry in report.of("duplicate")]
        yield self._section("duplicate", ("file", "same_as"), twins, notes["duplicate"])
        yield from self._slow()
        reasons = REASON_WORDS[report.language]
        said = {**self._words["reasons"], **{reason.value: words for reason, words in reasons.items()}}
        asked = [
            (Cell(said.get(code, code)), Cell(f"{count:,}", number=True))
            for code, count in report.record.retries.items()
        ]
        yield self._section("retries", ("reason", "count"), asked)
        failed = [
            (self._file(entry), Cell(why(message, report.language)), Cell(f"{count:,}", number=True))
            for entry in report.entries
            for message, count in entry.row.errors.items()
        ]
        yield self._section("errors", ("file", "message", "count"), failed)

    def _twin(self, entry: Entry) -> str:
        twin = entry.row.outcome.same_as
        names = {other.row.path: other.name for other in self._report.entries}
        return "" if twin is None else names.get(twin, str(twin))

    def _done(self) -> Section:
        rows = []
        for entry in self._report.of("done"):
            outcome, cost = entry.row.outcome, entry.row.cost
            lines = f"{outcome.verified:,} + {outcome.verbatim:,}"
            if outcome.unverified:
                lines += f", {self._words['unverified'].format(count=outcome.unverified)}"
            numbers = (
                f"{outcome.pages:,}", f"{outcome.clauses:,}", lines, f"{cost.calls:,}", f"{cost.cache_share:.0%}",
                self._took(cost.seconds),
            )  # fmt: skip
            rows.append((self._file(entry), *(Cell(number, number=True) for number in numbers)))
        return self._section("done", ("file", "pages", "clauses", "lines", "calls", "cached", "seconds"), rows)

    def _slow(self) -> Iterator[Section]:
        entries = sorted(self._report.entries, key=lambda entry: -entry.row.cost.seconds)
        slow = [
            (
                self._file(entry),
                Cell(f"{entry.row.outcome.pages:,}", number=True),
                Cell(f"{entry.row.cost.calls:,}", number=True),
                Cell(self._took(entry.row.cost.seconds), number=True),
            )
            for entry in entries[:SLOW_DOCUMENTS]
            if entry.row.cost.seconds >= 0.05
        ]
        yield self._section("slow_documents", ("file", "pages", "calls", "seconds"), slow)
        names = {entry.row.path: entry.name for entry in self._report.entries}
        calls = [
            (
                Cell(names[call.path]),
                Cell(why(call.label, self._report.language)),
                Cell(str(call.attempt), number=True),
                Cell(f"{call.prompt_tokens:,} + {call.generated_tokens:,}", number=True),
                Cell(self._took(call.seconds), number=True),
            )
            for call in self._report.record.slowest
        ]
        yield self._section("slow_calls", ("file", "call", "attempt", "tokens", "seconds"), calls)


_WHOLE = ("done", "unchanged", "duplicate")
