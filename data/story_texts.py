"""The words of the story beside its plot: who takes part, and phrases for everyday decisions, claims and evidence.

Tollgate is the new payments service of a company with many web shops; a team of agents moves the shops to it from
"the old gateway". Arvento is the acquirer, the bank that takes the card payments.
"""

import re
from typing import NamedTuple

AGENTS = {
    "planner": "Planner: drafts decisions and keeps the plan",
    "researcher": "Researcher: gathers evidence and states claims",
    "coder": "Coder: builds, measures and runs load tests",
    "reviewer": "Reviewer: questions evidence and withdraws what does not hold",
    "operator": "Operator: deploys, drills and watches production",
    "archivist": "Archivist: reads transcripts at night and adds the relations it infers",
}


class Topic(NamedTuple):
    """One strand of work: noun phrases and sentences; a decision with `<` replaces the one before it."""

    things: list[str]
    decisions: list[str]
    claims: list[str]
    measures: list[str]
    assumptions: list[str]


def topics(text: str) -> dict[str, Topic]:
    """The topics by name: `== name`, then one `field: phrase; phrase` after the other, in the order of the fields."""
    found = {}
    for block in text.split("== ")[1:]:
        name, fields = block.split("\n", 1)
        phrases = [" ".join(field.split()) for field in re.split(r"^\w+:", fields, flags=re.MULTILINE)[1:]]
        found[name] = Topic(*(field.split("; ") for field in phrases))
    return found


