"""What a user may ask of a batch, as the command line shows it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

from conspectus.options.digest import DigestOptions

_BATCH = Group("Batch", sort_key=1)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class BatchOptions(DigestOptions):
    """How many documents are digested."""

    from_list: Annotated[Path | None, Parameter(group=_BATCH)] = None
    """File with one path a line (or separated by NUL); - is stdin."""
    jobs: Annotated[int | None, Parameter(group=_BATCH)] = None
    """Documents under way at a time (default: as many as keep the model's slots busy)."""
    retry_failed: Annotated[bool, Parameter(group=_BATCH, negative=())] = False
    """Try again what could not be read last time, even where its file has not changed."""
    fail_fast: Annotated[bool, Parameter(group=_BATCH, negative=())] = False
    """Begin no other document once one has failed."""
    max_hours: Annotated[float | None, Parameter(group=_BATCH)] = None
    """Begin no other document after so many hours; the same command goes on from there."""
    wait: Annotated[float, Parameter(group=_BATCH)] = 0.0
    """Minutes to wait for a model server that does not answer, at the start or in the middle of the run."""
