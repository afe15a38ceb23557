"""A Chinese evidence in parts beside its statement, and what may be left out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.check.check import check
from conspectus.check.reasons import Reason
from conspectus.check.zh.lines import ends_open, said_twice
from conspectus.check.zh.parts import Part, parts_of
from conspectus.check.zh.reading import names_of, read
from conspectus.document import Language
from conspectus.text import normalise


def laid(evidence: str, statement: str) -> tuple[Part, ...]:
    source = normalise(evidence)
    names, short = names_of(source)
    return parts_of(read(normalise(statement), names, short), read(source, names, short))


def reasons(evidence: str, statement: str) -> tuple[Reason, ...]:
    return check(statement, evidence, Language.ZH)


def test_a_part_that_is_gone_is_gone_as_a_whole() -> None:
    # 家庭 stands in both halves of what is lost: the gap could lie one word further on.
    parts = laid(
        "个人经营的，以个人财产偿付；家庭经营的，以家庭财产偿付。", "个人经营的，以个人财产偿付；以家庭财产偿付。"
    )
    assert [part.gone for part in parts] == [False, False, True, False]


def test_what_changed_places_is_there() -> None:
    parts = laid("在本市境内设立冷库，适用本办法。", "本办法适用于在本市境内设立冷库。")
    assert all(part.share == 1 for part in parts)


def test_a_stretch_counts_once() -> None:
    first = laid("仓库应当在开启或者关闭闸门时出具开启或者关闭闸门的记录。", "仓库应当出具开启或者关闭闸门的记录。")[0]
    assert first.share < 0.8


def test_lead_and_limbs() -> None:
    parts = laid("申请人应当提交下列材料：（一）身份证明；（二）住址证明。", "申请人应当提交身份证明。")
    assert [(part.lead, part.limb) for part in parts] == [(True, False), (False, True), (False, True)]
    assert [part.gone for part in parts] == [False, False, True]


def test_conditions_and_exceptions_are_told_apart() -> None:
    parts = laid("买方逾期付款的，卖方可以停止供货，但是双方另有约定的除外。", "卖方可以停止供货。")
    assert [(part.condition, part.excepts) for part in parts] == [(True, False), (False, False), (True, True)]


@pytest.mark.parametrize(
    ("evidence", "statement", "reason"),
    [
        ("船东应当每季度检查锅炉。", "船东应当检查锅炉。", Reason.LIMIT),
        ("雇主违反本条例规定扣发工资的，应当双倍补发。", "雇主扣发工资的，应当双倍补发。", Reason.CONDITION),
        ("雇主扣发工资的，应当双倍补发。", "雇主扣发工资的。", Reason.CUT_OFF),
        ("馆长应当保管藏品，不得出借藏品。", "不得出借藏品。", Reason.DIRECTION),
        ("馆长可以随时要求借阅人归还图书。", "馆长可以要求借阅人归还图书。", Reason.QUALIFIER),
        ("保管人不能证明自己没有过错的，应当赔偿。", "保管人不能证明自己过错的，应当赔偿。", Reason.NEGATION),
    ],
)
def test_reasons(evidence: str, statement: str, reason: Reason) -> None:
    assert reason in reasons(evidence, statement)
    assert reasons(evidence, evidence) == ()


@pytest.mark.parametrize(
    ("evidence", "statement"),
    [
        ("馆长应当严格保管藏品，不得接受参观者的馈赠。", "馆长应当保管藏品。"),
        ("雇主扣发工资的，应当补发；给雇员造成损害的，应当赔偿。", "雇主扣发工资的，应当补发。"),
        ("除第二十二条和第二十三条规定的情形外，雇主不得扣发工资。", "除22条和23条规定的情形外，雇主不得扣发工资。"),
        ("卖方应当向买方开具发票，并应当在三日内把发票交付买方。", "卖方应当向买方开具发票，并在3日内交付买方。"),
        ("乙方未按约定期限完工的，应当支付违约金。", "乙方逾期完工的，应当支付违约金。"),
    ],
)
def test_what_may_go(evidence: str, statement: str) -> None:
    assert reasons(evidence, statement) == ()


def test_twice_and_open_ends() -> None:
    assert said_twice("押金不得超过一个月租金，不得超过一个月租金。", "押金不得超过一个月租金。")
    assert said_twice("依照第四条条规定办理。", "依照第四条规定办理。")
    assert not said_twice("处一万元以上三万元以下罚款，再处一万元以上三万元以下罚款。", "处一万元以上三万元以下罚款。")
    assert ends_open("雇主扣发工资的，", "雇主扣发工资的，应当补发。")
    assert not ends_open("有下列情形之一的：迟到的。", "有下列情形之一的：（一）迟到的；（二）早退的。")


_PIECES = st.lists(
    st.sampled_from(
        "甲方 乙方 应当 可以 不得 支付 交付 货物 房屋 ， ； 。 的 三十日内 除外 但是 未 （一） ： 每月 ( [".split()
    ),
    min_size=1,
    max_size=14,
).map("".join)


@given(_PIECES, _PIECES)
def test_any_two_texts_have_an_answer(evidence: str, statement: str) -> None:
    found = reasons(evidence, statement)
    assert found == reasons(evidence, statement)
    for part in laid(evidence, statement):
        assert 0 <= part.share <= 1
        assert part.kept <= {place for place, _ in part.units}
