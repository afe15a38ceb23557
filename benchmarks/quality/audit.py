"""An audit by a reader: a random sample of lines with their evidence to judge, and the count of the judgements.

python -m benchmarks.quality.audit sample --seed 7 --n 100 --digests DIGEST.json CELL.json ... > audits/NAME.jsonl
python -m benchmarks.quality.audit report benchmarks/quality/audits/*.jsonl
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# What a reader may say of a line beside its quote. Only `right` is no error.
JUDGEMENTS = ("right", "number", "negation", "party", "meaning", "unclear")
FIELDS = ("seed", "document", "system", "model", "line", "quote", "clause", "page", "judgement", "reason")
Row = dict[str, Any]


def lines_of(path: Path, verdict: str, part: str) -> Iterator[Row]:
    """The lines of a digest (digest.json, or a cell that holds one) with this verdict, not yet judged."""
    content = json.loads(path.read_text("utf-8"))
    digest = content.get("digest", content)
    if "statements" not in digest:
        return
    overview = [line for owner in (digest, *digest["sections"]) for line in owner["overview"]]
    chosen = {"statements": digest["statements"], "overview": overview}.get(part, [*digest["statements"], *overview])
    for line in chosen:
        if line["verdict"] == verdict:
            yield {
                "document": digest["document"]["name"],
                "system": content.get("system", "conspectus"),
                "model": digest["provenance"]["model"],
                "line": line["text"],
                "quote": line["quote"],
                "clause": line["clause"],
                "page": ", ".join(line["page_labels"]),
            }


def sample(paths: Sequence[Path], n: int, seed: int, verdict: str = "verified", part: str = "statements") -> list[Row]:
    """`n` different lines, the same ones for the same files and seed; fewer where there are not so many."""
    pool = [line for path in sorted(paths) for line in lines_of(path, verdict, part)]
    unique = list({(line["document"], line["line"], line["quote"]): line for line in pool}.values())
    chosen = random.Random(seed).sample(unique, min(n, len(unique)))
    return [{"seed": seed, **line, "judgement": "", "reason": ""} for line in chosen]


def report(rows: Sequence[Row]) -> tuple[str, bool]:
    """The count of the judgements, and whether every line has one that is known."""
    unknown = [row for row in rows if row["judgement"] not in JUDGEMENTS]
    out = []
    for document in [*dict.fromkeys(row["document"] for row in rows), "all"]:
        mine = Counter(row["judgement"] or "(none)" for row in rows if document in (row["document"], "all"))
        wrong = sum(count for said, count in mine.items() if said not in ("right", "(none)"))
        counts = ", ".join(f"{count} {said}" for said, count in mine.most_common())
        out.append(f"{document}: {counts}; {wrong} of {sum(mine.values())} with an error")
    out += [f"  {row['judgement']}: {row['line']}\n    {row['reason']}" for row in rows if row["judgement"] != "right"]
    return "\n".join(out), not unknown


def main(given: Sequence[str] | None = None) -> int:
    """The two commands."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.audit", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("sample", help="print lines to judge, as JSON lines")
    taking.add_argument("--seed", type=int, required=True)
    taking.add_argument("--n", type=int, default=100)
    taking.add_argument("--verdict", default="verified", choices=["verified", "verbatim", "unverified"])
    taking.add_argument("--part", default="statements", choices=["statements", "overview", "all"])
    taking.add_argument("--digests", type=Path, nargs="+", required=True, help="digest.json files or cells")
    counting = commands.add_parser("report", help="count the judgements; exit 1 where one is missing")
    counting.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args(given)
    if options.command == "sample":
        for row in sample(options.digests, options.n, options.seed, options.verdict, options.part):
            print(json.dumps({field: row[field] for field in FIELDS}, ensure_ascii=False))
        return 0
    rows = [json.loads(line) for path in options.files for line in path.read_text("utf-8").splitlines() if line.strip()]
    text, whole = report(rows)
    print(text)
    if not whole:
        print(f"some lines have no judgement of: {', '.join(JUDGEMENTS)}", file=sys.stderr)
    return 0 if whole else 1


if __name__ == "__main__":
    raise SystemExit(main())
