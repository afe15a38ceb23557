"""Reduce: sections and overviews. Code groups, orders and ranks; the model only words; every line is checked again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conspectus import prompts
from conspectus.check import Reason, best_fit, check, is_copy
from conspectus.document import Clause, OverviewSentence, Section, Source, Statement, Verdict
from conspectus.drafts import MARK_TOKENS, clean, line_request, messages_of
from conspectus.llama import Completion, Model, Request
from conspectus.materiality import materiality

SECTION_LINES = 2
DOCUMENT_LINES = 5
SECTION_MIN = 6  # with fewer statements the statements are the overview
LONGEST_LINE = 320  # characters of a line that may enter an overview; the whole is at most a page
PER_BATCH = 24


@dataclass(frozen=True, slots=True)
class ReduceCall:
    """One model call that words `count` lines from statements (indexes into the digest's statements)."""

    part: str
    inputs: tuple[int, ...]
    count: int
    request: Request


def group(source: Source, statements: Sequence[Statement]) -> list[Section]:
    """The document's top-level parts with their statements, in order; overviews still empty.

    A clause belongs to the outermost heading it stands under; a clause under none is its own part.
    """
    sections: list[Section] = []
    numbers = {clause.id: position for position, clause in enumerate(source.clauses)}
    by_clause: dict[int, list[int]] = {}
    for position, statement in enumerate(statements):
        by_clause.setdefault(numbers[statement.clause_id], []).append(position)
    for position, clause in enumerate(source.clauses):
        heading = _top(clause)
        said = tuple(by_clause.get(position, ()))
        if sections and sections[-1].heading == heading:
            last = sections[-1]
            sections[-1] = Section(heading, (*last.clauses, position), last.statements + said, ())
        else:
            sections.append(Section(heading, (position,), said, ()))
    return sections


def _top(clause: Clause) -> str:
    return clause.path[0] if clause.path else f"{clause.number} {clause.heading}".strip()


def weightiest(source: Source, statements: Sequence[Statement], among: Sequence[int], count: int) -> list[int]:
    """The `count` most material of the statements `among`, in document order; over-long ones last."""

    def weight(position: int) -> tuple[bool, float, int]:
        text = statements[position].text
        return (len(text) > LONGEST_LINE, -materiality(statements[position].quote, source.language), position)

    return sorted(sorted(among, key=weight)[:count])


def _call(
    source: Source, statements: Sequence[Statement], part: str, inputs: Sequence[int], count: int, model: Model
) -> ReduceCall | None:
    """A call on these statements; None where it does not fit into the context."""
    prompt = prompts.render(
        "overview",
        source.language,
        title=source.document.title,
        part=part,
        statements=[(place, statements[position].text) for place, position in enumerate(inputs, 1)],
        count=count,
    )
    sizes = [size + MARK_TOKENS for size in model.count_texts([statements[position].text for position in inputs])]
    request = line_request(prompt, range(1, count + 1), sizes)
    if model.count(messages_of(prompt)) + request.max_tokens > model.info.context:
        return None
    return ReduceCall(part, tuple(inputs), count, request)


def plan_sections(
    source: Source, statements: Sequence[Statement], sections: Sequence[Section], model: Model
) -> dict[int, ReduceCall]:
    """The calls for the sections that have enough statements, by section; the heaviest statements where not all fit."""
    calls: dict[int, ReduceCall] = {}
    for position, section in enumerate(sections):
        inputs = weightiest(source, statements, section.statements, PER_BATCH)
        if len(inputs) < SECTION_MIN:
            continue
        call = _call(source, statements, section.heading, inputs, SECTION_LINES, model)
        while call is None and len(inputs) > SECTION_LINES + 1:
            inputs = weightiest(source, statements, inputs, len(inputs) // 2)
            call = _call(source, statements, section.heading, inputs, SECTION_LINES, model)
        if call is not None:
            calls[position] = call
    return calls


def floor(source: Source, statements: Sequence[Statement], among: Sequence[int], count: int) -> list[OverviewSentence]:
    """The most material statements as they stand: what an overview is where the model gave nothing true."""
    return [
        OverviewSentence(statements[position].text, statements[position].verdict, (position,))
        for position in weightiest(source, statements, among, count)
    ]


def read_lines(
    source: Source, statements: Sequence[Statement], call: ReduceCall, answer: Completion | None
) -> tuple[OverviewSentence, ...]:
    """The overview of a call: lines that are true to the statement they fit best, filled up from the floor.

    A citation is decided by code: a line rests on the statement whose words it fits best, and is checked against that
    statement's evidence. `answer` None means that the call failed.
    """
    kept: dict[int, OverviewSentence] = {}
    quotes = [statements[position].quote for position in call.inputs]
    for number, line in enumerate(answer.lines if answer is not None else ()):
        text = clean(line)
        if not text or len(text) > LONGEST_LINE or (answer is not None and number in answer.cut):
            continue
        place = best_fit(text, quotes, source.language)
        position = call.inputs[place]
        reasons: tuple[Reason, ...] = check(text, quotes[place], source.language)
        if not reasons and position not in kept:
            same = is_copy(text, quotes[place])
            kept[position] = OverviewSentence(text, Verdict.VERBATIM if same else Verdict.VERIFIED, (position,))
    rest = [position for position in call.inputs if position not in kept]
    for sentence in floor(source, statements, rest, call.count - len(kept)):
        kept[sentence.cites[0]] = sentence
    return tuple(kept[position] for position in sorted(kept))


def leaders(source: Source, statements: Sequence[Statement], sections: Sequence[Section]) -> list[int]:
    """The statements that stand for their sections when the document overview is made, in order."""
    chosen: set[int] = set()
    for section in sections:
        cited = {position for sentence in section.overview for position in sentence.cites}
        chosen |= cited or set(weightiest(source, statements, section.statements, 1))
    return sorted(chosen)


def plan_document(
    source: Source, statements: Sequence[Statement], inputs: Sequence[int], model: Model
) -> list[ReduceCall]:
    """The next level of calls for the document overview: one where all inputs fit, else one a batch.

    Each batch gives at most half as many lines as it takes, so the levels end: the number of inputs falls until one
    call holds them. No calls are returned where not even two statements fit: then the floor is the overview.
    """
    if not inputs:
        return []
    if len(inputs) <= PER_BATCH:
        call = _call(source, statements, "", inputs, min(DOCUMENT_LINES, len(inputs)), model)
        if call is not None:
            return [call]
    size = PER_BATCH
    while size >= 2:
        batches = [inputs[at : at + size] for at in range(0, len(inputs), size)]
        calls = [_call(source, statements, "", batch, max(1, len(batch) // 2), model) for batch in batches]
        if len(batches) > 1 and all(call is not None for call in calls):
            return [call for call in calls if call is not None]
        size //= 2
    return []


def cited(overview: Sequence[OverviewSentence]) -> list[int]:
    """The statements that an overview rests on, in order."""
    return sorted({position for sentence in overview for position in sentence.cites})


def with_overviews(
    sections: Sequence[Section], overviews: Mapping[int, tuple[OverviewSentence, ...]]
) -> tuple[Section, ...]:
    """The sections with their overviews put in; a section without statements keeps an empty one."""
    return tuple(
        Section(section.heading, section.clauses, section.statements, overviews.get(position, ()))
        for position, section in enumerate(sections)
    )
