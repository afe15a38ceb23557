"""Who does what to whom: parties turned round, duties moved to somebody else. Rules, as far as rules can tell."""

import re
from collections.abc import Sequence

from conspectus.document import Language

_SUBJECT_EN = re.compile(
    r"\b([A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:'s [a-z]+)? (shall|must|may|will|can|is (?:entitled|required|obliged)|"
    r"agrees?|undertakes?|covenants?|pays?)\b(?! be )"
)
_AGENT_EN = re.compile(r"\bby (?:the |any |an? )?([A-Z][a-z]+(?: [A-Z][a-z]+)?)")
_ROLE_EN = re.compile(r"\b[A-Z][a-z]+(?:er|or|ee|ant|ent|lord|ier|yer|pany|ity|ian|man|ive|est|board|party)s?\b")
_ROLES_ZH = """
甲方 乙方 丙方 丁方 供方 需方 买方 卖方 供货方 业主方 出租方 承租方 转让方 受让方 主办方 场馆方 出卖人 买受人
出租人 承租人 投保人 被保险人 保险人 受益人 借款人 贷款人 保证人 债权人 债务人 委托人 受托人 发包人 承包人
分包人 采购人 许可人 被许可人 出让人 受让人 监护人 抵押人 抵押权人 质权人 承运人 托运人 收货人 申请人 被申请人
合伙人 原告 被告 母公司 子公司 公司 俱乐部 球员 施工单位 建设单位 监理单位 用人单位 劳动者 用户 平台 经营者
消费者 供应商 股东 董事会 监事会 银行 客户 学校 医院 患者 信用社 农户 业主 住户 会员 交易场所 主管部门
管理部门 出版社 作者 雇主 雇员 员工
"""
_ROLE_ZH = re.compile("|".join(sorted(_ROLES_ZH.split(), key=len, reverse=True)))


def _order(text: str, roles: Sequence[str]) -> list[str]:
    """The roles in the order in which a text names them, runs of one taken once."""
    pattern = re.compile("|".join(re.escape(role) for role in sorted(roles, key=len, reverse=True)))
    found: list[str] = []
    for match in pattern.finditer(text):
        if not found or found[-1] != match[0]:
            found.append(match[0])
    return found


def _within(said: Sequence[str], source: Sequence[str]) -> bool:
    """True where `said` is a subsequence of `source`."""
    rest = iter(source)
    return all(item in rest for item in said)


def parties_turned(statement: str, evidence: str, language: Language) -> bool:
    """True where the parties come in an order that the evidence does not have: who does what to whom may be turned.

    A passive turns the order and keeps the sense, so an agent behind "by" is moved to the front first.
    """
    pattern = _ROLE_ZH if language is Language.ZH else _ROLE_EN
    roles = {match[0] for match in pattern.finditer(evidence)} & {match[0] for match in pattern.finditer(statement)}
    said, source = _order(_active(statement), list(roles)), _order(_active(evidence), list(roles))
    if len(roles) > 1 and not _within(said, source):
        return True
    return (_other_head if language is Language.ZH else _stranger_acts)(statement, evidence)


_BEFORE_MODAL_ZH = re.compile("([^，。；：、]{2,40}?)(?:应当|不得|可以|必须|有权|须|应|可)")


_PERSON_ZH = re.compile("[^，。；]{1,6}?[人方者司会关门位院校行社构员东户师商]")


def _other_head(statement: str, evidence: str) -> bool:
    """True where a clause before a modal begins with words that stand before no modal of the evidence, but elsewhere.

    Who acts stands there: 受让人应当 against 转让人应当……受让人.
    """
    heads = _BEFORE_MODAL_ZH.findall(evidence)
    said = [head for head in _BEFORE_MODAL_ZH.findall(statement) if head[:2] in evidence and _PERSON_ZH.match(head)]
    return bool(heads) and any(not any(head[:2] in other for other in heads) for head in said)


_PASSIVE = re.compile(
    r"([^.;,]*?\b(?:be|is|are|been) \w+(?:ed|en|id|ade|wn|nt)\b[^.;,]*?) by ((?:the |an? )?[A-Z][a-z]+)"
)


def _active(text: str) -> str:
    """The text with the agent of a passive put before its clause."""
    return _PASSIVE.sub(r"\2 \1", text)


def _stranger_acts(statement: str, evidence: str) -> bool:
    """True where somebody acts in the statement who does not act in the evidence (before a modal, or after "by")."""
    acting = _acting(evidence)
    agents = {name.lower() for name in _AGENT_EN.findall(evidence)} | _objects(evidence)
    names = {name for name, _ in acting}
    for name, right in _acting(statement):
        if names and name not in names | agents:
            return True
        # Who only may, must not; who only must, may not.
        if (
            name in names - agents
            and (name, right) not in acting
            and {r for n, r in acting if n == name} == {not right}
        ):
            return True
    return False


_PLAIN_SUBJECT_EN = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Aa]ny|[Ee]very|[Ee]ach) ([a-z]+(?:er|or|ee|ant|ent|lord|ier|yer|ity|man|subject|owner|ured)) "
    r"(shall|must|may|can)\b(?! be )"
)
_ARTICLE = re.compile(r"^(?:The|Each|Every|Any|No|An?|This|That|Such|Either|Neither|If) ")


def _acting(text: str) -> set[tuple[str, bool]]:
    """(who, whether it is a right) of each name before a modal."""
    named = [(_ARTICLE.sub("", match[1]), match[2]) for match in _SUBJECT_EN.finditer(text)]
    plain = [(match[1], match[2]) for match in _PLAIN_SUBJECT_EN.finditer(text)]
    return {(who.lower().rstrip("s"), modal in ("may", "can", "is entitled")) for who, modal in named + plain}


def _objects(text: str) -> set[str]:
    """Things, not parties, that a passive may make a subject: capitalised words that are no roles."""
    return {word.lower() for word in re.findall(r"\b[A-Z][a-z]+\b", text) if not _ROLE_EN.fullmatch(word)}
