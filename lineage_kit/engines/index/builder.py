"""Building an index: DuckDB codes the nodes and streams the edges, NumPy sorts them by either end.

Nothing here needs the graph in memory. DuckDB spills to its temporary folder; the coded edges go into mapped files
in the order of their rows; they are sorted a range of nodes at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from lineage_kit.door.tables import Table
from lineage_kit.engines.csr.graph import NEVER, TIMES, Array, record
from lineage_kit.engines.index import columns
from lineage_kit.engines.index.manifest import release, resident_of_files
from lineage_kit.engines.index.memory import Memory
from lineage_kit.engines.index.sort import Parts, as_shown, by_ranges, chunks, count_starts, distinct_floats, in_pieces
from lineage_kit.engines.integer_arrays import Ints
from lineage_kit.engines.trust import TRUST, UNTRUSTED, qualities
from lineage_kit.errors import LineageKitError
from lineage_kit.schema import RELATIONS, ROW, SUPERSEDES, WALKED

BATCH = 1 << 17
STORED = {"class": "edge_class"} | {name: name for name in ("target", "kind", "confidence", *TIMES)}
"""What becomes of the columns of the scratch files in the records of edges."""
BAD_VALUE = "bad value"
"""The column that says of a row that it holds what cannot be shown; no column of a source may be called so."""
CODED = f"""
select
    edges.{ROW} as row, source.rowid as source, target.rowid as target, kinds.code as kind, classes.code as class,
    edges.confidence, edges.created_at, edges.valid_at, edges.invalid_at, edges.expired_at
