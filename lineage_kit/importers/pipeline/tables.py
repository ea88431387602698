"""The load step: session plans and staged rows as rows of the canonical tables, some sessions at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from lineage_kit.importers.pipeline.batches import Segment, batches
from lineage_kit.importers.pipeline.findings import Findings
from lineage_kit.importers.pipeline.relations import links_of
from lineage_kit.importers.pipeline.session_plan import APPEND, SessionPlan
from lineage_kit.importers.pipeline.staging import StagedRows
from lineage_kit.importers.pipeline.timestamps import TIME, moment, times_of
from lineage_kit.schema import IMPORTED_EVENTS, IMPORTED_SESSIONS


class Tables(NamedTuple):
    """Some sessions as rows of the three tables."""

    sessions: pl.DataFrame
    events: pl.DataFrame
    relations: pl.DataFrame


def build_tables(plans: Iterable[SessionPlan], staged: StagedRows, findings: Findings) -> Iterator[Tables]:
    """The rows of sessions that come sorted by id, some at a time; a long session comes in several parts."""
    before: dict[str, datetime | None] = {}
    for segments in batches(plans, staged.weigh):
        frame = _events(segments, staged) if any(map(len, segments)) else IMPORTED_EVENTS.empty()
        before = _count_times(frame, before, findings)
        yield Tables(_sessions(segments), frame, links_of(segments, frame))


def _sessions(segments: list[Segment]) -> pl.DataFrame:
    """The sessions that begin in these segments."""
    rows = []
    for one in segments:
        if one.first == 0:
            own = one.plan.header
            values = {**own, "file": one.plan.file.name, "created_at": moment(own.get("created_at"))}
            rows.append(tuple(values.get(name) for name in IMPORTED_SESSIONS.names))
    return IMPORTED_SESSIONS.frame(rows)


def _events(segments: list[Segment], staged: StagedRows) -> pl.DataFrame:
    """The staged rows with what the plans add: whose events they are, on the surface or not, and what they cite."""
    lengths = [len(one) for one in segments]
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1].tolist()
    frame = staged.take(np.concatenate([one.rows for one in segments]))
    names = pl.Series([one.session_id for one in segments], dtype=pl.String)
    frame = frame.with_columns(
        session_id=names.gather(pl.Series(np.repeat(np.arange(len(segments)), lengths))),
        seq=pl.Series(np.concatenate([np.arange(one.first, one.end) for one in segments])),
        time=times_of(frame["time"]),
        surface_op=_ops(segments, starts),
        source_event_seqs=_citations(segments, starts, frame.height),
    )
    return _with_exceptions(frame, segments, starts).select(
        pl.col(name).cast(dtype) for name, dtype in IMPORTED_EVENTS.polars.items()
    )


def _ops(segments: list[Segment], starts: list[int]) -> pl.Series:
    on_surface = np.concatenate([np.asarray(one.plan.on_surface[one.first : one.end], np.int8) for one in segments])
    bounds = np.zeros((2, len(on_surface)), np.int64)
    replaces = np.zeros(len(on_surface), np.bool_)
    for start, one in zip(starts, segments, strict=True):
        for seq, ends in one.replaced.items():
            place = start + seq - one.first
            replaces[place] = True
            bounds[:, place] = ends
    drawn = pl.DataFrame({"append": on_surface == APPEND, "replace": replaces, "start": bounds[0], "end": bounds[1]})
    bound = {end: pl.when("replace").then(end).alias(end) for end in ("start", "end")}
    op = pl.when("replace").then(pl.lit("replace")).when("append").then(pl.lit("append")).alias("op")
    whole = pl.struct(op, bound["start"], bound["end"])
    return (
        drawn.select(pl.when(pl.col("append") | pl.col("replace")).then(whole))
        .to_series()
        .cast(IMPORTED_EVENTS.polars["surface_op"])
    )


def _citations(segments: list[Segment], starts: list[int], total: int) -> pl.Series:
    sizes = np.zeros(total, np.int64)
    runs: list[np.ndarray] = []
    few: list[int] = []
    for start, one in zip(starts, segments, strict=True):
        for seq in sorted(one.citations):
            cited = one.citations[seq]
            sizes[start + seq - one.first] = len(cited)
            if isinstance(cited, range):  # as of an answer that cites all the parts it was streamed in
                runs += [np.array(few, np.int64), np.arange(cited[0], cited[-1] + 1, cited.step)]
                few = []
            else:
                few.extend(cited)
    runs.append(np.array(few, np.int64))
    offsets = pl.Series(np.concatenate([[0], np.cumsum(sizes)])).to_arrow()
    lists = pa.LargeListArray.from_arrays(offsets, pl.Series(np.concatenate(runs)).to_arrow())
    made = pl.Series(pl.from_arrow(lists))
    return pl.select(pl.when(pl.Series(sizes > 0)).then(made)).to_series()


def _with_exceptions(frame: pl.DataFrame, segments: list[Segment], starts: list[int]) -> pl.DataFrame:
    """Types that only the whole session tells, payloads that are to be blank, tokens that another event counts."""
    types: dict[int, str] = {}
    blank_payload: list[int] = []
    repeated_usage: list[int] = []
    for start, one in zip(starts, segments, strict=True):
        shift = start - one.first
        types |= {shift + seq: type for seq, type in one.types.items()}
        blank_payload += [shift + seq for seq in one.blank_payload]
        repeated_usage += [shift + seq for seq in one.repeated_usage]
    if types:
        places = pl.Series(list(types), dtype=pl.UInt32)
        frame = frame.with_columns(frame["type"].clone().scatter(places, list(types.values())))
    if blank_payload:
        frame = frame.with_columns(frame["payload"].clone().scatter(blank_payload, "{}"))
    if repeated_usage:
        frame = frame.with_columns(
            frame[name].clone().scatter(repeated_usage, None) for name in ("tokens_in", "tokens_out")
        )
    return frame


def _count_times(
    events: pl.DataFrame, before: dict[str, datetime | None], findings: Findings
) -> dict[str, datetime | None]:
    """Count times that go back, and records without one, by file; give the last time of the last session.

    `before` is what the last call gave: a session may go on from one part to the next.
    """
    if not events.height:
        return before
    last_time = pl.col("time").forward_fill().over("session_id")
    begun = pl.lit(None, TIME)
    for session_id, time in before.items():
        begun = pl.when(session_id=session_id).then(pl.lit(time, TIME))
    earlier = pl.coalesce(last_time.shift(1).over("session_id"), begun)
    named = events.select("file", "line", "record_id", "type", "time", back=pl.col("time") < earlier)
    for kind, wanted in (
        ("out_of_order_time", pl.col("back")),
        ("missing_time", pl.col("time").is_null() & pl.col("type").ne_missing("unparsed")),
    ):
        found = named.filter(wanted).group_by("file", maintain_order=True)
        rows = found.agg(pl.col("line").first(), pl.col("record_id").first(), pl.len())
        for file, line, example, count in rows.iter_rows():
            findings.add(kind, file, line, example, count)
    session_id = events["session_id"][-1]
    of_last = events.filter(session_id=session_id)["time"].drop_nulls()
    return {session_id: of_last[-1] if len(of_last) else before.get(session_id)}
