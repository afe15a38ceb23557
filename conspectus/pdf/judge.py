"""Does a text look like what a person sees on the page? Signals of a text layer that is not its own page.

Each rule has its file in the shared corpus (facts/pdf.md, sections 0.2, C1 and E.4). A page is garbled only where much
of it is wrong; single wrong characters give a warning, so that a bullet from a symbol font does not cost a page.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from conspectus.plural import many

BAD_SHARE = 0.02
NAMES_SHARE = 0.05
ODD_SHARE = 0.10
AGREE = 0.6

_GLYPH_NAME = re.compile(r"/(?:g|G|c|C|cid|glyph|uni|a|x)[0-9A-F]{1,5}(?![A-Za-z0-9])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_PRIVATE_IN_WORD = re.compile("(?<=[^\\W\\d_])[\ue000-\uf8ff\U000f0000-\U0010fffd](?=[^\\W\\d_])")
_LATIN1_HIGH = re.compile("[\u00a1-\u00ff]")
_LATIN1_RUN = re.compile("[\u00a1-\u00ff]{4,}")
_PLAIN = re.compile("[\x20-\x7e\t\n\r\f]+")
_ASCII_LETTER = re.compile("[A-Za-z]")
_LOOSE_MARK = re.compile("(?:^|[\\s\x21-\x40])[\u0300-\u036f]")

# What legal papers are written in. Everything outside is rare: one such letter is a quotation, many are wrong codes.
_SCRIPTS: tuple[tuple[int, int, str], ...] = (
    (0x0020, 0x024F, "latin"),
    (0x0250, 0x036F, "odd"),  # phonetic letters, modifiers, combining marks
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x04FF, "cyrillic"),
    (0x0500, 0x058F, "odd"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"),
    (0x0700, 0x08FF, "odd"),
    (0x0900, 0x0DFF, "indic"),
    (0x0E00, 0x0E7F, "thai"),
    (0x0E80, 0x109F, "odd"),
    (0x10A0, 0x10FF, "georgian"),
    (0x1100, 0x11FF, "hangul"),
    (0x1200, 0x1DFF, "odd"),
    (0x1E00, 0x1EFF, "latin"),
    (0x1F00, 0x1FFF, "greek"),
    (0x2000, 0x2BFF, "sign"),
    (0x2C00, 0x2E7F, "odd"),
    (0x2E80, 0x9FFF, "cjk"),
    (0xA000, 0xABFF, "odd"),
    (0xAC00, 0xD7A3, "hangul"),
    (0xF900, 0xFAFF, "cjk"),
    (0xFB00, 0xFB06, "latin"),
    (0xFB13, 0xFB4F, "hebrew"),
    (0xFB50, 0xFDFF, "arabic"),
    (0xFE30, 0xFE4F, "cjk"),
    (0xFE70, 0xFEFC, "arabic"),
    (0xFF00, 0xFFEF, "cjk"),
    (0x20000, 0x3134F, "cjk"),
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`garbled` with its `reason`; `suspect` asks for a second reader even where the text may be right."""

    garbled: bool = False
    suspect: bool = False
    reason: str = ""
    warnings: tuple[str, ...] = ()


def whole_characters(text: str) -> str:
    """Lone halves of surrogate pairs joined where they meet, else U+FFFD: such text breaks the first encoder."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def scripts(text: str) -> Counter[str]:
    """How many characters, white space and ASCII apart, the text has of each script; ASCII letters count as latin."""
    found: Counter[str] = Counter()
    for char, count in Counter(_PLAIN.sub("", text)).items():
        found[_script(ord(char))] += count
    found["latin"] += len(_ASCII_LETTER.findall(text))
    return found


def _script(code: int) -> str:
    for first, last, name in _SCRIPTS:
        if first <= code <= last:
            return name
    return "odd" if code > 0x24F else "latin"


def _gbk_share(text: str) -> float:
    """Share of the letters that are Latin-1 letters and read as Chinese when taken as GBK bytes."""
    high = len(_LATIN1_HIGH.findall(text))
    if high < 8:
        return 0.0
    runs = "".join(_LATIN1_RUN.findall(text))
    if len(runs) * 2 < high:
        return 0.0  # accented letters stand alone in European languages, GBK bytes in rows
    decoded = runs.encode("latin-1").decode("gbk", "replace")
    chinese = sum("\u3000" <= char <= "\u9fff" or char >= "\uff00" for char in decoded)
    if chinese < 0.7 * len(decoded):
        return 0.0
    return high / max(1, sum(not char.isspace() for char in text))


def judge(text: str) -> Judgement:
    """The verdict on one page's text, from the text alone."""
    size = sum(len(part) for part in text.split())
    if not size:
        return Judgement()
    names = sum(len(name) for name in _GLYPH_NAME.findall(text)) if "/" in text else 0
    if names > NAMES_SHARE * size and names > 20:
        return Judgement(True, True, "glyph names stand in place of letters")
    if text.isascii():
        return _wrong(len(_CONTROL.findall(text)), size) or Judgement()
    if _gbk_share(text) > ODD_SHARE:
        return Judgement(True, True, "Chinese text was decoded as Latin-1")
    bad, private = len(_CONTROL.findall(text)), len(_PRIVATE.findall(text))
    inside = len(_PRIVATE_IN_WORD.findall(text))
    verdict = _wrong(bad + inside, size)
    if verdict is not None and verdict.garbled:
        return verdict
    if private > 3 * ODD_SHARE * size:
        return Judgement(True, True, f"{private} of {size} characters are private to their font")
    found = scripts(text)
    odd = _odd_scripts(text, size, found)
    if odd:
        return Judgement(True, True, odd)
    return verdict or Judgement(suspect=_odd_mix(found))


def _wrong(count: int, size: int) -> Judgement | None:
    """The verdict on characters without a meaning; None where there are none. One or two cost only a short page."""
    if not count:
        return None
    if count > BAD_SHARE * size and (count > 2 or count > 2.5 * BAD_SHARE * size):
        return Judgement(True, True, f"{count} of {size} characters have no meaning")
    return Judgement(False, True, "", (f"{many(count, 'character')} could not be read",))


def _odd_scripts(text: str, size: int, found: Counter[str]) -> str:
    if found["odd"] > max(4, ODD_SHARE * size):
        return f"{found['odd']} of {size} characters are of rare scripts"
    loose = len(_LOOSE_MARK.findall(text))
    if loose > max(4, 0.03 * size):
        return f"{loose} accents stand without a letter"
    return ""


def _odd_mix(found: Counter[str]) -> bool:
    """True where letters of three or more families, or a few of a rare one, stand on one page."""
    total = sum(found.values()) - found["sign"]
    if not total:
        return False
    families = [name for name, count in found.items() if name not in ("sign", "odd") and count > 0.03 * total]
    return len(families) >= 3 or found["odd"] > 0.01 * total


def agreement(one: str, other: str) -> float:
    """How far two readings of one page consist of the same characters, 0 to 1.

    Shares of characters are compared, not counts, so that a text printed twice (fake bold) is no disagreement.
    """
    bags = [Counter("".join(unicodedata.normalize("NFKC", text).split())) for text in (one, other)]
    sizes = [bag.total() for bag in bags]
    if not all(sizes):
        return 1.0 if not any(sizes) else 0.0
    return sum(min(bags[0][char] / sizes[0], bags[1][char] / sizes[1]) for char in bags[0])
