"""The product's own pipeline without Prefect: conspectus/digesting/straight.py with the harness's way of asking."""

from collections.abc import Sequence

from benchmarks.quality.asking import Asker
from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish
from conspectus.digesting.mapping import Answers
from conspectus.digesting.straight import Models
from conspectus.document import Digest, Source, Statement
from conspectus.llama import Request


def digest(source: Source, wish: Wish, asker: Asker) -> Digest:
    """The digest of a document. Raises OutOfTime, ContextTooSmall."""
    return straight.digest(source, wish, Models.of(asker.model), _ask(asker))


def lines(sources: Sequence[Source], wish: Wish, asker: Asker) -> list[list[Statement]]:
    """The statements alone of many short documents; their calls are made together."""
    restated = straight.restate(sources, wish.detail, asker.model, _ask(asker))
    return [
        straight.settled(source, plan, drafts, wish) for source, (plan, drafts) in zip(sources, restated, strict=True)
    ]


def _ask(asker: Asker) -> straight.Ask:
    def ask(requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        return asker.ask(requests)

    return ask
