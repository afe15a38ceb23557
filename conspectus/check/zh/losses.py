"""What a Chinese statement leaves out of its evidence: only what is known to say nothing, or to be a thing of its own.

Anything else that is lost refuses the line: a true line refused costs one verbatim line, a false one costs money.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.check.reasons import Reason
from conspectus.check.zh.lexicon import (
    AFTER,
    AND,
    BAN,
    BEFORE,
    FREE,
    LESS,
    MAX,
    MIN,
    MODALS,
    MORE,
    NOT,
    NUMBER_BASE,
    OPERATORS,
    OR,
    UNLESS,
    WORDS,
)
from conspectus.check.zh.parts import Part, parts_of
from conspectus.check.zh.reading import is_number, is_role
from conspectus.check.zh.sides import Side

# Words that narrow nothing: the manner of every duty, heads that only name the kind of the word before them, and verbs
# that only carry another. In the forms that `one_form` leaves.
_IDLE = re.compile(
    "严格|切实|认真|大力|积极|努力|具体|自觉|分别|数量|数额|标准|要求|期限|时间|手段|措施|内容|事项|事宜|"
    "活动|工作|文本|存在|具备|具有|采取|提出|部门|法定|有权|形成|义务|责任|承担|按法律|法律(?=责任)|"
    "行为|自然|所需|发生|出现|遭受|产生|引发|造成|报送|享受|取得|列情形|情形|情况|根据|相关|有关|双同意|处理|"
    "所述|业务|确定|他人|^列|^[按依本]|^期间$|^当事人$|才通?$|[费款召事间名系误]$"
)
# Verbs that say nothing of the noun that they lead to by 的.
_CARRYING = re.compile("发布|公布|颁布|出具|付|供|从事|引发")
_THEREOF = re.compile("[从按照依据用]其|(?:按|从|依).{0,4}(?:规定|约定)$")
_BOUNDS = frozenset((MIN, MAX, MORE, LESS))
_DEPENDS = re.compile("^(?:逾期|情节|构成犯罪|前款|否则|其[他余]|该|拒)")
_LISTS = re.compile("下列|以下|如下")
_OBJECT = re.compile("(?:请求|申请|责令|要|向|给|告|赔|还|付)$")
_GOAL = re.compile("[向对给与为被替从经]$")
_MEANT = re.compile("(?<![尤及])其(?![中他余次])")
_BACK = re.compile("前[一二三两\ue100-\uf8ff]?[条款项]")
_OWN = re.compile(f"[{AND}]|由|责令|没收|处|给予|依法|吊销|撤销")
_OTHERWISE = "否则"


def losses(side: Side, statement: str, evidence: str) -> list[Reason]:
    """The reasons against a statement by what it leaves out; both texts are normalised."""
    if "|" in side.source.text:
        return []
    laid = _Laid(parts_of(side.said, side.source), side, statement, evidence)
    found: list[Reason] = []
    if laid.list_lost() or laid.condition_lost() or laid.agreement_lost():
        found.append(Reason.CONDITION)
    if laid.predicate_lost():
        found.append(Reason.CUT_OFF)
    if laid.subject_lost():
        found.append(Reason.DIRECTION)
    found += laid.words_lost()
    if laid.rate_lost():
        found.append(Reason.LIMIT)
    return list(dict.fromkeys(found))


def _propositions(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts of each proposition: its conditions, then what follows from them."""
    held: list[Part] = []
    for part in parts:
        turns = part.condition and not part.excepts and any(not other.condition and other.content for other in held)
        if held and (part.group != held[-1].group or turns):
            yield held
            held = []
        held.append(part)
    if held:
        yield held


def _whole(parts: Sequence[Part]) -> bool:
    """Whether a statement leaves out all of these parts."""
    return all(part.gone or not part.content for part in parts)


def _acts(part: Part, end: int) -> str:
    """Who acts in a part before a place: the first role there that stands in the statement and is nobody's goal."""
    for place, _ in part.units:
        if place < end and place in part.kept and is_role(part.text[place]) and not _GOAL.search(part.text[:place]):
            return part.text[place]
    return ""


def _understood(part: Part, place: int, before: Sequence[Part]) -> bool:
    """Whether a role left out is the one who acts already, or one whom the same sentence has named before."""
    role, ahead, behind = part.text[place], part.text[:place], part.text[place + 1 : place + 2]
    if _OBJECT.search(ahead):
        return any(role in (other.text[at] for at in other.kept) for other in before)
    own = _acts(part, place)
    named = any(role in (other.text[at] for at in other.kept) for other in before if other.group == part.group)
    if own and named and behind not in tuple("对向给与为") and not _GOAL.search(ahead):
        return True
    last = own or next((who for other in reversed(before) if (who := _acts(other, len(other.text)))), "")
    return last == role and (behind not in "对向给与为" or not behind) and not _GOAL.search(ahead.removesuffix("由"))


