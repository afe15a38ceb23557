"""What a lawyer looks for first in a contract or a law, and which sentences say it. By code: a ranking, never a claim.

An overview takes its points aspect by aspect, so that no two of them are about one thing and the weightiest duty does
not push out the price.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conspectus.check.salient import salient
from conspectus.digesting.kind import DocumentKind
from conspectus.digesting.materiality import is_form, materiality
from conspectus.document import Clause, ClauseKind, KeyTerm, Language, Sentence, Source, TermKind

KEPT = 12  # sentences that are kept for an aspect
FRONT = 6000  # characters at the head of a contract in which its parties are named
ENOUGH = 2.0  # points from which a sentence speaks of an aspect
LONG = 320  # characters; a longer sentence is no good point of an overview
_HEADING, _WORDS, _TERM = 2.5, 2.0, 2.0


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that an overview says: the words of its headings and sentences, its key terms, how many points.

    Who and what it is about is said first in a document; of duties and sanctions the heaviest counts.
    """

    name: str
    points: int
    heading: re.Pattern[str]
    words: re.Pattern[str]
    terms: tuple[TermKind, ...] = ()

    @property
    def is_early(self) -> bool:
        """True where an earlier sentence is the better one."""
        return self.name in ("parties", "subject", "term", "scope", "price", "termination", "law")


@dataclass(frozen=True, slots=True)
class Leads:
    """The sentences that speak of an aspect, the best first; `points` of them belong into an overview."""

    aspect: str
    points: int
    sentences: tuple[int, ...]


def _en(name: str, points: int, heading: str, words: str, *terms: TermKind) -> Aspect:
    never = heading or "(?!)"
    return Aspect(name, points, re.compile(rf"\b(?:{never})\b", re.I), re.compile(rf"\b(?:{words})", re.I), terms)


def _zh(name: str, points: int, heading: str, words: str, *terms: TermKind) -> Aspect:
    return Aspect(name, points, re.compile(heading or "(?!)"), re.compile(words), terms)


