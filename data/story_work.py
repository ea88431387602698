"""Phrases for the everyday work in the sessions of the story: what an agent runs, what it reads, what it makes of it.

Slots: {thing} {topic} {slug} {topicslug}, {region} {other} (another region), {date} {day} (ISO), {n} {m} (thousands),
{p} percent, {ms} {us} (shorter), {k} {j} (small numbers), {eur}.
"""

import re
from typing import NamedTuple


class Step(NamedTuple):
    """One tool call: why it is made, the call, what came back, and what the agent then says of it."""

    tool: str
    thought: str
    command: str
    output: str
    finding: str


def steps(text: str) -> list[Step]:
    """The steps of a text: `tool | thought | command`, the indented output, and the finding after `>`."""
    found = []
    for head, below in re.findall(r"^(\S.*)\n((?:    .*\n)*)", text, flags=re.MULTILINE):
        lines = [line[4:] for line in below.splitlines()]
        output = [line for line in lines if not line.startswith("> ")]
        finding = " ".join(line[2:] for line in lines if line.startswith("> "))
        found.append(Step(*head.split(" | ", 2), "\n".join(output), finding))
    return found


STEPS = steps("""
sql | First the plain count, by country. | select country, count(*) from charges where day = '{day}' group by 1
    country     charges
    {region}    {n}
    {other}     {m}
    (2 rows, {ms} ms)
    > {region} had {n} charges on that day, {other} had {m}.
sql | How often does it fail, and with which code? | select code, count(*) from failures where day = '{day}' group by 1
    code                count
    timeout             {n}
    refused by bank     {m}
    unknown shop        {k}
    (3 rows)
    > Of the failures of {date}, {n} are timeouts and {m} refusals; only {k} are ours.
sql | Compare with the week before. | select week, count(*), avg(ms) from calls where region = '{region}' group by 1
    week      calls     mean
    before    {n}    {ms} ms
    this      {m}    {us} ms
    > In {region} the mean went from {ms} to {us} ms within a week.
sql | Take the largest shops alone. | select shop, n from volume where region = '{region}' order by n desc limit {k}
    ({k} rows)
    the first {j} shops carry {p}% of the volume
    > {j} shops carry {p}% of the volume in {region}.
sql | The raw rows of one hour, to see what they look like. | select * from events where hour = '{day}T0{k}' limit 12
    at        shop     event       ms    note
    00:00.4   s-{j}01    created     12    -
    00:00.9   s-{j}01    asked       {ms}   -
    00:01.2   s-{j}07    created     11    -
    00:01.3   s-{j}07    asked       {us}   slow
    00:01.8   s-{j}01    answered    14    -
    00:02.2   s-{j}12    created     13    -
    00:02.4   s-{j}12    asked       {ms}   -
    00:02.9   s-{j}07    answered    15    -
    00:03.1   s-{j}12    answered    12    -
    00:03.6   s-{j}20    created     11    -
    00:03.7   s-{j}20    refused     9     unknown shop
    (12 rows)
    > Rows look as they should; one slow answer in {region}, of {us} ms.
sql | Are there gaps in the series? | select day from calendar left join daily using (day) where daily.day is null
    (0 rows)
    > No day is missing.
metrics | The graph of the last hours. | metrics graph "{topic}" --region {region} --hours {k}
    minimum {k} ms, median {us} ms, p99 {ms} ms
    no gap, no restart
    > The graph for {region} shows a median of {us} ms and no restart.
metrics | And the error rate beside it. | metrics graph "{topic} errors" --region {region} --day {day}
    mean 0.0{k}%, highest 0.{j}% at 0{k}:40
    > Errors stayed below 1% all day.
metrics | The same by percentile, since the mean hides much. | metrics percentiles "{topic}" --day {day}
    p50    {us} ms
    p75    6{k} ms
    p90    1{us} ms
    p95    2{us} ms
    p99    3{us} ms
    p99.9  9{us} ms
    count  {n}
    region {region}
    source gateway access log
    > The median is {us} ms, the p99 3{us} ms, over {n} calls.
metrics | Who else used the cluster then? | metrics neighbours --day {day}
    ledger close    02:00 to 02:1{k}
    backup          03:30 to 04:1{j}
    reports         07:00 to 07:2{k}
    > Only the backup overlaps, and it was over before the measurement.
bash | Look at the settings first. | cat settings/{region}.toml
    [limits]
    per_shop = {k}00
    [times]
    connect_ms = {us}
    answer_ms = {ms}
    [notes]
    changed = {day}
    > Settings of {region}: answers after {ms} ms are given up.
search | Which code touches this? | grep -rn "{topic}" src | head
    src/charge/route.py:1{k}: # {topic}
    src/charge/route.py:2{j}: return limit_of(shop)
    src/jobs/nightly.py:{k}{j}: # {topic}: see the runbook
    tests/test_route.py:{j}: def test_limit_of_a_shop():
    > Two files touch it, the route and the nightly job.
test | Run the tests of that part. | pytest -q tests/{slug}
    ................................................
    {k}{j} passed in {k}.{j} s
    > Its {k}{j} tests pass.
test | And the slow ones, with their times. | pytest -q tests/{slug} --durations=10
    slowest 10 durations
    {k}.91s call     test_whole_day
    {k}.40s call     test_two_regions
    2.{j}8s call     test_restart
    2.0{j}s call     test_large_file
    1.7{k}s call     test_repeat
    1.5{j}s setup    test_repeat
    1.2{k}s call     test_refused
    0.9{j}s call     test_empty_day
    0.8{k}s call     test_rounding
    0.6{j}s setup    test_empty_day
    {k}{j} passed in 2{k}.{j} s
    > All pass; the test of a whole day takes longest, {k}.91 s.
bash | What changed since the last release? | git log --oneline release-{k}.. -- {slug}
    a{k}f0{j}e2 Read the limit of a shop once
    b{j}c4{k}10 Name the shop in the error
    > Two small commits since the release, neither in the path that is measured.
bash | How large has it become? | du -sh var/{slug} && ls var/{slug} | wc -l
    {n} MB
    {m}
    > It takes {n} MB in {m} files.
bash | The log of the job. | tail -n 14 log/{slug}.log
    {day} 02:00:01 start
    {day} 02:00:01 region {region}
    {day} 02:00:04 read {n} lines
    {day} 02:00:09 matched {p}%
    {day} 02:00:09 region {other}
    {day} 02:00:12 read {m} lines
    {day} 02:00:19 matched 9{k}%
    {day} 02:00:19 region Spain
    {day} 02:00:21 read {k},{us}0 lines
    {day} 02:00:22 matched 8{j}%
    {day} 02:00:23 wrote the list of differences
    {day} 02:00:23 {k} warnings
    {day} 02:00:23 end, code 0
    > The job read {n} lines for {region} and matched {p}%; it ended without an error.
kubectl | Are all pods up? | kubectl get pods -l app=tollgate
    NAME           READY   RESTARTS   AGE
    tollgate-0     1/1     0          {k}d
    tollgate-1     1/1     0          {k}d
    tollgate-2     1/1     1          {j}d
    tollgate-3     1/1     0          {k}d
    tollgate-4     1/1     0          {k}d
    tollgate-5     1/1     0          {k}d
    tollgate-6     1/1     0          {j}d
    tollgate-7     1/1     0          {k}d
    > All pods are ready; one restarted {j} days ago.
kubectl | What do they use? | kubectl top pods -l app=tollgate
    busiest pod: {p}% CPU, 1.{k} GB
    > The busiest pod is at {p}% CPU.
kubectl | Set it on one pod first. | kubectl set env deploy/tollgate-canary LIMIT={k}
    deployment.apps/tollgate-canary env updated
    > The canary runs with a limit of {k}.
kubectl | Take the change back before I leave. | kubectl rollout undo deploy/tollgate-canary
    deployment.apps/tollgate-canary rolled back
    > The canary is back on its old settings.
read | The runbook says what should happen. | runbook/{slug}.md
    # {topic}
    1. Look at the graph of {region}.
    2. Compare with the week before.
    3. Ask operator before you change anything.
    > By the runbook nothing is to be changed without operator.
read | What did we write about it last time? | notes/{day}.md
    {thing}: {p}% as expected. Open: {region}, and what happens on a Sunday.
    > The notes leave {region} open, and Sundays.
read | The agreement has the exact words. | contracts/arvento.md
    Annex {k}: answers within {ms} ms for {p} of 100 calls.
    Annex {j}: a month's notice before a change of limits.
    > Arvento owes {p} of 100 answers within {ms} ms.
web | The scheme's page may have changed. | https://docs.arvento.example/{slug}
    Last changed {date}. Limits: {k} calls a second for a test account.
    > Their page allows {k} calls a second on a test account.
ask | Somebody in {region} must know. | shops of {region}: how do you use this?
    {k} of {j}0 answered. Most have not noticed it; two would miss it.
    > Few shops in {region} would miss it.
ask | One question to Arvento. | Arvento support: is the limit per shop or per account?
    Per account, says the desk; the written answer takes {k} days.
    > By telephone the limit is per account; the letter is to come.
sandbox | Try it in the sandbox. | sandbox charge --region {region} --count {k}00
    {k}00 charges, {k}00 answered, slowest {ms} ms
    > {k}00 test charges went through, the slowest in {ms} ms.
sandbox | And with input that is wrong. | sandbox charge --region {region} --broken --count {k}0
    {k}0 charges, {k}0 refused: unknown shop
    > Broken input is refused, as it should be.
edit | Write it down where the others look. | notes/{slug}.md
    1 file changed, {k} lines added
    > Noted in notes/{slug}.md.
edit | A test for what I have just seen. | tests/{slug}/test_{topicslug}.py
    1 file changed, {k}{j} lines added
    > There is a test for it now.
sum | Add up what this costs. | sum costs --topic "{topic}" --month
    machines EUR {eur}, traffic EUR {k}{j}0, people {k} hours
    > It costs about EUR {eur} a month in machines.
""")

