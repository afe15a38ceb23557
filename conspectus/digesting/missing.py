"""Clauses that a contract usually has and this one does not: looked for by their usual words, never guessed at."""

import re
from collections.abc import Mapping

from conspectus.document import Language

_EN = {
    "governing law": r"govern(?:ed|ing)\b.{0,80}\blaws?\b|\bapplicable law\b|\blaws? of (?:the )?[A-Z]",
    "term": r"\b(?:term|commencement date|expir\w+|terminat\w+)\b",
    "termination": r"\bterminat\w+\b|\bbreak notice\b|\bforfeit\w*\b",
    "notices": r"\bnotices?\b.{0,120}\b(?:writing|written|address\w*|deliver\w*|served?)\b",
    "limitation of liability": r"\b(?:limit\w*|exclu\w+|not be liable|no liability|maximum)\b.{0,120}\bliab\w+|"
    r"\bliab\w+.{0,120}\b(?:limit\w*|exceed|exclu\w+)\b",
    "indemnity": r"\bindemnif\w+|\bindemnit\w+|\bhold harmless\b",
    "confidentiality": r"\bconfiden\w+|\bnon-?disclosure\b",
    "dispute resolution": r"\barbitrat\w+|\bmediat\w+|\bjurisdiction\b|\bdisputes?\b.{0,80}\b(?:resol\w+|refer\w+)|"
    r"\bexpert determination\b",
    "assignment": r"\bassign(?:s|ed|ment|able)?\b",
    "force majeure": r"\bforce majeure\b|\bacts? of god\b|\bbeyond (?:its|the|their) (?:reasonable )?control\b",
    "entire agreement": r"\bentire (?:agreement|understanding)\b|\bsupersedes?\b",
    "amendment": r"\b(?:amend\w*|modif\w+|var(?:y|ied|iation))\b.{0,120}\b(?:writing|written|signed)\b",
}
_ZH = {
    "适用法律": "适用.{0,20}法律|受.{0,20}法律(?:管辖|约束)",
    "期限": "期限|有效期|届满|至.{0,12}日止",
    "解除或终止": "解除|终止",
    "通知": "通知|送达",
    "违约责任": "违约",
    "保密": "保密|秘密",
    "争议解决": "争议|仲裁|人民法院",
    "转让": "转让|转租",
    "不可抗力": "不可抗力",
    "变更": "变更|补充协议|修改",
}
_PATTERNS: Mapping[Language, Mapping[str, re.Pattern[str]]] = {
    Language.EN: {name: re.compile(pattern, re.I | re.S) for name, pattern in _EN.items()},
    Language.ZH: {name: re.compile(pattern, re.S) for name, pattern in _ZH.items()},
}


def missing_clauses(text: str, language: Language) -> tuple[str, ...]:
    """Names of the usual clauses of a contract of which no word was found in its whole text.

    A name that is not given is no promise that the clause is there: a word of it is.
    """
    return tuple(name for name, pattern in _PATTERNS[language].items() if not pattern.search(text))
