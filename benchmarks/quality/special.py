"""Scores that need more than planted facts: CUAD labels, the questions on the Civil Code, ROUGE-L of clause pairs."""

import re
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from benchmarks.quality.materials import Question
from conspectus.check.salient import salient
from conspectus.text import fold

_LAW = re.compile(
    r"\b(?:laws?|jurisdiction)\b[^.;]{0,60}?\b(?:of|in)\s+(?:the\s+)?(?:(?:state|commonwealth|province)\s+of\s+)?"
    r"(?P<place>[A-Z][A-Za-z]+(?:\s[A-Z][A-Za-z]+)?)",
    re.I,
)
_NOT_A_NAME = re.compile(r"referred to|\bpart(?:y|ies)\b[\"”]|on behalf of|\bmeans\b|\bcollectively\b", re.I)
LONGEST_NAME = 80


def _bare(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9&]+", fold(text).casefold()))


def party_names(labels: Sequence[str]) -> list[str]:
    """The names and roles among the labels of parties; labels that are whole sentences say no name and are left out."""
    return [label for label in labels if len(label) <= LONGEST_NAME and not _NOT_A_NAME.search(label) and _bare(label)]


def law_places(labels: Sequence[str]) -> list[str]:
    """The states or countries whose law governs: one a label that names one."""
    found = (_LAW.search(" ".join(fold(label).split())) for label in labels)
    return [match["place"] for match in found if match]


def _dates(text: str) -> set[str]:
    return {token.value for token in salient(fold(text)) if token.kind == "date"}


def cuad(labels: Mapping[str, Any], lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """(found, of) for party names, agreement and effective dates, and governing law, in the lines of a system."""
    whole = f" {_bare(' '.join(lines))} "
    names = party_names(labels["Parties"])
    wanted = set().union(
        *(_dates(label) for key in ("Agreement Date", "Effective Date") for label in labels[key]), set()
    )
    there = set().union(*(_dates(line) for line in lines), set())
    places = law_places(labels["Governing Law"])
    about_law = [_bare(line) for line in lines if re.search(r"\blaws?\b|govern", line, re.I)]
    return {
        "party": (sum(f" {_bare(name)} " in whole for name in names), len(names)),
        "date": (len(wanted & there), len(wanted)),
        "governing law": (sum(any(_bare(place) in line for line in about_law) for place in places), len(places)),
    }


def answered(questions: Sequence[Question], lines: Sequence[str]) -> list[str]:
    """The ids of the questions that one of the lines answers."""
    flat = ["".join(fold(line).split()) for line in lines]
    return [
        question.id
        for question in questions
        if any(all(part in line for part in (*question.answer, *question.about)) for line in flat)
    ]


def replied(questions: Sequence[Question], replies: Mapping[str, str]) -> list[str]:
    """The ids of the questions whose reply holds the answer."""
    return [
        question.id
        for question in questions
        if all(part in "".join(fold(replies.get(question.id, "")).split()) for part in question.answer)
    ]


def rouge_l(lines: Mapping[str, str], human: Mapping[str, str]) -> dict[str, float]:
    """Mean ROUGE-L (precision, recall, F1; stemmed) of each line against the human one of the same id."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    scores = [scorer.score(human[key], line)["rougeL"] for key, line in lines.items()]
    return {
        "precision": round(mean(score.precision for score in scores), 4),
        "recall": round(mean(score.recall for score in scores), 4),
        "f1": round(mean(score.fmeasure for score in scores), 4),
    }
