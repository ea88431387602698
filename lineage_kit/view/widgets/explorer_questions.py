"""What a `LineageExplorer` asks of its store, and what it draws of the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import polars as pl

from lineage_kit.engines.protocol import Moment
from lineage_kit.errors import InvalidRequest
from lineage_kit.relations.diff import LineageDiff
from lineage_kit.relations.request import Node, checked_time
from lineage_kit.relations.store import RelationStore
from lineage_kit.relations.trace import Trace
from lineage_kit.schema import ROW
from lineage_kit.view import generic
from lineage_kit.view.graph.data import GraphData
from lineage_kit.view.graph.walked import walked_graph
from lineage_kit.view.summary import Summary, flag_notices, seen_at, supposed
from lineage_kit.view.text import named
from lineage_kit.wording import counted

LINEAGE, IMPACT = "lineage", "impact"
ASKED = ("question", "as_of", "known_at", "compared", "withdrawn", "withdrawn_at", "ways_to")
"""What is asked beside the anchor and the depth: the names of the explorer's own attributes."""
SUPPOSED: Literal["supposed"] = "supposed"
"""What `Asked.compared` is where the supposed trace is compared with the real one."""


@dataclass(frozen=True)
class Asked:
    """A question.

    Attributes:
        anchor, max_depth, as_of, known_at: as `trace_lineage` takes them.
        question: `lineage` (what it rests on) or `impact` (what rests on it).
        compared: None, `supposed`, or the `Moment` before, with which the trace is compared.
        withdrawn, withdrawn_at: the items that are supposed to be withdrawn, and when.
        ways_to: a node to which alone the ways are drawn, or None.
    """

    anchor: Node
    max_depth: int
    question: str
    as_of: datetime | None
    known_at: datetime | None
    compared: Moment | str | None
    withdrawn: tuple[Node, ...]
    withdrawn_at: datetime | None
    ways_to: Node | None


@dataclass(frozen=True)
class Found:
    """What was found: the trace, the diff if two are compared, and the picture."""

    trace: Trace
    diff: LineageDiff | None
    graph: GraphData

    @property
    def nodes(self) -> pl.DataFrame:
        """All nodes that may be in the picture, those that are gone among them."""
        if self.diff is None:
            return self.trace.nodes
        return pl.concat([self.trace.nodes, self.diff.before.nodes], how="vertical")


def find(store: RelationStore, asked: Asked, limit: int) -> Found:
    """Ask, and choose what is drawn: the ways to a node, else two traces as one picture, else the trace.

    Raises:
        InvalidRequest: an item that is not there to be withdrawn, a node that is not in the trace.
    """
    other = store
    if asked.withdrawn:
        if asked.withdrawn_at is None:
            raise InvalidRequest("say when the item is supposed to be withdrawn: withdrawn_at is missing")
        other = store.what_if(asked.withdrawn_at, withdraw=list(asked.withdrawn))
    trace = _trace(other, asked, Moment(asked.as_of, asked.known_at))
    diff = None
    if isinstance(asked.compared, Moment):
        diff = _trace(other, asked, asked.compared).diff(trace)
    elif asked.compared == SUPPOSED and asked.withdrawn:
        diff = _trace(store, asked, Moment(asked.as_of, asked.known_at)).diff(trace)
    if asked.ways_to is not None:
        return Found(trace, diff, ways_graph(trace, asked.ways_to, limit))
    return Found(trace, diff, generic.graph_data(trace if diff is None else diff, limit))


def _trace(store: RelationStore, asked: Asked, at: Moment) -> Trace:
    ask = store.impact if asked.question == IMPACT else store.trace_lineage
    return ask(*asked.anchor, asked.max_depth, as_of=at.as_of, known_at=at.known_at)


def ways_graph(trace: Trace, node: Node, limit: int) -> GraphData:
    """The graph of all the ways from the anchor to a node, and of nothing else.

    Raises:
        InvalidRequest: a node that is not in the trace.
    """
    routes = trace.routes(*node)
    ends = [routes.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]
    on_the_way = pl.concat([*ends, pl.DataFrame([node], schema={"type": pl.String, "id": pl.String}, orient="row")])
    numbered = trace.nodes.with_columns(trace.describing.alias(ROW))
    kept = numbered.join(on_the_way.unique(), on=["type", "id"], how="semi", maintain_order="left")
    frontier = trace.frontier.join(on_the_way.unique(), on=["type", "id"], how="semi", maintain_order="left")
    part = replace(trace, nodes=kept.drop(ROW), describing=kept[ROW], edges=routes, frontier=frontier)
    there = {(type, id): label for type, id, label in trace.nodes.select("type", "id", "label").iter_rows()}
    told = Summary(f"The ways from {named(*trace.anchor, trace.anchor_label)} to {named(*node, there.get(node))}")
    told.notices += supposed(trace.origin)
    told.notices += flag_notices(part.nodes)
    told.facts.append(
        f"{counted(part.nodes.height, 'node')} of the {trace.nodes.height:,} of its {trace.called.lower()}, "
        f"{counted(routes.height, 'edge')} (max_depth {trace.max_depth}{seen_at(trace.as_of, trace.known_at)})."
    )
    return walked_graph(trace.called.lower(), told, part, limit)


def checked(name: str, value: Any) -> Any:
    """A part of the question as it was understood; an empty text is no time.

    Raises:
        InvalidRequest: one that cannot be understood.
    """
    if name in ("as_of", "known_at", "withdrawn_at"):
        return _time(name, value)
    if name == "question" and value not in (LINEAGE, IMPACT):
        raise InvalidRequest(f"question must be lineage or impact, got {value!r}")
    if name == "compared":
        return _compared(value)
    return _withdrawn(value) if name == "withdrawn" else value


def _time(name: str, value: Any) -> datetime | None:
    text = value.strip() if isinstance(value, str) else value
    return None if text == "" else checked_time(name, text)


def _compared(value: Any) -> Moment | str | None:
    if value is None or value == SUPPOSED:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Moment(_time("before: as_of", value[0]), _time("before: known_at", value[1]))
    raise InvalidRequest(f"compared must be None, 'supposed' or a pair (as_of, known_at), got {value!r}")


def _withdrawn(value: Any) -> tuple[Node, ...]:
    if not isinstance(value, (tuple, list)) or not all(is_node(pair) for pair in value):
        raise InvalidRequest(f"withdrawn must be a list of (type, id), got {value!r:.100}")
    return tuple(dict.fromkeys(Node(*pair) for pair in value))


def is_node(value: Any) -> bool:
    """Whether this is a type and an id."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(isinstance(part, str) for part in value)
