"""Chinese as contracts and statutes use it: phrases with one meaning, characters that say little.

Operators become single letters (see OPERATORS), so that a text can be compared character by character.
"""

import re

MUST, BAN, MAY, FREE, NOT, UNLESS, BUT, IF, AND, OR = "MXYFNUBCAO"
MIN, MAX, MORE, LESS, BEFORE, AFTER = "GLHKPQ"
OPERATORS = frozenset("MXYFNUBCAOGLHKPQ")
MODALS = frozenset((MUST, BAN, MAY, FREE))
NUMBER_BASE = 0xE100

_OPERATOR_PHRASES = {
    FREE: "无须/无需/不必/毋须/不需要/无义务/没有义务/不需/不承担",
    BAN: "不应当/不得(?!超|少|低|高|迟|多|早)/不可以/不须/不必须/不应/不准/禁止/严禁/一律不得/无权/不能/"
    "不可(?!预见|抗|归|撤|分)/不予/不允许",
    MUST: "应当/必须/务必/(?<![不适反相对响供])应(?![用急收付变答税])/(?<![无不])须(?!知)/有义务/需要|"
    "(?<![必急])需(?![求])",
    MAY: "(?<!不)可以/有权/(?<![不认许])可(?![能行靠疑归预比供用撤])/享有(?=[^，。；]{0,12}权)|有(?=优先)/得以|自主",
    UNLESS: "除外/除非/另有",
    BUT: "但是/但(?!书)/然而/不过(?!失)",
    OR: "或者/或/抑或",
    AND: "并且/以及/和(?!解|谐)/与(?![否会])/及(?!时|其)/且/并(?![购列入])|同时",
    MIN: "不少于/不低于/不得少于/不得低于/至少/最少/以上(?![述])|(?<!不)满(?=[\ue100-\uf000])|不早于",
    MAX: "最高不得超过/最多不超过/不得晚于/不晚于/不超过/不得超[过出]/不高于/不得高于/不多于/不迟于/不得迟于/"
    "至多/最多/最长/以下(?!简称|称|条件|列|情形|规定)/以内/之内/内(?=[^部容])|内$/为限/不得多于",
    MORE: "超过/超出/多于/高于", LESS: "少于/低于/不足/不满/不到",
    BEFORE: "之前/以前/前(?![一二三两四五]?[款条项述])", AFTER: "之后/以后/后(?!果)/之日起/起(?![诉草])",
    NOT: "没有/不/未/无(?!论|偿)/非(?!常|法|营)",
    IF: "如果/如(?![下何实])/若(?!干)/倘若/只有|只要",
}  # fmt: skip

# Words that stand for one another; the first form replaces the others.
_SAME = """
付 支付 付清 缴纳 交纳 缴付 给付 付给 交付 移交 提交 递交 呈交 缴 交
还 退还 返还 归还 退回 偿还 返回
赔 赔偿 补偿
责任 担责
签 签订 签署 签约 订立 订约
解除 解约 解除合同 解除协议
期满 期限届满 届满 期限已满
收 收到 接到 收取 收讫 收受
告 通知 告知 知会
知 知悉 知晓 获知 得知
供 提供
违约 违反合同 违反约定
延 延迟 迟延 拖延 延误
同意 许可 批准
修改 变更 更改 改为 修改为 补充
生效 有效 施行 实施 起效
免 免除
任何 一切
协商 商议 磋商
起诉 提起诉讼
申请 请求 要求
检 检查 检验 查验
完成 完毕 完结
保密 守密
开 开具
按 按照 依照 根据 依据 依 遵照
因 由于 因为 致使 导致 致
自己 自身
同等 相同
住 住所
转 转让 让与
买 购买
卖 出售
年报 年度报告
年 年度
半年报 半年度报告
付息 付利息
费 费用
货 货物
签字 签名
损失 损害
派人 派员
人 人员
一次 一次性
不可预见 无法预见 不能预见
造假 弄虚作假
随时 任何时候
政府 人民政府
法院 人民法院
质保 质量保证 保修
一方 任何一方 当事人一方
双方 甲乙双方 买卖双方
用 使用 利用
严重 严重违约
核 核对 审核
审 审查 审议
发 发送 发给 发放
办 办理
换 更换
修 维修 修理 修复
续 续期 续展 展期 顺延 延长
免费 无偿
停 暂停 停止 中止
超 超过
权 权利
款 款项 金额 数额 价款 总额
经营 从事
借 借用
存 保存 保管
其他 其余
写明 约定
挪用 挪作他用
"""

