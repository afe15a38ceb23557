"""What the program says of pages, clauses, calls and errors, in Chinese.

digest.json and report.json keep one wording, English: reading, accounting and the engine make it. A reader of a Chinese
digest or report sees it in Chinese; names of files, servers and fonts stand as they are, and so does a message that has
no translation here.
"""

import re
from collections.abc import Iterable
from functools import cache

from conspectus.document import Language
from conspectus.render.messages_zh import MESSAGES, SYSTEM
from conspectus.render.remedies_zh import REMEDIES

_LEDGER = (
    (r"\ba heading\b", "标题"),
    (r"no duty, right, amount, date, term or sanction found", "未发现义务、权利、金额、日期、期限或罚则"),
    (r"(\d+) of (\d+) lines? not verified", r"\2 行中 \1 行未核对"),
    (r"said in the same words in ", "相同文字见"),
    (r"\bfront matter\b", "文首"),
    (r"(\d[\d,]*) more material sentences? ", r"另有 \1 个重要句子"),
    (r"without a line, or beyond the length:? ?", "没有对应的行，或超出篇幅："),
    (r"beyond the length:? ?", "超出篇幅："),
)
# pdf/: why a page was not read, what is odd about it.
_PAGES = (
    (r"an image without text, probably a scan", "只有图像，没有文字，可能是扫描件"),
    (r"a scan with nothing but a running line as text", "扫描件，除页眉页脚外没有文字"),
    (r"nothing on it but running heads and page numbers: if there is more to see, it is a scan",
     "除页眉和页码外没有文字；若页面另有内容，则为扫描件"),
    (r"content without readable text", "有内容，但没有可读的文字"),
    (r"all of its text is hidden", "文字全部隐藏"),
    (r"XFA form: its content is not in the page", "动态表单，内容不在页面中"),
    (r"glyph names stand in place of letters", "文字被字形名称代替"),
    (r"Chinese text was decoded as Latin-1", "中文被误作西文解码"),
    (r"(\d+) of (\d+) characters are private to their font", r"\2 个字符中 \1 个为字体自用编码"),
    (r"(\d+) of (\d+) characters have no meaning", r"\2 个字符中 \1 个没有意义"),
    (r"(\d+) of (\d+) characters are of rare scripts", r"\2 个字符中 \1 个属于罕见文字"),
    (r"some characters have no meaning", "部分字符没有意义"),
    (r"(\d+) accents stand without a letter", r"有 \1 个重音符号没有字母"),
    (r"(\d[\d,]*) characters? could not be read: the font does not say what (?:they are|it is)",
     r"有 \1 个字符无法读出：字体没有说明其含义"),
    (r"(\d[\d,]*) characters? could not be read", r"有 \1 个字符无法读出"),
    (r"(\d[\d,]*) hidden characters? (?:was|were) left out", r"略去 \1 个隐藏字符"),
    (r"two readers agree on (\d+)% of its characters only", r"两种读取方式只有 \1% 的字符一致"),
    (r"its font does not say which characters it shows, two readers agree on (\d+)%",
     r"字体没有说明所示字符，两种读取方式有 \1% 的字符一致"),
    (r"read with pdfium \((.*)\); hidden text was not looked for", r"改用 pdfium 读取（\1），未查找隐藏文字"),
    (r"the file is damaged \((.*)\): it was read with pdfium, and hidden text was not looked for",
     r"文件已损坏（\1），改用 pdfium 读取，未查找隐藏文字"),
    (r"it shows text invisibly, which was not left out", "含有不可见的文字，未予略去"),
    (r"its text was recognised by ocrmypdf", "文字由 ocrmypdf 识别"),
    (r"words stand without gaps between them: what the page says may be misread", "词与词之间没有间隔，可能误读"),
    (r"lines drawn from the bottom up were put in order", "自下而上绘制的行已按顺序排列"),
    (r"(\d+) columns were put in order", r"\1 栏文字已按顺序排列"),
    (r"(\d[\d,]*) form fields? and (\d[\d,]*) annotations? stand at the end of its text",
     r"\1 个表单域和 \2 条批注列在该页文字之后"),
    (r"attachment not read: ", "附件未读："),
    (r"the file is a portfolio: the files inside it were not read, only its cover page",
     "文件为文件包：只读了封面，没有读其中的文件"),
    (r"it took more than (\S+) seconds", r"超过 \1 秒"),
    (r"it took more than its share of CPU time", "超出该页的处理时间"),
    (r"it needs more memory than the limit", "所需内存超出限额"),
    (r"out of memory", "内存不足"),
    (r"the time limit of (\S+) seconds was reached", r"达到 \1 秒的时限"),
    (r"the reading process died (\d+) times", r"读取进程中断 \1 次"),
    (r"the reading process died \([^)]*\)", "读取进程中断"),
    (r"its reading process gave no answer", "读取进程没有应答"),
    (r"it is nested too deeply \(RecursionError\)", "嵌套过深"),
    (r"it goes beyond a safety limit of the reader: size, depth or number of parts \(LimitReachedError\)",
     "超出读取的安全限额：大小、层数或部件数"),
    (r"the reader stopped with \w+", "读取时出错"),
    (r"language not supported: (.*), handled generically", r"不支持的语言（\1），按通用规则处理"),
    (r"part of the text is in English; it is read by the rules of the rest", "部分文字为英文，按其余部分的规则读取"),
)  # fmt: skip
# What a key term's basis says.
_TERMS = (
    (r"day or month first\? as written", "日月次序不明，按原文"),
    (r"left blank in the document", "原文留空"),
    (r"no year is said", "未写年份"),
    (r"no day is said", "未写日"),
    (r"no such day in the calendar", "历法中无此日"),
    (r"hangs on an event", "取决于某一事件"),
    (r"which dollar is not said", "未写明何种元"),
    (r"yuan or yen is not said", "未写明人民币或日元"),
    (r"^column (.*), in (\S+)$", r"表列：\1，单位 \2"),
)
_CALLS = (
    (r"A model call failed: ", "模型调用失败："),
    (r"The model was closed", "模型已关闭"),
    (r"the call was cancelled", "调用已取消"),
    (r"the call was not made", "未进行调用"),
    (r"it does not answer in time", "未及时应答"),
    (r"it gave no answer in (\d+) seconds", r"\1 秒内没有应答"),
    (r"it fell silent in the middle of a call", "调用中途没有了应答"),
    (r"it cannot be reached", "无法连接"),
    (r"it closed the connection in the middle of an answer", "应答中途连接被关闭"),
    (r"it closed the connection", "连接被关闭"),
    (r"it serves another model now: ", "现在提供的是另一个模型："),
    (r"it serves another model than the others: ", "提供的模型与其他服务器不同："),
    (r"another program answers than at the start", "应答的程序与开始时不同"),
    (r"(\S+) answers instead of (\S+)", r"应答的是 \1，而不是 \2"),
    (r"it generates nothing", "没有生成内容"),
    (r"it only reasoned and gave no answer", "只有思考过程，没有回答"),
    (r"it gave an empty answer", "回答为空"),
    (r"it cannot count tokens", "无法计算词元数"),
    (r"it answers garbage", "应答无法识别"),
    (r"it answers something that is no stream of events", "应答不是事件流"),
    (r"its answer does not end", "应答没有结束"),
    (r"it names no model under /v1/models", "/v1/models 没有列出模型"),
    (r"it cannot load (.*) \(its process ended with (\S+)\)", r"无法加载 \1（进程以 \2 结束）"),
    (r"it is still loading ", "仍在加载 "),
    (r"no secure connection: ", "无法建立安全连接："),
    (r"it does not fit: (\S+) GiB of main memory needed, (\S+) GiB free", r"内存不足：需要 \1 GiB 主内存，可用 \2 GiB"),
    (r"(\S+) GiB of GPU memory needed, (\S+) GiB free", r"需要 \1 GiB 显存，可用 \2 GiB"),
    (r"it is loading its model", "正在加载模型"),
    (r"its context overflowed", "上下文溢出"),
    (r"the prompt is over its context", "提示超出其上下文"),
    (r"it refuses the key \(HTTP (\d+)\)", r"拒绝密钥（HTTP \1）"),
    (r"it has no slot free \(HTTP (\d+)\)", r"没有空位（HTTP \1）"),
    (r"it refuses the request \(HTTP (\d+)[^)]*\)", r"拒绝请求（HTTP \1）"),
    (r"it answers HTTP (\d+)", r"应答 HTTP \1"),
    (r"no server answers", "没有服务器应答"),
    (r"pages not read: ", "未读的页："),
)
_RULES = tuple((re.compile(words), said) for words, said in (*_LEDGER, *_PAGES, *_TERMS, *_CALLS))
_KINDS = {
    "obligation": "义务", "prohibition": "禁止", "right": "权利", "amount": "金额", "percentage": "比例",
    "date": "日期",
    "duration": "期限", "exception": "例外", "liability": "责任", "scope": "适用范围",
    "sanction": "罚则",
    "termination": "终止", "commencement": "施行", "definition": "定义", "law": "适用法律", "condition": "条件",
    "party": "当事人", "power": "职权",
}  # fmt: skip
_KIND = re.compile(rf"\b(?:{'|'.join(_KINDS)})\b")
_LANGUAGES = {
    "Korean": "朝鲜文", "Russian or another language in Cyrillic": "俄文等", "Greek": "希腊文", "Arabic": "阿拉伯文",
    "Hebrew": "希伯来文", "Thai": "泰文", "Hindi or another language in Devanagari": "印地文等", "Japanese": "日文",
    "German": "德文", "French": "法文", "Spanish": "西班牙文", "Italian": "意大利文", "Portuguese": "葡萄牙文",
    "Dutch": "荷兰文", "English": "英文",
}  # fmt: skip
_NAME = re.compile("|".join(map(re.escape, _LANGUAGES)))
# The computed side of an amount: its currency as a Chinese reader says it.
_CURRENCIES = {
    "CNY": "元", "USD": "美元", "EUR": "欧元", "GBP": "英镑", "JPY": "日元", "HKD": "港元", "AUD": "澳元",
    "CAD": "加元", "CHF": "瑞士法郎", "SGD": "新加坡元", "TWD": "新台币元", "KRW": "韩元", "INR": "卢比",
    "RUB": "卢布",
}  # fmt: skip


