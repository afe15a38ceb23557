"""The mark of what a line leaves out is put in by code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.check.check import check
from conspectus.check.omitted import MARK, marked, unmarked
from conspectus.document import Language

HOLD = "The Agent shall keep the Records in a locked room and shall not lend them to visitors."
UNTIL = "“Fee Term” means the time until the latest of: (a) the patent’s end, (b) ten years from first sale, […]"
LIMB = "“Authority” means: […] (b) any other body with power over the Product."
ZH_TWO = "交易应当遵循自愿、公平的原则，不得损害公共利益和他人合法权益。"
ZH_LIMB = "有下列情形之一的，合同终止: […] （五）承租人被吊销营业执照的； […]"


@pytest.mark.parametrize(
    ("line", "evidence", "shown"),
    [
        (
            "The Agent shall keep the Records in a locked room.",
            HOLD,
            f"The Agent shall keep the Records in a locked room {MARK}",
        ),
        (HOLD.replace("The Agent", "Agent"), HOLD, HOLD.replace("The Agent", "Agent")),
        (
            "Fee Term means the time until the latest of: (a) the patent’s end, (b) ten years from first sale.",
            UNTIL,
            f"Fee Term means the time until the latest of: (a) the patent’s end, (b) ten years from first sale {MARK}",
        ),
        (
            "Authority means: (b) any other body with power over the Product.",
            LIMB,
            LIMB.replace("“Authority”", "Authority"),
        ),
        ("交易应遵循自愿、公平原则。", ZH_TWO, f"交易应遵循自愿、公平原则 {MARK}"),
        (
            "有下列情形之一的，合同终止：（五）承租人被吊销营业执照的。",
            ZH_LIMB,
            f"有下列情形之一的，合同终止： {MARK} （五）承租人被吊销营业执照的 {MARK}",
        ),
    ],
)
def test_what_is_left_out_is_marked(line: str, evidence: str, shown: str) -> None:
    language = Language.ZH if "合同" in evidence or "交易" in evidence else Language.EN
    assert marked(line, evidence, language) == shown
    assert marked(shown, evidence, language) == shown
    assert check(shown, evidence, language) == check(line, evidence, language)


@pytest.mark.parametrize(
    ("line", "evidence"),
    [
        ("The Tenant must pay the rent by 5 May.", "The Tenant shall pay the rent on or before 5 May."),
        (
            "A person who breaks this rule is fined up to $500.",
            "A person who breaks this rule shall be fined up to $500.",
        ),
        ("试用期最长6个月。", "试用期不得超过六个月。"),
        ("条例于2026年7月1日起施行。", "本条例自二〇二六年七月一日起施行。"),
        ("没有营业执照不得经营。", "未取得营业执照的，不得从事经营活动。"),
    ],
)
def test_a_line_that_says_it_all_has_no_mark(line: str, evidence: str) -> None:
    language = Language.EN if line.isascii() else Language.ZH
    assert marked(line, evidence, language) == line


@pytest.mark.parametrize("mark", [MARK, "[...]", " [...] "])
def test_a_models_own_mark_is_no_word(mark: str) -> None:
    """It neither hides that a line was cut off nor makes a copy a line of its own, and it is not doubled."""
    assert unmarked(f"The Agent shall keep the Records {mark}") == "The Agent shall keep the Records."
    assert marked(f"{HOLD.rstrip('.')} {mark}", HOLD, Language.EN) == HOLD
    assert marked(f"The Agent shall keep the Records in a locked room {mark}", HOLD, Language.EN).count("[") == 1


def test_a_limb_without_its_colon_is_marked_at_its_end() -> None:
    line = "Authority means any other body with power over the Product."
    assert marked(line, LIMB, Language.EN) == f"{line[:-1]} {MARK}"


def test_the_mark_hides_no_fault() -> None:
    assert check(f"The Agent may keep the Records in a locked room {MARK}", HOLD, Language.EN)


@given(st.text("abc .:(;", max_size=40), st.sampled_from([HOLD, UNTIL, LIMB]))
def test_a_mark_is_taken_off_again(line: str, evidence: str) -> None:
    shown = marked(line, evidence, Language.EN)
    assert MARK not in unmarked(shown)
    if shown == line:
        return
    assert set(unmarked(shown)) - set(" .") <= set(line)
