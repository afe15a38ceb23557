"""Make the sample PDFs and their facts files from the texts in data/source.

python data/make_samples.py            make all three
python data/make_samples.py --check    compare with the files that are there, write nothing
"""

import argparse
import hashlib
import io
import itertools
import json
import re
import sys
import tempfile
import tomllib
import zlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pypdf import PdfReader
from sample_layout import Block, Style, at, build, find_fonts, parse, subset_fonts

HERE = Path(__file__).resolve().parent
SAMPLES = ("lease", "regulation", "act-zh")
CLAUSE_HEADING = re.compile(r"(\d+)\. (?=[A-Z][a-z])")  # "12. Heading" is a section itself, "4. RENT" holds 4.1, 4.2
NUMERALS = "0123456789零〇一二三四五六七八九十百千万"
CHINESE_LIMB = re.compile(r"（[一二三四五六七八九十]+）")


class FactError(ValueError):
    """A planted fact does not stand in the document as its file says."""


def made_with(fonts: dict[str, Path]) -> dict[str, str]:
    """Name what the bytes of a PDF depend on besides the text."""
    tools = {"fpdf2": version("fpdf2"), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    if fonts:
        tools["fonttools"] = version("fonttools")
    return tools | {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in fonts.values()}


def make(name: str, fonts: dict[str, Path]) -> tuple[bytes, dict[str, Any]]:
    """Set one sample and locate its facts in the PDF just made."""
    source = (HERE / "source" / f"{name}.txt").read_text(encoding="utf-8")
    notes = tomllib.loads((HERE / "source" / f"{name}.facts.toml").read_text(encoding="utf-8"))
    document = notes["document"]
    chinese = document["language"] == "zh"
    if not chinese:
        fonts = {}
    blocks = parse(source)
    with tempfile.TemporaryDirectory() as folder:
        style = Style(
            date=at(document["date"]),
            language={"en": "en-GB", "zh": "zh-CN"}[document["language"]],
            fonts=subset_fonts(fonts, source, Path(folder)),
            **notes["layout"],
        )
        pdf, heading_pages = build(blocks, style)
    reader = PdfReader(io.BytesIO(pdf))
    facts = locate(notes["facts"], blocks, body_texts(reader, style.running_head), chinese)
    headings = [block for block in blocks if block.kind == "heading"]
    about = {
        "title": document["title"],
        "language": document["language"],
        "file": f"{name}.pdf",
        "sha256": hashlib.sha256(pdf).hexdigest(),
        "made_with": made_with(fonts),
        "pages": len(reader.pages),
        "page_labels": reader.page_labels,
        "running_head": style.running_head,
        "parties": document["parties"],
        "headings": [
            {"text": printed(block), "level": block.level, "page": page}
            for block, page in zip(headings, heading_pages, strict=True)
        ],
        **clause_numbers(blocks),
        "facts": facts,
    }
    return pdf, about


def printed(heading: Block) -> str:
    """Give a heading as it stands on the page, its lines joined."""
    return heading.text.replace(" | ", " ")


def walk(blocks: Sequence[Block]) -> list[tuple[Block, list[str], str | None, str | None]]:
    """Give each block with the headings above it, its clause number and its limb, all as printed."""
    path: list[str] = []
    clause: str | None = None
    limbs: dict[int, str] = {}
    places = []
    for block in blocks:
        if block.kind == "heading":
            path = [*path[: block.level - 1], printed(block)]
            found = CLAUSE_HEADING.match(block.text)
            clause, limbs = (found[1] if found else None), {}
        elif block.marker and block.marker[0] not in "(":
            clause, limbs = block.marker.rstrip("."), {}
        elif block.kind == "para":
            own = block.marker or (limb[0] if (limb := CHINESE_LIMB.match(block.text)) else "")
            limbs = {level: limb for level, limb in limbs.items() if level < block.level} | {block.level: own}
        places.append((block, path, clause, "".join(limbs.values()) or None))
    return places


def clause_numbers(blocks: Sequence[Block]) -> dict[str, Any]:
    """List the clause numbers in order; those of a Schedule begin at 1 again and so stand apart."""
    body: dict[str, None] = {}
    schedules: dict[str, list[str]] = {}
    for _, path, clause, _ in walk(blocks):
        if clause and path[0].startswith("SCHEDULE"):
            numbers = schedules.setdefault(path[0], [])
            numbers.extend([clause] if clause not in numbers else [])
        elif clause:
            body.setdefault(clause)
    return {"clauses": list(body), "schedules": schedules}


def body_texts(reader: PdfReader, running_head: str) -> list[str]:
    """Extract the text of each page without its running head and its page number."""
    texts = []
    for page in reader.pages:
        lines = page.extract_text().splitlines()
        if lines and running_head and lines[0].strip() == running_head:
            lines = lines[1:]
        if lines and re.fullmatch(r"Page \d+ of \d+|— \d+ —|\d+|[ivx]+", lines[-1].strip()):
            lines = lines[:-1]
        texts.append("\n".join(lines))
    return texts


def normalise(text: str, chinese: bool) -> str:
    """Take line breaks out: white space means nothing in Chinese and one blank in English."""
    return "".join(text.split()) if chinese else " ".join(text.split())


def states(text: str, wanted: str) -> bool:
    """Say whether a text holds one of the forms in wanted, split at "|", as a whole word or number.

    "5" is not in "15", "six" is not in "sixty" and 三年 is not in 十三年.
    """
    return any(_form(form).search(text) for form in wanted.split("|"))


def _form(form: str) -> re.Pattern[str]:
    before = f"(?<![{NUMERALS},.])" if form[0] in NUMERALS else r"\b" if form[0].isascii() and form[0].isalpha() else ""
    after = r"(?![\d]|,\d)" if form[-1].isdigit() else r"s?\b" if form[-1].isascii() and form[-1].isalpha() else ""
    return re.compile(before + re.escape(form) + after, re.IGNORECASE)


def find_pages(quote: str, texts: Sequence[str], chinese: bool) -> tuple[int, int]:
    """Give the first and the last page, counted from 1, on which a quotation stands."""
    wanted = normalise(quote, chinese)
    clean = [normalise(text, chinese) for text in texts]
    hits = [(i, i) for i, text in enumerate(clean) if wanted in text]
    if not hits:
        joined = [normalise(f"{a} {b}", chinese) for a, b in itertools.pairwise(texts)]
        hits = [(i, i + 1) for i, text in enumerate(joined) if wanted in text]
    if len(hits) != 1:
        raise FactError(f"stands on {len(hits)} pages instead of one: {quote}")
    return hits[0][0] + 1, hits[0][1] + 1


def locate(notes: dict[str, Any], blocks: Sequence[Block], texts: Sequence[str], chinese: bool) -> list[dict[str, Any]]:
    """Add clause and page to each fact, and refuse a fact that is not in the document."""
    places = walk(blocks)
    facts = []
    for ident, note in notes.items():
        quote = normalise(note["quote"], chinese)
        homes = [place for place in places if quote in normalise(place[0].plain, chinese)]
        if len(homes) != 1:
            raise FactError(f"{ident}: stands in {len(homes)} paragraphs instead of one: {quote}")
        for wanted in note["must_contain"]:
            if not states(quote, wanted) or not states(note["text"], wanted):
                raise FactError(f"{ident}: {wanted!r} is not in its quotation and its text")
        _, path, clause, limb = homes[0]
        first, last = find_pages(note["quote"], texts, chinese)
        fact = {"id": ident, **note, "quote": quote, "within": path, "clause": clause, "limb": limb, "page": first}
        facts.append(fact | ({"page_end": last} if last > first else {}))
    return facts


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the samples that the command line asks for."""
    parser = argparse.ArgumentParser(description="Make the sample PDFs and their facts files.")
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(SAMPLES)}; all if none is named")
    parser.add_argument("--cjk-fonts", type=Path, metavar="DIR", help="folder with the Noto Serif CJK font files")
    parser.add_argument("--out", type=Path, default=HERE, metavar="DIR", help="where to write (default: data)")
    parser.add_argument("--check", action="store_true", help="compare with the files in DIR, write nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(SAMPLES):
        parser.error(f"no such sample: {', '.join(sorted(unknown))}")
    stale = []
    for name in options.names or SAMPLES:
        try:
            pdf, facts = make(name, find_fonts(options.cjk_fonts) if name == "act-zh" else {})
        except (FactError, FileNotFoundError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        text = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
        for path, content in (f"{name}.pdf", pdf), (f"{name}.facts.json", text.encode()):
            target = options.out / path
            if not options.check:
                target.write_bytes(content)
            elif not target.is_file() or target.read_bytes() != content:
                stale.append(path)
        print(f"{name}: {facts['pages']} pages, {len(facts['facts'])} facts, {len(pdf):,} bytes")
    if stale:
        print(f"not what the script makes: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
