"""Reduce: sections and overviews. Code groups, ranks and picks the points; the model only words them; code checks.

Two levels at most: each section that has enough statements, and the document. A point is one statement, or two of one
aspect. A level has fewer lines than inputs, and a call that does not fit is halved down to one point, whose statement
then stands as it is: so it ends, whatever the window.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from conspectus import prompts
from conspectus.check.align import Candidates, same_line
from conspectus.check.check import Reason, check, is_copy
from conspectus.check.omitted import marked, unmarked
from conspectus.digesting.aspects import Leads
from conspectus.digesting.drafts import MARK_TOKENS, clean, defuse, faults, fits, line_request
from conspectus.digesting.materiality import materiality
from conspectus.document import (
    Clause,
    Language,
    Level,
    LevelCall,
    OverviewSentence,
    Section,
    Source,
    Statement,
    Verdict,
)
from conspectus.evidence.sentences import ELLIPSIS
from conspectus.llama import Completion, Model, Request
from conspectus.text import normalise

SECTION_LINES = 3
SECTION_MIN = 6  # with fewer statements the statements are the overview
DOCUMENT_LEAST, DOCUMENT_MOST = 5, 10
STATEMENTS_A_LINE = 15  # one more sentence of the document overview for so many statements
LONGEST_LINE: Mapping[Language, int] = {Language.EN: 320, Language.ZH: 110}  # characters; longer ones come last
A_PAGE: Mapping[Language, int] = {Language.EN: 3000, Language.ZH: 1200}  # characters of an overview together
ALIKE = 80.0  # rapidfuzz score from which two statements are about one thing
LINES_A_CALL = 5

Point = tuple[int, ...]  # statements by position: the one that stands in, and at most one more


@dataclass(frozen=True, slots=True)
class ReduceCall:
    """One model call that words one line for each point. `section` is its index; None: the document."""

    section: int | None
    points: tuple[Point, ...]
    request: Request


@dataclass(frozen=True, slots=True)
class ReducePlan:
    """The sections, the points of their overviews and of the document's, and the calls about them."""

    sections: tuple[Section, ...]
    points: Mapping[int | None, tuple[Point, ...]]
    calls: tuple[ReduceCall, ...]


@dataclass(frozen=True, slots=True)
class Overviews:
    """What the reduce step made: sections with their overviews, the document's, and how each call went."""

    sections: tuple[Section, ...]
    document: tuple[OverviewSentence, ...]
    levels: tuple[Level, ...]


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


