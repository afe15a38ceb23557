"""Key terms by code, before any model: parties, dates, periods, money, law, definitions, sanctions, commencement.

Each rests on one sentence, whose words it repeats; nothing is computed. A period that runs from an event stays a
formula ("within thirty days of the notice"): its end is nobody's to guess.
"""

import re
from collections.abc import Iterator

from conspectus.document import KeyTerm, Language, Sentence, Source, TermKind
from conspectus.salient import Token, salient
from conspectus.text import fold

_NAME = r"[A-Z][\w'’.&-]*(?:,? (?:[A-Z0-9][\w'’.&-]*|&|of|and|the|for|Inc\.|Ltd\.))*"
_NAMES = re.compile(_NAME)
_NO_ROLE = frozenset("Agreement Party Parties Lease Contract Shares Effective Date Closing Plan Term".split())
_NO_NAME = frozenset("company fund trust bank corporation partners party".split())
_ROLE = re.compile(r"\((?:[^()“\"]{0,60})[“\"](?:the |The )?(?P<role>[A-Z][^”\"]{1,40})[”\"][^)]{0,80}\)")
_CORPORATE = re.compile(
    r"\b(?:LIMITED|LTD|PLC|INC|LLC|LLP|LP|CORP|CORPORATION|COMPANY|FUND|TRUST|BANK|GMBH|AG|SA|NV|BV|PARTNERS)\b\.?",
    re.I,
)
_CORPORATE_AFTER = re.compile(r",? an? [\w ]*(?:compan|corporat|partnership)")
_DEFINITION_EN = re.compile(
    r"[“\"](?P<term>[^”\"]{2,60})[”\"],?\s+(?:means|shall mean|has the meaning|includes|refers to)\b"
)
_DEFINITION_ZH = re.compile(r"(?:所称)?(?P<term>[^，。；：（）\s]{2,16})，是?指(?P<what>[^。；]{2,200})")
_LAW_EN = re.compile(
    r"\b(?:governed by|construed (?:and \w+ )?(?:in accordance with|under)|governed[^.]{0,80}by)\b[^.;]{0,80}?"
    r"(?P<law>\b(?:the )?(?:internal |substantive )?laws? of [^.,;()]{3,60}|\b[A-Z]\w+ law\b)",
    re.I,
)
_LAW_ZH = re.compile(r"适用(?P<law>[^，。；]{0,20}法律)")
_COMMENCEMENT = re.compile(
    r"\b(?:comes?|shall come|enters?) into force\b|\btakes? effect\b|\bshall (?:commence|become effective)\b|"
    r"起施行|之日起生效"
)
_REPEAL = re.compile(r"\b(?:is|are|is hereby|are hereby) (?:repealed|revoked)\b|同时废止|予以废止")
_SANCTION = re.compile(
    r"\b(?:penalt(?:y|ies)|fine of|fined|liable to a fine|guilty of an offence|imprisonment)\b|罚款|处罚|吊销|没收|责令"
)
_TRIGGER = re.compile(
    r"\b(?:after|before|from|of|prior to|following|preceding|in advance|notice|beginning|commencing)\b|"
    r"[自从]|之日起|前|内|后|通知",
    re.I,
)
FRONT_CHARACTERS = 6000  # parties are named at the head of a contract


def _parties_en(sentence: Sentence) -> Iterator[KeyTerm]:
    """Names with a role in brackets behind them: Acme Limited, a company of England (the "Tenant")."""
    text = fold(sentence.text)
    for match in _ROLE.finditer(text):
        if match["role"] in _NO_ROLE:
            continue
        before = re.split(r"[);“”\"]", text[max(0, match.start() - 320) : match.start()])[-1]
        for name in _NAMES.finditer(before):
            said = re.sub(r"^(?:(?:and|between|by|among|this|the|of) )+", "", name[0], flags=re.I).strip(" ,")
            if said.lower() in _NO_NAME:
                continue
            if _CORPORATE.search(said) or re.match(
                r",? (?:a|an) [\w ]*(?:compan|corporat|partnership)", before[name.end() :]
            ):
                yield KeyTerm(TermKind.PARTY, match["role"], said, sentence.index)
                break


