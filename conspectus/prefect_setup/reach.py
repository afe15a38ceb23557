"""Whether the Prefect server that the user chose with PREFECT_API_URL answers."""

import http.client
import time
from collections.abc import Callable
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from conspectus.errors import UsageError

_TRY_AGAIN_SECONDS = 5.0
_NEWS_SECONDS = 300.0


def check_users_server(url: str) -> None:
    """Asks the server twice, a second apart. Raises UsageError where it does not answer or is broken."""
    reason = ""
    for pause in (0.0, 1.0):
        time.sleep(pause)
        reason = why_unreachable(url)
        if not reason:
            return
    raise UsageError(
        f"The Prefect server of PREFECT_API_URL, {url}, cannot be reached: {reason}",
        "Start it or correct the address; unset PREFECT_API_URL to use a local server",
    )


def wait_for_users_server(url: str, note: Callable[[str], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Returns once the server answers, however long that takes; says that it waits at once and every five minutes."""
    waited, said_at = 0.0, 0.0
    while reason := why_unreachable(url):
        if waited >= said_at:
            note(f"the Prefect server {url} cannot be reached ({reason}); waiting for it, Ctrl-C ends")
            said_at = waited + _NEWS_SECONDS
        sleep(_TRY_AGAIN_SECONDS)
        waited += _TRY_AGAIN_SECONDS
    if waited:
        note(f"the Prefect server {url} answers now")


def why_unreachable(url: str) -> str:
    """Why the server at `url` (of its API) cannot be used; empty where it answers."""
    try:
        with urlopen(Request(f"{url.rstrip('/')}/health"), timeout=5):
            return ""
    except HTTPError as error:
        error.close()
        return f"it answers with status {error.code}" if error.code >= 500 else ""
    except (URLError, OSError, ValueError, http.client.HTTPException) as error:
        reason = str(getattr(error, "reason", error)) or type(error).__name__
        # Whether its certificate will do is for Prefect's own TLS settings to say.
        return "" if "CERTIFICATE_VERIFY_FAILED" in reason else reason
