"""What a lineage explorer is asked: which way round, when, the ways to a node, two moments, and what is supposed."""

import json
from datetime import UTC, datetime

import polars as pl
import pytest
import traitlets

from lineage_kit import InvalidRequest, LineageExplorer, Node, RelationStore
from lineage_kit.engines.protocol import Moment
from support.small import edge
from support.sources import frame

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"
BETWEEN = datetime(2026, 2, 1, tzinfo=UTC)
EDGES = [
    edge("d1", "e1"),
    edge("d1", "e2"),
    edge("e1", "e3", "derives_from"),
    edge("e2", "e3", "derives_from"),
    edge("e2", "e4", "derives_from"),
    edge("d2", "e3"),
]


def node(id):
    return Node("decision", id)


def explorer(id="d1", **more):
    return LineageExplorer(RelationStore.open(frame(EDGES)), *node(id), **more)


def flags(explorer):
    return {each["id"]: each["flags"] for each in explorer.picture.drawing["nodes"]}


def ids(explorer):
    return sorted(flags(explorer))


def select(explorer, id):
    explorer.selected = node(id)


def test_the_switch_turns_the_question_round():
    found = explorer("e3")
    assert ids(found) == ["e3"]
    found._asking.question.value = "impact"
    assert found.question == "impact"
    assert ids(found) == ["d1", "d2", "e1", "e2", "e3"]
    assert found.trace == RelationStore.open(frame(EDGES)).impact(*node("e3"))
    assert repr(found).startswith("LineageExplorer(impact of decision e3: 4 dependents")
    found.question = "lineage"
    assert found._asking.question.value == "lineage"
    assert ids(found) == ["e3"]


def test_both_clocks_are_typed_and_what_cannot_be_read_is_said_in_place():
    found = explorer()
    controls = found._asking
    controls.as_of.value = LATE
    controls.known_at.value = f" {EARLY} "
    assert (found.trace.as_of, found.trace.known_at) == Moment(found.as_of, found.known_at)
    assert (found.state["as_of"], found.state["known_at"]) == (LATE, EARLY)
    before = found.trace
    controls.as_of.value = "2026-13-01 <b>"
    assert "as_of=&#x27;2026-13-01 &lt;b&gt;&#x27; is not an ISO 8601 time" in controls.wrong.value
    assert found.trace is before
    controls.as_of.value = ""
    assert controls.wrong.value == ""
    assert found.as_of is None


def test_only_the_ways_to_the_selected_node_and_back():
    found = explorer()
    assert found._asking.ways.disabled
    select(found, "e3")
    assert found._asking.ways.description == "only the ways to decision e3"
    found._asking.ways.click()
    assert found.ways_to == node("e3")
    assert ids(found) == ["d1", "e1", "e2", "e3"]
    drawn = found.picture.drawing
    assert len(drawn["edges"]) == found.trace.routes(*node("e3")).height == 4
    assert drawn["title"] == "The ways from decision d1 to decision e3"
    assert found.selected == node("e3")
    found._asking.ways.click()
    assert (found.ways_to, ids(found)) == (None, ["d1", "e1", "e2", "e3", "e4"])


def test_ways_in_an_impact():
    found = explorer("e3", question="impact", ways_to=node("d1"))
    assert ids(found) == ["d1", "e1", "e2", "e3"]
    assert found.picture.drawing["kind"] == "impact"


def test_ways_are_left_with_the_item_and_an_absent_node_is_said_to_be():
    found = explorer(ways_to=node("e3"))
    found.anchor = node("d2")
    assert (found.ways_to, ids(found)) == (None, ["d2", "e3"])
    found.ways_to = node("e4")
    assert "&#x27;decision&#x27; &#x27;e4&#x27; is not in the lineage" in found._controls.message.value
    assert (found.trace, ids(found)) == (None, [])


def test_a_node_is_supposed_to_be_withdrawn_and_no_longer():
    store = RelationStore.open(frame(EDGES))
    real = store.trace_lineage(*node("d1"))
    found = LineageExplorer(store, *node("d1"), as_of=LATE)
    select(found, "e4")
    found._asking.withdraw.click()
    assert found.withdrawn == (node("e4"),)
    assert (found._asking.withdrawn_at.value, found._asking.compare.value) == (LATE, "supposed")
    assert flags(found)["e4"] == ["invalidated", "worse"]
    assert found.trace == store.what_if(LATE, withdraw=[node("e4")]).trace_lineage(*node("d1"), as_of=LATE)
    assert found.diff.nodes.filter("worse")["id"].to_list() == ["e4"]
    assert "WORSE" in found._asking.changes.value
    head, line = found._asking.supposed.children
    assert head.value == f"SUPPOSED to be withdrawn at {LATE}; the data does not say so:"
    assert "SUPPOSED: 1 item withdrawn" in repr(found)
    assert "SUPPOSED: decision e4 withdrawn" in found.to_html()
    line.children[0].click()
    assert (found.withdrawn, found.withdrawn_at, found.compared, found.diff) == ((), None, None, None)
    assert found._asking.supposed.children == ()
    assert store.trace_lineage(*node("d1")) == real


