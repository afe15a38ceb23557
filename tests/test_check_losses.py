"""What an English line may lose of its evidence, and what it may not: the modules of conspectus.check.en."""

import pytest

from conspectus.check.en.aligned import Pair
from conspectus.check.en.exchanged import exchanged
from conspectus.check.en.governed import dangles, other_preposition
from conspectus.check.en.losses import lost
from conspectus.check.en.reading import read
from conspectus.check.en.turned import modal_taken, own_lost, start_lost, subject_to_lost, unit_lost
from conspectus.check.en.widened import said_twice, widened
from conspectus.check.reasons import Reason
from conspectus.text import normalise


def pair(evidence: str, statement: str) -> Pair:
    """Both texts read, as the checker reads them."""
    return Pair(read(normalise(statement)), read(normalise(evidence)))


@pytest.mark.parametrize(
    ("evidence", "statement"),
    [
        ("The Hirer shall pay the fee set out in this Deed.", "The Hirer must pay the fee set out."),
        ("The Hirer may end this Deed on 2 May 2031 (the “Exit Date”).", "The Hirer may end this Deed on 2 May 2031."),
        ("The Hirer shall pay interest at the rate of 8%.", "The Hirer must pay interest at 8%."),
        ("The Hirer must hold a permit issued by the Port.", "The Hirer must hold a permit from the Port."),
        ("The Port may renew and extend the permit.", "The Port may extend the permit."),
        (
            "The Port shall notify the Line, and the Port shall pay the Line.",
            "The Port must notify the Line and pay the Line.",
        ),
        (
            "The Line must report a fault within 2 days after the fault.",
            "The Line must report a fault within 2 days after it.",
        ),
        ("The Line shall clean the berth, and may paint the wall.", "The Line must clean the berth."),
    ],
)
def test_what_may_be_left_out(evidence: str, statement: str) -> None:
    assert lost(pair(evidence, statement)) == []


@pytest.mark.parametrize(
    ("evidence", "statement", "reason", "word"),
    [
        ("The hulls of a ship must be cleaned.", "The hulls must be cleaned.", Reason.QUALIFIER, "ship"),
        ("The Shipper shall pay the Carrier the fee.", "The Shipper must pay the fee.", Reason.DIRECTION, "carrier"),
        (
            "If the pilot of the ship is ill, the Port must act.",
            "If the pilot is ill, the Port must act.",
            Reason.CONDITION,
            "ship",
        ),
        ("Order 2021 is repealed.", "The Order is repealed.", Reason.LIMIT, "#0"),
        (
            "The Port may not sue if the Line's crew or the crew of the Port is ill.",
            "The Port may not sue if the crew is ill.",
            Reason.CONDITION,
            "line's",
        ),
    ],
)
def test_what_may_not(evidence: str, statement: str, reason: Reason, word: str) -> None:
    assert (reason, word) in lost(pair(evidence, statement))


def test_what_was_turned() -> None:
    assert start_lost(pair("Tell the Port within 2 days of its date.", "Tell the Port within 2 days."))
    assert not start_lost(pair("Tell the Port within 2 days of its date.", "Tell the Port within 2 days of its date."))
    assert unit_lost(pair("The fine is 300 crowns.", "The fine is 300.")) is unit_lost(
        pair("It is £300.", "It is 300.")
    )
    assert own_lost(pair("if its own delay caused it", "if delay caused it"))
    both = "The Port must inspect every ship, and may inspect every boat."
    assert modal_taken(pair(both, "The Port may inspect every ship and may inspect every boat."))
    assert not modal_taken(pair(both, both))
    lets = "The Port lets the berth with the rights in clause 4 and subject to clause 5."
    assert subject_to_lost(pair(lets, "The Port lets the berth with the rights in clause 4 and clause 5."))


def test_places_and_prepositions() -> None:
    insures = "The Line shall insure the cargo against fire for its full value."
    assert other_preposition(pair(insures, "The Line must insure the cargo against its full value."))
    assert not other_preposition(pair(insures, "The Line must insure the cargo for its full value against fire."))
    holds = "The pilot must hold the licence of the harbour at the gate."
    assert exchanged(pair(holds, "The pilot must hold the gate of the harbour at the licence."))
    assert exchanged(pair(holds, holds)) == []
    assert dangles("The Port must let it to a rival before.", "before 1 May the Port must let it to a rival.")
    assert not dangles("It is the duty they agreed to.", "It is the duty to which they agreed.")


def test_what_was_widened() -> None:
    assert widened("The Port may enter at any time.", "The Port may enter at any reasonable hour.")
    assert not widened("The Port may enter at any time.", "The Port may enter at any time.")
    assert widened("It must not use the fund for any purpose.", "It must not use the fund for any other purpose.")
    twice = pair(
        "Under the pilot book and the rules of the tide table.", "Under the tide table and the rules of the tide table."
    )
    assert said_twice(twice)