ERRORS = steps("""
sql | All of it in one go. | select * from charges join failures using (charge_id) where region = '{region}'
    ERROR: canceling statement due to statement timeout ({k}0 s)
    > The replica gave the query up after {k}0 seconds; a single day has to do.
sql | The new column should be there. | select shop_kind, count(*) from shops group by 1
    ERROR: column "shop_kind" does not exist
    > There is no column shop_kind on the replica yet; I go by the shop list instead.
kubectl | Look at the pods of production too. | kubectl --context prod get pods
    Error from server (Forbidden): pods is forbidden: agent may not list in namespace "prod"
    > Production is closed to me; operator's graph has the same numbers.
bash | Unpack the extract. | tar xf extract-{day}.tar.zst
    tar: extract-{day}.tar.zst: Cannot open: No such file or directory
    > The extract of {date} was never made; the one of the day before will do.
test | The whole test suite, to be sure. | pytest -q
    FAILED tests/test_clock.py::test_midnight - AssertionError: 2 != 1
    1 failed, {n} passed in {ms} s
    > One test fails, at midnight, and not because of this; I leave it and say so.
web | Their status page. | https://status.arvento.example
    503 Service Unavailable
    > Arvento's status page is down itself, so there is nothing to be learnt from it.
metrics | A finer graph. | metrics graph "{topic}" --resolution 1s
    error: resolution 1s is kept for 24 hours only
    > Seconds are kept for a day only; minutes must do.
sandbox | The sandbox with real amounts. | sandbox charge --amounts real
    error: limit of {k} calls a second reached (429)
    > The sandbox refuses more than {k} calls a second; I send them slowly.
""")

