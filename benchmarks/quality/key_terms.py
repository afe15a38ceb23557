"""Prints how much of what people marked stands in the tables made by code: python benchmarks/quality/key_terms.py

Two sets: the facts planted in data/*.facts.json, and the CUAD labels of the shared corpus (parties, dates, governing
law). A planted fact is found in the tables' cells where all its words stand in the cells of rows that rest on its
sentence, and in their quotes where such rows exist and the words stand in their sentences. A CUAD label is found
where a row of its kind has its words (names, dates) or rests on its sentence (expiry, renewal, notice, law).
"""

import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rapidfuzz import fuzz

from conspectus.document import KeyTerm, Source, TermKind
from conspectus.evidence.reading import to_document
from conspectus.evidence.source import to_source
from conspectus.pdf import read_pdf
from conspectus.terms.collect import Tables, collect_all
from conspectus.terms.types import Duty
from conspectus.text import normalise

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
SAMPLES = ("lease", "regulation", "act-zh")
SENTENCES = {
    "Expiration Date": (TermKind.DATE, TermKind.PERIOD),
    "Renewal Term": (TermKind.DATE, TermKind.PERIOD),
    "Notice Period To Terminate Renewal": (TermKind.DATE, TermKind.PERIOD),
    "Governing Law": (TermKind.LAW,),
}
GROUPS = {
    "Parties": "party", "Agreement Date": "date", "Effective Date": "date", "Expiration Date": "date",
    "Renewal Term": "date", "Notice Period To Terminate Renewal": "date", "Governing Law": "governing law",
}  # fmt: skip
_SAYS_WHEN = re.compile(r"[0-9]|\b(?:one|two|three|four|five|six|ten|thirty|sixty|ninety)\b", re.I)


def plain(text: str) -> str:
    return re.sub(r"[^\w£$€%]+", " ", normalise(text).casefold()).strip()


def source_of(path: Path) -> Source:
    return to_source(to_document(path, read_pdf(path)))


def cells(row: KeyTerm | Duty) -> str:
    if isinstance(row, Duty):
        return " ".join((row.who, row.operator, row.what, row.when, row.condition, row.exception))
    return " ".join((row.name, row.value, row.computed, row.note))


def has_all(words: list[str], text: str) -> bool:
    """True where each of the words, or one of the forms that | parts, stands in the text."""
    there = plain(text)
    squeezed = there.replace(" ", "")
    return all(any(plain(f) in there or plain(f).replace(" ", "") in squeezed for f in w.split("|")) for w in words)


def near(label: str, sentence: str) -> bool:
    a, b = plain(label), plain(sentence)
    if len(b) < 20:
        return False
    return b in a or a in b or (min(len(a), len(b)) > 40 and fuzz.partial_ratio(a, b) >= 88)


def planted() -> None:
    print("## Planted facts in the tables (all of the fact's words)\n")
    print("| sample | type | facts | in cells | in rows' sentences |")
    print("|---|---|---|---|---|")
    totals = [0, 0, 0]
    missed: list[str] = []
    for name in SAMPLES:
        source = source_of(ROOT / "data" / f"{name}.pdf")
        tables = collect_all(source)
        facts = json.loads((ROOT / "data" / f"{name}.facts.json").read_text(encoding="utf-8"))["facts"]
        by_kind: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for fact in facts:
            in_cells, in_quote = planted_fact(fact, source, tables)
            for counts in (by_kind[fact["kind"]], totals):
                counts[0] += 1
                counts[1] += in_cells
                counts[2] += in_quote
            if not in_cells:
                row = "" if in_quote else " (no row)"
                missed.append(f"{name} {fact['kind']}{row}: {fact['must_contain']} {fact['quote'][:140]}")
        for kind, counts in sorted(by_kind.items()):
            print(f"| {name} | {kind} | {counts[0]} | {counts[1]} | {counts[2]} |")
    print(
        f"| all | | {totals[0]} | {totals[1]} ({totals[1] / totals[0]:.3f}) |"
        f" {totals[2]} ({totals[2] / totals[0]:.3f}) |"
    )
    print("\nNot in the cells:\n")
    print("\n".join(f"- {line}" for line in missed))


def planted_fact(fact: dict[str, list[str]], source: Source, tables: Tables) -> tuple[bool, bool]:
    quote = plain(str(fact["quote"])).replace(" ", "")
    touched: set[int] = set()
    for sentence in source.sentences:
        own = plain(source.document.text[sentence.own.start : sentence.own.end]).replace(" ", "")
        if len(own) > 5 and (quote in own or own in quote):
            touched.add(sentence.index)
    rows = [row for row in (*tables.key_terms, *tables.duties) if row.sentence in touched]
    words = list(fact["must_contain"])
    return (
        has_all(words, " ".join(cells(row) for row in rows)),
        bool(rows) and has_all(words, " ".join(source.sentences[row.sentence].text for row in rows)),
    )


