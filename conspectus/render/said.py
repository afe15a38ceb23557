"""What the program says of pages, clauses and calls, in Chinese.

digest.json keeps one wording, English: reading, accounting and the engine make it. A reader of a Chinese digest sees
it in Chinese; names of files, servers and fonts stand as they are, and so does a message that has no translation here.
"""

import re

from conspectus.document import Language

_LEDGER = (
    (r"\ba heading\b", "标题"),
    (r"no duty, right, amount, date, term or sanction found", "未发现义务、权利、金额、日期、期限或罚则"),
    (r"(\d+) of (\d+) lines not verified", r"\2 行中 \1 行未核对"),
    (r"said in the same words in ", "相同文字见"),
    (r"\bfront matter\b", "文首"),
    (r"(\d+) more material sentences ", r"另有 \1 个重要句子"),
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
    (r"(\d+) characters could not be read: the font does not say what they are",
     r"有 \1 个字符无法读出：字体没有说明其含义"),
    (r"(\d+) characters could not be read", r"有 \1 个字符无法读出"),
    (r"(\d+) hidden characters were left out", r"略去 \1 个隐藏字符"),
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
    (r"(\d+) form fields and (\d+) annotations stand at the end of its text",
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
    (r"it cannot be reached", "无法连接"),
    (r"it closed the connection", "连接被关闭"),
    (r"it is loading its model", "正在加载模型"),
    (r"its context overflowed", "上下文溢出"),
    (r"the prompt is over its context", "提示超出其上下文"),
    (r"it refuses the key \(HTTP (\d+)\)", r"拒绝密钥（HTTP \1）"),
    (r"it has no slot free \(HTTP (\d+)\)", r"没有空位（HTTP \1）"),
    (r"it refuses the request \(HTTP (\d+)[^)]*\)", r"拒绝请求（HTTP \1）"),
    (r"it answers HTTP (\d+)", r"应答 HTTP \1"),
    (r"no server answers", "没有服务器应答"),
    (r"model calls failed: ", "模型调用失败："),
    (r"pages not read: ", "未读的页："),
    (r"\(as before\)", "（与上次相同）"),
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


def why(reason: str, language: Language) -> str:
    """A reason of the ledger, of a page or of a call in the language of the digest."""
    if language is not Language.ZH:
        return reason
    for pattern, words in _RULES:
        reason = pattern.sub(words, reason)
    if "语言（" in reason:
        reason = _NAME.sub(lambda match: _LANGUAGES[match.group()], reason)
    if "超出篇幅" in reason:
        reason = _KIND.sub(lambda match: _KINDS[match.group()], reason)
    return re.sub(r"(?<=[一-鿿\d）]); ", "；", re.sub(r"(?<=[一-鿿]), ", "、", reason)).rstrip("：")


def amount(computed: str, language: Language) -> str:
    """`30000 GBP` as people read it: `30,000 GBP`, in Chinese `30,000 英镑`. Digits as they stand after the point."""
    number, _, unit = computed.partition(" ")
    whole, point, rest = number.partition(".")
    if not whole.isascii() or not whole.isdigit():
        return computed
    unit = _CURRENCIES.get(unit, unit) if language is Language.ZH else unit
    return f"{int(whole):,}{point}{rest} {unit}".rstrip()
