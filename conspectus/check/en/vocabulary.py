"""English words by what they do in a legal text: say little, narrow what they stand by, or name somebody who acts."""

# No content of their own: they need no support and are not asked for.
LIGHT = frozenset(
    "a an the of to in on at by for with this that these those its it their they them he she his her him we us "
    "our you your i me my who whom whose which what there here as be is are was were been being am has have had "
    "having do does did done doing such so than then too also into onto upon out up down off about around between "
    "among amongst per through via other others another same own one ones any some certain either very just even "
    "still yet already again hence thus therefore thereby whereby wherein whereupon himself herself itself "
    "themselves make makes made making take takes taken get gets got become becomes became come comes go goes put "
    "party parties agreement contract terms respect regard relation connection case way manner under against "
    "towards toward within without over across along shall said said's like because due both applicable relevant "
    "foregoing regards hereafter though although now rather say says tell tells told from single relate relates "
    "inc ltd limited llc llp plc corp corporation co gmbh owing whether whole wholly partly otherwise thereupon "
    "therefrom item items following if not each failure failures apart instead time times date dates day part "
    "place thing things matter purpose effect actually really simply merely kind type sort number order concerned "
    "involved accordingly necessarily however hold held state states mean means meaning enter entered once rest "
    "remainder gives give given giving provide provides provided include includes including included ensure "
    "ensures set sets cover covers covered later further respective possible how why else back upward downward "
    "upwards downwards subject subsequently amount amounts sum sums period periods".split()
)
# Light words that support others of their group of synonyms, though nobody asks for them.
SUPPORTING = frozenset(
    "sum sums amount amounts period periods ensure ensures held hold provide provides include includes including "
    "own due applicable place places time date order mean means gives give given make made become becomes".split()
)
# What narrows a noun or a verb; lost, the statement says more than the evidence.
QUALIFIERS = frozenset(
    "written prior express expressly sole solely only exclusive exclusively non-exclusive irrevocable irrevocably "
    "joint jointly several severally reasonable reasonably unreasonably undisputed unpaid gross wilful willful "
    "direct indirect perpetual audited material substantial aggregate pro rata majority independent unconditional "
    "unconditionally commercially best final binding adequate working business calendar consecutive net average "
    "first last prevailing fair serious non-refundable refundable non-transferable retail wholesale internal "
    "external structural non-structural permanent temporary full-time part-time authorised authorized "
    "wholly-owned personal knowingly wilfully willfully intentionally negligently recklessly fraudulently "
    "deliberately maliciously voluntarily dishonestly "
    "once-only twice-only casting original certified registered primary minor major".split()
)
ROLE_WORDS = frozenset(
    "tenant landlord lessee lessor buyer seller purchaser vendor supplier customer client contractor employer "
    "employee borrower lender licensee licensor franchisee franchisor agent principal guarantor guarantee "
    "distributor manufacturer consultant company authority minister council board commission agency controller "
    "processor operator holder owner carrier insurer insured assignor assignee trustee trustees bank publisher "
    "author architect engineer executive shareholder director directors occupier provider subscriber user member "
    "members registrar tribunal court secretary president chairman issuer investor grantor grantee mortgagor "
    "mortgagee pledgor pledgee chargor obligor creditor debtor claimant respondent applicant appellant charterer "
    "shipper consignee transporter receiver disclosing recipient subcontractor affiliate subsidiary parent "
    "partner hospital clinic school university platform worker consumer importer exporter producer city county "
    "state department government hotel guest patient doctor developer reseller integrator sponsor institution "
    "fund manager administrator liquidator arbitrator mediator expert auditor beneficiary settlor donor donee "
    "heir executor promoter organiser exhibitor artist athlete club association federation union committee "
    "inspector officer commissioner regulator taxpayer sublessee subtenant occupant depositor custodian escrow "
    "servicer originator underwriter broker dealer farmer household retailer wholesaler student pupil teacher "
    "guardian child ward driver passenger trader merchant undertaking datasubject lenders joint venturer "
    "venturers".split()
) - {"guarantee", "state", "fund", "disclosing", "joint", "subject"}

# The plain forms of irregular verbs and plurals, which a stemmer does not know.
IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "gave:give given:give paid:pay made:make held:hold kept:keep sold:sell sent:send took:take taken:take "
        "brought:bring bought:buy got:get lent:lend left:leave lost:lose met:meet ran:run said:say spent:spend "
        "told:tell wrote:write chose:choose chosen:choose began:begin begun:begin broke:break broken:break "
        "borne:bear built:build came:come did:do done:do drawn:draw fell:fall fallen:fall found:find grew:grow "
        "knew:know known:know laid:lay meant:mean rose:rise risen:rise seen:see shown:show sought:seek thought:think "
        "undertook:undertake undertaken:undertake withheld:withhold withdrew:withdraw withdrawn:withdraw "
        "led:lead stood:stand bound:bind gone:go went:go forbidden:forbid overdue:due repaid:repay resold:resell "
        "payee:payee lessees:lessee men:man people:person children:child underlet:underlet has:have had:have"
    ).split()
)
