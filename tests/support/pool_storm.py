"""Many requests on three servers with every fault at once; for the test and for benchmarks/engine/pool_faults.py."""

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fake_server import FakeServer

from conspectus.errors import ConspectusError
from conspectus.llama import Message, Request
from conspectus.llama.pool import PoolSettings, ServerPool, parse_addresses

SETTINGS = PoolSettings(
    cooldown_s=0.05, cooldown_most_s=0.2, patience_s=2.0, probe_s=2.0, silence_s=0.4, first_byte_s=2.0, verify_s=0.05,
    hedge_least_s=0.3,
)  # fmt: skip
SHARES = (("error500", 0.2), ("hang", 0.02), ("close", 0.05), ("garbage", 0.05), ("drop", 0.02), ("overflow", 0.01),
          ("busy", 0.02), ("reasoning", 0.01))  # fmt: skip


@dataclass
class Storm:
    """How the requests ended: answers by number, errors by type, and what went on meanwhile."""

    count: int
    answers: dict[int, str] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    ended: Counter[int] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    outages: int = 0
    hedged: int = 0
    seconds: float = 0.0
    close_s: float = 0.0
    threads: list[str] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """Requests that never ended."""
        return self.count - len(self.ended)

    @property
    def twice(self) -> int:
        """Requests that ended more than once."""
        return sum(times > 1 for times in self.ended.values())

    @property
    def wrong(self) -> int:
        """Requests that got the answer of another."""
        return sum(text != f"Rent {number} is due." for number, text in self.answers.items())

    @property
    def is_sound(self) -> bool:
        """Every request ended once, with its own answer or one typed error."""
        return not (self.lost or self.twice or self.wrong or self.threads) and self.close_s < 3


def run_storm(count: int, seed: int) -> Storm:
    """Sends `count` requests, 24 at a time."""
    storm, luck, lock = Storm(count), random.Random(seed), threading.Lock()

    def fault(_n: int, _body: dict[str, Any]) -> str | None:
        with lock:
            dice = luck.random()
        for name, share in SHARES:
            if dice < share:
                return name
            dice -= share
        return None

    with FakeServer() as one, FakeServer() as two, FakeServer() as three:
        servers = (one, two, three)
        pool = ServerPool(parse_addresses(",".join(s.url for s in servers)), SETTINGS, storm.notes.append)
        assert pool.info.slots == 12
        for server in servers:
            server.fault, server.piece_s = fault, 0.001

        def call(number: int) -> None:
            if number == count // 4:
                two.slots = 3
            if number == count // 3:
                two.context //= 2
            if number == count // 2:
                three.model = "llama-8b"
            request = Request((Message("user", f"[1] Rent {number} is due.\n\nRestate 1."),), 100, ("1: ",), 40)
            try:
                (made,) = pool.complete([request])
            except ConspectusError as error:
                with lock:
                    storm.errors[type(error).__name__] += 1
            else:
                storm.answers[number] = "".join(made.lines)
            with lock:
                storm.ended[number] += 1

        began = time.monotonic()
        with ThreadPoolExecutor(24) as workers:
            list(workers.map(call, range(count)))
        storm.seconds = time.monotonic() - began
        began = time.monotonic()
        pool.close()
        storm.close_s = time.monotonic() - began
        storm.hedged = pool.hedged
        storm.outages = sum(figures.outages for figures in pool.figures.values())
        storm.calls = sum(len(server.calls) for server in servers)
        for server in servers:
            storm.faults.update(server.faults)
    storm.threads = [t.name for t in threading.enumerate() if t.name.startswith("conspectus-")]
    return storm
