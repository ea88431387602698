"""The sessions of the plot, event by event; `build_sessions.py` reads this text.

A session begins with `== key | agent | time | topic | title` and perhaps `| fork of KEY at NAME` or `| orphan`. Then,
in order: `at` moves the clock, `user` begins a turn, `run NAME: tool | thought` (or `fail`, for an error) is a call
with its output below (after `tool` perhaps the minutes it took), `say NAME: text <- what it cites` is an answer,
`ground NAME: item time | text <- what it cites` an answer that an item derives from, `prune NEW: OLD` rewrites a
result, `compact NAME: all` puts a summary in the place of the whole surface, `task` is a turn of everyday work, `spawn`
hands a part to a subagent, `window` is how long the surface may grow before it is compacted.
"""

PLOT = """
== weekplan | planner | 2026-01-05T08:00 | rollout | Plan of the EU launch, week by week
window: 16
user: Keep the plan of the EU launch here, week by week. All EU shops are to be on Tollgate before 1 June.
say: I keep one list of dates and one of what they rest on. Every Monday I read both again.
task: What do we know of the shops so far?
at: 2026-01-12T08:02
task: Week of 12 January. What is open?
at: 2026-01-19T08:01
task: Week of 19 January. Which date is at risk?
at: 2026-02-02T08:05
task: A month has gone. Are we where we said?
spawn costs: plan-costs
say: About EUR 31,000 until June, without people. That is what the goal allows. <- costs
at: 2026-02-16T08:03
task: The night per country is off. New dates for the pilot shops, please.
task: And for the large shops?
at: 2026-03-02T08:00
task: Week of 2 March. What came in from researcher?
at: 2026-03-16T08:07
task: Week of 16 March. What is still only an assumption?
task: What must be measured before April?
at: 2026-03-30T08:02
task: Week of 30 March. LT-31 is tomorrow; what else?
at: 2026-04-13T08:04
user: Which of the dates of May rest on something measured?
spawn risks: plan-risks
say: The cut-over of 14 May rests on LT-31, so it is measured. The Nordic wave and the last shops are not. <- risks
task: Then look at the Nordic wave.
at: 2026-04-27T09:20
user: Reviewer says that LT-31 does not hold. What does that change?
say: I give up dec-2026-0371: more pods are needed in the second quarter. The rest of the plan stays as it is.
task: Who has to know?
at: 2026-05-04T08:01
task: Week of 4 May. Ten days to go.
at: 2026-05-18T08:09
user: EU is held at 40% since 15 May. New dates, please.
say: No new date before it is clear what the cut-over rested on.
task: And the shops that have moved already?
at: 2026-06-01T08:00
task: Week of 1 June. Which shops are left?
at: 2026-06-15T08:02
task: What is left to do before the old gateway goes off?
user: Sum it up.
say: The last nine shops move by hand; the old gateway goes off on 30 June.

== postings | researcher | 2026-01-12T09:00 | ledger | Postings of one day, checked against the bank | orphan
task: Check the postings of 12 January against the bank statement.
spawn counted: orphan-part
say: 41,210 postings, and the bank agrees with all but three. <- counted

== pilot | planner | 2026-02-09T08:30 | rollout | How do shops move: a country in a night?
user: How should shops move from the old gateway? Pilot shops are in Czechia and Ireland.
run move: sandbox | How long does one shop take?
    $ sandbox migrate --shops 40
    40 shops moved, 11 minutes each, 2 by hand
say: A shop takes 11 minutes; forty in a row would fit into a night. <- move
task: What would a whole country need?
at: 2026-02-09T11:10
user: Then by country. Draft it.
ground night: dec-2026-0150 2026-02-09T11:20 | Move all shops of a country in one night: 11 minutes each, eight at \
a time. <- move
at: 2026-02-19T10:00
user: The first pilot shops find that too risky. What else is there?
run asked: ask | The pilot shops know best.
    $ pilot shops: what would you rather have?
    31 of 40 answered: small shops, not on a weekend; large shops, a date of their own
say: Small and large shops want different things. <- asked

== waves | planner | 2026-02-20T09:15 | rollout | Small shops in waves | fork of pilot at asked
task: Take the small shops alone.
task: How many can move in a week?
at: 2026-02-20T18:40
user: Decide.
ground waves: dec-2026-0193 2026-02-20T18:50 | Move small shops in weekly waves, on Tuesdays, 200 at a time. <- asked

== dates | planner | 2026-02-21T07:20 | rollout | Large shops, one by one | fork of waves at asked
user: And the large shops?
run large: sql | How many are there?
    $ select count(*) from shops where charges_a_day > 5000
    61
ground dates: dec-2026-0195 2026-02-21T07:36 | Move the 61 large shops one by one, each on a date it names. \
<- asked, large

== lt31 | researcher | 2026-03-31T16:05 | rollout | Capacity of the EU cluster: load test LT-31
user: How many pods does the EU cluster need for twice the peak of 2025? Have coder run LT-31 on staging.
run peak: read | First the peak itself.
    $ evidence/ev-51e8a0f4.md
    EU peak of 2025: 1,190 charges/s on 28 November
fail closed: kubectl | What does production run on?
    $ kubectl --context prod get deploy tollgate
    Error from server (Forbidden): deployments is forbidden: agent may not read namespace "prod"
say: The peak was 1,190 charges a second, so twice that is 2,380. Production is closed to me; staging has 12 pods. \
<- peak, closed
at: 2026-03-31T21:12
user: Coder is ready. Start it.
run measurement: loadtest 45 | Twelve pods, 2,400 charges a second, the replay of Black Friday.
    $ loadtest run LT-31 --cluster staging --pods 12 --rate 2400 --replay RP-12 --minutes 30
    LT-31 started by coder at 21:14, ended at 21:56
    cluster             staging, 12 pods, 40 connections a pod
    replay              RP-12, card payments only
    rate                2,400 charges/s for 30 minutes
    warm-up             10 minutes, not counted
    settings            staging, 30 March
      autoscaling       off
      response cache    ON (71% of answers)
      rate limiter      off
      trace sampling    1 in 1,000
    charges sent        4,320,000
    answered            4,319,136
    timed out           864 (0.02%)
    latency p50         38 ms
    latency p90         96 ms
    latency p95         141 ms
    latency p99         240 ms
    latency p99.9       610 ms
    CPU, busiest pod    64%
    memory, busiest pod 1.9 GB
    connections in use  31 of 40
    Arvento             stub, 120 ms
    exit code           0
say: LT-31 has run through. Its output is long; I write it up when the graphs are there. <- measurement
at: 2026-04-01T09:20
prune pruned: measurement
    LT-31 started by coder at 21:14, ended at 21:56
    [18 lines pruned: a tool result older than 12 hours]
    rate                2,400 charges/s for 30 minutes
    timed out           864 (0.02%)
    latency p99         240 ms
    exit code           0
at: 2026-04-02T11:06
compact compaction: all
    Checkpoint. The EU peak of 2025 is 1,190 charges a second. Coder ran LT-31 on 31 March on 12 pods: p99 240 ms at
    twice the peak, 0.02% timed out. To do: state the result, then the claim.
user: What does LT-31 say? Planner waits for it.
ground conclusion: ev-7f3a91c2 2026-04-02T11:12 | Twelve pods carry 2,400 charges a second, twice the EU peak: LT-31 \
gave a p99 of 240 ms. <- measurement
at: 2026-04-02T11:19
user: Note it, please.
run noted: note | As evidence.
    $ note evidence ev-7f3a91c2 "Load test LT-31 at twice the peak: p99 of 240 ms"
    noted: ev-7f3a91c2
say: Noted as ev-7f3a91c2. <- noted
at: 2026-04-02T17:12
user: And the claim?
say claimed: 12 pods carry twice the EU peak with a p99 under 300 ms. I state it as clm-0187. <- conclusion

== connections | coder | 2026-04-03T08:50 | database | Connections at twice the peak
task: How many database connections are in use on a normal day?
task: And while the ledger is closed?
at: 2026-04-04T09:10
user: Make the graph of 3 April.
run graph: metrics | All of 3 April, pod by pod.
    $ metrics graph "connections in use" --day 2026-04-03 --by pod
    highest 31 of 40, at 20:10
ground graph31: ev-f46b2d83 2026-04-04T09:17 | At most 31 of 40 connections were in use on 3 April. <- graph

== capacity | planner | 2026-04-08T09:00 | rollout | Capacity for the second quarter
user: Do we order more cluster capacity for the second quarter?
run lt: read | What do we have?
    $ evidence/ev-7f3a91c2.md
    Load test LT-31 at twice the peak: p99 of 240 ms
say: LT-31 says that 12 pods are enough for twice the peak. <- lt
task: What would ten more pods cost?
at: 2026-04-08T15:16
user: So?
ground order: dec-2026-0371 2026-04-08T15:21 | Order no further cluster capacity: LT-31 leaves room to spare. <- lt

== retries | researcher | 2026-04-14T09:00 | retries | Which attempts recover a soft decline?
task: Do attempts three to five recover anything?
task: What do the banks say to many attempts?
at: 2026-04-15T11:48
user: Count it over the first half of April.
run declines: sql | All soft declines of 1 to 14 April.
    $ select count(*) from declines where kind = 'soft' and day between '2026-04-01' and '2026-04-14'
    48,210
run recovered: sql | By the attempt that went through.
    $ select attempt, count(*) from recovered where day between '2026-04-01' and '2026-04-14' group by 1
    attempt   recovered
    3         24,310
    4         12,840
    5         6,721
ground study: ev-3bc87d19 2026-04-15T11:58 | Attempts 3 to 5 recover 43,871 of 48,210 soft declines, which is 91%. \
<- declines, recovered

== draft | planner | 2026-04-20T13:30 | rollout | Draft: cut over all EU traffic on 14 May
user: Draft the decision on the EU cut-over.
run premises: read | What it rests on.
    $ decisions/dec-2026-0352.md claims/clm-0214.md decisions/dec-2026-0391.md
    dec-2026-0352: Run the EU cluster on 12 pods, without autoscaling
    clm-0214: Five attempts recover 9 of 10 soft declines
    dec-2026-0391: Keep the old gateway warm for 14 days after the cut-over
say drafted: Draft of dec-2026-0417: raise the retry limit to 5 and cut over all EU traffic on 14 May. Every premise \
stands. <- premises
task: What would shops notice of it?

== review | reviewer | 2026-04-23T15:10 | rollout | Does LT-31 hold?
user: Read what the capacity of the EU cluster rests on.
run settings: read | LT-31 ran with the settings of 30 March.
    $ evidence/ev-18c4d2aa.md
    Staging settings of 30 March: response cache on
run production: read | And production?
    $ settings/production.toml
    [cache]
    responses = false
say doubt: Staging answered from a cache that production does not have. LT-31 must be run again without it. \
<- settings, production
task: What else was not as in production?
at: 2026-04-24T13:58
user: Coder has run it again. What now?
run again: read | The new result.
    $ evidence/ev-c04be815.md
    Load test LT-31b, cache off: p99 of 1,900 ms, 7% time out
at: 2026-04-24T14:04
ground withdrawn: dec-2026-0448 2026-04-24T14:04:20 | LT-31 does not hold: it ran with the response cache on. I \
withdraw it as a ground of clm-0187. <- settings, production, again
run edge: note | The edge ends now.
    $ note invalidate clm-0187 derives_from ev-7f3a91c2
    invalidated: 1 edge
say: Withdrawn. Who rests on clm-0187 I have not looked at. <- edge

== lt31b | coder | 2026-04-24T09:20 | rollout | LT-31b: the load test without the cache
user: Run LT-31 again, with the cache off and all payment methods.
fail first: loadtest | The settings of 22 April.
    $ loadtest run LT-31b --cluster staging --pods 12 --rate 2400 --replay RP-14 --minutes 30
    error: RP-14 asks for method "wallet", stub has none
say: The stub knows no wallets; I add them and start again. <- first
task: What else does the stub not know?
at: 2026-04-24T12:36
user: The stub knows wallets now. Start it.
run again: loadtest 44 | With wallets.
    $ loadtest run LT-31b --cluster staging --pods 12 --rate 2400 --replay RP-14 --minutes 30
    LT-31b started by coder at 12:37, ended at 13:19
    settings            staging, 22 April, as in production
      response cache    OFF
    charges sent        4,320,000
    timed out           302,400 (7%)
    latency p50         310 ms
    latency p99         1,900 ms
    CPU, busiest pod    98%
    exit code           0
ground better: ev-c04be815 2026-04-24T13:22 | Without the cache, 12 pods do not carry twice the peak: p99 of 1,900 ms, \
and 7% time out. <- again

== queue | coder | 2026-05-01T13:00 | queues | A queue in front of Arvento after all?
user: Reviewer took LT-31 back. Do we need the request queue that we dropped?
run replay: loadtest 42 | With a queue, on the same replay.
    $ loadtest run LT-33 --cluster staging --pods 12 --rate 2400 --replay RP-14 --queue arvento
    timed out           21,600 (0.5%)
    latency p99         1,150 ms
say: With a queue fewer charges time out, and the rest wait longer. <- replay
task: How long may a charge wait in it?
at: 2026-05-01T18:55
user: Your advice?
ground queue: dec-2026-0459 2026-05-01T19:02 | Put the queue back: it takes timeouts from 7% to 0.5%. <- replay

== drill | operator | 2026-05-06T13:20 | rollout | Rollback drill of 6 May
task: Rehearse the way back to the old gateway, in two regions. What is needed?
task: Is everybody there who has to be?
at: 2026-05-06T18:03
user: Now the drill itself.
run back: deploy 7 | Back to the old gateway, France and Poland.
    $ deploy rollback --to old-gateway --regions fr,pl
    18:04:10 name servers switched
    18:08:05 last charge on Tollgate
    18:08:12 all charges on the old gateway
run lost: sql | Was a charge lost?
    $ select count(*) from charges where state = 'unknown' and at > '2026-05-06 18:00'
    0
ground drilled: ev-9d20c6b1 2026-05-06T18:21 | We were back on the old gateway in 4 minutes, and no charge was lost. \
<- back, lost

== decide | planner | 2026-05-11T14:40 | rollout | Decide on the EU cut-over | fork of draft at drafted
user: The draft of 20 April is due. Is anything missing?
run drill: read | The drill of last week.
    $ evidence/ev-9d20c6b1.md
    Rollback drill of 6 May: back on the old gateway in 4 minutes
run sale: ask | Does a shop run a sale that week?
    $ 240 EU shops: do you run a sale between 12 and 18 May?
    212 answered, all no
say: The drill and the shops' answers come in. The other premises stood when I drafted it. <- drill, sale, drafted
at: 2026-05-11T16:29
user: Then take it.
say taken: dec-2026-0417 is taken: all EU traffic moves on 14 May, with up to five attempts. <- drafted, drill, sale

== cutover | operator | 2026-05-14T15:30 | rollout | Cut-over night, 14 May
window: 16
task: The EU cut-over is at 19:30. Prepare it.
task: Are the pods as they should be?
task: Check the way back once more.
task: Last look before we start.
at: 2026-05-14T19:28
user: Go.
run switched: deploy 3 | All EU name servers.
    $ deploy switch --regions eu --to tollgate
    19:30:02 switched, 100% of EU traffic
say: EU is on Tollgate since 19:30. <- switched
at: 2026-05-14T19:58
user: Alarms. What is it?
run timeouts: metrics | The gateway first.
    $ metrics graph "timeouts" --region eu --minutes 10
    19:55 7.1%
    19:56 7.0%
    19:57 6.9%
run rate: metrics | How much comes in?
    $ metrics graph "charges" --region eu --minutes 10
    2,350 charges/s, retries included
say: 7% of EU charges time out. With all retries we see 2,350 charges a second. <- timeouts, rate
at: 2026-05-14T20:03
task: Is it Arvento?
at: 2026-05-14T20:12
task: Is it the database?
at: 2026-05-14T20:21
task: One pod, or all of them?
at: 2026-05-14T20:35
user: Is it over?
run ended: metrics | Again.
    $ metrics graph "timeouts" --region eu --minutes 10
    20:33 0.4%
    20:34 0.1%
say: Over since 20:33, 38 minutes after it began. The evening peak has passed; nothing was repaired. <- ended
task: Which shops saw it?
task: Were charges made twice?
task: What do the pods say now?
at: 2026-05-14T21:29
user: Write it up.
ground incident: ev-5d3f02e9 2026-05-14T21:33 | From 19:55 to 20:33, 38 minutes, 7% of EU charges timed out. It began \
25 minutes after the cut-over. <- timeouts, rate, ended
task: Stay with it until midnight. What does the error rate do?
task: Anything from the shops?

== hold | planner | 2026-05-15T09:00 | rollout | After the timeouts of 14 May
user: What do we do with EU today?
run read: read | The incident.
    $ evidence/ev-5d3f02e9.md
    Incident of 14 May: 7% of EU charges timed out for 38 minutes
say: It began 25 minutes after the cut-over, and ended when the evening peak was over. <- read
task: How much of the EU can we carry?
task: And if a shop asks to go back?
at: 2026-05-15T17:49
user: Decide for now.
ground hold: dec-2026-0512 2026-05-15T17:55 | Hold EU at 40% of its traffic until it is clear what the cut-over rested \
on. <- read

== asked | reviewer | 2026-05-18T10:15 | rollout | Asked again: did LT-31 run with the cache on? | fork of lt31 at \
conclusion
user: You ran LT-31. Was the response cache on?
say unknown: I cannot tell. What I have is a summary: p99 240 ms at twice the peak. It says nothing of a cache. \
<- compaction
user: It was in the output of the test.
say: Then it was cut before I wrote the result. My log has the output; my context had not. <- pruned, compaction

== survey | researcher | 2026-05-20T13:00 | rollout | The last shops on the old gateway
task: Which shops still call the old gateway?
task: And how do they call it?
at: 2026-05-22T10:26
user: Ask them.
run shops: ask | All that are left.
    $ 9 shops: how do you call us?
    9 of 9 answered: by a callback of their own
ground nine: ev-70d9be15 2026-05-22T10:32 | Nine shops are left, each with a callback of its own. <- shops
"""
