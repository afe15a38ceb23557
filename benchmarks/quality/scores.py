"""From a stored cell to its scores; done again at each report, so that a better rule costs no model call."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from rapidfuzz import fuzz

from benchmarks.quality import special
from benchmarks.quality.errors import Auditor, Finding, audit
from benchmarks.quality.materials import CIVIL_CODE, PLAIN, Material, cuad_labels, questions, source_of
from benchmarks.quality.scoring import (
    Recall,
    Yardstick,
    copied_share,
    cut_to,
    recall,
    repeated_five_grams,
    sentences_of,
    with_neighbours,
)
from benchmarks.quality.systems import pairs
from conspectus.check.check import check
from conspectus.digesting.materiality import fill, materiality
from conspectus.document import Language
from conspectus.render.words import WORDS

Cell = dict[str, Any]
_NOT_SHOWN = {
    *("quote", "verdict", "clause", "clause_id", "kind", "pages", "page_labels", "spans", "id", "role", "operator"),
    *("offset", "unit", "direction", "trigger", "limit"),  # parts of a formula, whose text is shown
}
FINDINGS_KEPT = 40
NEAR_COPY = 95.0  # rapidfuzz ratio from which a line has no words of its own
_NO_WORD = re.compile(r"[^\w]+|\b(?:the|an?)\b")


@cache
def yardstick_of(what: Material) -> Yardstick:
    """The prepared source of a document."""
    return Yardstick(source_of(what), what.facts)


@cache
def auditor_of(what: Material) -> Auditor:
    """The prepared error rules of a document."""
    return Auditor(yardstick_of(what))


def term_lines(digest: dict[str, Any], *, duties: bool = True) -> list[str]:
    """The tables as a reader sees them, without the evidence behind them: key terms and, if wanted, duties.

    Rows of one table that rest on one sentence stand beside each other and are one line here.
    """
    modality = WORDS[Language(digest["document"]["language"])]["modality"]
    rows: dict[tuple[str, object], list[str]] = {}
    tables = [(row["kind"], row) for row in digest.get("key_terms", [])]
    told = digest.get("duties", []) if duties else []
    tables += [("duty", {**row, "modality": modality[row["modality"]]}) for row in told]
    for at, (table, row) in enumerate(tables):
        rows.setdefault((table, row.get("sentence", -at - 1)), []).extend(_cells(row))
    return [" ".join(dict.fromkeys(cells)) for cells in rows.values()]


def _cells(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return [cell for key, inner in value.items() if key not in _NOT_SHOWN for cell in _cells(inner)]
    if isinstance(value, list):
        return [cell for inner in value for cell in _cells(inner)]
    return []


def overview_lines(digest: dict[str, Any]) -> list[str]:
    """The sentences of the document overview and of the section overviews."""
    sections = [line for section in digest["sections"] for line in section["overview"]]
    return [line["text"] for line in (*digest["overview"], *sections)]


def score(cell: Cell, what: Material) -> Cell:
    """All scores of a cell."""
    if what.name == PLAIN:
        return {"plain": _plain(cell, what)}
    out = _digest(cell, what) if "digest" in cell else _prose(cell, what)
    if "replies" in cell:
        right = special.replied(questions(), cell["replies"])
        shown = special.answered(questions(), cell["shown"].splitlines())
        out["questions"] = {"right": len(right), "of": len(questions()), "answers_in_view": len(shown)}
    elif what.name == CIVIL_CODE:
        lines = out.pop("_all_lines")
        out["questions"] = {"right": len(special.answered(questions(), lines)), "of": len(questions())}
    else:
        labels = cuad_labels(what.name) if what.name.startswith("cuad") else None
        if labels:
            out["cuad"] = special.cuad(labels, out["_all_lines"])
    out.pop("_all_lines", None)
    return out


def _recalled(yard: Yardstick, lines: Sequence[str]) -> Recall:
    return recall(yard, yard.stated(lines))


def _digest(cell: Cell, what: Material) -> Cell:
    digest, yard = cell["digest"], yardstick_of(what)
    statements = [statement["text"] for statement in digest["statements"]]
    overview, terms = overview_lines(digest), term_lines(digest)
    places = {text: index for index, text in enumerate(yard.sentences)}
    evidence = [places.get(statement["quote"]) for statement in digest["statements"]]
    found = audit(auditor_of(what), statements, evidence) + audit(auditor_of(what), overview)
    refused = [
        {"line": line["text"], "reasons": [reason.value for reason in reasons]}
        for line in digest["statements"]
        if line["verdict"] == "verified" and (reasons := check(line["text"], line["quote"], yard.language))
    ]
    verbatim = [line for line in digest["statements"] if line["verdict"] == "verbatim"]
    characters = sum(map(len, statements))
    return {
        "facts": len(yard.facts),
        "lines": len(statements),
        "characters": characters,
        "of_source": round(characters / max(1, cell["source_characters"]), 4),
        "recall": {
            "statements": _asdict(_recalled(yard, statements)),
            "statements+overview": _asdict(_recalled(yard, [*statements, *overview])),
            "with key terms": _asdict(_recalled(yard, [*statements, *overview, *term_lines(digest, duties=False)])),
            "with all tables": _asdict(_recalled(yard, [*statements, *overview, *terms])),
        },
        "tables_of_source": round(sum(map(len, terms)) / max(1, cell["source_characters"]), 4),
        "verbatim_lines": _share(len(verbatim), len(statements)),
        "near_copies": _share(sum(map(_repeats, digest["statements"])), len(statements)),
        "verbatim_characters": _share(sum(len(line["text"]) for line in verbatim), characters),
        # An overview repeats statements by design: each is measured by itself.
        "repeated_5grams": repeated_five_grams(statements),
        "overview_repeated_5grams": repeated_five_grams([line["text"] for line in digest["overview"]]),
        "overview_lines": len(digest["overview"]),
        "coverage": {
            **{key: digest["coverage"][key] for key in ("clauses", "accounted", "pages", "pages_read")},
            "states": digest["coverage"]["states"],
        },
        "refused_by_checker": {"of": len(statements) - len(verbatim), "found": len(refused), "lines": refused[:20]},
        "errors": _errors(found, len(statements) + len(overview)),
        **_cost(cell),
        "_all_lines": [*statements, *overview, *terms],
    }


def _repeats(line: dict[str, Any]) -> bool:
    """Whether a verified line is its sentence but for marks, articles and a word or two."""
    return line["verdict"] == "verified" and fuzz.ratio(_bare(line["text"]), _bare(line["quote"])) >= NEAR_COPY


def _bare(text: str) -> str:
    return _NO_WORD.sub(" ", re.sub(r"\([0-9a-z]{1,4}\)|\[…\]", " ", text.lower()))


def _prose(cell: Cell, what: Material) -> Cell:
    yard = yardstick_of(what)
    answer = cell.get("answer", "")
    lines = sentences_of(answer)
    copied = copied_share(lines, source_of(what).document.text, yard.language)
    return {
        "facts": len(yard.facts),
        "lines": len(lines),
        "characters": len(answer),
        "of_source": round(len(answer) / max(1, cell["source_characters"]), 4),
        "recall": {"statements": _asdict(_recalled(yard, with_neighbours(lines)))},
        "verbatim_lines": copied[0],
        "verbatim_characters": copied[1],
        "repeated_5grams": repeated_five_grams([answer]),
        "errors": _errors(audit(auditor_of(what), lines), len(lines)),
        "crash": cell.get("crash", ""),
        "overflows": cell.get("overflows", 0),
        "squeezed": cell.get("squeezed", 0),
        **_cost(cell),
        "_all_lines": with_neighbours(lines),
    }


def at_length(cell: Cell, what: Material, characters: int) -> float | None:
    """Recall of a system's text cut to so many characters.

    A digest is filled up by materiality, as a shorter `--detail` would be; prose is cut behind its last character.
    """
    yard = yardstick_of(what)
    if "digest" not in cell:
        return _recalled(yard, with_neighbours(sentences_of(cell.get("answer", "")[:characters]))).share
    lines = cell["digest"]["statements"]
    ranked = sorted(range(len(lines)), key=lambda at: (-materiality(lines[at]["quote"], yard.language), at))
    kept = fill(ranked, [len(line["text"]) for line in lines], characters)
    return _recalled(yard, [lines[at]["text"] for at in kept]).share


def read_from_top(cell: Cell, what: Material, characters: int) -> float | None:
    """Recall of a digest read from its top for so many characters: overview, key terms, statements."""
    digest = cell["digest"]
    texts = [
        *(line["text"] for line in digest["overview"]),
        *term_lines(digest),
        *(line["text"] for line in digest["statements"]),
    ]
    return _recalled(yardstick_of(what), cut_to(texts, characters)).share


def _plain(cell: Cell, what: Material) -> Cell:
    human = {pair["id"]: pair["summary"] for pair in pairs(what)}
    lines = {key: line["text"] for key, line in cell.get("lines", {}).items()}
    out: Cell = {"n": len(lines), "empty": sum(not line for line in lines.values()), "crash": cell.get("crash", "")}
    if lines:
        out["rouge_l"] = special.rouge_l(lines, human)
        said = {key: line for key, line in lines.items() if line}
        out["rouge_l_f1_where_said"] = special.rouge_l(said, human)["f1"] if said else 0.0
        statements = sum(line.get("statements", 0) for line in cell["lines"].values())
        out["verbatim_lines"] = _share(sum(line.get("verbatim", 0) for line in cell["lines"].values()), statements)
        out["characters"] = round(sum(map(len, lines.values())) / len(lines))
    return out | _cost(cell)


def _cost(cell: Cell) -> Cell:
    costs, pages = cell["costs"], max(1, cell["pages"])
    tokens = costs["prompt_tokens"] + costs["generated_tokens"]
    return {
        "calls": costs["calls"],
        "calls_a_page": round(costs["calls"] / pages, 2),
        "tokens_a_page": round(tokens / pages),
        "seconds": None if costs["cached"] else cell["wall_seconds"],
        "failures": len(costs["failures"]),
        "cut_answers": costs["cut"],
    }


def _errors(found: Sequence[Finding], lines: int) -> Cell:
    kinds = {kind: sum(finding.kind == kind for finding in found) for kind in ("number", "negation", "party")}
    return {
        "lines": lines,
        **kinds,
        "rate": _share(len(found), lines),
        "found": [asdict(f) for f in found[:FINDINGS_KEPT]],
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _asdict(made: Recall) -> Cell:
    return {"share": made.share, "all": made.all, "by_kind": dict(made.by_kind), "by_position": dict(made.by_position)}
