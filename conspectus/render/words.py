"""The words of a shown digest in both languages. Keys are the same in each; a test says so."""

import re
from collections.abc import Mapping
from typing import Any

from conspectus.document import Language

_EN: dict[str, Any] = {
    "digest": "Digest of {title}",
    "partial": "PARTIAL: this digest does not cover the whole document.",
    "unread": "Page {label} was not read ({status}{reason}).",
    "errors": "Some model calls failed, source text stands in: {errors}.",
    "unverified": "{count} lines are NOT verified: they did not pass the check and are shown all the same.",
    "coverage": (
        "Coverage: {pages_read} of {pages} pages read, {accounted} of {clauses} clauses accounted for; {verified} "
        "verified and {verbatim} verbatim lines; {characters} characters, promised at most {promised} ({share:.0%} of "
        "{source_characters})."
    ),
    "legend": "Each line cites clause and page. ✓ verified = checked against its clause; ❝ verbatim = the clause's own "
    "words; ? unverified = did not pass the check.",
    "marks": {"verified": "✓ verified", "verbatim": "❝ verbatim", "unverified": "? unverified"},
    "parts": {
        "header": "The document",
        "overview": "Overview",
        "dates": "Dates and periods",
        "duties": "Duties and rights",
        "money": "Amounts and percentages",
        "term": "Term, renewal, termination",
        "liability": "Liability, sanctions, governing law",
        "flags": "What to look at",
        "definitions": "Definitions",
        "references": "References that lead nowhere",
        "section": "Clause by clause",
        "ledger": "Not read, not verified, not in the digest",
        "method": "How this was made",
    },
    "columns": {
        "header": ("what", "value"),
        "dates": ("kind", "date", "words", "what", "basis"),
        "duties": ("who", "may or must", "what", "when", "condition, exception"),
        "money": ("amount", "what for", "computed"),
        "flags": ("weight", "what", "words"),
        "definitions": ("term", "meaning"),
        "references": ("reference", "why"),
        "ledger": ("state", "why"),
    },
    "kinds": {
        "date": "date",
        "commencement": "commencement",
        "repeal": "repeal",
        "period": "period",
        "money": "amount",
        "percentage": "percentage",
        "governing law": "governing law",
        "sanction": "sanction",
        "party": "party",
        "definition": "definition",
    },
    "modality": {"must": "must", "must not": "must not", "may": "may", "need not": "need not"},
    "states": {
        "in digest": "in the digest",
        "condensed": "condensed",
        "immaterial": "immaterial",
        "failed": "failed",
    },
    "conflict": "{kind}: {a} against {b}",
    "broken": "nothing with this number in the document",
    "conflicts": {
        "words against figures": "words and figures differ",
        "two governing laws": "two governing laws",
        "one term, two definitions": "one term, two definitions",
        "two notice periods": "two notice periods for one thing",
    },
    "weights": {"high": "high", "medium": "medium", "low": "low"},
    "flags": "Places of the document that do not agree with each other, and usual clauses of which no word was found.",
    "missing": "no clause on {name} found",
    "missing_how": "looked for by its usual words; read before relying on it",
    "more": "{count} more are in digest.html and digest.json.",
    "more_lines": "{count} more lines on this stand clause by clause.",
    "facts": {
        "file": "file",
        "pages": "pages",
        "sha256": "sha256",
        "model": "model",
        "detail": "length",
        "law": "governing law",
        "start": "begins",
    },
    "quote": "source",
    "verdict": "verdict",
    "statement": "line",
    "link": "link",
    "place": "source",
    "place_columns": ("clause", "page"),
    "section": "section",
    "note": "note",
    "about": "About",
    "sheets": {
        "header": "Document",
        "overview": "Overview",
        "dates": "Dates",
        "duties": "Duties",
        "money": "Amounts",
        "term": "Term",
        "liability": "Liability",
        "flags": "Flags",
        "definitions": "Definitions",
        "references": "References",
        "section": "Statements",
        "ledger": "Ledger",
        "method": "Method",
    },
    "nothing": "Nothing material was found in this document.",
    "front": "front matter",
    "page": "p. {pages}",
    "open": "Open page {page} of the document",
    "found": "{count} lines",
    "none": "Nothing found.",
    "search": "Search (press /)",
    "contents": "Contents",
    "all": "all",
    "source": "Source",
    "close": "Close",
    "hint": "Choose a line to see the clause it rests on. Keys: j and k move, / searches, Esc closes.",
    "method": (
        "Made by {program} with the model {model}, detail {detail}. Document sha256 {sha}.",
        "Verified means: numbers, dates, amounts, names, references, negations, duties, rights, conditions, exceptions "
        "and limits of the line agree with the words it cites, by rule. It does not prove that the line says all that "
        "matters, and it is no legal advice.",
    ),
}
_ZH: dict[str, Any] = {
    "digest": "{title}——摘要",
    "partial": "PARTIAL 不完整：本摘要没有覆盖整个文件。",
    "unread": "第 {label} 页未读（{status}{reason}）。",
    "errors": "部分模型调用失败，以原文代替：{errors}。",
    "unverified": "有 {count} 行未通过核对，仍然列出（--no-floor）。",
    "coverage": (
        "覆盖：已读 {pages_read}/{pages} 页，{accounted}/{clauses} 条款已列账；{verified} 行已核对，"
        "{verbatim} 行为原文；共 {characters} 字，承诺不超过 {promised} 字（{source_characters} 字的 {share:.0%}）。"
    ),
    "legend": "每行注明条款和页码。✓ 已核对：与条款一致；❝ 原文：条款原句；? 未核对：未通过核对。",
    "marks": {"verified": "✓ 已核对", "verbatim": "❝ 原文", "unverified": "? 未核对"},
    "parts": {
        "header": "文件",
        "overview": "概要",
        "dates": "日期与期限",
        "duties": "义务与权利",
        "money": "金额与比例",
        "term": "期限、续期与终止",
        "liability": "责任、罚则、适用法律",
        "flags": "需要注意",
        "definitions": "定义",
        "references": "无处可寻的引用",
        "section": "逐条要点",
        "ledger": "未读、未核对、未列入摘要",
        "method": "如何生成",
    },
    "columns": {
        "header": ("项目", "内容"),
        "dates": ("类别", "日期", "原文", "事项", "依据"),
        "duties": ("主体", "应当或可以", "事项", "时限", "条件、例外"),
        "money": ("金额", "用途", "推算"),
        "flags": ("轻重", "问题", "原文"),
        "definitions": ("术语", "含义"),
        "references": ("引用", "原因"),
        "ledger": ("状态", "原因"),
    },
    "kinds": {
        "date": "日期",
        "commencement": "施行",
        "repeal": "废止",
        "period": "期限",
        "money": "金额",
        "percentage": "比例",
        "governing law": "适用法律",
        "sanction": "罚则",
        "party": "当事人",
        "definition": "定义",
    },
    "modality": {"must": "应当", "must not": "不得", "may": "可以", "need not": "无须"},
    "states": {"in digest": "在摘要中", "condensed": "从略", "immaterial": "不重要", "failed": "失败"},
    "conflict": "{kind}：{a} 与 {b} 不一致",
    "broken": "本文件没有该编号",
    "conflicts": {
        "words against figures": "大小写数字不一致",
        "two governing laws": "两个适用法律",
        "one term, two definitions": "同一用语两种定义",
        "two notice periods": "同一事项两种通知期限",
    },
    "weights": {"high": "高", "medium": "中", "low": "低"},
    "flags": "文件中前后不一致之处，以及未发现的常见条款。",
    "missing": "未找到关于{name}的条款",
    "missing_how": "按常用词查找，使用前请核对",
    "more": "其余 {count} 行见 digest.html 和 digest.json。",
    "more_lines": "其余 {count} 行见逐条要点。",
    "facts": {
        "file": "文件",
        "pages": "页数",
        "sha256": "sha256",
        "model": "模型",
        "detail": "详略",
        "law": "适用法律",
        "start": "起始",
    },
    "quote": "原文",
    "verdict": "核对",
    "statement": "要点",
    "link": "链接",
    "place": "出处",
    "place_columns": ("条款", "页"),
    "section": "章节",
    "note": "说明",
    "about": "说明",
    "sheets": {
        "header": "文件",
        "overview": "概要",
        "dates": "日期",
        "duties": "义务",
        "money": "金额",
        "term": "期限",
        "liability": "责任",
        "flags": "注意",
        "definitions": "定义",
        "references": "引用",
        "section": "要点",
        "ledger": "账目",
        "method": "如何生成",
    },
    "nothing": "本文件中没有发现重要内容。",
    "front": "文首",
    "page": "第 {pages} 页",
    "open": "打开原文第 {page} 页",
    "found": "{count} 行",
    "none": "没有找到。",
    "search": "搜索（按 /）",
    "contents": "目录",
    "all": "全部",
    "source": "出处",
    "close": "关闭",
    "hint": "选择一行，即可查看所依据的条款。按键：j、k 移动，/ 搜索，Esc 关闭。",
    "method": (
        "由 {program} 使用模型 {model} 生成，详细程度 {detail}。文件 sha256 {sha}。",
        "“已核对”是指：该行的数字、日期、金额、名称、引用、否定、义务、权利、条件、例外和限度，经规则核对与所引原文一致。"
        "这不证明该行说全了要点，也不是法律意见。",
    ),
}
WORDS: Mapping[Language, Mapping[str, Any]] = {Language.EN: _EN, Language.ZH: _ZH}

