"""The benchmarks compare like with like: every peer visits what lineage_kit visits. Nothing here is timed."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from benchmarks import graphs
from benchmarks.graphs import WALKED, node, parquet, relations, some_sources
from benchmarks.lineage_kit_peer import Ours, index_folder, usable_index
from benchmarks.measure import timed_in_turn
from benchmarks.peers.igraph import Igraph
from benchmarks.results import Section, keep
from benchmarks.subprocess_peer import Apart
from benchmarks.walk_table import DEPTH, PEERS
from lineage_kit import RelationStore

EDGES = 3_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return parquet(EDGES, tmp_path_factory.mktemp("graphs"))


@pytest.fixture(scope="module")
def store():
    return RelationStore.open(relations(EDGES))


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_a_peer_visits_the_same_nodes(peer, path, store):
    one = peer()
    one.load(path)
    for anchor in some_sources(EDGES, 4).iter_rows():
        one.ask(*anchor)
        for depth in (1, 3, DEPTH):
            expected = store.reachability(*anchor, relation_kind=list(WALKED), max_depth=depth).nodes
            one.walk(depth)
            found = one.visited().select("type", "id")
            assert_frame_equal(found, expected.select("type", "id"), check_row_order=False)


def test_every_peer_has_a_name_of_its_own():
    assert len({peer.name for peer in PEERS}) == len(PEERS)


def test_igraph_visits_the_same_nodes_for_many_anchors(path):
    ours, igraph, anchors = Ours(), Igraph(), some_sources(EDGES, 50)
    ours.open(path)
    igraph.load(path)
    for one in (ours, igraph):
        one.ask_many(anchors)
    ours.reach_many(3)
    igraph.walk_many(3)
    assert_frame_equal(igraph.visited_many(), ours.visited(), check_row_order=False)
    touched = igraph.edges_touched_many(3)
    singly = 0
    for anchor in anchors.iter_rows():
        igraph.ask(*anchor)
        singly += igraph.edges_touched(3)
    assert touched == singly


def test_edges_touched_are_those_out_of_all_levels_but_the_last(path):
    igraph, store = Igraph(), RelationStore.open(path, kinds={"supersedes": "not followed"})
    igraph.load(path)
    anchor = some_sources(EDGES, 1).row(0)
    igraph.ask(*anchor)
    assert igraph.edges_touched(4) == store.trace_lineage(*anchor, 4).edges.height


def test_a_graph_is_the_same_as_frame_and_file_and_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(graphs, "CHUNK", 400)
    frame = relations(1_000)
    assert frame.height == 1_000
    assert_frame_equal(pl.read_parquet(parquet(1_000, tmp_path)), frame)
    assert_frame_equal(relations(1_000), frame)
    assert [chunk.height for chunk in graphs.chunks(1_000)] == [400, 400, 200]
    types = pl.concat([frame.select(type=f"{end}_type", id=f"{end}_id") for end in ("source", "target")]).unique()
    assert set(types.iter_rows()) <= {node(number) for number in range(300)}


def test_an_unusable_index_is_built_anew(path):
    folder = usable_index(path)
    assert folder == index_folder(path)
    (folder / "manifest.json").write_text("{}")
    assert RelationStore.open(usable_index(path)).index == folder


def test_a_process_of_its_own_answers_times_and_fails():
    with Apart(Ours) as ours:
        call = ours.call("nothing")
        assert (call.value, call.seconds >= 0, call.peak > 10_000_000) == (None, True, True)
        assert ours.seconds("nothing") >= 0
        with pytest.raises(RuntimeError, match="no such file or folder"):
            ours.call("open", "not there")


def test_long_things_take_part_in_a_few_rounds_only():
    asked = []

    def thing(name, seconds):
        return lambda: asked.append(name) or seconds

    things = {"quick": thing("quick", 1.0), "long": thing("long", 10.0)}
    assert timed_in_turn(things, 5) == {"quick": 1.0, "long": 10.0}
    assert (asked.count("quick"), asked.count("long")) == (5, 3)


def test_a_section_replaces_its_own_only(tmp_path):
    file = tmp_path / "results.md"
    for title, word in [("Sessions", "a"), ("The walk, 1,000 edges", "b"), ("The walk, 200 edges", "c")]:
        section = Section(title)
        section.table("Told", ("what", "seconds"), [(word, "1")])
        keep(section, file)
    again = Section("The walk, 1,000 edges")
    again.note("measured again")
    keep(again, file)
    text = file.read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## The walk, 200 edges", "## The walk, 1,000 edges", "## Sessions"]
    assert ("| a | 1 |" in text, "| b | 1 |" in text, "| c | 1 |" in text) == (True, False, True)
    assert text.count("measured again") == 1
    keep(again, file)
    assert file.read_text() == text
