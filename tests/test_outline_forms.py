"""The forms that numbers and headings take, each on a small text."""

from dataclasses import replace

import pytest
from documents import document

from conspectus.document import Bookmark, Clause, ClauseKind, Language
from conspectus.evidence.outline import find_clauses
from conspectus.evidence.sentences import find_sentences


def clauses(text: str, language: Language | None = None) -> tuple[Clause, ...]:
    return find_clauses(document(text, language=language))


def numbers(text: str) -> list[str]:
    return [clause.number for clause in clauses(text) if clause.number]


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("ARTICLE {n}", ["Article 1", "Article 2", "Article 3"]),
        ("Section {n}.", ["Section 1", "Section 2", "Section 3"]),
        ("Sec. {n} ·", ["Sec. 1", "Sec. 2", "Sec. 3"]),
        ("§ {n}", ["§ 1", "§ 2", "§ 3"]),
        ("§§ {n}", ["§ 1", "§ 2", "§ 3"]),
        ("Clause {n}:", ["Clause 1", "Clause 2", "Clause 3"]),
        ("{n}.", ["1", "2", "3"]),
        ("{n})", ["1", "2", "3"]),
        ("{n}.1", ["1.1", "2.1", "3.1"]),
        ("                 {n}.   ", ["1", "2", "3"]),
        ("## {n}.", ["1", "2", "3"]),
        ("Schedule {n}", ["Schedule 1", "Schedule 2", "Schedule 3"]),
    ],
)
def test_label(label: str, wanted: list[str]) -> None:
    text = "".join(f"{label.format(n=n)} Fees\nEach party shall pay {n} dollars.\n" for n in (1, 2, 3))
    assert numbers(text) == wanted


def test_roman_worded_and_lettered() -> None:
    body = "The parties shall do so.\n"
    assert numbers("".join(f"ARTICLE {n}\nSCOPE\n{body}" for n in ("ONE", "TWO", "THREE"))) == [
        "Article One",
        "Article Two",
        "Article Three",
    ]
    assert numbers("".join(f"{n}. Scope\n{body}" for n in ("I", "II", "III", "IV"))) == ["I", "II", "III", "IV"]
    assert numbers("".join(f"Section 5{n} Fees\n{body}" for n in ("", "A", "B"))) == [
        "Section 5",
        "Section 5A",
        "Section 5B",
    ]
    assert numbers("1. Term\n2. Fees\n3. End\n" + "".join(f"EXHIBIT {n}\n{body}" for n in "ABC"))[3:] == [
        "Exhibit A",
        "Exhibit B",
        "Exhibit C",
    ]


def test_limbs_are_no_clauses_unless_there_is_nothing_else() -> None:
    limbs = "(a) pay the rent at once;\n(b) keep the peace; and\n(c) go away.\n"
    assert numbers(f"1. Use\nThe Tenant shall:\n{limbs}2. Term\nTen years.\n3. End\nNone.\n") == ["1", "2", "3"]
    assert numbers(limbs) == ["(a)", "(b)", "(c)"]


def test_centred_headings_with_leading_blanks() -> None:
    gap = " " * 30
    text = "".join(f"{gap}ARTICLE {n}\n{gap}{t}\n         {v}.1      It is so.\n" for n, v, t in
                   (("I", 1, "DEFINITIONS"), ("II", 2, "SERVICE"), ("III", 3, "TERM OF AGREEMENT")))  # fmt: skip
    found = clauses(text)
    assert [c.number for c in found] == ["Article I", "1.1", "Article II", "2.1", "Article III", "3.1"]
    assert [c.heading for c in found if c.kind is ClauseKind.ARTICLE] == ["DEFINITIONS", "SERVICE", "TERM OF AGREEMENT"]
    assert found[-1].path == ("Article III TERM OF AGREEMENT",)


def test_container_takes_its_title_from_the_next_lines() -> None:
    text = "".join(
        f"PART {n}\nPENALTIES AND\nAPPEALS\n{n}. Fees\nEach operator shall pay {n} dollars.\n" for n in (1, 2, 3)
    )
    found = clauses(text)
    assert {c.heading for c in found if c.kind is ClauseKind.CONTAINER} == {"PENALTIES AND APPEALS"}
    assert [s.text for s in find_sentences(document(text), found)] == [
        f"Each operator shall pay {n} dollars." for n in (1, 2, 3)
    ]


