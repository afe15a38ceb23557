"""The duties table of a Chinese document: 甲方应当……, 不得……, 可以……, 有权……."""

import re
from collections.abc import Iterator

from conspectus.document import Sentence, Source
from conspectus.terms.types import Duty, Modality
from conspectus.terms.words import own_words, tidy

LONGEST_WHO = 26
_MODAL = re.compile(
    r"(?P<mustnot>不得(?!已)|禁止|严禁|不准|不应当?|无权|不可以)|(?P<need>无需|无须|不必|可以不|不需要)|"
    r"(?P<may>(?<!不)可以|有权|享有(?=[^，。；]{1,12}权)|(?<![不认许尽])可(?=自行|要求|向|随时|在|将|对|单方|"
    r"书面|解除|转让|延长|以书面)|(?<![买卖甲乙丙丁供需租让双一各对他])方可(?!以))|"
    r"(?P<must>应当(?!知道)|必须|有义务|有责任|(?<![不适反相对响供])应(?!用|急|收|付账|税|聘|诉|予以|得)|"
    r"(?<![无不])须(?!知)|负责(?!人|的|任))"
)
_NOUN = (
    "部门|机关|机构|单位|个人|场所|企业|公司|人民政府|人民法院|人民检察院|法院|检察院|委员会|协会|组织|集体|"
    "平台|银行|学校|医院|集团|处理者|经营者|管理者|运营者|"
    "双方|一方|甲方|乙方|丙方|丁方|买方|卖方|出租方|承租方|对方|各方|他方|[一-鿿]{1,4}方|当事人|会员|股东|"
    "董事会|监事会|股东会|董事|监事|经理|高级管理人员|人员|职工|员工|劳动者|消费者|公民|父母|子女|夫妻|"
    "工会|国家|国务院|主席|代表|律师|审判员|法官|清算组|自然人|法人|[一-鿿]{1,4}人(?![民员身格数工])|[一-鿿]{1,4}者|"
    "机关或者机构"
)
_ACTOR = (
    rf"(?:任何|各级?|所有|有关|前款规定的|其他|县级以上(?:地方)?|单个)?[一-鿿]{{0,14}}?(?:{_NOUN})(?:(?:、|和|及其|"
    rf"或者|以及|与|及)[一-鿿]{{0,8}}?(?:{_NOUN}))*"
)
_FULL = re.compile(rf"(?:{_ACTOR})|各[一-鿿]{{1,8}}(?:、各[一-鿿]{{1,8}})*|[一-鿿、]{{2,20}}等(?:{_NOUN})")
_OF = re.compile(rf"^[^，。；、]{{2,40}}的(?P<noun>(?:{_NOUN}))$")
# What may follow the person in the words before an operator: a verb of his own, or how, where and when he acts.
_FOLLOWS = re.compile(
    r"^(?:对|在|自|从|按照|依照|根据|收取|因|将|就|向|不服|持有|违反|于|为|每|也|均|都|依法|认为|发现|未|拒绝|"
    r"要求|终止|变更|解除|提供|进行|采取|与|由|经|给|用|以|已|则|同时|并|还|需要|转让|作出|收到|完成|使用|"
    r"处理|开展|支付|逾期|直接|不|有|是|行使|订立|履行|建立|制定|实施|委托|招用|安排|提前|单方|连续|利用|通过|"
    r"发生|申请|设立|到|无)"
)
_VERB_FIRST = re.compile(
    r"^(?:滥用|损害|侵害|利用|收集|使用|设立|申请|变更|终止|开展|处理|提供|进行|办理|制定|订立|签订|履行|转让|"
    r"建立|解除|下列|前款|"
    r"本[法条合同协议]|数据产品|交易)"
)
_END = re.compile(r"。|；(?!\s*[（(][一二三四五六七八九十]{1,3}[）)])")  # the items of a short list are one duty
_PART = re.compile(r"[，。；：]")
_BY = re.compile(rf"由(?P<who>[^，。；由]{{0,14}}?(?:{_NOUN})(?![的、和]))")
_CONDITION = re.compile(r"(?:的|时|外|后|前|情形下|情况下|之一)$|^(?:如果?|若|未经|有下列|除|凡|因|当|经|在|逾期|违反)")
_EXCEPTION = re.compile(
    r"(?:但是?[，,]?)?[^，。；：]{0,50}(?:除外|不受此限|不在此限)|除[^，。；]{1,50}以?外(?=，|。|；|$)"
)
_BUT = re.compile(r"[，,]但是?")
_TIME = r"[0-9一二三四五六七八九十百零〇两]+个?(?:工作日|小时|日|天|周|月|年)"
_WHEN = re.compile(
    rf"(?:自|从|在|于)[^，。；自从应]{{1,40}}?{_TIME}(?:以内|之内|内|以前|之前|前|以后|后)?|"
    rf"(?:至少)?提前{_TIME}|{_TIME}(?:以内|之内|内|以前|之前|前|以后|后)|"
    r"[0-9〇一二三四五六七八九十]{4}年[0-9一二三四五六七八九十]{1,3}月[0-9一二三四五六七八九十]{1,3}日(?:前|"
    r"之前|起)?|(?:在)?[^，。；应须]{1,20}(?:届满前|期满前|之前|以前|期间)|每[年月日季周]|按月|按时|按期|定期|"
    r"及时|立即|事先"
)
_DULL = re.compile(r"^(?:遵循|符合|视为|适用|认定|为准|认为)")
_AUTHORITY = re.compile(r"罚款|责令|没收|吊销|给予警告|给予处分|处罚|暂停")
_NOMINAL = re.compile(r"(?:规定|约定|要求|依法|明确|认为|法规)$")


