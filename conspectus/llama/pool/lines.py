"""Lines with forced starts on servers: a grammar where the server takes one, and reading them out of a free answer."""

import re
from collections.abc import Sequence

_MOST_CHARACTERS = 1900  # llama.cpp refuses repetitions of 2,000 (V/src/llama-grammar.cpp, MAX_REPETITION_THRESHOLD)
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_NUMBERED = re.compile(
    r"^[\s>*_#-]*[\[(（]?\s*([0-9]{1,4})\s*(?:[\])）][*_]*\s*[:.、：．]?|[*_]*\s*(?:[:、：]|[.．](?![0-9])))[*_]*\s*(.*)$"
)


def line_characters(line_tokens: int, sample: str) -> int:
    """Characters that a line of `line_tokens` may have, for text like `sample`.

    A token of English is some 4.5 characters, one of Chinese 1 to 1.5; more is allowed, since max_tokens bounds the
    whole answer exactly.
    """
    wide = len(_WIDE.findall(sample)) / max(1, len(sample))
    return min(_MOST_CHARACTERS, max(16, round(line_tokens * (6 - 4 * min(1.0, wide * 1.5)))))


def grammar(forced: Sequence[str], characters: int) -> str:
    """GBNF for one line after each start, at most `characters` long. The starts lose their last space (DESIGN 2)."""
    quoted = [_quoted(start.rstrip(" ")) for start in forced]
    root = ' "\\n" '.join(f"{start} line" for start in quoted)
    return f'root ::= {root} "\\n"?\nline ::= [^\\n\\r]{{1,{characters}}}\n'


def read_lines(text: str, forced: Sequence[str]) -> tuple[str, ...]:
    """The rest of each forced line of an answer, in the order of `forced`; shorter where the last ones never came.

    Reads grammar-bound answers and those of servers that were only asked: numbers may be in brackets or bold, remarks
    before and after are left out. Without any number the lines count in order, if there are as many as asked.
    """
    labels = [start.strip().rstrip(":：").strip() for start in forced]
    found: dict[str, str] = {}
    open_label = ""
    for line in text.split("\n"):
        match = _NUMBERED.match(line)
        if match and match[1] in labels and match[1] not in found:
            open_label = match[1]
            found[open_label] = match[2].strip()
        elif match or not line.strip():
            open_label = ""
        elif open_label:
            found[open_label] = f"{found[open_label]} {line.strip()}".strip()
    if not found:
        plain = [line.strip() for line in text.split("\n") if line.strip()]
        return tuple(plain) if len(plain) == len(forced) else ()
    last = max(place for place, label in enumerate(labels) if label in found)
    return tuple(found.get(label, "") for label in labels[: last + 1])


def is_looping(text: str) -> bool:
    """True where the last complete line of `text` stands there for the third time."""
    lines = [line.strip() for line in text.split("\n")[:-1] if line.strip()]
    return bool(lines) and lines.count(lines[-1]) >= 3


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
