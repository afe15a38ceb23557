"""Chinese and Japanese headings: 第…编/分编/章/节/条, 第…条之一, 第N条, 一、, （一）, 附件."""

import re
import unicodedata

from conspectus.evidence.numbering import ARTICLE_LEVEL, LIMB_LEVEL, SCHEDULE_LEVEL, SECTION_LEVEL, Heading
from conspectus.evidence.zh_numbers import chinese_number

_NUMERAL = "一二三四五六七八九十百千零〇两0-9０-９"
_INDENT = r"[ \t\u00a0\u3000]*(?:#{1,6}[ \t]+)?(?:\*\*)?"
_LABEL = (
    rf"第[ 　]?(?P<number>[{_NUMERAL}]{{1,9}})[ 　]?(?P<kind>分编|编|編|章|节|節|条|條)"
    rf"(?:[之の](?P<sub>[{_NUMERAL}]{{1,3}}))?"
)
CJK_ARTICLE = re.compile(rf"^[ \t\u3000#]*第[{_NUMERAL}]{{1,9}}[条條]", re.M)
_LINE = re.compile(rf"{_INDENT}(?P<label>{_LABEL})(?P<rest>.*)")
_INSIDE = re.compile(rf"(?<=[。；！？”」』）)])[ \t\u3000]*(?P<label>{_LABEL})(?P<rest>.*)")
_ANNEX = re.compile(
    rf"{_INDENT}(?P<label>(?P<kind>附件|附录|附表|附則|附则|別表)[ 　]?(?P<number>[{_NUMERAL}]{{0,3}}))"
    r"(?P<rest>[^。，；、]{0,40})$"
)
_ENUMERATED = re.compile(rf"{_INDENT}(?P<number>[一二三四五六七八九十]{{1,3}})、(?P<rest>.*)")
_BRACKETED = re.compile(r"[ \t\u3000]*(?P<label>[（(](?P<number>[一二三四五六七八九十]{1,3})[）)])(?P<rest>.*)")
_REFERENCE = re.compile(r"[ \t]*[、，。；》]|(?:和|至|或|及|第|规定|規定|所|的|款|项|項|与|之|中|以)")
_RUNS_ON = re.compile(
    r"(?:依照|根据|按照|依据|违反|适用|参照|符合|本法|本条例|法典|规定的|[一二三四五六七八九十]条|和|及|或者|或|至|、|与|在|除|有|《|合同法|的)$"
)
_LEVELS = {"编": 1, "編": 1, "分编": 2, "章": 3, "节": 4, "節": 4, "条": ARTICLE_LEVEL, "條": ARTICLE_LEVEL}
_SAME = {"編": "编", "節": "节", "條": "条"}


def number_of(text: str) -> int:
    """The value of a Chinese numeral or digits of any width."""
    return chinese_number(unicodedata.normalize("NFKC", text))


def _heading(match: re.Match[str], start: int, end: int, weight: float) -> Heading | None:
    rest = match["rest"]
    if _REFERENCE.match(rest):
        return None
    try:
        value, suffix = number_of(match["number"]), number_of(match["sub"]) if match["sub"] else 0
    except ValueError:
        return None
    kind = _SAME.get(match["kind"], match["kind"])
    apart = not rest.strip() or rest[0] in " \t\u3000\u00a0（(【：:*"
    number = re.sub(r"\s", "", match["label"])
    return Heading(start, _LEVELS[kind], kind, (value,), number, rest, end, weight if apart else weight * 0.6, suffix)


def _lists(line: str, start: int, before: str) -> Heading | None:
    """一、 and （一）. The latter are limbs where a colon leads into them or a semicolon ended the last."""
    end = start + len(line)
    if match := _ENUMERATED.match(line):
        return Heading(start, SECTION_LEVEL, "、", (number_of(match["number"]),), match["number"], match["rest"], end)
    if (match := _BRACKETED.match(line)) and not before.endswith(("：", ":", "；", ";", "，")):
        return Heading(start, LIMB_LEVEL, "（）", (number_of(match["number"]),), match["label"], match["rest"], end)
    return None


def chinese(line: str, start: int, before: str) -> list[Heading]:
    """What a line may hold headings of: at its start, and 第…条 inside it after the end of a sentence."""
    end = start + len(line)
    found: list[Heading | None] = []
    if match := _LINE.match(line):
        if match["rest"][:1].isspace() or not _RUNS_ON.search(before):
            found.append(_heading(match, start, end, 1.0))
    elif match := _ANNEX.match(line):
        value = number_of(match["number"]) if match["number"] else 1
        number = re.sub(r"\s", "", match["label"])
        found.append(Heading(start, SCHEDULE_LEVEL, match["kind"], (value,), number, match["rest"], end))
    else:
        found.append(_lists(line, start, before))
    if "第" in line:
        at = 1
        while match := _INSIDE.search(line, at):
            apart = match["rest"][:1] in (" ", "\u3000", "\t", "\u00a0") and bool(match["rest"].strip())
            if match["kind"] in ("条", "條") or apart:
                found.append(_heading(match, start + match.start("label"), end, 0.8 if apart else 0.4))
            at = match.end("label")
    return [heading for heading in found if heading]
