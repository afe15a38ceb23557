"""The calls of a run before it is made: how many by level, how many are answered already, how long they may take."""

import contextlib
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from conspectus.digesting import reduce, retries
from conspectus.digesting.answers import lookup
from conspectus.digesting.mapping import MapPlan
from conspectus.digesting.materiality import rank
from conspectus.document import Source
from conspectus.llama import Completion, Model, Request
from conspectus.run.speeds import Speed

MEASURE_SECONDS = 10.0


class CallFacts(TypedDict):
    """Calls by level. `first` is exact; the others are ceilings, reached only where every line is refused.

    `more_at_most` are calls about further sentences where the lines leave room, each asked again once at most.
    `cached` of the `first` have stored answers; `prompt_tokens` and `answer_tokens` (a ceiling) are those of the rest.
    """

    first: int
    cached: int
    retries_at_most: int
    more_at_most: int
    sections_at_most: int
    document_at_most: int
    at_most: int
    prompt_tokens: int
    answer_tokens: int


class TimeFacts(TypedDict):
    """Minutes of model work: for the first round, and where every ceiling is reached; `source` says how it is known."""

    first: float
    at_most: float
    tokens_a_second: float
    source: str


def call_facts(source: Source, plan: MapPlan, model: Model, answers: Path | None, *, words: bool = True) -> CallFacts:
    """The calls that a run of `plan` makes. `answers` is the folder of stored answers; `words` False: no overviews."""
    missing = missing_requests(plan, model, answers)
    distinct = len({call.request.key(model.info.fingerprint) for call in plan.calls})
    again, more = retries.ROUNDS * len(plan.chosen), 2 * _more(source, plan)
    sections = _sections(source, plan, model) if words else 0
    document = _document(plan, model) if words and plan.chosen else 0
    return CallFacts(
        first=len(plan.calls),
        cached=distinct - len(missing),
        retries_at_most=again,
        more_at_most=more,
        sections_at_most=sections,
        document_at_most=document,
        at_most=len(plan.calls) + again + more + sections + document,
        prompt_tokens=sum(model.count(request.messages) for request in missing),
        answer_tokens=sum(request.max_tokens for request in missing),
    )


def missing_requests(plan: MapPlan, model: Model, answers: Path | None) -> list[Request]:
    """The requests of the first round without a stored answer, each once."""
    fingerprint = model.info.fingerprint
    found = {call.request.key(fingerprint): call.request for call in plan.calls}
    return [request for key, request in found.items() if answers is None or lookup(answers, key) is None]


def _is_roomy(plan: MapPlan, model: Model, lines: int) -> bool:
    """Whether so many lines of the longest kind surely fit one call: their sentences, the answer, and what is said."""
    longest = max((plan.tokens[index] for index in plan.chosen), default=0)
    return lines * (2 * longest + 150) + 500 <= model.info.context


def _more(source: Source, plan: MapPlan) -> int:
    """Sentences that may be chosen later."""
    ranked = rank(source.sentences, source.clauses, source.language, plan.first)
    return sum(not source.sentences[index].is_row for index in set(ranked) - set(plan.chosen))


def _sections(source: Source, plan: MapPlan, model: Model) -> int:
    sentences = Counter(sentence.clause for sentence in source.sentences)
    counts = [sum(sentences[clause] for clause in section.clauses) for section in reduce.group(source, [])]
    each = 1 if _is_roomy(plan, model, 2 * reduce.SECTION_LINES) else reduce.SECTION_LINES
    return each * sum(count >= reduce.SECTION_MIN for count in counts)


def _document(plan: MapPlan, model: Model) -> int:
    size = reduce.LINES_A_CALL if _is_roomy(plan, model, 2 * reduce.LINES_A_CALL) else 1
    return -(-reduce.DOCUMENT_MOST // size)


def time_facts(calls: CallFacts, speed: Speed | None, source: str) -> TimeFacts | None:
    """Minutes for these calls at a measured speed; None where it was never measured.

    An answer is taken to be as long as those measured were, at most what the requests allow.
    """
    if speed is None or speed.tokens_a_second <= 0:
        return None
    left = calls["first"] - calls["cached"]
    answer = min(speed.answer_tokens * left, calls["answer_tokens"]) if speed.calls else calls["answer_tokens"]
    first = (calls["prompt_tokens"] + answer) / speed.tokens_a_second / 60
    # A call of a later level is no longer than one of the first round.
    each = (first / left) if left else _a_call(speed)
    return TimeFacts(
        first=round(first, 2),
        at_most=round(first + each * (calls["at_most"] - calls["first"]), 2),
        tokens_a_second=round(speed.tokens_a_second, 1),
        source=source,
    )


def _a_call(speed: Speed) -> float:
    return speed.seconds / speed.calls / 60 if speed.calls else 0.0


def measure(requests: list[Request], model: Model) -> Speed | None:
    """The speed of the model over about ten seconds: as many requests as it has slots. None where none is left.

    Loading is not counted: the time runs from the first token on. Raises EngineError and ModelError. The answers are
    not stored: they may be cut by the time.
    """
    if not requests:
        return None
    tried = [replace(request, deadline_s=MEASURE_SECONDS) for request in requests[: max(1, model.info.slots)]]
    watch = _Watch()
    done: list[Completion] = []
    # What the watch raises ends the requests under way.
    with contextlib.suppress(_Enough):
        done = model.complete(tried, watch)
    prompt, generated = watch.tokens
    if prompt + generated == 0:
        prompt = sum(one.prompt_tokens - one.cached_tokens for one in done if one.generated_tokens)
        generated = sum(one.generated_tokens for one in done)
    # Of requests that were ended nobody knows how long their answers would have become.
    return Speed(len(done), prompt, generated, watch.seconds())


class _Enough(Exception):
    """The ten seconds are over."""


class _Watch:
    """Takes the progress of requests, and ends them when the time is over."""

    def __init__(self) -> None:
        self.tokens = (0, 0)
        self._base: tuple[int, int] | None = None
        self._thread = threading.get_ident()
        self._first = time.monotonic()

    def seconds(self) -> float:
        """Since the first progress, or since the start where there was none."""
        return max(time.monotonic() - self._first, 0.001)

    def __call__(self, prompt: int, generated: int) -> None:
        if self._base is None:
            self._first, self._base = time.monotonic(), (prompt, generated)
        self.tokens = (prompt - self._base[0], generated - self._base[1])
        # Raised in the caller's own thread alone: in another one it would end what is not ours.
        if self.seconds() >= MEASURE_SECONDS and threading.get_ident() == self._thread:
            raise _Enough
