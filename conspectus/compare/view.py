"""What all forms of a comparison show: its words in both languages, its order, and how much of a long clause."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from conspectus.compare.compare import Change, Comparison, Kind, Line, Side, Status
from conspectus.compare.marks import MarkKind, Run
from conspectus.document import Document, Language, Verdict
from conspectus.plural import Count

AROUND = 160  # characters shown of the words on each side of a difference
WHOLE = 900  # characters up to which a clause without differences is shown whole
LEFT_OUT = " […] "


class Labels(TypedDict):
    """The words of one language."""

    title: str
    earlier: str
    status: Mapping[Status, str]
    summary: str
    partial: str
    failed: str
    kinds: Mapping[Kind, str]
    marks: Mapping[MarkKind, str]
    verdicts: Mapping[Verdict, str]
    old: str
    new: str
    page: str
    nothing: str
    moved: str
    front: str
    method: str
    worded: str
    sha: str


LABELS: Mapping[Language, Labels] = {
    Language.EN: {
        "title": "{new} compared with {old}",
        "earlier": "its earlier version",
        "status": {
            Status.SAME: "No change: both versions have the same words under the same numbers, in the same order.",
            Status.CHANGED: "{count:clause differs|clauses differ}; {unchanged:,} of {clauses:clause} unchanged.",
            Status.UNRELATED: "These are no two versions of one document: {likeness:.0%} of the shorter one's text "
            "stands in both. They were not compared clause by clause.",
        },
        "summary": "Summary",
        "partial": "PARTIAL: pages were not read, so that a change may be missing: {pages}.",
        "failed": "PARTIAL: some model calls failed, the quoted sentences stand in: {errors}.",
        "kinds": {
            Kind.CHANGED: "Changed",
            Kind.ADDED: "Added",
            Kind.REMOVED: "Removed",
            Kind.MOVED: "Moved, same words",
            Kind.RENUMBERED: "Renumbered, same words",
            Kind.FOLLOWED: "References that follow the new numbers",
        },
        "marks": {
            MarkKind.OPERATOR: "operator",
            MarkKind.AMOUNT: "amount",
            MarkKind.DATE: "date",
            MarkKind.PERIOD: "period",
            MarkKind.NUMBER: "number",
            MarkKind.PARTY: "party or name",
            MarkKind.REFERENCE: "reference",
            MarkKind.WORDS: "words",
        },
        "verdicts": {
            Verdict.VERIFIED: "verified",
            Verdict.VERBATIM: "verbatim",
            Verdict.UNVERIFIED: "unverified",
        },
        "old": "old",
        "new": "new",
        "page": "p. {pages}",
        "nothing": "nothing",
        "moved": "moved",
        "front": "front matter",
        "method": "Compared by {program}: clauses are aligned by their words, numbers and likeness; no model finds or "
        "judges a change. It is no legal advice.",
        "worded": "Lines marked verified were worded by {model} and checked by rule, each against the sentence of its "
        "own version; the others are that sentence. Where no line of a side passed, its quote stands alone.",
        "sha": "{side}: {name}, sha256 {sha}",
    },
    Language.ZH: {
        "title": "{new} 与 {old} 的比较",
        "earlier": "旧版本",
        "status": {
            Status.SAME: "没有变化：两个版本条文、编号和顺序均相同。",
            Status.CHANGED: "{count} 条有变化；共 {clauses} 条，{unchanged} 条未变。",
            Status.UNRELATED: "这两份文件不是同一文件的两个版本：较短一份的文字只有 {likeness:.0%} 见于两者。"
            "未逐条比较。",
        },
        "summary": "概要",
        "partial": "不完整：有页面未能读取，可能遗漏变化：{pages}。",
        "failed": "不完整：部分模型调用失败，以原文代替：{errors}。",
        "kinds": {
            Kind.CHANGED: "修改",
            Kind.ADDED: "新增",
            Kind.REMOVED: "删除",
            Kind.MOVED: "移动（文字相同）",
            Kind.RENUMBERED: "重新编号（文字相同）",
            Kind.FOLLOWED: "随新编号调整的引用",
        },
        "marks": {
            MarkKind.OPERATOR: "限定词",
            MarkKind.AMOUNT: "金额或比例",
            MarkKind.DATE: "日期",
            MarkKind.PERIOD: "期间",
            MarkKind.NUMBER: "数字",
            MarkKind.PARTY: "当事人或名称",
            MarkKind.REFERENCE: "引用",
            MarkKind.WORDS: "文字",
        },
        "verdicts": {Verdict.VERIFIED: "已核验", Verdict.VERBATIM: "原文", Verdict.UNVERIFIED: "未核验"},
        "old": "旧",
        "new": "新",
        "page": "第 {pages} 页",
        "nothing": "无",
        "moved": "移动",
        "front": "文首",
        "method": "由 {program} 比较：按文字、编号和相似度对齐条款；变化不由模型发现或判断。本结果不构成法律意见。",
        "worded": "标为“已核验”的句子由 {model} 改写，并按规则与各自版本的原句核对；其余为原句。"
        "一侧没有句子通过核对的，只列原文。",
        "sha": "{side}：{name}，sha256 {sha}",
    },
}

# What a reader looks at first. Clauses with the same words come last.
ORDER = (Kind.CHANGED, Kind.ADDED, Kind.REMOVED, Kind.MOVED, Kind.RENUMBERED, Kind.FOLLOWED)
IN_FULL = (Kind.CHANGED, Kind.ADDED, Kind.REMOVED)


@dataclass(frozen=True, slots=True)
class Group:
    """All changes of one kind, in the order of the new version."""

    kind: Kind
    title: str
    changes: tuple[Change, ...]

    @property
    def is_full(self) -> bool:
        """True where the words of each are shown; the others are rows of a table."""
        return self.kind in IN_FULL


def labels(comparison: Comparison) -> Labels:
    """The words in the language of the new version."""
    return LABELS[comparison.new.language]


def groups(comparison: Comparison) -> tuple[Group, ...]:
    """The changes by kind, the weightiest kind first; kinds without any are left out."""
    words = labels(comparison)["kinds"]
    made = (
        Group(kind, words[kind], tuple(change for change in comparison.changes if change.kind is kind))
        for kind in ORDER
    )
    return tuple(group for group in made if group.changes)


def title(comparison: Comparison) -> str:
    """The heading of a comparison."""
    words, (old, new) = labels(comparison), (comparison.old.name, comparison.new.name)
    return words["title"].format(new=new, old=words["earlier"] if old == new else old)


def verdict(comparison: Comparison) -> str:
    """What was found, in one sentence."""
    return labels(comparison)["status"][comparison.status].format(
        count=Count(len(comparison.changes)),
        unchanged=comparison.unchanged,
        clauses=Count(comparison.clauses[1]),
        likeness=comparison.likeness,
    )


def alerts(comparison: Comparison) -> Iterator[str]:
    """Why a change may be missing."""
    words = labels(comparison)
    for name, document in ((words["old"], comparison.old), (words["new"], comparison.new)):
        if unread := [page.label for page in document.pages if page.unread]:
            yield words["partial"].format(pages=f"{name}: {', '.join(unread)}")
    if comparison.failures:
        yield words["failed"].format(errors="; ".join(comparison.failures))


def notes(comparison: Comparison, program: str) -> Iterator[str]:
    """How the comparison was made, and of which files."""
    words = labels(comparison)
    yield words["method"].format(program=program)
    if comparison.model:
        yield words["worded"].format(model=comparison.model)
    for side, document in ((words["old"], comparison.old), (words["new"], comparison.new)):
        yield words["sha"].format(side=side, name=document.name, sha=document.sha256)


def where(side: Side, words: Labels) -> str:
    """Clause and page of a side; where numbers begin again in each part, the part too."""
    label = side.label if side.number or side.heading else words["front"]
    outer = side.path[0] if side.path and "." not in side.number.rstrip(".") and side.path[0] != label else ""
    place = " · ".join(filter(None, (outer, label)))
    return f"{place}, {words['page'].format(pages=page_range(side.page_labels))}"


def said(side: Side) -> tuple[Line, ...]:
    """The lines about a side that say more than its quote: none where no line of the model passed the check."""
    return side.lines if any(line.verdict is Verdict.VERIFIED for line in side.lines) else ()


def page_range(page_labels: Sequence[str]) -> str:
    """7 or 7-9."""
    return page_labels[0] if len(page_labels) == 1 else f"{page_labels[0]}-{page_labels[-1]}" if page_labels else "-"


def page_link(document: Document, link: str, side: Side) -> str:
    """The address of a side's page as seen from where the comparison lies; "" for what is no PDF."""
    return f"{link}#page={side.pages[0] + 1}" if document.name.lower().endswith(".pdf") and link else ""


def excerpt(runs: Sequence[Run]) -> list[Run]:
    """The runs with long stretches that both sides have cut to what stands beside a difference."""
    if all(run.kind is None for run in runs):
        whole = "".join(run.text for run in runs)
        return [Run(whole if len(whole) <= WHOLE else f"{whole[:WHOLE].rstrip()}{LEFT_OUT.rstrip()}")]
    out: list[Run] = []
    for place, run in enumerate(runs):
        first, last = place == 0, place == len(runs) - 1
        if run.kind is not None or len(run.text) <= 2 * AROUND + len(LEFT_OUT):
            out.append(run)
            continue
        head = "" if first else run.text[:AROUND].rsplit(" ", 1)[0]
        tail = "" if last else run.text[-AROUND:].split(" ", 1)[-1]
        gap = LEFT_OUT.lstrip() if first else LEFT_OUT.rstrip() if last else LEFT_OUT
        out.append(Run(f"{head}{gap}{tail}"))
    return out
