"""The digest of one document from its source: one sequence of steps, whoever asks the model and whatever watches.

Who asks the model is a parameter (`Ask`): the flows with Prefect's tasks, a run without Prefect, or the store of
answers alone. What runs the steps is another (`Step`): plainly, as tasks, with a clock, or with a memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Protocol, TypeVar, cast

from conspectus.digesting import mapping, reduce, settle
from conspectus.digesting.answers import lookup
from conspectus.digesting.assemble import Failures, Wish, assemble
from conspectus.digesting.drafts import MapCall
from conspectus.digesting.mapping import Answers, Drafts, MapPlan, answers_of
from conspectus.digesting.resplit import in_parts
from conspectus.document import Detail, Digest, Source, Statement
from conspectus.errors import EngineError
from conspectus.llama import Completion, Model, ModelInfo, Request

T = TypeVar("T")


class Ask(Protocol):
    """Answers to requests, by place."""

    def __call__(self, requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        """`stage` is shown to people ("lease.pdf: sentences restated"); `reducing` calls go to the overviews' model."""
        ...


class Step(Protocol):
    """Runs one step of a digest and gives its result."""

    def __call__(self, name: str, do: Callable[[], T]) -> T:
        """`name` says what the step is: read, plan, check, ..."""
        ...


def plainly(name: str, do: Callable[[], T]) -> T:
    """The step itself and nothing around it."""
    return do()


@dataclass(frozen=True, slots=True)
class Models:
    """The model of the lines and the one that words overviews, often the same."""

    model: Model
    reduce_model: Model

    @classmethod
    def of(cls, model: Model, reduce_model: Model | None = None) -> "Models":
        """One model for both, or two."""
        return cls(model, reduce_model or model)

    @property
    def info(self) -> ModelInfo:
        """Facts about the model; with another one for overviews, both names and both fingerprints."""
        first, second = self.model.info, self.reduce_model.info
        if first == second:
            return first
        return ModelInfo(
            name=f"{first.name}, overviews by {second.name}",
            fingerprint=f"{first.fingerprint}+{second.fingerprint}",
            context=first.context,
            slots=first.slots,
        )


def digest(source: Source, wish: Wish, models: Models, ask: Ask, step: Step = plainly) -> Digest:
    """The digest of a source. Raises ContextTooSmall, and what `ask` raises."""
    ((plan, drafts),) = restate([source], wish.detail, models.model, ask, step)
    statements = step("settle", lambda: settled(source, plan, drafts, wish))
    reducing = step(
        "plan overviews",
        lambda: reduce.plan_reduce(source, statements, plan.leads, models.reduce_model, words=wish.reduce),
    )
    calls, answers = in_parts(
        lambda requests: ask(requests, f"{source.document.name}: overviews worded, calls", reducing=True),
        reducing.calls,
        lambda call: reduce.smaller_calls(source, statements, reducing, call, models.reduce_model),
    )
    made = replace(reducing, calls=tuple(calls))
    overviews = step(
        "check overviews",
        lambda: reduce.read_reduce(source, statements, made, answers.completions, answers.failures),
    )
    failures = Failures(drafts.failures, tuple(answers.failures.values()))
    return step(
        "assemble", lambda: assemble(source, plan.key_terms, statements, overviews, wish, models.info, failures)
    )


def settled(source: Source, plan: MapPlan, drafts: Drafts, wish: Wish) -> list[Statement]:
    """The statements within the promised length; where no line was accepted, what the wish says."""
    return settle.settle(source, drafts.drafts, plan.chosen, wish.detail, plan.first, floor=wish.floor)


