"""English turns of phrase that say one operator by means of another, brought to one form before words are looked up.

"Only with consent" is "not unless with consent", "no person shall" is "a person must not", "failure by X to pay" is
"X does not pay". The text is in lower case and its numbers are #0, #1, …; operators come out in capitals.
"""

import re

_MODAL = "(?:shall|may|must|will|can)"
_WHEN = "(?:if|when|where|after|once|with|upon)"
# (what must stand in the text at all, pattern, replacement): the first keeps most patterns from being tried.
_RULES: tuple[tuple[str, str, str], ...] = (
    ("co-o", r"\bco-(?=operat|ordinat)", "co"),
    ("no.", r"\bno\. ?(?=#)", "number "),
    ("exceed", rf"\bin no event {_MODAL} ([^.;,]{{3,60}}?) exceed\b", r"\1 must not exceed"),
    ("exceed", rf"\bneither ([^.;,]{{3,60}}?) {_MODAL} exceed\b", r"each \1 must not exceed"),
    ("entitle", r"\b(?:shall |will )?entitles? ((?:the |an? |either |any )?[a-z]+) to\b", r", \1 MAY"),
    (
        "no ",
        rf"\b(?:under no circumstances|in no event|at no time|in no case) {_MODAL} "
        r"((?:the|a|an|any|either) [a-z]+(?: party)?|[a-z]+)\b",
        r"\1 MUST NOT",
    ),
    ("(", r"\( ?(?:[a-z]|[ivx]{1,4}|[0-9]{1,2}) ?\)", " "),
    ("ce ", r"\b(once|twice) (?=(?:in|for|per|every|each|a|during|only)\b)", r"\1-only "),
    ("once", r"\bonce(?=[.,;]|$)", "once-only"),
    ("one", r"\bone \( ?(#[0-9]+)", r"\1"),
    ("data subject", r"\bdata subject\b", "datasubject"),
    (
        " part",
        r"\b(receiving|disclosing|indemnified|indemnifying|defaulting|non-defaulting|affected|terminating|requesting|"
        r"breaching|transferring|withdrawing|contracting) part(?:y|ies)\b",
        r"\1-party",
    ),
    ("failure to perform", r"\b(any |for )failure to perform\b", r"\1failure"),
    (
        " be ",
        rf"\b(?:no|neither) ([a-z]+(?: [a-z]+)?) {_MODAL} be (?:required|obliged|bound) to\b",
        r"a \1 NEEDNOT",
    ),
    ("neither", rf"\bneither (?:the )?([a-z]+) nor (?:the )?([a-z]+) {_MODAL}\b", r"the \1 AND \2 MUST NOT"),
    ("neither", rf"\bneither ([a-z]+) {_MODAL}\b", r"a \1 MUST NOT"),
    ("less than", r"\bno ([a-z]+) (is|shall be|may be|must be) less than\b", r"each \1 \2 at least"),
    ("more than", r"\bno ([a-z]+) (is|shall be|may be|must be) more than\b", r"each \1 \2 at most"),
    ("absent", r"(^|[.;,] )absent (?!from)", r"\1UNLESS "),
    (
        " only ",
        r"\b(may|can|shall|must) only ([^.;,]{3,90}?) (with|if|when|after|under|where|upon)\b",
        r"\1 not \2 UNLESS \3",
    ),
    (
        "from ",
        r"\bfrom (?=(?:the )?"
        r"(?:#|date|day|end|expiry|commencement|receipt|completion|start|beginning|time|termination))",
        "AFTER ",
    ),
    ("un", r"\bun(spent|paid|used|sold|delivered|issued|earned|corrected|remedied|cured)\b", r"NOT \1"),
    ("whichever", r"\bwhichever of the #[0-9]+ is\b", "whichever is"),
    ("no ", rf"\bno ([a-z]+(?: [a-z]+){{0,2}}?) {_MODAL}\b", r"a \1 MUST NOT"),
    ("neither", r"\bneither ([a-z]+) (is|are|has)\b", r"a \1 NOT \2"),
    ("not ", r"\bnot (required|needed|necessary)\b(?! to)", "NOT need"),
    (
        "nothing in",
        r"\bnothing in (this|the) ([a-z]+) (?:shall |will |may |is |)?(?:be )?"
        r"(?:deemed to |construed to |construed as )?",
        r"this \2 NOT ",
    ),
    ("failure", r"\bfailure (?:by|of) ((?:the |an? |any |either )?[a-z]+(?: party)?) to\b", r"\1 NOT"),
    ("failing", r"\bfailing (without [a-z ]{1,30}?)to\b", r"\1 NOT"),
    (
        "without",
        r"\bwithout (?=(?:[a-z'-]+ ){0,7}?(?:consent|approval|permission|authori[sz]ation|authority|licen[cs]e)\b)",
        "UNLESS with ",
    ),
    ("without", r"\bwithout (?=first\b|prior\b|previously\b)", "UNLESS "),
    ("without", r"\bwithout\b(?! (?:charge|delay|undue delay|regard|limitation|giving effect)\b)", "WITHOUT"),
    (
        "only ",
        r"\b(may|shall|must|can|is|are|will)\b ([^.;,]{0,160}?)\bonly "
        r"(?:if|when|where|after|once|with|upon|under|on)\b",
        r"\1 not \2 UNLESS",
    ),
    (
        "only ",
        rf"(^|[.;] |, (?:but |and )?(?:the |an? |each )?)([^.;,]{{0,160}}?)\bonly {_WHEN}\b",
        r"\1not \2UNLESS",
    ),
    ("only ", rf"\bonly {_WHEN}\b", "UNLESS"),
    ("except", r", ((?:[a-z'-]+ ){1,6})except(?:ed)(?=[.,;]|$)", r" UNLESS \1"),
    ("by the e", r"\bby (?=the end\b|the expiry\b)", "within "),
    ("in writing", r"\b(?:days?' )?notice in writing\b", "written notice"),
    ("not less than", r"\b(?:of|at|for) not less than\b", "at least"),
    (" be ", r"\b(?:not|no) be (?:less|fewer) than\b", "at least"),
    ("not unreasonably", r"\b(may|shall|will) not unreasonably\b", r"\1 not be unreasonably"),
)
_COMPILED = tuple((trigger, re.compile(pattern), new) for trigger, pattern, new in _RULES)


def rewritten(line: str) -> str:
    """A line, in lower case, with its turns of phrase in one form."""
    for trigger, pattern, new in _COMPILED:
        if trigger in line:
            line = pattern.sub(new, line)
    return line