# Which tools an agent has.
TOOLS = {
    "planner": "sql metrics read web ask sum",
    "researcher": "sql metrics bash search read web ask sandbox sum",
    "coder": "sql metrics bash search test kubectl read web sandbox edit",
    "reviewer": "sql metrics bash search test read ask sandbox sum",
    "operator": "metrics bash kubectl read web ask sandbox",
}

OPENINGS = [
    "{title}. Begin with what is there already.",
    "{title}. What do we have, and what is missing?",
    "I need this by the evening: {title}.",
]

STEERING = [
    "Leave {other} out of it.",
    "Please also say how many rows that was.",
    "Careful, the clocks in {region} are an hour off.",
    "No need to wait for Arvento.",
]

DECLINED = Step("", "", "", "declined by the person on duty", "The change is declined, so the canary stays as it is.")

PROMPTS = [
    "What do we know about {thing} in {region}?",
    "Go on with {thing}, please. I need it before the meeting.",
    "And how does it look in {region}?",
    "Check {thing} again before anything is decided.",
    "Somebody in {region} says that {thing} got slower. Is that so?",
    "Is the number of {date} still right?",
    "Compare {region} with {other}.",
    "Look into {thing}; half an hour at most.",
    "What would have to change for {region}?",
    "Collect what is there on {topic}, and leave the opinions out.",
    "Thanks. One more thing: what does it cost?",
    "The number looks too good. Where does it come from?",
    "Please do the same for {other}.",
    "Write down what you found about {thing}.",
    "Reviewer will ask how this was measured. How was it?",
]

