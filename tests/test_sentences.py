import pytest
from documents import source

from conspectus.digesting.settle import choose, settle
from conspectus.document import Detail, Language, Span, Verdict
from conspectus.evidence.sentences import LONGEST, split_long


def quotes(text: str, language: Language | None = None) -> list[str]:
    return [sentence.text for sentence in source(text, language=language).sentences]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The fee under Sec. 3.2(a) is $1,000.50. It is due on Jan. 5, 2027.", 2),
        ("See 17 U.S.C. 106 and No. 5 of the list. Nothing else applies.", 2),
        ("Acme Inc. and Beta Ltd. shall pay Mr. Smith. He may refuse.", 2),
        ("Rates are set out in Exhibit B. The Shipper shall pay them.", 2),
        ("Is this enforceable? It is not.", 2),
        ("交易应当备案。备案期限为三十日；逾期的，处罚款。", 2),
    ],
)
def test_sentence_ends(text: str, count: int) -> None:
    assert len(quotes(text)) == count


LIST = (
    "The Tenant shall not at any time during the Term do any of these things on or near the Property or the Estate: "
    "(a) store petrol, gas or any other inflammable thing in any part of the Property; "
    "(b) play music that can be heard outside the Property after eleven at night; and "
    "(c) keep animals of any kind, provided that a guide dog may be kept at all times with notice to the Landlord."
)


def test_limbs_keep_lead_and_proviso() -> None:
    found = quotes(LIST)
    assert len(found) == 3
    assert all(quote.startswith("The Tenant shall not at any time") for quote in found)
    assert all("provided that a guide dog may be kept" in quote for quote in found)
    assert " […] (b) play music" in found[1]
    assert "(a) store petrol" in found[0] and "[…] provided that" in found[0]


def test_every_cut_inside_a_sentence_is_shown() -> None:
    plain = LIST[: LIST.index(", provided")] + "."
    first, middle, last = quotes(plain)
    assert first.endswith(" […]") and middle.endswith(" […]")
    assert not last.endswith("[…]")
    pieces = quotes("word without end " * 300)
    assert pieces[0].endswith(" […]") and pieces[1].startswith("[…] ")


def test_a_list_of_exceptions_is_not_taken_apart() -> None:
    text = LIST.replace(
        "do any of these things on or near the Property or the Estate:", "alter the Property, except for:"
    )
    assert len(quotes(text)) == 1


def test_table_rows_carry_their_header() -> None:
    text = "1. RENT\nThe rent is as follows.\nYear Annual rent Monthly rent\n1 £120,000 £10,000\n2 £126,000 £10,500\n"
    assert "Year Annual rent Monthly rent 1 £120,000 £10,000" in quotes(text)
    assert "Year Annual rent Monthly rent […] 2 £126,000 £10,500" in quotes(text)
    made = source(text)
    rows = [sentence.index for sentence in made.sentences if sentence.is_row]
    assert len(rows) == 2
    assert not set(choose(made, Detail.FULL)) & set(rows), "the model is not asked about rows"
    settled = settle(made, [], [], Detail.FULL)
    assert {statement.verdict for statement in settled if set(statement.sentences) & set(rows)} == {Verdict.VERBATIM}


@pytest.mark.parametrize("language", list(Language))
def test_what_never_ends_is_cut_without_loss(language: Language) -> None:
    text = "无标点文字" * 900 if language is Language.ZH else "word without end " * 900
    pieces = split_long(text, Span(0, len(text)), language)
    assert all(piece.end - piece.start <= LONGEST[language] for piece in pieces)
    assert "".join(text[p.start : p.end] for p in pieces).replace(" ", "") == text.replace(" ", "")
