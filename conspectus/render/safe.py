"""Text of a document made harmless for the formats: nothing in it may be obeyed where it is to be shown."""

import re

# Control characters, marks that turn the direction of what follows, lone surrogates, and what XML cannot hold.
_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff]"
    "|[\ud800-\udfff]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def shown(text: str) -> str:
    """Text with a visible sign for each character that a viewer would obey; as long as before."""
    return _OBEYED.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The same on one line, white space folded."""
    return " ".join(shown(text).split())


def cell(text: str) -> str:
    """One line that no spreadsheet takes for a formula when it opens a CSV file: an apostrophe stands before it."""
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line
