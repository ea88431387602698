"""What a person sees: text, HTML and trees. The only room that knows HTML or Rich."""

from __future__ import annotations

from lineage_kit.relations.reach import Reachability
from lineage_kit.relations.trace import LineageTrace
from lineage_kit.relations.traces import LineageTraces
from lineage_kit.sessions.lineage import SessionLineageTrace
from lineage_kit.sessions.trace import SessionEventTrace
from lineage_kit.view.html import page_of
from lineage_kit.view.sessions import event_summary, session_summary
from lineage_kit.view.summary import Summary, summary_of
from lineage_kit.view.terminal import plain

__all__ = ["Result", "bundle", "summary"]


Result = LineageTrace | LineageTraces | Reachability | SessionEventTrace | SessionLineageTrace


def bundle(result: Result) -> dict[str, str]:
    """Plain text and quiet HTML of a result: the same on every run, without scripts or element ids.

    Example:
        >>> import lineage_kit, polars as pl
        >>> trace = lineage_kit.trace_lineage(pl.DataFrame({
        ...     "source_type": ["decision"], "source_id": ["d1"], "target_type": ["evidence"],
        ...     "target_id": ["e1"], "relation_kind": ["depends_on"]}), "decision", "d1")
        >>> print(bundle(trace)["text/plain"])
        Lineage of decision d1
        1 premise over 1 level (max_depth 5). Complete: nothing was cut.
        decision d1
        └── depth 1 · depends_on evidence e1 · asserted
    """
    told = summary(result)
    return {"text/plain": plain(result, told), "text/html": page_of(told)}


def summary(result: Result) -> Summary:
    """A result in words, whichever it is."""
    if isinstance(result, SessionEventTrace):
        return event_summary(result)
    if isinstance(result, SessionLineageTrace):
        return session_summary(result)
    return summary_of(result)