def plan_reduce(
    source: Source, statements: Sequence[Statement], leads: Sequence[Leads], model: Model, *, words: bool = True
) -> ReducePlan:
    """Sections, points and calls. Without `words` no call is made: the floor is the overview."""
    sections = tuple(group(source, statements))
    pick = _Picker(source, statements, leads)
    points: dict[int | None, tuple[Point, ...]] = {}
    for index, section in enumerate(sections if words else ()):
        among = [place for place in section.statements if place in pick.usable]
        if len(among) >= SECTION_MIN:
            points[index] = tuple(sorted(pick.points(among, SECTION_LINES)))
    count = min(DOCUMENT_MOST, max(DOCUMENT_LEAST, len(pick.usable) // STATEMENTS_A_LINE))
    points[None] = pick.points(pick.usable, count, most=DOCUMENT_MOST)
    calls: list[ReduceCall] = []
    for number, own in points.items() if words else ():
        heading = "" if number is None else sections[number].heading
        for at in range(0, len(own), LINES_A_CALL):
            calls += _calls(source, statements, number, heading, own[at : at + LINES_A_CALL], model)
    return ReducePlan(sections, points, tuple(calls))


class _Picker:
    """Chooses what an overview is about: an aspect after the other, then the weightiest of what is left.

    `usable` are the places of the statements that an overview may cite.
    """

    def __init__(self, source: Source, statements: Sequence[Statement], leads: Sequence[Leads]) -> None:
        self.usable = frozenset(place for place, s in enumerate(statements) if s.verdict is not Verdict.UNVERIFIED)
        self._statements = statements
        self._language = source.language
        self._leads = leads
        self._weights = [materiality(statement.quote, source.language) for statement in statements]
        self._words = [normalise(statement.text).casefold() for statement in statements]
        self._place = {index: place for place, s in enumerate(statements) for index in s.sentences}

    def points(self, among: Collection[int], count: int, most: int | None = None) -> tuple[Point, ...]:
        """At most `count` points, as many as `most` where so many aspects speak, in the order of the aspects.

        No two of them are alike, and together they fit a page.
        """
        allowed, heads = set(among), self._by_aspect(set(among), most or count)
        rest = sorted(set(among) - set(heads), key=lambda place: (self._long(place), -self._weights[place], place))
        for place in rest:
            if len(heads) >= count:
                break
            if not self._alike(place, heads):
                heads.append(place)
        heads = self._page(heads)
        taken = set(heads)
        made: list[Point] = []
        for head in heads:
            more = self._companion(head, allowed - taken)
            taken.update(more)
            made.append((head, *more))
        return tuple(made)

    def _by_aspect(self, allowed: set[int], most: int) -> list[int]:
        """One statement of each aspect, then the second ones; in the order of the aspects."""
        chosen: list[tuple[int, int]] = []
        for turn in range(max((lead.points for lead in self._leads), default=0)):
            for order, lead in enumerate(self._leads):
                if turn < lead.points and len(chosen) < most:
                    best = self._best(lead, allowed, [place for _, place in chosen])
                    chosen += [] if best is None else [(order, best)]
        return [place for _, place in sorted(chosen, key=lambda pair: pair[0])]

    def _best(self, lead: Leads, allowed: set[int], heads: Sequence[int]) -> int | None:
        """The best statement of an aspect that says nothing said yet; an over-long one where there is no other."""
        places = [self._place[index] for index in lead.sentences if index in self._place]
        fresh = (place for place in sorted(places, key=self._long) if place in allowed)
        return next((place for place in fresh if not self._alike(place, heads)), None)

    def _long(self, place: int) -> bool:
        return len(self._statements[place].text) > LONGEST_LINE[self._language]

    def _akin(self, place: int, other: int) -> bool:
        """True where some aspect is that of both."""
        here, there = (set(self._statements[position].sentences) for position in (place, other))
        return any(here & set(lead.sentences) and there & set(lead.sentences) for lead in self._leads)

    def _alike(self, place: int, others: Sequence[int]) -> bool:
        """True where a statement is one of the others or says nearly the same."""
        if place in others:
            return True
        return any(fuzz.token_sort_ratio(self._words[place], self._words[other]) >= ALIKE for other in others)

    def _page(self, heads: Sequence[int]) -> list[int]:
        """As many of the points as a page holds, at least one."""
        kept: list[int] = []
        left = A_PAGE[self._language]
        for head in heads:
            if not kept or len(self._statements[head].text) <= left:
                kept.append(head)
                left -= len(self._statements[head].text)
        return kept

    def _companion(self, head: int, free: set[int]) -> Point:
        """A second statement of the same clause and aspect, where both are short enough for one sentence."""
        limit = LONGEST_LINE[self._language] * 3 // 4
        for place in sorted(free):
            same = self._statements[place].clause_id == self._statements[head].clause_id and self._akin(place, head)
            if same and len(self._statements[place].text) + len(self._statements[head].text) <= limit:
                return (place,)
        return ()


def _calls(
    source: Source,
    statements: Sequence[Statement],
    section: int | None,
    heading: str,
    points: Sequence[Point],
    model: Model,
) -> list[ReduceCall]:
    """One call for the points, or two for half of them each where one does not fit; none for a point too big alone."""
    part = {} if section is None else {"part": heading}
    texts = [[defuse(statements[place].text) for place in point] for point in points]
    prompt = prompts.render(
        "document-overview" if section is None else "section-overview",
        source.language,
        title=source.document.title,
        points=list(enumerate(texts, 1)),
        **part,
    )
    request = line_request(prompt, [sum(model.count_texts(point)) + MARK_TOKENS for point in texts])
    if fits(request, model):
        return [ReduceCall(section, tuple(points), request)]
    if len(points) == 1:
        return _calls(source, statements, section, heading, [points[0][:1]], model) if len(points[0]) > 1 else []
    half = len(points) // 2
    first = _calls(source, statements, section, heading, points[:half], model)
    return first + _calls(source, statements, section, heading, points[half:], model)


def smaller_calls(
    source: Source, statements: Sequence[Statement], plan: ReducePlan, call: ReduceCall, model: Model
) -> list[ReduceCall]:
    """Calls about half of the points each of one that was over the model's context; none for a single statement."""
    heading = "" if call.section is None else plan.sections[call.section].heading
    half = len(call.points) // 2
    parts = [call.points[:half], call.points[half:]] if half else [(call.points[0][:1],)]
    if parts == [call.points]:
        return []
    return [one for part in parts for one in _calls(source, statements, call.section, heading, part, model)]


def read_reduce(
    source: Source,
    statements: Sequence[Statement],
    plan: ReducePlan,
    completions: Mapping[int, Completion],
    failures: Mapping[int, str],
) -> Overviews:
    """The overviews from the answers, by the call's place. A refused or missing line is replaced by its statement."""
    worded: dict[tuple[int | None, int], OverviewSentence] = {}
    told: dict[int | None, list[LevelCall]] = {}
    for place, call in enumerate(plan.calls):
        answer = completions.get(place)
        sentences = _read(source, statements, call, answer) if answer is not None else ()
        for point, sentence in zip(call.points, sentences, strict=False):
            if sentence.verdict is not Verdict.UNVERIFIED:
                worded[call.section, point[0]] = sentence
        part = "" if call.section is None else plan.sections[call.section].heading
        inputs = tuple(position for point in call.points for position in point)
        # Cleaned: what a model thought on its way is no part of a digest.
        lines = tuple(clean(line) for line in answer.lines) if answer is not None else ()
        why = "" if answer is not None else failures.get(place, "the call was not made")
        told.setdefault(call.section, []).append(LevelCall(part, inputs, lines, sentences, why))
    overviews = {
        number: _one_page(
            [worded.get((number, point[0])) or _floor(statements, point[0]) for point in points], source.language
        )
        for number, points in plan.points.items()
    }
    named = (
        ("sections", [call for number, calls in told.items() if number is not None for call in calls]),
        ("document", told.get(None, [])),
    )
    sections = tuple(
        Section(section.heading, section.clauses, section.statements, overviews.get(number, ()))
        for number, section in enumerate(plan.sections)
    )
    levels = tuple(Level(name, tuple(calls)) for name, calls in named if calls)
    return Overviews(sections, overviews[None], levels)


def _one_page(sentences: Sequence[OverviewSentence], language: Language) -> tuple[OverviewSentence, ...]:
    """The sentences from the first on that a page holds; always the first one."""
    kept: list[OverviewSentence] = []
    for sentence in sentences:
        if kept and sum(len(other.text) for other in kept) + len(sentence.text) > A_PAGE[language]:
            break
        kept.append(sentence)
    return tuple(kept)


def _floor(statements: Sequence[Statement], position: int) -> OverviewSentence:
    """A statement as it stands: what an overview says where the model gave nothing true."""
    return OverviewSentence(statements[position].text, statements[position].verdict, (position,))


def _read(
    source: Source, statements: Sequence[Statement], call: ReduceCall, answer: Completion
) -> tuple[OverviewSentence, ...]:
    """A sentence for each line of an answer: with the statements that it is true to, or UNVERIFIED with the reasons."""
    found: list[OverviewSentence] = []
    said: list[str] = []
    for place, (raw, point) in enumerate(zip(answer.lines, call.points, strict=False)):
        text = unmarked(clean(raw))
        sentence = _judge(source, statements, call, point, text)
        reasons = faults(raw, text, _quote(statements, point), cut=place in answer.cut)
        if len(text) > LONGEST_LINE[source.language] and not any(len(statements[p].text) >= len(text) for p in point):
            reasons.append(Reason.LONGER)
        if text and any(same_line(text, other) for other in said):
            reasons.append(Reason.REPEATED)
        said.append(text)
        if reasons:
            why = tuple(dict.fromkeys([*(reason.value for reason in reasons), *sentence.reasons]))
            sentence = OverviewSentence(text, Verdict.UNVERIFIED, point[:1], why)
        found.append(sentence)
    return tuple(found)


def _judge(
    source: Source, statements: Sequence[Statement], call: ReduceCall, point: Point, text: str
) -> OverviewSentence:
    """A line against the evidence of its point: of the first statement, of the second, or of both.

    One that fits a statement of another point better is refused.
    """
    shown = [position for other in call.points for position in other]
    first: tuple[Reason, ...] = ()
    for cites in dict.fromkeys([point[:1], point[1:], point]):
        if not cites:
            continue
        quote = _quote(statements, cites)
        reasons = check(text, quote, source.language)
        first = first or reasons
        if not reasons:
            if _shifted(source, statements, shown, point, text):
                return OverviewSentence(text, Verdict.UNVERIFIED, cites, (Reason.NEIGHBOUR.value,))
            if is_copy(text, quote):
                return OverviewSentence(text, Verdict.VERBATIM, tuple(sorted(cites)))
            # Of several statements a line says something of each; of one it may leave a part out.
            shown_text = marked(text, quote, source.language) if len(cites) == 1 else text
            return OverviewSentence(shown_text, Verdict.VERIFIED, tuple(sorted(cites)))
    return OverviewSentence(text, Verdict.UNVERIFIED, point[:1], tuple(reason.value for reason in first))


def _shifted(source: Source, statements: Sequence[Statement], shown: Sequence[int], point: Point, text: str) -> bool:
    leads = [source.sentences[statements[position].sentences[0]] for position in shown]
    candidates = Candidates(leads, source.language)
    return shown[candidates.best(text, shown.index(point[0]))] not in point


def _quote(statements: Sequence[Statement], cites: Sequence[int]) -> str:
    return ELLIPSIS.join(statements[position].quote for position in sorted(cites))
