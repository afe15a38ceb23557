"""An English legal text as a row of words: operators in capitals, numbers by their token, the rest by its ideas.

Two texts that say the same in other words become rows that can be laid side by side: "not less than" and "at least" are
both MIN, "shall not" and "is prohibited from" both MUST NOT, "terminated" and "ends" share an idea.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from conspectus.check.en.lexicon import PHRASES
from conspectus.check.en.rewrites import rewritten
from conspectus.check.en.synonyms import GROUPS
from conspectus.check.en.vocabulary import IRREGULAR, LIGHT, QUALIFIERS, ROLE_WORDS, SUPPORTING
from conspectus.check.salient import NUMBER_WORD, Token, salient
from conspectus.text import normalise

_STEMMER = snowballstemmer.stemmer("english")
MODALS = frozenset({"MUST", "MAY", "NEEDNOT"})
MARKS = frozenset(",.;:()|[]\"'-")
_ROLE_SHAPE = re.compile(r"[a-z]{2,}(?:ee|or|er|lord|ant)s?")
# Nouns in -er, -or, -ee and -ant that are no persons.
_NO_ROLE = frozenset(
    "order matter number letter whether after under over either neither other another quarter paper tender offer "
    "computer transfer power register chapter charter center centre error factor major minor prior labor color "
    "labour covenant relevant significant constant warrant important grant want plant pursuant instant fee see "
    "degree agree guarantee referee free three committee tier user-fee per ever never water master larger further "
    "later greater lesser higher lower earlier former latter longer shorter consider remainder calendar for nor "
    "or her weather manner answer enter deliver cover administer trigger wander render hinder barrier career "
    "employer's floor door poor interior exterior superior behaviour favor favour honour harbor rumor monitor "
    "mirror doctor-fee software hardware surrender remember member-state december november october september "
    "server router printer boiler premier ladder corner border bumper sever cancer layer super infer refer defer "
    "differ prefer suffer confer buffer voucher sewer rather together altogether whichever whatever however "
    "moreover wherever fewer newer older proper improper utter outer inner upper banner container trailer tractor "
    "elevator generator indicator vector sector rotor motor tutor-fee tenor humor mayor-fee meter parameter "
    "diameter perimeter timer filter air dinner finger ginger hunger anger danger merger ledger manager-fee "
    "passenger-fee distant assistant-fee dominant remnant fragment elegant vacant pleasant redundant abundant "
    "compliant defiant reliant variant restaurant payment".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word: as written in lower case (or an operator in capitals, or `#3`, the fourth number), and its ideas.

    A light word and an operator have no ideas.
    """

    form: str
    ideas: frozenset[str] = frozenset()
    role: bool = False

    @property
    def content(self) -> bool:
        """Whether the word needs support."""
        return bool(self.ideas)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text read: its sentences as rows of words, and the number tokens that `#n` stands for.

    `plain_ideas` are the ideas of all its words as written, before phrases were replaced; `plain` are those words.
    """

    sentences: tuple[tuple[Word, ...], ...]
    tokens: tuple[Token, ...]
    plain_ideas: frozenset[str] = frozenset()
    plain: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[Word, ...]:
        """All words in order, sentences parted by full stops."""
        stop = (Word("."),)
        return tuple(word for sentence in self.sentences for word in (*sentence, *stop))


# Words that the stemmer would make one with others: reasonable and reason, responsible and response.
_OWN_STEMS = {
    "reasonable": "reasonabl",
    "reasonably": "reasonabl",
    "unreasonable": "unreasonabl",
    "unreasonably": "unreasonabl",
    "responsible": "responsibl",
    "responsibility": "responsibl",
    "responsibilities": "responsibl",
    "considerable": "considerabl",
}


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case English word; persons keep their ending, so that employer is not employee."""
    word = word.removesuffix("'s").rstrip("'")
    word = IRREGULAR.get(word, word)
    if word in _OWN_STEMS:
        return _OWN_STEMS[word]
    if is_role(word):
        return word.removesuffix("s") if not word.endswith("ss") else word
    root = str(_STEMMER.stemWord(word)).rstrip("ie") or word
    # Disclosure and disclose, departure and depart: the stemmer leaves the ending.
    return root[:-2] if root.endswith("ur") and len(root) > 6 else root


def is_role(word: str) -> bool:
    """True where a word names somebody who can owe or be owed something."""
    bare = word.removesuffix("'s").rstrip("'")
    single = bare.removesuffix("s")
    if bare.endswith("-party"):
        return True
    if single in ROLE_WORDS or bare in ROLE_WORDS:
        return True
    return bool(_ROLE_SHAPE.fullmatch(bare)) and single not in _NO_ROLE and bare not in _NO_ROLE and len(single) > 4


def _group_index() -> dict[str, frozenset[str]]:
    index: dict[str, set[str]] = {}
    for number, line in enumerate(GROUPS.replace("\n", "/").split("/")):
        for word in line.split():
            index.setdefault(stem(word), set()).add(f"g{number}")
    return {word: frozenset(groups) for word, groups in index.items()}


_GROUP_OF = _group_index()
# Light words whose stems are those of others: us and use, applicable and application, Limited and limit.
_LIGHT_STEMS = frozenset(stem(word) for word in LIGHT if not is_role(word)) - {"us", "applic", "limit", "ow", "own"}