# What the ledger says, in Chinese; its sentences are made in settle.py.
_WHY_ZH = (
    (r"\ba heading\b", "标题"),
    (r"no duty, right, amount, date, term or sanction found", "未发现义务、权利、金额、日期、期限或罚则"),
    (r"(\d+) of (\d+) lines not verified", r"\2 行中 \1 行未核对"),
    (r"said in the same words in ", "相同文字见"),
    (r"(\d+) more material sentences ", r"另有 \1 个重要句子"),
    (r"beyond the length:? ?", "超出篇幅："),
)
_KINDS_ZH = {
    "obligation": "义务", "prohibition": "禁止", "right": "权利", "amount": "金额", "percentage": "比例",
    "date": "日期",
    "duration": "期限", "exception": "例外", "liability": "责任", "scope": "适用范围",
    "sanction": "罚则",
    "termination": "终止", "commencement": "施行", "definition": "定义", "law": "适用法律", "condition": "条件",
    "party": "当事人", "power": "职权",
}  # fmt: skip
_KIND = re.compile(rf"\b(?:{'|'.join(_KINDS_ZH)})\b")


def why(reason: str, language: Language) -> str:
    """A reason of the ledger in the language of the digest; what has no translation stands as it is."""
    if language is not Language.ZH:
        return reason
    for pattern, words in _WHY_ZH:
        reason = re.sub(pattern, words, reason)
    named = _KIND.sub(lambda match: _KINDS_ZH[match.group()], reason)
    return named.replace(", ", "、").replace("; ", "；").rstrip("：")
