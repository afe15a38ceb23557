"""The modals, negations, conditions and times of a Chinese statement against those of its evidence."""

import re

from conspectus.check.reasons import Reason
from conspectus.check.zh.lexicon import (
    AFTER,
    AND,
    BAN,
    BEFORE,
    BUT,
    FREE,
    LIGHT,
    MAX,
    MAY,
    MIN,
    MUST,
    NOT,
    NUMBER_BASE,
    OPERATORS,
    OR,
    PALE,
    UNLESS,
)  # fmt: skip
from conspectus.check.zh.parties import modal_clauses, overlap, within
from conspectus.check.zh.reading import Reading, Segment, excepted, is_number
from conspectus.check.zh.sides import Side


def _scopes(text: str) -> list[str]:
    """The characters behind each negation up to the next pause or operator."""
    found = []
    for match in re.finditer(f"[{NOT}{BAN}{FREE}]([^,，。;；:：()|{UNLESS}{BUT}{NOT}{BAN}{FREE}]*)", text):
        found.append("".join(char for char in match[1] if char not in LIGHT and char not in OPERATORS)[:6])
    return found


def _overdue(text: str) -> str:
    """逾期不提出的 is often said as 逾期 alone; where only one text has the rest, it is no negation lost."""
    return re.sub(f"逾期{NOT}[^,，。;；的视]{{1,4}}", "逾期", text)


def negation(side: Side) -> bool:
    """True where a negation was lost or added."""
    short = f"逾期{NOT}" in side.source.text and "逾期" in side.said.text and f"逾期{NOT}" not in side.said.text
    short = short and not re.search("逾期(?:提|答|缴|付|交|回|办|补|改)", side.said.text)
    said, source = _scopes(side.said.text), _scopes(_overdue(side.source.text) if short else side.source.text)
    spread = "".join(source)
    for scope in said:
        if not source or (scope and not any(char in spread for char in scope[:3])):
            return True
    if _more_denials(side):
        return True
    said_spread = "".join(said)
    gone = side.dropped_groups()
    kept_text = ",".join(segment.text for segment in side.source.segments if segment.group not in gone)
    for scope in _scopes(_overdue(kept_text) if short else kept_text):
        kept = [char for char in scope[:4] if side.has(char)]
        if len(kept) * 2 > len(scope[:4]) and not any(char in said_spread for char in scope[:4]):
            return True
    return False


_DENYING = re.compile(f"[{UNLESS}仅只才拒免]|逾期|否则|放弃|丧失")


def _more_denials(side: Side) -> bool:
    """True where the statement denies more often than its evidence, exceptions and denying words counted with it."""
    said, source = (len(re.findall(f"[{NOT}{BAN}{FREE}]", text)) for text in (side.said.text, side.source.text))
    spare = len(_DENYING.findall(side.source.text)) - len(_DENYING.findall(side.said.text))
    return said > source + max(0, spare)


def modality(side: Side) -> Reason | None:
    """A proposition restated with another modal, or one whose modal is gone."""
    said, source = modal_clauses(side.said), modal_clauses(side.source)
    for kind, _, what in said:
        fits = sorted(
            ((max(overlap(what, other[2]), 0.5 * (within(other[2], what) > 0.85)), other[0]) for other in source),
            reverse=True,
        )
        near = [k for score, k in fits if score >= max(0.3, fits[0][0] - 0.05)]
        if near and kind not in near:
            return Reason.NEGATION if BAN in (kind, near[0]) else Reason.MODALITY
        if (
            not near
            and kind not in {k for _, k in fits}
            and not (kind == MUST and (_owed(side.source.text) or "C" in side.source.text))
        ):
            return Reason.MODALITY
    for kind, _, what in modal_clauses(side.source, frozenset(side.dropped_groups())):
        there = frozenset(what[:4])
        holders = [k for k, _, w in said if overlap(what, w) >= 0.4 or within(what, w) > 0.85]
        if there and holders and kind not in holders and kind in (MUST, MAY, BAN):
            return Reason.MODALITY
        lost = not holders and kind in (MAY, BAN, FREE) and there and side.share(what[:6]) > 0.6
        if lost and not (kind == FREE and NOT in side.said.text):
            return Reason.MODALITY
    return None


def _owed(text: str) -> bool:
    return bool(re.search("付|责|承担|赔|处|罚款|义务|保证|按|为", text))


