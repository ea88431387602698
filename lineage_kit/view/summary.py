"""One result in words: what was asked, whether to trust it, and the first rows; HTML and text both show this."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.request import Node
from lineage_kit.relations.trace import LineageTrace, Origin, extent
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.view.text import FLAGS, flags, moment, named, trust, visible
from lineage_kit.wording import counted

SHOWN = 20
"""Rows of a summary table."""


@dataclass
class Summary:
    """What a display says of a result; `warnings` come first."""

    title: str
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    rest: str = ""


def summary_of(result: LineageTrace | LineageTraces | Reachability) -> Summary:
    """The summary of any result."""
    if isinstance(result, LineageTrace):
        return _lineage(result)
    if isinstance(result, LineageTraces):
        return _lineages(result)
    return _reachability(result)


def labels_of(origin: Origin | None, nodes: pl.DataFrame) -> dict[tuple[str, str], str]:
    """The labels of these nodes, by (type, id)."""
    if origin is None or not nodes.height:
        return {}
    return {(type, id): label for type, id, label in origin.labels(nodes).iter_rows()}


def _unknown(anchor: Node, origin: Origin | None) -> list[str]:
    near = origin.near(*anchor) if origin is not None else []
    shown = "; ".join(named(*node) for node in near)
    hint = f"Close to it: {shown}." if near else "Nothing there has a name close to it."
    return [f"UNKNOWN ANCHOR: no relation mentions {named(*anchor)}. {hint if origin is not None else ''}".rstrip()]


def frontier_words(trace: LineageTrace) -> str:
    """Why and where a walk was cut."""
    limits = {"max_depth": trace.max_depth, "supersede_limit": trace.supersede_limit}
    why = " and ".join(f"{reason} {limits[reason]}" for reason in trace.truncated_by)
    stops = [named(*node) for node in trace.frontier.head(5).iter_rows()]
    more = ", …" if trace.frontier.height > 5 else ""
    return (
        f"TRUNCATED by {why}: the walk stopped with more beyond "
        f"{counted(trace.frontier.height, 'node')} ({', '.join(stops)}{more})."
    )


def _lineage(trace: LineageTrace) -> Summary:
    anchor = pl.DataFrame([trace.anchor], schema={"type": pl.String, "id": pl.String}, orient="row")
    first = trace.nodes.head(SHOWN)
    labels = labels_of(trace.origin, pl.concat([anchor, first.select("type", "id")]))
    told = Summary(f"Lineage of {named(*trace.anchor, labels.get(trace.anchor))}")
    if not trace.anchor_known:
        told.warnings += _unknown(trace.anchor, trace.origin)
        return told
    if trace.truncated:
        told.warnings.append(frontier_words(trace))
    if trace.anchor_superseded:
        told.warnings.append("The anchor itself is SUPERSEDED: another item replaces it.")
    for flag, word in FLAGS.items():
        if count := int(trace.nodes[flag].sum()):
            told.warnings.append(f"{counted(count, 'node')} {word}.")
    asked = f"max_depth {trace.max_depth}" + (f", as of {moment(trace.as_of)}" if trace.as_of else "")
    complete = "" if trace.truncated else " Complete: nothing was cut."
    told.facts.append(f"{extent(trace.nodes).capitalize()} ({asked}).{complete}")
    told.columns = ("depth", "hop", "node", "reached by", "from", "flags")
    told.rows = [
        (
            str(row["depth"]),
            str(row["hop"]),
            named(row["type"], row["id"], labels.get((row["type"], row["id"]))),
            f"{visible(row['relation_kind'], 30)}, {trust(row['edge_class'], row['confidence'])}",
            named(row["via_type"], row["via_id"]),
            ", ".join(flags(row)),
        )
        for row in first.iter_rows(named=True)
    ]
    told.rest = _rest(trace.nodes, "trace.nodes")
    return told


def _lineages(traces: LineageTraces) -> Summary:
    whole = traces.summary
    told = Summary(f"Lineages of {counted(whole.height, 'anchor')}")
    if unknown := whole.filter(~pl.col("anchor_known")).height:
        told.warnings.append(f"{counted(unknown, 'UNKNOWN ANCHOR')}: no relation mentions them.")
    if cut := int(whole["truncated"].sum()):
        told.warnings.append(f"{counted(cut, 'lineage')} TRUNCATED.")
    asked = f"max_depth {traces.max_depth}" + (f", as of {moment(traces.as_of)}" if traces.as_of else "")
    told.facts.append(f"{counted(traces.nodes.height, 'node')} in all ({asked}).")
    told.columns = ("anchor", "nodes", "edges", "state")
    for row in whole.head(SHOWN).iter_rows(named=True):
        state = [] if row["anchor_known"] else ["UNKNOWN ANCHOR"]
        state += [f"TRUNCATED by {' and '.join(row['truncated_by'])}"] if row["truncated"] else []
        state += ["SUPERSEDED"] if row["anchor_superseded"] else []
        state += [f"{row[flag]:,} {word}" for flag, word in FLAGS.items() if row[flag]]
        anchor = named(row["anchor_type"], row["anchor_id"])
        told.rows.append((anchor, f"{row['nodes']:,}", f"{row['edges']:,}", ", ".join(state)))
    told.rest = _rest(whole, "traces.summary")
    return told


def _reachability(reach: Reachability) -> Summary:
    anchor = pl.DataFrame([reach.anchor], schema={"type": pl.String, "id": pl.String}, orient="row")
    first = reach.nodes.head(SHOWN)
    labels = labels_of(reach.origin, pl.concat([anchor, first.select("type", "id")]))
    way = {"outgoing": "What can be reached from", "incoming": "What reaches", "both": "What lies around"}
    told = Summary(f"{way[reach.direction]} {named(*reach.anchor, labels.get(reach.anchor))}")
    if not reach.anchor_known:
        told.warnings += _unknown(reach.anchor, reach.origin)
        return told
    if reach.truncated:
        told.warnings.append(f"TRUNCATED by max_depth {reach.max_depth}: there are nodes beyond the last ring.")
    if count := int(reach.nodes["invalidated"].sum()):
        told.warnings.append(f"{counted(count, 'node')} {FLAGS['invalidated']}.")
    kinds = "all kinds" if reach.relation_kind is None else ", ".join(visible(k, 30) for k in reach.relation_kind)
    sizes = ", ".join(f"{ring.height:,}" for ring in reach.rings)
    complete = "" if reach.truncated else " Complete: nothing was cut."
    told.facts.append(f"{counted(reach.nodes.height, 'node')} over {kinds}; rings of {sizes}.{complete}")
    told.columns = ("depth", "node", "reached by", "direction", "from", "flags")
    told.rows = [
        (
            str(row["depth"]),
            named(row["type"], row["id"], labels.get((row["type"], row["id"]))),
            f"{visible(row['relation_kind'], 30)}, {trust(row['edge_class'], row['confidence'])}",
            row["direction"],
            named(row["via_type"], row["via_id"]),
            ", ".join(flags(row)),
        )
        for row in first.iter_rows(named=True)
    ]
    told.rest = _rest(reach.nodes, "reachability.nodes")
    return told


def _rest(frame: pl.DataFrame, where: str) -> str:
    return f"{SHOWN} of {frame.height:,} rows shown; all are in {where}." if frame.height > SHOWN else ""
