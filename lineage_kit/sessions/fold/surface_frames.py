"""Folds turned into frames: every event with its place on the surface, and every event's trace."""

from __future__ import annotations

import numpy as np
import polars as pl

from lineage_kit.schema import EVENT_TRACES
from lineage_kit.sessions.fold.faults import Ints
from lineage_kit.sessions.fold.surface import Fold, Logs

REF = pl.concat_str("session_id", pl.lit("#"), pl.col("seq").cast(pl.String)).alias("ref")


def surface_classes(folded: Fold) -> pl.Series:
    """`current`, `shadowed` or `log-only` for each event."""
    code = np.where(folded.on_surface, np.where(folded.replaced_by >= 0, 1, 0), 2)
    return pl.Series("surface", ["current", "shadowed", "log-only"]).gather(code)


def event_traces(logs: Logs, folded: Fold) -> pl.DataFrame:
    """The trace of every event of sound logs; events must have session_id. Sorted as the events are."""
    base = logs.starts[:-1][logs.number]
    final, length = _chains(folded)
    seq = np.arange(base.size) - base
    frame = logs.events.select(
        "session_id", pl.Series("seq", seq), "type", "time", surface_classes(folded), "source_event_seqs"
    )
    none = pl.Series([None], dtype=pl.Int64)
    on_surface = pl.Series(folded.on_surface)
    replaced = pl.Series(folded.replaced_by >= 0)
    frame = frame.with_columns(
        REF,
        replaced_by=pl.when(replaced).then(pl.Series(folded.replaced_by - base)),
        final_replacement=pl.when(replaced).then(pl.Series(final - base)),
        chain_length=pl.Series(length),
        replaced_event_seqs=_lists(folded.removed - base[folded.removed], folded.removed_from),
        derived_event_seqs=_derived(folded, base),
        source_event_seqs=pl.col("source_event_seqs").fill_null(pl.lit(none.head(0).implode())),
        covers_from=pl.when(on_surface).then(pl.Series(folded.covers_from)),
        covers_count=pl.when(on_surface).then(pl.Series(folded.covers_count)),
    )
    return frame.select(EVENT_TRACES.names)


def _chains(folded: Fold) -> tuple[Ints, Ints]:
    """The final replacement and the number of replacers of each event; a loop over replacements only.

    A replacer stands later in the log than what it replaces, so going backwards its own end is known already.
    """
    replacers = np.unique(folded.replaced_by[folded.replaced_by >= 0])
    ends: dict[int, tuple[int, int]] = {}
    onward = folded.replaced_by[replacers].tolist()
    for row, further in zip(replacers[::-1].tolist(), onward[::-1], strict=True):
        end, steps = ends[further] if further >= 0 else (row, 0)
        ends[row] = (end, steps + 1)
    final_of = np.full(folded.replaced_by.size + 1, -1, np.int64)  # one more, so that none (-1) finds -1
    length_of = np.zeros(folded.replaced_by.size + 1, np.int64)
    if ends:
        rows = np.fromiter(ends, np.int64, len(ends))
        final_of[rows] = [end for end, _ in ends.values()]
        length_of[rows] = [steps for _, steps in ends.values()]
    return final_of[folded.replaced_by], length_of[folded.replaced_by]


def _derived(folded: Fold, base: Ints) -> pl.Series:
    """The seqs of the events that cite each event, ascending."""
    order = np.lexsort((folded.citing, folded.cited))
    citing = folded.citing[order]
    counts = np.bincount(folded.cited, minlength=base.size)
    return _lists(citing - base[citing], np.concatenate([[0], np.cumsum(counts)]))


def _lists(values: Ints, offsets: Ints) -> pl.Series:
    """A list a row from flat values and offsets."""
    import pyarrow as pa

    lists = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(values, pa.int64()))
    made = pl.from_arrow(lists)
    assert isinstance(made, pl.Series)
    return made
