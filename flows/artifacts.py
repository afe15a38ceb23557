"""What a nightly run shows in Prefect: how far it is, which documents need a look, where the report is."""

import contextvars
import logging
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from uuid import UUID

from prefect.artifacts import (
    create_link_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from conspectus.journal.types import DocumentState
from conspectus.metrics import metrics
from conspectus.nightly.job import Ran
from conspectus.plural import many

_SECONDS = 1.0  # between two updates, each of which is a request to the server
_MOST_ROWS = 500
_ON_THE_WAY = (DocumentState.QUEUED, DocumentState.READING, DocumentState.RUNNING)
_logger = logging.getLogger(__name__)


class _Share(metrics.Metrics):
    """How many documents there are, and how many have come to their end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: set[Hashable] = set()
        self._done: set[Hashable] = set()

    def document(self, which: Hashable, state: DocumentState) -> None:
        """Counts it."""
        with self._lock:
            self._all.add(which)
            if state not in _ON_THE_WAY:
                self._done.add(which)

    def counts(self) -> tuple[int, int]:
        """Those at their end, and all."""
        with self._lock:
            return len(self._done), len(self._all)


@contextmanager
def shown_progress() -> Iterator[None]:
    """Shows the share of the documents that are done, at most once a second. To be used in a flow."""
    share, stop = _Share(), threading.Event()
    # In the context of the flow, which the artifact then belongs to.
    run = contextvars.copy_context().run
    thread = threading.Thread(target=run, args=(_show, share, stop), name="progress artifact", daemon=True)
    thread.start()
    try:
        with metrics.also(share):
            yield
    finally:
        stop.set()
        thread.join(5.0)


def _show(share: _Share, stop: threading.Event) -> None:
    artifact: UUID | None = None
    shown = (0, 0)
    ending = False
    while not ending:
        ending = stop.wait(_SECONDS)
        now = share.counts()
        if now == shown:
            continue
        done, total = shown = now
        text, percent = f"{done:,} of {many(total, 'document')}", 100.0 * done / total
        try:
            if artifact is None:
                made = create_progress_artifact(percent, key="conspectus-progress", description=text)
                artifact = made if isinstance(made, UUID) else None
            else:
                update_progress_artifact(artifact, percent, description=text)
        except Exception as error:
            # A server that does not take it must not cost a night's digests.
            _logger.debug("progress is not shown: %s", type(error).__name__)


def show_end(ran: Ran) -> None:
    """Shows the documents that need a look, and where the report is. To be called in a flow; never raises."""
    rows = [{"document": name, "state": state, "why": why} for name, state, why in ran.need[:_MOST_ROWS]]
    try:
        if rows:
            create_table_artifact(rows, key="conspectus-attention", description=ran.sentence)
        if ran.report is not None:
            create_link_artifact(
                ran.report.absolute().as_uri(), "morning report", key="conspectus-report", description=ran.sentence
            )
    except Exception as error:
        _logger.debug("the end is not shown: %s", type(error).__name__)
