"""What changed between two traces: nodes added, removed and changed, edges, and what is said of the whole."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from lineage_kit.errors import InvalidRequest
from lineage_kit.pictured import Pictured
from lineage_kit.schema import DIFF_NODES, FLAGS, NODES, RELATIONS, ROW
from lineage_kit.wording import counted

if TYPE_CHECKING:
    from lineage_kit.relations.trace import Origin, Trace

COMPARED = NODES.without("type", "id", "label").names
SAID = ("truncated", "truncated_by", "anchor_known", "anchor_superseded")
"""What is said of a trace as a whole, and counts as a change."""


@dataclass(frozen=True, eq=False, repr=False)
class LineageDiff(Pictured):
    """What differs between two lineages, or two impacts: of two moments, two stores, or two anchors.

    A diff without any difference is falsy.

    Attributes:
        before, after: the two traces.
        nodes: one row a node that differs, sorted by type, id. type, id, change (String: `added`, `removed` or
            `changed`), columns (List(String)): those that changed, empty unless changed; worse (Boolean): it has a
            flag after that it had not before; then `<column>_before` and `<column>_after` for each column of
            `LineageTrace.nodes` but type, id and label: depth_before, depth_after, hop_before, hop_after (Int64),
            relation_kind_before, relation_kind_after, edge_class_before, edge_class_after (String),
            confidence_before, confidence_after (Float64), invalidated_before, invalidated_after, superseded_before,
            superseded_after, outdated_support_before, outdated_support_after, current_before, current_after
            (Boolean), via_type_before, via_type_after, via_id_before, via_id_after (String); label (String).
        edges: the edges that one of them has alone: change (String: `added` or `removed`), role (String), then the
            columns of the relations table, and the sources' own. Sorted by change, role, source, target, kind,
            class, confidence (nulls last), then the other columns.
        scalars: what is said of the whole and differs, {name: (before, after)}, of truncated, truncated_by,
            anchor_known and anchor_superseded.

    Example:
        >>> before = lineage_kit.RelationStore.open(edges.head(1)).trace_lineage("decision", "d1")
        >>> diff = before.diff(store.trace_lineage("decision", "d1"))
        >>> diff
        LineageDiff(lineages of decision d1: 1 node added, 1 changed, 1 worse; 1 edge added)
        >>> diff.nodes.select("id", "change", "columns", "worse").rows()
        [('e1', 'changed', ['superseded'], True), ('e2', 'added', [], False)]
    """

    before: Trace
    after: Trace
    nodes: pl.DataFrame
    edges: pl.DataFrame
    scalars: dict[str, tuple[Any, Any]]

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.nodes.height or self.edges.height or self.scalars)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineageDiff):
            return NotImplemented
        return (
            self.nodes.drop("label").equals(other.nodes.drop("label"))
            and self.edges.equals(other.edges)
            and self.scalars == other.scalars
        )

    @property
    def header(self) -> str:
        """What is compared: the anchors where they differ, the moments, the stores.

        Example:
            >>> trace = store.trace_lineage("decision", "d1", as_of="2026-03-01T00:00:00Z")
            >>> trace.diff(store.trace_lineage("decision", "d1")).header
            'as_of 2026-03-01T00:00:00Z against all times'
        """
        told = [_described(trace, self._said) for trace in (self.before, self.after)]
        return told[0] if told[0] == told[1] else f"{told[0]} against {told[1]}"

    @property
    def _said(self) -> tuple[bool, bool]:
        """Whether the anchors differ, and whether the stores do."""
        names = [None if trace.origin is None else trace.origin.name for trace in (self.before, self.after)]
        return self.before.anchor != self.after.anchor, names[0] != names[1]

    def __repr__(self) -> str:
        what = f"{self.before.called.lower()}s of {self.before.anchor.type} {self.before.anchor.id}"
        if self.before.anchor != self.after.anchor:
            what += f" and {self.after.anchor.type} {self.after.anchor.id}"
        return f"LineageDiff({what}: {self.counted()})"

    def counted(self) -> str:
        """How much differs, in words.

        Example:
            >>> trace = store.trace_lineage("decision", "d1")
            >>> trace.diff(trace).counted()
            'no difference'
        """
        changes = {word: int((self.nodes["change"] == word).sum()) for word in ("added", "removed", "changed")}
        nodes = [f"{number:,} {word}" for word, number in changes.items() if number]
        if nodes:
            first, *rest = nodes
            number, word = first.split(" ")
            nodes = [f"{counted(int(number.replace(',', '')), 'node')} {word}", *rest]
        if worse := int(self.nodes["worse"].sum()):
            nodes.append(f"{worse:,} worse")
        edges = [(word, int((self.edges["change"] == word).sum())) for word in ("added", "removed")]
        told = [f"{counted(number, 'edge')} {word}" for word, number in edges if number]
        said = [f"{name} changed" for name in self.scalars]
        parts = [", ".join(part) for part in (nodes, told, said) if part]
        return "; ".join(parts) if parts else "no difference"

    @property
    def origin(self) -> Origin | None:
        """The store of the later trace, if it is at hand.

        Example:
            >>> trace = store.trace_lineage("decision", "d1")
            >>> trace.diff(trace).origin is store
            True
        """
        return self.after.origin

    def report(self, path: str | os.PathLike[str] | None = None, *, format: Literal["html", "md"] | None = None) -> str:
        """A self-contained page to hand to a colleague; returned as text, and written whole to `path` if given.

        Args:
            path: where to write it; the suffix says which sort of page, .html or .md.
            format: `html` (the default without a path) or `md`.

        Returns:
            The page.

        Raises:
            InvalidRequest: another suffix or format, or a place that cannot be written to.

        Example:
            >>> trace = store.trace_lineage("decision", "d1")
            >>> trace.diff(trace).report(format="md").splitlines()[0]
            '# What changed in the lineage of decision d1'
        """
        from lineage_kit.view.report import short_report_of

        return short_report_of(self, path, format)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)


def _described(trace: Trace, said: tuple[bool, bool]) -> str:
    parts = [f"{trace.anchor.type} {trace.anchor.id}"] if said[0] else []
    times = [(name, getattr(trace, name)) for name in ("as_of", "known_at")]
    parts += [f"{name} {at.isoformat().replace('+00:00', 'Z')}" for name, at in times if at is not None]
    if not any(at is not None for _, at in times):
        parts.append("all times")
    if said[1]:
        parts.append(f"in {'an unknown store' if trace.origin is None else trace.origin.name}")
    return ", ".join(parts)


def diff_of(before: Trace, after: Any) -> LineageDiff:
    """What differs; see `LineageTrace.diff`."""
    if type(after) is not type(before):
        told = f"a {type(before).__name__} can be compared with another one, not with a {type(after).__name__}"
        raise InvalidRequest(f"{told}. Hint: two lineages compare, or two impacts")
    said = {name: (getattr(before, name), getattr(after, name)) for name in SAID}
    return LineageDiff(
        before,
        after,
        _nodes(before.nodes, after.nodes),
        _edges(before.edges, after.edges),
        {name: pair for name, pair in said.items() if pair[0] != pair[1]},
    )


def _nodes(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    sides = [
        frame.select("type", "id", pl.exclude("type", "id").name.suffix(f"_{when}")).with_columns(
            pl.lit(True).alias(f"in_{when}")
        )
        for when, frame in (("before", before), ("after", after))
    ]
    both = sides[0].join(sides[1], on=["type", "id"], how="full", coalesce=True)
    there = pl.col("in_before").is_not_null() & pl.col("in_after").is_not_null()
    differs = [
        pl.when(there & pl.col(f"{name}_before").ne_missing(pl.col(f"{name}_after"))).then(pl.lit(name))
        for name in COMPARED
    ]
    columns = pl.concat_list(differs).list.drop_nulls()
    change = (
        pl.when(pl.col("in_before").is_null())
        .then(pl.lit("added"))
        .when(pl.col("in_after").is_null())
        .then(pl.lit("removed"))
        .when(columns.list.len() > 0)
        .then(pl.lit("changed"))
    )
    fell = [pl.col(f"{flag}_after").fill_null(False) & ~pl.col(f"{flag}_before").fill_null(False) for flag in FLAGS]
    told = both.with_columns(
        change=change,
        columns=columns,
        worse=pl.any_horizontal(*fell),
        label=pl.coalesce("label_after", "label_before"),
    )
    return told.filter(pl.col("change").is_not_null()).select(DIFF_NODES.names).sort("type", "id")


def _edges(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The rows of one side alone, counted: of two equal rows against one, one differs."""
    parts = [
        frame.drop(ROW).with_columns(pl.lit(count, pl.Int64).alias("how often"))
        for frame, count in ((before, -1), (after, 1))
    ]
    both = pl.concat(parts, how="diagonal_relaxed")
    names = [name for name in both.columns if name != "how often"]
    nested = [name for name, dtype in both.schema.items() if dtype.is_nested() or dtype == pl.Object]
    keys = both.with_columns(
        pl.Series(f"{name} as text", [None if value is None else repr(value) for value in both[name].to_list()])
        for name in nested
    )
    by = [f"{name} as text" if name in nested else name for name in names]
    found = keys.group_by(by, maintain_order=True).agg(pl.col("how often").sum(), *(pl.col(n).first() for n in nested))
    found = found.filter(pl.col("how often") != 0).with_columns(
        change=pl.when(pl.col("how often") > 0).then(pl.lit("added")).otherwise(pl.lit("removed"))
    )
    if found.height and int(found["how often"].abs().max()) > 1:  # type: ignore[arg-type]
        found = found[np.arange(found.height).repeat(found["how often"].abs().to_numpy())]
    order = ["change", "role", *RELATIONS.names, *(name for name in by if name not in ("role", *RELATIONS.names))]
    chosen = ["change", "role", *RELATIONS.names, *(name for name in names if name not in ("role", *RELATIONS.names))]
    return found.sort(order, nulls_last=True).select(chosen)