_LATIN = re.compile("[A-Za-z]{2,}")
_FILE = re.compile(r"[/\\]|\.[A-Za-z]{2,4}$")


def why(reason: str, language: Language) -> str:
    """A reason of the ledger, of a page or of a call, or the message of an error, in the language of the reader."""
    if language is not Language.ZH:
        return reason
    if (system := SYSTEM.get(reason)) is not None:
        return system
    head, _, rest = reason.partition(": ")
    found = [said for said in (_fitted(reason, _messages()),) if said is not None]
    # A message with the name of its document before it.
    if _FILE.search(head) and (said := _fitted(rest, _messages())) is not None:
        found.append(f"{head}：{said}")
    if found:
        return min(found, key=lambda said: len(_LATIN.findall(said)))
    if len(several := reason.split("; ")) > 1:
        reason = "; ".join(_fitted(one, _messages()) or one for one in several)
    for pattern, words in _RULES:
        reason = pattern.sub(words, reason)
    if "语言（" in reason:
        reason = _NAME.sub(lambda match: _LANGUAGES[match.group()], reason)
    if "超出篇幅" in reason:
        reason = _KIND.sub(lambda match: _KINDS[match.group()], reason)
    return re.sub(r"(?<=[一-鿿\d）]); ", "；", re.sub(r"(?<=[一-鿿]), ", "、", reason)).rstrip("：")


