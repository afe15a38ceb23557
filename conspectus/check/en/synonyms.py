"""English words of contracts and statutes that mean the same.

Curated by hand from drafting manuals and plain-language lists. A group holds words that may stand for one another in a
restatement of a contract or statute without changing who must do what; roles that differ (buyer, seller) share none.
"""

# Words that stand for one another, groups parted by strokes. Groups may share a word: it then means either.
GROUPS = """
end terminate termination expire expiry expiration cease stop discontinue lapse over close finish
cancel terminate rescind revoke withdraw annul cancellation
start commence commencement begin beginning effective onset / complete completion finish full fully
pay payment payable remit remittance settle discharge paid cost / owe due payable outstanding owing payment owed
buy purchase acquire acquisition / purchaser buyer / vendor seller / lessee tenant / lessor landlord
help assist assistance aid support / give provide supply furnish render make grant available let
send deliver serve dispatch transmit forward pass submit give delivery render hand present
notify notice notification inform tell advise email give say
allow permit let authorise authorize permission authorization authorisation entitle enable
consent permission approval agree agreement / need require necessary requirement required demand
use utilise utilize usage exercise apply employ / keep retain maintain hold preserve maintenance make
remain stay continue survive last subsist endure continuation keep / last run continue term
get obtain receive receipt acquire procure secure entitled earn / ensure procure make sure secure see
comply compliance conform observe meet satisfy obey follow conformity abide
break breach violate violation contravene contravention infringe infringement
do perform performance carry execute fulfil discharge conduct undertake fulfill / sign execute execution signature
show produce reveal disclose indicate demonstrate display / disclose reveal divulge share
say state declare specify set provide stipulate lay tell / choose select elect option opt choice
appoint nominate designate name nomination appointment / ask request call / demand require
apply application applicant / waive waiver relinquish give / sum amount money payment figure
total aggregate whole entire overall combined altogether / cost expense expenditure / charge fee levy
year annual yearly annum / month monthly / quarter quarterly / week weekly
people person individual anyone anybody somebody someone whoever man those they / extra additional further added
rest remainder remaining balance other / law legislation statute / place location site premises
duty obligation responsibility obliged obligate / responsible bear pay
responsible liable liability responsibility accountable
change amend amendment modify modification vary variation alter alteration revise revision / increase raise rise
reduce decrease lower reduction cut / transfer assign assignment convey conveyance / vest pass transfer belong
own owner ownership belong title vest / sell sale sold / rent rental / lease let tenancy
renew renewal extend extension prolong / extend extension enlarge / remedy cure rectify correct fix
repair fix mend / repay refund reimburse reimbursement return repayment / return restore give
compensate compensation indemnify indemnity indemnification
invalid void unenforceable invalidate vitiate null invalidity
immediate immediately promptly forthwith instantly once / prompt promptly forthwith quickly immediate
decide decision determine determination / inspect inspection examine examination check
audit auditor examine inspect / try attempt endeavour endeavor effort seek
resolve settle resolution solve settlement / meet meeting / punctual timely due prompt
suitable proper appropriate adequate sufficient necessary / erase delete remove deletion erasure removal
anonymous anonymise anonymize / create make produce creation form / arise result cause come stem derive
happen occur occurrence event / send post mail / email electronic mail / slow delay late delayed belated
always throughout / sole only exclusive solely exclusively alone / joint jointly together both
consider think believe deem opinion satisfied / hold held decide find / enter access entry come
live reside residence / because reason ground cause since / before prior previous earlier beforehand advance ago
later after subsequent following then / sell dispose sale / stop suspend suspension / suspend cease suspension
law legal statutory lawful / reasonable reasonably / accounts books records statements / accept acceptance agree
sickness ill illness sick / bear pay cover incur meet / bear carry yield / bear payable / bear accrue
bear carry display show / part portion share proportion / copy duplicate / period term duration time interval
start open / goods product / document paper / answer reply respond response / conflict inconsistent inconsistency
house dwelling home / space accommodation room / consider find think / space premises / job work employment post
employee worker staff / rule regulation / stay remain / buy order / power right authority
right entitlement entitle / supervise supervision oversee / include comprise cover contain including inclusive
fix determine set establish / publish print publication announce announcement / announce announcement
instruct instruction direct direction order / carry transport carriage / money cash fund
guarantee guaranty warrant warranty ensure / warrant represent representation warranty / claim demand
price consideration / help facilitate / suffer incur sustain / child minor / car vehicle / prescribe lay set
prove proof evidence establish / adopt bring enact / clear free unobstructed obstruct obstruction
unencumbered encumbrance / destroy destruction / damage harm injury / injury harm / recover recovery recoup
promise undertake covenant agree / agree agreement accord arrange / try effort / mean meaning definition define
move relocate / interest stake / defect fault fail / correct accurate / exact precise / person party
govern apply law / jurisdiction court / disagree dispute disagreement / dispute difference controversy
loan advance facility / invest investment / recruit hire engage employ / hire engage appoint
dismiss dismissal terminate discharge fire / wage salary pay remuneration earn / salary wage remuneration
holiday leave vacation / fee charge price cost / cost charge price / instalment installment
attach enclose annex append accompany / authorise empower authorize / build construct erect construction erection
calculate compute calculation computation reckon / carry conduct operate run pursue
certify confirm certification certificate confirmation / verify confirm check verification
conclude enter finalise finalize / confidential secret / consist comprise / danger risk hazard
dangerous hazardous unsafe / treat consider deem regard / deny refuse reject decline refusal rejection denial
divide split apportion apportionment share / eligible qualify entitled / equal equivalent same identical
assess evaluate evaluation assessment / spend expend expenditure / explain explanation clarify
lose loss forfeit forfeiture / income revenue / illegal unlawful / hinder impede obstruct / implement perform carry
improve improvement / initiate start / intend intention intent wish want plan propose / invoice bill
itemise itemize list detail / limit restrict restriction limitation cap
manufacture make produce manufacturing production / monitor supervise / object objection oppose / obtain hold
oral verbal / outcome result / participate participation / pledge charge mortgage / possess hold possession
postpone defer delay / practicable possible feasible practical / procure cause / prohibit forbid ban prevent
proper due / quantity amount volume / reach attain achieve / refer reference relate / reject refuse
release discharge free / rely reliance / remuneration pay salary / replace substitute replacement substitution
restrict limit / schedule timetable / serious grave severe / similar like / special particular specific
submit submission / substitute alternate / succeed successor succession / supplement supplementary additional
test trial testing / train training / vacate leave quit / value worth / warn warning / proceed proceeding procedure
omit omission / retain retention / resign resignation leave quit terminate / respond response
protect protection safeguard / prescribe prescription specify
know knowledge aware awareness learn discover knowing known / safe safety / absent absence / present presence attend
insolvent insolvency bankrupt bankruptcy liquidation / arrive arrival / depart departure / survive survival
merge merger / acquire acquisition / construe interpret interpretation construction / govern regulate
hereafter future / remove removal / expose exposure / describe description / exclude exclusion exclusive / lend loan
borrow borrowing / inherit inheritance / divorce dissolution / dissolve dissolution / strike industrial
enlarge expand / maintain repair service / operation operate working / bind binding / conclusive final
default breach failure / able capable / allocate allot allocation allotment / cease stop / collateral security
advance prepay prepayment / prepay repay early / instruct order tell / inform information / tax duty levy
vote ballot / majority most / worldwide world global / nationwide country national / website site online
phone telephone / fulltime full-time / premises property building / buildings building structure
machine machinery equipment / vessel ship / aircraft plane / physician doctor / pupil student / hearing heard hear
audit audited / unauthorised unauthorized / colour color / centre center / defence defense / favour favor
honour honor / labour labor / programme program / cheque check / judgement judgment
enquiry inquiry enquire inquire / organise organize organisation organization / recognise recognize
realise realize / minimise minimize / maximise maximize / summarise summarize summary / analyse analyze analysis
owing due / soon sooner early earlier / force valid validity effective apply / accelerate immediately payable
occupy occupation occupier occupancy / fit suitable usable / withhold withheld refuse
fair proper reasonable equitable / purpose aim object / manage management administer administration operate
run operate operation / own proprietary / mark trademark / territory area region / qualified qualify competent
permit licence license authorise authorize permission / licence license permit / stop prevent / forbid prohibit ban
grant award give / set fix / date day time / first initial initially / final last / own itself
accrue bear run charge / visit attend attendance / make conduct / delegate subcontract / collect collection
issue release publish / exist existence there subsist / appeal challenge / promote market promotion
keep store storage record / stock inventory / approve approval / ruling decision judgment judgement
lodge file submit send / become be turn / require oblige / declare disclose / finance fund / view see inspect
account report statement / report notify account / register registration / exceed over above
lawyer counsel solicitor attorney / unless except / transaction deal / company firm / assets property / take get
put place / mention refer reference / mutual each both / yearly annual / deduct deduction less net withhold
off deduct / set-off setoff offset / owe liable liability / written writing / spouse husband wife
offence offense crime / imprisonment prison jail / punish penalty fine punishable / liable punishable
enterprise business undertaking / surrender yield return / shipment ship dispatch delivery / error mistake fault
hurt injure harm damage / halt stop cease / insure insurance insured cover / impose levy charge
adjust adjustment change revise / exempt exemption free / elapse expire pass / accurate correct true
complete full entire whole / enough sufficient adequate suffice / shareholder stockholder
handle process treat deal / discover detect find identify / locate situate base / consult consultation
cooperate cooperation collaborate collaboration / trade business commerce / unpaid outstanding overdue due
abroad overseas foreign / upkeep maintenance / affect impact influence / eligible entitle / urgent emergency
separate distinct / regular periodic / answer account / background recital / seal stamp / cargo goods freight
die death dead decease deceased / property ownership own / event cause circumstance occurrence incident
marry marriage / advise advice / analyse analysis / believe belief / born birth
compulsory mandatory obligatory require / deceive deception fraud fraudulent / fly flight / grow growth
high height / long length / deep depth / wide width / weigh weight / know known / obey obedience obedient
persuade persuasion / presume presumption / redeem redemption / retire retirement / serve service
suspect suspicion / think thought / treat treatment / try trial / hand return restore surrender yield give deliver
sublet sublease underlet / further extra more additional / retain keep / occasion cause / read review peruse
review examine consider inspect revise / drive operate / report inform tell notify
shortage shortfall missing deficiency / complain complaint / intentional deliberate wilful willful
deliberately intentionally wilfully / personnel staff employees workforce / equipment device apparatus
entity organisation organization body / individual natural person / advance upfront early
convict conviction guilty / lawsuit suit action proceeding litigation sue / ineffective void invalid
legitimate lawful legal / optional voluntary / simultaneous simultaneously concurrent concurrently
consecutive successive row / previous former earlier / current present existing / excess surplus extra
approximately about roughly around / adjacent adjoining neighbouring neighboring next
nuisance disturb disturbance annoyance annoy / rubbish waste garbage trash / furniture furnishings
software program programme / bug error defect fault / data information / information details particulars
outage downtime interruption / uptime availability available / function feature functionality / load loading
voyage journey trip / emergency urgent / pension retirement / probation probationary trial / exam examination test
research study / drug medicine medicinal pharmaceutical / pollute pollution contaminate contamination
energy power electricity / kilogram kg kilograms / kilometre km kilometres kilometer / metre meter metres
assume take undertake accept / display show exhibit / dispose disposal / travel trip / fill complete
shut close closure / open opening / meet fulfil satisfy / look search / dispute contest / contest challenge
expel expulsion / compete competition competitor competing / hide conceal concealment / misuse abuse
steal theft stolen / rob robbery / breakdown failure / crew staff / board committee / guide guideline guidance
rank priority preference / prefer preference preferred / halve half / double twice / yield produce
enforce enforcement / settle settlement / hear hearing / witness attest / estimate estimation approximate
forecast predict projection / measure measurement / speed rate / storey floor / deliver delivery
hold possession custody / custody possession / entrust assign / swap exchange / trade exchange / lawfully legally
jail imprisonment / finance funding / donate donation gift contribute contribution / inherit inheritance succession
fall drop decrease decline decreased sink / rise climb increase exceed
enquire inquire enquiry inquiry check verify investigate / lapse lose forfeit / arrears behind
appear apparent apparently seem / debt indebtedness borrowing / supersede replace
"""
