"""Who does what in a Chinese statement: another than in the evidence acts or receives, or sentences are mixed."""

import re

from conspectus.check.zh.lexicon import AFTER, AND, BEFORE, LIGHT, MODALS, OPERATORS, UNLESS
from conspectus.check.zh.reading import ROLE, Reading, Segment, is_role
from conspectus.check.zh.sides import Side


def modal_clauses(reading: Reading, gone: frozenset[int] = frozenset()) -> list[tuple[str, str, str]]:
    """(kind, who, what) of each modal, who taken from before it or from the clause before."""
    found: list[tuple[str, str, str]] = []
    who = ""
    for segment in reading.segments:
        if segment.group in gone:
            continue
        places = [i for i, char in enumerate(segment.text) if char in MODALS]
        at = 0
        for place, following in zip(places, [*places[1:], len(segment.text)], strict=False):
            who = _actor(segment.text[at:place]) or who
            what = "".join(
                char for char in segment.text[place + 1 : following] if char not in LIGHT and char not in OPERATORS
            )
            found.append((segment.text[place], who, what))
            at = place + 1
        if not places:
            who = _actor(segment.text) or who
    return found


_AGENT = re.compile(f"由({ROLE.pattern})")
_INNER = re.compile("[向对给与为被替从经]$")


def _actor(text: str) -> str:
    """Who acts in a stretch before a modal: a role behind 由, else the first that is no goal and owns nothing."""
    if match := _AGENT.search(text):
        return match[1]
    for match in ROLE.finditer(text):
        if not _INNER.search(text[: match.start()]) and text[match.end() : match.end() + 1] != "的":
            return match[0]
    return ""


def within(part: str, whole: str) -> float:
    """The share of the characters of one text that stand in another; 0 of a single one."""
    return sum(char in whole for char in part) / len(part) if len(part) > 1 else 0.0


def overlap(one: str, other: str) -> float:
    """The characters that two texts share: 0 none, 1 all."""
    return 2 * len(set(one) & set(other)) / (len(set(one)) + len(set(other))) if one and other else 0.0


def joint_roles_lost(side: Side, segment: Segment) -> bool:
    """True where two who must act together are not both there."""
    pairs = re.findall(f"(?=({ROLE.pattern}){AND}({ROLE.pattern}))", segment.text)
    return any(not (side.has(one) and side.has(other)) for one, other in pairs)


def _mentions(text: str) -> list[tuple[str, str, str]]:
    """(role, how it is led in and at what time, what follows it) of each role in a text."""
    found = []
    for match in ROLE.finditer(text):
        follows = re.split("[,，。;；:：()|]", text[match.end() :])[0]
        follows = re.sub(f"^{UNLESS}经.{{1,12}}?同意", "", follows)
        lead = text[match.start() - 1 : match.start()] if match.start() else ""
        modal = next((c for c in follows if c in MODALS), "")
        content = "".join(c for c in follows if c not in LIGHT and c not in OPERATORS)[:6]
        sentence = re.split("[。;；]", text[: match.start()])[-1]
        time = next((c for c in reversed(sentence[-14:]) if c in (BEFORE, AFTER)), "") if lead == "由" else ""
        found.append(((match[0]), (lead if lead in "向对给与为被替从经由" and lead else "") + time, content + modal))
    return found


_LED = re.compile("(?<![自事缘])(?<!(?<!经)理)由|向(?![来上下])|被(?!告)|(?<![已曾神])经(?![营理济过验常办])")


def _led(text: str) -> list[tuple[str, str]]:
    """(particle, what follows it) of each 由, 向, 被 and 经."""
    return [(match[0], re.split("[,，。;；:：|]", text[match.end() :])[0]) for match in _LED.finditer(text)]


def _other_led(side: Side) -> bool:
    """True where somebody stands behind 由, 向, 被 or 经 who stands behind none in the evidence."""
    source = _led(side.source.text)
    for particle, follows in _led(side.said.text):
        there = [other[:14] for other_particle, other in source if other_particle == particle]
        if not follows or follows[0] in "其谁哪":
            continue
        if is_role(follows[0]):
            if there and not any(follows[0] in other for other in there):
                return True
            continue
        named = "".join(char for char in follows if char not in OPERATORS and char not in LIGHT and char.isalnum())[:2]
        if there and len(named) == 2 and not any(set(named) <= set(other) for other in there):
            return True
    return False


def direction(side: Side) -> bool:
    """True where a role stands where another one stands in the evidence."""
    if _other_led(side):
        return True
    said, source = _mentions(side.said.text), _mentions(side.source.text)
    known = {role for role, _, _ in source}
    for role, lead, follows in said:
        if role not in known:
            return True
        scores = [(_score(lead, follows, other[1], other[2]), other[0]) for other in source]
        mine = max(score for score, name in scores if name == role)
        other = max((score for score, name in scores if name != role), default=0.0)
        if other > mine + 1.4:
            return True
    return _other_actor(side)


def _score(lead: str, follows: str, other_lead: str, other_follows: str) -> float:
    shared = sum(char in other_follows for char in dict.fromkeys(follows))
    time = {lead[1:], other_lead[1:]} == {BEFORE, AFTER}
    return shared + (1.0 if lead == other_lead and lead else 0.0) - 2.0 * time


def _other_actor(side: Side) -> bool:
    source = modal_clauses(side.source)
    for kind, who, what in modal_clauses(side.said):
        own = [k for k, name, other in source if name == who and overlap(what, other) >= 0.5]
        if who and own and kind not in own:
            return True
        scored = [(overlap(what, other), name) for _, name, other in source]
        best = max((score for score, _ in scored), default=0.0)
        names = {name for score, name in scored if score >= max(0.34, best - 0.05)}
        if who and names and "" not in names and who not in names:
            return True
    return False


def fused(side: Side) -> bool:
    """True where a part of a line takes its words from several sentences of the evidence, or its actor from another."""
    groups: dict[int, str] = {}
    actors: dict[int, set[str]] = {}
    for segment in side.source.segments:
        groups[segment.sentence] = groups.get(segment.sentence, "") + segment.content
        if who := _actor(segment.text):
            actors.setdefault(segment.sentence, set()).add(who)
    if len(groups) < 2:
        return False
    who = ""
    for segment in side.said.segments:
        who = _actor(segment.text) or who
        for part in re.split(f"[{AND}]", segment.text):
            content = [
                char
                for char in part
                if char not in OPERATORS and char not in LIGHT and char.isalpha() and not is_role(char)
            ]
            best = [
                number for number, there in groups.items()
                if sum(char in there for char in content) >= 0.8 * len(content)
            ]  # fmt: skip
            if len(content) > 3 and not best:
                return True
            if len(content) > 3 and who and all(actors.get(number) and who not in actors[number] for number in best):
                return True
    return False