@lru_cache(maxsize=20_000)
def ideas(word: str) -> frozenset[str]:
    """What a content word may mean: its stem and the groups of words that stand for it."""
    bare = word.removesuffix("'s").rstrip("'")
    root = stem(bare)
    if bare in LIGHT or root in _LIGHT_STEMS or (len(bare) < 2 and not bare.isdigit()):
        return frozenset()
    found = _GROUP_OF.get(root, frozenset()) | {root}
    if "-" in bare and not bare.startswith("non-") and not bare.endswith("-party"):
        for piece in bare.split("-"):
            found |= ideas(piece)
    return found


@lru_cache(maxsize=20_000)
def groups(word: str) -> frozenset[str]:
    """The groups of words that a word stands for, be it a light one."""
    return _GROUP_OF.get(stem(word), frozenset())


@lru_cache(maxsize=20_000)
def spoken(word: str) -> frozenset[str]:
    """What a word may stand for though it says little itself: sums are money, to ensure is to make sure."""
    return ideas(word) or (_GROUP_OF.get(stem(word), frozenset()) if word in SUPPORTING else frozenset())


_TOKEN = re.compile(r"#[0-9]+|[A-Za-z]+(?:[-'&.][A-Za-z]+)*'?|[.,;:()|\[\]\"]|-(?= )")
_PLAIN_WORD = re.compile(r"[a-z]+(?:[-'][a-z]+)*")
_SENTENCE = re.compile(r"(?<=[a-z0-9)\"%])[.](?=\s+[\"(\[]?[A-Z0-9])|\s*\[(?:…|\.\.\.)\]\s*|\n")
_ABBREVIATED = re.compile(r"\b(?:No|Inc|Ltd|Co|Corp|Mr|Ms|Dr|St|Sec|Art|vs|e\.g|i\.e|U\.S|p\.a|approx)\.$")
_MOST_WORDS = max(phrase.count(" ") + 1 for phrase in PHRASES)
_STARTS: dict[str, int] = {}
for _phrase in PHRASES:
    _first = _phrase.split(" ")[0]
    _STARTS[_first] = max(_STARTS.get(_first, 0), _phrase.count(" ") + 1)


def _sentences(plain: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a normalised text."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE.finditer(plain):
        if match[0].startswith(".") and _ABBREVIATED.search(plain[start : match.start() + 1]):
            continue
        spans.append((start, match.start()))
        start = match.end()
    return [(a, b) for a, b in [*spans, (start, len(plain))] if plain[a:b].strip(" .")]


_BY = re.compile(r"\bby (?:the )?$")


# The figure before it said again in words: $250,000 (two hundred and fifty thousand dollars).
_IN_WORDS = re.compile(
    rf"(#[0-9]+ ) *\( *(?:(?:{NUMBER_WORD}|and|us|dollars|pounds|sterling|euros?|days?|months?|years?)[ -]*)+\)"
)


def _numbered(plain: str, tokens: list[Token], span: tuple[int, int]) -> str:
    """A stretch of the text in lower case with its numbers as #n; a figure in brackets that repeats a word is gone."""
    out: list[str] = []
    at, end = span
    for number, token in enumerate(tokens):
        if at <= token.start and token.end <= end:
            before = plain[at : token.start].lower()
            if token.kind in ("date", "ordinal", "time"):
                before = _BY.sub("within ", before)
            out += [before, f" #{number} "]
            at = token.end
    text = _IN_WORDS.sub(r"\1 ", "".join([*out, plain[at:end].lower()]))
    return re.sub(
        r"\s+",
        " ",
        re.sub(r"(#[0-9]+) (?:days?|months?|years?|weeks?)? ?\( ?[0-9.,%£$€]+(?:st|nd|rd|th)? ?\)", r"\1", text),
    )


def _phrased(raw: list[str]) -> list[str]:
    """The words with phrases replaced by their one form, the longest first."""
    out: list[str] = []
    i = 0
    while i < len(raw):
        longest = min(_STARTS.get(raw[i], 0), len(raw) - i)
        for size in range(longest, 0, -1):
            phrase = " ".join(raw[i : i + size])
            if phrase in PHRASES:
                out += PHRASES[phrase].split()
                i += size
                break
        else:
            out.append(raw[i])
            i += 1
    return out


def _word(form: str) -> Word:
    if form.startswith("PER"):
        return Word(form, frozenset({form}) | _GROUP_OF.get(stem(form[3:].lower()), frozenset()))
    if form[0] == "#" or form in MARKS or form.isupper():
        return Word(form)
    return Word(form, ideas(form), is_role(form))


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """A text as rows of words; the same text is read once."""
    plain = normalise(text)
    tokens = sorted(salient(text), key=lambda token: token.start)
    rows: list[tuple[Word, ...]] = []
    for span in _sentences(plain):
        line = _numbered(plain, tokens, span)
        row = tuple(_word(form) for form in _phrased(_TOKEN.findall(rewritten(line))))
        if row:
            rows.append(row)
    written = tuple(_PLAIN_WORD.findall(plain.lower()))
    spelled = frozenset().union(*(spoken(word) for word in written))
    return Reading(tuple(rows), tuple(tokens), spelled, written)


def qualifier(word: Word) -> bool:
    """Whether a word narrows what it stands by."""
    return word.form in QUALIFIERS or word.form in ("ONLY", "BOTH") or word.form.startswith("PER")