from edges
join nodes as source on {{source}}
join nodes as target on {{target}}
join kinds on kinds.text = edges.relation_kind
join classes on classes.text = edges.edge_class
"""
HASH = "hash({type}, {id})"
BY_TEXT = "{end}.type = edges.{end}_type and {end}.id = edges.{end}_id"


@dataclass
class Counted:
    """What a build found, for the manifest."""

    nodes: int = 0
    edges: int = 0
    rejected: int = 0
    kinds: list[str] = field(default_factory=list)
    kind_counts: list[int] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


class Build:
    """One build of one relations table into one folder; `steps` are run in order.

    1. `nodes`: every distinct (type, id) in order; its place is its code. Bad rows show here.
    2. `edges`: every edge with the codes of its ends, by row, into scratch files.
    3. `by_source`, `by_target`: the two orders, and every column in the first of them.
    4. `texts`: the ids of the nodes.  5. `own`: the columns of the user's own, in the order by source.
    """

    def __init__(
        self,
        relations: Table,
        connection: duckdb.DuckDBPyConnection,
        folder: Path,
        scratch: Path,
        memory: Memory,
        *,
        strict: bool,
        items: Table | None = None,
    ) -> None:
        self.relations = relations
        self.items = items
        self.connection = connection
        self.folder = folder
        self.scratch = scratch
        self.memory = memory
        self.strict = strict
        self.counted = Counted()
        self.ends: Array | None = None
        self._rows = 0

    @property
    def steps(self) -> tuple[tuple[str, Callable[[], None]], ...]:
        """The steps, each with what it is called on the progress bar."""
        return (
            ("finding the nodes", self.nodes),
            ("coding the edges", self.edges),
            ("sorting by source", self.by_source),
            ("sorting by target", self.by_target),
            ("writing the names", self.texts),
            ("writing other columns", self.own),
        )

    # ---- nodes and edges, in DuckDB

    def nodes(self) -> None:
        """The tables `nodes`, `kinds` and `classes`; without the bad rows, which are refused or written apart."""
        self._read(self.relations)
        if self._bad():
            if self.strict:
                self.relations.refuse()
            rejected = self.relations.rejected()
            rejected.write_parquet(self.folder / "rejected.parquet")
            self.counted.rejected = rejected.height
            self._read(self.relations.good())
        found, sql = self.counted, self.connection.sql
        found.nodes, hashes = sql("select count(*), count(distinct hash) from nodes").fetchall()[0]
        by_hash = "{end}.hash = " + HASH.format(type="edges.{end}_type", id="edges.{end}_id")
        self._match = by_hash if hashes == found.nodes else BY_TEXT
        found.edges, last = sql("select coalesce(sum(edges), 0)::bigint, max(last) from texts").fetchall()[0]
        self._rows = 0 if last is None else last + 1
        for name, column in (("kinds", "relation_kind"), ("classes", "edge_class")):
            self.connection.execute(
                f"create or replace table {name} as select {column} as text, "
                f"row_number() over (order by {column}) - 1 as code, sum(edges)::bigint as edges "
                f"from texts group by {column} order by {column}"
            )
        found.kinds, found.kind_counts = _columns(sql("select text, edges from kinds order by text"))
        (found.classes,) = _columns(sql("select text from classes order by text"))

    def _read(self, table: Table) -> None:
        execute = self.connection.execute
        native = table.frame.with_columns(table.bad_values().alias(BAD_VALUE)).to_native()
        if not isinstance(native, duckdb.DuckDBPyRelation):
            core = native.select(*(column.name for column in RELATIONS), ROW, BAD_VALUE).collect()
            native = self.connection.from_arrow(core.to_arrow())
        native.create_view("edges", replace=True)
        execute("set preserve_insertion_order = true")  # so that the rowid of a node is its place
        execute(f"""
            create or replace table nodes as
            select type, id, count(*) as degree, {HASH.format(type="type", id="id")} as hash
            from (
                select source_type as type, source_id as id from edges
                union all
                select target_type, target_id from edges
            )
            group by type, id
            order by type, id
            """)
        execute("set preserve_insertion_order = false")
        execute(f"""
            create or replace table texts as
            select
                relation_kind, edge_class, count(*) as edges, max({ROW}) as last,
                coalesce(bool_or("{BAD_VALUE}"), false) as bad
            from edges group by relation_kind, edge_class
            """)

    def _bad(self) -> bool:
        """Whether any row lacks what it must have: then a node or a kind does."""
        bad = self.connection.sql("""
            select
                exists (from nodes where type is null or type = '' or id is null or id = '')
                or exists (from texts where relation_kind is null or bad)
            """).fetchall()
        return bool(bad[0][0])

    def edges(self) -> None:
        """Every edge, coded, into scratch files by row."""
        nodes, rows = self.counted.nodes, self._rows
        sizes = {"source": _uint(nodes), "target": _uint(nodes)}
        sizes |= {"kind": _uint(len(self.counted.kinds)), "class": _uint(len(self.counted.classes))}
        raw = {name: self._scratch(name, dtype, rows) for name, dtype in sizes.items()}
        if self.counted.edges < rows:
            raw["source"][:] = nodes  # rows that were set aside: no node has this code
        raw |= {"confidence": self._scratch("confidence", "<f8", rows)}
        raw |= {name: self._scratch(name, "<i8", rows) for name in TIMES}
        query = CODED.format(**{end: self._match.format(end=end) for end in ("source", "target")})
        seen, held = 0, set(sizes)
        for batch in self.connection.sql(query).to_arrow_reader(BATCH):
            row = batch.column("row").to_numpy()
            seen += row.size
            for name in sizes:
                raw[name][row] = batch.column(name).to_numpy()
            for name in ("confidence", *TIMES):
                column = batch.column(name)
                if name not in held and column.null_count < len(column):
                    held.add(name)
                    raw[name][:] = np.nan if name == "confidence" else NEVER
                if name in held:
                    raw[name][row] = _numbers(column)
            if resident_of_files() > self.memory.resident:
                release(raw.values())
        if seen != self.counted.edges:
            raise LineageKitError.source_changed(self.relations.name)
        self.raw = {name: array for name, array in raw.items() if name in held}
        self.connection.execute("drop table texts")

    def _scratch(self, name: str, dtype: str, size: int) -> Array:
        return columns.new(self.scratch / f"raw_{name}.npy", dtype, size)

    # ---- the two orders, in NumPy

    def by_source(self) -> None:
        """The order by source, walked kinds first, then supersedes, then as people are shown edges; their records."""
        found, raw = self.counted, self.raw
        part = _parts(found.kinds, WALKED, (SUPERSEDES,))
        trust = np.array([TRUST.get(text, UNTRUSTED) for text in found.classes], np.int64)
        levels = distinct_floats(raw["confidence"]) if "confidence" in raw else np.empty(0)
        columns.new(self.folder / "levels.npy", "<f8", levels.size)[:] = levels
        start, ends = self._starts("source", raw["source"], lambda at: part[raw["kind"][at]])
        self._save_ends("out_start", start, {"out_walked": ends[0], "out_superseding": ends[1]})
        fields = {column: raw[name].dtype.str for name, column in STORED.items() if name in raw}
        fields |= {"row": _uint(self._rows), "quality": _uint((UNTRUSTED + 1) * (levels.size + 1))}
        edges = self._new("edges", record(fields.items()))
        self.sources, self.targets, self.kind = (
            columns.new(self.scratch / f"sorted_{name}.npy", raw[name].dtype, found.edges)
            for name in ("source", "target", "kind")
        )

        def write(first: int, by_row: Ints) -> None:
            order = as_shown(by_row, raw, part)
            at = slice(first, first + order.size)
            for name, column in STORED.items():
                if name in raw:
                    edges[column][at] = raw[name][order]
            confidence = raw["confidence"][order] if levels.size else np.full(order.size, np.nan)
            edges["quality"][at] = qualities(trust[raw["class"][order]], confidence, levels)
            edges["row"][at] = order
            self.sources[at], self.targets[at], self.kind[at] = (
                raw["source"][order],
                edges["target"][at],
                edges["kind"][at],
            )

        with ThreadPoolExecutor(
            self.memory.threads
        ) as pool:  # NumPy lets go of the interpreter while it sorts and copies
            for first, order in by_ranges(raw["source"], start, lambda at: part[raw["kind"][at]], self.memory):
                list(pool.map(lambda piece: write(*piece), in_pieces(first, order, start)))
                release([edges, self.sources, self.targets, self.kind, *raw.values()])
        self.sorted_rows = edges["row"]
        self.raw = {}

    def by_target(self) -> None:
        """The order by target, replacements first, then walked kinds, then by place in the order by source."""
        found, kind = self.counted, self.kind
        part = _parts(found.kinds, (SUPERSEDES,), WALKED)
        start, ends = self._starts("target", self.targets, lambda at: part[kind[at]])
        self._save_ends("in_start", start, {"in_superseding": ends[0], "in_walked": ends[1]})
        into = self._new("into", record({"source": _uint(found.nodes), "edge": _uint(found.edges)}.items()))
        for first, order in by_ranges(self.targets, start, lambda at: part[kind[at]], self.memory):
            into["edge"][first : first + order.size] = order
            into["source"][first : first + order.size] = self.sources[order]
            release([into, self.sources])

    def _starts(self, end: str, codes: Array, part_of: Parts) -> tuple[Ints, tuple[Ints, Ints]]:
        """Where the edges of each node begin and its two parts end; in mapped files where memory is limited."""
        sizes = {"start": self.counted.nodes + 1, "first": self.counted.nodes, "second": self.counted.nodes}
        if self.memory.said is None:
            start, first, second = (np.empty(size, np.int64) for size in sizes.values())
        else:
            start, first, second = (self._scratch(f"{end}_{name}", "<i8", size) for name, size in sizes.items())
        count_starts(codes, part_of, start, (first, second), self.memory)
        return start, (first, second)

    def _new(self, name: str, dtype: np.dtype[np.void]) -> Array:
        return columns.new(self.folder / f"{name}.npy", dtype, self.counted.edges)

    def _save_ends(self, start: str, starts: Ints, parts: dict[str, Ints]) -> None:
        """Three of the fields of a node, once for the order by source and once for that by target."""
        ends = self.ends
        if ends is None:
            names = ("out_start", "out_walked", "out_superseding", "in_start", "in_superseding", "in_walked")
            layout = record((name, _uint(self.counted.edges)) for name in names)
            ends = self.ends = columns.new(self.folder / "ends.npy", layout, self.counted.nodes + 1)
        ends[start] = starts
        for name, part in parts.items():
            ends[name][:-1] = part
            ends[name][-1] = starts[-1]

    def _save(self, name: str, dtype: str, values: Array) -> None:
        np.save(self.folder / f"{name}.npy", values.astype(dtype))

    # ---- texts

    def texts(self) -> None:
        """The ids of the nodes end to end, where each begins, where each type begins; and a table for `find`."""
        found, sql, execute = self.counted, self.connection.sql, self.connection.execute
        found.types, sizes = _columns(sql("select type, count(*) from nodes group by type order by type"))
        self._save("type_start", "<u8", np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))]))
        execute("set preserve_insertion_order = true")
        length = sql("select coalesce(sum(strlen(id)), 0)::bigint from nodes").fetchall()[0][0]
        ids = (batch.column("id") for batch in sql("select id from nodes").to_arrow_reader(BATCH))
        columns.write_texts(self.folder, "id", ids, found.nodes, length)
        execute("copy (select type, id, degree from nodes) to $path", {"path": str(self.folder / "nodes.parquet")})
        self._labels()
        execute("set preserve_insertion_order = false")
        execute("drop table nodes")

    def _labels(self) -> None:
        """What the items call the nodes, end to end in the order of the nodes, and which of them have a label."""
        if self.items is None or "label" not in self.items.given:
            return
        native: Any = self.items.frame.select("type", "id", "label").to_native()
        if not isinstance(native, duckdb.DuckDBPyRelation):
            native = self.connection.from_arrow(native.collect().to_arrow())
        native.create_view("called", replace=True)
        execute, sql, found = self.connection.execute, self.connection.sql, self.counted
        execute(
            "create or replace table labels as select nodes.rowid as node, min(called.label) as label "
            "from nodes join called on called.type = nodes.type and called.id = nodes.id "
            "where called.label is not null group by nodes.rowid"
        )
        count, length = sql("select count(*), coalesce(sum(strlen(label)), 0)::bigint from labels").fetchall()[0]
        if count:
            ordered = sql(
                "select labels.label from nodes left join labels on labels.node = nodes.rowid order by nodes.rowid"
            )
            texts = (batch.column("label") for batch in ordered.to_arrow_reader(BATCH))
            columns.write_texts(self.folder, "label", texts, found.nodes, length, labelled=True)
        execute("drop table labels")

    def own(self) -> None:
        """The user's own columns in the order by source."""
        names = [name for name in self.relations.frame.collect_schema().names() if name not in CANONICAL]
        if not names:
            return
        frame = (self.relations.good() if self.counted.rejected else self.relations).frame.select(*names, ROW)
        native: Any = frame.to_native()
        rows, path = self.sorted_rows, self.folder / "own.arrow"
        if isinstance(native, pl.LazyFrame):
            columns.write_own_frame(path, native.collect().sort(ROW), np.ascontiguousarray(rows))
            return
        place = self._scratch("place", "<i8", self._rows)
        for at in chunks(rows.size, self.memory.chunk):
            place[rows[at]] = np.arange(at.start, at.stop)
        columns.write_own(path, native, place, rows.size, self.connection)


CANONICAL = frozenset({*(column.name for column in RELATIONS), ROW})


def _parts(kinds: list[str], first: Sequence[str], second: Sequence[str]) -> Ints:
    """By the code of a kind, the part of a node's stretch in which its edges lie."""
    return np.array([0 if kind in first else 1 if kind in second else 2 for kind in kinds], np.int64)


def _columns(relation: duckdb.DuckDBPyRelation) -> tuple[list[Any], ...]:
    rows = relation.fetchall()
    return tuple([row[place] for row in rows] for place in range(len(relation.columns)))


def _numbers(column: pa.Array) -> Array:
    """A column of numbers or times as floats with NaN, or as integers with `NEVER`, for null."""
    if pa.types.is_floating(column.type):
        floats: Array = column.to_numpy(zero_copy_only=False)
        return floats
    whole = column.cast(pa.timestamp("us", column.type.tz)).view(pa.int64()).fill_null(NEVER)
    integers: Array = whole.to_numpy()
    return integers


def _uint(most: int) -> str:
    """The smallest unsigned type that holds numbers up to and including `most`."""
    return str(np.min_scalar_type(most).newbyteorder("<").str)
