"""Watch mode: which files of a folder are completely written, by looking again and again.

Looking works on every file system, network ones too, where notices of the kernel tell nothing of other machines.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conspectus.batch.files import walk

# What browsers and copying programs lay beside a file, under its name with one of these, until it is whole.
_UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".aria2", ".filepart", ".tmp", ".!qb")


@dataclass(frozen=True, slots=True)
class Facts:
    """What changes when a file is written to: size in bytes, time of the last write in seconds (Unix), inode."""

    size: int
    written: float
    inode: int


@dataclass(slots=True)
class _Seen:
    facts: Facts
    since: float  # our own clock, when these facts were first seen
    looks: int = 1
    given: bool = False


@dataclass(slots=True)
class Settling:
    """Hands out each file once it has been still for so many seconds, and again each time it was changed.

    A file that was moved into place in one piece is known by its last write, which lies back; it waits for a second
    look only. One that is written so slowly that it seems still is handed out too early, and again when it goes on.
    """

    still: float
    _seen: dict[Path, _Seen] = field(default_factory=dict)

    def look(self, files: Mapping[Path, Facts], now: float, clock: float) -> list[Path]:
        """The files that are ready, in their order. `now` is Unix time, `clock` a clock that never jumps, in seconds.

        A file that is not in `files` any more is forgotten.
        """
        for path in [path for path in self._seen if path not in files]:
            del self._seen[path]
        return [path for path, facts in files.items() if self._is_ready(path, facts, now, clock)]

    def again(self, files: Iterable[Path]) -> None:
        """These are to be handed out once more: nothing could be done with them."""
        for path in files:
            if path in self._seen:
                self._seen[path].given = False

    def waiting(self) -> int:
        """How many files are not handed out yet."""
        return sum(1 for seen in self._seen.values() if not seen.given)

    def _is_ready(self, path: Path, facts: Facts, now: float, clock: float) -> bool:
        seen = self._seen.get(path)
        if seen is None or seen.facts != facts:
            self._seen[path] = _Seen(facts, clock)
            return False
        seen.looks += 1
        if seen.given or not facts.size:
            return False
        rests = clock - seen.since >= self.still or now - facts.written >= self.still
        seen.given = rests
        return rests


def files_in(folder: Path, out: Path) -> dict[Path, Facts]:
    """The documents below a folder that nobody is known to be writing, the output folder left out.

    What vanishes or cannot be opened meanwhile is left out too: the next look, or the batch, will tell.
    """
    return {path: facts for path in _whole(folder, out) if (facts := _facts(path)) is not None}


def _whole(folder: Path, out: Path) -> Iterator[Path]:
    for path in walk(folder, out.resolve(), []):
        beside = (path.with_name(path.name + suffix) for suffix in _UNFINISHED)
        if not path.name.startswith(("~$", ".~")) and not any(one.exists() for one in beside):
            yield path


def _facts(path: Path) -> Facts | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return Facts(stat.st_size, stat.st_mtime, stat.st_ino)
