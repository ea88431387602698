"""An event trace as a graph."""

from lineage_kit import MemorySessions, SessionCorpus, SessionLog
from lineage_kit.view.generic import graph_data
from lineage_kit.view.graph.data import SHOWN


def corpus(*logs):
    return SessionCorpus(live=MemorySessions([SessionLog.from_records(header, events) for header, events in logs]))


def names(drawing):
    return {node["number"]: node["id"] for node in drawing.data["nodes"]}


def test_an_event_between_what_it_replaced_and_what_cites_it():
    message = {"type": "user/message", "surfaceOp": "append"}
    log = ({"id": "s"}, [
        {"seq": 0, **message}, {"seq": 1, **message},
        {"seq": 2, "type": "user/message", "surfaceOp": {"op": "replace", "start": 0, "end": 1},
         "sourceEventSeqs": [0, 1]},
        {"seq": 3, "type": "user/message", "surfaceOp": "append", "sourceEventSeqs": [2]},
        {"seq": 4, "type": "user/message", "surfaceOp": {"op": "replace", "start": 2, "end": 2},
         "sourceEventSeqs": [2]},
    ])  # fmt: skip
    data = graph_data(corpus(log).trace_event("s", 2), SHOWN).data
    shown = names(graph_data(corpus(log).trace_event("s", 2), SHOWN))
    assert {(shown[each["source"]], each["role"], shown[each["target"]]) for each in data["edges"]} == {
        ("s#2", "replacement", "s#0"), ("s#2", "replacement", "s#1"), ("s#2", "cites", "s#0"), ("s#2", "cites", "s#1"),
        ("s#4", "replacement", "s#2"), ("s#3", "cites", "s#2"), ("s#4", "cites", "s#2"),
    }  # fmt: skip
    assert {node["id"]: node["depth"] for node in data["nodes"]} == {"s#0": 0, "s#1": 0, "s#2": 1, "s#4": 2, "s#3": 2}
    assert data["nodes"][data["anchor"]]["flags"] == ["shadowed"]
