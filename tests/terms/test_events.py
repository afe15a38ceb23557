import pytest
from documents import source

from conspectus.document import Language, TermKind
from conspectus.terms.collect import collect


def rows(text: str, kind: TermKind, language: Language | None = None) -> list[tuple[str, str]]:
    return [(term.role, term.value) for term in collect(source(text, language=language)) if term.kind is kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This Lease is governed by the law of England and Wales.", [("law", "the law of England and Wales")]),
        (
            "THIS AGREEMENT SHALL BE GOVERNED BY, AND CONSTRUED IN ACCORDANCE WITH, THE LAW OF THE STATE OF NEW YORK.",
            [("law", "THE LAW OF THE STATE OF NEW YORK")],
        ),
        (
            "This Agreement shall be governed in all respects, including as to validity, by the Laws "
            "of the State of Illinois, without giving effect to conflicts.",
            [("law", "the Laws of the State of Illinois")],
        ),
        (
            "It is governed by the laws, other than choice of law rules, of the state of Florida.",
            [("law", "the laws, other than choice of law rules, of the state of Florida")],
        ),
        (
            "It is governed by the substantive Laws of the [* * *], excluding any rules.",
            [("law", "the substantive Laws of the [* * *]")],
        ),
        ("This deed is governed by English law.", [("law", "English law")]),
        (
            "The courts of England have exclusive jurisdiction.",
            [("jurisdiction", "The courts of England have exclusive jurisdiction")],
        ),
        ("The supervisory authority is governed by the law of the host authority.", []),
        ("The Tenant obeys the law of gravity.", []),
    ],
)
def test_governing_law(text: str, expected: list[tuple[str, str]]) -> None:
    assert rows(text, TermKind.LAW) == expected


def test_chinese_law_and_courts() -> None:
    text = "本合同适用中华人民共和国法律。当事人可以约定将争议提交仲裁；没有约定的，可以向住所地人民法院提起诉讼。"
    assert rows(text, TermKind.LAW, Language.ZH) == [
        ("law", "中华人民共和国法律"),
        ("arbitration", "当事人可以约定将争议提交仲裁"),
        ("jurisdiction", "可以向住所地人民法院提起诉讼"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("These Regulations come into force on 1 July 2026.", TermKind.COMMENCEMENT),
        ("These Regulations cease to have effect on 30 June 2033.", TermKind.COMMENCEMENT),
        ("本法自2027年3月1日起施行。", TermKind.COMMENCEMENT),
        ("The Trial Order 2021 is repealed.", TermKind.REPEAL),
        ("《暂行办法》同时废止。", TermKind.REPEAL),
        ("The operator is liable to a fine not exceeding 50,000 crowns.", TermKind.SANCTION),
        ("The party in default shall pay interest on it.", TermKind.SANCTION),
        ("A contravention is punishable by fine.", TermKind.SANCTION),
        ("情节严重的，吊销批准文件。", TermKind.SANCTION),
        ("乙方逾期的，应当支付违约金。", TermKind.SANCTION),
        ("Part 2 does not apply to a robot of the police.", TermKind.EXCLUSION),
        ("A variation has no effect unless it is made by deed.", TermKind.EXCLUSION),
        ("Neither party is liable to the other for loss of profit.", TermKind.EXCLUSION),
        ("Nothing in this Lease limits liability for fraud.", TermKind.EXCLUSION),
        ("Any assignment without consent is void.", TermKind.EXCLUSION),
        ("公益性平台不收取费用的，不适用本法第二编的规定。", TermKind.EXCLUSION),
        ("逾期未开业的，批准文件自行失效。", TermKind.EXCLUSION),
        ("甲方对间接损失不承担赔偿责任。", TermKind.EXCLUSION),
    ],
)
def test_whole_sentences(text: str, kind: TermKind) -> None:
    assert [value for _, value in rows(text, kind)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The Board meets on the fine lawn.",
        "The date of entry into force is near.",
        "The Tenant shall not assign the lease.",
        "If the Tenant does not apply for a permit, he must leave.",
        "The Tenant shall not prevent access.",
        "A party shall not limit the use of the road.",
        "Not later than five days after the responsible officer decides, notice is given.",
        "因本法第二十六条规定的情形致使劳动合同无效的，可以解除。",
        "“Premises” means the building and does not include the yard.",
    ],
)
def test_what_is_none(text: str) -> None:
    kinds = (TermKind.SANCTION, TermKind.COMMENCEMENT, TermKind.REPEAL, TermKind.EXCLUSION)
    assert not any(rows(text, kind) for kind in kinds)