def test_a_sentence_without_a_verb_is_no_heading() -> None:
    text = "1. FEES\n2. The certificate of insurance, showing the limit of cover and the excess.\n3. Short Title.\n"
    assert [c.heading for c in clauses(text)] == ["FEES", "", "Short Title"]
    wrapped = "1. Any portions of this Agreement necessary to balance receipts\nand deliveries survive.\n2. A\n3. B\n"
    assert clauses(wrapped)[0].heading == ""


def test_cross_references_at_line_starts_are_body() -> None:
    text = (
        "Section 1 Scope\nThis applies as provided in\nSection 3 Fees and in\nSection 5 and elsewhere.\n"
        "Section 2 Duties\nSee clause 4 or\nSection 2.1 hereof, and\nSection 12 (Miscellaneous) of the Deed.\n"
        "Section 3 Fees\nNone.\nSection 4 End\nNone.\n"
    )
    assert numbers(text) == ["Section 1", "Section 2", "Section 3", "Section 4"]


def test_running_heads_that_repeat_the_section_are_no_headings() -> None:
    text = "".join(
        f"§ {n} · Rule of law\nEach person shall obey.\n§ {n}\nNobody may not.\n§ {n}\n" for n in range(101, 105)
    )
    found = [c for c in clauses(text) if c.number]
    assert [c.number for c in found] == [f"§ {n}" for n in range(101, 105)]
    assert {c.heading for c in found} == {"Rule of law"}


def test_chapter_with_a_footnote_mark() -> None:
    text = "".join(
        f"Chapter {label}\nMATTERS\n§ {n}01 · Scope\nIt is so.\n" for n, label in ((1, "11"), (2, "2"), (3, "3"))
    )
    assert [c.number for c in clauses(text) if c.kind is ClauseKind.CONTAINER] == [
        "Chapter 1",
        "Chapter 2",
        "Chapter 3",
    ]


def test_heading_glued_to_the_sentence_before() -> None:
    text = "1. Term\nTen years.\n2. Fees\nNone are due. 3. Notices shall be written.\n4. Law\nUtah.\n5. End\nNone.\n"
    assert numbers(text) == ["1", "2", "3", "4", "5"]
    glued = "第一条　甲为乙。第二条　乙为丙，依照第九条规定办理。第三条　丙为丁。"
    assert numbers(glued) == ["第一条", "第二条", "第三条"]


def test_numbers_apart_from_their_text_fall_back_to_paragraphs() -> None:
    body = "".join(f"Obligations {n}\n" + "The Reseller shall order and pay for all goods.\n" * 5 for n in "ABCD")
    found = clauses(body + "1.\n1.1.\n1.2.\n2.\n2.1.\n3.\n")
    assert {c.kind for c in found} == {ClauseKind.PARAGRAPH}
    assert [c.heading for c in found][:4] == [f"Obligations {n}" for n in "ABCD"]


def test_paragraphs_are_never_endless() -> None:
    for text in ("word without an end " * 3000, "无标点文字" * 6000, "It is so. " * 5000, "甲乙丙，" * 9000):
        found = clauses(text)
        assert max(c.end - c.start for c in found) <= 3000
        assert "".join(text[c.start : c.end] for c in found) == text


@pytest.mark.parametrize("leader", [" ........ {n}", " . . . . . . {n}", "   {n}", " {n}"])
def test_contents_are_one_front_clause(leader: str) -> None:
    titles = {1: "Use of Premises", 2: "Rent and Charges", 3: "Repair", 4: "Notices"}
    toc = "TABLE OF CONTENTS\n" + "".join(f"{n}. {t}{leader.format(n=n + 2)}\n" for n, t in titles.items())
    body = "".join(f"{n}. {t}\nThe Tenant shall do all that Schedule {n} says.\n" for n, t in titles.items())
    found = clauses("LEASE of land between A and B\n" + toc + "This Lease is made today.\n" + body)
    assert [c.heading for c in found if c.kind is ClauseKind.FRONT] == ["", "TABLE OF CONTENTS", ""]
    assert [c.number for c in found if c.number] == ["1", "2", "3", "4"]


def test_recitals() -> None:
    body = "1. Term\nTen years.\n2. Fees\nNone.\n3. End\nNone.\n"
    lettered = "DEED\nBACKGROUND\n(A) The Landlord owns it.\n(B) The Tenant wants it.\nAGREED TERMS\n"
    worded = "DEED\nWHEREAS, A owns it; and\nWHEREAS, B wants it;\nNOW, THEREFORE, they agree:\n"
    counted = "ACT\nWhereas:\n(1) Data are many, see\n(4) of that act.\n(2) Rights are few.\nHAVE ADOPTED THIS ACT:\n"
    for text, wanted in (
        (lettered, ["(A)", "(B)"]),
        (worded, ["Recital 1", "Recital 2"]),
        (counted, ["(1)", "(2)"]),
    ):
        found = clauses(text + body)
        assert [c.number for c in found if c.kind is ClauseKind.RECITAL] == wanted
        assert [c.number for c in found if c.kind is ClauseKind.NUMBERED] == ["1", "2", "3"]


