"""The lineages, or impacts, of many anchors in words, and as lines."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.text import Text

from lineage_kit.relations.traces import Traces
from lineage_kit.view import generic
from lineage_kit.view.export import frame_called
from lineage_kit.view.summary import SHOWN, Notice, Summary, rows_beyond, seen_at, supposed
from lineage_kit.view.text import FLAGS, named
from lineage_kit.wording import counted


@generic.summary.register(Traces)
def summary(traces: Traces[Any]) -> Summary:
    """How many anchors are unknown or cut, and the state of each of the first."""
    whole = traces.summary
    told = Summary(f"{traces.sort.called}s of {counted(whole.height, 'anchor')}")
    if unknown := whole.filter(~pl.col("anchor_known")).height:
        brief = counted(unknown, "UNKNOWN ANCHOR")
        told.notices.append(Notice("unknown_anchor", f"{brief}: no relation mentions them.", brief))
    if cut := int(whole["truncated"].sum()):
        brief = f"{counted(cut, traces.sort.called.lower())} TRUNCATED"
        told.notices.append(Notice("truncated", f"{brief}.", brief))
    asked = f"max_depth {traces.max_depth}{seen_at(traces.as_of, traces.known_at)}"
    told.notices[:0] = supposed(traces.origin)
    told.facts.append(f"{counted(traces.nodes.height, 'node')} in all ({asked}).")
    told.columns = ("anchor", "nodes", "edges", "state")
    for row in whole.head(SHOWN).iter_rows(named=True):
        state = [] if row["anchor_known"] else ["UNKNOWN ANCHOR"]
        state += [f"TRUNCATED by {' and '.join(row['truncated_by'])}"] if row["truncated"] else []
        state += [FLAGS["superseded"].word] if row["anchor_superseded"] else []
        state += [f"{row[flag]:,} {words.word}" for flag, words in FLAGS.items() if row[flag]]
        anchor = named(row["anchor_type"], row["anchor_id"], row["label"])
        told.rows.append((anchor, f"{row['nodes']:,}", f"{row['edges']:,}", ", ".join(state)))
    told.rest = rows_beyond(whole, "traces.summary")
    told.sentences_only = not told.rows
    return told


@generic.tree.register(Traces)
def tree(traces: Traces[Any], _: int | None = None) -> Text:
    """A line an anchor, of the first ones; many trees would be too long to read."""
    told = summary(traces)
    lines = [" · ".join(cell for cell in row if cell) for row in told.rows]
    return Text("\n".join([*lines, *([told.rest] if told.rest else [])]))


@generic.csv_frame.register(Traces)
def csv_frame(traces: Traces[Any], frame_name: str | None = None) -> pl.DataFrame:
    """`summary`, `nodes`, `edges` or `frontier`."""
    frames = {name: getattr(traces, name) for name in ("summary", "nodes", "edges", "frontier")}
    return frame_called(frames, frame_name)
