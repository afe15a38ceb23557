from pathlib import Path

import pytest
from documents import source

from conspectus.document import Language
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import ReadOptions, read_pdf
from conspectus.terms.collect import collect_all
from conspectus.terms.types import ReferenceState

DATA = Path(__file__).resolve().parent.parent.parent / "data"


def kinds(text: str, language: Language | None = None) -> list[tuple[str, str, str]]:
    return [(row.kind, row.a, row.b) for row in collect_all(source(text, language=language)).conflicts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Payment is due within thirty (60) days.", [("words against figures", "thirty", "60")]),
        (
            "The deposit is £30,000 (thirteen thousand pounds).",
            [("words against figures", "£30,000", "thirteen thousand pounds")],
        ),
        ("The share is four per cent (5%) a year.", [("words against figures", "four", "5")]),
        ("应在三十（60）日内支付。", [("words against figures", "三十", "60")]),
        ("租金为5000元（大写：伍仟贰佰元）。", [("words against figures", "5000元", "伍仟贰佰元")]),
        (
            "This Agreement is governed by the laws of Ohio. This Agreement shall be construed under "
            "the laws of Texas.",
            [("two governing laws", "the laws of Ohio", "the laws of Texas")],
        ),
        (
            "“Fee” means five pounds a day. “Fee” means the price of one hundred sheep.",
            [("one term, two definitions", "five pounds a day", "the price of one hundred sheep")],
        ),
        (
            "Either party may terminate this Agreement on thirty (30) days' notice. Either party may "
            "terminate this Agreement on ninety (90) days' notice.",
            [("two notice periods", "30 day", "90 day")],
        ),
        (
            "任何一方可提前30日书面通知对方解除本合同。任何一方可提前60日书面通知对方解除本合同。",
            [("two notice periods", "30 日", "60 日")],
        ),
    ],
)
def test_conflicts_are_found(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert (
        kinds(text, Language.ZH if "，" in text or "本合同" in text or "元" in text or "支付" in text else None)
        == expected
    )


@pytest.mark.parametrize(
    "text",
    [
        "Payment is due within thirty (30) days of one hundred and fifty (150) years.",
        "The deposit is £30,000 (thirty thousand pounds).",
        "Clause four (b) and Section 3 (12) stand.",
        "The landlord may terminate this Agreement on thirty (30) days' notice. The tenant may "
        "terminate this Agreement on ninety (90) days' notice.",
        "Either party may terminate this Agreement on ten (10) days' notice if the other is in "
        "breach. Either party may terminate this Agreement on ninety (90) days' notice.",
        "This Agreement is governed by the laws of the State of Ohio. This Agreement shall be "
        "construed under the laws of Ohio.",
        "“Fee” means five pounds a day. For the purposes of this clause “Fee” means a sheep.",
        "“Fee” means five pounds a day. “Fee” has the meaning set forth in clause 9.",
        "“Fee” means five pounds a day. “Fee” means five pounds a day.",
        "“Fee” means five pounds. The term “Fee” includes the tax.",
    ],
)
def test_what_agrees_is_no_conflict(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize("name", ["lease", "regulation", "act-zh"])
def test_the_samples_agree_with_themselves(name: str) -> None:
    path = DATA / f"{name}.pdf"
    tables = collect_all(to_source(to_document(path, read_pdf(path, ReadOptions(second_opinion=False)))))
    assert tables.conflicts == ()
    assert [row for row in tables.references if row.state is ReferenceState.BROKEN] == []
