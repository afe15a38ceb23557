"""What a bracket gives a name to: `… Limited, a company … (the "Landlord")`, `某某公司，住所地：…（以下简称“甲方”）`.

The name stands behind what it names and often behind a description of that too, so what stands nearest to it
("whose registered office is at 2 Halewood Quay") is mostly not what it means.
"""

import re

from conspectus.terms.dates import spans
from conspectus.terms.parties import CORPORATE
from conspectus.terms.words import tidy

_VERB = re.compile(r"\b(?:shall|may|will|must|is|are|was|has|have|grants?|means|by|called)\b")
_RELATIVE = re.compile(r"\b(?:whose|which|who)\b[^,;]{0,60}$")
_PHRASE = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bto)(?<!\bfor)(?<!\band)(?<!\bor)\s(?=(?:the|an?|any|all|such|this|its|their|each)\s)",
    re.I,
)
_LEADS_IN = re.compile(r"^(?:(?:by )?(?:and )?(?:by|between|among)|and|or|WHEREAS)\b,?\s+")
# What may follow a party's name up to the bracket.
_DESCRIPTION = re.compile(
    r"^(?:[\s,.]*$|,?\s*\(|[,.]?\s*(?:an?|as|each|in its|located|with|having|whose|which|organi[sz]ed|incorporated|"
    r"registered|existing|acting|doing|d/b/a|formerly|of|at|on behalf)\b)"
)
_PERSON = re.compile(r"^(?:[A-Z][\w.'’-]*\s){1,3}[A-Z][\w.'’-]*,\s(?:an?|of|whose|residing|born|with|having)\b")
_BELONGS = re.compile(r"\b(?:of|from|by|to|with|in|for|against)\s(?:the\s)?$")
_ROLE = re.compile(r"(?:or|er|ee|ant|Agent|Company|Bank|Trust|Guarantor|Party)$")
_DETERMINER = re.compile(r"\b(?:the|an?|any|all|each|every|such|this|these|its|their|his|her|one|two|three)\s", re.I)
_JOINED = re.compile(r"\b(?:and|or|than|of|between|among)\s$")
# A piece of a sentence with no thing at its head.
_FRAGMENT = re.compile(
    r"^(?:at|in|on|for|by|with|from|under|upon|as|to|of|not|only|automatically|payable|subject|entitled|obliged|"
    r"required|able|due)\b",
    re.I,
)


def named_in_english(head: str, term: str) -> str:
    """What the bracket with `term` names, of the words `head` before it; all of them where nothing is sure."""
    head = _LEADS_IN.sub("", head)
    if "Date" in term and (dates := [match for match in spans(head) if match.end() > len(head) - 30]):
        return dates[-1][0].strip()
    return _own_noun(head, term) or _party(head, term) or _phrase(head)


def _party(head: str, term: str) -> str:
    """The party with what describes it: the last name after which nothing but a description stands."""
    if _PERSON.match(head):
        return tidy(head)
    for match in reversed(list(CORPORATE.finditer(head))):
        if not _DESCRIPTION.match(head[match.end() :]):
            continue
        # "the pumps of Acme Inc. (the "Products")" is not about Acme.
        if _BELONGS.search(head[: match.start()]) and not _is_called(match[0], term):
            return ""
        return tidy(head[match.start() :])
    return ""


def _is_called(name: str, term: str) -> bool:
    """Whether a party of this name may be called so: by a role, a word of its name, its initials."""
    initials = "".join(word[0] for word in name.split() if word[0].isupper())
    return bool(_ROLE.search(term)) or term in name or initials.startswith(term.replace(".", "")[:4].upper())


def _own_noun(head: str, term: str) -> str:
    """From the noun that the term repeats: of "the period of three months (the “Rent-Free Period”)" all; "" without."""
    noun = re.escape(term.split()[-1].rstrip("s").lower())
    found = list(re.finditer(rf"\b{noun}(?:s|es)?\b", head, re.I))
    starts = [match for match in _DETERMINER.finditer(head, 0, found[-1].start())] if found else []
    if not starts:
        return ""
    before, lead = head[: starts[-1].start()], head[starts[-1].start() : found[-1].start()]
    # "between A and the volume", "the Quarterly Commitment": a part of what is named, or another name.
    other = not found[-1][0].islower() and (starts[-1][0].lower() != "this " or bool(_VERB.search(lead)))
    said = tidy(head[starts[-1].start() :])
    if other or _JOINED.search(before) or "," in lead or ";" in lead or len(lead.split()) > 6 or len(said.split()) < 3:
        return ""
    return said


def _phrase(head: str) -> str:
    """The noun phrase behind the sentence's verb; all words where none is sure."""
    verbs = [match for match in _VERB.finditer(head) if not _RELATIVE.search(head[: match.start()])]
    if not verbs:
        return head
    said = head[verbs[-1].end() :].strip() or head
    if len(said.split()) < 2 and not said[:1].isupper():
        return head
    phrases = list(_PHRASE.finditer(" " + said))
    if phrases:
        return tidy(said[max(0, phrases[0].end() - 1) :])
    return head if _FRAGMENT.match(said) else tidy(said)


_DESCRIPTION_ZH = re.compile(
    r"^(?:其?(?:公司)?(?:注册|住所|住址|办公|通讯|联系|营业)|地址|位于|统一社会信用代码|信用代码|法定代表人|负责人|身份证|公民身份|"
    r"营业执照|注册号|电话|邮编|成立于|一家|系|是一|为一|根据|依照|依据|依法|男|女|汉族|性别|国籍|出生)"
)
_ORGAN = (
    "公司|集团|中心|厂|商行|银行|委员会|大学|学院|学校|医院|事务所|合伙企业|合作社|协会|基金会|"
    "研究所|研究院|管理局|政府"
)  # fmt: skip
_AFTER_PREPOSITION_ZH = re.compile(rf"^.*[由与向](?P<name>[^由与向]{{2,40}}?(?:{_ORGAN}))$")
_LEADS_IN_ZH = re.compile(
    r"^(?:以及|与|和|及|由|、|其中|(?:根据|依据|依照|按照)(?=《)|为了?(?:规范|加强|促进|保障|保护|维护|实施|贯彻)|"
    r".*(?:应当|可以|应|须|不得)[^，]{0,12}?(?:支付|交付|缴纳|交纳|收取|提供|设立|承担|签订|签署|制定|购买|租赁|转让))"
)


def named_in_chinese(head: str) -> str:
    """What `（以下简称“…”）` names, of the words of its sentence before it: the last clause, or the name in it.

    Clauses that only describe (住所地、统一社会信用代码、法定代表人) belong to the name before them.
    """
    parts = head.strip(" 　，,").split("，")
    first = len(parts) - 1
    while first and _DESCRIPTION_ZH.match(parts[first].strip()):
        first -= 1
    name = _LEADS_IN_ZH.sub("", parts[first].strip())
    if match := _AFTER_PREPOSITION_ZH.match(name):
        name = match["name"]
    return tidy("，".join((name, *parts[first + 1 :])))
