"""Where nodes stand in a graph."""

from hypothesis import given, settings

from lineage_kit import RelationStore
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph.layout import COLUMN, ROW, TALL, Placed, placed
from support.sources import frame
from support.strategies import graphs


@settings(deadline=None)
@given(graphs())
def test_no_two_nodes_stand_in_the_same_place(graph):
    edges, anchor = graph
    data = graph_data(RelationStore.open(frame(edges)).trace_lineage(*anchor), 3).data
    for level in data["levels"]:
        for arrangement in (level["few"], level["all"]):
            places = [*zip(arrangement["x"], arrangement["y"], strict=True)]
            places += [tuple(arrangement["more"])] if arrangement["more"] else []
            assert len(set(places)) == len(places)
            assert all(0 < x < arrangement["width"] for x, _ in places)
            left_out = level["total"] - len(arrangement["nodes"])
            assert (arrangement["more"] is None) == (left_out == 0)


def test_a_replacement_stands_beside_what_it_replaces():
    level = [Placed(0, 0, 0, -1, True), Placed(1, 0, 1, 0, True), Placed(2, 0, 1, 0, True), Placed(3, 0, 2, 1, True)]
    [only] = placed(level, [4])
    where = dict(zip(only["all"]["nodes"], zip(only["all"]["x"], only["all"]["y"], strict=True), strict=True))
    assert where[1] == (where[0][0] + COLUMN, where[0][1])
    assert where[3] == (where[1][0] + COLUMN, where[0][1])
    assert where[2] == (where[0][0] + COLUMN, where[0][1] + ROW)


def test_a_long_level_is_folded():
    [only] = placed([Placed(number, 0, 0, -1, True) for number in range(200)], [200])
    height = max(only["all"]["y"]) - min(only["all"]["y"])
    width = max(only["all"]["x"]) - min(only["all"]["x"])
    assert height + ROW >= TALL * ROW
    assert 0.5 < (width + COLUMN) / (height + ROW) < 2
