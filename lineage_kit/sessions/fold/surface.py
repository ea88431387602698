"""The fold (rule S6): which event stands on the surface, which replaced which, and whether the log is sound.

One pass over any number of logs at once. Checks of single events are column operations; a Python loop runs over the
replacements only. Every surface node stands for a contiguous run of appended events, so a node is an interval of
append ordinals, and the surface is a tiling of them: a replacement is valid when its two ends are nodes that stand
now and the first lies left of the last; the nodes it removes are found by stepping through the tiling. Each node is
removed at most once, which makes the fold linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from lineage_kit.sessions.fold.contract import TOOL_RESULT, SurfaceContract
from lineage_kit.sessions.fold.faults import Fault, Faults, Ints
from lineage_kit.sessions.fold.rewrite import rewrite_fault
from lineage_kit.wording import shown

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fold:
    """What the fold found, an entry an event, in the order of the events frame; -1 stands for none.

    Attributes:
        on_surface: whether the event ever stood on the surface.
        replaced_by: the row of the event that directly replaced it.
        covers_from, covers_count: the run of appended events it stands for, ordinals counted per log.
        removed, removed_from: the rows that replacements removed, in surface order; a row's own are
            removed[removed_from[row]:removed_from[row + 1]].
        cited, citing: the citations, as pairs of rows, in logged order.
        faults: the first violation of every unsound log, by the number of the log.
        every: the first violation of each rule that a log breaks, in log order.
    """

    on_surface: Bools
    replaced_by: Ints
    covers_from: Ints
    covers_count: Ints
    removed: Ints
    removed_from: Ints
    cited: Ints
    citing: Ints
    faults: dict[int, Fault]
    every: dict[int, list[Fault]]


@dataclass(frozen=True)
class Logs:
    """Events of one or several logs, one after the other: `starts` are the first rows, with the end behind the last."""

    events: pl.DataFrame
    starts: Ints

    @property
    def number(self) -> Ints:
        """The number of the log of each row."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


def fold(logs: Logs, contract: SurfaceContract, known: dict[int, Fault] | None = None) -> Fold:
    """Fold logs that may be unsound; `known` are violations found when raw records were converted, by log.

    1. Check each event by itself (column operations).  2. Check citations.  3. Replay the replacements.
    4. Check that each replacement cites what it removed, and that tool results are rewritten faithfully.
    """
    events, number = logs.events, logs.number
    base = logs.starts[:-1][number] if number.size else number
    seq = np.arange(events.height) - base
    faults = Faults(number, seq, dict(known or {}))
    ops = _operations(events, seq, contract, faults)
    cited, citing = _citations(events, seq, base, faults)
    replayed = _replay(ops, number, base, faults)
    _check_cited(replayed, cited, citing, faults, base, events.height)
    if contract.tool_result_rewrite:
        _check_rewrites(events, replayed, faults)
    first = np.zeros(number.size, np.int64)
    if number.size:
        appended: Ints = np.cumsum(ops.append) - ops.append
        first = appended[base]
    return Fold(
        on_surface=ops.append | ops.replace,
        replaced_by=replayed.replaced_by,
        covers_from=np.where(replayed.covers_from >= 0, replayed.covers_from - first, -1),
        covers_count=replayed.covers_to - replayed.covers_from,
        removed=replayed.removed,
        removed_from=replayed.removed_from,
        cited=cited,
        citing=citing,
        faults=faults.first,
        every=faults.every(),
    )


@dataclass(frozen=True)
class _Operations:
    append: Bools
    replace: Bools
    start: Ints
    end: Ints


