"""Cross references: to a clause of this document, to one that it does not have (broken), to another document.

A reference is called broken only where that is sure: its kind is numbered in this document, and neither the outline
nor any line that begins with the number has it. "This clause", 前款 and paragraphs of the same clause lead to where
they stand and are no rows. eyecite was tried: it knows courts' reporters and the U.S.C.; it finds neither acts, nor
EU law, nor a document's own clauses.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from conspectus.check.salient import words_to_number
from conspectus.document import Clause, Language, Source
from conspectus.evidence.zh_numbers import NUMERAL, chinese_number
from conspectus.repair.page_numbers import roman
from conspectus.terms.types import Reference, ReferenceState
from conspectus.terms.words import own_words

ATTACHED = frozenset("schedule annex exhibit appendix attachment".split())
CONTAINERS = frozenset("part chapter title".split())
_ONE = (
    r"(?:[A-Z]-[0-9A-Z]+\b|[A-Z]{0,2}[0-9]+[A-Z]?(?:[.-][0-9]+)*(?:[A-Z](?![a-z]))?|[IVXLC]+\b|[A-Z](?:-[0-9A-Z]+)?\b)"
)
_SUB = r"(?:\s?\((?:[a-z]{1,4}|[0-9]{1,3}|[A-Z]{1,3})\))*"
_WORD = (
    r"(?P<word>clauses?|sections?|articles?|regulations?|rules?|schedules?|annex(?:es)?|exhibits?|appendix|appendices|"
    r"attachments?|parts?|chapters?|sec\.|art\.|§§?)"
)
_REFERENCE = re.compile(
    rf"(?<![\w-])(?i:{_WORD})\s{{0,2}}(?P<list>{_ONE}{_SUB}(?:(?:,\s(?i:and\s|or\s|and/or\s)?|\s(?i:and|or|to|"
    rf"through|and/or)\s|\s?[-–]\s?)(?:{_ONE}{_SUB})(?![\w%]))*)"
)
_ITEM = re.compile(rf"(?<![A-Za-z])(?P<n>{_ONE})(?P<sub>{_SUB})")
_OWN = r"(?:this|these|the present)\b|Schedule|Annex|Part\b|Article|Section|Clause|Chapter|Exhibit"
_OF_OTHER = re.compile(
    rf"^[\s,]*(?:respectively,?\s+)?(?:(?i:of|in|under|to|from)\s+(?!{_OWN})(?:(?i:the|that|those|such|an?|any|"
    rf"its|each|either|said|both)\s+)?"
    r"(?P<name>(?:[A-Z][\w.’'&()/-]*|title\s[0-9]|U\.S\.|[0-9]{4}\s+Act|relevant|applicable|federal|act|law|code)"
    r"(?:\s+(?:of|and|for|the|on|[A-Z(][\w.’'&()/-]*|[0-9]+))*)|(?:TFEU|TEU|EC|EEC|U\.S\.C|CFR|C\.F\.R|GDPR|ECHR)\b)"
)
_BEFORE_OTHER = re.compile(
    r"(?:\bU\.\s?S\.\s?C\.|\bUSC|\bC\.\s?F\.\s?R\.|\bCFR|\bD?FARS?|\bStat\.|\bCode|\bRev\.|"
    r"\bAct(?: of [0-9]{4})?,?(?: at)?|\bRegulation|"
    r"\bDirective|\bTreasury|\bSEC|FINRA|\bIRS|\b[A-Z]+-[0-9]+,)\s{0,2}(?:Part\s)?$"
)
_OWN_NAMES = re.compile(
    r"^(?:Agreement|Lease|Contract|Deed|Terms|Policy|Charter Party|Regulations?|Rules)\b(?!\s+(?:of|\())"
)
FAR = 3  # a number more than this many times the last one of the document is another document's
_OTHER_TITLE = re.compile(r"^(?:[\s,]*(?:as|which|and)\b|\s*\()?[^.;]{0,30}\bU\.\s?S\.\s?C")
_SINGULAR = {
    "annexes": "annex",
    "appendices": "appendix",
    "sec.": "section",
    "art.": "article",
    "§": "section",
    "§§": "section",
}


def _value(text: str) -> str:
    """One form for the numbers of clauses: IV = 4, One = 1, 5.2 = 5.2, A = a."""
    low = text.strip(" .()§").lower()
    if low and re.fullmatch("[ivxlc]+", low):
        return str(roman(low))
    if low.isalpha() and words_to_number(low):
        return str(words_to_number(low))
    return low


class _Index:
    """Where the numbers of a document are."""

    def __init__(self, source: Source) -> None:
        self.text = source.document.text
        self.clauses = source.clauses
        self.by_word: dict[tuple[str, str], Clause] = {}
        self.by_value: dict[str, Clause] = {}
        self.words: dict[str, int] = {}
        self.last = 0
        for clause in source.clauses:
            self._add(clause)

    def _add(self, clause: Clause) -> None:
        number = clause.number.strip()
        if not number or clause.kind.value == "recital":
            return
        match = re.match(r"(?P<word>[A-Za-z]+|§)\s+(?P<n>.+)", number)
        word = _SINGULAR.get(match["word"].lower(), match["word"].lower()) if match else ""
        value = _value(match["n"] if match else number)
        # "A" alone is a letter of an attachment as well as the hundred of no document: both readings are kept.
        for form in {value, (match["n"] if match else number).strip(" .").lower()}:
            self.by_word.setdefault((word, form), clause)
            if word not in ATTACHED | CONTAINERS:
                self.by_value.setdefault(form, clause)
                parent = form.split(".")[0]
                if "." in form:
                    self.by_value.setdefault(parent, clause)
        self.words[word] = self.words.get(word, 0) + 1
        if word not in ATTACHED and (digits := re.match("[0-9]+", value)):
            self.last = max(self.last, int(digits[0]))

    def made_of(self, word: str) -> bool:
        """True for Regulations whose clauses are numbered without a word: regulation 5 is clause 5 of them."""
        return bool(re.search(rf"\bthese {word}s\b", self.text, re.I)) and any(c.number.isdigit() for c in self.clauses)

    def _line(self, word: str, number: str) -> Clause | None:
        """The clause of a line that begins with the number, where the outline has none."""
        plain = re.escape(number)
        lead = rf"(?:{word}|§|sec\.)\s*" if "." not in number else rf"(?:(?:{word}|§|sec\.)\s*)?"
        pattern = rf"^[ \t#*“\"]*{lead}{plain}(?![\w.]*[0-9])"
        match = re.search(pattern, self.text, re.I | re.M)
        if match is None and number.isdigit() and word not in ATTACHED | CONTAINERS:
            match = re.search(rf"^[ \t#*]*{plain}[.)]\s+[“\"*]*[A-Z]", self.text, re.M)
        return self._at(match.start()) if match else None

    def _at(self, offset: int) -> Clause | None:
        return next((c for c in self.clauses if c.start <= offset < c.end), None)

    def find(self, word: str, number: str) -> tuple[ReferenceState, Clause | None]:
        """Where `word number` leads."""
        for form in (_value(number), number.lower()):
            clause = self.by_word.get((word, form))
            if clause is None and word not in ATTACHED | CONTAINERS:
                clause = self.by_value.get(form)
            if clause:
                return ReferenceState.RESOLVED, clause
        if clause := self._line(word, number):
            return ReferenceState.RESOLVED, clause
        if word in ATTACHED:
            return ReferenceState.BROKEN, None
        if word in CONTAINERS:
            sure = self.words.get(word, 0) >= 2
            return (ReferenceState.BROKEN if sure else ReferenceState.EXTERNAL), None
        head = re.match("[0-9]+", _value(number))
        far = head is None or int(head[0]) > FAR * self.last
        return (ReferenceState.EXTERNAL if far or self.last < 3 else ReferenceState.BROKEN), None


def _other(text: str, match: re.Match[str], named: str) -> bool:
    """True where the words around a reference say that it is to another document."""
    after = text[match.end() : match.end() + 90]
    if _BEFORE_OTHER.search(text[max(0, match.start() - 30) : match.start()]):
        return True
    if re.match(r"\s*\((?:[0-9]+ )?U\.\s?S\.\s?C", after) or re.match(r"\s*\(E[CU]\)|/[0-9]", after):
        return True
    found = _OF_OTHER.match(after)
    if not found:
        return False
    name = found["name"] or ""
    return not (_OWN_NAMES.match(name) or (named and name == named))


def _english(source: Source, index: _Index) -> Iterator[tuple[int, Reference]]:
    named = ""
    for sentence in source.sentences:
        text = own_words(source, sentence)
        for match in _REFERENCE.finditer(text):
            word = match["word"].lower()
            word = _SINGULAR.get(word, word.rstrip("s") if word != "annexes" else "annex")
            if (
                match["word"][0].islower()
                and word in ("rule", "part", "title", "exhibit")
                and not match["list"][0].isdigit()
            ):
                continue
            if _heading(text, match):
                continue
            other_rule = word in ("rule", "regulation") and not index.words.get(word) and not index.made_of(word)
            external = other_rule or _other(text, match, named)
            for item in _ITEM.finditer(match["list"]):
                state, clause = (ReferenceState.EXTERNAL, None) if external else index.find(word, item["n"])
                target = f"{word} {item['n']}{item['sub'].replace(' ', '')}"
                yield sentence.clause, Reference(match[0], target, state, clause.id if clause else "", sentence.index)


def _heading(text: str, match: re.Match[str]) -> bool:
    """True for a heading or a line of contents that stands in the text: "EXHIBIT A" first, "1.5 Exhibits 11" alone."""
    alone = match.end() == len(text) and not re.search("[a-z]", text[: match.start()])
    first = match.start() == 0 and match[0][0].isupper()
    return alone or (first and bool(re.match(r"[\s.:–—-]*(?:[A-Z0-9“\"]|$)", text[match.end() :])))


_REFERENCE_ZH = re.compile(
    rf"(?P<law>《[^》]{{2,40}}》|本(?:法|条例|办法|规定|合同|协议|章程|细则|规则|章|节|编)|"
    rf"[一-鿿]{{0,16}}?(?:法|条例|办法|规定|合同|协议|章程))?(?:的)?"
    rf"第(?P<n>{NUMERAL.pattern}|"
    rf"[0-9]+)条(?:之(?P<ins>[一二三四五六七八九十]))?(?P<sub>(?:第(?:{NUMERAL.pattern}|[0-9]+)[款项目])*)"
    rf"(?P<more>(?:(?:、|和|或者|及|以及|至)第(?:{NUMERAL.pattern}|[0-9]+)条(?:第(?:{NUMERAL.pattern}|"
    rf"[0-9]+)[款项])*)*)"
)
_NEXT_ZH = re.compile(rf"第(?P<n>{NUMERAL.pattern}|[0-9]+)条(?P<sub>(?:第(?:{NUMERAL.pattern}|[0-9]+)[款项])*)")
_ATTACHED_ZH = re.compile(rf"(?:本合同|本协议)?附(?P<word>件|录|表)(?P<n>{NUMERAL.pattern}|[0-9]+)")


def _chinese_index(source: Source) -> dict[str, Clause]:
    found: dict[str, Clause] = {}
    for clause in source.clauses:
        if match := re.fullmatch(rf"第({NUMERAL.pattern}|[0-9]+)条(之[一二三四五六七八九十])?", clause.number.strip()):
            number = match[1]
            key = str(int(number) if number.isascii() else chinese_number(number)) + (match[2] or "")
            found.setdefault(key, clause)
    return found


def _chinese(source: Source) -> Iterator[tuple[int, Reference]]:
    index = _chinese_index(source)
    for sentence in source.sentences:
        text = own_words(source, sentence)
        for match in _REFERENCE_ZH.finditer(text):
            law = match["law"] or ""
            if match.start() == 0 and not law and re.match(r"[\s　]", text[match.end() :]):
                continue  # the number that a clause begins with
            own = not law or "本" in law[:1] or re.search(r"本(?:法|条例|办法|规定|合同|协议|章程)$", law)
            words = match[0] if own or law.startswith("《") else _from_law(match[0])
            items = [(match["n"], match["ins"] or "", match["sub"])] + [
                (m["n"], "", m["sub"]) for m in _NEXT_ZH.finditer(match["more"])
            ]
            for n, inserted, sub in items:
                key = str(int(n) if n.isascii() else chinese_number(n)) + (f"之{inserted}" if inserted else "")
                clause = index.get(key) if own else None
                state = ReferenceState.RESOLVED if clause else ReferenceState.EXTERNAL
                if own and clause is None and len(index) >= 3:
                    state = ReferenceState.BROKEN
                target = f"第{n}条{f'之{inserted}' if inserted else ''}{sub}"
                yield sentence.clause, Reference(words, target, state, clause.id if clause else "", sentence.index)
        for match in _ATTACHED_ZH.finditer(text):
            at = re.search(rf"^\s*附{match['word']}\s*{match['n']}", source.document.text, re.M)
            clause = next((c for c in source.clauses if at and c.start <= at.start() < c.end), None)
            state = ReferenceState.RESOLVED if clause else ReferenceState.BROKEN
            if at is None or at.start() < sentence.own.start - 1 or at.start() > sentence.own.end:
                yield sentence.clause, Reference(match[0], match[0], state, clause.id if clause else "", sentence.index)


def _from_law(words: str) -> str:
    """The reference without the verb before the law's name: 依照刑法第五条 -> 刑法第五条."""
    return re.sub(r"^.*?(?:依照|按照|依据|根据|违反|适用|符合|属于|以及|和|或者)", "", words)


def find_references(source: Source) -> tuple[Reference, ...]:
    """The cross references of a document, one row for each target within a clause, in order."""
    found = _chinese(source) if source.language is Language.ZH else _english(source, _Index(source))
    once: set[tuple[int, str, ReferenceState]] = set()
    rows: list[Reference] = []
    others: set[tuple[int, str]] = set()
    for clause, row in found:
        if row.state is ReferenceState.EXTERNAL:
            others.add((clause, row.target))
        elif row.state is ReferenceState.BROKEN and (clause, row.target) in others:
            # Named with its document before, then without.
            row = replace(row, state=ReferenceState.EXTERNAL)
        key = (clause, row.target, row.state)
        if key not in once:
            once.add(key)
            rows.append(row)
    return tuple(rows)
