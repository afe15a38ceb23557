import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect
from conspectus.terms.types import Formula


def formulas(text: str, language: Language | None = None) -> list[Formula]:
    rows = [term for term in collect(source(text, language=language)) if term.kind is TermKind.PERIOD]
    return [row.formula for row in rows if row.formula]


@pytest.mark.parametrize(
    ("text", "offset", "unit", "direction", "trigger", "limit"),
    [
        (
            "Notice is given at least 60 days before the expiry of the Term.",
            "60",
            "day",
            "before",
            "the expiry of the Term",
            "min",
        ),
        ("It is paid within thirty (30) days after the invoice.", "30", "day", "after", "the invoice", "max"),
        ("It is paid within fourteen (14) days of a written demand.", "14", "day", "after", "a written demand", "max"),
        ("The party gives ninety days' prior written notice.", "90", "day", "notice", "", ""),
        ("It runs for six (6) years from 14 March 2025.", "6", "year", "from", "14 March 2025", ""),
        ("It may be shown during the last six (6) months of the Term.", "6", "month", "last", "the Term", ""),
        ("The answer comes within twenty (20) Business Days.", "20", "business day", "length", "", "max"),
        ("Renewal is for successive one-year terms.", "1", "year", "length", "", ""),
        (
            "The notice is sent not later than two (2) months before the licence expires.",
            "2",
            "month",
            "before",
            "the licence expires",
            "max",
        ),
        ("The excess lasts for not more than three (3) minutes.", "3", "minute", "length", "", "max"),
        ("应当自受理之日起六十日内作出决定。", "60", "日", "after", "受理", "max"),
        ("应当提前九十日公告。", "90", "日", "before", "", "min"),
        ("应当在有效期届满六个月前提出申请。", "6", "月", "before", "有效期届满", ""),
        ("在买方确认交付后三个工作日内划付。", "3", "工作日", "after", "买方确认交付", "max"),
        ("批准文件有效期为五年。", "5", "年", "length", "", ""),
        ("保存期限不少于十年。", "10", "年", "length", "", "min"),
    ],
)
def test_periods_as_formulas(text: str, offset: str, unit: str, direction: str, trigger: str, limit: str) -> None:
    found = [(f.offset, f.unit, f.direction, f.trigger, f.limit) for f in formulas(text)]
    assert found == [(offset, unit, direction, trigger, limit)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Notice is given at least 60 days before the expiry of the Term.",
            "at least 60 days before the expiry of the Term",
        ),
        ("The Landlord gives nine (9) months' written notice.", "9 months of notice"),
        ("应当自受理之日起六十日内作出决定。", "受理之日起最多60日"),
        ("应当提前九十日公告。", "提前90日"),
    ],
)
def test_a_formula_is_said_in_the_language_of_the_document(text: str, said: str) -> None:
    assert [formula.text for formula in formulas(text)] == [said]


@pytest.mark.parametrize(
    "text", ["A person eighteen years old may apply.", "不满十四周岁的人不得申请。", "第三年结束。", "上一年度营业额。"]
)
def test_what_is_no_period(text: str) -> None:
    assert formulas(text) == []


def test_the_words_of_a_limit_stand_with_the_period() -> None:
    rows = collect(source("It gives not less than nine (9) months' written notice."))
    assert [row.value for row in rows if row.kind is TermKind.PERIOD] == [
        "not less than nine (9) months' written notice"
    ]
