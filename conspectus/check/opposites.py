"""Words of opposite sense: one of a pair said, and only the other one in the evidence."""

import re

from conspectus.document import Language

_PAIRS = {
    Language.EN: """
advance/arrears earlier/later earliest/latest increase/decrease increases/decreases increased/decreased raise/reduce
raise/lower increase/reduce increase/lower higher/lower greater/lesser either/both valid/invalid inside/outside
lawful/unlawful direct/indirect gross/net inclusive/exclusive include/exclude includes/excludes including/excluding
refundable/non-refundable exclusive/non-exclusive debit/credit buy/sell admit/deny grant/revoke begin/end commences/ends
gain/loss surplus/deficit senior/junior maximum/minimum solvent/insolvent public/private domestic/foreign oral/written
accept/reject accepts/rejects approve/reject import/export imports/exports imported/exported arrival/departure
above/below internal/external fixed/variable fixed/floating secured/unsecured civil/criminal primary/secondary
temporary/permanent partial/full voluntary/mandatory adult/minor day/night current/previous current/former next/previous
deposit/withdraw assets/liabilities ordinary/extraordinary simple/compound upper/lower short/long open/closed
hire/dismiss lend/borrow lends/borrows loading/unloading upstream/downstream majority/minority taxable/tax-exempt
""",
    Language.ZH: """
原告/被告 有效/废止 有效/无效 生效/失效 增加/减少 提高/降低 上调/下调 双方/一方 任前/任后 买受/出卖 首先/最后
赔偿/获得 均/任一 上涨/下跌 收入/支出 借入/借出 境内/境外 公开/保密 免费/收费 含税/不含税 税前/税后
口头/书面 故意/过失
动产/不动产 普通/特别 下一?个?(?:季|月|年|半年|周|期)/上一?个?(?:季|月|年|半年|周|期)
协商成/协商不成 调解成/调解不成 最高/最低 最长/最短 最多/最少 已/未 服从/不服 保留/放弃 成立/不成立 起算/截止 开始/结束
""",
}
Said = tuple[str, re.Pattern[str]]


def _word(word: str, language: Language) -> Said:
    """What must stand in a text at all for the pattern to be tried, and the pattern."""
    if language is Language.EN:
        return word, re.compile(rf"\b{re.escape(word)}\b")
    return "" if "?" in word else word, re.compile(word)


_COMPILED: dict[Language, tuple[tuple[Said, Said], ...]] = {
    language: tuple(
        (_word(one, language), _word(other, language))
        for one, _, other in (pair.partition("/") for pair in pairs.split())
    )
    for language, pairs in _PAIRS.items()
}


def _stands(word: Said, text: str) -> bool:
    return word[0] in text and bool(word[1].search(text))


def opposite_said(statement: str, evidence: str, language: Language) -> bool:
    """True where a statement has one of two opposites and its evidence only the other. Both are normalised texts."""
    said, there = statement.lower(), evidence.lower()
    for one, other in _COMPILED[language]:
        one_said, other_said = _stands(one, said), _stands(other, said)
        if one_said == other_said:
            continue
        new, old = (one, other) if one_said else (other, one)
        if _stands(old, there) and not _stands(new, there):
            return True
    return False
