"""Defined terms: "X" means …, the bracketed ("X"), 是指, 以下简称; and a short form of each for the prompts."""

import re
from collections.abc import Iterator, Mapping

from conspectus.document import KeyTerm, Language, Source, TermKind
from conspectus.terms.bracketed import named_in_chinese, named_in_english
from conspectus.terms.parties import CORPORATE
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
    r"[;:]|(?<!Inc)(?<!Ltd)(?<!Co)(?<!No)(?<!\b[A-Z])\.\s|[”\"]\)(?:\s*,?\s*(?:and|or)\b)?|^\s*\(?(?:[0-9]{1,2}|[a-z])\)"
)
_DEFINITION_ZH = re.compile(
    r"(?:^|(?<=[。；：])|(?<=[）)]))\s*(?:本[法条例合同规定办法协议细则章]{1,3}(?:中)?)?(?:所称|所指|"
    r"中的)?[的“]?(?P<term>[^，。；：（）()\s“”]{1,20})”?(?:[（(][^）)]{1,20}[）)])?\s*[,，]?\s*(?:(?:是|系|"
    r"即)?指(?!定|导|示|派|使|挥|标|令|出|控|引|向|明|纹)|(?<=，)包括)[：:]?(?P<what>[^。；]{2,300})"
)
_CALLED_ZH = re.compile(
    r"[（(]\s*(?:(?:以下|下文|在?本(?:合同|协议)中)(?:统一?|合并|分别|均)?(?:简称|合称|称|统称)|下称|简称|统称|合称)[为作]?[“\"「《]?"
    r"(?P<term>[^”\"」》）)]{1,20})[”\"」》]?(?:[或、和][^）)]{1,24})?[）)]"
)
_LABEL_ZH = re.compile(r"，\s*(?:住所地?|住址|地址|注册地址?|统一社会信用代码|法定代表人|身份证号码?|电话|联系电话)$")
_INSIDE_ZH = re.compile(r"[（(][^（()）]*[）)]")
_STOP_ZH = re.compile(r"[。；：\n]")


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
        value = named_in_english(tidy(head.strip(" ,")), match["q"])
        if len(value) > 1 and not match["q"].isdigit():
            yield KeyTerm(TermKind.DEFINITION, tidy(match["q"]), value, sentence, note=BRACKETED)


def _whole(what: str) -> str:
    return what if len(what) <= LONGEST else clip(what, LONGEST).removesuffix("…")


def _chinese(text: str, sentence: int) -> Iterator[KeyTerm]:
    for match in _DEFINITION_ZH.finditer(re.sub(r"^第[^条]{1,9}条[\s　]*", lambda m: " " * len(m[0]), text)):
        term = re.sub(r"^(?:[（(].{1,3}[）)]|前款|前条|本条|所称)+", "", match["term"]).removeprefix("所称")
        if term and term not in ("其", "这", "主要", "均", "特") and not term.startswith(("由", "经", "对", "按")):
            yield KeyTerm(TermKind.DEFINITION, term, match["what"], sentence)
    at = 0
    for match in _CALLED_ZH.finditer(text):
        head = text[max(at, match.start() - LONGEST) : match.start()]
        at = match.end()
        what = named_in_chinese(_clause_zh(head))
        if len(what) > 1:
            yield KeyTerm(TermKind.DEFINITION, match["term"], what, sentence, note="简称")


def _clause_zh(head: str) -> str:
    """The words since the last stop; a colon within the description of a party (住所地：…) is none."""
    plain = _INSIDE_ZH.sub(lambda match: "x" * len(match[0]), head)
    cuts = [match for match in _STOP_ZH.finditer(plain) if not _LABEL_ZH.search(plain[: match.start()])]
    return head[cuts[-1].end() :] if cuts else head


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
                # Of words that are no party's name those nearest to the bracket say most.
                near = row.note == BRACKETED and not CORPORATE.match(row.value)
                value = row.value[-SHORT:].lstrip() if near else _short(row.value)
                found[row.name] = (rank, value, sentence.index)
    return {term: (text, sentence) for term, (_, text, sentence) in found.items()}