def test_sections_over_articles_are_containers() -> None:
    text = "".join(
        f"SECTION {s}\nRIGHTS\n"
        + "".join(f"Article {a}\nTitle\n1. One.\n2. Two.\n" for a in (3 * s - 2, 3 * s - 1, 3 * s))
        for s in (1, 2)
    )
    found = clauses(text)
    assert [c.number for c in found if c.kind is ClauseKind.ARTICLE] == [f"Article {a}" for a in range(1, 7)]
    assert [c.number for c in found if c.kind is ClauseKind.CONTAINER] == ["Section 1", "Section 2"]


def test_chinese_contract() -> None:
    text = (
        "技术服务合同\n一、服务内容\n（一）乙方应当按时交付。\n（二）乙方应当提供下列资料：\n（一）图纸；\n（二）说明。\n"
        "二、价款\n甲方应当支付十万元。\n三、违约责任\n违约方应当赔偿损失。\n附件一 报价单\n单价为五元。\n"
    )
    assert numbers(text) == ["一", "（一）", "（二）", "二", "三", "附件一"]


def test_chinese_references_and_widths() -> None:
    text = "第1条（目的）甲は乙とする。\n第２条 依照\n第九条规定办理。\n第３条の２　丙。\n第４条　丁。\n"
    assert numbers(text) == ["第1条", "第２条", "第３条の２", "第４条"]


def test_bookmarks_confirm_and_add_headings() -> None:
    text = "Executive Summary\nAll is well here.\nBackground\nIt was so.\n1. Scope\nAll.\n2. Duty\nNo.\n3. End\nNo.\n"
    made = document(text)
    marked = replace(made, bookmarks=tuple(Bookmark(t, 0, 0) for t in ("Executive Summary", "Background", "1. Scope")))
    found = find_clauses(marked)
    assert [c.heading for c in found][:3] == ["Executive Summary", "Background", "Scope"]
    assert find_clauses(made)[0].kind is ClauseKind.FRONT


def test_definitions_keep_their_definitions() -> None:
    text = "1. Definitions\nIn this Lease:\n“Rent” means money.\n“Term” means time.\n2. Use\nNone.\n3. End\nNone.\n"
    found = clauses(text)
    assert "“Term” means time." in text[found[0].start : found[0].end]


def test_a_list_inside_a_number_does_not_part_it_from_the_next() -> None:
    text = (
        "1. Introduction\n1.1 Scope\nAll of it.\n1.2 Parts\nThey are:\nSection 2 Scope of rules\nSection 3 Duties\n"
        "Section 4 Fees\n1.3 Steps\nThese follow.\n1. Identify the risk.\n2. Assess the risk.\n3. Mend it.\n"
        "1.4 Review\nOnce a year.\n2. Law\n2.1 Utah\nIts law applies.\n"
    )
    assert numbers(text) == ["1", "1.1", "1.2", "1.3", "1.4", "2", "2.1"]


def test_markdown_lists_in_lists() -> None:
    text = "# Terms\n\n1. Service\n    1. Access is given.\n    2. Support is given.\n2. Fees\n    1. None are due.\n"
    found = find_clauses(document(text, name="terms.md"))
    assert [c.number for c in found if c.number] == ["1", "1.1", "1.2", "2", "2.1"]


def test_title_above_a_lettered_limb() -> None:
    text = "1. Supply of Product\na) The Supplier shall deliver.\n2. Fees\nNone.\n3. End\nNone.\n"
    assert clauses(text)[0].heading == "Supply of Product"


@pytest.mark.parametrize(
    ("path", "label"),
    [
        (("Schedule 1 SERVICES AND SHARED COSTS",), "Schedule 1, 4"),
        (("SCHEDULE 2", "Part A"), "Schedule 2, 4"),
        (("Annex IV Fees",), "Annex IV, 4"),
        (("附件二 价目表",), "附件二, 4"),
        (("Scheduled maintenance",), "4"),
        (("4 RENT",), "4"),
        ((), "4"),
    ],
)
def test_an_item_of_a_schedule_is_cited_with_it(path: tuple[str, ...], label: str) -> None:
    assert Clause("c9", ClauseKind.NUMBERED, "4", "", path, 0, 10).label == label
