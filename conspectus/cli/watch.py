"""`conspectus watch`: digests files as they come into a folder."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from conspectus.batch.lock import OutputInUse
from conspectus.cli.nightly import folders, note
from conspectus.errors import ConspectusError, ExitCode, UsageError
from conspectus.metrics.metrics import serving
from conspectus.nightly.job import Ran, settings_of
from conspectus.nightly.notify import check_addresses
from conspectus.nightly.watch import Settling, files_in
from conspectus.options.batch import BatchOptions
from conspectus.options.digest import ReadingOptions
from conspectus.options.service import ServiceOptions
from conspectus.prefect_setup import env as prefect_env
from conspectus.prefect_setup.server import ServerLease, acquire

_LONGEST_PAUSE = 600.0
WARM_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often to look, and how long a file must be still; in seconds."""

    every: float
    still: float


class WarmServer:
    """Keeps the local Prefect server for some minutes after a batch: files seldom come alone, and it starts slowly."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lease: ServerLease | None = None
        self._until = 0.0

    def look(self, busy: bool) -> None:
        """To be called before each batch (`busy`) and while there is none."""
        if busy:
            self._until = self._clock() + WARM_SECONDS
            if self._lease is None:
                prefect_env.configure()
                self._lease = acquire()
        elif self._clock() > self._until:
            self.close()

    def close(self) -> None:
        """Lets the server go."""
        if self._lease is not None:
            self._lease.release()
            self._lease = None


def watch(
    *,
    folder: Annotated[Path, Parameter(show_env_var=False)],
    out: Annotated[Path | None, Parameter(show_env_var=False)] = None,
    every: float = 10.0,
    still: float = 30.0,
    options: BatchOptions | None = None,
    reading: ReadingOptions | None = None,
    service: ServiceOptions | None = None,
) -> int:
    """Digest files as they come into a folder, once they are completely written. Ends with Ctrl-C.

    Examples:
      conspectus watch --folder inbox --out digests
      conspectus watch --folder inbox --out digests --every 60 --still 120     for slow network drives

    Parameters
    ----------
    folder
        Folder of the documents, with the folders below it.
    out
        Folder of the digests, which gets the same tree; the same as -o.
    every
        Seconds between two looks.
    still
        Seconds for which the size and the time of a file must not change before it is digested. A file that is moved
        into the folder in one piece is taken at once.
    """
    from conspectus.nightly.batch import digest_folder, tell_failure

    options, service = options or BatchOptions(), service or ServiceOptions()
    source, target = folders(folder, out, options)
    if every <= 0 or still < 0:
        raise UsageError("--every must be above 0 and --still at least 0", "Leave them out for 10 and 30 seconds")
    settings = settings_of(replace(options, output=None), reading or ReadingOptions(), service)
    check_addresses()
    note(f"watching {source}, digests go to {target}; Ctrl-C ends")
    warm = WarmServer()

    def batch(files: Sequence[Path]) -> Ran:
        warm.look(busy=True)
        return digest_folder(source, target, settings, files)

    def pause(seconds: float) -> None:
        warm.look(busy=False)
        time.sleep(seconds)

    with closing(warm), serving(service.metrics_port, service.metrics_address):
        loop(source, target, Rhythm(every, still), batch, lambda error: tell_failure(error, settings), pause)
    return int(ExitCode.OK)


def loop(
    folder: Path,
    out: Path,
    rhythm: Rhythm,
    batch: Callable[[Sequence[Path]], Ran],
    tell: Callable[[ConspectusError], None] = lambda error: None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Looks, and gives the files that are ready to `batch`, until the run is interrupted.

    Where a batch could do nothing at all (no model server answers, the disk is full), `tell` says so once, and it
    tries again after longer and longer pauses. Raises UsageError where `out` or a setting cannot be used.
    """
    settling, pause, troubled = Settling(rhythm.still), rhythm.every, ""
    while True:
        ready = settling.look(files_in(folder, out), time.time(), time.monotonic())
        if ready:
            try:
                if batch(ready).code is ExitCode.INTERRUPTED:
                    raise KeyboardInterrupt
                pause, troubled = rhythm.every, ""
            except ConspectusError as error:
                if isinstance(error, UsageError) and not isinstance(error, OutputInUse):
                    raise
                settling.again(ready)
                pause = min(max(pause, 1.0) * 2, max(_LONGEST_PAUSE, rhythm.every))
                if error.line() != troubled:
                    tell(error)
                    troubled = error.line()
        sleep(pause)
