"""English phrases of contracts and statutes with one meaning, brought to one form.

Operators are written in capitals ("is not obliged to" is NEEDNOT); one that maps to "" says nothing in a restatement.
"""

# Operators are written in capitals; one that maps to "" says nothing in a restatement.
PHRASES: dict[str, str] = {}
_OPERATOR_PHRASES = {
    "NEEDNOT": (
        "shall not be obliged to/shall not be required to/shall not be bound to/need not/is not required to/"
        "are not required to/is not obliged to/are not obliged to/is not bound to/not obliged to/"
        "not required to/does not have to/do not have to/has no obligation to/have no obligation to/"
        "shall have no obligation to/is under no obligation to/are under no obligation to/"
        "shall be under no obligation to/be under no obligation to/under no obligation to/has no duty to/"
        "shall have no duty to/no obligation to/not be obliged to/not be required to/"
        "shall have no obligation whatsoever to/has no obligation whatsoever to/not bound to/does not need to"
    ),
    "MUST NOT": (
        "shall not/must not/may not/cannot/can not/will not/shall never/must never/may never/"
        "is prohibited from/are prohibited from/is not permitted to/are not permitted to/is not allowed to/"
        "are not allowed to/is not entitled to/are not entitled to/shall not be entitled to/"
        "shall not be permitted to/has no right to/have no right to/shall have no right to/won't/can't/"
        "is forbidden to/are forbidden to/shall at no time/must at no time/may in no case/shall in no case/"
        "shall in no event/must in no event/will in no event/shall be prohibited from/shall not at any time/"
        "may under no circumstances/is not authorized to/is not authorised to/is barred from"
    ),
    "MUST": (
        "shall/must/will/is required to/are required to/is obliged to/are obliged to/is bound to/are bound to/"
        "has to/have to/shall be required to/shall be obliged to/is obligated to/are obligated to/"
        "shall be obligated to/needs to/is under a duty to/has a duty to/has an obligation to/"
        "have an obligation to/agrees to/agree to/undertakes to/undertake to/covenants to/"
        "has the obligation to/has the duty to/shall be liable to/is liable to/is responsible to"
    ),
    "MAY": (
        "may/can/be eligible to/is eligible to/are eligible to/shall be eligible to/is entitled to/are entitled to/"
        "be entitled to/shall be entitled to/is permitted to/"
        "are permitted to/shall be permitted to/shall be allowed to/is allowed to/are allowed to/"
        "has the right to/have the right to/shall have the right to/shall have the right/has the option to/"
        "have the option to/shall have the option to/is free to/are free to/shall be free to/is licensed to/"
        "are licensed to/is authorized to/is authorised to/are authorized to/are authorised to/has a right to/"
        "have a right to/is hereby authorized to/has the power to/have the power to/shall have power to/"
        "has power to/shall have the power to/"
        "reserves the right to/reserve the right to/has the right/have the right/at its option/at its discretion"
    ),
    "NO": "no/none/nothing/nobody/at no",
    "NOT": (
        "is released from/be released from/are released from/be discharged from/is discharged from/be relieved of/"
        "is relieved of/be relieved from/is relieved from/be excused from/is excused from/"
        "not/never/neither/nor/no longer/fails to/fail to/failed to/failing to/failure to/does not/do not/"
        "did not/don't/doesn't/isn't/aren't/is unable to/are unable to/unable to/ceased to be/ceases to be/"
        "has ceased to/have ceased to/ceases to/ceased to/in the absence of/lack of/lacks/shall fail to/"
        "neglects to/refuses to/has failed to/have failed to/has stopped/have stopped/refrains from/"
        "not including/excluding from"
    ),
    "UNLESS under": (
        "except as provided in/save as provided in/except as set out in/except as otherwise provided in/"
        "save as set out in/except as stated in/except as set forth in/except as otherwise set out in"
    ),
    "UNLESS": (
        "unless/unless and until/except/except for/except as/except that/except where/except with/except to/"
        "except under/except if/except when/except to the extent/except to the extent that/save/save for/"
        "save as/save that/save where/save to the extent/save with/save if/other than/otherwise than/"
        "excluding/but not/apart from/with the exception of/but excluding/in the absence of/"
        "to the exclusion of/exclusive of the"
    ),
    "IF": (
        "if/when/whenever/where/provided/provided that/providing that/on condition that/on the condition that/"
        "in the event that/in the event of/in the event/in case of/in the case of/in case/as long as/so long as/"
        "to the extent/to the extent that/if and to the extent that/in circumstances where/in so far as/"
        "insofar as/so far as/so far as is/assuming/conditional on/conditional upon/provided always that/"
        "if and only to the extent that"
    ),
    "SUBJECT": "subject to/depends on/depend on/dependent on/depends upon/depend upon/contingent on/contingent upon",
    "DESPITE": (
        "notwithstanding/notwithstanding that/despite/regardless of/regardless of whether/even if/even though/"
        "irrespective of/whether or not/without regard to/without giving effect to"
    ),
    "BEFORE": "before/prior to/preceding/in advance of/previous to/ahead of/earlier than",
    "UNTIL": "until/till/up until/up to and including/up to the date",
    "AFTER": (
        "after/following/since/subsequent to/thereafter/afterwards/after that/from the date of/beginning with/"
        "beginning on/commencing on/starting on/starting from/as from/as of/counting from/later than/"
        "upon expiry of/upon the expiry of/on the expiration of/from and after/with effect from"
    ),
    "WHILE": "while/whilst/during/throughout/in the course of/for the duration of",
    "MIN": (
        "at no less than/at not less than/"
        "at least/nor less than/not less than/no less than/not fewer than/no fewer than/minimum/minimum of/"
        "a minimum of/not earlier than/no earlier than/no sooner than/not sooner than/not be less than/"
        "not fall below/not be below/at a minimum/being not less than/not less"
    ),
    "MAX": (
        "at no more than/at not more than/"
        "not more than/nor more than/no more than/not later than/no later than/not exceeding/not exceed/"
        "must not exceed/shall not exceed/does not exceed/do not exceed/may not exceed/will not exceed/"
        "not to exceed/shall in no event exceed/shall not at any time exceed/up to/up to a maximum of/at most/"
        "maximum/a maximum of/maximum of/within/or less/capped at/at or below/not greater than/"
        "no greater than/not longer than/no longer than/on or before/at the latest/being not more than/"
        "in no event later than/not above/shall in no event be more than/a cap of/no later/limited to/"
        "is limited to/shall be limited to/must in no event exceed/must not at any time exceed/"
        "within a period of"
    ),
    "MORE": (
        "heavier than/older than/larger than/bigger than/more than/exceeding/exceeds/exceed/in excess of/"
        "greater than/over/longer than/above"
    ),
    "LESS": "lighter than/younger than/smaller than/less than/fewer than/below/shorter than/lower than",
    "AND": "and/as well as/together with/plus/&/and also/along with/in addition to/besides/and in addition",
    "OR": "or/or alternatively/or else/failing which",
    "POSTMIN": "or more/or above/or longer/or over",
    "POSTMAX": "or less/or below/at the latest/or fewer/or earlier",
    "BUT": "but/however/provided however that/provided however",
    "ONLY": "only/solely/exclusively/purely",
    "BOTH": "both",
    "ALL": "all/any and all/each and every/every/each",
    "FIRST": (
        "whichever is earlier/whichever is the earlier/whichever occurs first/whichever is first/"
        "whichever happens first/the earlier of/earlier of"
    ),
    "LAST": "whichever is later/whichever is the later/whichever occurs last/the later of/later of",
    "HIGHER": (
        "whichever is higher/whichever of the two is higher/whichever is the greater/whichever is greater/"
        "the greater of/greater of/the higher of/higher of"
    ),
    "LOWER": (
        "whichever is lower/whichever is the lesser/whichever is less/the lesser of/lesser of/the lower of/lower of"
    ),
    "PERYEAR": "per annum/yearly/annually/annual/in any year/p.a.",
    "PERMONTH": "monthly/of each month/of every month/in any month",
    "PERDAY": "daily/for each day",
    "PERWEEK": "weekly/for each week",
    "PERQUARTER": "quarterly",
}

