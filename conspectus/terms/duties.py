"""The duties table: who must, must not, may or need not do what, when, on what condition, with what exception.

All cells are the document's own words. A sentence without one of the operators gives no row; a row about a thing
("A notice must be in writing") has "-" for who; a passive names its agent where the sentence does. A limb whose
operator stands in the words that lead into its list is read together with them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conspectus.document import Language, Sentence, Source
from conspectus.terms.actors import LONGEST_WHO, Actors
from conspectus.terms.duties_zh import chinese_duties
from conspectus.terms.types import Duty, Modality
from conspectus.terms.words import clip, own_words, tidy

LONGEST_SUBJECT = 160  # characters; of a thing named at greater length only what is said of it is shown

_NOT = (
    r"(?:(?:shall|must|will|may)(?:,[^,]{1,50},)?\s+(?:not|never|in no event)|cannot|(?:is|are) prohibited from|"
    r"(?:is|are) not (?:permitted|allowed|entitled) to|(?:agrees?|covenants?|undertakes?) not to)"
)
_NEED = (
    r"(?:need not|(?:is|are) not (?:required|obliged|obligated|bound) to|(?:shall|will) not be (?:required|"
    r"obliged|obligated|bound) to|(?:shall have|will have|has|have|(?:is|are) under) no (?:obligation|duty) to)"
)
_MAY = (
    r"(?:(?:shall|will) (?:be entitled|have the (?:\w+ ){0,2}right|be permitted|have the option) to|(?:is|"
    r"are) (?:hereby )?(?:entitled|permitted|authori[sz]ed|allowed|free) to|"
    r"(?:has|have) the (?:\w+ ){0,2}(?:right|option|power) to|reserves? the right to|may(?!\s[0-9]))"
)
_MUST = (
    r"(?:shall|must|will|(?:hereby )?(?:agrees?|covenants?|"
    r"undertakes?)(?: with the \w+)? to(?=\s[a-z]+\s(?!that:))|(?:is|"
    r"are) (?:hereby )?(?:required|obliged|obligated|bound) to|(?:is|are) (?:solely )?responsible for)"
)
_MODAL = re.compile(rf"\b(?:(?P<need>{_NEED})|(?P<mustnot>{_NOT})|(?P<may>{_MAY})|(?P<must>{_MUST}))(?=[\s,:—-])", re.I)
_NO_SUBJECT = re.compile(r"^(?:no(?! (?:later|earlier|sooner|more|less|fewer|longer)\b)|neither|nothing|none)\b", re.I)
_PART = re.compile(
    r"[;:]\s*(?:and\s+|or\s+|but\s+|provided,? (?:that|however,? that)\s+)?|\.\s+(?=[A-Z(])|[”\"]\s+(?=[A-Z])"
)
_LEADING = re.compile(
    r"^(?:(?:and|or|but|provided(?:, however,)?(?: further,?)? that|except that|that)\s+)*(?P<sub>(?:if|where|"
    r"when|whenever|unless|subject to|upon|on|after|before|within|until|during|in|"
    r"notwithstanding|except|without|for|to|as|following|at|with|so long as|once|by|prior to|pursuant to|"
    r"under|from|no later than|not later than|beginning|commencing|provided|save)\b.*?),\s+"
    r"(?=(?:the|an?|any|each|every|all|no|neither|either|both|such|it|they|that|this|these|[A-Z(])\b)",
    re.I,
)
_CONDITION_LEAD = re.compile(
    r"^(?:if|where|when|whenever|subject to|in the event|in case|to the extent|as long as|so long as|once|provided)\b",
    re.I,
)
_TIME_LEAD = re.compile(
    r"^(?:during|before|after|upon|on|until|at|from|within|following|prior to|not? later|beginning|commencing|"
    r"as soon as)\b",
    re.I,
)
_EXCEPTION_LEAD = re.compile(r"^(?:unless|except|save)\b", re.I)
_EXCEPTION = re.compile(
    r",?\s*\b(?:unless|except(?:ing)?(?: that| where| when| as| for| if| to)?|save (?:that|where|as|for)|"
    r"other than|(?<!including )but (?:not (?!limited)|need not|does not|only)|otherwise than)\b",
    re.I,
)
_CONDITION = re.compile(
    r",?\s*\b(?:if|where|provided(?:, however,)? (?:that|always)|provided(?=,)|subject to|on condition that|"
    r"in the event (?:that|of)|in case|to the extent|so long as|as long as|only (?:if|when|where|with|after)|"
    r"whenever|when)\b",
    re.I,
)
_UNIT = r"(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?)"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_BETWEEN = r"(?:(?!within|before|after|for|by|until|during)[\w()’'-]+\s+){0,7}?"
_DEADLINE = re.compile(
    rf"\b(?:(?:within|not (?:later|earlier|less) than|no (?:later|earlier) than|at least|"
    rf"for(?: a(?: further)? (?:period|term) of)?|after|every|during|in|up to|until|"
    rf"upon)\s+{_BETWEEN}(?:business |working )?{_UNIT}\b(?:['’]s?)?"
    r"(?:\s+(?:prior |written |advance )*notice)?(?:\s+(?:after|before|of|from|prior to|following|"
    r"in advance of|beginning)\s+[^,;.()]{3,80})?|"
    rf"(?:on or before|by|before|until|from|after|on|no later than|"
    rf"not later than)\s+(?:the\s+)?(?:[0-9]{{1,2}}(?:st|nd|rd|th)?\s+(?:day of\s+)?)?(?:{_MONTH}|"
    rf"first business day|end of|expir\w+ of|date of|last day|first day|Effective Date|"
    rf"termination of)\b(?:(?!\s(?:and (?!including|ending)|or|but)\s)[^,;.()]){{0,60}})",
    re.I,
)
_SOON = re.compile(
    r"\b(?:promptly|immediately|without (?:undue )?delay|forthwith|as soon as (?:reasonably )?(?:practicable|"
    r"possible)|at all times|in advance|(?:annually|monthly|quarterly)(?=[,;.]|$)|on demand|on request|"
    r"upon request|"
    r"upon (?:the )?(?:expiration|termination|receipt|completion)[^,;.()]{0,60}|during the term)\b",
    re.I,
)
_DULL = re.compile(
    r"^(?:be (?:deemed|construed|interpreted|governed|binding|considered|treated|understood|read|"
    r"(?:\w+ and )?(?:\w+ )?referred|cumulative|"
    r"severable|enforceable|of no|null|void|valid|defined|used|referred)|have (?:the )?(?:same |following |"
    r"respective )?meanings?|mean\b|include\b|refer to|"
    r"constitute|survive|inure|apply\b|prevail|control\b|commence\b|continue\b|remain in|expire|take effect|"
    r"become effective|be (?:effective|in full force)|have (?:no|any|the) (?:force|effect)|affect\b|arise\b|"
    r"result\b|exist\b|occur\b|be required\b(?! to))",
    re.I,
)
_AGENT = re.compile(
    r"\bby\s+(?P<who>(?:the |an? |any |each |either |such )?(?:[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*){0,3}|party|"
    r"parties|operator|holder|applicant|employer|employee|owner|minister|authority|user|member|court))\b"
)
_PASSIVE = re.compile(r"^be\s+(?:\w+ly\s+)?\w+(?:ed|en|id|ade|wn|nt|ne|ld|rn|ut)\b")
_TRIM = re.compile(
    r"^(?:(?:and|or|but|then|however|therefore|further|furthermore|additionally|otherwise|accordingly|"
    r"thereafter|also|provided)\b,?\s*)+|^\(?(?:[a-z]{1,2}|[ivx]{1,4}|[0-9]{1,2}|[A-Z])[.)]\s+",
    re.I,
)
_MARK = re.compile(r"^[\s,:;—–-]*(?:\(?(?:[a-z]{1,2}|[ivx]{1,5}|[0-9]{1,2}|[A-Z])\)\s+)?")
_CELL_MARK = re.compile(r"^(?:[\s:—–-]|\[…\]|\(?(?:[a-z]{1,2}|[ivx]{1,5}|[0-9]{1,2})\)(?=\s))+")
_SUBORDINATE = re.compile(r"\s(?:if|where|when|as|unless|because|that|which|whom|than)\s")
_NAMED = r"[A-Z][\w’']*(?: [A-Z][\w’']*){0,2}"
_GRANT = re.compile(
    rf"\b(?P<grantor>(?:[Tt]he )?{_NAMED}) (?P<op>(?:hereby )?grants?) (?:to )?(?P<who>(?:the )?{_NAMED}),?\s+"
    r"(?P<what>(?:in common|an?|the|all)\b[^;.]{8,300})"
)
_RELATIVE = re.compile(r"^,?\s+(?:who|whose|that|which|to whom|having)\b")
# "shall not be liable" forbids nothing: it frees.
_EXEMPT = re.compile(
    r"\s+(?:be|have any|have) (?:liable|responsible|obligated|liability|responsibility|obligation)\b", re.I
)
_BOUND = re.compile(
    r"be\s+(?:\w+ly\s+)?(?:required|obliged|obligated|bound|permitted|allowed|entitled|authori[sz]ed|prohibited)\b"
)
_CONTENTS = re.compile(r"(?:\. ){4}|\.{5}|…{2}")


def _modality(match: re.Match[str], negated: bool) -> Modality:
    if match["need"]:
        return Modality.NEED_NOT
    if match["mustnot"] or (negated and (match["must"] or match["may"])):
        return Modality.MUST_NOT
    return Modality.MAY if match["may"] else Modality.MUST


@dataclass(frozen=True, slots=True)
class _Before:
    """The words of a clause before its operator: where the clause begins, what leads into it, its subject."""

    start: int
    subject: str
    leading: str


def _before(text: str, start: int, end: int) -> _Before:
    cuts = list(_PART.finditer(text, start, end))
    begin = cuts[-1].end() if cuts else start
    for pattern in (_MARK, _TRIM):
        match = pattern.match(text[begin:end])
        begin += match.end() if match else 0
    leading = ""
    if match := _LEADING.match(text[begin:end]):
        leading = match["sub"]
        begin += match.end()
    return _Before(begin, text[begin:end].strip(), leading)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The words after an operator; `end` is how many of its characters are what is owed."""

    when: str
    condition: str
    exception: str
    end: int