def _operations(events: pl.DataFrame, seq: Ints, contract: SurfaceContract, faults: Faults) -> _Operations:
    """What each event does to the surface; events that say something impossible do nothing."""
    columns = events.select(
        seq="seq",
        surface=pl.col("type").is_in(list(contract.surface_types)).fill_null(False),
        cites=pl.col("source_event_seqs").is_not_null(),
        op=pl.col("surface_op").struct.field("op"),
        start=pl.col("surface_op").struct.field("start"),
        end=pl.col("surface_op").struct.field("end"),
    ).with_columns(marked=pl.any_horizontal(pl.col("op", "start", "end").is_not_null()))
    stated = columns["seq"].fill_null(-1).to_numpy()
    faults.add(
        np.flatnonzero(stated != seq),
        "seq equals its position in the log",
        lambda row: "null" if columns["seq"][row] is None else str(columns["seq"][row]),
        "the next number, from 0 without a gap",
    )
    surface, marked = columns["surface"].to_numpy(), columns["marked"].to_numpy()
    type_of = lambda row: f"type {shown(events['type'][row])}"  # noqa: E731
    faults.add(np.flatnonzero(~surface & marked), "only surface types carry surface_op", type_of, "no surface_op")
    faults.add(
        np.flatnonzero(~surface & columns["cites"].to_numpy()),
        "only surface types carry source_event_seqs",
        type_of,
        "no source_event_seqs",
    )
    faults.add(np.flatnonzero(surface & ~marked), "a surface type carries a surface_op", "none", "append or replace")
    op = columns["op"]
    appends, replaces = (op == "append").fill_null(False).to_numpy(), (op == "replace").fill_null(False).to_numpy()
    bounds = columns.select(
        both=pl.col("start").is_not_null() & pl.col("end").is_not_null(),
        none=pl.col("start").is_null() & pl.col("end").is_null(),
    )
    shaped = (appends & bounds["none"].to_numpy()) | (replaces & bounds["both"].to_numpy())
    faults.add(
        np.flatnonzero(surface & marked & ~shaped),
        "surface_op has its exact shape",
        lambda row: shown(events["surface_op"][row]),
        "append without start and end, or replace with both",
    )
    valid = surface & shaped
    return _Operations(
        append=valid & appends,
        replace=valid & replaces,
        start=columns["start"].fill_null(-1).to_numpy(),
        end=columns["end"].fill_null(-1).to_numpy(),
    )


def _citations(events: pl.DataFrame, seq: Ints, base: Ints, faults: Faults) -> tuple[Ints, Ints]:
    """Citations as pairs of rows (cited, citing); each a distinct earlier event, none of them empty."""
    lists = events["source_event_seqs"]
    lengths = lists.list.len()
    faults.add(
        np.flatnonzero((lengths == 0).fill_null(False).to_numpy()),
        "source_event_seqs, where present, is not empty",
        "an empty list",
        "at least one seq",
    )
    counts = lengths.fill_null(0).cast(pl.Int64).to_numpy()
    citing = np.repeat(np.arange(events.height), counts)
    flat = lists.filter(pl.Series(counts > 0)).explode() if citing.size else pl.Series([], dtype=pl.Int64)
    stated = flat.fill_null(-1).to_numpy()
    wrong = (stated < 0) | (stated >= seq[citing])
    faults.add(
        citing[wrong],
        "a citation is an earlier event",
        lambda row: shown(events["source_event_seqs"][row].to_list()),
        "integers from 0, smaller than the event's own seq",
    )
    citing, stated = citing[~wrong], stated[~wrong]
    cited = base[citing] + stated
    keys = citing * (events.height + 1) + cited
    order = np.argsort(keys, kind="stable")
    twice = order[1:][keys[order][1:] == keys[order][:-1]] if keys.size else order
    faults.add(
        np.sort(citing[twice]),
        "citations are distinct",
        lambda row: shown(events["source_event_seqs"][row].to_list()),
        "each seq once",
    )
    return cited, citing


@dataclass(frozen=True)
class _Replayed:
    replaced_by: Ints
    covers_from: Ints
    covers_to: Ints
    removed: Ints
    removed_from: Ints