_T = TermKind
_CONTRACT_EN = (
    _en("parties", 2, "parties", r"between:?\s+(?:\(\w\)\s*)?(?-i:[A-Z])[\w.&' ]+.{0,250}\band\b", _T.PARTY),
    _en("subject", 1, "grant|scope|services|appointment|purpose|engagement|license|licence|letting|background",
        r"(?:has |have )?agree[sd]? to (?:grant|sell|purchase|buy|provide|supply|licen[cs]e|lease|let|take|engage|"
        r"distribute|develop|perform|render)|hereby (?:grants?|lets?|leases?|appoints?|engages?|sells?|assigns?)|"
        r"(?:grants?|lets?|leases?|demises?) (?:to )?the|purpose of this|appoints"),
    _en("term", 1, "term|duration|contractual term|effective date|commencement",
        r"term (?:of this \w+ )?(?:is|shall|will|begins|commences|means|of)|for a (?:period|term) of|shall commence|"
        r"commenc(?:es|ing) on|expir(?:es|y|ing) (?:on|date)|remain in (?:full )?force"),
    _en("price", 1, "(?:annual |yearly )?rent|(?:purchase )?price|fees?|payments?|consideration|compensation|"
        "royalt\\w+|charges|commission",
        r"(?:pay|paid|payable|rent|price|fees?)\b.{0,200}(?:[£$€¥]|USD|GBP|EUR|RMB|dollars|"
        r"pounds|per cent|%)|pay\b.{0,60}\b(?:rent|price|fees?|royalt|compensation|consideration|commission)",
        _T.MONEY),
    _en("duties", 2, "obligations|duties|covenants|use|responsibilities|services|repairs?|delivery|performance",
        r"(?:shall|must|agrees to|undertakes to|is responsible for)(?! not)"),
    _en("restrictions", 1, "restrict\\w+|confidential\\w*|non-?compet\\w+|exclusiv\\w+|assign\\w*|alterations|"
        "alienation",
        r"(?:shall|must|may) not\b"),
    _en("termination", 1, "terminat\\w+|break|expiry|default|forfeiture|renewal",
        r"terminat\w+|(?:may|to) end this|re-?enter|break (?:notice|date)|forfeit"),
    _en("liability", 1, "liabilit\\w+|indemnit\\w+|indemnification|warrant\\w+|insurance|damages|guarantee",
        r"liab\w+|indemnif\w+|damages|consequential|aggregate liability|guarantee"),
    _en("law", 1, "governing law|jurisdiction|applicable law|disputes?|law", r"governed by|jurisdiction|arbitrat\w+",
        _T.LAW),
)  # fmt: skip
_STATUTE_EN = (
    _en("scope", 2, "application|scope|purposes?|objects?|objectives?|subject matter|short title",
        r"appl(?:y|ies) (?:to|in|where)|does not apply|purpose of (?:this|these)|the objects? of this|lays? down"),
    _en("duties", 2, "duties|obligations?|requirements?|registration|reports?|records?",
        r"(?:shall|must|is required to)(?! not)"),
    _en("prohibitions", 2, "prohibit\\w+|restrict\\w+",
        r"(?:shall|must|may) not\b(?! (?:be (?:less|more|imposed)|exceed))|no (?:person|operator|party)\b|"
        r"is prohibited|unlawful|without (?:a |the )?(?:permit|licence|license|consent|authority)"),
    _en("rights", 1, "rights|appeals?|exemptions?|exceptions?|limitations?",
        r"may appeal|is entitled to|has the right|the exclusive rights?|is not an infringement|right to"),
    _en("sanctions", 2, "offen[cs]es?|penalt\\w+|sanctions?|fines?|enforcement|remedies",
        r"penalt\w+|fine of|fined|commits an offen[cs]e|guilty|imprison\w+|liable|revok\w+", _T.SANCTION),
    _en("commencement", 1, "commencement|entry into force|citation and commencement|effective date",
        r"comes? into force|enters? into force|takes? effect|shall apply from", _T.COMMENCEMENT),
    _en("repeal", 1, "repeals?|transitional|revocation", r"(?:is|are) (?:hereby )?(?:repealed|revoked)|repeals?",
        _T.REPEAL),
)  # fmt: skip
_OTHER_EN = (
    _en("amounts", 2, "", r"(?:USD|GBP|EUR|RMB|[£$€¥])\s?[0-9]|[0-9.]+ ?(?:%|per cent)", _T.MONEY, _T.PERCENTAGE),
    _en("duties", 2, "", r"(?:shall|must|should|is required to)"),
    _en("dates", 1, "", r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
        r".{0,12}[0-9]{4}", _T.DATE),
)  # fmt: skip
_CONTRACT_ZH = (
    _zh("parties", 2, "当事人|双方",
        r"(?:甲方|乙方|丙方|出租[人方]|承租[人方]|买方|卖方|委托[人方]|受托[人方])[^，。]{0,12}[:：]", _T.PARTY),
    _zh("subject", 1, "标的|租赁物|服务内容|合同内容|项目|工程",
        "标的|出租给|租赁|委托|出售|提供.{1,20}服务|转让|承揽|目的"),
    _zh("term", 1, "期限|租期|合同期", "期限(?:为|自)|租赁期|有效期|自.{4,20}起至|起止"),
    _zh("price", 1, "租金|价款|价格|费用|报酬|支付|付款|货款",
        r"[0-9一二三四五六七八九十百千万亿零〇.,]+\s*(?:万|亿)?元", _T.MONEY),
    _zh("duties", 2, "义务|职责|交付|维修|使用", "应当|必须|负责|应(?!用)"),
    _zh("restrictions", 1, "禁止|限制|保密|转租|转让", "不得|禁止|严禁"),
    _zh("termination", 1, "解除|终止|续期|续租", "解除|终止|提前.{1,10}通知"),
    _zh("liability", 1, "违约|责任|赔偿|担保|保险", "违约金|赔偿|违约责任|承担.{0,12}责任|担保"),
    _zh("law", 1, "法律适用|争议|管辖", "适用.{0,20}法律|仲裁|人民法院|管辖", _T.LAW),
)  # fmt: skip
_STATUTE_ZH = (
    _zh("scope", 2, "总则|适用|目的|一般规定", "制定本|适用本|本法适用|不适用"),
    _zh("duties", 2, "义务|职责|备案|报告|登记", "应当|必须"),
    _zh("prohibitions", 2, "禁止|限制", "^(?!.*(?:罚款|施行)).*(?:不得|禁止|严禁)"),
    _zh("rights", 1, "权利|救济|权益", "有权|可以.{0,12}(?:申请|起诉|复议|解除|要求)|享有"),
    _zh("sanctions", 2, "罚则|法律责任|处罚", "罚款|处罚|吊销|没收|责令|警告|刑事责任|赔偿", _T.SANCTION),
    _zh("commencement", 1, "附则|施行", "起施行|起生效|施行之日", _T.COMMENCEMENT),
    _zh("repeal", 1, "废止|过渡", "废止", _T.REPEAL),
)  # fmt: skip
_OTHER_ZH = (
    _zh("amounts", 2, "", r"[0-9一二三四五六七八九十百千万亿零〇.,]+\s*(?:万|亿)?元|百分之", _T.MONEY, _T.PERCENTAGE),
    _zh("duties", 2, "", "应当|必须|不得"),
    _zh("dates", 1, "", r"[0-9〇○零一二三四五六七八九十]{2,4}\s*年\s*[0-9一二三四五六七八九十]{1,3}\s*月", _T.DATE),
)  # fmt: skip
ASPECTS: Mapping[tuple[DocumentKind, Language], tuple[Aspect, ...]] = {
    (DocumentKind.CONTRACT, Language.EN): _CONTRACT_EN,
    (DocumentKind.STATUTE, Language.EN): _STATUTE_EN,
    (DocumentKind.OTHER, Language.EN): _OTHER_EN,
    (DocumentKind.CONTRACT, Language.ZH): _CONTRACT_ZH,
    (DocumentKind.STATUTE, Language.ZH): _STATUTE_ZH,
    (DocumentKind.OTHER, Language.ZH): _OTHER_ZH,
}