def _decides(part: Part, follows: bool) -> bool:
    """Whether a part says what must or may be, or how much; a modal that opens a first part is of a clause of 的."""
    says = part.modal or any(char in _BOUNDS for char in part.text)
    return says and not part.excepts and (follows or part.text.lstrip()[:1] not in MODALS)


def _predicate_gone(part: Part) -> bool:
    """Whether all behind the modal or bound of a part is gone, so that only its subject is there."""
    says = next((place for place, char in part.units if char in MODALS or char in _BOUNDS), -1)
    behind = [place for place in part.content if place > says]
    return says > 0 and bool(behind) and not any(place in part.kept for place in behind)


def _subject(part: Part) -> list[int]:
    """The places of who or what a part is about: a role that opens it or follows 由, else all before its modal."""
    modal = next((place for place, char in part.units if char in MODALS), -1)
    for place, _ in part.units:
        ahead = part.text[:place]
        opens = place < modal or not ahead.strip(f"{AND}{OR}{NOT} 而则")
        if is_role(part.text[place]) and not _GOAL.search(ahead) and (opens or ahead.endswith("由")):
            return [place]
    return [place for place, char in part.units if place < modal and char not in OPERATORS]


@dataclass(frozen=True, slots=True)
class _Laid:
    """An evidence in parts beside its statement."""

    parts: tuple[Part, ...]
    side: Side
    statement: str
    evidence: str

    def list_lost(self) -> bool:
        """A list that the line names and does not have, or has without what it is a list of."""
        lead, limbs = [p for p in self.parts if p.lead], [p for p in self.parts if p.limb and p.content]
        if re.search("上述|前述", self.statement) and not re.search("上述|前述", self.evidence):
            return True
        if not lead or not limbs:
            return False
        first = [part for part in lead if part.group == lead[0].group and part.content]
        if _whole(limbs) or _whole([part for part in first if not _LISTS.search(part.text)] or first):
            return True
        together = re.search("(?:下列|以下|如下)[^,，:：]{0,12}的[,，]", self.evidence)
        every = together and not re.search("之一|任一|任何", self.evidence)
        return bool(every) and ("[" in self.evidence or any(part.gone for part in limbs))

    def agreement_lost(self) -> bool:
        """What may be agreed said as what is: 可以约定 gone, and what it leads to kept."""
        for number, part in enumerate(self.parts):
            agreed = part.gone and part.modal and part.text.endswith("写明")
            if agreed and any(not other.gone for other in self.parts[number + 1 :] if other.group == part.group):
                return True
        return False

    def condition_lost(self) -> bool:
        """A condition or exception gone whose consequence is there."""
        for proposition in _propositions(self.parts):
            if _whole(proposition):
                before = self.parts[: self.parts.index(proposition[0])]
                if proposition[0].excepts and not _whole(before):
                    return True
            elif self._condition_of(proposition):
                return True
        first = next(_propositions(self.parts), [])
        head = self.side.said.segments[0].text if self.side.said.segments else ""
        return bool(first) and _whole(first) and bool(_DEPENDS.search(head) or "前述" in self.statement)

    def _condition_of(self, proposition: Sequence[Part]) -> bool:
        main_gone = False
        for part in proposition:
            if part.excepts and (main_gone or self._exception_lost(part, part is proposition[0])):
                return True
            bound = part.condition and not part.excepts and not part.limb and not _LISTS.search(part.text)
            if bound and part.gone and not self._otherwise(part):
                return True
            main_gone = main_gone or (part.gone and not part.condition and not part.lead)
        return False

    def _exception_lost(self, part: Part, first: bool) -> bool:
        """Whether an exception is gone, or stands without what it is an exception to."""
        before = self.parts[: self.parts.index(part)]
        alone = first and bool(before) and _whole(before) and part.text.endswith(UNLESS)
        return part.gone or alone or (UNLESS in part.text and UNLESS not in self.side.said.text)

    def _otherwise(self, part: Part) -> bool:
        """Whether the statement says 否则 for a condition that is the contrary of what stands before it."""
        contrary = bool(re.search(f"[{NOT}{BAN}述]", part.text))
        return contrary and _OTHERWISE in self.statement and _OTHERWISE not in self.evidence

    def predicate_lost(self) -> bool:
        """Only conditions and subjects are left of a proposition that says what follows from them."""
        for proposition in _propositions(self.parts):
            if _whole(proposition) or any(part.limb for part in proposition):
                continue
            mains = [part for part in proposition if not part.condition and part.content]
            if not mains and self._reference_gone(proposition):
                return True
            if not any(part.text.endswith("的") for part in proposition):
                modal = next((i for i, part in enumerate(mains) if _decides(part, i > 0)), -1)
                bare = modal < 0 and len(mains) > 1 and not any(_OWN.match(main.text) for main in mains[:2])
                mains = mains[1 if bare else max(0, modal) :]
            if mains and _whole(mains):
                return True
        return False

    def _reference_gone(self, proposition: Sequence[Part]) -> bool:
        """Whether 从其规定, which has no word of its own, is gone where its condition is kept."""
        refers = any("其" in part.text for part in proposition if not part.content)
        return refers and not _THEREOF.search(self.statement)

    def subject_lost(self) -> bool:
        """A duty kept without the subject that it shares with a part that is gone."""
        for number, part in enumerate(self.parts):
            if part.gone or part.condition or part.limb or part.excepts or _subject(part):
                continue
            for other in reversed(self.parts[:number]):
                if subject := _subject(other):
                    if not any(place in other.kept for place in subject):
                        return True
                    break
        return False

    def words_lost(self) -> Iterator[Reason]:
        """A reason for each stretch gone from what the line restates."""
        meant = len(_MEANT.findall(self.statement)) - len(_MEANT.findall(self.evidence))
        for number, part in enumerate(self.parts):
            if self._left_out(number):
                continue
            before = self.parts[:number]
            if any(self._denial_gone(part, place) for place, _ in part.units):
                yield Reason.NEGATION
            if any(match[0] not in self.statement for match in _BACK.finditer(part.text)):
                yield Reason.QUALIFIER
            for run in _runs_of(part):
                roles = [i for i in run if is_role(part.text[i]) and not _understood(part, i, before)]
                if roles and meant > 0 and len(roles) == 1:
                    meant -= 1
                elif roles:
                    yield Reason.DIRECTION
                if any(is_number(part.text[i]) and not self._one(part.text[i]) for i in run):
                    yield Reason.NUMBER
                if self._narrows(part, run):
                    yield Reason.CONDITION if part.condition else Reason.QUALIFIER

    def _denial_gone(self, part: Part, place: int) -> bool:
        """Whether a negation is gone; what is not done in time may be said as 逾期 alone."""
        ahead, behind = part.text[:place], part.text[place + 1 :]
        idle = ahead.endswith("逾期") or behind.startswith("误")
        return part.text[place] in (NOT, BAN, FREE) and place not in part.kept and not idle

    def _one(self, char: str) -> bool:
        token = self.side.source.tokens[ord(char) - NUMBER_BASE]
        heading = token.kind == "reference" and self.side.source.text.startswith(f"{char} ")
        return heading or self.side.has(char) or token.value.split()[0] == "1"

    def _left_out(self, number: int) -> bool:
        """Whether a part is gone as a whole and takes nothing from the rest: a duty or consequence of its own."""
        part = self.parts[number]
        shared = any(
            not other.gone and other.content and other.group == part.group for other in self.parts[number + 1 :]
        )
        if _predicate_gone(part) and shared and not part.condition and not part.excepts:
            return True
        if not part.gone or _whole(self.parts):
            return False
        group = [other for other in self.parts if other.group == part.group]
        if part.limb or part.condition or _whole(group):
            return True
        before = [other for other in self.parts[:number] if other.group == part.group and other.content]
        return part.modal or bool(_OWN.match(part.text)) or any(other.gone for other in before)

    def _narrows(self, part: Part, run: list[int]) -> bool:
        """Whether a lost stretch narrows its part: it says something, and nothing else in the line says it."""
        text = "".join(part.text[i] for i in run if not is_role(part.text[i]) and not is_number(part.text[i]))
        behind = part.text[run[-1] + 1 :].lstrip("的之")[:1]
        timed = bool(behind) and behind in (AFTER, BEFORE, "时")
        timed = timed and not re.search("之后|此后|届时", self.statement)
        bare = _IDLE.sub("", text)
        if part.text[run[-1] + 1 : run[-1] + 2] == "的":
            bare = _CARRYING.sub("", bare)
        # A reference is never understood: 按章程的规定.
        refers = re.search("[按依据]$", part.text[: run[0]]) or re.match("[按依据]", text)
        said = not timed and not refers and any(text in near or bare in near for near in self._said_near(part, bare))
        handled = part.text[: run[0]].endswith(("将", "把"))
        weighs = len(bare) >= 2 or (bool(bare) and (timed or handled or bare in WORDS))
        return weighs and not said

    def _said_near(self, part: Part, word: str) -> list[str]:
        """What the line has of the parts from which a word left out is understood: those before, and the same sentence.

        A verb is understood from those before alone.
        """
        number = self.parts.index(part)
        near = [p for i, p in enumerate(self.parts) if i < number or (word not in WORDS and p.group == part.group)]
        return ["".join(p.text[i] for i, _ in p.units if i in p.kept) for p in near]

    def rate_lost(self) -> bool:
        """每年, 每人, 每次 gone from what the line restates."""
        for part in self.parts:
            for match in re.finditer("每(.)|按(?=[年月日周季])(.)", part.text):
                unit = re.escape(match[1] or match[2])
                there = f"[每按各逐]{unit}|{unit}(?=[费租息利薪])"
                if not part.gone and not re.search(there, self.side.said.text):
                    return True
        return False


def _runs_of(part: Part) -> Iterator[list[int]]:
    """The places of each stretch that is gone, up to what is kept."""
    run: list[int] = []
    for place, char in part.units:
        if place in part.kept and run:
            yield run
            run = []
        elif place not in part.kept and char not in OPERATORS:
            run.append(place)
    if run:
        yield run
