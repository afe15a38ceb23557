"""A batch without Prefect: a folder of documents, and runs over it with a scripted model."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fake_model import FakeModel, shortened

from conspectus.batch.crew import Crew, Limits
from conspectus.batch.document import Bench, Ended
from conspectus.batch.files import find
from conspectus.batch.record import Recipe
from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish
from conspectus.digesting.desk import DeskCounts
from conspectus.digesting.straight import Models
from conspectus.document import Detail, Digest
from conspectus.journal.journal import RunEnd
from conspectus.run.session import Reading, Session

CONTRACT = "1. RENT\n1.1 The Tenant shall pay GBP {0} a month.\n1.2 The Landlord must not enter unless {0} agree.\n"


class Batch:
    """A folder of documents and runs over it. `results` has what came of each input in the last run, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder / "in", folder / "out"
        self.folder.mkdir()
        self.model = FakeModel(rule=shortened)
        self.digested: list[str] = []
        self.results: dict[str, Ended] = {}
        self.notes: list[str] = []
        self.flow: Callable[[Path], tuple[Digest, DeskCounts]] | None = None
        self.limits = Limits(2)
        self.reading = Reading(ahead=4)

    def add(self, name: str, number: int) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTRACT.format(number))
        return path

    def run(self, **changes: Any) -> RunEnd:
        self.digested, self.results = [], {}
        wish = Wish(Detail.FULL)
        with Session(Models.of(self.model), self.folder.parent / "answers", reading=self.reading) as session:
            self.session = session
            bench = Bench(
                session, self.out, wish, Recipe.of(wish, self.model.info, None, ocr=False),
                ("md", "json"), False, self.flow or self._digest, lambda *_: None, lambda *_: None,
            )  # fmt: skip
            found = find([self.folder], self.out)
            return Crew(replace(bench, **changes), self.limits, self).work(found.groups)

    def _digest(self, path: Path) -> tuple[Digest, DeskCounts]:
        self.digested.append(path.name)
        work = self.session.works[path]
        source = work.replay.after(straight.plainly)("read", lambda: self.session.source(path))
        models = self.session.models
        made = straight.digest(source, Wish(Detail.FULL), models, straight.direct(models))
        return made, DeskCounts()

    def states(self) -> dict[str, str]:
        return {name: ended.outcome.state.value for name, ended in self.results.items()}

    # What the crew tells.
    def note(self, message: str) -> None:
        self.notes.append(message)

    def ended(self, ended: Ended) -> None:
        self.results[str(ended.item.place / ended.item.path.name)] = ended
