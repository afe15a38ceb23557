"""The numbers of a statement against those of its evidence: each is there, of its kind, and in its place."""

import re

from conspectus.check.salient import CURRENCY, Token, salient, spelled
from conspectus.evidence.zh_numbers import NUMERAL, chinese_number
from conspectus.text import normalise

_TIME_WORDS = re.compile(r"\b(hour|day|week|month|quarter|year|annum)(?:s|ly)?\b|(?<=[每按])个?([日周月季年])", re.I)
_TIME_FORMS = {
    "daily": "day",
    "annum": "year",
    "annual": "year",
    "yearly": "year",
    "calendar": "year",
    "weekly": "week",
    "日": "day",
    "周": "week",
    "月": "month",
    "季": "quarter",
    "年": "year",
}


def new_units(statement: str, evidence: str) -> bool:
    """True where a statement counts by a unit of time that its evidence does not have: a day is not a week."""

    def units(text: str) -> set[str]:
        found = {(match[1] or match[2]).lower() for match in _TIME_WORDS.finditer(text)}
        found |= {form for word, form in _TIME_FORMS.items() if word.isascii() and re.search(rf"\b{word}", text, re.I)}
        return {_TIME_FORMS.get(unit, unit) for unit in found}

    there = units(evidence) | {
        token.value.split()[-1].split()[-1] for token in salient(evidence) if token.kind == "duration"
    }
    return bool(units(statement) - there - {"year"}) or ("每年" in statement and "年" not in evidence)


_UNCOUNTED = {"1"}  # "a", "one", 一: as often an article as a number


def _currencies(text: str) -> set[str]:
    heads = " ".join(re.findall(r"\(([^()|]*)\)", text.lower()))
    return {code for sign, code in CURRENCY.items() if sign in heads}


def missing(statement: str, evidence: str) -> list[Token]:
    """The salient tokens of a statement that do not stand in its evidence.

    A bare number is satisfied by any token of that value; an amount, percentage or duration only by its own kind.
    """
    there = salient(evidence)
    exact = {token.same for token in there}
    plain = spelled(normalise(evidence)).replace(",", "")
    values = {token.value.split()[0] for token in there} | _UNCOUNTED
    values |= set(re.findall(r"[0-9]+(?:\.[0-9]+)*", plain))
    values |= {str(chinese_number(match[0])) for match in NUMERAL.finditer(plain)}
    if "|" in plain:
        # In a table the currency stands in the header.
        exact |= {("money", f"{value} {currency}") for value in values for currency in _currencies(plain)}
    return [
        token
        for token in salient(statement)
        if token.same not in exact and not (token.kind in ("number", "reference") and token.value in values)
    ]


def misplaced(statement: str, evidence: str) -> bool:
    """True where a number stands with what belongs to another number of its evidence.

    Numbers of one kind keep their order; in a table a number keeps the label of its row.
    """
    return not numbers_in_order(statement, evidence) or ("|" in evidence and _other_row(statement, evidence))


def _other_row(statement: str, evidence: str) -> bool:
    """True where a number of a table stands beside the label of another row."""
    label = ""
    rows: dict[str, set[str]] = {}
    for cell in (cell.strip() for cell in evidence.split("|")):
        values = {token.value.split()[0] for token in salient(cell)}
        if cell and not values:
            label = cell
        elif label and label not in cell:
            rows.setdefault(label, set()).update(values)
    named = {row for row in rows if row.lower() in statement.lower()}
    if not named:
        return False
    theirs = set().union(*(rows[row] for row in named))
    others = set().union(*(values for row, values in rows.items() if row not in named)) - theirs
    return any(token.value.split()[0] in others for token in salient(statement))


def numbers_in_order(statement: str, evidence: str) -> bool:
    """False where two values of one kind change places: each stands in the evidence, but with the other's meaning."""
    tokens, source = salient(statement), salient(evidence)
    for kind in ("percent", "money", "duration", "date"):
        said = [token.value for token in tokens if token.kind == kind]
        there = [token.value for token in source if token.kind == kind]
        common = [value for value in dict.fromkeys(said) if there.count(value) == 1 and said.count(value) == 1]
        places = [there.index(value) for value in common]
        if places != sorted(places):
            return False
    return True
