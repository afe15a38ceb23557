"""Where English sentences end in contracts and statutes, and where they do not."""

import pytest
from documents import document

from conspectus.document import Clause, ClauseKind, Language, Span
from conspectus.evidence.sentence_ends import sentence_spans
from conspectus.evidence.sentences import after_heading, find_sentences, find_units


def ends(text: str) -> list[str]:
    return [text[s.start : s.end] for s in sentence_spans(text, 0, len(text), Language.EN)]


def joined(*sentences: str) -> tuple[str, list[str]]:
    return " ".join(sentences), list(sentences)


APART = [
    joined("See 17 U.S.C. 106 and No. 5 of the list.", "Nothing else applies."),
    joined("The fee under Sec. 3.2(a) is $1,000.50.", "It is due on Jan. 5, 2027."),
    joined("Acme Inc. and Beta Ltd. shall pay Mr. J. B. Smith.", "He may refuse."),
    joined("Rates are set out in Exhibit B.", "The Shipper shall pay them."),
    joined("It was enacted as Pub. L. No. 94-553, 90 Stat. 2541.", "The 1976 Act was a revision."),
    joined("The section was added to the Code.", "Pub. L. No. 87-773, 76 Stat. 775.", "In 1974 it was amended."),
    joined("It names “counterfeit works.”", "Pub. L. No. 97-180, 96 Stat. 91."),
    joined("The requirements continue to be met.", "Certification shall be withdrawn."),
    joined("Notice is given before 5:00 p.m. on a Business Day.", "Otherwise it is given the next day."),
    joined("The seller is at 3 Giron St., POB. 325, Yehud 5621717.", "The buyer is elsewhere."),
    joined("Regulation (EC) No 45/2001 (OJ L 8, 12.1.2001, p. 1) applies.", "It is adapted."),
    joined("Is this enforceable?", "It is not!", "So be it."),
    joined("The rate is 3.5% p.a. (i.e. 1.75% each half year), approx. USD 5.1 million.", "It is fixed."),
    joined("MARKED BY [***], OMITTED BECAUSE ACME, INC. HAS DETERMINED IT IS NOT MATERIAL.", "OTHER TEXT FOLLOWS."),
    joined("It is a person registered under 5 U.S.C. § 552, et seq., as amended.", "No other is."),
    joined(
        "The Buyer shall pay Acme Corp. The Seller shall deliver.".split(". ")[0] + ".", "The Seller shall deliver."
    ),
]


@pytest.mark.parametrize(("text", "sentences"), APART)
def test_ends(text: str, sentences: list[str]) -> None:
    assert ends(text) == sentences
    assert ends(text.replace(" ", "\n")) == [sentence.replace(" ", "\n") for sentence in sentences]


@pytest.mark.parametrize(
    "text",
    [
        "The notice goes to P.O. Box 1288, Fayetteville.",
        "The notice goes to P. 0. Box 1288, Fayetteville.",
        "Subject to the Terms of Transporter's\nFERC Gas Tariff, this Agreement is effective.",
        "It was argued in Smith v. Jones, 12 F.3d 5 (2d Cir. 1994), and decided.",
        "1. The Tenant shall pay.",
        "(a) The Tenant shall pay.",
        "Section 3.2. The Tenant shall pay.",
        "G.  i). Designated Shipper shall be named.",
        "(g) Proclamation of Restoration. —Whenever the President finds it, he may act.",
    ],
)
def test_one_sentence(text: str) -> None:
    assert ends(text) == [text]


def test_the_number_at_a_line_start_belongs_to_what_follows() -> None:
    text = "The authority shall publish the code.\n7. Where a code relates to several States, it is sent on."
    assert ends(text) == text.split("\n")
    text = "Article 11\nProcessing which needs no name\n1. If the purposes need none, none is kept."
    assert ends(text)[-1].startswith("1. If the purposes")


def test_an_abbreviation_at_a_line_end_ends_a_sentence_before_a_new_definition() -> None:
    text = "“Code” means the Code, 11 U.S.C. 101 et seq.\n“Receivable” means any receivable."
    assert ends(text) == text.split("\n")


def test_a_footnote_number_sticks_to_the_full_stop() -> None:
    text = "It is a transmission in a nonanalog format.7\nTo “display” a work means to show a copy of it."
    assert ends(text) == text.split("\n")


def test_recitals_are_apart() -> None:
    text = "WHEREAS, the Licensor owns the Brand;\nWHEREAS, the Licensee wants it; and\nWHEREAS, both agree."
    assert ends(text) == text.split("\n")