def labels() -> Iterator[tuple[dict[str, list[str]], Path]]:
    for entry in json.loads((CORPUS / "eval" / "cuad_labels_20.json").read_text(encoding="utf-8")):
        for path in sorted((CORPUS / "contracts").glob(f"cuad_*_{entry['file']}")):
            yield entry, path


def label_found(kind: str, label: str, source: Source, tables: Tables) -> bool | None:
    """True or False; None where the label is a phrase that no row could hold."""
    if kind == "Parties":
        said = plain(re.sub(r"^\W*(?:licensee|licensor):?\s|\ba/k/a\b|\bdoing business as\b", "", label, flags=re.I))
        if len(label.split()) > 9 or "referred to" in label:
            return None
        rows = [term for term in tables.key_terms if term.kind is TermKind.PARTY]
        quoted = [plain(q) for q in re.findall(r"[“\"]\s?([^”\"]+?)[”\"]", label)] or [said]
        # What one is "also known as" stands in what describes the party, not in its name.
        alias = bool(re.search(r"a/k/a|d/b/a|doing business as|operating with|^BNY", label, re.I))
        named = quoted[0]
        return any(
            named == plain(row.name) or named in plain(f"{row.value} {row.note}" if alias else row.value)
            for row in rows
        )
    if kind in ("Agreement Date", "Effective Date") and len(label.split()) <= 9:
        said = re.sub(r"(?<=[0-9])(?:st|nd|rd|th|t h)\b| ", "", plain(label)).replace("dayof", "")
        rows = [term for term in tables.key_terms if term.kind is TermKind.DATE]
        forms = [re.sub(r"(?<=[0-9])(?:st|nd|rd|th)\b| ", "", plain(row.value)).replace("dayof", "") for row in rows]
        blank = re.search(r"\[[^\]]*\]", label)
        return any(said in form or (said == form) for form in forms) or bool(
            blank and any("blank" in r.note for r in rows)
        )
    wanted = SENTENCES.get(kind, (TermKind.DATE, TermKind.PERIOD))
    if TermKind.LAW not in wanted and not _SAYS_WHEN.search(label):
        return None
    return any(term.kind in wanted and near(label, source.sentences[term.sentence].text) for term in tables.key_terms)


# What a date or period row on a label's sentence should be for.
ROLES = {
    "Agreement Date": {"agreement", "effective"},
    "Effective Date": {"agreement", "effective"},
    "Expiration Date": {"expiry", "termination", "effective"},
    "Renewal Term": {"renewal"},
    "Notice Period To Terminate Renewal": {"notice", "renewal"},
}


def role_right(kind: str, label: str, source: Source, tables: Tables) -> bool:
    """True where a row that answers the label also says what the date is for."""
    rows = [term for term in tables.key_terms if term.role in ROLES.get(kind, ())]
    return bool(label_found(kind, label, source, replace(tables, key_terms=tuple(rows))))


def cuad() -> None:
    roles: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    missed: list[str] = []
    seconds = pages = 0.0
    for entry, path in labels():
        source = source_of(path)
        start = time.perf_counter()
        tables = collect_all(source)
        seconds += time.perf_counter() - start
        pages += len(source.document.pages)
        for kind, group in GROUPS.items():
            for label in entry[kind]:
                found = label_found(kind, label, source, tables)
                for key in (kind, f"all: {group}"):
                    counts[key][0 if found is not None else 2] += 1
                    counts[key][1] += bool(found)
                if found and kind in ROLES:
                    roles[kind][0] += 1
                    roles[kind][1] += role_right(kind, label, source, tables)
                if found is False:
                    missed.append(f"{path.name} {kind}: {label[:160]}")
    print("\n## CUAD labels in the tables\n")
    print("| label | labels | found | recall | phrases that no row can hold |")
    print("|---|---|---|---|---|")
    for kind, (n, found, phrases) in counts.items():
        print(f"| {kind} | {n} | {found} | {found / max(1, n):.3f} | {phrases} |")
    said = ", ".join(f"{kind} {right} of {n}" for kind, (n, right) in roles.items())
    print(f"\nRows that also say what the date is for: {said}.")
    print(f"\n{pages:.0f} pages, {seconds:.2f} s for the tables: {pages / max(seconds, 1e-9):.0f} pages a second.")
    print("\nMissed:\n")
    print("\n".join(f"- {line}" for line in missed))


def main() -> int:
    planted()
    if CORPUS.exists():
        cuad()
    else:
        print(f"\nThe shared corpus is not at {CORPUS}: no CUAD labels.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
