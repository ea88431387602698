"""`lineage-kit demo`: a doubted decision, investigated step by step, on data that comes with the package."""

from __future__ import annotations

import polars as pl
from rich.console import Console

from lineage_kit.cli.answer import sentences, write_result
from lineage_kit.cli.options import Format
from lineage_kit.datasets import data_folder
from lineage_kit.relations.store import RelationStore
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.view import generic
from lineage_kit.view.text import named, visible
from lineage_kit.wording import counted

DOUBTED = ("decision", "dec-2026-0417")
WRONG = ("evidence", "ev-7f3a91c2")
BEFORE = "2026-04-23T12:00:00Z"
MEASUREMENT = "019d44a4-1fe0-7935-9e63-c102eaa0391c#23"


def tell() -> None:
    """Print the story."""
    console = Console(highlight=False)

    def say(text: str, style: str = "") -> None:
        console.print(text, style=style, markup=False, highlight=False)

    def step(question: str, command: str) -> None:
        console.rule(style="dim")
        say(question, "bold")
        console.print(f"$ lineage-kit {command}\n", style="dim", markup=False, highlight=False, soft_wrap=True)

    given = "--data data/decisions.parquet --items data/items.parquet"
    store = RelationStore.open(data_folder() / "decisions.parquet", items=data_folder() / "items.parquet")
    say(
        "An agent team moves a payments service to the EU. On 11 May it decides on the cut-over; on 14 May payments "
        "time out. What did that decision really rest on?\n"
    )

    step("1. Trace the doubted decision.", f"trace {' '.join(DOUBTED)} {given}")
    write_result(store.trace_lineage(*DOUBTED), Format.tree, None, 200)
    say(
        "\nThree hops up stands load test LT-31. Its edge is INVALIDATED, the test SUPERSEDED by a re-run with the "
        "opposite result; what LT-31 alone rests on is OUTDATED SUPPORT. Nobody had looked.\n",
        "green",
    )

    step("2. Was it sound when it was drafted?", f"trace {' '.join(DOUBTED)} --as-of {BEFORE} {given}")
    before = store.trace_lineage(*DOUBTED, as_of=BEFORE)
    console.print(sentences(generic.summary(before), console).rstrip(), markup=False, highlight=False, soft_wrap=True)
    say("\nOn 23 April nothing was wrong with it: the test was withdrawn a day later, 17 days before the decision.\n",
        "green")  # fmt: skip

    kinds = ("depends_on", "derives_from")
    flags = " ".join(f"--relation-kind {kind}" for kind in kinds)
    step(
        "3. What else rests on that test?",
        f"reach {' '.join(WRONG)} --direction incoming --max-depth 5 {flags} {given}",
    )
    rests = store.reachability(*WRONG, relation_kind=list(kinds), direction="incoming", max_depth=5)
    write_result(rests, Format.tree, None, 200)
    decisions = rests.nodes.filter(rests.nodes["type"] == "decision").height - 1
    say(f"\n{decisions} other decisions stand on the same ground.\n", "green")

    step(
        "4. What did that load test really say? Go on into the agents' sessions.",
        f"trace {' '.join(DOUBTED)} --max-depth 7 --corpus data {given}",
    )
    corpus = SessionCorpus.open(data_folder())
    both = RelationStore.open(
        [data_folder() / "decisions.parquet", corpus.relations()], items=data_folder() / "items.parquet"
    )
    whole = both.trace_lineage(*DOUBTED, 7)
    console.print(sentences(generic.summary(whole), console).rstrip(), markup=False, highlight=False, soft_wrap=True)
    session, _, seq = MEASUREMENT.rpartition("#")
    say(f"\nAmong these events is the measurement that load test LT-31 rests on, {MEASUREMENT}:\n")
    console.print(f"$ lineage-kit event {session} {seq} --corpus data\n", style="dim", markup=False, highlight=False,
                  soft_wrap=True)  # fmt: skip
    write_result(corpus.trace_event(session, int(seq)), Format.tree, None, 200)
    said = corpus.events(session)["text"]
    lines = [line for line in said[int(seq)].splitlines() if "cache" in line]
    say("\nAs it was logged, the tool had said:")
    for line in lines:
        say(f"    {line.strip()}")
    say(
        "\nThe pruned result and the summary that stand in its place do not say it any more. When the agent wrote its "
        "conclusion, the cache was no longer in its context: that is how the wrong premise came about.\n",
        "green",
    )

    step("5. Real data: which documents stand in the place of RFC 2616 today?",
         "trace rfc RFC2616 --data data/rfc_relations.parquet")  # fmt: skip
    rfcs = RelationStore.open(data_folder() / "rfc_relations.parquet")
    write_result(rfcs.trace_lineage("rfc", "RFC2616"), Format.tree, None, 200)
    say("\nThose without the word SUPERSEDED: RFC9110, RFC9111 and RFC9112.\n", "green")

    step("6. And which of all the agents' decisions still stand?", f"audit decision {given}")
    audit = store.audit("decision", progress=False)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in audit.verdicts().items())
    say(f"{counted(audit.summary.height, 'decision')}: {verdicts}\n")
    withdrawn = audit.summary.filter(pl.col("verdict") == "withdrawn")
    nearest = {"type": "anchor_type", "id": "anchor_id", "nearest_type": "type", "nearest_id": "id"}
    ways = withdrawn.rename({"label": "called"}).join(
        audit.findings, left_on=list(nearest), right_on=list(nearest.values()), maintain_order="left"
    )
    for decision, label, way in ways.select("id", "called", "path").iter_rows():
        say(f"WITHDRAWN {named('decision', decision, label)}\n    {visible(way, 200)}")
    say(
        f"\nUnder {withdrawn.height} decisions the ground has been withdrawn, and no live way to it is left; under "
        f"{withdrawn.filter(nearest_id=WRONG[1]).height} of them it is that one load test. Run it every night against "
        "the audit of the night before (--baseline), and it says which are new.\n",
        "green",
    )
    say("Now your own relations: README.md, “Your own data in ten lines”.", "bold")
