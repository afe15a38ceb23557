"""What a run over a document would be: its pages, clauses and characters, and with a model its tokens and calls.

It goes the way of the run (mapping.plan), so what it says is what a run does.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from conspectus.digesting.mapping import plan
from conspectus.document import ClauseKind, Detail, Source
from conspectus.llama import Model
from conspectus.plan.calls import CallFacts, TimeFacts, call_facts, time_facts
from conspectus.plural import many
from conspectus.run.speeds import Speed

_SHOWN_PAGES = 20


class PageFacts(TypedDict):
    """One page: how it was read and how much is on it."""

    index: int
    label: str
    status: str
    engine: str
    reason: str
    characters: int
    warnings: list[str]


class MemoryFacts(TypedDict):
    """Bytes that the model takes in main memory and on the GPU, and whether it fits."""

    main: int
    gpu: int
    fits: bool
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a plan knows besides document and model: stored answers, memory, how fast the model was.

    `speed_source` says where `speed` comes from; `words` is false where no overviews are asked for.
    """

    answers: Path | None = None
    memory: MemoryFacts | None = None
    speed: Speed | None = None
    speed_source: str = ""
    words: bool = True


class PlanFacts(TypedDict):
    """A plan as plain data. `tokens`, `chunks`, `map_calls` and `calls` are None without a model.

    `memory` is None for a model on a server, `minutes` where the speed of the model is not known. `unread` has the
    labels of the pages whose text a digest would miss.

    `tokens` are those of all sentences as the prompt shows them, by the model's own tokenizer, each counted once;
    `map_calls` is the first round, before any line is asked again. `clauses` counts all; `front` are those before the
    first heading and the table of contents.
    """

    file: str
    title: str
    sha256: str
    language: str
    pages: list[PageFacts]
    warnings: list[str]
    characters: int
    clauses: int
    articles: int
    numbered: int
    recitals: int
    containers: int
    paragraphs: int
    front: int
    sentences: int
    detail: str
    model: str | None
    tokens: int | None
    chunks: int | None
    chosen: int | None
    map_calls: int | None
    calls: CallFacts | None
    memory: MemoryFacts | None
    minutes: TimeFacts | None
    unread: list[str]


def plan_facts(
    source: Source, model: Model | None, detail: Detail = Detail.NORMAL, around: Surroundings | None = None
) -> PlanFacts:
    """What a run would do with a document. Nothing is asked of the model but to count.

    Raises ContextTooSmall, as the run would, where a sentence does not fit the model.
    """
    document = source.document
    kinds = Counter(clause.kind for clause in source.clauses)
    around = around or Surroundings()
    made = plan(source, detail, model) if model else None
    calls = call_facts(source, made, model, around.answers, words=around.words) if model and made else None
    return PlanFacts(
        file=document.name,
        title=document.title,
        sha256=document.sha256,
        language=document.language.value,
        pages=[
            PageFacts(
                index=page.index,
                label=page.label,
                status=page.status.value,
                engine=page.engine,
                reason=page.reason,
                characters=len(page.text),
                warnings=list(page.warnings),
            )
            for page in document.pages
        ],
        warnings=list(document.warnings),
        characters=len(document.text),
        clauses=len(source.clauses),
        articles=kinds[ClauseKind.ARTICLE],
        numbered=kinds[ClauseKind.NUMBERED],
        recitals=kinds[ClauseKind.RECITAL],
        containers=kinds[ClauseKind.CONTAINER],
        paragraphs=kinds[ClauseKind.PARAGRAPH],
        front=kinds[ClauseKind.FRONT],
        sentences=len(source.sentences),
        detail=detail.value,
        model=model.info.name if model else None,
        tokens=sum(made.tokens) if made else None,
        chunks=len(made.chunks) if made else None,
        chosen=len(made.chosen) if made else None,
        map_calls=len(made.calls) if made else None,
        calls=calls,
        memory=around.memory if model else None,
        minutes=time_facts(calls, around.speed, around.speed_source) if calls else None,
        unread=[page.label for page in document.pages if page.unread],
    )


def render_plan(facts: PlanFacts) -> str:
    """The plan for people: one line each for pages, clauses and calls, and a line for every page that is not plain."""
    statuses = Counter(page["status"] for page in facts["pages"])
    counts = [many(facts["clauses"], "clause")]
    kinds = (
        (facts["articles"], "article", "articles"),
        (facts["numbered"], "numbered", "numbered"),
        (facts["recitals"], "recital", "recitals"),
        (facts["containers"], "container", "containers"),
        (facts["paragraphs"], "paragraph", "paragraphs"),
        (facts["front"], "front", "front"),
    )
    counts += [many(*kind) for kind in kinds if kind[0]]
    lines = [
        facts["file"],
        f"  pages     {len(facts['pages']):,}: " + ", ".join(f"{count:,} {name}" for name, count in statuses.items()),
        f"  text      {many(facts['characters'], 'character')}, language {facts['language']}",
        f"  clauses   {': '.join([counts[0], ', '.join(counts[1:])]) if counts[1:] else counts[0]}",
        f"  sentences {facts['sentences']:,}",
    ]
    if facts["model"] is not None:
        lines += [
            f"  model     {facts['model']}: {many(facts['tokens'] or 0, 'token')} in "
            f"{many(facts['chunks'] or 0, 'chunk')}",
            f"  calls     {facts['map_calls']:,} for {many(facts['chosen'] or 0, 'sentence')} "
            f"at --detail {facts['detail']}",
            *_cost_lines(facts),
        ]
    if facts["unread"]:
        lines.append(f"  not read  {many(len(facts['unread']), 'page')}: {', '.join(facts['unread'][:_SHOWN_PAGES])}")
    lines += [f"  warning   {warning}" for warning in facts["warnings"]]
    odd = [page for page in facts["pages"] if page["status"] != "text" or page["warnings"]]
    for page in odd[:_SHOWN_PAGES]:
        why = "; ".join(part for part in (page["reason"], *page["warnings"]) if part)
        lines.append(f"  page {page['label']}: {page['status']}{f' ({why})' if why else ''}")
    if len(odd) > _SHOWN_PAGES:
        lines.append(f"  and {many(len(odd) - _SHOWN_PAGES, 'more page')}; --json names them all")
    return "\n".join(lines)


def _cost_lines(facts: PlanFacts) -> list[str]:
    """Calls by level, memory and minutes, as far as they are known."""
    lines, calls, memory, minutes = [], facts["calls"], facts["memory"], facts["minutes"]
    if calls is not None:
        lines.append(
            f"            {calls['cached']:,} answered already; at most {calls['retries_at_most']:,} more for refused "
            f"lines, {calls['more_at_most']:,} for further sentences, {calls['sections_at_most']:,} for sections, "
            f"{calls['document_at_most']:,} for the whole"
        )
    if memory is not None:
        gpu = f", {memory['gpu'] / 2**30:.1f} GiB on the GPU" if memory["gpu"] else ""
        lines.append(f"  memory    {memory['main'] / 2**30:.1f} GiB{gpu}{'' if memory['fits'] else ': does not fit'}")
    if minutes is not None:
        lines.append(
            f"  minutes   {minutes['first']:.1f} to {minutes['at_most']:.1f} "
            f"at {minutes['tokens_a_second']:,.0f} tokens a second ({minutes['source']})"
        )
    elif calls is not None:
        lines.append("  minutes   not known: this model has not run here yet; --measure tries it for ten seconds")
    return lines
