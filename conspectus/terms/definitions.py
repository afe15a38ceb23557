"""Defined terms: "X" means …, the bracketed ("X"), 是指, 以下简称; and a short form of each for the prompts."""

import re
from collections.abc import Iterator, Mapping

from conspectus.document import KeyTerm, Language, Source, TermKind
from conspectus.terms.dates import spans
from conspectus.terms.words import clip, own_words, tidy

SHORT = 160  # characters of a definition that travels with a chunk
LONGEST = 700
BY_REFERENCE = "defined elsewhere"
PARTLY = "includes"
BRACKETED = "in brackets"
_MEANS = (
    r"(?:shall |will )?(?:mean|means|refers? to|includes?|denotes?)\b(?!\s+time)|(?:shall )?ha(?:s|"
    r"ve) the (?:same )?meanings?|"
    r"(?:is|are) (?:defined|hereby defined) (?:as|to mean)"
)
_QUOTED = r"(?:[“\"]\s?(?P<q>[^”\"“]{2,70}?)\s?[”\"]|(?<![\w’'])[‘'](?P<s>[^’‘'“\"]{2,60}?)[’'])(?:\*{1,2}|</\w+>)*"
_DEFINITION_EN = re.compile(
    rf"{_QUOTED}(?:\s*(?:or|and|"
    rf",)\s*(?:[“\"][^”\"]{{2,60}}[”\"]))*(?:\s?\([^)]{{1,40}}\))?\*{{0,2}},?\s+(?:of (?:a|an|any) \w+ |(?:to|"
    rf"a|the) [\w ]{{1,30}} )?(?P<verb>{_MEANS})[:,]?\s*"
)
_A_TERM_IS = re.compile(
    r"(?:^|(?<=[.;] ))(?:An?|The|To)\s[“\"‘](?P<q>[^”\"’“]{2,60})[”\"’](?P<rest>[^.;]{0,50}?)\s(?P<verb>is|are|means)\s"
)
_BRACKET_EN = re.compile(
    r"\((?P<in>[^()“”\"]{0,60}[“\"](?:the |The )?(?P<q>[A-Z][^”\"]{1,50}?)[,.]?\s?[”\"][^()]{0,60})\)"
)
_ELSEWHERE = re.compile(
    r"^\s*(?:(?:set forth|ascribed|given|assigned|specified|provided|stated|as (?:set forth|defined))\b|(?:to|"
    r"in|under|by)\b)",
    re.I,
)
_HEAD_START = re.compile(
    r"[;:]|(?<!Inc)(?<!Ltd)(?<!Co)(?<!No)\.\s|[”\"]\)(?:\s*,?\s*(?:and|or)\b)?|^\s*\(?(?:[0-9]{1,2}|[a-z])\)"
)
_VERB = re.compile(r"\b(?:shall|may|will|must|is|are|was|has|have|grants?|means|by|called)\b")
_PHRASE = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bto)(?<!\bfor)(?<!\band)(?<!\bor)\s(?=(?:the|an?|any|all|such|this|its|their|each)\s)",
    re.I,
)
_DEFINITION_ZH = re.compile(
    r"(?:^|(?<=[。；：])|(?<=[）)]))\s*(?:本[法条例合同规定办法协议细则章]{1,3}(?:中)?)?(?:所称|所指|"
    r"中的)?[的“]?(?P<term>[^，。；：（）()\s“”]{1,20})”?(?:[（(][^）)]{1,20}[）)])?\s*[,，]?\s*(?:(?:是|系|"
    r"即)?指(?!定|导|示|派|使|挥|标|令|出|控|引|向|明|纹)|(?<=，)包括)[：:]?(?P<what>[^。；]{2,300})"
)
_CALLED_ZH = re.compile(
    r"(?P<what>[^，。；：（(]{2,60})[（(]以下(?:统|合并|分别)?(?:简称|称为?|"
    r"统称)[“\"]?(?P<term>[^”\"）)]{1,20})[”\"]?[）)]"
)