_PLAIN_PHRASES = {
    "apply": "has effect/have effect/having effect",
    "someone": (
        "any other person/another person/any other persons/other persons/somebody else/anyone else/someone else"
    ),
    "MUST responsible for": "is responsible for/are responsible for",
    "extension of time": "more time/additional time/further time",
    "": (
        "hereby/hereof/herein/hereunder/hereto/thereof/therein/thereto/thereunder/hereinafter/aforesaid/"
        "the said/from time to time/for the time being/time being/"
        "in accordance with the terms of this agreement/in accordance with the terms hereof/"
        "in accordance with the terms and conditions of this agreement/"
        "subject to the terms and conditions of this agreement/subject to the terms of this agreement/"
        "under this agreement/under or in connection with this agreement/of this agreement/"
        "pursuant to this agreement/under the agreement/in this agreement/to this agreement/"
        "specified below/specified above/set forth above/set forth below/set out above/set out below/stated above/"
        "stated below/requiring it to do so/requiring them to do so/"
        "for the avoidance of doubt/it is agreed that/it is hereby agreed that/the parties agree that/"
        "the parties acknowledge that/acknowledges that/acknowledge that/acknowledges and agrees that/"
        "agrees that/agree that/whatsoever/howsoever/of whatever kind/of any kind/of any nature/"
        "of competent jurisdiction/or any part thereof/or any part of it/without limitation/"
        "but not limited to/as the case may be/in any way/in any manner/in whole or in part/"
        "at any time/at any time and from time to time/then in its possession/"
        "under the terms of this agreement/of this agreement or of the law/it shall be/nevertheless/duly/"
        "properly/respectively/respective/accordingly/in the performance of this agreement/in respect thereof/"
        "by virtue of this agreement/forming part of/for its own account/it being understood that/"
        "in relation thereto/with respect thereto/in all respects/absolutely/in its entirety/part or all of/"
        "all or part of/any of/one or more/some or all of/any part of/whole or any part of/any other/"
        "for any period/in any case/in any event/of any sort/owing to the fact that/shall be deemed to/"
        "is deemed to/are deemed to/be deemed to/deemed to/deemed/be taken to mean that/be construed as/"
        "is said to/operate as/operates as/constitute/constitutes/amount to/amounts to/be construed as/"
        "be treated as/is treated as/be regarded as/is regarded as/be considered as/be considered/is considered/"
        "in an amount equal to/in an amount of/in the amount of/in the sum of/the sum of/the amount of/equal to/"
        "required or permitted to be given/required to be given/permitted to be given/"
        "required or permitted to be made/"
        "required or permitted hereunder/required or permitted under this agreement/as provided herein/"
        "as aforesaid/by these presents/such as the case may be/of whatsoever nature/of whatever nature/"
        "subject to the terms and conditions herein/subject to the terms and conditions set forth herein/"
        "on the terms and conditions set forth herein/on the terms of this agreement/"
        "on the terms and conditions of this agreement/upon the terms and conditions of this agreement"
    ),
    "under": (
        "pursuant to/in accordance with/according to/by virtue of/in terms of/as provided in/as set out in/"
        "as defined in/as specified in/has the meaning given in/has the meaning given to it in/"
        "in compliance with"
    ),
    "about": (
        "with respect to/in respect of/in relation to/relating to/with regard to/regarding/concerning/"
        "in connection with/arising out of or in connection with/arising out of/relate to/on the subject of/"
        "as regards/as to/attributable to/in the matter of/under or in connection with/arising under"
    ),
    "for": (
        "for the purpose of/for the purposes of/in order to/so as to/with a view to/for a period of/"
        "for a term of/for an initial period of/in exchange for/for the term of/during a period of/"
        "for the period of/in consideration of/in return for/in consideration for/in the exercise of"
    ),
    "use": "make use of",
    "incorporated": "a company incorporated/a corporation incorporated",
    "permit": "permit to subsist",
    "warrants": "agrees and warrants/agree and warrant",
    "notify": "give notice to/give notice of/gives notice of/serve notice on/give written notice to",
    "stay": (
        "continues in occupation/remains in possession/remains in occupation/continues in possession/stays on/stay on"
    ),
    "offence": "commits an offence/commit an offence/is guilty of an offence/guilty of an offence/an offence",
    "immediately": "at once/with immediate effect/straight away/without delay/without undue delay/right away",
    "start": (
        "come into force/comes into force/come into operation/comes into operation/came into operation/"
        "come into effect/coming into operation/enter into force/enters into force/take effect/takes effect/"
        "came into force/coming into force/taking effect/become effective/becomes effective/be effective/"
        "is effective/entry into force/enter into effect/comes into effect"
    ),
    "in force": "full force and effect/in full force and effect/in full force/in force/in effect/remain valid",
    "always": "at all times/at any and all times/in all cases",
    "all": "any and all/each and every/all and any",
    "warrant": "represents and warrants/represent and warrant/warrants and represents/guarantees and warrants",
    "indemnify": (
        "indemnify and hold harmless/indemnify and keep indemnified/hold harmless/"
        "indemnify defend and hold harmless/save harmless"
    ),
    "free": "free and clear",
    "void": "null and void/of no effect/of no force or effect/no longer valid",
    "cost": "cost and expense/costs and expenses/cost or expense",
    "terms": "terms and conditions",
    "use best": "use its best/use all best/uses its best",
    "law": "applicable law/applicable laws/governing law",
    "governed by": (
        "governed by and construed in accordance with/construed in accordance with and governed by/"
        "construed in accordance with/governed and construed in accordance with/"
        "interpreted in accordance with"
    ),
    "good": "good and substantial/good and tenantable",
    "condition": "state and condition/repair and condition",
    "responsible for": "be liable for the cost of",
    "waive": "give up/gives up/given up",
    "carry out": "carries out/carried out/carrying out",
    "set out": "set forth/laid down/set down/sets out/sets forth",
    "value added tax": "vat",
    "enough": "a sufficient",
    "make good": "put right/makes good/made good",
    "meet": "meeting of the board is held/meeting is held/meetings are held/hold a meeting/holds a meeting",
    "each": "of each of/each of",
    "part": "in part",
    "email": "e-mail/by electronic mail",
    "instead": "in lieu/in place",
    "hand over": "handed over/hands over/hand-over",
    "also": "in addition/additionally/furthermore/moreover",
    "adopt": "bring into force/brings into force",
    "because": "owing to/due to/on account of/by reason of/as a result of",
    "workplace": "place of work/places of work",
    "by": "by means of/by way of/through",
    "entire": "entire agreement",
    "late": "overdue/past due",
    "rest": "remainder/remaining",
    "soon": "as soon as",
    "reverse engineer": "reverse engineering/reverse-engineer/reverse-engineering",
    "dollars": "us dollars/u.s. dollars",
    "whole": "in whole/in full/full",
    "use of": "make use of",
    "notice": "notice in writing",
    "written": "in writing/by writing",
    "employment": "course of his duties",
    "exclude": "is exclusive of/are exclusive of/be exclusive of/exclusive of",
    "for free": (
        "without cost/without any cost/without incurring any cost/without any charge/without payment/"
        "free of charge/without charge/at no charge/at no cost/gratis"
    ),
    "own cost": "own cost and expense/own expense",
    "with": "subject to obtaining",
    "start of": "beginning of",
    "end of": "expiry of/expiration of/conclusion of/termination of",
    "fair": "just and equitable",
}


_PERIODS = ("year", "month", "day", "week", "quarter")
_EACH = ("a", "per", "each", "every", "in each", "in every")


def _load() -> None:
    for unit in _PERIODS:
        for each in _EACH:
            PHRASES[f"{each} {unit}"] = PHRASES[f"once {each} {unit}"] = f"PER{unit.upper()}"
    for groups in (_PLAIN_PHRASES, _OPERATOR_PHRASES):
        for one_form, phrases in groups.items():
            for phrase in phrases.split("/"):
                PHRASES[phrase] = one_form


_load()
