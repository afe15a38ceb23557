"""Calls that were over the model's context after all (a server may have less than it said), asked in smaller ones."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from conspectus.digesting.mapping import Answers
from conspectus.llama import Completion, Request


class Call(Protocol):
    """Anything with a request."""

    @property
    def request(self) -> Request:
        """What the model is asked."""
        ...


C = TypeVar("C", bound=Call)


def in_parts(
    ask: Callable[[Sequence[Request]], Answers], calls: Sequence[C], halve: Callable[[C], Sequence[C]]
) -> tuple[list[C], Answers]:
    """The calls that were made in the end, and their answers by place.

    `halve` gives smaller calls for one that was too long, none where there are none: that one stays, among the
    `too_long` of the answers. Ends as long as `halve` gives smaller calls.
    """
    made: list[C] = []
    found: dict[int, Completion] = {}
    failures: dict[int, str] = {}
    too_long: set[int] = set()
    todo = list(calls)
    while todo:
        answers = ask([call.request for call in todo])
        smaller: list[C] = []
        for place, call in enumerate(todo):
            parts = halve(call) if place in answers.too_long else ()
            smaller += parts
            if parts:
                continue
            if place in answers.completions:
                found[len(made)] = answers.completions[place]
            elif place in answers.too_long:
                too_long.add(len(made))
            else:
                failures[len(made)] = answers.failures.get(place, "the call was not made")
            made.append(call)
        todo = smaller
    return made, Answers(found, failures, frozenset(too_long))