def test_a_blank_line_ends_a_sentence_but_not_a_list() -> None:
    apart = "The first has no full stop\n\nThe second begins here."
    assert len(ends(apart)) == 2
    together = "The Tenant shall:\n\n(a) pay the rent;\n \n(b) keep the Property clean; and\n\n(c) insure it."
    assert ends(together) == [together]


def test_chinese_in_an_english_document() -> None:
    text = "The Chinese text prevails. 乙方应当付款。甲方应当交货。 It is attached."
    assert len(ends(text)) == 4


def test_a_heading_that_begins_a_sentence_is_not_passed_over() -> None:
    text = "5.1 Subject to the Terms of Transporter's\nFERC Gas Tariff, this Agreement is effective. It lasts."
    heading = "Subject to the Terms of Transporter's"
    clause = Clause("c1", ClauseKind.NUMBERED, "5.1", heading, (), 0, len(text))
    assert text[after_heading(text, clause) :].lstrip().startswith("Subject to")
    text = "1.1 OUTSOURCING OF SERVICES. HPS\nagrees to outsource them."
    clause = Clause("c1", ClauseKind.NUMBERED, "1.1", "OUTSOURCING OF SERVICES. HPS", (), 0, len(text))
    assert text[after_heading(text, clause) :].lstrip().startswith("OUTSOURCING OF SERVICES. HPS")
    assert ends(text)[-1] == "HPS\nagrees to outsource them."
    text = "1.1 Rent\nThe Tenant shall pay it."
    clause = Clause("c1", ClauseKind.NUMBERED, "1.1", "Rent", (), 0, len(text))
    assert text[after_heading(text, clause) :].lstrip() == "The Tenant shall pay it."


LEAD = "The Tenant shall not at any time during the Term do any of these things on or near the Property or the Estate"
ITEMS = (
    "store petrol, gas or any other inflammable thing in any part of the Property",
    "play music that can be heard outside the Property after eleven at night",
    "keep animals of any kind without the consent of the Landlord in writing",
)


def limbs(text: str) -> list[str]:
    clause = Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))
    return [
        text[unit.own.start : unit.own.end] for _, unit in find_units(document(text, language=Language.EN), [clause])
    ]


@pytest.mark.parametrize("semicolon", [";", "\u037e"])
@pytest.mark.parametrize(
    "marks", [("(a)", "(b)", "(c)"), ("(i)", "(ii)", "(iii)"), ("(1)", "(2)", "(3)"), ("(A)", "(B)", "(C)")]
)
def test_limbs_however_numbered(marks: tuple[str, ...], semicolon: str) -> None:
    first, second, third = (f"{mark} {item}" for mark, item in zip(marks, ITEMS, strict=True))
    text = f"{LEAD}: {first}{semicolon} {second}{semicolon} and {third}."
    found = limbs(text)
    assert [part.startswith(mark) for part, mark in zip(found[1:], marks[1:], strict=True)] == [True, True]
    lines = f"{LEAD}:\n• {ITEMS[0]};\n• {ITEMS[1]};\n• {ITEMS[2]}."
    assert len(limbs(lines)) == 3


def test_items_set_apart_keep_their_lead() -> None:
    text = f"{LEAD}:\n \n(i){ITEMS[0]};\n \n(ii){ITEMS[1]}; or\n \n(iii){ITEMS[2]}."
    whole = document(text, language=Language.EN)
    made = find_sentences(whole, [Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))])
    assert len(made) == 3
    assert all(sentence.text.startswith("The Tenant shall not") for sentence in made)


def test_nested_and_referred_items_are_no_limbs_of_the_list() -> None:
    text = (
        f"{LEAD}: (a) {ITEMS[0]}, whether (i) above ground or (ii) below it; and (b) {ITEMS[1]}, as clauses (1) and "
        "(2) of this section say."
    )
    assert len(limbs(text)) == 2
    row = f"{LEAD} so long as it has met its obligations under clause (a), (b) or (c) by then, {', '.join(ITEMS)}."
    assert len(limbs(row)) == 1
    assert len(limbs(f"{LEAD} under clauses\n(1) and\n(2) of this section, {ITEMS[0]}, {ITEMS[1]}, {ITEMS[2]}.")) == 1


def test_units_are_told_apart_by_their_sentence() -> None:
    text = f"{LEAD}: (a) {ITEMS[0]}; (b) {ITEMS[1]}; and (c) {ITEMS[2]}. It may."
    clause = Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))
    units = [unit for _, unit in find_units(document(text, language=Language.EN), [clause])]
    assert {unit.sentence for unit in units} == {Span(0, len(text) - 8), Span(len(text) - 7, len(text))}
