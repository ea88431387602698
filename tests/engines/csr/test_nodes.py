"""Names of nodes by number, and numbers by name."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_kit.engines.csr import nodes
from lineage_kit.engines.csr.nodes import Nodes


@given(st.sets(st.tuples(st.sampled_from(["a", "b", "\u00e9", "\U0001f600"]), st.text(max_size=3)), max_size=12))
def test_nodes_are_found_one_by_one_and_all_at_once(held):
    held = sorted(node for node in held if node[1])
    asked = [*held, ("a", "not there"), ("z", "1"), ("b", ""), ("\uffff", "x")]
    expected = [held.index(node) if node in held else -1 - sum(one < node for one in held) for node in asked]
    schema = {"type": pl.String, "id": pl.String}
    table = Nodes.of(pl.DataFrame(held, schema=schema, orient="row"))
    for few in (0, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nodes, "FEW", few)
            assert table.find(pl.DataFrame(asked, schema=schema, orient="row")).tolist() == expected
    names = table.names(np.arange(len(held)))
    assert list(zip(names.type, names.id, strict=True)) == held
