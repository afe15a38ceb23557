"""Governing law and courts; commencement, repeal, sanctions, exclusions. The last four are rows of whole sentences."""

import re
from collections.abc import Iterator

from conspectus.document import KeyTerm, Language, TermKind
from conspectus.terms.words import tidy

_GOVERNED = (
    r"(?:governed|construed|interpreted|enforced|determined)\b[^;]{0,220}?\b(?:by|with|under|to)\b|"
    r"\bsubject to\b(?=[^.;]{0,20}\blaws? of)|"
    r"\blaws? (?:applicable to|governing) this\b[^.;]{0,40}\b(?:is|are|shall be)\b|"
    r"\bgoverning law\b[^.;]{0,30}?\b(?:is|shall be)\b"
)
_LAW_EN = re.compile(
    rf"\b(?i:{_GOVERNED})[^;]{{0,40}}?(?P<law>\b(?i:(?:the )?(?:internal |substantive |"
    rf"domestic )?laws?\b(?:,[^,]{{0,60}},)? (?:and jurisdiction )?(?:of|in)\b(?: the)? "
    r"(?:State of |Commonwealth of |Province of |Republic of |Federal )?(?:the )?)(?:[\[“\"]|"
    r"[A-Z])[^,.;()]{2,60}(?:\][^,.;()]{0,20})?|"
    r"\b(?:English|Scots|Scottish|Swiss|German|French|Chinese|Hong Kong|New York|Delaware|California|Dutch|"
    r"Irish|Singapore|Texas|Belgian|Japanese) [Ll]aw\b|"
    r"\b(?i:(?:the )?(?:internal |substantive )?laws? of (?:the )?)\[[^\]]{0,20}\])"
)
_LAW_TAIL = re.compile(
    r"\s(?:without|excluding|applicable|as (?:such|applied)|and (?:shall|the parties|any)|regardless|"
    r"other than(?![^.;]*,\s+of\b)|exclusive|shall|will|notwithstanding|irrespective|except)\b.*$|\s\(.*$",
    re.I,
)
_COURTS_EN = re.compile(
    r"(?P<law>\b(?:the )?(?:[\w-]+ ){0,5}courts?\b(?: of| in| located in| sitting in|"
    r" for)?[^.;]{0,90}?)\b(?:shall |will )?(?:have|has|having)\b[^.;]{0,20}\b(?:exclusive|"
    r"non-exclusive) jurisdiction|"
    r"\b(?:submits?|consents?|agrees?)\b[^.;]{0,80}\bjurisdiction of (?P<law2>[^.;]{5,110})",
    re.I,
)
_ARBITRATION_EN = re.compile(
    r"\b(?P<law>(?:submitted|referred|settled|resolved|determined|decided)[^.;]{0,60}\b(?:by|"
    r"to)\b[^.;]{0,40}\barbitration\b[^.;]{0,100})",
    re.I,
)
_LAW_ZH = re.compile(
    r"(?:适用|依照|依据|受|按照)(?P<law>[^，。；]{0,20}(?:法律|法))(?:的?(?:管辖|约束|解释)|[，。；]|$)"
)
_COURTS_ZH = re.compile(
    r"(?P<law>(?:可以|应当|均可|应)?[^，。；]{0,16}向[^，。；]{0,24}人民法院[^，。；]{0,6}(?:提起诉讼|起诉|"
    r"诉讼))|(?P<law2>[^，。；]{0,20}人民法院管辖)|(?P<arb>[^，。；]{0,24}(?:提交|申请|"
    r"约定)[^，。；]{0,16}仲裁)"
)
_COMMENCEMENT = re.compile(
    r"\b(?:comes?|came|shall come|enters?|shall enter|coming) into (?:force|effect|operation)\b|"
    r"\btakes? effect\b|\bshall (?:take effect|become effective)\b|"
    r"\b(?:this|these|the) (?:act|regulations?|order|rules|section|part|law|title|amendments?|agreement|"
    r"lease)\b[^.;]{0,60}\b(?:shall (?:commence|apply (?:from|as from))|applies? from|(?:is|are) effective)\b|"
    r"\bcease[sd]? to have effect\b|起施行|起生效|之日起(?:生效|施行|实施)|(?:签字|盖章|签订|"
    r"成立)[^，。]{0,8}(?:后|时|之日)?生效",
    re.I,
)
_REPEAL = re.compile(
    r"\b(?:is|are|is hereby|are hereby|shall be) (?:repealed|revoked)\b(?! (?:or|by|if))|\brepeal (?:of|"
    r"does)\b|同时废止|予以废止|即行废止|废止。",
    re.I,
)
_SANCTION_EN = re.compile(
    r"\b(?:civil |criminal )?penalt(?:y|ies)\b|\bfine[sd]\b|"
    r"\b(?:an?|any|such|administrative|criminal|civil|monetary) fine\b|"
    r"\bfine (?:of|not|up|imposed|is|shall|must|payable)\b|\b(?:by|with|to) fine\b|"
    r"\bguilty of\b|\bimprison(?:ed|ment)\b|\bcommits an offence\b|"
    r"\bliquidated damages\b|\b(?:late|default) (?:fee|charge|payment interest)s?\b|\bforfeit\w*\b|"
    r"\bsurcharge\b|\b(?:shall|must|will) (?:pay|bear) (?:default |late )?interest\b|"
    r"\binterest (?:at|shall accrue|accrues|runs)\b|\bunpaid\b[^.;]{0,60}\binterest\b|\brepay (?:half|all|the whole)\b",
    re.I,
)
_SANCTION_ZH = re.compile(
    r"罚款|(?<!受过行政)(?<!受过刑事)(?<!受过)(?<!实施行政)处罚(?!法|权)|吊销|没收|责令|警告[，；。]|取缔|"
    r"拘留|有期徒刑|追究刑事责任|违约金|滞纳金|双倍|(?:支付|加付)赔偿金|赔偿金|治安管理处罚"
)
_EXCLUSION_EN = re.compile(
    r"\b(?:do|does|shall|will|is|are) not (?:apply|applicable|extend) (?:to|where|if|in|so far|when|until)\b|"
    r"\b(?:do|does|shall|will) not (?:affect|prejudice|relieve)\b|"
    r"\b(?:do|does) not (?:limit|exclude|restrict|prevent)\b|"
    r"\b(?:do|does|shall|will) not apply[.;]|\b(?:ha(?:s|ve)|of) no (?:force|effect|validity)\b|"
    r"\b(?:is|are|be|becomes?) (?:null and )?(?:void|invalid|unenforceable|"
    r"not (?:valid|effective|binding|enforceable))\b|"
    r"\b(?:neither|nor|no) (?:[a-z]+ ){0,4}(?:is|are|be) (?:held )?(?:liable|responsible)\b|"
    r"\bnot (?:be )?(?:held )?(?:liable|responsible)\b(?! to (?:imprison|a fine))|"
    r"\bno (?:liability|responsibility)\b|\bnothing (?:in|contained in|herein)\b|\bexempt(?:ed)? from\b|"
    r"\b(?:is|are|be) (?:hereby )?excluded\b|\bdisclaims?\b",
    re.I,
)
_EXCLUSION_ZH = re.compile(
    r"不适用|(?<!确认)无效(?!的|有)|失效(?!的)|不(?:再)?(?:承担|负|具有)[^，。；]{0,20}(?:责任|义务|效力)|免除|免于|不受[^，。；]{0,20}限制|"
    r"不影响|豁免"
)
_CONTENTS = re.compile(r"(?:\. ){4}|\.{5}|…{2}")