# Before operators are read: phrases that hold one but say something else.
BEFOREHAND = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        ("不(?:承担|负)(?:任何)?赔偿责任|不承担赔偿", "不赔偿"),
        ("(?:依法)?承担(?:相应的?|全部)?赔偿责任|赔偿责任", "赔偿"),
        ("不担责|不负(?:任何)?责任", "不承担责任"),
        ("承担(?=[^,，。;；不]{0,6}责任)", ""),
        ("(?<![一双对各])方(?:可以?|能|为|(?=有效|生效))|才可以?|才能", "才"),
        ("(?:当事人|双方|各方)(?=另有)", ""),
        ("拒绝|拒不", "拒"),
        ("弄虚作假", "造假"),
        ("不可抗力(?:因素|事件|事由|原因)?", "巉巇巋巏"),
        ("不服从", "不服"),
        ("无关", "鬅鬇鬈"),
        ("未满(?=[0-9一二三四五六七八九十])", "不满"),
        ("(?:产生|发生|具有|具备)(?:法律)?效力", "有效"),
        ("无效", "不有效"),
        ("采用|采取(?=书面)", "以"),
        ("没有(?=约定|写明|规定|明确|履行)", "未"),
        ("不能(?=预见)|无法(?=预见)", "不可"),
        ("不能(?=保存|协商)|无法(?=保存)", "无法"),
        ("(?:未|没有)(?:按照?(?:约定|规定)?的?(?:时间|期限|日期)|按[时期]|如期)", "逾期"),
        ("从事(?=[^,，。;；]{0,6}(?:经营|活动))", ""),
        ("本(?:条例|办法|规则|章程|细则|规定)(?=第)", ""),
        ("引起", "引发"),
        ("双方当事人|当事人双方", "双方"),
        ("减少注册资本", "减资"),
        ("增加注册资本", "增资"),
        ("之日起满", "满"),
        ("每逾期一日|每延误一日|每迟延一日|按日|每一?天", "每日"),
        ("(?<=[一二三四五六七八九十0-9])份|各执", "份"),
        ("二分之一|一半", "50%"),
    )
)
# A noun behind 的 at the end of a clause stays: without it the clause would read as a condition (……的，).
_DELETED = re.compile(
    "人民币|项下的?|本(?=条例|办法|法|规定|,|Q|P|M|Y|X)|所称|系指|是指|以下简称|应予|予以|进行|"
    "之一的?|所|作出|给予|有关|相关|相应|人民(?=检察院)|上述|该|全部或者部分|任何|一律|依法|无误|"
    "(?:合同|协议|方式|形式|情况|规定)(?![,，。;；]|$)|(?<!的)(?:合同|协议|方式|形式|情况|规定)"
)
LIGHT = frozenset(
    "的之其将把对于在由向等所以而则就即也亦均都各每已曾了是为被从到至自与给者个该此某有并会作成做于按因上中下内时方式以及进行过前后年月日元号"
)
QUALIFIERS = (
    "书面 事先 单独 连带 仅 唯一 独家 立即 故意 重大 违法 表决权 双方 直接 间接 实际 合理 无偿 免费 有效 正当 首次 "
    "随时 共同 同时取得 主要 严重 一般 普通 有限 无限 恶意 善意 明知 专属 永久 临时 经审计 年度 季度 税前 税后 净"
).split()
# Words of one character in the forms of `one_form`: a line that loses one has lost what is done.
WORDS = frozenset("付还赔告转买卖修换停免续审签服履")
PALE = frozenset("下列情形之一约定规定按照根据情况相关有关本合同协议双方当事人该所述处理工作业行为其他他")


def _compiled(phrases: dict[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    found = []
    for letter, text in phrases.items():
        parts = sorted(re.split(r"/", text), key=lambda part: -len(re.sub(r"\(.*?\)", "", part)))
        found.append((re.compile("|".join(parts)), letter))
    return tuple(found)


_FIRST = (MIN, MAX, MORE, LESS)
OPERATOR_RULES = _compiled({letter: _OPERATOR_PHRASES[letter] for letter in (*_FIRST, *_OPERATOR_PHRASES)})
_SYNONYMS = {word: line.split()[0] for line in filter(None, _SAME.split("\n")) for word in line.split()[1:]}
_SYNONYM = re.compile("|".join(sorted(_SYNONYMS, key=len, reverse=True)))


def one_form(text: str) -> str:
    """The text with phrases that mean the same in one form, and without words that say nothing."""
    return _DELETED.sub("", _SYNONYM.sub(lambda match: _SYNONYMS[match[0]], text))
