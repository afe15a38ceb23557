"""Telling people how a run ended, by mail, Slack, Teams, a webhook or whatever else apprise knows.

Addresses hold tokens and passwords. They come from the environment alone, and are never shown, logged or written down:
messages name an address by its place and kind only.
"""

import logging
import os
import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conspectus.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from apprise import NotifyType

URLS = "CONSPECTUS_NOTIFY_URLS"
_MOST_NAMES = 20
_SAID = {
    ExitCode.OK: "all done",
    ExitCode.PARTIAL: "done, some documents need a look",
    ExitCode.INTERRUPTED: "interrupted",
}
# Each of them writes whole addresses when it is asked for details.
_LOGGERS = ("apprise", "urllib3", "requests")


@dataclass(frozen=True, slots=True)
class Notice:
    """How a run ended: its exit code, a sentence of counts, and the names of documents that need a look.

    `names` is left empty unless the user asked for names: they alone may give away whose papers are read. No text of a
    document ever stands here.
    """

    code: ExitCode
    sentence: str
    names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """One line that says how it went, and on which machine."""
        return f"conspectus on {platform.node() or 'this machine'}: {_SAID.get(self.code, 'failed')}"

    @property
    def body(self) -> str:
        """The counts, then the names, at most twenty."""
        shown = [_one_line(name) for name in self.names[:_MOST_NAMES]]
        more = len(self.names) - len(shown)
        return "\n".join([self.sentence, *shown, *([f"and {more} more"] if more else [])])


def _one_line(name: str) -> str:
    # A name may hold line ends, marks of direction and broken bytes: none of them may shape the message.
    plain = name.encode("utf-8", "replace").decode()
    return "".join(letter if letter.isprintable() else "?" for letter in plain)


def addresses() -> list[str]:
    """The addresses in the environment; empty where there are none."""
    return os.environ.get(URLS, "").split()


def check_addresses() -> None:
    """Refuses, before a night's work, an address that apprise does not know. Raises UsageError without showing it."""
    for place, url in enumerate(addresses(), 1):
        with _silence():
            import apprise

            known = apprise.Apprise().add(url)
        if not known:
            raise UsageError(
                f"address {place} in {URLS} is none that notifications can go to",
                "Addresses stand apart by spaces; each kind has its form: https://appriseit.com/services",
            )


def send(notice: Notice) -> list[str]:
    """Sends the notice to every address and says, in a line each, which could not be reached. Never raises for that."""
    return [line for place, url in enumerate(addresses(), 1) if (line := _send(place, url, notice))]


def _send(place: int, url: str, notice: Notice) -> str:
    kind = url.partition(":")[0][:20]
    try:
        with _silence():
            import apprise

            # Nothing of what an address remembers is to be kept on disk.
            asset = apprise.AppriseAsset(secure_logging=True, storage_mode=apprise.PersistentStoreMode.MEMORY)
            service = apprise.Apprise(asset=asset)
            sent = service.add(url) and service.notify(
                body=notice.body, title=notice.title, notify_type=_kind(notice.code)
            )
    except Exception as error:
        # Whatever a service does, the digests are there; the error's text may repeat the address.
        return f"notification {place} ({kind}) failed: {type(error).__name__}"
    return "" if sent else f"notification {place} ({kind}) could not be sent"


def _kind(code: ExitCode) -> "NotifyType":
    from apprise import NotifyType

    good, middling = NotifyType.SUCCESS, NotifyType.WARNING
    return {ExitCode.OK: good, ExitCode.PARTIAL: middling, ExitCode.INTERRUPTED: middling}.get(code, NotifyType.FAILURE)


@contextmanager
def _silence() -> Iterator[None]:
    """No line of a log, and no warning of modules that are loaded, while addresses are handled."""
    loggers = _with_children(_LOGGERS)
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _with_children(names: Sequence[str]) -> list[logging.Logger]:
    # Made here where they are not there yet: a logger that comes up meanwhile would speak.
    known = [*names, "urllib3.connectionpool", "urllib3.util.retry", *logging.root.manager.loggerDict]
    return [logging.getLogger(name) for name in dict.fromkeys(known) if name.split(".")[0] in names]
