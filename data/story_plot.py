"""The plot of the story, item by item and edge by edge; `build_story.py` reads these two texts."""

# id [time] | label, and an indented line of text. Without a time, the number in the id tells it.
ITEMS = """
goal-eu-launch 2025-12-01T09:00 | All EU shops on Tollgate before 1 June 2026
    The launch everything else serves.
goal-uk-launch 2025-12-01T09:05 | UK shops on Tollgate in the third quarter
goal-nordics-launch 2025-12-01T09:10 | Nordic shops on Tollgate in May
goal-old-gateway-off 2025-12-01T09:15 | Switch the old gateway off before 1 July 2026
goal-p99-latency 2025-12-01T09:20 | 99 of 100 charges answered within 300 ms
goal-no-double-charge 2025-12-01T09:25 | No card is ever charged twice for one order
goal-pci-assessment 2025-12-01T09:30 | Pass the card security assessment in June
goal-cost-per-charge 2025-12-01T09:35 | Running costs below EUR 0.004 a charge
goal-refunds-in-a-day 2025-12-01T09:40 | Refunds reach the card within one banking day
goal-quiet-nights 2025-12-01T09:45 | Fewer than three night alarms a month
goal-books-balance 2025-12-01T09:50 | Ledger and bank agree to the cent every morning
goal-shop-trust 2025-12-01T09:55 | Fewer than 1 in 100 shops asks to stay on the old gateway

dec-2026-0417 | Raise the retry limit to 5 and cut over all EU traffic on 14 May
    Drafted on 20 April, taken on 11 May 2026. All EU shops move to Tollgate at once, and a declined charge is
    tried up to five times.
dec-2026-0352 | Run the EU cluster on 12 pods, without autoscaling
    Twelve pods are enough by clm-0187. Autoscaling waits until July.
clm-0187 | 12 pods carry twice the EU peak with a p99 under 300 ms
    Twice the peak of 2025 is 2,380 charges a second.
ev-7f3a91c2 2026-04-02T11:20 | Load test LT-31 at twice the peak: p99 of 240 ms
    2,400 charges a second on 12 pods; run by coder on the staging cluster, with its settings of 30 March.
ev-c04be815 2026-04-24T13:30 | Load test LT-31b, cache off: p99 of 1,900 ms, 7% time out
    LT-31 again, on 12 pods at 2,400 charges a second, but without the response cache, which production does not
    have.
ev-18c4d2aa 2026-03-30T17:45 | Staging settings of 30 March: response cache on
ev-a6690b3e 2026-03-28T10:05 | Replay RP-12: Black Friday 2025, card payments only
ev-42f7be90 2026-04-22T08:50 | Staging settings of 22 April: cache off, as in production
ev-d81e3c57 2026-04-21T15:15 | Replay RP-14: Black Friday 2025, all payment methods
ev-0b9fa364 2025-12-08T09:30 | EU access logs of 24 to 30 November 2025
ev-51e8a0f4 2025-12-09T14:00 | EU peak of 2025: 1,190 charges/s on 28 November
clm-0214 | Five attempts recover 9 of 10 soft declines
    A soft decline is one that may pass when tried again, such as a bank that did not answer.
ev-3bc87d19 2026-04-15T12:10 | Retry study: attempts 3 to 5 recover 91% of soft declines
ev-6f0e94d2 2026-04-14T23:59 | 48,210 soft declines of 1 to 14 April
ev-e7715a0c 2025-12-11T10:00 | Arvento agreement, annex 4: up to 6 attempts for a charge
    Further attempts cost EUR 0.02 each.
dec-2026-0391 | Keep the old gateway warm for 14 days after the cut-over
    If anything goes wrong, shops go back within minutes.
TSK-1182 | Copy card tokens to both gateways every hour
ev-83a5d76e 2026-04-10T16:20 | Estimate: 14 more days of the old gateway cost EUR 9,300
dec-2026-0268 | Keep card tokens readable by both gateways
ev-b95c01f8 2026-03-09T13:35 | Vault audit of 9 March: no card number in clear text
ev-9d20c6b1 2026-05-06T18:30 | Rollback drill of 6 May: back on the old gateway in 4 minutes
    Three agents, two regions, no charge lost.
ev-2ce6480d 2026-04-29T11:00 | Cut-over runbook, version 3
ev-8a41f7c6 2026-04-07T11:00 | Cut-over runbook, version 2
ev-37be05d9 2026-03-12T15:30 | Cut-over runbook, version 1
asm-0161 | No EU shop runs a sale between 12 and 18 May
    Asked of 240 shops; 212 answered.
ev-5d3f02e9 2026-05-14T21:40 | Incident of 14 May: 7% of EU charges timed out for 38 minutes
    Began 25 minutes after the cut-over. With all retries, Tollgate saw 2,350 charges a second.
dec-2026-0512 | Hold EU at 40% of its traffic after the timeouts of 14 May
    Until it is clear what the cut-over rested on.
TSK-1460 | Raise the retry limit to 5
TSK-1462 | Cut over all EU traffic on 14 May
TSK-1466 | Shift the EU name servers to Tollgate in one step

clm-0191 | A pool of 40 database connections is enough at twice the peak
clm-0198 | Tollgate needs no request queue in front of Arvento
ev-f46b2d83 2026-04-04T09:25 | Connection graph of 3 April: 31 of 40 connections in use
dec-2026-0359 | Set the alarm for slow charges at 400 ms
dec-2026-0364 | Move the Nordic shops onto the same 12 pods
dec-2026-0368 | Cap the database pool at 40 connections a pod
dec-2026-0371 | Order no further cluster capacity for the second quarter
    Given up on 27 April, when reviewer showed planner LT-31b.
dec-2026-0376 | Drop the request queue for Arvento calls from the plan
dec-2026-0380 | Skip the canary stage for shops with under 50 charges a day
    With room to spare, small shops can move without one.
dec-2026-0385 | Give the Nordic shops no maintenance window in May
dec-2026-0402 | Keep ledger and charges on one database until July
dec-2026-0409 | Promise a p99 of 300 ms in the new shop terms
    The terms go out with the invoices of May.
dec-2026-0431 | Merge the on-call rotas of ledger and charges
dec-2026-0437 | Announce the 300 ms promise to the twenty largest shops
dec-2026-0448 | Reserve 10 more pods for the second quarter
dec-2026-0459 | Put a request queue in front of Arvento after all
dec-2026-0463 | Bring the canary stage back for every shop
TSK-1139 | Set up the alarm for slow charges
TSK-1131 | Scale the EU cluster to 12 pods
TSK-1158 | Set the pool size in the charge service

dec-2026-0604 | Switch the old gateway off on 30 June
    The contract ends that day.
TSK-1660 | Move the last nine shops by hand
dec-2026-0548 | Rewrite the callbacks of the last shops for them
clm-0265 | Nine shops still call the old gateway, all by callbacks of their own
ev-70d9be15 2026-05-22T10:40 | Survey of the last shops: 9 with callbacks of their own
ev-c8e1573a 2026-05-20T16:00 | Inventory of callback addresses: 4,112 entries
ev-1d64f0b7 2026-05-19T07:30 | Export of all shop settings of 19 May
ev-94a2c3ee 2026-05-18T20:00 | Shop database copy of 18 May

dec-2026-0031 | Freeze deploys when the error budget falls below 25%
    Looked up in the weekly report.
dec-2026-0057 | Keep idempotency keys in one table per shop
dec-2026-0088 | Refund within 14 days without asking the shop
dec-2026-0096 | Give up on a webhook after the agreed timeout
clm-0071 | A webhook may take 5 seconds
clm-0074 | A webhook may take 8 seconds
clm-0080 | A webhook may take 10 seconds
dec-2026-0248 | Settle each currency on its own
TSK-0884 | Split the settlement file by currency
TSK-0891 | Prove the split on the January file
dec-2026-0150 | Move all shops of a country in one night
    Found too risky by the first pilot shops.
dec-2026-0193 | Move small shops in weekly waves
dec-2026-0195 | Move large shops one by one, with their own date
dec-2026-0198 | Leave shops with callbacks of their own to the end
TSK-0640 | Write the migration guide for shops
TSK-0752 | Write the guide for shops with a plug-in
TSK-0753 | Write the guide for shops with callbacks of their own
TSK-0755 | Record a video for shop owners
dec-2026-0119 | Refund in the currency of the charge
ev-e30b7a94 2026-02-01T06:00 | Exchange rates of 1 February
dec-2026-0236 | Send the webhooks of a shop in order
asm-0079 | Shops handle one webhook at a time
dec-2026-0301 | Show the acquirer's reference on receipts
clm-0152 | Arvento references are unique for two years
clm-0160 | Arvento references are unique for ever
ev-d7c95b20 2026-02-20T09:00 | Arvento handbook, chapter 7: references
"""

