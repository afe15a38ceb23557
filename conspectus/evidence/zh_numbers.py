"""Chinese numerals: 第二百三十四条, 三十日, 五十万元, 百分之三."""

import re

_DIGITS = {
    char: value
    for value, chars in enumerate(("零〇○", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for char in chars
}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
NUMERAL = re.compile(f"[{''.join(_DIGITS)}{''.join(_UNITS)}][{''.join(_DIGITS)}{''.join(_UNITS)}{''.join(_MYRIADS)}]*")


def chinese_number(text: str) -> int:
    """The value of a Chinese numeral or of Arabic digits: 二百三十四 -> 234, 二〇二六 -> 2026, 12 -> 12.

    Raises ValueError for anything else.
    """
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or any(char not in _DIGITS and char not in _UNITS and char not in _MYRIADS for char in text):
        raise ValueError(f"no Chinese numeral: {text!r}")
    if len(text) > 1 and all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _UNITS:
            section += (digit or 1) * _UNITS[char]
            digit = 0
        else:
            total = (
                (total + section + digit) * _MYRIADS[char]
                if _MYRIADS[char] > 10**4
                else total + (section + digit) * 10**4
            )
            section = digit = 0
    return total + section + digit
