"""Where a document does not agree with itself: words against figures, two laws, two meanings, two notice periods.

A row is a question for a reader, not a finding of law; so each rule asks for more than a difference: the same thing
must be said, in full sentences, of the same party and the same act.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from conspectus.document import KeyTerm, Language, Sentence, Source, TermKind
from conspectus.evidence.zh_numbers import NUMERAL
from conspectus.terms.definitions import BRACKETED, BY_REFERENCE
from conspectus.terms.money import FIGURES, WORDS, Currencies, amount, money_spans, number, zh_number
from conspectus.terms.types import Conflict
from conspectus.terms.words import own_words
from conspectus.text import fold, normalise

_PAIR_EN = re.compile(
    rf"\b(?P<words>{WORDS})(?:[\s-]+(?P<scale>days?|months?|years?|weeks?|hours?|per\s?cent|"
    rf"percent))?\s*\(\s*(?P<fig>{FIGURES})\s*(?P<tail>%|[a-z]*)\s*\)",
    re.I,
)
_PAIR_EN_BACK = re.compile(rf"(?<![\w.,£$€])(?P<fig>{FIGURES})\s*\(\s*(?P<words>{WORDS})\s*\)", re.I)
_MONEY_BRACKET = re.compile(
    r"^\s*[(（]\s*(?P<in>[^)）]{2,60})\s*[)）]|^[，,]?\s*(?:大写|即)[:：]?\s*(?P<zh>[^，。；)）]{2,30})"
)
_PAIR_ZH = re.compile(
    rf"(?P<words>{NUMERAL.pattern})\s*[(（]\s*(?P<fig>[0-9][0-9,.]*)\s*[)）]|"
    rf"(?<![0-9,.])(?P<fig2>[0-9][0-9,.]*)\s*[(（]\s*(?P<words2>{NUMERAL.pattern})\s*[)）]"
)
WORDS_FIGURES = "words against figures"
TWO_LAWS = "two governing laws"
TWO_MEANINGS = "one term, two definitions"
TWO_NOTICES = "two notice periods"
SAME = 88  # of 100: definitions nearer than this differ by misprints only


def _pairs_en(text: str) -> Iterator[tuple[str, str]]:
    for pattern in (_PAIR_EN, _PAIR_EN_BACK):
        for match in pattern.finditer(text):
            try:
                said = number(match["words"])
            except ValueError:
                continue
            scale = match["words"].lower() in ("hundred", "thousand", "million", "billion")
            fraction = re.match(r"[\s)]*(?:and|point)\b", text[match.end() :][:6]) or re.search(
                r"(?:\bpoint|[0-9.,])\s*$", text[: match.start("words")]
            )
            if not scale and not fraction and said != number(match["fig"]):
                yield match["words"], match["fig"]


def _pairs_zh(text: str) -> Iterator[tuple[str, str]]:
    for match in _PAIR_ZH.finditer(text):
        words, fig = match["words"] or match["words2"], match["fig"] or match["fig2"]
        if zh_number(words) != zh_number(fig):
            yield words, fig


def _amounts(text: str, language: Language, currencies: Currencies) -> Iterator[tuple[str, str]]:
    """An amount and the amount in brackets behind it that is not the same: £30,000 (thirteen thousand pounds)."""
    for match in money_spans(text, language):
        bracket = _MONEY_BRACKET.match(text[match.end() :])
        if not bracket:
            continue
        inside = bracket["in"] or bracket["zh"]
        other = next(iter(money_spans(inside, language)), None)
        if other is None or len(other[0].strip()) < len(inside.strip()) - 6:
            continue
        a, b = amount(match, currencies)[0].split(), amount(other, currencies)[0].split()
        if a and b and a[0] != b[0]:
            yield match[0].strip(), other[0].strip()


def _words_figures(source: Source, texts: Sequence[str], currencies: Currencies) -> Iterator[Conflict]:
    pairs = _pairs_zh if source.language is Language.ZH else _pairs_en
    for index, text in enumerate(texts):
        if "(" not in text and "（" not in text and "大写" not in text:
            continue
        seen = list(dict.fromkeys((*pairs(text), *_amounts(text, source.language, currencies))))
        for a, b in seen:
            yield Conflict(WORDS_FIGURES, "", a, b, (index, index))


def _law_key(value: str) -> str:
    text = re.sub(
        r"\b(?:the|internal|substantive|domestic|laws?|of|state|commonwealth|republic|province|federal|in|"
        r"and)\b|[^\w ]",
        " ",
        normalise(value).lower(),
    )
    return " ".join(text.split())


def _two_laws(source: Source, terms: Sequence[KeyTerm]) -> Iterator[Conflict]:
    laws = [
        term
        for term in terms
        if term.kind is TermKind.LAW and term.role == "law" and _of_this(source.sentences[term.sentence])
    ]
    for a, b in combinations(laws, 2):
        one, two = _law_key(a.value), _law_key(b.value)
        if one and two and one not in two and two not in one and a.sentence != b.sentence:
            yield Conflict(TWO_LAWS, "", a.value, b.value, (a.sentence, b.sentence))
            return


_THIS = re.compile(
    r"\bthis (?:agreement|lease|contract|deed|charter|licen[cs]e)\b|\bhereof\b|\bherein\b|本合同|本协议", re.I
)
_SCOPED = re.compile(
    r"\b(?:except|other than|in respect of|with respect to|internal affairs|corporate|trust property|real property)\b",
    re.I,
)


def _of_this(sentence: Sentence) -> bool:
    return bool(_THIS.search(sentence.text)) and not _SCOPED.search(sentence.text[:200])


def _two_meanings(source: Source, terms: Sequence[KeyTerm]) -> Iterator[Conflict]:
    from rapidfuzz import fuzz

    first: dict[str, KeyTerm] = {}
    for term in terms:
        if term.kind is not TermKind.DEFINITION or term.note in (BRACKETED, BY_REFERENCE) or term.note:
            continue
        if len(term.name) < 2 or _local(source, term.sentence):
            continue
        known = first.setdefault(term.name, term)
        if known is term or (known.sentence == term.sentence and _STEPS.search(source.sentences[term.sentence].text)):
            continue
        a, b = normalise(known.value).lower(), normalise(term.value).lower()
        if a not in b and b not in a and fuzz.token_sort_ratio(a, b) < SAME:
            yield Conflict(TWO_MEANINGS, term.name, known.value, term.value, (known.sentence, term.sentence))


_STEPS = re.compile(r"\b(?:initially|provided|then|thereafter)\b", re.I)  # one definition told in steps
_LOCAL = re.compile(
    r"\b(?:for (?:the )?purposes? of this (?:section|article|clause|paragraph|part|schedule|exhibit|"
    r"subsection|chapter|appendix)|in this (?:section|article|clause|paragraph|schedule|part|subsection|"
    r"chapter|exhibit|regulation)|as used in this (?:section|article|clause|paragraph|subsection|chapter|"
    r"exhibit))\b|\bwhen used as an? \w+|本[条款章节]所称",
    re.I,
)


def _local(source: Source, index: int) -> bool:
    """True where a definition holds for a part of the document only: its sentence, or its clause before it, says so."""
    sentence = source.sentences[index]
    before = source.document.text[source.clauses[sentence.clause].start : sentence.own.start]
    return bool(_LOCAL.search(sentence.text) or _LOCAL.search(fold(before)))


_NOTICE_OF = re.compile(
    r"\b(?P<who>(?:[Ee]ither|[Ee]ach|[Aa]ny) party|[Tt]he \w+|[A-Z]\w+)\b[^.;]{0,60}?\b(?:may|"
    r"shall have the right to|is entitled to|can|has the right to)\s+(?:\w+ ){0,2}?(?P<act>terminate|end|"
    r"cancel|renew|extend|assign)\b(?P<what>[^.;]{0,260})"
)
_FOR_CAUSE = re.compile(
    r"\b(?:if|breach\w*|default\w*|insolven\w*|cause|event|unpaid|fails?|failure|where|in case|upon the|"
    r"bankrupt\w*|force majeure|convenience|without cause|for any reason|no reason|during|after the|"
    r"with respect to|as to)\b",
    re.I,
)
_NOTICE_PERIOD = re.compile(
    rf"(?P<n>{WORDS}|[0-9]+)[\s-]*(?:\([0-9]+\))?[\s-]*(?P<kind>(?:business|working|calendar) )?(?P<unit>day|"
    rf"week|month|year)s?['’]?s?['’]?\s+(?:prior\s+|advance\s+|written\s+|previous\s+|['’]\s?)*notice",
    re.I,
)
_NOTICE_ZH = re.compile(
    rf"(?P<who>甲方|乙方|任何一方|任一方|出租人|承租人|双方)[^。；]{{0,30}}?(?:提前)(?P<n>{NUMERAL.pattern}|"
    rf"[0-9]+)(?P<unit>日|天|个月|个工作日)[^。；]{{0,16}}?通知[^。；]{{0,30}}?(?P<act>解除|终止|续租|"
    rf"续期)[^，。；]{{0,4}}(?:本)?(?:合同|协议)"
)


def _count(words: str) -> str:
    try:
        return str(number(words))
    except ValueError:
        return words


def _notices(source: Source, texts: Sequence[str]) -> Iterator[tuple[tuple[str, str, str], str, int]]:
    """(who, act, object), period, sentence of each unconditional right to end or renew on notice."""
    for index, text in enumerate(texts):
        if source.language is Language.ZH:
            for match in _NOTICE_ZH.finditer(text):
                if not re.search("如|若|的，|违约|情形", text[max(0, match.start() - 30) : match.start()]):
                    unit = {"天": "日"}.get(match["unit"], match["unit"])
                    yield (match["who"], match["act"], ""), f"{zh_number(match['n'])} {unit}", index
            continue
        if "notice" not in text:
            continue
        for match in _NOTICE_OF.finditer(text):
            period = _NOTICE_PERIOD.search(match["what"])
            if not period or _FOR_CAUSE.search(text):
                continue
            thing = re.search(r"\bthis [A-Z]?\w+|\bthe [A-Z]?\w+", match["what"])
            count = _count(period["n"])
            key = (match["who"].lower(), match["act"], thing[0].lower() if thing else "")
            yield key, f"{count} {(period['kind'] or '').lower()}{period['unit'].lower()}", index


def _two_notices(source: Source, texts: Sequence[str]) -> Iterator[Conflict]:
    first: dict[tuple[str, str, str], tuple[str, int]] = {}
    for key, period, index in _notices(source, texts):
        known = first.setdefault(key, (period, index))
        if known[0] != period:
            yield Conflict(TWO_NOTICES, " ".join(part for part in key if part), known[0], period, (known[1], index))


def find_conflicts(source: Source, terms: Sequence[KeyTerm], currencies: Currencies) -> tuple[Conflict, ...]:
    """The conflicts of a document, by kind, in order."""
    texts = [own_words(source, sentence) for sentence in source.sentences]
    return (
        *_words_figures(source, texts, currencies),
        *_two_laws(source, terms),
        *_two_meanings(source, terms),
        *_two_notices(source, texts),
    )
