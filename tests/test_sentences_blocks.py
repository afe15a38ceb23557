"""Addresses, signatures, forms, tables and headings stand apart from the sentences around them."""

import pytest
from documents import document, source

from conspectus.document import Clause, ClauseKind, Language
from conspectus.evidence.sentence_blocks import Kind, parts
from conspectus.evidence.sentences import find_sentences, find_units


def kinds(text: str, language: Language = Language.EN) -> list[tuple[Kind, str]]:
    return [(part.kind, text[part.start : part.end].strip()) for part in parts(text, 0, len(text), language)]


def prose(text: str) -> list[str]:
    return [words for kind, words in kinds(text) if kind is Kind.PROSE]


BEFORE = "All notices shall be in writing and shall be given by mail, postage prepaid, and addressed as\nfollows:"
AFTER = "All written notices, requests or other communications shall be given if mailed by registered mail."
ADDRESS = "If to Shipper:\nArkansas Western Gas Company\n1001 Sain Street\nP. 0. Box 1288\nFayetteville, AR 72702-1288"
OTHER = "If to Transporter:\nArkansas Western Pipeline Company\nP. O. Box 1408\nAttn: Manager of Services"


def test_an_address_is_one_block() -> None:
    text = "\n".join([BEFORE, ADDRESS, OTHER, AFTER])
    assert kinds(text) == [(Kind.PROSE, BEFORE), (Kind.BLOCK, ADDRESS), (Kind.BLOCK, OTHER), (Kind.PROSE, AFTER)]


def test_a_signature_is_no_sentence() -> None:
    witness = "IN WITNESS WHEREOF, the Parties have executed this Agreement as of the day first above written."
    first = "ACME THERAPEUTICS, INC.\n/s/ Jesse Shaw\nBy: Jesse Shaw\nTitle: Chief Executive Officer"
    second = "THE UNIVERSITY OF IOWA\nBy: ______________\nName: Wendy Bell\nTitle: Director"
    text = "\n".join([witness, first, second, "This page follows the Agreement and is part of it for all purposes."])
    assert [words for _, words in kinds(text)] == [witness, first, second, text.split("\n")[-1]]
    assert source(text).sentences[0].text == witness


@pytest.mark.parametrize(
    "text",
    [
        "The Buyer, located at 2 Gilmore Hall, Iowa City, IA 52242\n(the “Buyer”), shall pay.",
        "The fee is $______ per gallon of product transported. Owner will\ninvoice such fees each month.",
        "The price is stated in the Title: it shall be paid\nin full.",
        "IN NO EVENT WILL THE PROVIDER BE LIABLE\nTO THE COMPANY FOR ANY DAMAGE WHICH IS\nINDIRECT.",
        "The term begins on 1 March 2027 and ends on 28 February 2032\nor 30 June 2033 at the latest.",
    ],
)
def test_prose_stays_prose(text: str) -> None:
    assert prose(text) == [text]


def test_a_heading_in_capitals_stands_apart() -> None:
    text = "The parties are named above.\nBACKGROUND\nHPS provides services to its clients."
    assert [words for _, words in kinds(text)] == text.split("\n")


TABLE = (
    "Contract                    Quantity Assigned      Expiration\n"
    "--------                    -----------------      ----------\n"
    "AWP FT dated 5/20/92         13,370 MMBtu/d        07/31/2003\n"
    "Ozark FT #Z2001 @ AWP        13,370 MMBtu/d        10/31/2002\n"
    "TETCO CDS (FT) #800204        9,826 MMBtu/d        10/31/2012\n"
)


def test_the_head_of_a_table_is_no_sentence() -> None:
    made = source("Schedule 2 lists the contracts assigned.\n" + TABLE).sentences
    head = "Contract Quantity Assigned Expiration"
    assert [sentence.is_row for sentence in made] == [False, True, True, True]
    assert all(sentence.text.startswith(head) for sentence in made[1:])
    assert made[2].text == f"{head} […] Ozark FT #Z2001 @ AWP 13,370 MMBtu/d 10/31/2002"


def test_groups_of_rows_keep_the_head_of_the_table() -> None:
    head, rule, *rows = TABLE.splitlines()
    lines = [
        head,
        rule,
        "Transportation & Storage:",
        "    ",
        *rows,
        "Supply:",
        "SEECO Sales 15,370 MMBtu/d  09/30/2000",
        rows[0],
    ]
    text = "\n".join(lines)
    clause = Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))
    made = find_sentences(document(text, language=Language.EN), [clause])
    assert [sentence.is_row for sentence in made] == [True] * 5
    assert all(sentence.text.startswith("Contract Quantity Assigned Expiration") for sentence in made)
    assert "Transportation & Storage: AWP FT" in made[0].text and "[…] Supply: SEECO" in made[3].text


def test_a_head_without_rows_and_a_row_alone_are_no_sentences() -> None:
    head, rule, row, *_ = TABLE.splitlines()
    text = (
        f"Schedule 2 lists the contracts.\n{head}\n{rule}\nTransportation is provided as agreed.\n\n{row}\n\nIt ends."
    )
    found = [(part.kind, text[part.start : part.end].split()[0]) for part in parts(text, 0, len(text), Language.EN)]
    assert found == [
        (Kind.PROSE, "Schedule"),
        (Kind.ROW, "Contract"),
        (Kind.PROSE, "Transportation"),
        (Kind.ROW, "AWP"),
        (Kind.PROSE, "It"),
    ]


def test_the_end_of_a_sentence_is_no_head() -> None:
    text = "The Buyer shall pay the price in the years\nas follows:\n1 £120,000 £10,000\n2 £126,000 £10,500\n"
    assert prose(text) == ["The Buyer shall pay the price in the years\nas follows:"]


def test_a_rule_between_rows_keeps_the_head() -> None:
    text = "Year Rent Charge\n1 £120,000 £10,000\n2 £126,000 £10,500\n------\n3 £246,000 £20,500\n"
    found = parts(text, 0, len(text), Language.EN)
    assert [part.kind for part in found] == [Kind.ROW] * 3
    assert found[0].header is None and text.startswith("Year")
    assert all(part.header and text[part.header.start : part.header.end] == "Year Rent Charge" for part in found[1:])


def test_several_lines_stand_over_the_columns() -> None:
    text = (
        "The payments are as follows:\nAnnual Net Sales of\nthe Product\nMilestone\n$25,000 $62,500\n$50,000 $75,500\n"
    )
    found = parts(text, 0, len(text), Language.EN)
    assert [text[part.start : part.end].split("\n")[0] for part in found] == [
        "The payments are as follows:",
        "Annual Net Sales of",
        "$50,000 $75,500",
    ]


def test_a_block_without_end_is_cut_too() -> None:
    text = "Name: Somebody\n" * 1000
    clause = Clause("c1", ClauseKind.PARAGRAPH, "", "", (), 0, len(text))
    assert len(list(find_units(document(text, language=Language.EN), [clause]))) > 5