def find_leads(source: Source, kind: DocumentKind, key_terms: Sequence[KeyTerm]) -> tuple[Leads, ...]:
    """For each aspect of such a document, in the order of an overview, the sentences that speak of it, best first."""
    rests: dict[TermKind, set[int]] = {}
    for term in key_terms:
        rests.setdefault(term.kind, set()).add(term.sentence)
    sentences = [s for s in source.sentences if not s.is_row and not is_form(s.text, source.language)]
    weights = {s.index: materiality(s.text, source.language) for s in sentences}
    first = _firsts(sentences)
    found: list[Leads] = []
    for aspect in ASPECTS[kind, source.language]:
        of_term = set[int]().union(*(rests.get(term, set()) for term in aspect.terms))
        scored: list[tuple[float, int]] = []
        for sentence in sentences:
            points = _points(aspect, sentence, source.clauses[sentence.clause], sentence.index in of_term)
            if points >= ENOUGH:
                late = sentence.index / len(source.sentences)
                small = 1.0 - late if aspect.is_early else min(1.0, weights[sentence.index] / 12)
                small += 0.3 * (sentence.index in first)
                scored.append((-(points + small - (len(sentence.text) > LONG)), sentence.index))
        found.append(Leads(aspect.name, aspect.points, tuple(index for _, index in sorted(scored)[:KEPT])))
    return tuple(found)


def _firsts(sentences: Sequence[Sentence]) -> set[int]:
    """The first sentence of each clause: it says what the others add to."""
    first: dict[int, int] = {}
    for sentence in sentences:
        first.setdefault(sentence.clause, sentence.index)
    return set(first.values())


_DEFINITION = re.compile(r"[“\"]([^”\"]{2,60})[”\"],? (?:means|shall mean|has the meaning|refers to)\b|是指")
_BOILERPLATE = re.compile(
    r"\bheadings?\b.{0,60}\b(?:convenience|interpretation)|\b(?:invalid|unenforceable|illegal)\b.{0,120}\bprovisions?\b|"
    r"\bprovisions?\b.{0,120}\b(?:invalid|unenforceable|illegal)\b|\bcounterparts?\b|\bentire agreement\b|\bseverab",
    re.I,
)


def _points(aspect: Aspect, sentence: Sentence, clause: Clause, of_term: bool) -> float:
    if definition := _DEFINITION.search(sentence.text):
        # “Term” means ten years: only the definition of the thing itself, with a value, is looked for.
        valued = any(token.kind in ("money", "duration", "date", "percent") for token in salient(sentence.text))
        return _WORDS + _HEADING if valued and aspect.heading.fullmatch(definition[1] or "") else 0.0
    if _BOILERPLATE.search(sentence.text):
        return 0.0
    if aspect.name == "parties" and sentence.own.start > FRONT:
        return 0.0
    points = _WORDS * bool(aspect.words.search(sentence.text)) + _TERM * of_term
    if points:
        heading = clause.heading or (clause.path[-1] if clause.path and clause.kind is not ClauseKind.FRONT else "")
        points += _HEADING * bool(aspect.heading.search(heading))
    return points
