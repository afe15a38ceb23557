"""Documents of a set size and a model of set speed, for measuring what the program itself costs."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conspectus.llama import Completion, Finish, Message, ModelInfo, Request

_NUMBERED = re.compile(r"^\[(\d+)\] (.*)$", re.M)
_SUBJECTS = ("Tenant", "Landlord", "Guarantor", "Agent", "Surveyor", "Insurer", "Contractor", "Managing Agent")
_ACTS = ("pay", "deliver", "keep", "repair", "insure", "notify", "allow", "return", "inspect", "replace")
_THINGS = ("the roof", "the boiler", "each invoice", "the deposit", "the keys", "the premises", "the register",
           "all fittings", "the drains", "the accounts")  # fmt: skip


def clause(number: int, salt: str = "") -> str:
    """A sentence like no other: one subject, duty, amount, period and condition."""
    subject, act = _SUBJECTS[number % 8], _ACTS[number // 8 % 10]
    thing = _THINGS[number // 80 % 10]
    return (
        f"The {subject} shall {act} {thing} {salt}within {number % 59 + 2} days of notice number {number}, "
        f"unless the amount due under item {number} is less than GBP {number * 7 + 100}, "
        f"in which case clause {number % 40 + 1} applies to the {subject} instead."
    )


def text_document(clauses: int, salt: str = "") -> str:
    """A contract in articles of ten numbered clauses."""
    lines = [f"AGREEMENT {salt}".strip(), ""]
    for number in range(clauses):
        if number % 10 == 0:
            lines.append(f"{number // 10 + 1}. ARTICLE {number // 10 + 1}")
        lines.append(f"{number // 10 + 1}.{number % 10 + 1} {clause(number, f'{salt} ' if salt else '')}")
    return "\n".join(lines) + "\n"


def write_documents(folder: Path, count: int, clauses: int) -> list[Path]:
    """So many text documents, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"contract-{number:03}.txt" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(text_document(clauses, f"C{number:03}"), "utf-8")
    return paths


class SlowModel:
    """The `Model` contract: `slots` calls at a time, each `latency` seconds; lines are the sentences in other words."""

    def __init__(self, slots: int, latency: float, context: int = 4096) -> None:
        self.info = ModelInfo("slow", "5" * 64, context, slots)
        self.calls = 0
        self.busy_seconds = 0.0
        self._latency = latency
        self._slots = threading.Semaphore(slots)
        self._lock = threading.Lock()

    def count(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content) // 4 + 5 for message in messages)

    def count_texts(self, texts: Sequence[str]) -> list[int]:
        return [len(text) // 4 + 1 for text in texts]

    def complete(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] | None = None
    ) -> list[Completion]:
        return [self._one(request) for request in requests]

    def close(self) -> None:
        pass

    def _one(self, request: Request) -> Completion:
        with self._slots:
            began = time.monotonic()
            time.sleep(self._latency)
            with self._lock:
                self.calls += 1
                self.busy_seconds += time.monotonic() - began
        shown = {int(number): text for number, text in _NUMBERED.findall(request.messages[-1].content)}
        lines = tuple(shown.get(int(start.rstrip(": ")), "").replace("shall", "must") for start in request.forced)
        return Completion(lines, Finish.STOP, self.count(request.messages), 0, 20 * len(lines), self._latency)
