"""What a run over a document would be: its pages, clauses and characters, and with a model its tokens and calls.

It goes the way of the run (mapping.plan), so what it says is what a run does.
"""

from collections import Counter
from typing import TypedDict

from conspectus.document import ClauseKind, Detail, Source
from conspectus.llama import Model
from conspectus.mapping import plan

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


class PlanFacts(TypedDict):
    """A plan as plain data. `tokens`, `chunks` and `map_calls` are None without a model.

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


def plan_facts(source: Source, model: Model | None, detail: Detail = Detail.NORMAL) -> PlanFacts:
    """What a run would do with a document. Nothing is asked of the model but to count.

    Raises ContextTooSmall, as the run would, where a sentence does not fit the model.
    """
    document = source.document
    kinds = Counter(clause.kind for clause in source.clauses)
    made = plan(source, detail, model) if model else None
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
    )


def render_plan(facts: PlanFacts) -> str:
    """The plan for people: one line each for pages, clauses and calls, and a line for every page that is not plain."""
    statuses = Counter(page["status"] for page in facts["pages"])
    counts = [f"{facts['clauses']:,} clauses"]
    kinds = {
        "articles": facts["articles"],
        "numbered": facts["numbered"],
        "recitals": facts["recitals"],
        "containers": facts["containers"],
        "paragraphs": facts["paragraphs"],
        "front": facts["front"],
    }
    counts += [f"{count:,} {kind}" for kind, count in kinds.items() if count]
    lines = [
        facts["file"],
        f"  pages     {len(facts['pages']):,}: " + ", ".join(f"{count:,} {name}" for name, count in statuses.items()),
        f"  text      {facts['characters']:,} characters, language {facts['language']}",
        f"  clauses   {': '.join([counts[0], ', '.join(counts[1:])]) if counts[1:] else counts[0]}",
        f"  sentences {facts['sentences']:,}",
    ]
    if facts["model"] is not None:
        lines += [
            f"  model     {facts['model']}: {facts['tokens']:,} tokens in {facts['chunks']:,} chunks",
            f"  calls     {facts['map_calls']:,} for {facts['chosen']:,} sentences at --detail {facts['detail']}",
        ]
    lines += [f"  warning   {warning}" for warning in facts["warnings"]]
    odd = [page for page in facts["pages"] if page["status"] != "text" or page["warnings"]]
    for page in odd[:_SHOWN_PAGES]:
        why = "; ".join(part for part in (page["reason"], *page["warnings"]) if part)
        lines.append(f"  page {page['label']}: {page['status']}{f' ({why})' if why else ''}")
    if len(odd) > _SHOWN_PAGES:
        lines.append(f"  and {len(odd) - _SHOWN_PAGES:,} more pages; --json names them all")
    return "\n".join(lines)
