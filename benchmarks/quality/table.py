"""The table of all cells of a results folder, as JSON and as Markdown."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.quality import scores
from benchmarks.quality.materials import PLAIN, Material, MissingMaterial, material
from benchmarks.quality.systems import OURS
from conspectus.paths import write_atomically

Row = dict[str, Any]


def cells_of(results: Path) -> list[dict[str, Any]]:
    """All cells in the folder, by model, document, system."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(results.glob("cells/*/*/*.json"))]


def rows_of(results: Path) -> list[Row]:
    """A row of scores for each cell, with the recalls at the lengths of the others in the same table."""
    cells = cells_of(results)
    rows: list[Row] = []
    for cell in cells:
        name, _, pages = cell["document"].partition(".p")
        try:
            what = material(name, int(pages or 0))
        except MissingMaterial as error:
            rows.append({**_head(cell), "missing": str(error)})
            continue
        try:
            row = {**_head(cell), **scores.score(cell, what)}
        except Exception as error:  # said in the table: one cell that cannot be scored must not hide the others
            rows.append({**_head(cell), "missing": f"{type(error).__name__}: {error}"})
            continue
        if what.name != PLAIN and what.facts:
            row["equal_length"] = _equal_length(cell, what, cells)
        rows.append(row)
    return rows


def _head(cell: dict[str, Any]) -> Row:
    return {key: cell[key] for key in ("system", "document", "detail")} | {"model": cell["model"]["name"]}


def _equal_length(cell: dict[str, Any], what: Material, cells: Sequence[dict[str, Any]]) -> Row:
    """Recall of this cell's text cut to the length of each other system on the same document with the same model."""
    out: Row = {}
    for other in cells:
        same = other["document"] == cell["document"] and other["model"] == cell["model"]
        if not same or other["system"] == cell["system"]:
            continue
        if "digest" in other:
            length = sum(len(line["text"]) for line in other["digest"]["statements"])
        else:
            length = len(other.get("answer", ""))
        out[other["system"]] = {"characters": length, "recall": scores.at_length(cell, what, length)}
        if "digest" in cell:
            out[other["system"]]["from_top"] = scores.read_from_top(cell, what, length)
    return out


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _fact_line(row: Row) -> list[str]:
    recall = row["recall"]
    base = recall["statements"]
    places = " / ".join(_percent(found / of if of else None) or "-" for found, of in base["by_position"].values())
    errors = row["errors"]
    equal = row.get("equal_length", {})
    at = next((equal[name] for name in OURS if name in equal), None) if "crash" in row else None
    return [
        row["document"],
        row["system"],
        f"{row['facts']}",
        f"{row['lines']} / {_percent(row['of_source'])}",
        _percent(base["share"]),
        _percent(at["recall"]) if at else "",
        places,
        _percent(recall["statements+overview"]["share"]) if "statements+overview" in recall else "",
        _percent(recall["with key terms"]["share"]) if "with key terms" in recall else "",
        f"{_percent(recall['with all tables']['share'])} ({_percent(row['tables_of_source'])})"
        if "with all tables" in recall
        else "",
        " + ".join(str(errors[kind]) for kind in ("number", "negation", "party"))
        + f" of {errors['lines']} ({_percent(errors['rate'])})",
        str(row["refused_by_checker"]["found"]) if "refused_by_checker" in row else "",
        f"{_percent(row['verbatim_lines'])} / {_percent(row['verbatim_characters'])}",
        _percent(row.get("near_copies")),
        _percent(row["repeated_5grams"]),
        f"{row['calls']} ({row['calls_a_page']})",
        str(row["tokens_a_page"]),
        "" if row["seconds"] is None else f"{row['seconds']:.0f}",
        _troubles(row),
    ]


def _troubles(row: Row) -> str:
    said = [row["crash"][:60]] if row.get("crash") else []
    said += [f"{row[key]} {key}" for key in ("overflows", "squeezed", "failures", "cut_answers") if row.get(key)]
    return ", ".join(said)


FACT_HEAD = [
    "document", "system", "facts n", "lines / of source", "recall", "recall cut to ours", "begin / middle / end",
    "+ overview", "+ key terms", "+ all tables (of source)", "errors: number + negation + party", "refused",
    "verbatim lines / characters", "near copies", "repeated 5-grams", "calls (a page)", "tokens a page", "s",
    "troubles",
]  # fmt: skip