_PARTY_ZH = re.compile(
    r"(?P<role>甲方|乙方|丙方|出租人|承租人|出租方|承租方|买方|卖方|委托人|受托人)\s*(?:（[^）]{1,12}）)?\s*[:：]\s*"
    r"(?P<name>[^\s，。；（]{2,40})"
)


def _parties(source: Source, sentence: Sentence) -> Iterator[KeyTerm]:
    if sentence.own.start > FRONT_CHARACTERS:
        return
    if source.language is Language.ZH:
        # As it stands in the file: folding would join the lines that end a name.
        for match in _PARTY_ZH.finditer(source.document.text, sentence.own.start, sentence.own.end):
            yield KeyTerm(TermKind.PARTY, match["role"], match["name"], sentence.index)
    else:
        yield from _parties_en(sentence)


def _definitions(source: Source, sentence: Sentence) -> Iterator[KeyTerm]:
    text = sentence.text
    if source.language is Language.ZH:
        for match in _DEFINITION_ZH.finditer(text):
            term = re.sub(r"^[（(].{1,3}[）)]", "", match["term"])
            yield KeyTerm(TermKind.DEFINITION, term, match["what"], sentence.index)
        return
    for match in _DEFINITION_EN.finditer(text):
        yield KeyTerm(TermKind.DEFINITION, match["term"], text[match.end() :].strip(" .;"), sentence.index)


def _law(sentence: Sentence) -> Iterator[KeyTerm]:
    match = _LAW_EN.search(sentence.text) or _LAW_ZH.search(sentence.text)
    if match:
        yield KeyTerm(TermKind.LAW, "", fold(match["law"]).strip(), sentence.index)


def _about(text: str, token: Token) -> str:
    """The words around a value, as a name for it: at most sixty characters before and after, cut at words."""
    at = text.find(token.shown.strip())
    if at < 0:
        return ""
    before, after = text[max(0, at - 60) : at], text[at : at + 70]
    left = before if at <= 60 else before[before.find(" ") + 1 :]
    right = after if at + 70 >= len(text) else after[: max(after.rfind(" "), len(token.shown))]
    return f"{'…' if at > 60 else ''}{left}{right}{'…' if at + 70 < len(text) else ''}"


_KIND_OF_TOKEN = {
    "date": TermKind.DATE,
    "money": TermKind.MONEY,
    "percent": TermKind.PERCENTAGE,
    "duration": TermKind.PERIOD,
}


def _values(sentence: Sentence) -> Iterator[KeyTerm]:
    """Dates, amounts, percentages, and periods that have a trigger or a limit."""
    seen: set[tuple[str, str]] = set()
    for token in salient(sentence.text):
        kind = _KIND_OF_TOKEN.get(token.kind)
        if kind is None or token.same in seen:
            continue
        seen.add(token.same)
        if kind is TermKind.PERIOD and not _TRIGGER.search(sentence.text):
            continue
        yield KeyTerm(kind, _about(sentence.text, token), token.shown.strip(), sentence.index)


def _events(sentence: Sentence) -> Iterator[KeyTerm]:
    for kind, pattern in (
        (TermKind.COMMENCEMENT, _COMMENCEMENT),
        (TermKind.REPEAL, _REPEAL),
        (TermKind.SANCTION, _SANCTION),
    ):
        if pattern.search(sentence.text):
            yield KeyTerm(kind, "", sentence.text, sentence.index)


_NAMED = (TermKind.PARTY, TermKind.DEFINITION)  # one row a name; of the others one a value


def collect(source: Source) -> tuple[KeyTerm, ...]:
    """All key terms of a document, by kind, within a kind in document order; a party or definition once."""
    found: list[KeyTerm] = []
    once: set[tuple[TermKind, str, str]] = set()
    for sentence in source.sentences:
        for term in (
            *_parties(source, sentence),
            *_law(sentence),
            *_definitions(source, sentence),
            *_events(sentence),
            *_values(sentence),
        ):
            key = (term.kind, term.name if term.kind in _NAMED else "", "" if term.kind in _NAMED else term.value)
            if key not in once:
                once.add(key)
                found.append(term)
    order = list(TermKind)
    return tuple(sorted(found, key=lambda term: (order.index(term.kind), term.sentence)))