def restate(
    sources: Sequence[Source], detail: Detail, model: Model, ask: Ask, step: Step = plainly
) -> list[tuple[MapPlan, Drafts]]:
    """Map: lines of the model, checked. Refused ones are asked again, what room they leave is filled, and once more.

    The calls of several sources are made together. The plan has all chosen sentences and the calls of the last fill.
    """
    rounds = _Rounds(sources, model, ask, step)
    plans = step("plan", lambda: [mapping.plan(source, detail, model) for source in sources])
    drafts = rounds.answered(plans, [plan.calls for plan in plans], "sentences restated, calls")
    drafts = rounds.again(plans, drafts, 0)
    plans = step(
        "plan more",
        lambda: [
            mapping.fill_up(source, plan, so_far, detail, model)
            for source, plan, so_far in zip(sources, plans, drafts, strict=True)
        ],
    )
    more = rounds.answered(plans, [plan.calls for plan in plans], "more sentences restated, calls")
    drafts = [mapping.join(before, after) for before, after in zip(drafts, more, strict=True)]
    return list(zip(plans, rounds.again(plans, drafts, 1), strict=True))


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Rounds of calls about some sources."""

    sources: Sequence[Source]
    model: Model
    ask: Ask
    step: Step

    def answered(self, plans: Sequence[MapPlan], calls: Sequence[Sequence[MapCall]], stage: str) -> list[Drafts]:
        """The checked drafts of the calls, by source."""
        name = self.sources[0].document.name if len(self.sources) == 1 else f"{len(self.sources)} documents"
        asked = self.ask([call.request for group in calls for call in group], f"{name}: {stage}")
        ends = list(accumulate(len(group) for group in calls))
        dealt = [_dealt(asked, range(end - len(group), end)) for group, end in zip(calls, ends, strict=True)]
        return self.step(
            "check",
            lambda: [
                mapping.read(source, plan, group, said)
                for source, plan, group, said in zip(self.sources, plans, calls, dealt, strict=True)
            ],
        )

    def again(self, plans: Sequence[MapPlan], drafts: Sequence[Drafts], turn: int) -> list[Drafts]:
        """The drafts with the refused lines that came back better."""
        calls = self.step(
            "plan retries",
            lambda: [
                mapping.retries(source, plan, so_far, turn, self.model)
                for source, plan, so_far in zip(self.sources, plans, drafts, strict=True)
            ],
        )
        again = self.answered(plans, calls, "refused lines asked again, calls")
        return [mapping.merge(before, after) for before, after in zip(drafts, again, strict=True)]


def _dealt(asked: Answers, places: range) -> Answers:
    """The answers to the calls at these places, by the places among them."""
    return Answers(
        {own: asked.completions[place] for own, place in enumerate(places) if place in asked.completions},
        {own: asked.failures[place] for own, place in enumerate(places) if place in asked.failures},
        frozenset(own for own, place in enumerate(places) if place in asked.too_long),
    )


class Missing(LookupError):
    """An answer that is not stored."""


def stored(answers: Path, models: Models, on_hit: Callable[[str], None] = lambda key: None) -> Ask:
    """Takes every answer from the store; the returned function raises Missing for one that is not there.

    `on_hit` gets the key of each answer.
    """

    def ask(requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        fingerprint = (models.reduce_model if reducing else models.model).info.fingerprint
        found: dict[str, Completion] = {}
        keys = [request.key(fingerprint) for request in requests]
        for key in dict.fromkeys(keys):
            completion = lookup(answers, key)
            if completion is None:
                raise Missing(key)
            found[key] = completion
        for key in found:
            on_hit(key)
        return Answers({place: found[key] for place, key in enumerate(keys)})

    return ask


def direct(models: Models) -> Ask:
    """Asks the model itself, call by call, and stores nothing. A call that ends in an EngineError is a failure."""

    def ask(requests: Sequence[Request], stage: str, *, reducing: bool = False) -> Answers:
        model = models.reduce_model if reducing else models.model
        found: dict[str, Completion] = {}
        errors: dict[str, EngineError] = {}
        places = [str(place) for place in range(len(requests))]
        for place, request in zip(places, requests, strict=True):
            try:
                (found[place],) = model.complete([request])
            except EngineError as error:
                errors[place] = error
        return answers_of(places, found, errors)

    return ask


class Replay:
    """Remembers the results of steps, so that a second pass over the same steps takes them instead of working again.

    The first pass runs its steps with `keep`, the second one with what `after` returns. Both must take the same steps
    as far as the first one came; answers that are stored make sure of that.
    """

    def __init__(self) -> None:
        self._kept: list[object] = []

    def keep(self, name: str, do: Callable[[], T]) -> T:
        """Runs a step and remembers its result."""
        result = do()
        self._kept.append(result)
        return result

    def after(self, step: Step) -> Step:
        """The remembered results first, each once; `step` runs what comes after them."""
        kept, self._kept = self._kept[::-1], []

        def run(name: str, do: Callable[[], T]) -> T:
            return cast(T, kept.pop()) if kept else step(name, do)

        return run
