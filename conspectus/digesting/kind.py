"""What kind of document it is, by its title and its wording: the map prompt and the overview are worded for it."""

import re
from enum import StrEnum

from conspectus.document import Document, Language


class DocumentKind(StrEnum):
    """The kinds that prompts and overviews know."""

    CONTRACT = "contract"
    STATUTE = "statute"
    OTHER = "other"


HEAD = 6000  # characters at the head of a document that tell its kind
TAIL = 3000  # and at its end: signatures, commencement
TITLE = 240
TITLE_WEIGHT = 3
ENOUGH = 3  # less says nothing

_Rules = tuple[tuple[DocumentKind, bool, re.Pattern[str]], ...]


def _en(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.I)


# (kind, whether it counts in the title alone, words); each rule counts once.
_EN: _Rules = (
    (
        DocumentKind.CONTRACT,
        True,
        _en(
            "agreement|contract|lease|deed|licen[cs]e|indenture|memorandum of understanding|terms (?:and conditions|of "
            "(?:service|use|sale))|mortgage|guarantee|amendment no"
        ),
    ),
    (
        DocumentKind.STATUTE,
        True,
        _en(
            "act|regulations?|ordinance|code|statutes?|law|directive|decree|bill|statutory instrument|rules|title \\d+"
        ),
    ),
    (DocumentKind.CONTRACT, False,
     _en("by and (?:between|among)|(?:made|entered into).{0,80}between|between.{3,200}and")),
    (DocumentKind.CONTRACT, False, re.compile(r"\((?:[^()]{0,40})[“\"](?:the )?[A-Z][^”\"]{1,40}[”\"][^()]{0,40}\)")),
    (DocumentKind.CONTRACT, False, _en("the parties|each party|either party|parties hereto|hereinafter|whereas")),
    (DocumentKind.CONTRACT, False,
     _en("in witness whereof|signed (?:for|by)|executed (?:as a deed|by)|signature page")),
    (DocumentKind.CONTRACT, False, _en("this (?:agreement|lease|contract|deed)")),
    (DocumentKind.STATUTE, False, _en("be it enacted|may be cited as|short title|citation and commencement")),
    (DocumentKind.STATUTE, False, _en("comes? into force|enters? into force|is (?:hereby )?repealed|u\\.s\\. code")),
    (DocumentKind.STATUTE, False, _en("this (?:act|title|part|chapter|ordinance)|these regulations|this regulation")),
    (DocumentKind.STATUTE, False, _en("offence|fine not exceeding|the minister|the secretary|public law|pub\\. l")),
    (DocumentKind.STATUTE, False,
     _en("having regard to|in exercise of the powers|the member states?|parliament|congress")),
)  # fmt: skip
_ZH: _Rules = (
    (DocumentKind.CONTRACT, True, re.compile("合同|协议|契约|租约|备忘录")),
    (DocumentKind.STATUTE, True, re.compile("(?:法|条例|规定|办法|细则|决定|规则|通则|法典)(?:$|[（(\\s])")),
    (DocumentKind.CONTRACT, False, re.compile("甲方|乙方|出租人：|承租人：|出租方|承租方|买受人：|委托方|受托方")),
    (DocumentKind.CONTRACT, False, re.compile("本(?:合同|协议|租约)")),
    (DocumentKind.CONTRACT, False, re.compile("双方(?:同意|协商|签[字章署]|约定)|签字盖章|一式[两二三四五]份")),
    (DocumentKind.STATUTE, False, re.compile("制定本(?:法|条例|规定|办法|细则|规则)")),
    (DocumentKind.STATUTE, False, re.compile("本(?:法|条例|规定|办法|细则|规则)自.{4,24}起施行")),
    (DocumentKind.STATUTE, False, re.compile("第一条.{0,8}为了?|适用本法|主管部门|人民政府")),
)  # fmt: skip


def kind_of(document: Document) -> DocumentKind:
    """A contract, a statute, or something else: the kind with the most signs; of equals the one that the title names.

    A digest does not depend on it being right: it chooses words of a prompt and the order of the overview.
    """
    rules = _ZH if document.language is Language.ZH else _EN
    title = (document.title or document.text[:TITLE].strip().split("\n")[0])[:TITLE]
    body = f"{document.text[:HEAD]}\n{document.text[-TAIL:]}"
    points = {DocumentKind.CONTRACT: 0.0, DocumentKind.STATUTE: 0.0}
    for kind, in_title, pattern in rules:
        if in_title and pattern.search(title):
            points[kind] += TITLE_WEIGHT + 0.5
        elif not in_title and pattern.search(body):
            points[kind] += 1
    best = max(points, key=lambda kind: points[kind])
    return best if points[best] >= ENOUGH else DocumentKind.OTHER
