"""The modals, negations, conditions and times of an English statement against those of its evidence.

Each rule compares at the words that both texts have, so that a statement may leave a whole proposition out, but not
keep one with another operator.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from conspectus.check.en.aligned import Pair, akin
from conspectus.check.en.clauses import STOPS, Clause, clauses, regions
from conspectus.check.en.reading import MODALS, Word, ideas, stem
from conspectus.check.reasons import Reason

NEGATIONS = frozenset({"NOT", "NO", "WITHOUT"})
UN = re.compile(r"non-|un(?!der|ion|iv|ited?\b|ity\b|iform|iq|til|less|its?\b)[a-z]{4}")
# Words that deny without a "not"; a restatement may turn them into one, or one into them.
DENYING = frozenset(
    stem(word)
    for word in (
        "waive waiver relinquish void invalid unenforceable exempt exemption refuse reject prohibit forbid ban free "
        "forfeit lapse cease refrain deny withhold exclude absence lack disclaim renounce"
    ).split()
)
_SCOPE_END = STOPS | {"IF", "UNLESS", "BUT", "SUBJECT", "DESPITE", *NEGATIONS}
_OWED = frozenset(
    "payable due duty agree undertake covenant warrant guarantee liable liability responsible require needed ensure "
    "obligation expense cost entitled".split()
)
_GRANTS = frozenset(
    "grant granted right option entitled allow permit let authorise permission eligible qualify belong".split()
)
_ONLY = frozenset({"ONLY", "sole"})
_HAVING = frozenset("gets get has have receives receive having earns earn enjoys enjoy collects".split())


_BE = frozenset({"is", "are", "was", "were", "be"})


def _denied_of_subject(words: Sequence[Word], at: int) -> bool:
    """Whether what is denied of stands before: losses are not covered, the fee must not be refunded."""
    before, after = words[at - 1].form if at else "", words[at + 1].form if at + 1 < len(words) else ""
    return before in _BE or (before in MODALS and after == "be")


def _behind(words: Sequence[Word], at: int) -> set[int]:
    """The places of the content words behind a word that denies, up to the next operator."""
    end = next((j for j in range(at + 1, len(words)) if words[j].form in _SCOPE_END), len(words))
    return {j for j in range(at + 1, end) if words[j].content}


def _subject_before(words: Sequence[Word], at: int) -> set[int]:
    """The places of the content words of the subject before a negated verb."""
    found = set()
    for j in range(at - 1, -1, -1):
        if words[j].form in _SCOPE_END or words[j].form == ",":
            break
        if words[j].content:
            found.add(j)
    return found


def scopes(words: Sequence[Word]) -> tuple[list[list[int]], set[int]]:
    """For each negation the places of its words up to the next comma, and all places under any negation."""
    strict: list[list[int]] = []
    loose: set[int] = set()
    for i, word in enumerate(words):
        if UN.match(word.form):
            loose.add(i)
        if word.content and stem(word.form) in DENYING:
            loose.update(_behind(words, i))
        if word.form not in NEGATIONS:
            continue
        if _denied_of_subject(words, i):
            loose.update(_subject_before(words, i))
        near: list[int] = []
        open_ = True
        for j in range(i + 1, len(words)):
            form = words[j].form
            if form in _SCOPE_END or (form in MODALS and j > i + 3):
                break
            open_ = open_ and form != ","
            if words[j].content:
                loose.add(j)
                if open_:
                    near.append(j)
        first = i == 0 or words[i - 1].form == "."
        strict.append(near if word.form != "NO" and not first else [-1, *near])
    return strict, loose


def _mirrored(
    scopes: Sequence[list[int]], words: Sequence[Word], others: Sequence[Word], other_loose: set[int], loose: set[int]
) -> bool | None:
    """Whether each negation of one text is there in the other: False where one is lost; None where nothing met."""
    met = None
    for scope in scopes:
        if scope[:1] == [-1]:
            # "no such variation": what is denied of it stands further on.
            scope = scope[1:]
            if any(other.ideas & words[place].ideas for place in scope for other in (others[j] for j in other_loose)):
                met = True
                continue
        for place in scope[:4]:
            places = [j for j, other in enumerate(others) if other.ideas & words[place].ideas]
            if not places:
                continue
            twin = any(
                words[j].ideas & words[place].ideas for j in range(len(words)) if j not in loose and words[j].content
            )
            if not any(j in other_loose for j in places):
                if twin and place != scope[-1] and len(scope) > 1:
                    continue
                return False
            met = True
            break
    return met


def negation(pair: Pair) -> bool:
    """True where a "not" was lost or added."""
    said, source = pair.said_words, pair.source_words
    said_scopes, said_loose = scopes(said)
    source_scopes, source_loose = scopes(source)
    if _mirrored(said_scopes, said, source, source_loose, said_loose) is False:
        return True
    if _mirrored(source_scopes, source, said, said_loose, source_loose) is False:
        return True
    return bool(said_scopes) and not source_scopes and not source_loose and not any(w.form == "UNLESS" for w in source)


_TIMES = frozenset({"BEFORE", "AFTER", "UNTIL", "MAX", "MIN"})


def fit(said: Clause, source: Clause) -> float:
    """How well a proposition of the statement fits one of the evidence; 1 where all its words are there."""
    mine = [word for word in said.words if word.content]
    if not mine:
        return 0.0
    there = frozenset().union(*(word.ideas for word in source.words))
    share = sum(bool(word.ideas & there) for word in mine) / len(mine)
    head = said.head is not None and source.head is not None and bool(said.head.ideas & source.head.ideas)
    times = _TIMES & {word.form for word in said.words} & {word.form for word in source.words}
    return share + 0.5 * head + 0.2 * bool(said.actors & source.actors) + 0.1 * bool(times)


def best_clauses(said: Clause, source: Sequence[Clause]) -> list[Clause]:
    """The propositions of the evidence that one of the statement fits best, equals all."""
    scored = [(fit(said, clause), clause) for clause in source]
    best = max((score for score, _ in scored), default=0.0)
    return [clause for score, clause in scored if score >= max(0.2, best - 0.05)]


def _negated(words: Sequence[Word]) -> bool:
    return any(word.form in NEGATIONS for word in words)


def _any_form(words: Sequence[Word], forms: frozenset[str]) -> bool:
    return any(word.form in forms or word.form.removesuffix("s") in forms for word in words)


def _same_force(said: Clause, source: Clause) -> Reason | None:
    """What is wrong with the modal of a proposition that restates another; None where nothing is."""
    pair = (said.kind, source.kind)
    if said.kind == source.kind:
        return None
    if pair == ("fact", "right"):
        return None if _any_form(said.words, _HAVING) or _any_form(said.words, _GRANTS) else Reason.MODALITY
    if pair in (("fact", "ban"), ("fact", "free")):
        return None if _negated(said.words) else Reason.NEGATION
    if pair == ("fact", "duty"):
        return None
    if pair == ("duty", "fact"):
        return None if _any_form(source.words, _OWED) or source.goals else Reason.MODALITY
    if pair == ("right", "fact"):
        return None if _any_form(source.words, _GRANTS) else Reason.MODALITY
    if pair == ("right", "duty"):
        if _any_form(said.words, _ONLY) and _any_form(source.words, _ONLY):
            return None
        return None if _any_form(source.words[:3], _GRANTS) else Reason.MODALITY
    if pair in (("ban", "fact"), ("free", "fact")):
        return None if _negated(source.words) else Reason.NEGATION
    return Reason.NEGATION if "ban" in pair else Reason.MODALITY


def modality(pair: Pair) -> Reason | None:
    """A proposition restated with another modal, or a duty that slipped under another modal."""
    said = [clause for row in pair.said.sentences for clause in clauses(row)]
    source = [clause for row in pair.source.sentences for clause in clauses(row)]
    for clause in said:
        if clause.kind == "fact" and sum(word.content for word in clause.words) < 3:
            continue
        fits = best_clauses(clause, source)
        wrong = [_same_force(clause, fit) for fit in fits]
        near = max((fit(clause, other) for other in source), default=0.0) - 0.3
        if wrong and all(wrong) and not any(_twin(clause, o) and fit(clause, o) >= near for o in source):
            return wrong[0]
        if not fits and clause.kind != "fact" and clause.kind not in {other.kind for other in source}:
            return Reason.MODALITY
    for other in source:
        head = other.head
        if other.kind == "fact" or head is None or sum(_has(clause, head) for clause in source) > 1:
            continue
        holders = [clause for clause in said if _has(clause, head) and not _said_as_fact(clause, head)]
        if holders and all(_same_force(clause, other) for clause in holders):
            return _same_force(holders[0], other)
    return None


def _said_as_fact(clause: Clause, head: Word) -> bool:
    """Whether a verb stands behind "and" as a statement of its own: may end it and keeps the advance."""
    return any(
        before.form == "AND" and word.form.endswith("s") and word.ideas & head.ideas
        for before, word in pairwise(clause.words)
    )


def _twin(said: Clause, source: Clause) -> bool:
    """Whether a proposition has the same modal and does the same."""
    return (
        said.kind == source.kind != "fact"
        and said.head is not None
        and source.head is not None
        and bool(said.head.ideas & source.head.ideas)
    )


def _has(clause: Clause, word: Word) -> bool:
    return any(other.ideas & word.ideas for other in clause.words)


_EXCEPTING = frozenset({"UNLESS", "ONLY", "BUT", "WITHOUT"})


def dropped(clause: Clause, row: Sequence[Word], pair: Pair) -> bool:
    """True where a statement leaves a whole proposition out, as it may: next to nothing of it is left."""
    begins = row[clause.start - 1].form if clause.start else "."
    if begins in ("BUT", "UNLESS", "IF") or (clause.start and begins == "," and row[clause.start - 2].form == "BUT"):
        return False
    return pair.share_kept([word for word in clause.words if not word.role]) < 0.3


def left_aside(row: tuple[Word, ...], pair: Pair) -> list[Clause]:
    """The propositions of a sentence that a statement leaves out, where it keeps another one."""
    parts = clauses(row)
    gone = [part for part in parts if dropped(part, row, pair)]
    return gone if len(gone) < len(parts) else []


def conditions(pair: Pair) -> Reason | None:
    """A condition or exception of a kept proposition that was lost, or one that was made up or turned."""
    said = pair.said_words
    forms = {word.form for word in said}
    for row in pair.covered:
        gone = left_aside(row, pair)
        for region in regions(row):
            if any(part.at < region.start < part.end for part in gone) and region.marker != "UNLESS":
                continue
            if _lost(region.marker, region.words, forms, pair):
                return Reason.CONDITION
    source_forms = {word.form for word in pair.source_words}
    if "UNLESS" in forms and not source_forms & {
        "UNLESS",
        "ONLY",
        "WITHOUT",
        *({"UNTIL"} if "NOT" in source_forms else ()),
    }:
        return Reason.CONDITION
    if "DESPITE" in forms and "DESPITE" not in source_forms and not source_forms & {"NOT"}:
        return Reason.CONDITION
    return Reason.CONDITION if _times_turned(pair) else None


def _lost(marker: str, words: Sequence[Word], forms: set[str], pair: Pair) -> bool:
    # A party named in a condition is mostly named elsewhere too.
    telling = [word for word in words if not word.role] if marker == "IF" else words
    share = pair.share_kept(telling if any(word.content or word.form[0] == "#" for word in telling) else words)
    if not any(word.content or word.form[0] == "#" for word in words):
        return marker == "UNLESS" and bool(words) and not forms & (_EXCEPTING | {"NOT", "IF"})
    if marker == "BUT":
        return share < 0.5
    if marker == "UNLESS":
        items = [part for form in (";", "AND", "OR") for part in _split(words, form)]
        gone = any(pair.share_kept(item) == 0.0 for item in items if sum(word.content for word in item) > 1)
        return share < 0.5 or not forms & _EXCEPTING or gone
    if marker == "SUBJECT":
        return share < 0.5 or ("DESPITE" in forms and "SUBJECT" not in forms)
    if marker == "DESPITE":
        gone = share >= 0.5 and not forms & {"DESPITE", "WITHOUT", *NEGATIONS}
        return gone or ("SUBJECT" in forms and "DESPITE" not in forms)
    if share < (0.34 if len(telling) == len(words) else 0.25):
        return True
    return any(pair.share_kept(part) == 0.0 for part in _split(words, "AND") if sum(word.content for word in part) > 1)


def _split(words: Sequence[Word], form: str) -> list[list[Word]]:
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.form == form:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


_OPPOSED = {"BEFORE": {"AFTER"}, "AFTER": {"BEFORE", "UNTIL"}, "UNTIL": {"AFTER"}}


def _times(words: Sequence[Word]) -> list[tuple[str, list[Word]]]:
    """Each before, after and until with the content words that it counts from."""
    found = []
    for i, word in enumerate(words):
        if word.form not in _OPPOSED:
            continue
        anchor = []
        for following in words[i + 1 : i + 8]:
            if following.form in STOPS or following.form in _OPPOSED:
                break
            if following.content:
                anchor.append(following)
        found.append((word.form, anchor[:3]))
    return found


_EARLIER = frozenset("MAX UNLESS NOT NO first advance prior beforehand by until earlier until MIN".split())
_EDGES = frozenset().union(*(ideas(word) for word in "start begin end expire complete date".split()))


_LATER = frozenset("IF UNLESS upon on once from MAX WHILE end start subsequent later as".split())


def _later(words: Sequence[Word]) -> bool:
    return any(word.form in _LATER or word.ideas & _EDGES for word in words)


# What allows "30 days before", as against "before" alone.
_COUNTED_EARLIER = frozenset("first advance prior beforehand earlier MIN NOT".split())


def _counted_before(words: Sequence[Word]) -> bool:
    """Whether "before" stands behind a number: 30 days before."""
    return any(
        word.form == "BEFORE" and any(other.form[0] == "#" for other in words[max(0, i - 2) : i])
        for i, word in enumerate(words)
    )


def _other_anchor(kind: str, anchor: Sequence[Word], source: Sequence[tuple[str, list[Word]]]) -> bool:
    """True where the event counted from is none of those of the evidence, its mere beginning or end aside."""
    mine = [word for word in anchor if not word.ideas & _EDGES]
    named = [word for k, words in source if k == kind for word in words]
    there = [word for word in named if not word.ideas & _EDGES]
    if not mine or not there or any(word.form == other.form for word in anchor for other in named):
        return False
    ideas_there = frozenset().union(*(word.ideas for word in there))
    return not any(word.ideas & ideas_there or any(akin(word, other) for other in there) for word in mine)


def _times_turned(pair: Pair) -> bool:
    said, source = _times(pair.said_words), _times(pair.source_words)
    kinds = {kind for kind, _ in source}
    for kind, anchor in said:
        if kind not in kinds and kinds & _OPPOSED[kind]:
            return True
        mine = frozenset().union(*(word.ideas for word in anchor[:2]))
        same = any(k == kind and any(word.ideas & mine for word in a) for k, a in source)
        other = any(k in _OPPOSED[kind] and any(word.ideas & mine for word in a[:2]) for k, a in source)
        if (other and not same) or _other_anchor(kind, anchor, source):
            return True
        if kind == "AFTER" and not kinds and not _later(pair.source_words):
            return True
        if kind == "BEFORE" and not kinds & {"BEFORE", "UNTIL"}:
            counted = _counted_before(pair.said_words)
            if not any(word.form in (_COUNTED_EARLIER if counted else _EARLIER) for word in pair.source_words):
                return True
    forms = {word.form for word in pair.said_words}
    if not forms & {"BEFORE", "UNTIL", "first", "MAX", "advance", "MIN"}:
        return any(kind == "BEFORE" and anchor and pair.kept(anchor[0]) for kind, anchor in source)
    return False
