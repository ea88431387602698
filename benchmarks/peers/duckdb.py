"""DuckDB: recursive queries with USING KEY, which keep one row a node.

Tried on 10 million edges, depth 10, 13,148 nodes, two cores; milliseconds a query, and seconds to load:

    the Parquet file, read at every level                     16,200      0
    the Parquet file, read once into a materialized CTE        1,160      0
    text in the file's order                                   1,060    0.9   (one thread: 1,500)
    text, sorted by source                                       710    3.7   (one thread: 1,410)
    the same with an index (ART) on the source                   920    5.6   no query plan makes use of it
    text, one list of targets a source                           660   10
    types as an enum, sorted by source                           500    3.1
    numbers, sorted by source                                    180    4.8   (one thread: 370)
    the same with an index on the numbers                        220    5.9
    numbers, one list of targets a source                        146    5.4   (one thread: 220)

`not exists` or an anti join, a join by rowid, parameters or literals, a higher dynamic_or_filter_threshold: all within
the noise. Arrow is the fastest way out. Kept are the file, the text (the quickest from nothing to an answer) and the
lists (the quickest answers).
"""

from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from benchmarks.graphs import WALKED
from benchmarks.peers.peer import Peer

TEXT = """
with recursive {held}reached(type, id, depth) using key (type, id) as (
    select $type, $id, 0
    union
    select edges.target_type, edges.target_id, min(reached.depth) + 1
    from reached
    join {edges} as edges on edges.source_type = reached.type and edges.source_id = reached.id
    where reached.depth < $depth
      and not exists (
        from recurring.reached as seen
        where seen.type = edges.target_type and seen.id = edges.target_id
      )
    group by edges.target_type, edges.target_id
)
select type, id from reached where depth > 0
"""

LISTS = """
with recursive reached(number, depth) using key (number) as (
    select number, 0 from nodes where type = $type and id = $id
    union
    select found.target, min(found.depth) + 1
    from (
        select unnest(links.targets) as target, reached.depth
        from reached
        join links on links.source = reached.number
        where reached.depth < $depth
    ) as found
    where not exists (from recurring.reached as seen where seen.number = found.target)
    group by found.target
)
select type, id from reached join nodes using (number) where depth > 0
"""


def walked(file: str) -> str:
    """The edges to walk."""
    return f"""
        select source_type, source_id, target_type, target_id from read_parquet('{file}')
        where relation_kind in {WALKED}"""


class DuckdbFile(Peer):
    """Straight from the Parquet file, which a query reads once."""

    name = "DuckDB on the file"
    in_memory = False
    query = TEXT.format(held="held as materialized (from edges), ", edges="held")

    def load(self, path: Path) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set preserve_insertion_order = false; set enable_progress_bar = false")
        self._prepare(str(path).replace("'", "''"))

    def _prepare(self, file: str) -> None:
        self.connection.execute(f"create view edges as {walked(file)}")

    def ask(self, type: str, id: str) -> None:
        self.anchor = {"type": type, "id": id}

    def walk(self, depth: int) -> None:
        asked: dict[str, Any] = {**self.anchor, "depth": depth}
        self.found = self.connection.sql(self.query, params=asked).to_arrow_table()

    def visited(self) -> pl.DataFrame:
        return pl.DataFrame(self.found)


class DuckdbTable(DuckdbFile):
    """On a table of the walked edges, as they come."""

    name = "DuckDB on a table"
    in_memory = True
    query = TEXT.format(held="", edges="edges")

    def _prepare(self, file: str) -> None:
        self.connection.execute(f"create table edges as {walked(file)}")


class DuckdbLists(DuckdbTable):
    """On a table of numbered nodes and one of target lists; names go in and come out as before."""

    name = "DuckDB on lists of numbers"
    limit = 10_000_000
    query = LISTS

    def _prepare(self, file: str) -> None:
        super()._prepare(file)
        self.connection.execute("""
            create table nodes as
            select type, id, (row_number() over (order by id, type) - 1)::integer as number
            from (select source_type as type, source_id as id from edges union select target_type, target_id from edges)
            order by number""")
        self.connection.execute("""
            create table links as
            select a.number as source, list(b.number) as targets
            from edges
            join nodes as a on a.type = source_type and a.id = source_id
            join nodes as b on b.type = target_type and b.id = target_id
            group by a.number
            order by a.number""")
        self.connection.execute("drop table edges")