def _cells(tail: str) -> _Cells:
    exception = condition = ""
    end = len(tail)
    if match := _EXCEPTION.search(tail):
        exception, end = tidy(tail[match.start() :]), match.start()
    if match := _CONDITION.search(tail, 0, end):
        condition, end = tidy(tail[match.start() : end]), match.start()
    found = _DEADLINE.search(tail, 0, end) or _SOON.search(tail, 0, end) or _DEADLINE.search(tail, end)
    return _Cells(tidy(found[0]) if found else "", condition, exception, end)


def _with_lead(cells: _Cells, leading: str) -> _Cells:
    """The cells with the words that lead into the clause put where they belong."""
    if not leading or re.match("in which (?:case|event)$", leading, re.I):
        return cells
    said = tidy(leading)
    if _EXCEPTION_LEAD.match(leading):
        return _Cells(cells.when, cells.condition, cells.exception or said, cells.end)
    if _CONDITION_LEAD.match(leading):
        return _Cells(cells.when, cells.condition or said, cells.exception, cells.end)
    if not cells.when and (found := _DEADLINE.search(leading)):
        return _Cells(tidy(found[0]), cells.condition, cells.exception, cells.end)
    if _TIME_LEAD.match(leading):
        return _Cells(cells.when or said, cells.condition, cells.exception, cells.end)
    if re.match(r"(?:for|in)\b(?! accordance| addition| no event| witness)", leading, re.I):
        return _Cells(cells.when, cells.condition or said, cells.exception, cells.end)
    return cells


