"""A node has one code at either end of an edge and alone, hashed or from a dictionary, in Polars and in DuckDB."""

import narwhals as nw
import polars as pl
import pytest

from lineage_kit.duckdb_connection import own_connection, stored
from lineage_kit.engines.endpoints import endpoints
from lineage_kit.engines.frames.backends import DuckdbBackend, PolarsBackend
from lineage_kit.engines.frames.node_codes import SOURCE, TARGET, ExactCoder, HashCoder
from support.small import edge
from support.sources import frame

EDGES = frame([edge("d1", "a"), edge("a", "b"), edge("b", "d1"), edge("a", "a")]).with_row_index("edge")


def in_backend(name):
    if name == "polars":
        return PolarsBackend(), nw.from_native(EDGES.lazy())
    connection = own_connection()
    return DuckdbBackend(connection), nw.from_native(stored(EDGES, connection))


@pytest.mark.parametrize("place", ["polars", "duckdb"])
@pytest.mark.parametrize("coder_of", [lambda backend, edges: HashCoder(backend), ExactCoder], ids=["hash", "exact"])
def test_codes_of_ends_are_those_of_the_nodes(place, coder_of):
    backend, edges = in_backend(place)
    coder = coder_of(backend, edges)
    coded = backend.collect(coder.ends(edges)).sort("edge")
    for side, column in zip(endpoints(EDGES), (SOURCE, TARGET), strict=True):
        assert coded[column].to_list() == coder.of(side).tolist()
    nodes = pl.DataFrame({"type": "decision", "id": ["d1", "a", "b", "nobody"]})
    assert len(set(coder.of(nodes).tolist())) == 4
