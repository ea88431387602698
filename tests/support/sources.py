"""The same edges as every kind of source that a store opens."""

import duckdb
import polars as pl

from lineage_kit.schema import RELATIONS

REQUIRED = list(RELATIONS.names[:5])
SCHEMA = RELATIONS.polars


def frame(edges, columns=tuple(SCHEMA)):
    """Edge dicts as a Polars frame of canonical dtypes; what a dict lacks is null."""
    rows = [{column: edge.get(column) for column in columns} for edge in edges]
    return pl.DataFrame(rows, schema={column: SCHEMA[column] for column in columns}, orient="row")


def parts(whole):
    """A frame in three pieces, the middle one empty, so that row numbers must be counted on across it."""
    half = whole.height // 2
    return [whole[:half], whole[half:half], whole[half:]]


def eager(whole, folder):
    return whole


def lazy(whole, folder):
    return whole.lazy()


def parquet(whole, folder):
    path = folder / "edges.parquet"
    whole.write_parquet(path)
    return path


def parquet_glob(whole, folder):
    for number, part in enumerate(parts(whole)):
        part.write_parquet(folder / f"part-{number}.parquet")
    return str(folder / "part-*.parquet")


def parquet_list(whole, folder):
    parquet_glob(whole, folder)
    return sorted(folder.glob("part-*.parquet"))


def duckdb_relation(whole, folder):
    connection = duckdb.connect()
    connection.register("edges", whole.to_arrow())
    return connection.table("edges")


def pandas(whole, folder):
    return whole.to_pandas()


def pyarrow(whole, folder):
    return whole.to_arrow()


def mixed(whole, folder):
    first, _, last = parts(whole)
    return [parquet(first, folder), last]


KINDS = {
    make.__name__: make
    for make in (eager, lazy, parquet, parquet_glob, parquet_list, duckdb_relation, pandas, pyarrow, mixed)
}


def make_source(kind, edges, folder):
    """The edges as a source of that kind; whatever must be written goes into a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return KINDS[kind](edges if isinstance(edges, pl.DataFrame) else frame(edges), folder)