_CLAUSE_END = re.compile(r";(?!\s*(?:and\s+|or\s+)?\(\w{1,4}\)\s)|\.(?=\s+[A-Z(“\"]|\s*$)|\.$")
_THAT = re.compile(
    r"\s*(?:ensure|procure|acknowledge|agree|confirm|represent|warrant|provide|state|specify|"
    r"require)\b[^,;]{0,40}\bthat\b"
)
_JOINT = re.compile(r",?\s(?:and|or|but)\s|,\s")


def _extent(text: str, modals: Sequence[re.Match[str]], place: int) -> int:
    """Where the words that an operator governs end: at the clause's end, or before the next operator's subject.

    An operator inside a relative clause ("exemptions that anyone may inspect") belongs to what is governed.
    """
    match = modals[place]
    stop = _CLAUSE_END.search(text, match.end())
    end = stop.start() if stop else len(text)
    if _THAT.match(text, match.end()):
        return end
    at = match.end()
    for following in modals[place + 1 :]:
        if following.start() >= end:
            break
        joints = list(_JOINT.finditer(text, at, following.start()))
        begin = joints[-1].start() if joints else following.start()
        between = text[joints[-1].end() if joints else at : following.start()]
        if not re.search(r"\b(?:which|that|who|whom|whose|as|than|if|where|when|unless)\b", between):
            return begin
        at = following.end()
    return end


def _rows(text: str, sentence: int, actors: Actors) -> Iterator[Duty]:
    modals = [match for match in _MODAL.finditer(text) if not _is_noun(text, match)]
    at, last = 0, ""
    for place, match in enumerate(modals):
        if match.start() < at:
            continue
        before = _before(text, at, match.start())
        end = _extent(text, modals, place)
        at = max(end, match.end())
        subject = before.subject
        # "consent, which shall not be withheld": a rule on a thing that the row before names already.
        if re.match(r"(?:which|that|who|whom|than)\b", subject) or (
            subject and _SUBORDINATE.search(f" {subject} ") and not actors.who(subject)
        ):
            continue
        continued = not subject or subject.lower() in ("and", "or", "but")
        who = last if continued else actors.who(subject)
        if who and not before.leading and (lead := subject.removesuffix(who)) != subject and lead.strip():
            before = _Before(before.start, subject, lead.strip())
        last = who or last
        row = _row(text, match, end, before, who)
        if row and not _dull(row, text[match.end() : end], subject):
            yield Duty(row.who, row.modality, row.operator, row.what, row.when, row.condition, row.exception, sentence)


