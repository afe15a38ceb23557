"""The steps of a digest with a scripted model, without Prefect."""

from collections.abc import Sequence

from fake_model import FakeModel

from conspectus.digesting import straight
from conspectus.digesting.assemble import Wish
from conspectus.digesting.drafts import MapCall
from conspectus.digesting.mapping import Answers
from conspectus.digesting.reduce import ReduceCall
from conspectus.digesting.straight import Models
from conspectus.document import Detail, Digest, Source


def ask(model: FakeModel, calls: Sequence[MapCall] | Sequence[ReduceCall]) -> Answers:
    return straight.direct(Models.of(model))([call.request for call in calls], "")


def digest(
    source: Source,
    model: FakeModel,
    detail: Detail = Detail.FULL,
    *,
    reduce: bool = True,
    floor: bool = True,
) -> Digest:
    """The digest of a source with a scripted model."""
    models = Models.of(model)
    return straight.digest(source, Wish(detail, reduce, floor), models, straight.direct(models))
