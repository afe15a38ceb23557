"""Repairs of single characters: ligatures, radicals, invisible characters, every kind of gap and of line end."""

import re
import unicodedata
from collections.abc import Iterator

from conspectus.repair.map import Edit, Mapped
from conspectus.text import CJK

UNREADABLE = "\ufffd"

# Unicode maps the Kangxi radicals (U+2F00-2FD5) to ideographs, but not this block, which fonts of Chinese printers use
# for whole characters too: ⺠ is 民. From EquivalentUnifiedIdeograph.txt, those in the basic plane.
_RADICALS = dict(
    zip(
        "⺁⺂⺃⺄⺅⺆⺈⺉⺊⺋⺎⺐⺒⺓⺔⺕⺖⺗⺘⺙⺛⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺬⺭⺮⺯⺰⺱⺲⺶⺹⺺⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻈⻉⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻖⻗⻘⻙⻚⻛⻜⻝⻟⻠⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
        "厂乛乚乙亻冂刀刂卜㔾兀尢巳幺彑彐忄㣺扌攵旡月歺母民氵氺灬爫爫丬牛犭王疋示礻竹糹纟罓罒羊耂肀聿肉臼艹艹艹虎衤覀西见角讠贝车辶辶辶邑钅長镸长门阝雨青韦页风飞食飠饣马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
        strict=True,
    )
)
_GAPS = "\u00a0\u1680\u2000-\u200a\u202f\u205f"
_INVISIBLE = "\u200b\u2060\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069"
# One pass over the page finds all that may need a repair; most pages have nothing.
_ODD = re.compile(
    rf"\r\n?|[\v\f\x85\u2028\u2029]|[{_GAPS}]|[{_INVISIBLE}]|\u00ad(?:[ ]?(?:\r\n|[\r\n])(?=[^\W\d_]))?|"
    r"[\ufb00-\ufb06]|[\u2e80-\u2fd5]|[\u0374\u037e\u0387\u1fef\u2126\u212a\u212b\u2329\u232a\uf900-\ufaff]|"
    r"[\x00-\x08\x0e-\x1f\x7f]|[\ue000-\uf8ff]|[\u200c\u200d]|"
    r"[^\u0300-\u036f\u3099\u309a\n][\u0300-\u036f\u3099\u309a]+|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)
_LINE_ENDS = "\r\v\f\x85\u2028\u2029"
_JOINED_SCRIPT = re.compile(rf"[A-Za-z0-9{CJK}]")
_NUL_CJK = re.compile(rf"\x00[{CJK}]")
# Symbol fonts of word processors have their bullets in the private area.
_BULLET = re.compile(r"[\uf06c\uf06e\uf075\uf076\uf09f\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc](?=\s)")
NUL_SHARE = 0.3


def repair_characters(page: Mapped) -> Mapped:
    """One form for what looks the same, with nothing invisible in it.

    Line ends become line feeds, gaps become blanks (U+3000 stays: it is the gap of Chinese print), ligatures and
    radicals the characters that they stand for, letters with combining marks one character. What a font left without
    meaning (control characters) becomes U+FFFD: to drop it in silence would make "ofce" of "office".
    """
    padding = _padded(page.text)
    # Again until nothing is left to do: something invisible may have stood between a letter and its mark.
    while (repaired := page.edit(_edits(page.text, padding))) is not page:
        page = repaired
    return page


def _padded(text: str) -> bool:
    """True where NUL is the empty half of two-byte codes (fpdf2's CID-keyed fonts), no lost letter."""
    count = text.count("\0")
    return bool(count) and (count >= NUL_SHARE * len(text) or len(_NUL_CJK.findall(text)) * 2 > count)


def _edits(text: str, padding: bool) -> Iterator[Edit]:
    for match in _ODD.finditer(text):
        start, end = match.span()
        new = _replacement(text, start, match[0], padding)
        if new != match[0]:
            yield Edit(start, end, new)


def _replacement(text: str, start: int, odd: str, padding: bool) -> str:
    first = odd[0]
    if len(odd) > 1 and first not in "\r\u00ad":
        return unicodedata.normalize("NFC", odd)
    if first in _LINE_ENDS:
        return "\n"
    if first == "\u00ad":
        return ""  # with the line end after it, where it hyphenates: the halves are one word
    if first in "\u200c\u200d":
        around = text[max(0, start - 1) : start] + text[start + 1 : start + 2]
        # Joiners carry meaning in emoji, Arabic and Indic scripts; between Latin or Chinese letters they are noise.
        return "" if len(_JOINED_SCRIPT.findall(around)) == len(around) else odd
    if first < " " or first == "\x7f":
        return "" if first == "\0" and padding else UNREADABLE
    if "\ue000" <= first <= "\uf8ff":
        return "•" if _BULLET.match(text, start) and text[:start].rpartition("\n")[2].strip() == "" else UNREADABLE
    if first in _RADICALS:
        return _RADICALS[first]
    if unicodedata.normalize("NFC", first) != first:
        return unicodedata.normalize("NFC", first)  # another code for the same: U+037E for ";", U+212A for K
    if "\ufb00" <= first <= "\ufb06" or "\u2e80" <= first <= "\u2fd5":
        return unicodedata.normalize("NFKC", odd)
    return " " if unicodedata.category(first) == "Zs" else ""