def _modality(match: re.Match[str]) -> Modality:
    if match["mustnot"]:
        return Modality.MUST_NOT
    if match["need"]:
        return Modality.NEED_NOT
    return Modality.MAY if match["may"] else Modality.MUST


def _who(words: str) -> str:
    """The person that the words before an operator begin with; '' where a thing stands there."""
    head = re.sub(r"^(?:但是?|并|且|同时|也|均|都|还|其中|因此|否则|对于?)+", "", words.strip("　 "))
    if not head or _MODAL.search(head):
        return ""
    if match := _OF.match(head):
        return head if len(head) <= LONGEST_WHO else match["noun"]
    if _VERB_FIRST.match(head):
        return ""
    if _FULL.fullmatch(head) and len(head) <= LONGEST_WHO:
        return head
    for end in _ends(head):
        if _FOLLOWS.match(head[end:]):
            return head[:end]
    return ""


def _ends(head: str) -> Iterator[int]:
    """Where a person's name that begins at the head of the words may end, the shortest first."""
    for match in re.finditer(rf"(?:{_NOUN})", head[: LONGEST_WHO + 8]):
        if match.end() <= LONGEST_WHO and re.match(rf"(?:{_ACTOR})$", head[: match.end()]):
            yield match.end()


def _part_end(text: str, at: int) -> int:
    match = _PART.search(text, at)
    return match.start() if match else len(text)


def _clause_start(text: str, at: int) -> int:
    return max((match.end() for match in _END.finditer(text, 0, at)), default=0)


def _subject(text: str, start: int, after: int, last: str) -> tuple[str, int, str]:
    """(who, where the operator's clause begins, its own subject) of the operator at `start`.

    `after` is where the operator before it ends; a clause without a subject goes on with that one's, or with the
    topic of an earlier clause of the sentence.
    """
    stop = max(_clause_start(text, start), after)
    marks = [match.end() for match in _PART.finditer(text, stop, start)]
    begin = marks[-1] if marks else stop
    own = text[begin:start].strip("　 ")
    if by := _BY.search(text, begin, start) or _BY.search(text, start, _part_end(text, start)):
        return by["who"], begin, own
    if who := _who(own):
        return who, begin, own
    thing = re.sub(r"^(?:并|且|也|同时|但是?|还|均|都|应|则|可|依法|先|不予|并且)+", "", own)
    if len(thing) > 1 and not _CONDITION.search(thing):
        return "", begin, thing
    for at in reversed([_clause_start(text, start), *marks[:-1]]):
        end = _PART.search(text, at)
        said = text[at : end.start() if end else start]
        # Who is punished is not who punishes: 数据交易场所未……的，可以处……罚款.
        if said.endswith("的") and _AUTHORITY.search(text[start : start + 20]):
            continue
        if at < begin and (who := _who(said)):
            return who, begin, ""
    return last, begin, ""