# Slots: {region} {date} {n} thousands {p} percent {ms} {k} a small number {eur}.
TOPICS = topics("""
== retries
things: the retry schedule; the list of soft declines; the retry counter
decisions: Retry soft declines after 2, 10 and 60 seconds; <Retry soft declines after 5 and 60 seconds only; Never
  retry a charge that the bank calls stolen; Show shops how often a charge was tried
claims: Most soft declines in {region} clear within {k} minutes; Shops in {region} do not notice a retry; A second
  attempt wins {p}% of soft declines; Banks in {region} count every attempt
measures: Retry log of {region}, {date}: {n} second attempts; Decline codes of {date}: {p}% soft; Bank answers in
  {region}, {date}: median {ms} ms
assumptions: Banks keep their decline codes stable; Attempts are free of charge in {region}
== tokens
things: the token vault; the token format; the vault's read path
decisions: Store card tokens in two data centres; Encrypt tokens with one key per shop; <Encrypt tokens with one key
  per country; Delete tokens of cards expired for 400 days
claims: Vault reads stay below {ms} ms; {p}% of tokens are used again within a month; One key per country is enough
  for {region}; Expired tokens of {region} are never charged
measures: Vault read times, {date}: p99 of {ms} ms; Token census of {region}, {date}: {n} tokens; Key rotation
  rehearsal, {date}: {k} minutes
assumptions: The vault grows by less than {k}% a month; No shop in {region} reads tokens itself
== webhooks
things: the webhook sender; webhook signatures; the webhook backlog
decisions: Sign webhooks with a secret per shop; Repeat failed webhooks for three days; <Repeat failed webhooks for
  one day, then show them in the portal; Send refunds and charges through one webhook
claims: {p}% of webhooks arrive at the first attempt; Shops in {region} verify signatures; A backlog of {n} webhooks
  drains within {k} minutes; Plug-ins ignore unknown webhook fields
measures: Webhook delivery in {region}, {date}: {p}% at once; Backlog drain test, {date}: {n} webhooks in {k} minutes;
  Signature check in the shop plug-ins, {date}: {k} of 14 do it
assumptions: Shops answer webhooks with 200 only; Plug-ins of {region} are updated within {k} weeks
== refunds
things: the refund form; partial refunds; the refund queue
decisions: Allow up to ten partial refunds for a charge; Pay refunds from the next payout; <Pay refunds from a reserve
  of each shop; Close refunds to shops without a verified bank account
claims: {p}% of refunds in {region} are partial; A reserve of EUR {eur} covers a week of refunds; Refunds reach cards
  in {region} within {k} days; Refund fraud is rare in {region}
measures: Refund sample of {region}, {date}: {n} refunds; Refund run time, {date}: {k} minutes; Complaints about
  refunds, {date}: {n} tickets
assumptions: Refund volume doubles in {region} after a sale; Shops keep a balance of EUR {eur}
== ledger
things: the ledger tables; the posting rules; the ledger's nightly close
decisions: Book every charge twice, as debit and credit; Close the ledger at 02:00 UTC; <Close the ledger at midnight
  of each country; Keep ledger rows for eleven years
claims: The nightly close takes less than {k} minutes; Rounding costs less than EUR {eur} a month; {n} postings fit
  into one close; Auditors in {region} accept the posting rules
measures: Ledger close of {date}: {k} minutes; Posting benchmark, {date}: {n} rows a minute; Trial balance of
  {region}, {date}: off by EUR 0.00
assumptions: No posting is ever changed by hand; Auditors of {region} read CSV files
== settlement
things: the settlement file; the settlement calendar; the bank upload
decisions: Send settlement files at 05:00; Retry a refused settlement file by hand; <Split a refused settlement file
  and send the good part; Pay shops in {region} twice a week
claims: Banks in {region} take files until {k}:30; {p}% of settlement files pass at once; Splitting a file is safe for
  {region}; Shops prefer fewer, larger payments
measures: Settlement files of {date}: {p}% accepted; Bank holidays of {region}, list of {date}; Upload test to the
  bank, {date}: {n} lines in {k} minutes
assumptions: Banks of {region} keep their cut-off time; A file never exceeds {n} lines
== 3-D Secure
things: the 3-D Secure step; exemption requests; the challenge page
decisions: Ask for an exemption below EUR 30; Show the challenge in a frame; <Show the challenge on a page of its own;
  Ask again for recurring charges above EUR 250
claims: Banks in {region} grant {p}% of exemptions; A challenge costs {k} of 100 buyers; The challenge page loads
  within {ms} ms; Recurring charges need no second challenge in {region}
measures: Exemption answers in {region}, {date}: {p}% granted; Challenge page timing, {date}: {ms} ms; Abandoned
  challenges of {region}, {date}: {n} buyers
assumptions: Banks in {region} follow the exemption rules; Buyers trust a page with the bank's name
== fraud
things: the fraud score; the block list; the velocity rules
decisions: Block charges with a fraud score above 92; <Review charges with a score above 85 instead of blocking them;
  Share the block list between shops; Score a charge before the bank is asked
claims: A score above 85 catches {p}% of fraud; False alarms stay below {k} in 100; Velocity rules hit few honest
  buyers in {region}; Fraud in {region} comes in bursts
measures: Fraud labels of {region}, {date}: {n} charges; Score distribution of {date}: {p}% below 50; Manual review of
  {date}: {k} of 40 were fraud
assumptions: Fraudsters do not adapt within {k} weeks; Shops in {region} report fraud within a month
== chargebacks
things: chargeback letters; the evidence pack; the dispute queue
decisions: Answer chargebacks below EUR 20 with a refund; Collect the evidence pack at the time of the charge; Let
  shops write their own dispute letters; <Write dispute letters from a template
claims: {p}% of disputes in {region} are won; Small disputes cost more than they bring; Letters from a template win as
  often; Shops in {region} answer within {k} days
measures: Dispute outcomes of {region}, {date}: {p}% won; Cost of a dispute, {date}: EUR {k}.40; Letter comparison,
  {date}: {n} disputes
assumptions: Card schemes keep the dispute deadlines; Disputes in {region} arrive after {k} weeks
== reconciliation
things: bank statements; the matching rules; the list of open differences
decisions: Match bank lines by reference, then by amount; Carry differences below one cent to a suspense account;
  <Carry no difference at all: each is looked at; Fetch bank statements every hour
claims: {p}% of bank lines match by reference; Open differences fall below {k} a day; Statements of {region} come
  complete; Amount matching errs in fewer than {k} of 10,000 lines
measures: Statement match of {region}, {date}: {p}%; Differences of {date}: {n} lines; Suspense account, {date}: EUR
  {eur}
assumptions: Banks of {region} do not cut references; Statements arrive before {k}:00
== currencies
things: the exchange rates; rounding rules; the currency list
decisions: Take exchange rates once a day at noon; <Take exchange rates every hour; Round half to even in every
  currency; Leave the yen out of the launch
claims: Hourly rates save EUR {eur} a month; Rounding differs in {k} currencies; {p}% of charges in {region} need no
  conversion; Buyers in {region} pay in their own currency
measures: Rate drift of {date}: 0.{k}% within a day; Currency mix of {region}, {date}: {n} charges; Rounding test,
  {date}: {k} currencies differ
assumptions: The rate feed is never older than {k} hours; No shop in {region} sells in yen
== idempotency
things: idempotency keys; the key table; the replay check
decisions: Keep idempotency keys for 30 days; <Keep idempotency keys for 90 days; Refuse a key that comes with another
  amount; Answer a repeated request from the key table
claims: {p}% of repeats come within {k} hours; Keys of 90 days take {n} MB; Plug-ins in {region} repeat with the same
  key; The key table answers within {ms} ms
measures: Repeated requests of {region}, {date}: {n}; Key table size, {date}: {n} MB; Replay test, {date}: {k} double
  charges in 10,000
assumptions: Plug-ins never reuse a key; Repeats after {k} days are mistakes
== queues
things: the charge queue; dead letters; the queue consumers
decisions: One queue per acquirer; Park a message after eight failures; <Park a message after three failures; Read
  dead letters every morning
claims: The queue holds {k} minutes of traffic; {p}% of dead letters are bad input; Order within a shop is kept;
  Consumers catch up within {k} minutes
measures: Queue lag of {date}: {ms} ms; Dead letters of {date}: {n}; Consumer restart test, {date}: {k} seconds
assumptions: Messages stay below {k} KB; The queue never loses a message
== database
things: the charges table; the read replica; the online migration
decisions: Move charges older than a year to cold storage; Read reports from the replica; <Read reports from a nightly
  copy; Add the shop column in three steps
claims: The replica lags less than {ms} ms; Cold charges are read {k} times a day; A step of the migration locks for
  {ms} ms; {p}% of reports need no fresh rows
measures: Replica lag of {date}: {ms} ms; Migration rehearsal, {date}: {k} minutes; Slow queries of {date}: {n}
assumptions: The charges table grows by {k}% a month; Reports run outside office hours
== rollout
things: the rollout flags; the canary shops; the rollback switch
decisions: Roll out by shop, not by percentage; Pick ten canary shops in {region}; <Pick canary shops in every
  country; Remove a flag two weeks after its rollout
claims: Canary shops see {p}% of all error types; A rollback takes {k} minutes; Flags of {region} can be switched
  alone; Shops accept being a canary
measures: Canary report of {region}, {date}: {n} charges; Rollback rehearsal, {date}: {k} minutes; Flag inventory,
  {date}: {k} stale flags
assumptions: Canary shops of {region} are typical; No flag depends on another
== observability
things: the latency dashboard; trace sampling; the error log
decisions: Sample one trace in a hundred; <Sample every failed charge and one in a thousand others; Keep logs for 45
  days; Show p99 rather than the mean on every dashboard
claims: Sampling keeps {p}% of the failures; Logs of 45 days cost EUR {eur} a month; The mean hides slow charges in
  {region}; Traces add less than {k} ms
measures: Sampling comparison, {date}: {n} traces; Log volume of {date}: {n} MB; Overhead of tracing, {date}: {ms} µs
assumptions: Log prices stay as they are; Every service sends its trace id
== on-call duty
things: the on-call rota; night alarms; the handbook for incidents
decisions: One agent and one person on call at a time; Page only for charges that fail; <Page for failed charges and
  for late settlements; Write up every incident within two days
claims: {p}% of night alarms need no action; Late settlements wake nobody in {region}; Incidents written up within {k}
  days are not repeated; Alarms reach the phone within {k} seconds
measures: Alarm review of {date}: {n} alarms; Paging test, {date}: {k} seconds; Incident list of {date}: {k} open
  write-ups
assumptions: People answer a page within {k} minutes; The paging vendor is independent of our cloud
== card security
things: the card data zone; the yearly assessment; the access list
decisions: Keep card numbers out of every log; Put the vault alone into the card data zone; Let {k} people into the
  card data zone; Scan images for card numbers every night
claims: {p}% of services never see a card number; The zone needs {k} people; Scans find card numbers within {k} hours;
  The assessor accepts tokens in logs
measures: Log scan of {date}: {k} findings; Access review of {date}: {k} accounts; Assessor's questions of {date}: {k}
  open points
assumptions: The standard does not change within {k} months; Assessors accept screenshots
== data residency
things: the EU data store; cross-border transfers; the retention table
decisions: Keep buyer addresses of EU shops in the EU; Pseudonymise buyers in analytics; <Keep buyers out of analytics
  altogether; Answer access requests within a week
claims: {p}% of analysis needs no buyer; Access requests from {region} take {k} days; Backups never leave the EU;
  Support in {region} needs no address
measures: Transfer register of {date}: {k} flows; Access requests of {region}, {date}: {n}; Backup location check,
  {date}: {k} sites
assumptions: The transfer rules stay as they are; Few buyers of {region} ask for their data
== sandbox
things: the shop sandbox; test cards; the developer guide
decisions: Reset the sandbox every Sunday; <Let shops reset their sandbox themselves; Offer test cards for every
  decline code; Write the guide from tested examples
claims: {p}% of shops test before they move; Test cards cover {k} of 10 decline codes; Resets surprise shops in
  {region}; Examples that run save {k} tickets a week
measures: Sandbox use in {region}, {date}: {n} test charges; Guide check, {date}: {k} examples fail; Developer survey
  of {date}: {p}% content
assumptions: Shops read the guide; The sandbox is not used for demonstrations
== wallets
things: wallet payments; the wallet certificate; the express checkout
decisions: Offer wallet payments from the first day; Leave the express checkout until after the launch; Renew the
  wallet certificate a month early; Treat a wallet as a card in the ledger
claims: Wallets carry {p}% of charges in {region}; Express checkout lifts sales by {k}%; Wallet tokens behave like
  cards; Wallet refunds take {k} days in {region}
measures: Wallet share of {region}, {date}: {p}%; Wallet test charges, {date}: {n}; Certificate check, {date}: {k}
  weeks left
assumptions: Wallet fees stay as they are; Buyers of {region} have a wallet set up
== subscriptions
things: recurring charges; dunning letters; the renewal calendar
decisions: Charge subscriptions at 09:00 local time; Write to buyers before a card expires; <Ask the scheme for the
  new card, then write; Give up on a renewal after four weeks
claims: {p}% of renewals pass at 09:00; Account updates reach {k} of 10 cards; Buyers in {region} answer letters
  within {k} days; A fourth week wins {k}% of renewals
measures: Renewals of {region}, {date}: {n}; Account updates of {date}: {p}% answered; Dunning letters of {date}: {n}
  sent
assumptions: Subscriptions do not move during a sale; Banks of {region} take recurring charges
== payouts
things: the payout run; payout statements; the negative balances
decisions: Pay out on working days only; Hold payouts of new shops for 14 days; <Hold payouts of new shops for 7 days;
  Collect negative balances by direct debit
claims: {p}% of new shops have no chargeback in 7 days; Payouts take {k} minutes; Direct debit works for {region};
  Negative balances sum to EUR {eur}
measures: Payout run of {date}: {k} minutes; New shops of {region}, {date}: {n}; Negative balances of {date}: EUR
  {eur}
assumptions: Shops of {region} expect weekly payouts; Few shops close with a debt
== secrets
things: API keys; certificates; the key rotation
decisions: Rotate API keys twice a year; Let shops hold two keys at a time; Issue certificates for 90 days; <Issue
  certificates for 47 days
claims: Rotation breaks {k} of 1,000 shops; Two keys make rotation safe in {region}; Renewal by machine works for {p}%
  of hosts; Short certificates need no revocation
measures: Key age report, {date}: {n} keys over a year; Certificate renewals of {date}: {p}% by machine; Rotation
  rehearsal of {date}: {k} shops failed
assumptions: Shops of {region} store keys safely; The certificate vendor keeps its limits
""")

