"""The steps of a digest with a scripted model, without Prefect."""

from collections.abc import Sequence

from fake_model import FakeModel

from conspectus import straight
from conspectus.assemble import Wish
from conspectus.document import Detail, Digest, Source
from conspectus.drafts import MapCall
from conspectus.mapping import Answers
from conspectus.reduce import ReduceCall
from conspectus.straight import Models


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