def _conditions(text: str, begin: int) -> str:
    """The parts of the sentence before the operator's clause that are conditions: 情况复杂的，经批准，

    What leads up to a condition is part of it (承租人未经出租人同意，将租赁物转让的，); what stands behind it and is
    none (给予警告，) is not. A part with an operator of its own ends them.
    """
    offset = _clause_start(text, begin)
    parts = [match for match in re.finditer("[^，：]+", text[offset:begin]) if match[0].strip("　 ")]
    ruled = [place for place, match in enumerate(parts) if _MODAL.search(match[0])]
    first = ruled[-1] + 1 if ruled else 0
    holds = [place for place in range(first, len(parts)) if _CONDITION.search(parts[place][0].strip("　 "))]
    if not holds:
        return ""
    return tidy(text[offset + parts[first].start() : offset + parts[holds[-1]].end()])


def _sentence_end(text: str, at: int) -> int:
    match = _END.search(text, at)
    return match.start() if match else len(text)


def _duty(text: str, match: re.Match[str], end: int, subject: tuple[str, int, str]) -> Duty | None:
    who, begin, own = subject
    stop = _sentence_end(text, match.end())
    exception = _EXCEPTION.search(text, match.end(), stop) or _EXCEPTION.search(text, _clause_start(text, begin), begin)
    cut = exception.start() if exception and match.end() < exception.start() < end else end
    if but := _BUT.search(text, match.end(), cut):
        cut = but.start()
    tail = text[match.end() : cut]
    what = tidy(re.sub(r"^(?:[：:]|[（(][一二三四五六七八九十]{1,3}[）)]|\[…\]|\s)+", "", tail))
    if not what or _DULL.match(what) or (tail.rstrip("，").endswith("的") and "下列" not in tail):
        return None
    if not who and own:
        what = tidy(text[begin : match.end()] + tail)
    when = _WHEN.search(text, match.end(), cut) or _WHEN.search(text, begin, match.start())
    condition, before = _conditions(text, begin), tidy(text[begin : match.start()])
    if not condition and before != who and _CONDITION.search(before):
        condition = before  # 公司成立前不得……
    excepted, due = (tidy(found[0]) if found else "" for found in (exception, when))
    return Duty(who or "-", _modality(match), match[0], what, due, condition, excepted, 0)


def _nominal(text: str, match: re.Match[str]) -> bool:
    """True for an operator inside a noun phrase: 约定不得转让的数据, 应当指定负责该机构的代表人."""
    before = text[: match.start()]
    part = re.split("[，。；：]", before)[-1]
    return bool(_NOMINAL.search(before[-3:])) or (match[0] == "负责" and bool(_MODAL.search(part)))


def _rows(text: str) -> Iterator[Duty]:
    modals = [match for match in _MODAL.finditer(text) if not _nominal(text, match)]
    last, after = "", 0
    for place, match in enumerate(modals):
        following = modals[place + 1].start() if place + 1 < len(modals) else len(text)
        end = min(_sentence_end(text, match.end()), following)
        if following < _sentence_end(text, match.end()):
            # The next operator's clause begins at the last comma before it.
            commas = [m.start() for m in re.finditer("[，：]", text[match.end() : following])]
            end = match.end() + commas[-1] if commas else following
        if match[0] == "方可" and place and "，" not in text[modals[place - 1].end() : match.start()]:
            continue  # 应当登记后方可交易 is one duty
        if (
            place + 1 < len(modals)
            and modals[place + 1][0] == "方可"
            and not re.search("[，。；]", text[match.end() : following])
        ):
            end = _sentence_end(text, match.end())
        row = _duty(text, match, end, _subject(text, match.start(), after, last))
        after = match.end()
        if row:
            last = row.who if row.who != "-" else last
            yield row


def chinese_duties(source: Source, sentence: Sentence) -> Iterator[Duty]:
    """The rows of one sentence; a limb takes its operator from the words that lead into the list."""
    text = own_words(source, sentence)
    if re.search("是指|所称[^，。]{1,20}，?是?指", text):
        return
    number = re.match(r"第[^条]{1,9}条[\s　]*", text)
    rows = list(_rows(text[number.end() :] if number else text))
    if not rows and sentence.context and not _MODAL.search(text):
        whole = sentence.text.removeprefix("[…] ").removesuffix(" […]")
        rows = [
            row for row in _rows(whole) if "：" in whole and whole.find(row.what) + len(row.what) > whole.rfind("：")
        ][:1]
        if re.search("(?:情形|条件|行为|事项)之一的", whole[: whole.rfind("：") + 1]):
            rows = []
    for row in rows:
        yield Duty(
            row.who, row.modality, row.operator, row.what, row.when, row.condition, row.exception, sentence.index
        )
