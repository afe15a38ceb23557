"""Amended versions of the sample lease: edits of its source text, set as a PDF like the sample itself."""

import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent.parent / "data"
sys.path.insert(0, str(DATA))

from sample_layout import Style, at, build, parse  # noqa: E402


@dataclass(frozen=True)
class Edit:
    """One amendment: the source line that begins with `line` is replaced; `with_lines` empty: deleted.

    Indented lines below belong to it and stay where `old` is given: then only these words of the line are replaced.
    """

    line: str
    old: str = ""
    new: str = ""
    after: Sequence[str] = ()
    delete: bool = False


CHANGED = Edit("4.2 ", "first Business Day", "fifth Business Day")
INSERTED = Edit(
    "15.3 ",
    after=["15.4 The Landlord shall give the Tenant not less than ten (10) Business Days’ notice of any road closure."],
)
DELETED = Edit("20.4 ", delete=True)
THREE = (CHANGED, INSERTED, DELETED)
# A clause inserted in the middle, so that those behind it are renumbered.
RENUMBERING = (
    Edit(
        "8.1 ",
        after=["8.2 The Tenant shall pay the standing charges of every meter within ten (10) days of each bill."],
    ),
    Edit("8.2 ", "8.2", "8.3"),
    Edit("8.3 ", "8.3", "8.4"),
)
VARIANTS: Mapping[str, Sequence[Edit]] = {
    "changed": (CHANGED,),
    "inserted": (INSERTED,),
    "deleted": (DELETED,),
    "three": THREE,
    "renumbered": RENUMBERING,
}


def amended(text: str, edits: Sequence[Edit]) -> str:
    """The source text with the edits. Raises ValueError where a line does not stand there exactly once."""
    lines = text.splitlines()
    places: list[tuple[int, Edit]] = []
    for edit in edits:
        found = [place for place, line in enumerate(lines) if line.startswith(edit.line)]
        if len(found) != 1 or edit.old not in lines[found[0]]:
            raise ValueError(f"{edit.line!r} stands {len(found)} times, or without {edit.old!r}")
        places.append((found[0], edit))
    for place, edit in sorted(places, key=lambda pair: -pair[0]):
        line = lines[place].replace(edit.old, edit.new, 1) if edit.old else lines[place]
        lines[place : place + 1] = [*([] if edit.delete else [line]), *edit.after]
    return "\n".join(lines) + "\n"


SECTION = """## 8. SIGNS
8.1 The Tenant may put one sign of not more than two square metres beside its entrance.

"""
_REFERENCE = re.compile(r"\bclauses? \d+(?:\.\d+)?(?:(?:, | and )\d+\.\d+)*")


def with_section(text: str) -> str:
    """The source text with a new section 8: all sections behind it, and the references to them, are renumbered."""

    def up(match: re.Match[str]) -> str:
        return str(int(match[0]) + 1) if int(match[0]) >= 8 else match[0]

    def cited(match: re.Match[str]) -> str:
        return re.sub(r"(?<![\d.])\d+", up, match[0])

    before, after = text.split("## 8. ")
    text = f"{before}@@## 8. {after}"
    text = re.sub(r"(?<=^## )\d+(?=\. )|^\d+(?=\.\d+ )|(?<=^@@## )\d+(?=\. )", up, text, flags=re.M)
    return _REFERENCE.sub(cited, text).replace("@@", SECTION)


def lease_pdf(edits: Sequence[Edit] = (), *, section: bool = False) -> bytes:
    """The sample lease with these edits, or with a new section, as a PDF; the same edits give the same bytes."""
    source = (DATA / "source" / "lease.txt").read_text("utf-8")
    source = with_section(source) if section else source
    notes = tomllib.loads((DATA / "source" / "lease.facts.toml").read_text("utf-8"))
    style = Style(date=at(notes["document"]["date"]), language="en-GB", fonts={}, **notes["layout"])
    pdf, _ = build(parse(amended(source, edits)), style)
    return pdf
