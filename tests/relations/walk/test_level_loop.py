"""One level, one read, whatever the width; long and wide graphs, and what they cost."""

import polars as pl
import pytest

from lineage_kit import RelationStore
from lineage_kit.engines.csr.reader import CsrReader
from lineage_kit.engines.frames.reader import FramesReader
from support.small import edge
from support.sources import frame, make_source

STATS = ["depth", "frontier", "edges_read", "new_nodes", "reads", "seconds"]


@pytest.fixture
def calls(monkeypatch):
    """The names of the reader's reads, as they are made."""
    made = []

    def counted(reader, name):
        real = getattr(reader, name)

        def read(self, *args, **kwargs):
            made.append(name)
            return real(self, *args, **kwargs)

        monkeypatch.setattr(reader, name, read)

    for reader in (FramesReader, CsrReader):
        for name in ("out", "into", "answer", "known"):
            counted(reader, name)
    return made


def chain(length, width=1, kind="depends_on"):
    """d1 -> a level -> a level …, each node of a level resting on one of the next."""
    edges = [edge("d1", f"0-{place}", kind) for place in range(width)]
    for level in range(length - 1):
        edges += [edge(f"{level}-{place}", f"{level + 1}-{place}", kind) for place in range(width)]
    return edges


OUT, INTO, ROWS = "out", "into", "answer"
ANCHOR = [INTO]  # is the anchor itself replaced?
LEVEL = [OUT, INTO]  # its premises, and that nothing replaces them


@pytest.mark.parametrize("kind", ["eager", "lazy", "parquet"])
@pytest.mark.parametrize("width", [1, 500])
@pytest.mark.parametrize(
    ("max_depth", "expected"),
    [
        pytest.param(5, ANCHOR + LEVEL * 3 + [OUT, ROWS], id="ends: one read finds nothing more"),
        pytest.param(4, ANCHOR + LEVEL * 3 + [OUT, ROWS], id="ends at the last level: nothing to peek from"),
        pytest.param(3, ANCHOR + LEVEL * 3 + [OUT, ROWS], id="exactly deep enough: the peek finds nothing"),
        pytest.param(2, ANCHOR + LEVEL * 2 + [OUT, ROWS], id="cut: the peek finds more"),
    ],
)
def test_reads_follow_levels_not_nodes(kind, width, max_depth, expected, calls, tmp_path):
    store = RelationStore.open(make_source(kind, chain(3, width), tmp_path / "s"))
    trace = store.trace_lineage("decision", "d1", max_depth)
    assert calls == expected
    assert trace.nodes.height == width * min(max_depth, 3)
    assert trace.truncated == (max_depth == 2)
    assert trace.stats.columns == STATS
    assert trace.stats["reads"].sum() == len(expected) - 1  # all but the rows of the answer
    assert trace.stats["depth"].to_list() == list(range(trace.stats.height))


@pytest.mark.parametrize("width", [1, 500])
def test_each_hop_is_one_read_and_a_cut_one_peek(width, calls):
    edges = chain(1, width)
    for hop in range(3):
        edges += [edge(f"r{hop + 1}-{n}", f"r{hop}-{n}" if hop else f"0-{n}", "supersedes") for n in range(width)]
    RelationStore.open(frame(edges)).trace_lineage("decision", "d1")
    assert calls == [*ANCHOR, OUT, INTO, INTO, INTO, INTO, OUT, ROWS]  # three hops, and the empty one
    calls.clear()
    cut = RelationStore.open(frame(edges), supersede_limit=2).trace_lineage("decision", "d1")
    assert calls == [*ANCHOR, OUT, INTO, INTO, INTO, OUT, ROWS]  # two hops, and the peek past them
    assert cut.truncated_by == ("supersede_limit",)
    assert cut.frontier.height == width


def test_only_an_empty_trace_asks_whether_the_anchor_is_known(calls):
    store = RelationStore.open(frame([edge("d1", "a"), edge("x", "y", "cites"), edge("s", "s")]))
    assert not store.trace_lineage("decision", "nobody").anchor_known
    assert calls.count("known") == 1
    assert store.trace_lineage("decision", "x").anchor_known
    assert calls.count("known") == 2
    calls.clear()
    assert store.trace_lineage("decision", "d1").anchor_known
    assert "known" not in calls


def test_a_batch_reads_no_more_than_one_anchor(calls):
    store = RelationStore.open(frame(chain(3, 500)))
    store.trace_lineage("decision", "0-7")
    single = list(calls)
    calls.clear()
    anchors = pl.DataFrame({"type": "decision", "id": [f"0-{place}" for place in range(500)]})
    many = store.trace_lineage_many(anchors)
    assert calls == single
    assert many.nodes.height == 1_000


def test_rings_are_read_once_each_way(calls):
    store = RelationStore.open(frame(chain(6, 50)))
    store.reachability("decision", "0-0", direction="outgoing", max_depth=2)
    assert calls == [OUT, OUT, OUT, ROWS]  # two rings and the peek
    calls.clear()
    store.reachability("decision", "3-0", direction="both", max_depth=2)
    assert calls == [OUT, INTO] * 3 + [ROWS]


# --- long and wide ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_a_thousand_levels(kind, tmp_path):
    source = make_source(kind, chain(1_000), tmp_path / "s")
    trace = RelationStore.open(source, max_depth_limit=2_000).trace_lineage("decision", "d1", 999)
    assert trace.nodes["depth"].to_list() == list(range(1, 1_000))
    assert trace.nodes["id"].to_list() == [f"{level}-0" for level in range(999)]
    assert trace.truncated_by == ("max_depth",)
    assert trace.frontier.rows() == [("decision", "998-0", None)]
    assert "d1" in repr(trace)


def test_a_thousand_revisions():
    edges = [edge(f"r{n + 1}", f"r{n}", "supersedes") for n in range(1_000)]
    trace = RelationStore.open(frame(edges), supersede_limit=1_000).trace_lineage("decision", "r0")
    assert trace.nodes["hop"].to_list() == list(range(1, 1_001))
    assert set(trace.nodes["depth"]) == {0}
    assert not trace.truncated


@pytest.mark.parametrize("kind", ["eager", "parquet"])
def test_a_million_premises_of_one_node(kind, tmp_path):
    count = 1_000_000
    ids = pl.select(pl.format("p{}", pl.int_range(count).cast(pl.String).str.zfill(7))).to_series()
    wide = pl.DataFrame({**edge("d1", "?"), "target_id": ids.reverse()})
    trace = RelationStore.open(make_source(kind, wide, tmp_path / "s")).trace_lineage("decision", "d1")
    assert trace.nodes["id"].equals(ids)
    assert trace.edges["edge"].equals(pl.int_range(count - 1, -1, -1, eager=True))
    assert trace.nodes["depth"].unique().to_list() == [1]
    assert not trace.nodes["outdated_support"].any()
    assert not trace.truncated
