import pytest
from documents import source

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.terms.collect import collect
from conspectus.terms.dates import AMBIGUOUS, BLANK, NO_DAY, NO_SUCH, YEARLY


def dates(text: str, language: Language | None = None) -> list[KeyTerm]:
    return [term for term in collect(source(text, language=language)) if term.kind is TermKind.DATE]


@pytest.mark.parametrize(
    ("text", "words", "computed", "note"),
    [
        ("The fee is due on 1 March 2027.", "1 March 2027", "2027-03-01", ""),
        ("The fee is due on March 1, 2027.", "March 1, 2027", "2027-03-01", ""),
        ("Made this 23rd day of December, 2003 by A.", "23rd day of December, 2003", "2003-12-23", ""),
        ("Made as of the 19t h day of December, 2018.", "19t h day of December, 2018", "2018-12-19", ""),
        ("It ends on 2027-03-01 at noon.", "2027-03-01", "2027-03-01", ""),
        ("OJ L 119, 31.7.2012, p. 89 applies.", "31.7.2012", "2012-07-31", ""),
        ("It ends on 03/04/2025.", "03/04/2025", "", AMBIGUOUS),
        ("It ends on 04/04/2025.", "04/04/2025", "2025-04-04", ""),
        ("It ends on 12/31/2025.", "12/31/2025", "2025-12-31", ""),
        ("It ends on 31/12/2025.", "31/12/2025", "2025-12-31", ""),
        ("It ends on 31 February 2025.", "31 February 2025", "", NO_SUCH),
        ("The rent is due on 25 March in each year.", "25 March", "", YEARLY),
        ("It is effective as of the [·] day of [·], 2019 for all.", "[·] day of [·], 2019", "", BLANK),
        ("本法自2027年3月1日起施行。", "2027年3月1日", "2027-03-01", ""),
        ("本法自二〇二七年三月一日起施行。", "二〇二七年三月一日", "2027-03-01", ""),
        ("甲方应当在2027年3月付清。", "2027年3月", "2027-03", NO_DAY),
    ],
)
def test_dates_and_their_one_reading(text: str, words: str, computed: str, note: str) -> None:
    assert [(term.value, term.computed, term.note) for term in dates(text)] == [(words, computed, note)]


@pytest.mark.parametrize(
    "text",
    [
        "The Tenant may 5 times a year ask for it.",
        "Clause 4.10.2 applies to section 1.2.3 of the plan.",
        "Units 3 and 4 may be let.",
        "甲方应当支付三十日的租金。",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert dates(text) == []


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("THIS LEASE is dated 14 March 2025.", "agreement"),
        ("The schedule of condition dated 27 January 2025 shows it.", "other document"),
        ("This Agreement is effective as of June 11, 2015.", "effective"),
        ("The term shall end on 24 March 2035.", "expiry"),
        ("The Landlord served the notice on 3 February 2025.", "notice"),
        ("The Tenant shall pay the Deposit on or before 25 March 2025.", "payment"),
        ("The Seller shall deliver the goods by 1 May 2026.", "delivery"),
        ("The Minister must review these rules on or before 30 June 2031.", "review"),
        ("The Tenant may end this Lease on 24 March 2030.", "termination"),
        ("This Agreement renews on 1 May 2026.", "renewal"),
        ("These Regulations come into force on 1 July 2026.", "effective"),
        ("Made on 9 February 2026.", "agreement"),
        ("本法自2027年3月1日起施行。", "effective"),
        ("二〇二六年三月十二日发布。", "publication"),
        ("合同期限至2027年12月31日届满。", "expiry"),
        ("甲方应当于2027年5月1日前支付货款。", "payment"),
    ],
)
def test_what_a_date_is_for(text: str, role: str) -> None:
    assert [term.role for term in dates(text)] == [role]


@pytest.mark.parametrize(
    ("text", "role", "value"),
    [
        (
            'This Agreement is effective as of the date of the Closing (the "Effective Date"), between A and B.',
            "effective",
            "the date of the Closing",
        ),
        (
            "This Agreement will terminate on the earlier of the sale of the Assets and the death of the Owner.",
            "expiry",
            "terminate on the earlier of the sale of the Assets and the death of the Owner",
        ),
        (
            "The term of this Agreement continues in perpetuity, unless it is terminated.",
            "expiry",
            "continues in perpetuity, unless it is terminated",
        ),
    ],
)
def test_dates_that_hang_on_an_event(text: str, role: str, value: str) -> None:
    assert (role, value, "") in [(term.role, term.value, term.computed) for term in dates(text)]


def test_a_right_to_terminate_is_no_date() -> None:
    assert dates("Either party may terminate this Agreement upon a breach by the other party.") == []


@pytest.mark.parametrize(
    ("sentence", "words", "computed"),
    [
        (
            "El arrendatario pagará la renta antes del 14 de marzo de 2025 para que se una con el resto.",
            "14 de marzo de 2025",
            "2025-03-14",
        ),
        (
            "Le locataire doit payer le loyer dans les délais et au plus tard le 1er juin 2025 pour une année.",
            "1er juin 2025",
            "2025-06-01",
        ),
    ],
)
def test_dates_of_a_third_language(sentence: str, words: str, computed: str) -> None:
    assert (words, computed) in [(term.value, term.computed) for term in dates(" ".join([sentence] * 8))]


def test_the_words_around_a_date_do_not_lose_its_year() -> None:
    (term,) = dates("The Landlord must not let a unit of the Estate to a rival of the Tenant before 25 March 2028.")
    assert term.name.endswith("before 25 March 2028.") and term.name.startswith("…")
    (term,) = dates(f"From 25 March 2028 {'the Tenant pays the rent ' * 5}.")
    assert term.name.startswith("From 25 March 2028 the Tenant") and term.name.endswith("…")