def conditions(side: Side) -> Reason | None:
    """A condition, exception or whole clause of a kept sentence that is gone."""
    gone = side.dropped_groups()
    for segment in () if "|" in side.source.text else side.source.segments:
        content = "".join(char for char in segment.content if char not in PALE or is_number(char))
        if segment.group in gone or len(content) < 2:
            continue
        share = side.share(segment.content)
        if _numbers_kept(side, segment) or own_proposition(side, segment):
            continue
        if excepted(segment):
            if share < 0.6 or (UNLESS in segment.text and UNLESS not in side.said.text):
                return Reason.CONDITION
        elif (share < 0.4 and side.share(content) < 0.4) or _own_words_gone(side, segment):
            return Reason.CONDITION
    if UNLESS in side.said.text and UNLESS not in side.source.text:
        return Reason.CONDITION
    if _CAUSE.search(side.source.text) and not re.search("因|原|过错|责任|造成", side.said.text):
        return Reason.CONDITION
    return Reason.CONDITION if _times_turned(side) or _exception_items(side) else None


_CAUSE = re.compile("因[^,，。;；]{1,6}?(?:原因|自身原|过错|责任)")


def _own_words_gone(side: Side, segment: Segment) -> bool:
    """Whether what a condition alone says is gone, though words that it shares with the rest are there."""
    rest = frozenset("".join(other.content for other in side.source.segments if other is not segment))
    own = [char for char in segment.content if char not in rest and char not in PALE]
    return segment.text.endswith("的") and len(own) > 2 and NOT not in segment.text and side.share("".join(own)) < 0.34


def _numbers_kept(side: Side, segment: Segment) -> bool:
    """Whether a segment is a number with a label, and the number is there: 期限为五年."""
    numbers = [char for char in segment.content if is_number(char)]
    return bool(numbers) and len(segment.content) < 5 and all(map(side.has, numbers)) and not excepted(segment)


def own_proposition(side: Side, segment: Segment) -> bool:
    """Whether a segment is a proposition of its own that the statement leaves out."""
    own = any(char in segment.text for char in (MUST, BAN, MAY, FREE)) or segment.text.startswith(AND)
    return own and not excepted(segment) and side.share(segment.content) < 0.34 and not segment.text.endswith("的")


def _exception_items(side: Side) -> bool:
    """True where one of the things excepted is gone."""
    gone = side.dropped_groups()
    for segment in side.source.segments:
        if UNLESS in segment.text and segment.group not in gone:
            for item in re.split(f"[、{AND}{OR}]", segment.text):
                content = "".join(char for char in item if char not in LIGHT and char not in OPERATORS)
                if len(content) > 1 and side.share(content) < 0.6:
                    return True
    return False


def _times(text: str) -> list[tuple[str, str]]:
    found = []
    for match in re.finditer(f"([^,，。;；:：()|{BEFORE}{AFTER}]*)([{BEFORE}{AFTER}])", text):
        anchor = "".join(char for char in match[1] if char not in LIGHT and char not in OPERATORS)[-4:]
        found.append((match[2], anchor))
    return found


def _times_turned(side: Side) -> bool:
    said, source = _times(side.said.text), _times(side.source.text)
    kinds = {kind for kind, _ in source}
    for kind, anchor in said:
        if kind not in kinds and (
            kinds or (kind == BEFORE and not re.search(f"[{MAX}{MIN}先提至到]", side.source.text))
        ):
            return True
        mine = frozenset(_by_value(anchor, side.said))
        same = max((len(mine & frozenset(_by_value(a, side.source))) for k, a in source if k == kind), default=0)
        other = max((len(mine & frozenset(_by_value(a, side.source))) for k, a in source if k != kind), default=0)
        if other > same:
            return True
    return _ends_turned(side)


def _ends_turned(side: Side) -> bool:
    """True where a date from which something runs became the one until which it runs, or the other way."""

    def ends(reading: Reading) -> dict[str, str]:
        found = {}
        for i, char in enumerate(reading.text):
            if is_number(char):
                before, after = reading.text[max(0, i - 1) : i], reading.text[i + 1 : i + 2]
                end = (
                    "start"
                    if before in ("自", "从") or after == AFTER
                    else "end"
                    if before in ("至", "到") or after == "止"
                    else ""
                )
                if end:
                    found[reading.tokens[ord(char) - NUMBER_BASE].value] = end
        return found

    said, source = ends(side.said), ends(side.source)
    return any(value in source and source[value] != end for value, end in said.items())


def _by_value(text: str, reading: Reading) -> list[str]:
    return [reading.tokens[ord(char) - NUMBER_BASE].value if is_number(char) else char for char in text]
