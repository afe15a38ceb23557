"""Where Chinese sentences end, and the 项 of their lists."""

import pytest
from documents import source

from conspectus.document import Language
from conspectus.evidence.sentence_ends import sentence_spans


def ends(text: str) -> list[str]:
    return [text[s.start : s.end] for s in sentence_spans(text, 0, len(text), Language.ZH)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["交易应当备案。", "备案期限为三十日；逾期的，处罚款。"],
        ["是否有效？", "无效！", "双方应当协商。"],
        ["甲方称：“本公司已付款。”", "乙方否认。"],
        ["本条所称“交付。”的日期，以回执为准。", "回执由乙方保管。"],
        ["价款为十万元（不含税。运费另计。）且一次付清。", "逾期的，支付违约金。"],
        ["依照本条第一款第（二）项的规定处罚；情节严重的，吊销执照。", "「附则」另行规定。"],
        ["有下列情形之一的：（一）未付款；（二）未交货；（三）其他情形。", "前款所称其他情形由双方约定。"],
        ["利率为3.5%，自2027年3月1日起计算。", "该利率不变。"],
    ],
)
def test_ends(sentences: list[str]) -> None:
    assert ends("".join(sentences)) == sentences
    assert ends("\n".join(sentences)) == sentences


def test_a_sentence_runs_over_line_and_page_ends() -> None:
    text = "承租人应当按照约定的期限支\n付租金。对支付租金的期限没有约\n定的，应当协商。"
    assert len(ends(text)) == 2


def test_both_languages_in_one_contract() -> None:
    assert ends("The Buyer shall pay. 买方应当付款。 The Seller shall deliver.") == [
        "The Buyer shall pay.",
        "买方应当付款。",
        "The Seller shall deliver.",
    ]


LEAD = "经营者在提供个人信息处理服务的过程中，应当履行下列各项义务，并接受主管部门的监督："
ITEMS = (
    "建立健全内部管理制度和操作规程；",
    "对从业人员定期进行安全教育和培训；",
    "制定并组织实施信息安全事件应急预案。",
)


@pytest.mark.parametrize("marks", ["（一）（二）（三）", "(一)(二)(三)", "（1）（2）（3）", "①②③"])
@pytest.mark.parametrize("gap", ["", "\n", "\n\n"])
def test_items_are_limbs_with_their_lead(marks: str, gap: str) -> None:
    each = list(marks) if len(marks) == 3 else [marks[i : i + 3] for i in range(0, 9, 3)]
    text = LEAD * 2 + "".join(f"{gap}{mark}{item}" for mark, item in zip(each, ITEMS, strict=True))
    made = source(text, language=Language.ZH).sentences
    assert len(made) == 3
    assert all(sentence.text.startswith("经营者") for sentence in made)
    assert made[1].text.endswith("培训； […]")


def test_a_reference_to_an_item_is_no_item() -> None:
    text = (
        f"违反{LEAD.rstrip('：')}，有本法第十条第（一）项、第（二）项和第（三）项所列情形之一，且拒不改正的，"
        "由主管部门责令停业整顿，并处罚款。"
    )
    assert len(source(text, language=Language.ZH).sentences) == 1


def test_the_lines_of_a_signature_are_no_sentence() -> None:
    text = "本合同一式两份，双方各执一份。\n甲方（盖章）：\n法定代表人：张三\n日期：\n第二份由乙方保管。"
    assert [sentence.text for sentence in source(text, language=Language.ZH).sentences] == [
        "本合同一式两份，双方各执一份。",
        "甲方（盖章）：法定代表人：张三日期：",
        "第二份由乙方保管。",
    ]