def test_the_time_of_a_withdrawal_can_be_moved_and_now_is_said():
    found = explorer()
    select(found, "e4")
    found._asking.withdraw.click()
    assert found._asking.withdrawn_at.value.endswith("Z")
    found._asking.withdrawn_at.value = EARLY
    assert found.state["withdrawn_at"] == EARLY
    found._asking.withdrawn_at.value = ""
    assert "withdrawn_at is missing" in found._controls.message.value
    assert found.trace is None


def test_a_withdrawal_after_the_moment_that_is_looked_at_is_said_to_flag_nothing():
    found = explorer(withdrawn=[node("e4")], withdrawn_at=LATE, as_of=EARLY, compared="supposed")
    assert found.diff.nodes.is_empty()
    assert "flags nothing there" in found._asking.supposed.children[0].value


def test_the_page_and_the_report_that_are_saved_say_what_is_supposed(monkeypatch):
    found = explorer(withdrawn=[node("e4")], withdrawn_at=LATE)
    told = []
    monkeypatch.setattr(found.picture, "send", lambda message, buffers=None: told.append((message["name"], buffers)))
    for compared in (None, "supposed"):
        found.compared = compared
        for button in found._controls.head.children[3:]:
            if button.description in ("HTML", "Report"):
                button.click()
    assert [name for name, _ in told] == ["lineage.html", "lineage-report.html"] * 2
    assert all(b"SUPPOSED: decision e4 withdrawn" in buffers[0] for _, buffers in told)


def test_two_moments_are_one_picture_with_what_came_and_went():
    edges = [*EDGES[:3], edge("d1", "e5", created_at=BETWEEN)]
    found = LineageExplorer(RelationStore.open(frame(edges)), *node("d1"))
    found._asking.before[0].value = EARLY
    assert found.compared is None
    found._asking.compare.value = "moment"
    assert found.compared == Moment(found.diff.before.as_of, None)
    assert found.diff.before.as_of.isoformat() == "2026-01-01T00:00:00+00:00"
    assert "added" in flags(found)["e5"]
    assert "decision e5" in found._asking.changes.value
    found.as_of, found.compared = EARLY, (None, None)
    assert "removed" in flags(found)["e5"]
    found._asking.before[1].value = "yesterday"
    assert "before: known_at=&#x27;yesterday&#x27; is not" in found._asking.wrong.value
    found._asking.compare.value = ""
    assert (found.diff, found._asking.changes.value) == (None, "")


def test_what_is_gone_is_not_filtered_away():
    edges = [edge("d1", "e1"), edge("d1", "e5", "derives_from", created_at=BETWEEN)]
    found = LineageExplorer(RelationStore.open(frame(edges)), *node("d1"), as_of=EARLY, compared=(None, None))
    assert found.picture.shown["kinds"] == ["depends_on", "derives_from"]


def test_reopened_with_the_same_state_it_shows_the_same():
    asked = {
        "question": "impact",
        "known_at": LATE,
        "compared": (EARLY, None),
        "withdrawn": [node("d2")],
        "withdrawn_at": LATE,
        "ways_to": node("d1"),
        "selected": node("e1"),
        "max_depth": 3,
        "limit": 10,
    }
    found = explorer("e3", **asked)
    state = json.loads(json.dumps(found.state))
    again = LineageExplorer(RelationStore.open(frame(EDGES)), **state)
    assert again.state == state
    assert again.picture.drawing == found.picture.drawing
    assert again._asking.changes.value == found._asking.changes.value
    assert again.to_html() == found.to_html()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"question": "both"}, "question must be lineage or impact"),
        ({"known_at": "2026-01-01"}, "known_at.*zone"),
        ({"compared": "yesterday"}, "compared must be None, 'supposed' or a pair"),
        ({"withdrawn": "e1"}, "withdrawn must be a list of"),
        ({"withdrawn_at": 3}, "withdrawn_at must be a datetime"),
    ],
)
def test_what_it_cannot_ask_is_refused(wrong, said):
    with pytest.raises(InvalidRequest, match=said):
        explorer(**wrong)
    (name, value) = next(iter(wrong.items()))
    with pytest.raises(traitlets.TraitError):
        setattr(explorer(), name, value)


def test_an_item_that_is_not_there_cannot_be_withdrawn():
    found = explorer(withdrawn=[node("e99")], withdrawn_at=LATE)
    assert "no item decision e99 to withdraw" in found._controls.message.value
    assert (found.trace, found.frame.equals(pl.DataFrame())) == (None, True)


def test_every_control_has_a_name():
    asking = explorer()._asking
    fields = (asking.question, asking.as_of, asking.known_at, asking.withdrawn_at, asking.compare, *asking.before)
    assert all(field.description for field in fields)
    assert asking.ways.description
    assert asking.withdraw.description
