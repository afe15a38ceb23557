"""A Chinese line that says a thing twice, or a number with what belongs to another number of its evidence."""

import re

from conspectus.check.zh.lexicon import AND, LIGHT, NUMBER_BASE, OPERATORS, OR
from conspectus.check.zh.reading import Reading, is_number, is_role
from conspectus.check.zh.sides import Side

# Amounts, ranges and dates: 一百万元以上, 百分之五, 2026年3月1日.
_DIGIT = "0-9一二三四五六七八九十百千万亿零〇两%"
_FIGURE = re.compile(f"(?:[.,分之元年月日{_DIGIT}]|以[上下])*[{_DIGIT}]+[元年月日]?")
_TWICE = 7
_DOUBLED = re.compile("([\u4e00-\u9fff])\\1")
_PAUSE = re.compile("[,，。;；:：()（）]")
_GOAL = re.compile("[向对给与为被替从]$")
_DATE_ASIDE = re.compile("^[\ue100-\uf8ff][,，]")


def said_twice(statement: str, evidence: str) -> bool:
    """True where a line repeats a stretch or doubles a character that its evidence has once."""
    if any(match[0] not in evidence for match in _DOUBLED.finditer(statement)):
        return True
    said, source = (
        re.sub(r"[^\w#]", "", _FIGURE.sub("#", text.replace("或者", "或"))) for text in (statement, evidence)
    )
    pieces = (said[at : at + _TWICE] for at in range(len(said) - _TWICE + 1))
    return any(1 < said.count(piece) > source.count(piece) and piece.count("#") < 2 for piece in pieces)


def _plain(text: str) -> str:
    return re.sub(r"[^\w#]", "", _FIGURE.sub("#", text.replace("或者", "或")))


def ends_open(statement: str, evidence: str) -> bool:
    """True where a line stops behind a condition, and no clause of its evidence does, or behind an "or" or "and"."""
    if re.search(r"(?:或者?|以及|[和并且及])\W*$", statement):
        return True
    return bool(re.search(r"的\W*$", statement)) and not re.search(r"的\W*(?:$|[。;；\[])", evidence)


def other_predicate(side: Side, statement: str, evidence: str) -> bool:
    """True where what follows a number in the line follows another number, and not this one, in the evidence."""
    if re.search("条之[一二三四五六七八九]", statement) and "条之" not in evidence:
        return True
    source = _followed(side.source)
    for value, behind in _followed(side.said):
        own = [other for number, other in source if number == value]
        others = [other for number, other in source if number != value]
        if not own or len(behind) < 2:
            continue
        mine, theirs = (max((_share(behind, other) for other in texts), default=0.0) for texts in (own, others))
        if theirs > 0.8 and mine < 0.5:
            return True
    # A date that leads a noun in the evidence is the time of the whole line once a comma parts it from the noun.
    aside = _DATE_ASIDE.match(side.said.text) and is_number(side.source.text[:1])
    return bool(aside) and not _DATE_ASIDE.match(side.source.text)


def _share(text: str, other: str) -> float:
    return sum(char in other for char in text) / len(text)


def _followed(reading: Reading) -> list[tuple[str, str]]:
    """(value, the four characters that follow it before a pause or another number) of each date of a text."""
    found = []
    for place, char in enumerate(reading.text):
        if is_number(char) and reading.tokens[ord(char) - NUMBER_BASE].kind == "date":
            behind = re.split("[\ue100-\uf8ff]", _PAUSE.split(reading.text[place + 1 :])[0])[0]
            content = "".join(c for c in behind if c not in LIGHT and c not in OPERATORS and c.isalnum())
            found.append((reading.tokens[ord(char) - NUMBER_BASE].value, content[:4]))
    return found


def answers_to(statement: str, evidence: str) -> bool:
    """True where 对……负责 became 负责……, or 对……承担 ……承担: who answers for or to whom is turned about."""
    return any(_without_goal(statement, verb) > _without_goal(evidence, verb) for verb in ("负责", "承担", "负有"))


def _without_goal(text: str, verb: str) -> int:
    """How many times a verb stands in a clause without 对 or 向 before it."""
    clauses = re.split("[,，。;；:：]", text.replace("直接负责", ""))
    return sum(verb in clause and not re.search("[对向]", clause.split(verb)[0]) for clause in clauses)


_DISCRETION = "从轻|从重|减轻|免予|免除|批准|准予|不予"


def discretion_open(statement: str, evidence: str) -> bool:
    """True where 应当 before what an authority also may do (从轻, 批准) is gone: 应当 and 可以 part there."""
    bound = re.search(f"(?:应当?|必须)[^,，。;；可]{{0,8}}?({_DISCRETION})", evidence)
    if not bound:
        return False
    clause = next((part for part in re.split("[,，。;；]", statement) if bound[1] in part), "")
    return bool(clause) and not re.search("应|须|可", clause)


def goal_acts(side: Side) -> bool:
    """True where a role opens a part of the line as who acts, and is only ever a goal or an owner in the evidence."""
    source = side.source.text
    for segment in side.said.segments:
        text = segment.text.lstrip(f" 而则{AND}{OR}")
        if not text or not is_role(text[0]) or text[1:2] in ("的", "") or text[1:2] in (AND, OR, "、"):
            continue
        places = [place for place, char in enumerate(source) if char == text[0]]
        if places and all(_GOAL.search(source[:place]) or source[place + 1 : place + 2] == "的" for place in places):
            return True
    return False