CLOSINGS = [
    "Nothing else stands out.",
    "That is enough for {topic} today.",
    "I have noted where the numbers come from.",
    "What remains open is {other}.",
    "A second measurement would help, but is not needed now.",
    "I would not build on this for more than a month.",
    "Planner can use this as it is.",
    "",
    "",
]

CHECKPOINTS = [
    "Checkpoint. {said}",
    "Summary of the work on {topic} so far. {said}",
    "What came before, in short: {said}",
]

# Sessions of everyday work: key | agent | begins | topic | title | turns, and below it
# the item that the last statement grounds, and when it was made, or a dash | the statement.
# With `> key` after the turns, the session has a subagent of that key half way through.
EVERYDAY = """
recon-1229 | researcher | 2025-12-29T09:40 | reconciliation | Differences of 29 December | 4
    ev-43d8897c 2025-12-29T16:04 | 1,647 lines differ on 29 December, most of them by a fee of one cent.
queue-0117 | coder | 2026-01-17T08:15 | queues | Queue lag under the morning load | 4 > queue-drain
    ev-0285e64b 2026-01-17T12:31 | The lag of the charge queue on 17 January was 233 ms at its worst.
payout-0121 | operator | 2026-01-20T22:30 | payouts | Payout run of 21 January | 4
    ev-e8f3f576 2026-01-21T03:58 | The payout run of 21 January took 8 minutes.
fraud-0130 | reviewer | 2026-01-30T16:20 | fraud | Manual review of 40 charges | 5 > fraud-labels
    ev-083527a8 2026-01-30T23:07 | Of 40 charges above the score, 6 were fraud.
settle-0214 | researcher | 2026-02-14T10:05 | settlement | Settlement files of 14 February | 4
    ev-1a46dda8 2026-02-14T16:15 | The bank accepted 59% of the settlement files of 14 February at once.
replica-0216 | coder | 2026-02-16T09:30 | database | Lag of the read replica | 5
    ev-3985d054 2026-02-16T14:36 | The replica lagged by 140 ms on 16 February, measured over the whole morning.
rotate-0306 | operator | 2026-03-06T15:10 | secrets | Rehearse the key rotation | 4
    ev-c0f604c2 2026-03-06T20:24 | The rotation rehearsal of 6 March failed for 4 shops, all with a key in their
    own code.
paging-0312 | operator | 2026-03-12T09:45 | on-call duty | Paging test | 3
    ev-2cd9e751 2026-03-12T14:45 | A page of 12 March reached the phone within 9 seconds.
replay-0317 | coder | 2026-03-17T10:20 | idempotency | Replay test with repeated keys | 5 > replay-keys
    ev-f64b3c01 2026-03-17T15:38 | The replay test of 17 March found 8 double charges in 10,000.
assessor-0327 | researcher | 2026-03-27T12:40 | card security | The assessor's questions | 4
    ev-f91814e1 2026-03-27T18:28 | The assessor leaves 7 points open on 27 March.
settle-0423 | researcher | 2026-04-23T10:10 | settlement | Settlement files of 23 April | 4
    ev-6654956f 2026-04-23T15:27 | The bank accepted 53% of the settlement files of 23 April.
plugins-0505 | reviewer | 2026-05-05T09:10 | webhooks | Do plug-ins check signatures? | 5 > plugins-code
    ev-29e4b341 2026-05-05T14:20 | Of 14 shop plug-ins, 6 check the signature of a webhook.
renewals-0513 | operator | 2026-05-13T10:50 | secrets | Certificate renewals | 4
    ev-ccdd2689 2026-05-13T15:44 | 71% of the certificates of 13 May were renewed by machine.
rollback-0609 | operator | 2026-06-09T14:30 | rollout | Rehearse a rollback by flag | 4
    ev-0454f956 2026-06-09T18:58 | The rollback rehearsal of 9 June took 4 minutes.
census-0614 | researcher | 2026-06-13T16:00 | tokens | Token census of Austria | 5 > census-expired
    ev-8925a970 2026-06-14T10:11 | Austria has 3,307 tokens on 14 June, a tenth of them of expired cards.
vault-0309 | reviewer | 2026-03-09T08:30 | tokens | Vault audit | 5 > vault-scan
    - | No card number lies in the vault in clear text.
wallet-0320 | coder | 2026-03-19T13:15 | wallets | The wallet certificate | 3
    - | The wallet certificate has 7 weeks left.
dunning-0521 | coder | 2026-05-20T09:00 | subscriptions | Dunning letters before renewals | 5
    - | Letters go out three days before a renewal.
guide-0609 | coder | 2026-06-08T15:20 | sandbox | Examples of the developer guide | 4 > guide-examples
    - | Three examples of the guide fail, each for want of a test card.
"""

