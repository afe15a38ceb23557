"""What differs in a clause, and of what kind it is: 30 pairs made by hand, and the words of both sides kept whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.compare.marks import compared
from conspectus.document import Language
from conspectus.text import fold, normalise

EN, ZH = Language.EN, Language.ZH
PAIRS = [
    # English: operators
    (
        EN,
        "The Tenant shall insure the Property.",
        "The Tenant may insure the Property.",
        [("operator", "shall", "may")],
    ),
    (EN, "The Supplier may not sub-let.", "The Supplier may sub-let.", [("operator", "may not", "may")]),
    (EN, "The Tenant shall not sublet.", "The Tenant shall sublet.", [("operator", "shall not", "shall")]),
    (EN, "It is void if A and B agree.", "It is void if A or B agree.", [("operator", "and", "or")]),
    (
        EN,
        "The Tenant shall not withhold rent, except where the law requires it.",
        "The Tenant shall not withhold rent.",
        [("operator", ", except where the law requires it", "")],
    ),
    (
        EN,
        "The Landlord may enter the Property.",
        "The Landlord may enter the Property, provided that it gives notice.",
        [("operator", "", ", provided that it gives notice")],
    ),
    (
        EN,
        "Notice must be given before the sale.",
        "Notice must be given after the sale.",
        [("operator", "before", "after")],
    ),
    (EN, "Consent must be given in writing.", "Consent must be given.", [("operator", "in writing", "")]),
    (EN, "A fee of at least £50 is due.", "A fee of up to £50 is due.", [("operator", "at least", "up to")]),
    (
        EN,
        "The Buyer is entitled to a refund.",
        "The Buyer is not entitled to a refund.",
        [("operator", "is entitled to", "is not entitled to")],
    ),
    # English: numbers, periods, amounts, dates, parties, references, words
    (EN, "Payment is due within 30 days.", "Payment is due within 60 days.", [("period", "30 days", "60 days")]),
    (
        EN,
        "Payment is due within thirty (30) days.",
        "Payment is due within sixty (60) days.",
        [("period", "thirty (30) days", "sixty (60) days")],
    ),
    (EN, "The fee is £30,000 a year.", "The fee is £36,000 a year.", [("amount", "£30,000", "£36,000")]),
    (EN, "Interest runs at 4% a year.", "Interest runs at 4.5% a year.", [("amount", "4%", "4.5%")]),
    (EN, "It ends on 1 March 2027.", "It ends on 1 April 2027.", [("date", "1 March 2027", "1 April 2027")]),
    (
        EN,
        "At once the Landlord shall repair the roof.",
        "At once the Tenant shall repair the roof.",
        [("party", "Landlord", "Tenant")],
    ),
    (
        EN,
        "This is subject to clause 8.2.",
        "This is subject to clause 8.3.",
        [("reference", "clause 8.2", "clause 8.3")],
    ),
    (EN, "The first Business Day counts.", "The fifth Business Day counts.", [("number", "first", "fifth")]),
    (
        EN,
        "The Tenant shall keep the roof in repair.",
        "The Tenant shall keep the walls in repair.",
        [("words", "roof", "walls")],
    ),
    (
        EN,
        "The Landlord shall pay £500 within 5 days.",
        "The Landlord may pay £900 within 9 days.",
        [("operator", "shall", "may"), ("amount", "£500", "£900"), ("period", "5 days", "9 days")],
    ),
    # Chinese
    (ZH, "承租人不得转租该房屋。", "承租人可以转租该房屋。", [("operator", "不得", "可以")]),
    (ZH, "承租人应当支付租金。", "承租人可以支付租金。", [("operator", "应当", "可以")]),
    (ZH, "应当在三十日内付款。", "应当在六十日内付款。", [("period", "三十日", "六十日")]),
    (ZH, "处五万元以上罚款。", "处十万元以上罚款。", [("amount", "五万元", "十万元")]),
    (ZH, "处五万元以上罚款。", "处五万元以下罚款。", [("operator", "以上", "以下")]),
    (
        ZH,
        "任何单位不得伪造记录，但是法律另有规定的除外。",
        "任何单位不得伪造记录。",
        [("operator", "，但是法律另有规定的除外", "")],
    ),
    (ZH, "甲方应当赔偿损失。", "乙方应当赔偿损失。", [("party", "甲方", "乙方")]),
    (ZH, "本条例自2027年3月1日起施行。", "本条例自2027年5月1日起施行。", [("date", "2027年3月1日", "2027年5月1日")]),
    (
        ZH,
        "违反本条例第三条规定的，责令改正。",
        "违反本条例第四条规定的，责令改正。",
        [("reference", "第三条", "第四条")],
    ),
    (ZH, "违约金为合同价款的百分之五。", "违约金为合同价款的百分之八。", [("amount", "百分之五", "百分之八")]),
    (ZH, "须经甲方和乙方同意。", "须经甲方或者乙方同意。", [("operator", "和", "或者")]),
    (ZH, "应当提前书面通知对方。", "应当提前通知对方。", [("operator", "书面", "")]),
]


@pytest.mark.parametrize(("language", "old", "new", "expected"), PAIRS, ids=[pair[2][:40] for pair in PAIRS])
def test_marks(language: Language, old: str, new: str, expected: list[tuple[str, str, str]]) -> None:
    first, second, marks = compared(old, new, language)
    assert [(mark.kind.value, mark.old, mark.new) for mark in marks] == expected
    assert "".join(run.text for run in first) == old
    assert "".join(run.text for run in second) == new
    assert any(run.kind is not None for run in (*first, *second))


@pytest.mark.parametrize("pair", PAIRS, ids=[pair[2][:40] for pair in PAIRS])
def test_marks_the_other_way_are_the_mirror(pair: tuple[Language, str, str, list[tuple[str, str, str]]]) -> None:
    language, old, new, expected = pair
    marks = compared(new, old, language)[2]
    assert sorted((mark.kind.value, mark.new, mark.old) for mark in marks) == sorted(expected)


@pytest.mark.parametrize("text", [pair[1] for pair in PAIRS])
def test_the_same_words_have_no_marks(text: str) -> None:
    for language in (EN, ZH):
        first, second, marks = compared(text, text, language)
        assert not marks
        assert first == second and all(run.kind is None for run in first)


def test_values_are_canonical() -> None:
    (mark,) = compared("within thirty (30) days", "within 60 days", EN)[2]
    assert (mark.old_value, mark.new_value) == ("30 day", "60 day")
    (mark,) = compared("自2027年3月1日起", "自2027年5月1日起", ZH)[2]
    assert (mark.old_value, mark.new_value) == ("2027-03-01", "2027-05-01")


def test_where_a_line_ends_is_no_difference() -> None:
    assert not compared("The Tenant shall\npay the rent.", "The Tenant shall pay\nthe rent.", EN)[2]
    assert not compared("承租人应当\n支付租金。", "承租人应当支付\n租金。", ZH)[2]


WORDS = st.lists(
    st.sampled_from(
        "The Tenant Landlord shall may not pay £500 30 days within clause 4.2 unless rent or and , ( ) ; first 5% "
        "不得 应当 甲方 三十日 ，".split()
    ),
    max_size=30,
).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(WORDS, WORDS, st.sampled_from([EN, ZH]))
def test_the_runs_are_the_words_and_differ_only_where_marked(old: str, new: str, language: Language) -> None:
    first, second, marks = compared(old, new, language)
    assert "".join(run.text for run in first) == fold(old)
    assert "".join(run.text for run in second) == fold(new)
    kept = ["".join(normalise("".join(r.text for r in side if r.kind is None)).split()) for side in (first, second)]
    assert kept[0] == kept[1]
    assert bool(marks) == any(run.kind is not None for run in (*first, *second))
