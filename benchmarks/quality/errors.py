"""Errors of lines by rule: numbers that the source does not have, and planted facts told wrong.

These rules look at every system alike. They are no reader: what they find is listed with its line, for a reader to see
(benchmarks/quality/audit.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.quality.materials import Fact
from benchmarks.quality.scoring import Yardstick, flat
from conspectus.check.salient import salient
from conspectus.document import Language

ABOUT = 0.45  # a line that shares less with a fact's sentence is not held against the fact
_NEGATION = {
    Language.EN: re.compile(
        r"\b(?:not|no|never|cannot|without|none|neither|nor|prohibited|forbidden|unless)\b|n['’]t\b", re.I
    ),
    Language.ZH: re.compile(r"不|未|无|非|禁止|没有|除外|除.{1,30}外"),
}
_STRICT = {
    Language.EN: re.compile(r"\b(?:not|never|cannot|prohibited|forbidden)\b|n['’]t\b", re.I),
    Language.ZH: re.compile(r"不得|禁止|不能|不可以"),
}
_FRACTIONS = re.compile(r"\b(?:third|quarter|half|second)", re.I)  # "third party", "each quarter"
_MODAL = {
    Language.EN: re.compile(r"\b(?:shall|must|may|will|can|has to|have to|is entitled|are entitled)\b", re.I),
    Language.ZH: re.compile(r"应当|可以|不得|必须|有权|应"),
}
_FORBIDDEN = ("must not", "shall not", "may not", "不得")


@dataclass(frozen=True, slots=True)
class Finding:
    """One error: its kind (number, negation, party), the line, and what it should have been."""

    kind: str
    line: str
    against: str


class Auditor:
    """The rules over one document."""

    def __init__(self, yardstick: Yardstick) -> None:
        self._yard = yardstick
        self._language = yardstick.language
        whole = [token for text in yardstick.sentences for token in salient(text)]
        self._there = {token.same for token in whole}
        self._values = {token.value.split()[0] for token in whole} | {"1"}
        for text in yardstick.sentences:
            self._values |= set(re.findall(r"[0-9]+(?:\.[0-9]+)*", text.replace(",", "")))
        self._own: dict[int, list[Fact]] = {}
        for fact in yardstick.facts:
            for index in yardstick.own_sentences(fact):
                self._own.setdefault(index, []).append(fact)
        roles = {fact.who for fact in yardstick.facts if fact.who}
        self._roles = sorted(roles, key=len, reverse=True)

    def findings(self, line: str, evidence: int | None = None) -> list[Finding]:
        """What is wrong with a line; `evidence` is the source sentence it rests on, where the system says so."""
        found = [
            Finding("number", line, f"{token.shown.strip() or token.value} stands nowhere in the document")
            for token in salient(line)
            if token.same not in self._there
            and token.value.split()[0] not in self._values
            and not _FRACTIONS.match(token.shown.strip())
        ][:1]
        index, fits = (evidence, 1.0) if evidence is not None else self._yard.best(line)
        if index is None or index < 0 or fits < ABOUT:
            return found
        for fact in self._own.get(index, []):
            found += self._against(line, fact, self._yard.sentences[index])
        return list({finding.kind: finding for finding in found}.values())

    def _against(self, line: str, fact: Fact, sentence: str) -> list[Finding]:
        plain = flat(line, self._language)
        negative = _NEGATION[self._language]
        found: list[Finding] = []
        if fact.modality in _FORBIDDEN and _MODAL[self._language].search(plain) and not negative.search(plain):
            found.append(Finding("negation", line, fact.text))
        allowed = fact.modality and fact.modality not in _FORBIDDEN and not negative.search(sentence)
        if allowed and _STRICT[self._language].search(plain):
            found.append(Finding("negation", line, fact.text))
        subject = self._subject(plain)
        # Only where the source sentence itself has one bearer: a line may be about its second duty.
        if fact.who in self._roles and subject and subject != fact.who and self._alone(sentence, fact.who):
            found.append(Finding("party", line, fact.text))
        return found

    def _subject(self, line: str) -> str:
        """The role named right before the first modal word, if one is."""
        modal = _MODAL[self._language].search(line)
        before = line[: modal.start()] if modal else ""
        for role in self._roles:
            if re.search(rf"(?:the |an? |each )?{re.escape(role)}\s*$", before, re.I):
                return role
        return ""

    def _alone(self, sentence: str, who: str) -> bool:
        """Whether of all roles a source sentence names only this one."""
        return not any(
            role != who and role not in who and who not in role and re.search(re.escape(role), sentence, re.I)
            for role in self._roles
        )


def audit(auditor: Auditor, lines: Sequence[str], evidence: Sequence[int | None] | None = None) -> list[Finding]:
    """The findings over all lines."""
    places = evidence or [None] * len(lines)
    return [finding for line, place in zip(lines, places, strict=True) for finding in auditor.findings(line, place)]
