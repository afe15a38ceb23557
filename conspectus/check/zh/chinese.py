"""What speaks against a Chinese statement: operators, parties, and characters against those of its evidence."""

import re

from conspectus.check.reasons import Reason
from conspectus.check.zh.lexicon import (
    AND,
    LESS,
    LIGHT,
    MAX,
    MAY,
    MIN,
    MORE,
    NUMBER_BASE,
    OPERATORS,
    OR,
    PALE,
    QUALIFIERS,
)
from conspectus.check.zh.lines import answers_to, discretion_open, ends_open, goal_acts, other_predicate, said_twice
from conspectus.check.zh.losses import losses
from conspectus.check.zh.parties import direction, fused, joint_roles_lost
from conspectus.check.zh.parts import parts_of
from conspectus.check.zh.reading import Reading, is_number, is_role, names_of, read
from conspectus.check.zh.rules import conditions, modality, negation, own_proposition
from conspectus.check.zh.sides import Side
from conspectus.check.zh.slips import slips

_NEW_ALLOWED = frozenset("经才份用否须需得能及和或并未不无可当个件号款项总共每处则对象属归谁何即凡倘曾完毕起止间内外")


# A number with the bound right beside it; what is left of the bounds stands by itself.
_BOUND_NUMBER = re.compile(f"[{MIN}{MAX}{MORE}{LESS}]?[\ue100-\uf8ff].?[{MIN}{MAX}]?")
_RANGE = ("至", "到", "-", "~")


def _counts(reading: Reading, char: str) -> bool:
    """Whether a number of a range counts something; dates keep their own rule."""
    return reading.tokens[ord(char) - NUMBER_BASE].kind != "date"


def _bounds(reading: Reading) -> list[tuple[str, str]]:
    """(value, bound or "") of each number."""
    found = []
    text = reading.text
    for i, char in enumerate(text):
        if is_number(char):
            lead = "" if i > 1 and is_number(text[i - 2]) else text[max(0, i - 2) : i]
            before = [c for c in lead if c in (MIN, MAX, MORE, LESS)]
            after = [c for c in text[i + 1 : i + 3].split(",")[0] if c in (MIN, MAX)][:1]
            if text[i + 1 : i + 2] in _RANGE and is_number(text[i + 2 : i + 3] or " ") and _counts(reading, char):
                after = [MIN]
            elif i > 1 and text[i - 1] in _RANGE and is_number(text[i - 2]) and _counts(reading, char):
                after = [MAX]
            elif after and any(is_number(c) for c in text[i + 1 : i + 1 + text[i + 1 : i + 3].find(after[0])]):
                after = []
            found.append(
                (reading.tokens[ord(char) - NUMBER_BASE].value.split()[0], "".join(sorted({*before[-1:], *after})))
            )
    return found


def _limits(side: Side) -> bool:
    source = _bounds(side.source)
    for value, bound in _bounds(side.said):
        there = {b for v, b in source if v == value}
        if there and bound not in there:
            return True
    loose = [
        {c for c in re.sub(_BOUND_NUMBER, "", r.text) if c in (MIN, MAX, MORE, LESS)} for r in (side.said, side.source)
    ]
    if loose[0] - loose[1] and loose[1] - loose[0]:
        return True
    gone = side.dropped_groups()
    for segment in side.source.segments:
        for char in segment.text:
            if is_number(char) and segment.group not in gone and not side.has(char) and "|" not in side.source.text:
                token = side.source.tokens[ord(char) - NUMBER_BASE]
                if token.kind in ("money", "percent", "duration") and token.value.split()[0] != "1":
                    return True
    loose_max = MAX in re.sub(f"[{MAX}]?[\ue100-\uf8ff].?[{MAX}]?", "", side.source.text)
    return (
        loose_max
        and MAX not in side.said.text
        and "期间" not in side.said.text
        and not (gone and "L" not in "".join(s.text for s in side.source.segments if s.group not in gone))
    )


def _conjunction(side: Side) -> bool:
    said, source = side.said.text, side.source.text
    for match in re.finditer(f"[{AND}{OR}]", said):
        left = next((c for c in reversed(said[: match.start()]) if c not in LIGHT and c not in OPERATORS), "")
        right = next((c for c in said[match.end() :] if c not in LIGHT and c not in OPERATORS), "")
        if not left or not right or said[match.start() - 1 : match.end() + 1] in source:
            continue
        seen: set[str] = set()
        for one, other in ((left, right), (right, left)):
            for found in re.finditer(
                f"{re.escape(one)}([^。;；]{{0,16}}?){re.escape(other)}([^。;；]{{0,24}})", source
            ):
                inner = {c for c in found[1] if c in (AND, OR)}
                if not inner and "、" in found[1]:
                    inner = set(next((c for c in found[2] if c in (AND, OR)), ""))
                seen |= inner
        if seen and match[0] not in seen:
            return True
        if not seen and match[0] == OR and OR not in source and "、" not in source and f"也{MAY}" not in source:
            return True
        if not seen and match[0] == AND and AND not in source and OR in source and not re.search("[,，;；]", source):
            return True
    return False


