"""The figures of several processes as one; imported once the folder that they share is known."""

import os
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead


class AliveCollector(MultiProcessCollector):
    """Sums up the files of a folder; what a process had under way counts only while it lives."""

    def __init__(self, folder: str) -> None:
        super().__init__(CollectorRegistry(), path=folder)  # type: ignore[no-untyped-call]
        self._folder = Path(folder)

    def collect(self) -> Iterable[Metric]:
        """The figures as they stand."""
        for pid in {int(path.stem.rpartition("_")[2]) for path in self._folder.glob("gauge_live*_*.db")}:
            if not _lives(pid):
                mark_process_dead(pid, str(self._folder))  # type: ignore[no-untyped-call]
        return super().collect()  # type: ignore[no-untyped-call,no-any-return]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
