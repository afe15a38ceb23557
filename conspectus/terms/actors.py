"""Who can owe something: the parties of a document, the terms it defines that name persons, and common nouns."""

import re
from collections.abc import Sequence

from conspectus.document import KeyTerm, TermKind

LONGEST_WHO = 90
_PERSONS = """
person persons party parties individual individuals company companies authority authorities minister ministers court
courts board boards commission committee council member members secretary officer officers agency agencies bank state
states government registrar body bodies partner partners landlord everyone nobody it they he she who applicant agent
client resident student subject staff recipient president superintendent insurer assembly parliament librarian user
users employee employees trustee trustees counsel affiliate affiliates subsidiary subsidiaries buyer seller undertaking
undertakings enterprise importer union institution institutions organisation organization organisations organizations
entity entities society corporation fund university personnel licensor licensee team firm department congress
copyright_owner
""".split()
PERSONS = frozenset(_PERSONS)
_SUFFIX = re.compile(r"[a-z]{3,}(?:er|or|ee|ant|ist|ian)s?")
_THINGS = frozenset(
    """agreement lease order matter number letter paper power error factor term offer charter water answer copyright
    computer container transfer consent notice application certificate report fee rent payment amount period section
    paragraph provision regulation licence license record statement invoice year quarter chapter other however whether
    either neither ever never under over after their or for nor labor vigor interior favor color error manner remainder
    whichever whatever covenant warrant grant parameter register disclaimer waiver cover trailer counter former latter
    delivery-order purchase-order center centre layer server router sensor motor monitor indicator vector behavior
    behaviour harbor endeavor rider folder identifier header footer together rather further moreover hereafter
    thereafter guarantee committee-report quorum instant constant relevant significant invariant restaurant plant
    variant determinant transponder border prior major minor exterior later order orders matters numbers letters
    papers powers errors factors terms offers transfers parameters grants covenants warrants guarantees""".split()
)
_PERSON_MEANING = re.compile(
    r"^(?:an?|the|any|each|all|those)?\s*(?:[\w-]+ ){0,3}(?:person|persons|compan(?:y|ies)|individuals?|"
    r"authority|corporation|entity|entities|"
    r"party|parties|bank|trust|body|trustees?|directors?|officers?|employees?|natural|operators?)\b",
    re.I,
)
_ARTICLE = re.compile(
    r"^(?:the|an?|any|each|every|all|no|neither|either|both|such|that|this|other|the other|said)\s+", re.I
)
_RELATIVE = re.compile(
    r",?\s+(?:who|which|that|whose|whom|to whom|in respect of|with respect to|under|pursuant to|at its|"
    r"at their|in its|in the|"
    r"for the|on behalf|as|if|by|having|when|where)\b.*$|,.*$"
)
_LED = re.compile(
    r"(?:subject to|except|unless|pursuant to|without|not? (?:later|earlier|more|less) than|notwithstanding|"
    r"throughout|in|at|within|on|during|for|after|"
    r"before|from|until|upon|by|to|under|with|as|if|where)\s",
    re.I,
)
_SMALL = r"(?:of|nor|or|and|in|to|for|with|from|at|on|by|than|against|between)"
_CLAUSE = re.compile(r"\b(?:which|where|whom|whose|who|that|as)\b", re.I)


def is_person(noun: str) -> bool:
    """True for a noun that names somebody who can act."""
    low = noun.lower().rstrip(".,")
    return low in PERSONS or (bool(_SUFFIX.fullmatch(low)) and low not in _THINGS)


class Actors:
    """Finds who acts in the words before an operator."""

    def __init__(self, terms: Sequence[KeyTerm]) -> None:
        names: set[str] = set()
        for term in terms:
            if term.kind is TermKind.PARTY:
                names |= {term.name, term.value}
            elif term.kind is TermKind.DEFINITION:
                noun = term.name.split()[-1] if term.name.split() else ""
                if is_person(noun) or _PERSON_MEANING.match(term.value):
                    names.add(term.name)
        self.names = frozenset(name for name in names if len(name) > 1)
        known = sorted(self.names | {name.upper() for name in self.names}, key=len, reverse=True)
        # A subject may end with a known actor after words that lead into the sentence without a comma.
        self._tail = re.compile(
            rf"(?:(?P<of>\b{_SMALL})\s+)?(?P<who>\b(?:(?:the|each|either|any|neither|an?|such|"
            rf"no)\s+)?(?:{'|'.join(re.escape(n) for n in known)}|it|they))$",
            re.I,
        ) if known else None  # fmt: skip

    def who(self, subject: str) -> str:
        """The acting person that a subject names, as the document says it; '' where it is a thing."""
        head = re.split(r"\s\(", _RELATIVE.sub("", subject).strip(" ,("))[0].strip()
        plain = _ARTICLE.sub("", head)
        led = _LED.match(head)
        if head and not led and len(head) <= LONGEST_WHO and self._acts(plain):
            return head
        found = self._tail.search(subject) if self._tail else None
        # "the liability of the Guarantor" is a thing; "At the end of the Term the Tenant" ends with who acts.
        if found and not found["of"] and not _CLAUSE.search(subject[: found.start()]):
            return found["who"]
        return ""

    def _acts(self, plain: str) -> bool:
        if plain in self.names or plain.lower() in ("it", "they", "he", "she"):
            return True
        parts = re.split(r",?\s(?:and/or|and|or|nor)\s(?:the\s|any\s|each\s|its\s|an?\s)?", plain)
        return all(self._one(part) for part in parts)

    def _one(self, part: str) -> bool:
        if part in self.names:
            return True
        words = re.split(rf"\s{_SMALL}\s", part)[0].split()
        return bool(words) and len(words) <= 6 and (words[-1] in self.names or is_person(words[-1]))
