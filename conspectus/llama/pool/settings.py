"""What a pool of servers is told by the user, and how patient it is."""

from dataclasses import dataclass, field
from pathlib import Path

from conspectus.llama.choose import KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Seconds are wall seconds.

    `context` (tokens) and `slots` are taken from servers that tell them, and stand in for those that do not. `attempts`
    bounds how often one request is sent after failures of a server; waiting for one that loads is no attempt.
    """

    context: int = 4096
    slots: int = 4
    api_key: str = field(default="", repr=False)
    key_variable: str = KEY_VARIABLE
    ca_file: Path | None = None
    connect_s: float = 5.0
    first_byte_s: float = 300.0  # a long prompt on a CPU; servers that report prompt progress send bytes meanwhile
    silence_s: float = 60.0  # between two pieces of an answer
    probe_s: float = 60.0  # for the tiny completion that proves a server, and for questions about it
    patience_s: float = 30.0  # without any server, before a request fails
    loading_s: float = 900.0  # the same while one says that it loads its model
    verify_s: float = 15.0  # after which a server is asked again which model it has, before it gets more work
    cooldown_s: float = 0.5  # before a server that failed is tried again; doubled each time
    cooldown_most_s: float = 30.0
    attempts: int = 5
    hedge_least_s: float = 10.0  # the last requests are sent twice when they take longer than this
    hedge_factor: float = 3.0  # and longer than this many times the median
