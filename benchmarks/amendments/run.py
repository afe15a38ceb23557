"""What an amended version costs: model calls of a second version of the sample lease after the first, by cause.

    python benchmarks/amendments/run.py [--details brief,normal,full] [--contexts 2048,4096]

The model is a fake that restates truly (`shortened`) or copies (`copied`: every line is refused and asked again). The
ceiling is what the goal allows: the calls about chunks that touch a changed clause, first, filling and asking again,
and one path to the root: the overviews of the touched sections and of the document. `far` are calls beyond it.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(Path(__file__).resolve().parent)]

from fake_model import FakeModel, copied, shortened  # noqa: E402
from variants import VARIANTS, lease_pdf  # noqa: E402

from conspectus.compare.compare import Comparison, Kind, compare  # noqa: E402
from conspectus.digesting import mapping, straight  # noqa: E402
from conspectus.digesting.assemble import Wish  # noqa: E402
from conspectus.digesting.drafts import defuse  # noqa: E402
from conspectus.digesting.mapping import Answers  # noqa: E402
from conspectus.digesting.straight import Models  # noqa: E402
from conspectus.document import Detail, Source  # noqa: E402
from conspectus.evidence.reading import to_document  # noqa: E402
from conspectus.evidence.source import to_source  # noqa: E402
from conspectus.llama import Completion, Request  # noqa: E402
from conspectus.pdf import read_pdf  # noqa: E402


@dataclass
class Store:
    """Answers by key, and the calls that were made since `calls` was emptied, with their stages."""

    model: FakeModel
    answers: dict[str, Completion] = field(default_factory=dict)
    calls: list[tuple[str, Request]] = field(default_factory=list)
    asked: list[tuple[str, Request]] = field(default_factory=list)

    def ask(self, requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        """As the flow asks: what is stored is not asked for again."""
        found: dict[int, Completion] = {}
        for place, request in enumerate(requests):
            key = request.key(self.model.info.fingerprint)
            kind = "overview" if reducing else "map"
            self.asked.append((kind, request))
            if key not in self.answers:
                self.calls.append((kind, request))
                (self.answers[key],) = self.model.complete([request])
            found[place] = self.answers[key]
        return Answers(found)


def read(name: str, folder: Path) -> Source:
    """A version of the sample lease by its name: "" is the lease itself, "section" one with a section more."""
    path = folder / name / "lease.pdf"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lease_pdf(VARIANTS.get(name, ()), section=name == "section"))
    return to_source(to_document(path, read_pdf(path)))


def touched(made: Comparison, new: Source, model: FakeModel, detail: Detail) -> set[str]:
    """The sentences, as prompts show them, of the chunks that touch a changed clause or the place of a removed one."""
    places: list[tuple[int, int]] = []
    for change in made.changes:
        if change.kind in (Kind.MOVED, Kind.RENUMBERED):
            continue
        if change.new is not None:
            clause = new.clauses[change.new.clause]
            places.append((clause.start, clause.end))
        elif change.old is not None:
            places.append(_gap(made, new, change.old.clause))
    chunks = mapping.plan(new, detail, model).chunks
    near = [chunk for chunk in chunks if any(chunk.start < end and start < chunk.end for start, end in places)]
    return {defuse(new.sentences[index].text) for chunk in near for index in chunk.sentences}


def _gap(made: Comparison, new: Source, old_clause: int) -> tuple[int, int]:
    """Where a clause stood that was removed: around the start of what stands there now."""
    added = sum(1 for c in made.changes if c.old is None and c.new is not None and c.new.clause < old_clause)
    removed = sum(1 for c in made.changes if c.new is None and c.old is not None and c.old.clause < old_clause)
    at = new.clauses[min(len(new.clauses) - 1, old_clause + added - removed)].start
    return (at - 2, at + 1)


def _is_about(request: Request, sentences: set[str]) -> bool:
    shown = request.messages[-1].content
    return any(sentence in shown for sentence in sentences)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description="Model calls of an amended version")
    parser.add_argument("--details", default="brief,normal,full")
    parser.add_argument("--contexts", default="4096")
    options = parser.parse_args()
    print("| context | detail | model | version | changes found | calls whole | second version | ceiling | far |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: read(name, Path(folder)) for name in ("", *VARIANTS, "section")}
        for context in map(int, options.contexts.split(",")):
            for detail in map(Detail, options.details.split(",")):
                for rule in (shortened, copied):
                    for name in (*VARIANTS, "section"):
                        row = measure(sources[""], sources[name], FakeModel(rule=rule, context=context), detail)
                        print(f"| {context} | {detail.value} | {rule.__name__} | {name} | {row} |", flush=True)


def measure(old: Source, new: Source, model: FakeModel, detail: Detail) -> str:
    """The cells of one row."""
    store, models, wish = Store(model), Models.of(model), Wish(detail, True, True)
    straight.digest(old, wish, models, store.ask)
    whole = len(store.calls)
    store.calls.clear()
    store.asked.clear()
    straight.digest(new, wish, models, store.ask)
    made = compare(old, new)
    near = touched(made, new, model, detail)
    allowed = {r.key("") for kind, r in store.asked if kind == "map" and _is_about(r, near)}
    sections = len(
        {change.new.path[:1] for change in made.changes if change.new and change.kind is not Kind.RENUMBERED}
    )
    map_calls = [request for kind, request in store.calls if kind == "map"]
    far = sum(request.key("") not in allowed for request in map_calls)
    overviews = len(store.calls) - len(map_calls)
    far += max(0, overviews - sections - 2)
    counts = made.counts()
    found = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count and kind != "unchanged")
    ceiling = len(allowed) + sections + 2
    return f"{found} | {whole} | {len(store.calls)} | {ceiling} | {far}"


if __name__ == "__main__":
    main()
