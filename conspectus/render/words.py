"""The words of a shown digest in both languages. Keys are the same in each; a test says so."""

from collections.abc import Mapping
from typing import Any

from conspectus.document import Language

_EN: dict[str, Any] = {
    "digest": "Digest of {title}",
    "partial": "PARTIAL: this digest does not cover the whole document.",
    "unread": "Page {label} was not read ({status}{reason}).",
    "errors": "Some model calls failed, source text stands in: {errors}.",
    "unverified": "{count} lines did not pass the check and are shown all the same (--no-floor).",
    "coverage": (
        "Coverage: {pages_read} of {pages} pages read, {accounted} of {clauses} clauses accounted for; {verified} "
        "verified and {verbatim} verbatim lines; {characters} characters, promised at most {promised} ({share:.0%} of "
        "{source_characters})."
    ),
    "legend": "Each line cites clause and page. ✓ verified = checked against its clause; ❝ verbatim = the clause's own "
    "words; ? unverified = did not pass the check.",
    "marks": {"verified": "✓ verified", "verbatim": "❝ verbatim", "unverified": "? unverified"},
    "parts": {
        "overview": "Overview",
        "parties": "Parties",
        "dates": "Dates and periods",
        "duties": "Duties and rights",
        "money": "Amounts and percentages",
        "term": "Term, renewal, termination",
        "liability": "Liability, sanctions, governing law",
        "flags": "What to look at",
        "definitions": "Definitions",
        "references": "References that lead nowhere",
        "section": "Clause by clause",
        "ledger": "What is not in the digest",
        "method": "How this was made",
    },
    "columns": {
        "parties": ("role", "name"),
        "dates": ("kind", "when", "what", "computed"),
        "duties": ("who", "may or must", "what", "when", "condition, exception"),
        "money": ("amount", "what for", "computed"),
        "flags": ("what", "words"),
        "definitions": ("term", "meaning"),
        "references": ("reference", "why"),
        "ledger": ("clause", "page", "state", "why"),
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
    "except": "except {words}",
    "conflict": "{kind}: {a} against {b}",
    "broken": "nothing with this number in the document",
    "missing": "Not found in this document: {names}. (Looked for by their usual words; read before relying on it.)",
    "nothing": "Nothing material was found in this document.",
    "front": "front matter",
    "page": "p. {pages}",
    "open": "Open page {page} of the document",
    "found": "{count} lines",
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
        "overview": "概要",
        "parties": "当事人",
        "dates": "日期与期限",
        "duties": "义务与权利",
        "money": "金额与比例",
        "term": "期限、续期与终止",
        "liability": "责任、罚则、适用法律",
        "flags": "需要注意",
        "definitions": "定义",
        "references": "无处可寻的引用",
        "section": "逐条要点",
        "ledger": "未列入摘要的条款",
        "method": "如何生成",
    },
    "columns": {
        "parties": ("身份", "名称"),
        "dates": ("类别", "时间", "事项", "推算"),
        "duties": ("主体", "应当或可以", "事项", "时限", "条件、例外"),
        "money": ("金额", "用途", "推算"),
        "flags": ("问题", "原文"),
        "definitions": ("术语", "含义"),
        "references": ("引用", "原因"),
        "ledger": ("条款", "页", "状态", "原因"),
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
    "except": "但{words}除外",
    "conflict": "{kind}：{a} 与 {b} 不一致",
    "broken": "本文件没有该编号",
    "missing": "本文件中未找到：{names}。（按常用词查找，使用前请核对。）",
    "nothing": "本文件中没有发现重要内容。",
    "front": "文首",
    "page": "第 {pages} 页",
    "open": "打开原文第 {page} 页",
    "found": "{count} 行",
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
