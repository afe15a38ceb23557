"""The digest as Markdown, in the document's language: clause, page and verdict on each line."""

import re
from collections.abc import Iterator, Mapping

from conspectus.digest import coverage, overview_clauses, overview_pages
from conspectus.document import Digest, Language, LedgerState, OverviewSentence, Statement, TermKind, Verdict

_EN = {
    "digest": "Digest of {title}",
    "partial": "PARTIAL",
    "partial_text": "**PARTIAL: this digest does not cover the whole document.**",
    "unread": "Page {label} was not read ({status}{reason}).",
    "errors": "Some model calls failed, source text stands in: {errors}.",
    "coverage": (
        "Coverage: {pages_read} of {pages} pages read, {accounted} of {clauses} clauses accounted for; {verified} "
        "verified and {verbatim} verbatim lines; {characters} characters, promised at most {promised} ({share:.0%} of "
        "{source_characters})."
    ),
    "legend": "Each line cites clause and page. ✓ = checked against its clause; ❝ = the clause's own words.",
    "overview": "Overview",
    "terms": "Key terms",
    "statements": "Statements",
    "ledger": "What is not in the digest",
    "ledger_head": "| clause | page | state | why |",
    "page": "p. {pages}",
    "clause": "{clause}",
    "made": "Made by {program} with {model}; document sha256 {sha}.",
    "front": "front matter",
    "party": "Parties",
    "date": "Dates",
    "commencement": "Commencement",
    "repeal": "Repeal",
    "period": "Periods",
    "money": "Amounts",
    "percentage": "Percentages",
    "governing law": "Governing law",
    "sanction": "Sanctions",
    "definition": "Definitions",
    "nothing": "Nothing material was found in this document.",
}
_ZH = {
    "digest": "{title}——摘要",
    "partial": "不完整",
    "partial_text": "**PARTIAL 不完整：本摘要没有覆盖整个文件。**",
    "unread": "第 {label} 页未读（{status}{reason}）。",
    "errors": "部分模型调用失败，以原文代替：{errors}。",
    "coverage": (
        "覆盖：已读 {pages_read}/{pages} 页，{accounted}/{clauses} 条款已列账；{verified} 行已核对，"
        "{verbatim} 行为原文；共 {characters} 字，承诺不超过 {promised} 字（{source_characters} 字的 {share:.0%}）。"
    ),
    "legend": "每行注明条款和页码。✓ 已与条款核对；❝ 条款原文。",
    "overview": "概要",
    "terms": "关键条款",
    "statements": "要点",
    "ledger": "未列入摘要的条款",
    "ledger_head": "| 条款 | 页 | 状态 | 原因 |",
    "page": "第 {pages} 页",
    "clause": "{clause}",
    "made": "由 {program} 使用 {model} 生成；文件 sha256 {sha}。",
    "front": "文首",
    "party": "当事人",
    "date": "日期",
    "commencement": "施行",
    "repeal": "废止",
    "period": "期限",
    "money": "金额",
    "percentage": "比例",
    "governing law": "适用法律",
    "sanction": "罚则",
    "definition": "定义",
    "nothing": "本文件中没有发现重要内容。",
}
WORDS: Mapping[Language, Mapping[str, str]] = {Language.EN: _EN, Language.ZH: _ZH}
MARKS = {Verdict.VERIFIED: "✓", Verdict.VERBATIM: "❝", Verdict.UNVERIFIED: "?"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def escape(text: str) -> str:
    """Text of a document as Markdown that shows it and does nothing else."""
    return _SPECIAL.sub(r"\\\1", text)


def _where(digest: Digest, clause: str, pages: tuple[int, ...]) -> str:
    words = WORDS[digest.document.language]
    labels = [digest.document.pages[index].label for index in pages]
    shown = labels[0] if len(labels) == 1 else f"{labels[0]}–{labels[-1]}"
    cited = clause.replace(_EN["front"], words["front"])
    return f"({escape(cited)}, {words['page'].format(pages=escape(shown))})"


def _line(digest: Digest, statement: Statement) -> str:
    where = _where(digest, statement.clause, statement.pages)
    return f"- {MARKS[statement.verdict]} {escape(statement.text)} {where}"


def _overview_line(digest: Digest, sentence: OverviewSentence) -> str:
    where = _where(digest, overview_clauses(digest, sentence), overview_pages(digest, sentence))
    return f"- {MARKS[sentence.verdict]} {escape(sentence.text)} {where}"


def _head(digest: Digest) -> Iterator[str]:
    words = WORDS[digest.document.language]
    count = coverage(digest)
    yield f"# {words['digest'].format(title=escape(digest.document.title or digest.document.name))}"
    yield ""
    if digest.partial:
        yield words["partial_text"]
        yield ""
        for page in digest.unread_pages:
            reason = f": {page.reason}" if page.reason else ""
            yield "- " + words["unread"].format(
                label=escape(page.label), status=page.status.value, reason=escape(reason)
            )
        if digest.engine_errors:
            yield "- " + words["errors"].format(errors=escape("; ".join(digest.engine_errors)))
        yield ""
    notes = [*digest.document.warnings]
    notes += [
        f"{words['page'].format(pages=page.label)}: {note}" for page in digest.document.pages for note in page.warnings
    ]
    if notes:
        yield from (f"- ⚠ {escape(note)}" for note in notes)
        yield ""
    yield words["coverage"].format(
        pages=count.pages,
        pages_read=count.pages_read,
        clauses=count.clauses,
        accounted=count.accounted,
        verified=count.verdicts["verified"],
        verbatim=count.verdicts["verbatim"],
        characters=count.characters,
        promised=count.promised,
        share=digest.detail.share,
        source_characters=count.source_characters,
    )
    yield ""
    yield words["legend"]


_LONG = (TermKind.SANCTION, TermKind.COMMENCEMENT, TermKind.REPEAL)


def _terms(digest: Digest) -> Iterator[str]:
    """The key terms, one line a kind: values with their clauses; of whole sentences the clauses alone."""
    words = WORDS[digest.document.language]
    if not digest.key_terms:
        return
    yield f"## {words['terms']}"
    yield ""
    for kind in TermKind:
        shown: list[str] = []
        for term, evidence in zip(digest.key_terms, digest.evidence, strict=True):
            if term.kind is not kind:
                continue
            where = _where(
                digest, digest.clauses[evidence.clause].label, digest.document.pages_of_spans(evidence.spans)
            )
            value = "" if kind in _LONG else term.name if kind is TermKind.DEFINITION else term.value
            role = f"{escape(term.name)} = " if kind is TermKind.PARTY else ""
            shown.append(f"{role}{escape(value)} {where}".strip())
        if shown:
            yield f"- **{words[kind.value]}**: {'; '.join(dict.fromkeys(shown))}"
    yield ""


def _sections(digest: Digest) -> Iterator[str]:
    words = WORDS[digest.document.language]
    for section in digest.sections:
        if not section.statements:
            continue
        yield ""
        yield f"### {escape(section.heading) or words['front']}"
        if section.overview:
            yield ""
            yield from (f"> {_overview_line(digest, sentence)[2:]}  " for sentence in section.overview)
        yield ""
        yield from (_line(digest, digest.statements[position]) for position in section.statements)


def _ledger(digest: Digest) -> Iterator[str]:
    words = WORDS[digest.document.language]
    left = [row for row in digest.ledger if row.state is not LedgerState.IN_DIGEST]
    if not left:
        return
    yield ""
    yield f"## {words['ledger']}"
    yield ""
    yield words["ledger_head"]
    yield "|---|---|---|---|"
    for row in left:
        labels = [digest.document.pages[index].label for index in row.pages]
        name = f"{row.number} {row.heading}".strip() or words["front"]
        cells = (name, "–".join(dict.fromkeys((labels[0], labels[-1]))), row.state.value, row.reason)
        yield f"| {' | '.join(escape(cell) for cell in cells)} |"


def _lines(digest: Digest) -> Iterator[str]:
    words = WORDS[digest.document.language]
    yield from _head(digest)
    yield ""
    yield f"## {words['overview']}"
    yield ""
    if digest.overview:
        yield from (_overview_line(digest, sentence) for sentence in digest.overview)
    else:
        yield words["nothing"]
    yield ""
    yield from _terms(digest)
    yield f"## {words['statements']}"
    yield from _sections(digest)
    yield from _ledger(digest)
    yield ""
    from conspectus import __version__

    yield words["made"].format(
        program=f"Conspectus {__version__}", model=escape(digest.model), sha=digest.document.sha256[:16]
    )


def render_markdown(digest: Digest) -> bytes:
    """UTF-8 Markdown; text of the document is escaped, so that it cannot become markup."""
    return ("\n".join(_lines(digest)) + "\n").encode()
