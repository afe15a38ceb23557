"""Lines of the kinds that small models wrote of the samples and that stood as verified before these rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.check.check import Reason, check
from conspectus.check.compared import exchanged_sides, invented_sign
from conspectus.document import Language

EN, ZH = Language.EN, Language.ZH
TERM = "“Term” means ten (10) years beginning on and including 25 March 2025 and ending on and including 24 March 2035."
STAND = (
    "A delivery robot must not stand on a public footway for more than three minutes, except while it waits for a "
    "signal, for a person to collect goods or for recovery after a breakdown."
)


@pytest.mark.parametrize(
    ("line", "evidence", "language", "reason"),
    [
        (
            "Term: Ten years beginning on and ending on 25 March 2025 and ending on and including 24 March 2035.",
            TERM, EN, Reason.NUMBER,
        ),
        (
            "The Service Charge must not include: 25 March 2027.",
            "The Service Charge must not include: […] (d) the cost of remedying a defect in the design of the Estate "
            "that appears before 25 March 2027.",
            EN, Reason.QUALIFIER,
        ),
        ("违约金的数额不得超过培训费用。", "培训费用不得超过违约金的数额。", ZH, Reason.DIRECTION),
        ("The Budget shall exceed the Total Cost.", "The Total Cost shall exceed the Budget.", EN, Reason.DIRECTION),
        (STAND.replace("for a person to", "to"), STAND, EN, Reason.DIRECTION),
        ("The Buyer pays $X in 15 days.", "The Buyer shall pay the price in 15 days.", EN, Reason.NUMBER),
        (
            "One supervisor must not supervise more than four robots crossing a carriageway.",
            "One supervisor must not supervise more than four (4) robots if any of them is crossing a carriageway.",
            EN, Reason.CONDITION,
        ),
        (
            "Neither party may assign this Lease without the consent of the other.",
            "Neither party may assign this Lease without the consent of the other, which shall not be unreasonably "
            "withheld.",
            EN, Reason.QUALIFIER,
        ),
    ],
)  # fmt: skip
def test_refused(line: str, evidence: str, language: Language, reason: Reason) -> None:
    assert reason in check(line, evidence, language)


@pytest.mark.parametrize(
    ("line", "evidence", "language"),
    [
        (TERM.replace("“Term”", "Term").replace(" (10)", ""), TERM, EN),
        ("服务费不得超过年租金的百分之五。", "服务费不得超过年租金的5%。", ZH),
        ("The liability of the Guarantor may not exceed the Cap.",
         "The total liability of the Guarantor shall not exceed the Guarantee Cap.", EN),
    ],
)  # fmt: skip
def test_no_rule_of_these_speaks_against_true_lines(line: str, evidence: str, language: Language) -> None:
    assert not exchanged_sides(line, evidence, language) and not invented_sign(line, evidence)


@given(st.text("价款费用数额租金押总", min_size=4, max_size=8), st.text("期限天数年月工作日内", min_size=4, max_size=8))
def test_sides_that_change_places_are_found_and_others_are_not(left: str, right: str) -> None:
    line = f"{left}不得超过{right}。"
    assert not exchanged_sides(line, line, ZH)
    assert exchanged_sides(line, f"{right}不得超过{left}。", ZH)
