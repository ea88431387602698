"""DuckDB's own answer to the walk: a recursive query with USING KEY, which keeps one row a node."""

from pathlib import Path

import duckdb

WALK = """
with recursive reached(type, id, depth) using key (type, id) as (
    select $type, $id, 0
    union
    select edges.target_type, edges.target_id, min(reached.depth) + 1
    from reached
    join edges on edges.source_type = reached.type and edges.source_id = reached.id
    where reached.depth < $depth
      and edges.relation_kind in ('depends_on', 'derives_from')
      and not exists (
        from recurring.reached as seen
        where seen.type = edges.target_type and seen.id = edges.target_id
      )
    group by edges.target_type, edges.target_id
)
select type, id from reached where depth > 0
"""


class RecursiveQuery:
    """The walked edges only: no replacements, no flags, no describing edge."""

    def __init__(self, path: Path, *, table: bool) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set preserve_insertion_order = false")
        file = str(path).replace("'", "''")
        if table:
            self.connection.execute(f"""
                create table edges as
                select source_type, source_id, target_type, target_id, relation_kind from read_parquet('{file}')
                where relation_kind in ('depends_on', 'derives_from')""")
        else:
            self.connection.execute(f"create view edges as select * from read_parquet('{file}')")

    def visited(self, type: str, id: str, depth: int) -> set[tuple[str, str]]:
        """The nodes within this many levels."""
        rows = self.connection.execute(WALK, {"type": type, "id": id, "depth": depth}).fetchall()
        return {(type, id) for type, id in rows}