_SAID_TOO = {
    "无偿": ("免费",),
    "免费": ("无偿",),
    "立即": ("马上", "即刻", "当即"),
    "事先": ("提前", "预先", "事前"),
    "仅": ("只",),
    "唯一": ("仅", "只"),
    "随时": ("任何时候",),
}
_STAYS = ("表决权", "连带", "独家")


def _qualifiers(side: Side, statement: str) -> bool:
    """True where a word that narrows is gone and what it narrowed is there, or 仅 was made up."""
    gone = side.dropped_groups()
    for segment in side.source.segments:
        if segment.group in gone:
            continue
        if any(word in segment.text and word not in statement for word in _STAYS):
            return True
        for word in QUALIFIERS:
            at = segment.text.find(word)
            if at < 0 or word in statement:
                continue
            behind = segment.text[at + len(word) :]
            near = [c for c in behind[:5] if (c not in LIGHT and c not in OPERATORS)][:2]
            if any(other in statement for other in _SAID_TOO.get(word, ())):
                continue
            if word == "双方" and not re.match("[共同均书签协]", behind):
                continue
            if all(map(side.has, near)):
                return True
        if joint_roles_lost(side, segment):
            return True
    return "仅" in statement and not re.search("仅|只|唯一", side.source.text)


def _added(side: Side) -> str:
    """The characters of the statement that its evidence does not have."""
    return "".join(
        char for char in side.said.content
        if not is_number(char) and char not in side.source_chars and char not in _NEW_ALLOWED
    )  # fmt: skip


def _pieces(side: Side) -> tuple[int, int]:
    """How many characters of the statement stand in the evidence without their neighbours, and how many there are."""
    source = side.source.content
    said = "".join(char for char in side.said.content if not is_number(char))
    alone = i = 0
    while i < len(said):
        size = 1
        while i + size < len(said) and said[i : i + size + 1] in source:
            size += 1
        alone += size == 1
        i += size
    return alone, len(said)


def _dropped_run(side: Side) -> bool:
    """True where a modifier of a kept clause is gone: of four or more characters, of three before 的."""
    gone = side.dropped_groups()
    for segment in side.source.segments:
        if segment.group in gone or "|" in side.source.text or own_proposition(side, segment):
            continue
        run = attribute = 0
        for char in segment.text:
            if char == "的":
                if attribute >= 3:
                    return True
                attribute = 0
            if char in LIGHT or char in OPERATORS or not (char.isalnum() or char >= "\ue100"):
                continue
            there = side.has(char) or is_role(char)
            run = 0 if there or char in PALE else run + 1
            attribute = 0 if there else attribute + (char not in PALE)
            if run >= 4:
                return True
    return False


def _line_reasons(side: Side, statement: str, evidence: str) -> list[Reason]:
    found: list[Reason] = []
    if other_predicate(side, statement, evidence):
        found.append(Reason.NUMBER)
    if goal_acts(side) or answers_to(statement, evidence):
        found.append(Reason.DIRECTION)
    if discretion_open(statement, evidence):
        found.append(Reason.MODALITY)
    if said_twice(statement, evidence):
        found.append(Reason.LOOP)
    if ends_open(statement, evidence):
        found.append(Reason.CUT_OFF)
    return found


def leaves_out(statement: str, evidence: str) -> bool:
    """Whether a line leaves out a whole part of its sentence; both texts are normalised."""
    names, short = names_of(evidence)
    return any(part.gone for part in parts_of(read(statement, names, short), read(evidence, names, short)))


def chinese_reasons(statement: str, evidence: str) -> list[Reason]:
    """The reasons against a statement by its operators, parties and characters; both texts are normalised."""
    names, short = names_of(evidence)
    side = Side(read(statement, names, short), read(evidence, names, short), evidence)
    found: list[Reason] = []
    if negation(side):
        found.append(Reason.NEGATION)
    if (turned := modality(side)) is not None:
        found.append(turned)
    if (lost := conditions(side)) is not None:
        found.append(lost)
    if _conjunction(side):
        found.append(Reason.CONJUNCTION)
    if _limits(side):
        found.append(Reason.LIMIT)
    if _qualifiers(side, statement) or _dropped_run(side):
        found.append(Reason.QUALIFIER)
    if direction(side):
        found.append(Reason.DIRECTION)
    if fused(side):
        found.append(Reason.FUSED)
    alone, size = _pieces(side)
    if _added(side) or size < min(3, len(side.source.content)) or alone * 3 > size + 3:
        found.append(Reason.OFF_TOPIC)
    found += _line_reasons(side, statement, evidence) + losses(side, statement, evidence)
    return found + slips(statement, evidence)