MONTHS = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]  # fmt: skip

RAW = [
    "Access log extract of {region}, {date}",
    "Arvento statement of {date}: {n} lines",
    "Trace sample of {date}: {n} spans",
    "Ledger export of {date}, {region}",
    "Support tickets about {thing}, {date}: {ms}",
    "Call with Arvento about {thing}, {date}",
    "Production metrics of {date} for {thing}",
    "Interview with shops of {region} about {thing}, {date}",
]

TASKS = [
    "Write the tests for {thing}",
    "Document {thing} in the runbook",
    "Add an alarm for {thing}",
    "Review {thing} with the people in {region}",
    "Try {thing} in the sandbox",
    "Build the first version of {thing}",
    "Migrate {thing} for {region}",
    "Measure {thing} under load",
    "Clean up after the change to {thing}",
    "Tell shops in {region} about {thing}",
    "Plan the next step for {thing}",
    "Draw the data flow of {thing}",
    "Compare {thing} with the old gateway",
    "Fix the rough edges of {thing}",
]

REGIONS = [
    "Austria", "Belgium", "Czechia", "Estonia", "France", "Germany", "Greece", "Ireland", "Italy",
    "Latvia", "Poland", "Portugal", "Spain",
]  # fmt: skip

TEXTS = {
    "decision": [
        "Agreed in the thread on {topic}. To be looked at again after {k} weeks.",
        "Two other ways were weighed; this one is the easiest to take back.",
        "Nobody objected within {k} hours. Operator carries it out.",
        "Drafted by planner, read by reviewer. The costs are about EUR {eur}.",
    ],
    "task": [
        "Done when it has been seen working in {region} for {k} days.",
        "About {k} hours of work; no deploy needed.",
        "Part of the work on {topic}. Ask operator before touching production.",
    ],
    "claim": [
        "Holds for the months looked at so far; not tested during a sale.",
        "Stated by researcher after {k} measurements, and read by reviewer.",
        "Said of {region} first, then found elsewhere too.",
    ],
    "assumption": [
        "Nobody has checked this. To be tested before the launch.",
        "Taken over from the plan of December.",
    ],
    "evidence": [
        "Collected for {topic}, and checked by a second agent.",
        "The query behind it is kept with the file.",
        "Raw numbers are in the shared folder. Buyers' names are left out.",
        "Took {k} hours to get. Asked for in the thread on {topic}.",
    ],
}

NOTES = [
    "Raised in review.",
    "From the weekly report.",
    "Said in the stand-up, written down later.",
    "Link found in the transcript.",
    "See the thread.",
]
