"""A Chinese legal text as segments of characters and operators: who may, must or must not do what, and when."""

import re
from dataclasses import dataclass
from functools import lru_cache

from conspectus.check.salient import Token, salient
from conspectus.check.zh.lexicon import BEFOREHAND, BUT, LIGHT, NUMBER_BASE, OPERATOR_RULES, OPERATORS, UNLESS, one_form
from conspectus.text import normalise

_ROLES = """
甲方 乙方 丙方 丁方 供方 需方 买方 卖方 供货方 业主方 出租方 承租方 转让方 受让方
主办方 场馆方 出卖人 买受人 品牌方 代理商 出租人 承租人 投保人 被保险人 保险人 受益人 借款人 贷款人
保证人 债权人 债务人 委托人 受托人 发包人 承包人 发货方 收货方 分包人 采购人 许可人 被许可人 出让人
受让人 转让人 监护人 被监护人 抵押人 抵押权人 质权人 承运人 托运人 收货人 申请人 被申请人 合伙人 原告
被告 母公司 子公司 保险公司 航空公司 供暖公司 公司 俱乐部 球员 施工单位 建设单位 监理单位 设计单位 用人单位
劳动者 用户 平台 经营者 消费者 供应商 股东 董事会 监事会 银行 客户 学校 医院 患者
信用社 农户 业主 住户 会员 交易场所 主管部门 定作人 承揽人 管理部门 出版社 出版者 著作权人 作者
雇主 雇员 员工 基金管理人 托管人 制造商 飞行员 招标人 投标人 中标人 寄件人 收件人 披露方 接收方
服务商 行政机关 当事人 委托方 受托方 许可方 被许可方 服务方 承包方 发包方 出借人 保管人 寄存人 居间人
行纪人 赠与人 受赠人 旅客 纳税人 捐款人 基金会 运动员 协会 物业服务人 物业使用人 使用人 所有权人 地役权人
居住权人 遗嘱人 继承人 持票人 出票人 背书人 乘客 家长 教师 学生 贷款方 借款方 担保人 卖家
买家 守约方 违约方 过错方 责任方
"""
_KNOWN = tuple(sorted(set(_ROLES.split()) - {"当事人"}, key=len, reverse=True))
ROLE_BASE = 0xF0000
ROLE = re.compile("[\U000f0000-\U000fffff]")
_PERSON = re.compile(
    "(?:^|[,，。;；:：、]|[向对由给与])([\u4e00-\u9fff]{1,5}?(?:人|方|者|单位|公司|机构|部门|机关|委员会|企业|中心))(?=[应不可有须在向对的未违为将负承授支]|$)"
)
_NOBODY = re.compile(
    "第三人|其他人|任何|本人|他人|双方|一方|对方|各方|自然人|法人|当事人|[应不可须将未并供提通知交付给在的等其由向对与经除凡]|个人"
)
_ALIAS = re.compile(r"\((?:以下简称|下称|简称|以下称)?\"([^\"]{1,12})\"\)")
_STOP = re.compile("[。;；\n]| *\\[(?:…|\\.\\.\\.)\\] *")
_PAUSE = re.compile("[,，:：()（）|]")
_EXCEPT = (
    (re.compile(r"未经(?=[^,，。;；]{1,24}?(?:同意|批准|许可|授权|委托))"), "除经"),
    (re.compile(r"除(?!外|以|非|权|名)([^,，。;；]{1,60}?)(?:之外|以外|外)"), rf"{UNLESS}\1"),
    (re.compile(r"也不例外|不例外"), "均同"),
    (re.compile(r"\(?不含([^,，。;；()]{1,20})\)?"), r"但不包括\1"),
)
_BEFORE_CONSENT = re.compile(r"除经([^,，。;；]{1,24}?(?:同意|批准|许可|授权|委托))")