# Their subagents: key | agent | topic | title | turns, and below it the prompt | what it hands back.
HANDED_ON = """
queue-drain | coder | queues | Drain test beside the lag | 1
    Drain the charge queue once on staging and say how long it takes.
    | The charge queue drains within 5 minutes on staging.
fraud-labels | researcher | fraud | Fetch the fraud labels | 1
    Fetch the labels of these 40 charges; do not judge them. | Labels of all 40 charges are there, 6 of them say fraud.
replay-keys | coder | idempotency | Which keys were repeated? | 1
    List the keys that came twice with another amount. | Eight keys came twice, each time from the same plug-in.
plugins-code | coder | webhooks | Read the code of 14 plug-ins | 2
    Look for the signature check in each plug-in.
    | Six plug-ins call verify(); two more call it and ignore what it says.
census-expired | coder | tokens | Tokens of expired cards | 1
    Count tokens of cards that have expired. | 331 of the tokens belong to expired cards.
vault-scan | coder | tokens | Scan of the vault's files | 2 > vault-sample
    Scan the files of the vault for card numbers. | Two findings, both of them test numbers.
vault-sample | researcher | tokens | Are these test numbers? | 1
    Say of both findings whether they are test numbers. | Both numbers are in the list of test cards.
guide-examples | coder | sandbox | Run the examples | 1
    Run every example of the guide in the sandbox. | 41 examples run, three fail with an unknown card.
plan-costs | researcher | rollout | Costs of the plan | 1
    Add up what the rollout costs until June. | The rollout costs about EUR 31,000 until June, without people.
plan-risks | reviewer | rollout | Risks of the plan | 1
    Read the plan and name what is not backed by a measurement.
    | Two dates of the plan rest on no measurement: the Nordic wave, and the last shops.
orphan-part | coder | ledger | Postings of one day | 1
    Count the postings of 12 January by kind. | 41,210 postings, all of the two kinds that are allowed.
"""
