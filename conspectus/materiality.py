"""How much each sentence matters, by code: obligations, amounts, dates, terms, sanctions and the like.

The ranking decides what fills the promised length; it never decides what is true.
"""

import re
from collections.abc import Sequence

from conspectus.document import Clause, Language, Sentence

_EN = (
    ("obligation", 3.0, "shall|must|undertakes?|covenants?|agrees? to|is (?:required|obliged) to|is responsible for"),
    (
        "prohibition",
        3.5,
        "(?:shall|must|may) not|is prohibited|no (?:person|party|operator)|not (?:entitled|permitted)",
    ),
    ("right", 2.0, "may|is entitled to|has the right|option to"),
    ("amount", 3.0, r"USD|EUR|GBP|RMB|CNY|dollars|pounds|euros?|(?<!\w)[£$€¥]\s?[0-9.,]+"),
    ("percentage", 2.0, r"[0-9.]+\s?%(?!\w)|per\s?cent"),
    (
        "date",
        2.5,
        r"(?:January|February|March|April|May|June|July|August|September|October|November|December)[^.]{0,12}[0-9]{4}",
    ),
    ("duration", 2.0, "days?|weeks?|months?|years?"),
    ("termination", 3.0, r"terminat\w+|expir\w+|renew\w*|break (?:date|notice|option)|forfeit\w*|re-?ent\w+"),
    ("liability", 2.5, r"liab\w+|indemnif\w+|indemnity|damages|warrant\w+|insur\w+"),
    ("sanction", 3.5, r"penalt\w+|fine[sd]?|offence|guilty|imprisonment|revo(?:ke|cation)|suspen\w+|default|interest"),
    ("commencement", 3.5, r"comes? into force|takes? effect|effective date|commence\w*|repeal\w*|revoked?"),
    ("law", 2.5, "governed by|jurisdiction"),
    ("definition", 1.5, "means|has the meaning"),
    ("exception", 1.0, "unless|except|provided that|save|subject to|notwithstanding"),
    ("party", 2.5, r"between\b.{0,200}\band"),
)
_ZH = (
    ("obligation", 3.0, "应当|必须|须|有义务|负责"),
    ("prohibition", 3.5, "不得|禁止|严禁|不准"),
    ("right", 2.0, "可以|有权|享有"),
    ("amount", 3.0, r"[0-9一二三四五六七八九十百千万亿零〇.,]+\s*(?:万|亿)?元"),
    ("percentage", 2.0, "百分之|[0-9]%|倍"),
    ("date", 2.5, r"[0-9一二三四五六七八九十〇○零]{2,4}\s*年\s*[0-9一二三四五六七八九十]{1,3}\s*月"),
    ("duration", 2.0, r"[0-9一二三四五六七八九十百]+\s*个?(?:工作日|日|天|月|年|小时)"),
    ("termination", 3.0, "终止|解除|届满|续期|到期|撤销|注销"),
    ("liability", 2.5, "责任|赔偿|担保|保险|违约金"),
    ("sanction", 3.5, "罚款|处罚|没收|吊销|责令|警告|刑事|违法所得"),
    ("commencement", 3.5, "施行|生效|废止"),
    ("definition", 1.5, "是指|本(?:法|条例|办法|合同)所称"),
    ("exception", 1.0, "但是|除.{0,40}外|除非|不适用"),
    ("party", 2.0, "甲方|乙方|出租人|承租人"),
)
_RULES = {
    Language.EN: tuple((kind, weight, re.compile(rf"(?:\b|(?=[£$€¥]))(?:{p})(?!\w)", re.I)) for kind, weight, p in _EN),
    Language.ZH: tuple((kind, weight, re.compile(p)) for kind, weight, p in _ZH),
}
MATERIAL = 2.0
REPEAT = 0.8  # each further sentence of one clause counts for this much less: breadth before depth


def kinds_of(text: str, language: Language) -> tuple[str, ...]:
    """Names of the material kinds a text shows."""
    return tuple(name for name, _, pattern in _RULES[language] if pattern.search(text))


def materiality(text: str, language: Language) -> float:
    """The weight of a text; MATERIAL and above is worth a line of the digest."""
    return sum(weight for _, weight, pattern in _RULES[language] if pattern.search(text))


def rank(sentences: Sequence[Sentence], clauses: Sequence[Clause], language: Language) -> list[int]:
    """Indexes of the material sentences, most material first.

    A sentence's weight falls with each better one of the same clause, so that every clause is heard before any is
    told in full. Ties go to the earlier sentence.
    """
    by_clause: dict[int, list[tuple[float, int]]] = {}
    for sentence in sentences:
        weight = materiality(sentence.text, language)
        if weight >= MATERIAL and len(sentence.text.split()) + len(sentence.text) // 6 >= 4:
            by_clause.setdefault(sentence.clause, []).append((weight, sentence.index))
    weighed: list[tuple[float, int]] = []
    for found in by_clause.values():
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        weighed += [(weight * REPEAT**place, index) for place, (weight, index) in enumerate(found)]
    weighed.sort(key=lambda pair: (-pair[0], pair[1]))
    return [index for _, index in weighed]


def fill(ranked: Sequence[int], lengths: Sequence[int], budget: int) -> list[int]:
    """From the top of the ranking what fits into `budget` characters; returned in document order.

    One that does not fit is passed over for a shorter one further down. `lengths` is indexed by sentence.
    """
    chosen: list[int] = []
    left = budget
    for index in ranked:
        if lengths[index] <= left:
            chosen.append(index)
            left -= lengths[index]
    return sorted(chosen)