def _row(text: str, match: re.Match[str], end: int, before: _Before, who: str) -> Duty | None:
    tail = text[match.end() : end]
    cells = _with_lead(_cells(tail), before.leading)
    what = tidy(_CELL_MARK.sub("", tail[: cells.end]))
    if not what or what.lower() in ("be", "have", "do"):
        return None
    if who and before.subject.startswith(who) and _RELATIVE.match(said := before.subject[len(who) :]):
        # "An operator whose fleet has fewer than ten robots may": a condition on who he is.
        cells = replace(cells, condition=cells.condition or tidy(said))
    acted_on = False
    if who and _PASSIVE.match(what) and not _BOUND.match(what):
        who = ""  # "Supplier shall be compensated": who is done something to owes nothing
    if not who and _PASSIVE.match(what) and (agent := _AGENT.search(tail[: cells.end])):
        who, acted_on = agent["who"], True
    if (not who or acted_on) and before.subject and len(before.subject) <= LONGEST_SUBJECT:
        what = tidy(text[before.start : match.end() + cells.end])
    what = re.sub(r"[;,]?\s+(?:and|or)$", "", what)
    modality = _modality(match, bool(_NO_SUBJECT.match(who or before.subject)))
    if modality is Modality.MUST_NOT and _EXEMPT.match(text[match.end() :]):
        modality = Modality.NEED_NOT
    return Duty(
        tidy(clip(who, LONGEST_WHO)) or "-", modality, match[0], what, cells.when, cells.condition, cells.exception, 0
    )


def _is_noun(text: str, match: re.Match[str]) -> bool:
    """True for the month May, "will" as a noun and the like."""
    word = match[0]
    if word == "May" and match.start() > 0:
        return True
    if word.lower() == "will":
        return bool(re.search(r"\b(?:good|at|free|a|the|his|her|last|by)\s$", text[: match.start()][-8:], re.I))
    return False


def _dull(row: Duty, tail: str, subject: str) -> bool:
    """True for sentences that set a rule of reading and put no duty on anybody."""
    if _DULL.match(tail.strip(" ,")):
        return True
    if row.who != "-":
        return False
    # Of a thing, "will" tells what happens, and "may" what is possible.
    if row.operator.lower() == "will" or (row.operator.lower() == "may" and not _PASSIVE.match(tail.strip())):
        return True
    plain = re.match(r"(?:it|there|this agreement|this lease|the parties hereto|nothing|headings)\b", subject, re.I)
    return len(row.what) < 12 or (bool(plain) and not re.search(r"\bpaid|pay|notice", row.what))


def _grants(text: str, sentence: int) -> Iterator[Duty]:
    """What one grants, the other may: grants to Licensee a licence to …"""
    for match in _GRANT.finditer(text):
        cells = _cells(match["what"])
        what = tidy(match["what"][: cells.end])
        if what and not match["who"].lower().endswith((" any", " all")):
            yield Duty(
                match["who"], Modality.MAY, match["op"], what, cells.when, cells.condition, cells.exception, sentence
            )


def _limb(sentence: Sentence, actors: Actors) -> list[Duty]:
    """The row of a limb whose operator stands in the words that lead into the list."""
    text = sentence.text.removeprefix("[…] ").removesuffix(" […]")
    rows = [*_rows(text, sentence.index, actors), *_grants(text, sentence.index)]
    own_start = text.rfind("[…]")
    # Only what reaches into the limb is the limb's.
    return [
        row for row in rows if text.find(row.what) + len(row.what) > max(own_start, 0) or row.exception or row.condition
    ][:1]


def find_duties(source: Source, actors: Actors) -> tuple[Duty, ...]:
    """The duties of a document in order, each once."""
    rows: list[Duty] = []
    once: set[tuple[str, str, str]] = set()
    for sentence in source.sentences:
        for row in _of_sentence(source, sentence, actors):
            key = (row.who, row.modality.value, row.what)
            if key not in once:
                once.add(key)
                rows.append(row)
    return tuple(rows)


def _of_sentence(source: Source, sentence: Sentence, actors: Actors) -> list[Duty]:
    if source.language is Language.ZH:
        return list(chinese_duties(source, sentence))
    own = own_words(source, sentence)
    if sentence.is_row or _CONTENTS.search(own) or re.match(r"WHEREAS|Whereas", own):
        return []
    found = [*_rows(own, sentence.index, actors), *_grants(own, sentence.index)]
    return _limb(sentence, actors) if not found and sentence.context else found
