"""English turns of phrase that say one operator by means of another, brought to one form before words are looked up.

"Only with consent" is "not unless with consent", "no person shall" is "a person must not", "failure by X to pay" is
"X does not pay". The text is in lower case and its numbers are #0, #1, …; operators come out in capitals.
"""

import re

_MODAL = "(?:shall|may|must|will|can)"
_WHEN = "(?:if|when|where|after|once|with|upon)"
_IF = "(?:if|where|when)"
_FAILING = "(?:cannot|can not|do not|fail to|are unable to|have not|could not|did not)"
_PROPERTY = "refundable|transferable|assignable|exclusive|negotiable|cancellable|renewable|returnable"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_LEAVE = (
    r"(?!no |any )((?:the |an? |any |its |their )?(?:[a-z'-]+ ){0,5}?(?:consent|approval|permission|authori[sz]ation)"
    r"(?: (?:of|from) (?:the )?[a-z]+)?)"
)
_OBTAINS = (
    r"(?:needs?|requires?|(?:must|shall|has to|have to|is required to|are required to) (?:first )?"
    r"(?:have|get|obtain|seek and obtain|procure))"
)
# "X needs Y's consent to sell" is "X must not sell unless with Y's consent".
_CONSENT = (
    (
        "before",
        rf"\b(?:before|prior to) ([^,.;]+), ((?:the |an? |each |any )?[a-z]+) {_OBTAINS} {_LEAVE}",
        r"\2 MUST NOT \1 UNLESS with \3",
    ),
    *(
        (
            noun,
            rf"\b([a-z'-]+) {_OBTAINS} {_LEAVE} (?:to|before|prior to|in order to) ([^.;,]+(?:, [^.;,]+)*)",
            r"\1 MUST NOT \3 UNLESS with \2",
        )
        for noun in ("consent", "approval", "permission", "authori")
    ),
)
# (what must stand in the text at all, pattern, replacement): the first keeps most patterns from being tried.
_RULES: tuple[tuple[str, str, str], ...] = (
    ("governed by", r"\bgoverned by,? and construed in accordance with,?", "governed by"),
    ("co-o", r"\bco-(?=operat|ordinat)", "co"),
    ("no.", r"\bno\. ?(?=#)", "number "),
    ("exceed", rf"\bin no event {_MODAL} ([^.;,]{{3,60}}?) exceed\b", r"\1 must not exceed"),
    ("exceed", rf"\bneither ([^.;,]{{3,60}}?) {_MODAL} exceed\b", r"each \1 must not exceed"),
    *_CONSENT,
    (
        "not, ",
        rf"\b({_MODAL} not), ((?:without|except|save|unless|other than) [^,.;]{{3,90}}), ([^.;]+)",
        r"\1 \3 \2",
    ),
    (
        "no ",
        r"\b(only|solely|exclusively) ([^.;]{3,80}?),? and (?:for |to |in |by )?no other(?: [a-z]+)?(?=[.,;]|$)",
        r"\1 \2",
    ),
    ("within ", r"\bwithin (?=(?:that|this|such|the said|the same|those) (?:time|period|term|days)\b)", "in "),
    ("lawful", r"\bit (?:shall|will) not be lawful for ((?:the |an? |any )?[a-z]+) to\b", r"\1 must not"),
    ("lawful", r"\bit (?:is|shall be|will be) lawful for ((?:the |an? |any )?[a-z]+) to\b", r"\1 may"),
    ("no ", r"\b(?:shall |will |do |does )?ha(?:ve|s) no (?:authority|power|entitlement|right) to\b", "must not"),
    ("later than", r"\b(?:not|no) later than (#[0-9]+) (?=before\b|prior to\b|in advance\b)", r"at least \1 "),
    ("interval", r"\bat intervals (?:of )?(?:not|no) (?:exceeding|more than|longer than) (?=#)", "at least every "),
    (
        "exercised by",
        r"\bthe right to ([^.;,]+?) may be exercised by ((?:the |either |any )?[a-z]+)",
        r"\2 may \1",
    ),
    *(
        (
            word,
            rf"(^|[.;] )([^.;]+?) (?:is|are|shall be) (?:strictly |expressly )?{word}"
            r"(?= unless\b| except\b| without\b| ?[.;,]|$)",
            r"\1MUST NOT \2",
        )
        for word in ("prohibited", "forbidden", "not permitted", "not allowed")
    ),
    ("over", r"\b(?:hold|holds|holding) over\b(?! ?#)", "stay"),
    ("if any", r",? if any(?=[,.;)]|$)", ""),
    ("should", r"(^|[.;] )should (?=(?:the|an?|any|either|it|they|he|she)\b)", r"\1IF "),
    (
        "failure",
        r"(^|[.;] )failure (?:by|of) ((?:the |an? |any |either )?[a-z]+(?: party)?) to ([^.;]+?) "
        r"(?=(?:shall |will )?entitles?\b)",
        r"\1IF \2 NOT \3 ",
    ),
    (
        "it ",
        r"\bit (?:is|shall be|will be) the (?:responsibility|duty|obligation) of "
        r"((?:the |an? |any |each |every )?[a-z]+) to\b",
        r"\1 must",
    ),
    (
        "provided",
        r"(?<!^)(?<!, )(?<!; )(?<!and )(?<!but )(?<!as )(?<!otherwise )(?<!expressly )\bprovided\b"
        r"(?! that| always| however| further)",
        "given",
    ),
    (
        "entitled",
        r"\b((?:shall|will) be|is|are) entitled,? ((?:at|from|upon|on|without|with|by)\b[^.;,]{3,50}?),? to\b",
        r"\2 \1 entitled to",
    ),
    (
        " with ",
        r"\b(?:covenants?|agrees?|undertakes?|promises?) with (?:the |each )?[a-z]+ (not )?to\b",
        r"must \1",
    ),
    ("not to", r"\b(?:covenants?|agrees?|undertakes?|promises?) not to\b", "must not"),
    (
        " and not ",
        r"\b(must|shall|will) ([^.;]{3,160}?),? and not "
        r"(?!(?:more|less|later|fewer|earlier|exceeding|to|only|the|an?|any|by|in|for|on|as|merely|its|at|after)\b)",
        r"\1 \2 and \1 not ",
    ),
    ("no such", r"\bno such ([a-z]+) (is|are|has|have|[a-z]{3,}s)\b", r"such \1 not \2"),
    (" no ", rf"\b({_MODAL}) (make|give|take|accept|incur|contain|do|permit|use) no ", r"\1 not \2 any "),
    (
        "right",
        r"\b(?:shall have|will have|have|has) the right,? but (?:not|is not|are not|not under|without|under no|no)"
        r"(?: the| any| an)? (?:obligation|duty|obliged|required),? to\b",
        "may",
    ),
    (
        "but ",
        r",? but (?:(?:is|are) (?:not obliged|not required|not bound|under no obligation)|need not|does not have)"
        r"(?: to)?(?: do so)?(?=[.;]|$)",
        "",
    ),
    (
        "within ",
        r"\bwithin (?!#|one |(?:[a-z'-]+ ){0,3}?(?:time|periods?|days?|weeks?|months?|years?|hours?|deadline|term)\b)",
        "in ",
    ),
    ("treat", r"\btreat ([^.;,]{2,50}?) as (?:strictly )?(confidential|secret)\b", r"keep \1 \2"),
    ("by ", r"\b(?:appointed |chosen |made )?by (?:mutual )?agreement between the parties\b", "agreed by the parties"),
    ("free ", r"\b(?:be |is |are |remain )?free (?:and clear )?(?:from|of) (?!(?:any )?charge)", "have NO "),
    (
        "agree",
        rf"\b{_IF} (?:the parties|they|both parties) (?:{_FAILING} )(?:agree|reach (?:an )?agreement)\b",
        "UNLESS agreed",
    ),
    (
        "agreement",
        r"\b(?:in the absence of|absent|failing) (?:an? |any |such |mutual )*agreement"
        r"(?: (?:between|of|by) the parties)?\b",
        "UNLESS agreed",
    ),
    ("not ", rf"\b(is|are) not ({_PROPERTY})\b", r"\1 non-\2"),
    ("not be ", rf"\b{_MODAL} not be ({_PROPERTY})\b", r"is non-\1"),
    (" be ", r"\b(?:may|can) be (?=(?:up to|as much as|as high as)\b)", "is "),
    ("it is an offence", r"\bit is an offence for (?:a|any) person to ([^.;]+)", r"a person who \1 is an offence"),
    ("by ", rf"\bby (?=#[0-9]+ (?:{_MONTH})\b)", "within "),
    ("by ", rf"\bby (?=(?:{_MONTH}) #[0-9]+\b)", "within "),
    ("entitle", r"\b(?:shall |will )?entitles? ((?:the |an? |either |any )?[a-z]+) to\b", r", \1 MAY"),
    (
        "no ",
        rf"\b(?:under no circumstances|in no event|at no time|in no case) {_MODAL} "
        r"((?:the|a|an|any|either) [a-z]+(?: party)?|[a-z]+)\b",
        r"\1 MUST NOT",
    ),
    ("(", r"\( ?(?:[a-z]|[ivx]{1,4}|[0-9]{1,2}) ?\)", " "),
    (
        "ce ",
        r"\b(once|twice) (?!(?:a|per|each|every|in every|in each) (?:year|month|week|day|quarter)\b)"
        r"(?=(?:in|for|per|every|each|a|during|only)\b)",
        r"\1-only ",
    ),
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
    (
        "permit",
        rf"\b({_MODAL}) not,? (?:and|or|nor) {_MODAL} not (?:permit|allow|cause) [^.,;:]{{1,30}}? to\b",
        r"\1 not",
    ),
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
    (
        "no ",
        r"\bno (?!later|earlier|more|less|fewer|longer|event|case|time|sooner)"
        rf"([a-z'-]+(?: [a-z'-]+){{0,14}}?) {_MODAL}\b",
        r"a \1 MUST NOT",
    ),
    ("neither", r"\bneither ([a-z]+) (is|are|has)\b", r"a \1 \2 NOT"),
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
    ("MUST NOT be", r"\bMUST NOT be (?:entitled|permitted|allowed|authori[sz]ed) to\b", "MUST NOT"),
    ("MUST NOT be", r"\bMUST NOT be (?:required|obliged|bound) to\b", "NEEDNOT"),
    ("right to", r"\bMUST NOT have (?:any|the|a) (?:right|power|authority|entitlement) to\b", "MUST NOT"),
    ("obligation to", r"\bMUST NOT have (?:any|an|the) (?:obligation|duty) to\b", "NEEDNOT"),
    (
        "not have ",
        r"\b(?:shall|will|does|do|must) not have (?:any|the|a) (?:right|power|authority|entitlement) to\b",
        "MUST NOT",
    ),
    ("not have ", r"\b(?:shall|will|does|do|must) not have (?:any|an|the) (?:obligation|duty) to\b", "NEEDNOT"),
    ("nor ", r"\bnor (?!shall|may|must|will|can|is|are|does|do|has|have|did|was)", "or "),
    ("not unreasonably", r"\b(may|shall|will) not unreasonably\b", r"\1 not be unreasonably"),
)
_COMPILED = tuple((trigger, re.compile(pattern), new) for trigger, pattern, new in _RULES)


def rewritten(line: str) -> str:
    """A line, in lower case, with its turns of phrase in one form."""
    for trigger, pattern, new in _COMPILED:
        if trigger in line:
            line = pattern.sub(new, line)
    return line