# source kind target class confidence author [time] [until time], and an indented line with a note.
# Without a time, the edge is noted when the later of its two ends has appeared.
EDGES = """
dec-2026-0417 depends_on dec-2026-0352 asserted 0.95 planner
dec-2026-0417 depends_on clm-0214 asserted 0.90 planner
dec-2026-0417 depends_on clm-0214 inferred 0.55 archivist 2026-04-21T02:10
dec-2026-0417 depends_on dec-2026-0391 asserted 0.90 planner
dec-2026-0417 depends_on goal-eu-launch asserted 1.00 planner
dec-2026-0417 depends_on ev-9d20c6b1 observed 1.00 operator 2026-05-07T08:15
    # Added to the draft after the drill.
dec-2026-0417 depends_on asm-0161 asserted - planner 2026-05-11T15:50
    # Added on the day the decision was taken.
dec-2026-0352 depends_on clm-0187 asserted 0.90 planner
dec-2026-0352 depends_on ev-51e8a0f4 observed 1.00 planner
clm-0187 derives_from ev-7f3a91c2 asserted 0.95 researcher 2026-04-02T17:20 until 2026-04-24T14:05
    # Withdrawn by reviewer: LT-31 ran with the response cache on.
clm-0187 derives_from ev-51e8a0f4 asserted 0.90 researcher
ev-c04be815 supersedes ev-7f3a91c2 observed 0.98 coder 2026-04-24T13:40
    # LT-31 repeated with the settings of production.
ev-7f3a91c2 derives_from ev-18c4d2aa observed 0.95 coder
ev-7f3a91c2 derives_from ev-a6690b3e observed 0.95 coder
ev-c04be815 derives_from ev-42f7be90 observed 0.97 coder
ev-c04be815 derives_from ev-d81e3c57 observed 0.97 coder
ev-a6690b3e derives_from ev-0b9fa364 observed 0.90 coder
ev-d81e3c57 derives_from ev-0b9fa364 observed 0.95 coder
clm-0214 derives_from ev-3bc87d19 observed 0.97 researcher
clm-0214 derives_from ev-e7715a0c asserted 1.00 researcher
ev-3bc87d19 derives_from ev-6f0e94d2 observed 0.99 researcher
dec-2026-0391 depends_on TSK-1182 observed 0.95 operator
dec-2026-0391 depends_on ev-83a5d76e asserted 0.85 planner
TSK-1182 depends_on dec-2026-0268 asserted 0.95 coder
dec-2026-0268 depends_on ev-b95c01f8 asserted 0.95 planner
ev-9d20c6b1 derives_from ev-2ce6480d asserted 0.90 operator
ev-2ce6480d supersedes ev-8a41f7c6 asserted 1.00 operator
ev-8a41f7c6 supersedes ev-37be05d9 asserted 1.00 operator
ev-5d3f02e9 relates_to dec-2026-0417 asserted 0.90 operator
dec-2026-0512 depends_on ev-5d3f02e9 observed 1.00 planner
dec-2026-0512 depends_on goal-eu-launch asserted 0.90 planner
dec-2026-0512 relates_to dec-2026-0417 asserted 1.00 planner
TSK-1460 depends_on dec-2026-0417 asserted 1.00 coder
TSK-1462 depends_on dec-2026-0417 asserted 1.00 operator
TSK-1466 depends_on TSK-1462 asserted 1.00 operator

clm-0191 derives_from ev-7f3a91c2 asserted 0.85 researcher
clm-0191 derives_from ev-f46b2d83 observed 0.90 researcher
clm-0198 derives_from ev-7f3a91c2 inferred 0.60 archivist
dec-2026-0359 depends_on ev-7f3a91c2 asserted 0.80 operator
dec-2026-0359 depends_on goal-p99-latency asserted 1.00 operator
dec-2026-0364 depends_on clm-0187 asserted 0.80 planner
dec-2026-0364 depends_on goal-nordics-launch asserted 1.00 planner
dec-2026-0368 depends_on clm-0191 asserted 0.90 coder
dec-2026-0371 depends_on ev-7f3a91c2 asserted 0.90 planner 2026-04-08T17:00 until 2026-04-27T09:30
    # Withdrawn by planner when dec-2026-0371 was given up.
dec-2026-0371 depends_on goal-cost-per-charge asserted 0.95 planner
dec-2026-0376 depends_on clm-0198 asserted 0.75 planner
dec-2026-0380 depends_on clm-0187 inferred 0.65 archivist
dec-2026-0380 depends_on goal-eu-launch asserted 0.90 planner
dec-2026-0385 depends_on dec-2026-0364 asserted 0.85 operator
dec-2026-0402 depends_on clm-0191 asserted 0.80 coder
dec-2026-0409 depends_on dec-2026-0352 asserted 0.85 planner
dec-2026-0409 depends_on goal-shop-trust asserted 0.90 planner
dec-2026-0431 depends_on dec-2026-0402 asserted 0.90 operator
dec-2026-0431 depends_on goal-quiet-nights asserted 0.90 operator
dec-2026-0437 depends_on dec-2026-0409 asserted 0.95 planner
dec-2026-0448 supersedes dec-2026-0371 asserted 1.00 planner
dec-2026-0448 depends_on ev-c04be815 asserted 0.95 planner
dec-2026-0459 supersedes dec-2026-0376 asserted 0.95 planner
dec-2026-0459 depends_on ev-c04be815 asserted 0.90 coder
dec-2026-0463 supersedes dec-2026-0380 asserted 0.90 reviewer
dec-2026-0463 depends_on goal-no-double-charge asserted 0.90 reviewer
TSK-1139 depends_on dec-2026-0359 asserted 1.00 operator
TSK-1131 depends_on dec-2026-0352 asserted 1.00 operator
TSK-1158 depends_on dec-2026-0368 asserted 1.00 coder

dec-2026-0604 depends_on TSK-1660 asserted 0.95 planner
dec-2026-0604 depends_on goal-old-gateway-off asserted 1.00 planner
TSK-1660 depends_on dec-2026-0548 asserted 1.00 coder
dec-2026-0548 depends_on clm-0265 asserted 0.90 planner
clm-0265 derives_from ev-70d9be15 observed 0.90 researcher
ev-70d9be15 derives_from ev-c8e1573a observed 0.95 researcher
ev-c8e1573a derives_from ev-1d64f0b7 observed 0.99 coder
ev-1d64f0b7 derives_from ev-94a2c3ee observed 0.99 coder

dec-2026-0096 depends_on clm-0071 asserted 0.90 planner
clm-0074 supersedes clm-0071 asserted 0.90 researcher
clm-0080 supersedes clm-0074 asserted 0.90 researcher
clm-0071 supersedes clm-0080 asserted 0.80 researcher 2026-01-24T10:00
    # Back to 5 seconds; the old claim was taken up again.
dec-2026-0248 depends_on TSK-0891 asserted 0.90 planner
TSK-0891 depends_on TSK-0884 asserted 0.95 coder
TSK-0884 depends_on dec-2026-0248 asserted 0.95 coder
dec-2026-0150 depends_on goal-eu-launch asserted 0.90 planner
dec-2026-0193 supersedes dec-2026-0150 asserted 0.95 planner
dec-2026-0195 supersedes dec-2026-0150 asserted 0.95 planner
dec-2026-0198 supersedes dec-2026-0150 inferred 0.60 archivist
dec-2026-0193 depends_on goal-shop-trust asserted 0.90 planner
dec-2026-0195 depends_on goal-shop-trust asserted 0.90 planner
dec-2026-0198 depends_on goal-shop-trust asserted 0.70 planner
TSK-0640 depends_on dec-2026-0150 asserted 0.90 coder
TSK-0752 supersedes TSK-0640 asserted 0.95 planner
TSK-0753 supersedes TSK-0640 asserted 0.95 planner
TSK-0755 supersedes TSK-0640 asserted 0.80 planner
TSK-0752 depends_on dec-2026-0193 asserted 0.90 coder
TSK-0753 depends_on dec-2026-0198 asserted 0.90 coder
TSK-0755 depends_on dec-2026-0193 asserted 0.80 coder
dec-2026-0119 depends_on ev-e30b7a94 asserted 0.90 planner 2026-02-01T09:00 until 2026-02-09T08:00
    # The rates were corrected by a cent; nothing changes.
dec-2026-0119 depends_on goal-shop-trust asserted 0.80 planner
dec-2026-0236 depends_on asm-0079 asserted 0.60 planner 2026-03-04T04:00 until 2026-03-20T08:00
    # No longer needed: order is kept in any case.
dec-2026-0236 depends_on goal-books-balance asserted 0.80 planner
dec-2026-0301 depends_on clm-0152 asserted 0.90 planner
clm-0152 derives_from ev-d7c95b20 asserted 0.95 researcher
clm-0160 supersedes clm-0152 asserted 0.70 researcher 2026-03-17T12:00 until 2026-03-25T12:00
    # Taken back: two years it is.
"""

# Long chains of revisions: the decision that rests on the first, the days of the year, a label, and its values.
CHAINS = [
    (
        "dec-2026-0031",
        range(4, 103, 7),
        "Error budget report of {date}: {value}% left",
        [61, 58, 64, 49, 44, 47, 38, 41, 52, 55, 33, 29, 36, 42, 48],
    ),
    (
        "dec-2026-0057",
        [12, 29, 51, 73, 96, 121],
        "Benchmark BM-4 of the key table, run {number}: {value} writes/s",
        ["3,120", "3,090", "2,740", "2,810", "4,460", "4,390"],
    ),
    (
        "dec-2026-0088",
        [5, 40, 68, 103, 139],
        "Refund policy, version {number}: {value}",
        ["14 days", "30 days", "30 days, digital goods excluded", "30 days, proof above EUR 500", "as the law has it"],
    ),
]