def find_law(text: str, sentence: int, language: Language) -> Iterator[KeyTerm]:
    """Rows of the law that governs, the courts, and arbitration."""
    if language is Language.ZH:
        match = _LAW_ZH.search(text)
        if match and re.search(r"争议|解释|合同|协议", text):
            yield KeyTerm(TermKind.LAW, "适用法律", tidy(match["law"]), sentence, "law")
        for match in _COURTS_ZH.finditer(text):
            if re.search(r"约定|本合同|本协议|协商", text):
                role = "arbitration" if match["arb"] else "jurisdiction"
                value = tidy(match["law"] or match["law2"] or match["arb"])
                yield KeyTerm(TermKind.LAW, "仲裁" if match["arb"] else "管辖", value, sentence, role)
        return
    for match in _LAW_EN.finditer(text):
        yield KeyTerm(TermKind.LAW, "governing law", tidy(_LAW_TAIL.sub("", match["law"])), sentence, "law")
    if match := _COURTS_EN.search(text):
        yield KeyTerm(TermKind.LAW, "jurisdiction", tidy(match[0]), sentence, "jurisdiction")
    if match := _ARBITRATION_EN.search(text):
        yield KeyTerm(TermKind.LAW, "arbitration", tidy(match["law"]), sentence, "arbitration")


def find_events(text: str, sentence: int, language: Language) -> Iterator[KeyTerm]:
    """Rows of commencement, repeal, sanctions and exclusions: the sentence's own words."""
    if _CONTENTS.search(text) or len(text) < 8:
        return
    chinese = language is Language.ZH
    for kind, pattern in (
        (TermKind.COMMENCEMENT, _COMMENCEMENT),
        (TermKind.REPEAL, _REPEAL),
        (TermKind.SANCTION, _SANCTION_ZH if chinese else _SANCTION_EN),
        (TermKind.EXCLUSION, _EXCLUSION_ZH if chinese else _EXCLUSION_EN),
    ):
        if pattern.search(text):
            yield KeyTerm(kind, "", text, sentence)