def _english(text: str, sentence: int) -> Iterator[KeyTerm]:
    matches = sorted((*_DEFINITION_EN.finditer(text), *_A_TERM_IS.finditer(text)), key=lambda match: match.start())
    for here, match in enumerate(matches):
        term = tidy(match["q"] or match.groupdict().get("s") or "")
        stop = matches[here + 1].start() if here + 1 < len(matches) else len(text)
        what = text[match.end() : stop]
        what = tidy(re.sub(r"[;,.]\s*(?:and|or)?\s*(?:the|The|a|A)?\s*$", "", what))
        if not term or not what:
            continue
        elsewhere = "meaning" in match["verb"] and bool(_ELSEWHERE.match(what)) and len(what) < 160
        note = BY_REFERENCE if elsewhere else PARTLY if match["verb"].lower().startswith("include") else ""
        yield KeyTerm(TermKind.DEFINITION, term, _whole(what), sentence, note=note)
    for match in _BRACKET_EN.finditer(text):
        before = text[max(0, match.start() - 240) : match.start()]
        cuts = list(_HEAD_START.finditer(before))
        head = before[cuts[-1].end() :] if cuts else before
        if len(before) == 240 and not cuts:
            head = head[head.find(" ") + 1 :]
        value = _named_thing(tidy(re.sub(r"^(?:and|or|by|between)\s+", "", head.strip(" ,"))), match["q"])
        if len(value) > 1 and not match["q"].isdigit():
            yield KeyTerm(TermKind.DEFINITION, tidy(match["q"]), value, sentence, note=BRACKETED)


def _named_thing(head: str, term: str) -> str:
    """What a bracket names: the date before it, or the noun phrase; all words before it where neither is sure."""
    if "Date" in term:
        dates = [match for match in spans(head) if match.end() > len(head) - 30]
        if dates:
            return dates[-1][0].strip()
    verbs = list(_VERB.finditer(head))
    if not verbs:
        return head
    said = head[verbs[-1].end() :].strip() or head
    if len(said.split()) < 2 and not said[:1].isupper():
        return head
    phrases = list(_PHRASE.finditer(" " + said))
    return tidy(said[max(0, phrases[0].end() - 1) :]) if phrases else tidy(said)


def _whole(what: str) -> str:
    return what if len(what) <= LONGEST else clip(what, LONGEST).removesuffix("…")


def _chinese(text: str, sentence: int) -> Iterator[KeyTerm]:
    for match in _DEFINITION_ZH.finditer(re.sub(r"^第[^条]{1,9}条[\s　]*", lambda m: " " * len(m[0]), text)):
        term = re.sub(r"^(?:[（(].{1,3}[）)]|前款|前条|本条|所称)+", "", match["term"]).removeprefix("所称")
        if term and term not in ("其", "这", "主要", "均", "特") and not term.startswith(("由", "经", "对", "按")):
            yield KeyTerm(TermKind.DEFINITION, term, match["what"], sentence)
    for match in _CALLED_ZH.finditer(text):
        yield KeyTerm(TermKind.DEFINITION, match["term"], match["what"], sentence, note="简称")


def find_definitions(text: str, sentence: int, language: Language) -> Iterator[KeyTerm]:
    """The definition rows of a sentence's own words: `name` is the term, `value` what it means."""
    yield from _chinese(text, sentence) if language is Language.ZH else _english(text, sentence)


def _short(value: str) -> str:
    if len(value) <= SHORT:
        return value
    cut = re.search(r"[;；:：]", value[40:SHORT])
    return value[: 40 + cut.start()] if cut else clip(value, SHORT)


def defined_terms(source: Source) -> Mapping[str, tuple[str, int]]:
    """Term -> (short definition, index of its sentence), for the terms that a document defines.

    The prompts helper lets those that occur in a chunk travel with it. The first definition counts; one that only
    points elsewhere gives way to one that says something; of bracketed terms the party or thing named.
    """
    found: dict[str, tuple[int, str, int]] = {}
    for sentence in source.sentences:
        for row in find_definitions(own_words(source, sentence), sentence.index, source.language):
            rank = {"": 0, "简称": 1, PARTLY: 1, BRACKETED: 1, BY_REFERENCE: 2}[row.note]
            if row.name not in found or rank < found[row.name][0]:
                value = row.value if row.note != BRACKETED else row.value[-SHORT:].lstrip()
                found[row.name] = (rank, _short(value), sentence.index)
    return {term: (text, sentence) for term, (_, text, sentence) in found.items()}
