"""Measure systems on documents with a model: python -m benchmarks.quality.run --model PATH --documents small.

A results folder holds one JSON a cell (system x document x model). A cell that is there is not made again; the answers
of the model are kept too, so that a run that was stopped goes on where it was.
"""

import argparse
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality import systems, table
from benchmarks.quality.asking import OutOfTime
from benchmarks.quality.materials import ROOT, Material, MissingMaterial, named_materials
from conspectus.document import Detail
from conspectus.llama import Model
from conspectus.paths import write_atomically

RESULTS = ROOT / "build" / "quality"  # ignored by git


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.run", description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="starter", help="a GGUF file, or `starter` (default)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of one call (default 4096)")
    parser.add_argument("--documents", default="samples", help="names and groups: samples, cuad4, cuad, small, ...")
    parser.add_argument("--systems", default="all", help=f"of {', '.join(systems.SYSTEMS)}")
    parser.add_argument("--only", default="", help="regular expression over system/document")
    parser.add_argument("--pages", type=int, default=0, help="only the first pages of each document")
    parser.add_argument("--detail", default="normal", choices=[detail.value for detail in Detail])
    parser.add_argument("--max-minutes", type=float, default=0.0, help="start nothing more after so many minutes")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where cells and answers are kept")
    parser.add_argument("--again", action="store_true", help="make cells again that are there (answers are kept)")
    parser.add_argument("--table-only", action="store_true", help="no model: score the cells that are there")
    return parser.parse_args(given)


def open_model(name: str, context: int, cache: Path) -> Model:
    """The embedded model. Raises ModelError."""
    from conspectus.llama.embedded import EmbeddedModel
    from conspectus.llama.gguf import resolve_model

    cache.mkdir(parents=True, exist_ok=True)
    return EmbeddedModel(resolve_model(name), context=context, cache_dir=cache)


def wanted(options: argparse.Namespace) -> list[tuple[str, Material]]:
    """The cells that are asked for, document by document. Raises MissingMaterial, SystemExit for an unknown system."""
    names = list(systems.SYSTEMS) if options.systems == "all" else options.systems.split(",")
    if unknown := set(names) - set(systems.SYSTEMS):
        raise SystemExit(f"no such system: {', '.join(sorted(unknown))}; there are: {', '.join(systems.SYSTEMS)}")
    return [
        (system, what)
        for what in named_materials(options.documents, options.pages)
        for system in names
        if systems.suits(system, what) and re.search(options.only, f"{system}/{what.cell_name}")
    ]


def cell_path(results: Path, model: Model, context: int, what: Material, system: str, detail: str) -> Path:
    """Where a cell is kept: a folder for the model file and window, one for the document."""
    info = model.info
    folder = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{info.name}-{info.fingerprint[:8]}-{info.context}")
    suffix = "" if detail == "normal" else f".{detail}"
    return results / "cells" / folder / what.cell_name / f"{system}{suffix}.json"


def run(options: argparse.Namespace, model: Model) -> int:
    """Makes the cells that are missing; returns how many could not be made."""
    stop_at = time.monotonic() + 60 * options.max_minutes if options.max_minutes else None
    lost = 0
    for system, what in wanted(options):
        path = cell_path(options.results, model, options.context, what, system, options.detail)
        label = f"{what.cell_name} {system}"
        if path.is_file() and not options.again:
            print(f"{label}: there already, {_n(json.loads(path.read_text('utf-8')))}", flush=True)
            continue
        if stop_at is not None and time.monotonic() > stop_at:
            print(f"{label}: not started, the minutes are used up", flush=True)
            lost += 1
            continue
        try:
            cell = systems.make_cell(
                system, what, model, options.results / "answers" / system, Detail(options.detail), stop_at
            )
        except (OutOfTime, ImportError) as error:
            print(f"{label}: not made: {type(error).__name__} {error}", flush=True)
            lost += 1
            continue
        except Exception:  # one broken cell must not end a night of others
            traceback.print_exc()
            print(f"{label}: not made: an error of the harness or of the product", flush=True)
            lost += 1
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(cell, ensure_ascii=False, indent=1) + "\n").encode())
        print(f"{label}: {_n(cell)}", flush=True)
    return lost


def _n(cell: dict[str, object]) -> str:
    """What one cell holds, in a line."""
    costs, digest = cell["costs"], cell.get("digest")
    assert isinstance(costs, dict)
    said = f"{cell['pages']} pages, {costs['calls']} calls ({costs['cached']} from disk), {cell['wall_seconds']} s"
    if isinstance(digest, dict):
        verdicts = digest["coverage"]["verdicts"]
        said = f"n = {len(digest['statements'])} statements ({verdicts['verbatim']} verbatim), {said}"
    elif isinstance(lines := cell.get("lines"), dict):
        said = f"n = {len(lines)} pairs, {said}"
    elif isinstance(replies := cell.get("replies"), dict):
        said = f"n = {len(replies)} questions, {said}"
    else:
        said = f"n = 1 answer of {len(str(cell.get('answer', '')))} characters, {said}"
    return f"{said}, CRASHED: {cell['crash']}" if cell.get("crash") else said


def main(given: Sequence[str] | None = None) -> int:
    """Makes the cells and writes the tables."""
    options = arguments(given)
    options.results.mkdir(parents=True, exist_ok=True)
    lost = 0
    if not options.table_only:
        os.environ.setdefault("CONSPECTUS_CACHE", str(options.results / "model-cache"))
        try:
            model = open_model(options.model, options.context, options.results / "model-cache")
            try:
                lost = run(options, model)
            finally:
                model.close()
        except MissingMaterial as error:
            print(error, file=sys.stderr)
            return 2
    print(table.write(options.results))
    return 3 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