def remedy(text: str, language: Language) -> str:
    """The remedy of an error in the language of the reader; commands stand as they are typed."""
    if language is not Language.ZH:
        return text
    said = _fitted(text, _remedies())
    return text if said is None else said


_Rows = tuple[tuple[re.Pattern[str], tuple[bool, ...], str], ...]


# Hundreds of patterns that most runs never need.
@cache
def _messages() -> _Rows:
    return _compiled(MESSAGES)


@cache
def _remedies() -> _Rows:
    return _compiled(REMEDIES)


def _compiled(rows: Iterable[tuple[str, str]]) -> _Rows:
    """Patterns for whole texts; for each of their holes, whether what stands there is translated in its turn."""
    made = []
    for english, chinese in rows:
        pieces = re.split(r"({(?:why)?})", english)
        pattern = "".join("(.*?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
        made.append((re.compile(pattern, re.DOTALL), tuple(hole == "{why}" for hole in pieces[1::2]), chinese))
    return tuple(made)


def _fitted(text: str, rows: _Rows) -> str | None:
    """The words of the first row that fits the whole text; None where none does."""
    for pattern, turns, words in rows:
        if (match := pattern.fullmatch(text)) is not None:
            parts = (why(part, Language.ZH) if turn else part for part, turn in zip(match.groups(), turns, strict=True))
            return words.format(*parts)
    return None


def amount(computed: str, language: Language) -> str:
    """`30000 GBP` as people read it: `30,000 GBP`, in Chinese `30,000 英镑`. Digits as they stand after the point."""
    number, _, unit = computed.partition(" ")
    whole, point, rest = number.partition(".")
    if not whole.isascii() or not whole.isdigit():
        return computed
    unit = _CURRENCIES.get(unit, unit) if language is Language.ZH else unit
    return f"{int(whole):,}{point}{rest} {unit}".rstrip()