def _replay(ops: _Operations, number: Ints, base: Ints, faults: Faults) -> _Replayed:
    """Run the replacements in log order over the tiling of append ordinals."""
    rows = number.size
    ordinal = np.cumsum(ops.append) - 1
    covers_from = np.where(ops.append, ordinal, -1)
    starts, ends = covers_from.tolist(), np.where(ops.append, ordinal + 1, -1).tolist()
    standing = np.flatnonzero(ops.append).tolist()  # by ordinal: the node whose run begins there
    replaced_by = [-1] * rows
    replacers = np.flatnonzero(ops.replace)
    logs, bases = number[replacers].tolist(), base[replacers].tolist()
    first, last = ops.start[replacers].tolist(), ops.end[replacers].tolist()
    removed: list[int] = []
    counts = np.zeros(rows, np.int64)
    unsound = faults.first  # by log; a log with an earlier violation is not replayed any further
    for row, log, start_of_log, start, end in zip(replacers.tolist(), logs, bases, first, last, strict=True):
        position = row - start_of_log
        if log in unsound and unsound[log].position <= position:
            continue
        left, right = start_of_log + start, start_of_log + end
        if not (0 <= start < position and starts[left] >= 0 and replaced_by[left] < 0):
            found = _not_standing(start, position, starts, replaced_by, left, start_of_log)
            faults.add(np.array([row]), "start is on the surface now", found, "the seq of an event that stands")
            continue
        if not (0 <= end < position and starts[right] >= 0 and replaced_by[right] < 0):
            found = _not_standing(end, position, starts, replaced_by, right, start_of_log)
            faults.add(np.array([row]), "end is on the surface now", found, "the seq of an event that stands")
            continue
        at = begin = starts[left]
        stop = ends[right]
        if begin > starts[right]:
            found = f"start {start} stands after end {end}"
            faults.add(np.array([row]), "start is not after end by position", found, "start at or before end")
            continue
        before = len(removed)
        while at < stop:
            node = standing[at]
            removed.append(node)
            replaced_by[node] = row
            at = ends[node]
        counts[row] = len(removed) - before
        starts[row], ends[row] = begin, stop
        standing[begin] = row
    return _Replayed(
        np.array(replaced_by, np.int64),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array(removed, np.int64),
        np.concatenate([[0], np.cumsum(counts)]),
    )


def _not_standing(
    seq: int, position: int, starts: list[int], replaced_by: list[int], node: int, start_of_log: int
) -> str:
    if not 0 <= seq < position:
        return f"{seq}, which is no earlier event"
    if starts[node] < 0:
        return f"{seq}, which never stood on the surface"
    return f"{seq}, which event {replaced_by[node] - start_of_log} has replaced"


def _check_cited(replayed: _Replayed, cited: Ints, citing: Ints, faults: Faults, base: Ints, rows: int) -> None:
    """A replacement cites every node it removes; it may cite more."""
    replacers = np.repeat(np.arange(rows), np.diff(replayed.removed_from))
    pairs = np.sort(citing * (rows + 1) + cited)
    wanted = replacers * (rows + 1) + replayed.removed
    at = np.searchsorted(pairs, wanted)
    there = np.zeros(wanted.size, np.bool_)
    inside = at < pairs.size
    there[inside] = pairs[at[inside]] == wanted[inside]
    missing = np.flatnonzero(~there)
    first = {int(replacers[place]): int(replayed.removed[place]) for place in missing[::-1].tolist()}
    faults.add(
        replacers[missing],
        "a replacement cites every event it removes",
        lambda row: f"event {first[row] - int(base[row])} removed and not cited",
        "all removed events in source_event_seqs",
    )


def _check_rewrites(events: pl.DataFrame, replayed: _Replayed, faults: Faults) -> None:
    """A tool result that replaces something is a rewrite of exactly one tool result."""
    tool = (events["type"] == TOOL_RESULT).fill_null(False).to_numpy()
    counts = np.diff(replayed.removed_from)
    rewriting = np.flatnonzero(tool & (counts > 0))
    only = replayed.removed[replayed.removed_from[rewriting]] if rewriting.size else rewriting
    first_of = dict(zip(rewriting.tolist(), only.tolist(), strict=True))
    wrong = (counts[rewriting] != 1) | ~tool[only]
    faults.add(
        rewriting[wrong],
        "a tool/result replaces exactly one tool/result",
        lambda row: f"{counts[row]} events replaced, the first of type {events['type'][int(first_of[row])]!r}",
        "one tool/result",
    )
    rewriting, only = rewriting[~wrong], only[~wrong]
    payloads = events["payload"]
    new, old = payloads.gather(rewriting), payloads.gather(only)
    both = np.flatnonzero(~(new.is_null() & old.is_null()).to_numpy())
    pairs = zip(both.tolist(), old.gather(both).to_list(), new.gather(both).to_list(), strict=True)
    for place, before, after in pairs:
        if found_and_expected := rewrite_fault(before, after):
            faults.add(
                rewriting[place : place + 1], "a tool/result is rewritten in its content only", *found_and_expected
            )
