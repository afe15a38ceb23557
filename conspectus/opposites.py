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
""",
    Language.ZH: """
原告/被告 有效/废止 有效/无效 生效/失效 增加/减少 提高/降低 上调/下调 双方/一方 任前/任后 买受/出卖 首先/最后
赔偿/获得 均/任一 上涨/下跌 收入/支出 借入/借出 境内/境外 公开/保密 免费/收费 含税/不含税 税前/税后
口头/书面 故意/过失
动产/不动产 普通/特别
""",
}
_ENGLISH = tuple(
    tuple(re.compile(rf"\b{re.escape(word)}\b") for word in pair.split("/")) for pair in _PAIRS[Language.EN].split()
)
_CHINESE = tuple(tuple(re.compile(re.escape(word)) for word in pair.split("/")) for pair in _PAIRS[Language.ZH].split())


def opposite_said(statement: str, evidence: str, language: Language) -> bool:
    """True where a statement has one of two opposites and its evidence only the other. Both are normalised texts."""
    said, there = statement.lower(), evidence.lower()
    pairs = _CHINESE if language is Language.ZH else _ENGLISH
    for one, other in pairs:
        one_said, other_said = bool(one.search(said)), bool(other.search(said))
        if one_said == other_said:
            continue
        new, old = (one, other) if one_said else (other, one)
        if old.search(there) and not new.search(there):
            return True
    return False
