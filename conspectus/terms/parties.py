"""The parties of a document with their roles, and who makes a statute.

A contract names its parties in its first sentence ("between A, a company of X (the "Tenant") and B …") or in a list
under it. The words between one bracketed role and the next belong to one party; its name is what they begin with.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from conspectus.document import KeyTerm, Language, Source, TermKind
from conspectus.terms.words import clip, own_words, tidy

FRONT = 60_000  # characters, a long table of contents before the first sentence included
LONGEST_NAME = 110
LONGEST_NOTE = 240
AFTER_PREAMBLE = 10  # sentences after the one that begins to name the parties
NO_ROLE = frozenset(
    "agreement party parties lease contract shares effective date closing plan term recitals services products "
    "amendment business program project territory act trust_agreement property premises brand pipeline".split()
)
_CORPORATE_WORDS = (
    r"Inc|INC|LLC|L\.L\.C|Ltd|LTD|LIMITED|Limited|PLC|plc|Plc|LLP|L\.L\.P|LP|L\.P|Corp|CORP|Corporation|CORPORATION|"
    r"Company|COMPANY|Fund|FUND|Trust|TRUST|Bank|BANK|GmbH|AG|S\.A|SA|N\.V|NV|B\.V|BV|S\.p\.A|Co|CO|N\.A|Partnership|"
    r"PARTNERSHIP|University|UNIVERSITY|Association|ASSOCIATION|Holdings|HOLDINGS|Pty|Foundation"
)
_TOKEN = r"(?:[A-Z0-9][\w'’.&/-]*|&|of|and|the|for|de|/)"
CORPORATE = re.compile(
    rf"\b[A-Z][\w'’.&/-]*(?:,?\s+{_TOKEN})*?,?\s+(?:{_CORPORATE_WORDS})\b\.?(?:\s+(?:{_CORPORATE_WORDS})\b\.?|"
    rf"\s+20[0-9]{{2}}-[0-9A-Z]+)*"
)
_ROLE_BRACKET = re.compile(r"\((?P<in>(?:[^()“”\"]{0,80})[“\"][^()]{1,160})\)")
_HEREINAFTER = re.compile(
    r"\b(?:hereinafter|herein)(?: (?:referred to|called|known))?(?: as)?,? (?:the )?(?P<in>[“\"][^”\"]{1,40}[”\"])"
)
_QUOTED = re.compile(r"[“\"]\s?(?:the |The )?(?P<role>[A-Z][^”\"]{0,40}?)[,.]?\s?[”\"]")
_GROUP = re.compile(r"\b(?:together with|collectively with|and together|and collectively|individually)\b")
_START = re.compile(
    r"\b(?:by and between|by and among|between|among|BY AND BETWEEN|BY AND AMONG|BETWEEN|AMONG|"
    r"the undersigned)\b[:\s,]*"
)
_PREAMBLE = re.compile(
    r"^\W*(?:by and )?between\b|\b(?:agreements?|lease|contract|deed|amendment|charter|licen[cs]e|indenture|"
    r"made|dated|entered into|"
    r"effective)\b.{0,600}?\b(?:between|among|the undersigned)\b",
    re.I | re.S,
)
_LISTED = re.compile(r"^\s*\(?(?:[0-9]{1,2}|[a-z]|[ivx]+)[.)]\s+(?=[A-Z])")
_CONNECT = re.compile(
    r"^(?:[\s,;:.]|\bPARTIES\b|\band\b|\bAND\b|\bbetween\b|\bamong\b|\bby\b|\(?(?:[0-9]|i{1,3}|iv)\)|"
    r"\bsolely for purposes of [^,]*,|\bon the one hand\b|"
    r"\bon the other hand\b|\beach of\b|\bParties:?)+"
)
_NAME_END = re.compile(
    rf",(?!\s*(?:{_CORPORATE_WORDS})\b)|\s?\(|;|\s(?:located|having|whose|with (?:its|offices|a|an)|d/b/a|"
    rf"doing business|acting|on behalf|as (?:of|the|an?|\w+)\b|is|are|which|organized|incorporated|at)\b|\s-\s"
)
_DESCRIBED = re.compile(r"^,?\s*(?:an?|as|each|in its|located|with|having|whose|organi[sz]ed|acting|doing|d/b/a)\b")
_AND_NAME = re.compile(r"(?:,|;)\s*(?:and|AND)\s+(?=[A-Z])|;\s*(?=[A-Z])|\)\s*(?:and|AND)\s+(?=[A-Z])")
_LABELLED = re.compile(
    r"\b(?P<role>Licensor|Licensee|Landlord|Tenant|Lessor|Lessee|Buyer|Seller|Purchaser|Supplier|Customer|"
    r"Client|Contractor|Employer|"
    r"Employee|Borrower|Lender|Guarantor|Agent|Distributor|Reseller|Franchisor|Franchisee|Owner|Consultant)\s?:?\s+"
    r"(?P<name>(?:THE )?[A-Z][A-Z&.,'’ -]{6,80}[A-Z.])(?=\s|$)"
)
_AND_BETWEEN = re.compile(
    r"\b(?:by and between|between|among)\s+(?P<a>[A-Z][^“”\"();]{3,200}?)\s+and\s+(?P<b>(?:THE |"
    r"The )?[A-Z][^“”\"();]{3,120})",
    re.S,
)
_MAKER = re.compile(
    r"(?P<name>(?:The|His|Her) [A-Z][\w']*(?: (?:of|for|and|the|"
    r"[A-Z][\w']*))*),? (?:[^.;]{0,240}?,\s)?(?:makes?|made|hereby makes?) (?:the following|these|"
    r"this) (?:Regulations|Order|Rules|Act)\b"
)
_ENACTED = re.compile(
    r"\b(?P<name>(?:THE )?(?:EUROPEAN PARLIAMENT AND (?:OF )?THE COUNCIL|Congress|Parliament|"
    r"Assembly)[A-Z ]{0,40}),?\s+(?:HAVE|HAS) ADOPTED",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    note: str


def _cut_name(text: str) -> _Named | None:
    """The name at the head of `text` and what describes it; None where no name stands there."""
    head = _CONNECT.sub("", text)
    end = _NAME_END.search(head)
    name = tidy(head[: end.start()] if end else head)
    name = re.sub(r"^(?:the|this|that) ", "", name) if name[:4].islower() else name
    if (
        name.endswith((" Inc", " Ltd", " Co", " Corp", " L.P", " INC", " LTD", " N.A", " S.A"))
        and head[len(name) : len(name) + 1] == "."
    ):
        name += "."
    capitals = [word for word in name.split() if word[0].isupper() or word[0].isdigit()]
    small = [
        word
        for word in name.split()
        if word.islower() and word not in ("of", "and", "the", "for", "de", "plc", "d/b/a")
    ]
    if not name or len(name) > LONGEST_NAME or not name[0].isupper() or not capitals or len(small) > 1:
        return None
    return _Named(name, tidy(clip(head[len(name) :], LONGEST_NOTE)))


def _named(segment: str) -> _Named | None:
    """The party that a segment before a role is about."""
    if not _DESCRIBED.match(segment):
        found = _cut_name(segment)
        if found and not re.match(
            r"(?:The |A |An )?(?:Delaware|Ohio|[A-Z]\w+) (?:limited|corporation|company)", found.name
        ):
            return found
    if (after := list(_AND_NAME.finditer(segment))) and (found := _cut_name(segment[after[0].end() :])):
        return found
    names = [match for match in CORPORATE.finditer(segment) if not match[0].startswith(("The laws", "State"))]
    if names:
        last = names[-1]
        return _Named(
            tidy(last[0]) + ("." if last[0].endswith(".") else ""), tidy(clip(segment[last.end() :], LONGEST_NOTE))
        )
    return None


def _roles(inside: str) -> list[str]:
    """The roles that a bracket gives: those before "together with"; of `(collectively, "X")` the X."""
    group = _GROUP.search(inside)
    said = inside[: group.start()] if group and group.start() > 3 else inside
    roles = [tidy(match["role"]) for match in _QUOTED.finditer(said)]
    return [
        role
        for role in roles
        if role.lower() not in NO_ROLE and not role.endswith(("Agreement", "Date", "Act", "Lease"))
    ]


def _from_brackets(text: str, sentence: int, start: int) -> Iterator[KeyTerm]:
    brackets = sorted(
        (*_ROLE_BRACKET.finditer(text, start), *_HEREINAFTER.finditer(text, start)), key=lambda match: match.start()
    )
    at = start
    last: _Named | None = None
    for bracket in brackets:
        segment = text[at : bracket.start()]
        roles = _roles(bracket["in"])
        if re.match(r"\s*,?\s*\(?(?:both|each|collectively|together)\b", segment):
            roles = []
        if roles:
            capacity = re.fullmatch(r",?\s*(?:and\s+)?as\s[^()]{0,60}", segment)
            named = last if capacity or not segment.strip(" ,") else _named(segment)
            if named:
                last = named
                for role in roles:
                    yield KeyTerm(TermKind.PARTY, role, named.name, sentence, note=named.note)
        at = bracket.end()


def _preamble(text: str, sentence: int) -> list[KeyTerm]:
    """The parties of a sentence that says "between"."""
    first = next((m for m in _ROLE_BRACKET.finditer(text) if _roles(m["in"])), None)
    starts = [match for match in _START.finditer(text) if first is None or match.end() <= first.start()]
    # "between" may stand in a title too; the one nearest before the first role counts.
    found = list(_from_brackets(text, sentence, starts[-1].end())) if starts and first else []
    if not found and (plain := _AND_BETWEEN.search(text)):
        for part in ("a", "b"):
            named = _cut_name(plain[part])
            if named and (CORPORATE.fullmatch(named.name) or named.name.isupper()):
                found.append(KeyTerm(TermKind.PARTY, "", named.name, sentence, note=named.note))
    found += [
        KeyTerm(
            TermKind.PARTY,
            match["role"],
            tidy(re.split(r"\s(?:Licensee|Licensor|THIS|Tenant|Buyer|Seller)\b", match["name"])[0]),
            sentence,
        )
        for match in _LABELLED.finditer(text)
        if match["name"].isupper()
    ]
    return found


def _first(source: Source, index: int) -> list[KeyTerm]:
    """The parties that the sentence at `index` begins to name; a full stop in an address may have cut it in two."""
    text = own_words(source, source.sentences[index])
    if _PREAMBLE.search(text[:4000]):
        terms = _preamble(text, index)
        if len({term.value for term in terms}) < 2 and index + 1 < len(source.sentences):
            following = own_words(source, source.sentences[index + 1])
            joined = _preamble(f"{text} {following}", index)
            if len(joined) > len(terms):
                terms = [term if term.value in text else replace(term, sentence=index + 1) for term in joined]
                terms = [term for term in terms if term.value in text or term.value in following]
        return terms
    if (_LISTED.match(text) or text.upper().startswith("PARTIES")) and CORPORATE.search(text):
        return list(_from_brackets(text, index, 0))
    return []


def _more(source: Source, index: int) -> list[KeyTerm]:
    """The parties of a sentence that follows: the next ones of a list."""
    text = own_words(source, source.sentences[index])
    if text.upper().startswith("WHEREAS") or not _ROLE_BRACKET.search(text) or len(text) > 700:
        return []
    if not (_LISTED.match(text) or re.match(r"[^a-z]*(?:and|AND|,)", text) or _cut_name(text)):
        return []
    return [term for term in _from_brackets(text, index, 0) if CORPORATE.search(term.value)]


def _english(source: Source) -> Iterator[KeyTerm]:
    found_at = -1
    plain: list[KeyTerm] = []  # names without roles, of a cover: they count where nothing says more
    for sentence in source.sentences:
        terms: list[KeyTerm] = []
        if found_at < 0:
            terms = _first(source, sentence.index) if sentence.own.start < FRONT else []
        elif sentence.index <= found_at + AFTER_PREAMBLE:
            terms = _more(source, sentence.index)
        if any(term.name for term in terms):
            found_at = sentence.index
            yield from terms
        elif not plain:
            plain = terms
        yield from _maker(own_words(source, sentence), sentence.index)
    if found_at < 0:
        yield from plain


def _maker(text: str, sentence: int) -> Iterator[KeyTerm]:
    if match := _MAKER.search(text) or _ENACTED.search(text):
        note = clip(tidy(match[0][len(match["name"]) :]), LONGEST_NOTE)
        yield KeyTerm(TermKind.PARTY, "maker", match["name"], sentence, note=note)


_ROLE_ZH = (
    "甲方|乙方|丙方|丁方|出租人|承租人|出租方|承租方|买方|卖方|买受人|出卖人|委托人|受托人|委托方|受托方|发包人|承包人|"
    "借款人|贷款人|保证人|转让方|受让方|供方|需方|许可方|被许可方|采购人|供应商|用人单位|劳动者|投保人|保险人"
)
_PARTY_ZH = re.compile(
    rf"(?P<role>{_ROLE_ZH})[ 　]*(?:[（(][^）)]{{1,12}}[）)])?[ 　]*[:：][ 　]*(?P<name>[^\s，。；（(：:]{{2,40}})"
)
_CALLED_ZH = re.compile(
    rf"(?P<name>[^\s，。；：（(与和由]{{2,40}})[（(](?:以下|下称|"
    rf"下文)[^）)]{{0,6}}[“\"]?(?P<role>{_ROLE_ZH})[”\"]?[）)]"
)
_AUTHORITY_ZH = re.compile(
    r"(?P<name>(?:国务院|省级|县级以上|国家|各级)?[^，。；：（）]{0,24}?(?:部门|机构|委员会|机关|"
    r"人民政府))(?P<verb>主管|负责)(?P<what>[^。；]{0,60})"
)


def _chinese(source: Source) -> Iterator[KeyTerm]:
    text = source.document.text
    authorities: set[str] = set()
    for sentence in source.sentences:
        if sentence.own.start < 6000:
            # As it stands in the file: folding would join the lines that end a name.
            for match in _PARTY_ZH.finditer(text, sentence.own.start, sentence.own.end):
                yield KeyTerm(TermKind.PARTY, match["role"], match["name"], sentence.index)
            for match in _CALLED_ZH.finditer(own_words(source, sentence)):
                yield KeyTerm(TermKind.PARTY, match["role"], match["name"], sentence.index)
        found = _AUTHORITY_ZH.match(re.sub(r"^第[^条]{1,9}条[\s　]*", "", own_words(source, sentence)))
        if found and found["name"] not in authorities and len(found["name"]) > 3:
            authorities.add(found["name"])
            yield KeyTerm(TermKind.PARTY, "主管部门", found["name"], sentence.index, note=found["verb"] + found["what"])


def find_parties(source: Source) -> Iterator[KeyTerm]:
    """The party rows of a document: `name` is the role ("" where none is given), `note` what describes the party."""
    yield from _chinese(source) if source.language is Language.ZH else _english(source)