@lru_cache(maxsize=4096)
def _content(text: str) -> str:
    """The characters of a stretch that are neither operators nor light, with its numbers and roles."""
    return "".join(
        char for char in text if (char not in OPERATORS and char not in LIGHT and char.isalnum()) or char >= "\ue100"
    )


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch between pauses: its characters in one form, operators as letters, numbers as private characters."""

    text: str
    group: int
    sentence: int = 0

    @property
    def content(self) -> str:
        """The characters that carry meaning, numbers among them."""
        return _content(self.text)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text read: its segments in order, its number tokens, and the text in one form with pauses kept."""

    segments: tuple[Segment, ...]
    tokens: tuple[Token, ...]
    text: str

    @property
    def content(self) -> str:
        """The characters of all segments that carry meaning."""
        return "".join(segment.content for segment in self.segments)


def _numbered(plain: str, tokens: list[Token]) -> str:
    out: list[str] = []
    at = 0
    for number, token in enumerate(tokens):
        if token.start >= at:
            out += [plain[at : token.start], chr(NUMBER_BASE + number)]
            at = token.end
    return "".join([*out, plain[at:]])


def is_number(char: str) -> bool:
    """Whether a character stands for a number of the text."""
    return "\ue100" <= char <= "\uf8ff"


def is_role(char: str) -> bool:
    """Whether a character stands for a role."""
    return char >= "\U000f0000"


def _short(names: tuple[str, ...], text: str) -> dict[str, str]:
    """The shorter names under which roles of a text may go on: 管理人 for 破产管理人. Only where one role fits."""
    there = [name for name in names if name in text and not name.startswith("被") and len(name) > 3]
    found: dict[str, str] = {}
    for name in there:
        short = name[-3:]
        if short not in found and not any(other != name and other.endswith(short) and other in text for other in names):
            found[short] = name
    return found


def names_of(evidence: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The roles of an evidence, and their short names."""
    names = roles(evidence)
    return names, tuple(_short(names, normalise(evidence)).items())


def roles(evidence: str) -> tuple[str, ...]:
    """The roles that a text may name: the known ones, and those that act in the evidence under other names."""
    plain = normalise(evidence).replace("人民币", "")
    own = {match[1] for match in _PERSON.finditer(plain) if not _NOBODY.search(match[1])}
    return (*_KNOWN, *sorted(own - set(_KNOWN)))


@lru_cache(maxsize=256)
def _role_pattern(names: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    ordered = sorted(names, key=len, reverse=True)
    return re.compile("|".join(f"(?<!有限)(?<!份){name}" if name.endswith("公司") else name for name in ordered)), {
        name: chr(ROLE_BASE + number) for number, name in enumerate(names)
    }


@lru_cache(maxsize=2048)
def read(text: str, names: tuple[str, ...] = _KNOWN, short: tuple[tuple[str, str], ...] = ()) -> Reading:
    """A text in segments, `names` as single characters from the private plane; the same text is read once."""
    plain = re.sub("[A-Z]", lambda match: match[0].lower(), normalise(text)).replace("人民币", "")
    pattern, one_char = _role_pattern(names)
    for less, full in short:
        plain = re.sub(f"(?<!{full[:-3]}){less}", full, plain)
    plain = pattern.sub(lambda match: one_char[match[0]], _ALIAS.sub("", plain))
    for pattern, new in BEFOREHAND:
        plain = pattern.sub(new, plain)
    tokens = salient(plain)
    line = _numbered(plain, tokens)
    line = re.sub(r"[(（][一二三四五六七八九十0-9]{1,3}[)）]", "", line)
    for pattern, new in _EXCEPT:
        line = pattern.sub(new, line)
    line = _BEFORE_CONSENT.sub(rf"{UNLESS}经\1", line)
    for pattern, letter in OPERATOR_RULES:
        line = pattern.sub(letter, line)
    line = one_form(line)
    segments: list[Segment] = []
    at = number = 0
    for group, sentence in enumerate(_STOP.split(line)):
        # A semicolon parts propositions, not sentences.
        at = line.find(sentence, at)
        number += line[max(0, at - 1) : at] not in (";", "；", "")
        segments += [Segment(piece, group, number) for piece in _PAUSE.split(sentence) if piece.strip()]
    return Reading(tuple(segments), tuple(tokens), line)


def excepted(segment: Segment) -> bool:
    """Whether a segment holds an exception."""
    return UNLESS in segment.text or segment.text.startswith(BUT)