def markdown(rows: Sequence[Row]) -> str:
    """The tables, one set for each model."""
    out = ["# Quality table", "", "What the columns mean: benchmarks/quality/README.md.", ""]
    for model in dict.fromkeys(row["model"] for row in rows if not row["model"].endswith("(silent)")):
        mine = [row for row in rows if row["model"].removesuffix(" (silent)") == model and "missing" not in row]
        out += [f"## {model}", ""]
        out += _table(FACT_HEAD, [_fact_line(row) for row in mine if row.get("facts")])
        out += _lengths(mine) + _kinds(mine) + _cuad(mine) + _questions(mine) + _plain(mine)
    lost = [[row["document"], row["system"], row["missing"]] for row in rows if "missing" in row]
    return "\n".join([*out, *_table(["document", "system", "why"], lost, "Not scored")]) + "\n"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], title: str = "") -> list[str]:
    if not lines:
        return []
    shown = [" | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) for line in lines]
    said = [f"### {title}", ""] if title else []
    return [*said, f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {line} |" for line in shown), ""]


def _lengths(rows: Sequence[Row]) -> list[str]:
    """Our recall at each peer's length beside the peer's own."""
    own = {(row["document"], row["system"]): row for row in rows if row.get("facts")}
    lines = []
    for (document, system), row in own.items():
        if "crash" in row:
            continue
        for other, at in row.get("equal_length", {}).items():
            peer = own.get((document, other))
            if peer is None or "crash" not in peer:
                continue
            theirs = peer["recall"]["statements"]["share"]
            lines.append(
                [document, f"{system} at the length of {other}", str(at["characters"]), _percent(at["recall"]),
                 _percent(at["from_top"]), _percent(theirs)]
            )  # fmt: skip
    head = [
        "document",
        "system",
        "characters",
        "recall, filled by materiality",
        "read from the top",
        "the peer's recall",
    ]
    return _table(head, lines, "Recall at the peer's length")


def _kinds(rows: Sequence[Row]) -> list[str]:
    """Recall by kind of fact over all sample documents: one column a system."""
    systems = list(dict.fromkeys(row["system"] for row in rows if row.get("facts")))
    kinds = sorted({kind for row in rows if row.get("facts") for kind in row["recall"]["statements"]["by_kind"]})
    lines = []
    for kind in kinds:
        cells = []
        for system in systems:
            pairs = [
                row["recall"]["statements"]["by_kind"].get(kind, (0, 0))
                for row in rows
                if row["system"] == system and row.get("facts")
            ]
            cells.append(f"{sum(found for found, _ in pairs)} of {sum(of for _, of in pairs)}")
        lines.append([kind, *cells])
    return _table(["kind of fact", *systems], lines, "Recall by kind, statements alone")


def _cuad(rows: Sequence[Row]) -> list[str]:
    mine = [row for row in rows if "cuad" in row]
    lines = [
        [row["document"], row["system"], *(f"{found} of {of}" for found, of in row["cuad"].values()), _troubles(row)]
        for row in mine
    ]
    for system in dict.fromkeys(row["system"] for row in mine):
        sums = [
            [sum(row["cuad"][key][at] for row in mine if row["system"] == system) for at in (0, 1)]
            for key in ("party", "date", "governing law")
        ]
        lines.append(["all", system, *(f"{a} of {b} ({_percent(a / b if b else None)})" for a, b in sums), ""])
    return _table(["document", "system", "party", "date", "governing law", "troubles"], lines, "CUAD labels found")


def _questions(rows: Sequence[Row]) -> list[str]:
    lines = [
        [row["document"], row["system"], f"{row['questions']['right']} of {row['questions']['of']}",
         str(row["questions"].get("answers_in_view", "")), _percent(row["of_source"]), _troubles(row)]
        for row in rows
        if "questions" in row
    ]  # fmt: skip
    head = ["document", "system", "answered", "answers in the text shown", "length of source", "troubles"]
    return _table(head, lines, "Questions on one book of the Civil Code")


def _plain(rows: Sequence[Row]) -> list[str]:
    lines = [
        [row["system"], str(row["plain"]["n"]), *(f"{value:.3f}" for value in row["plain"]["rouge_l"].values()),
         f"{row['plain']['rouge_l_f1_where_said']:.3f}",
         str(row["plain"]["characters"]), _percent(row["plain"]["verbatim_lines"]), str(row["plain"]["empty"])]
        for row in rows
        if row.get("plain", {}).get("rouge_l")
    ]  # fmt: skip
    head = ["system", "n", "precision", "recall", "F1", "F1 where a line is", "characters", "verbatim", "empty"]
    return _table(head, lines, "Clause pairs in plain English, ROUGE-L")


def write(results: Path) -> str:
    """Writes table.json and table.md and returns the Markdown."""
    rows = rows_of(results)
    text = markdown(rows)
    write_atomically(results / "table.json", (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode())
    write_atomically(results / "table.md", text.encode())
    return text
