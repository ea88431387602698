"""Contracts of one's own."""

from lineage_kit import SurfaceContract
from support.session_small import code_of, live, log, said, summary


def test_a_contract_with_types_of_ones_own():
    events = [{"seq": 0, "type": "note", "surfaceOp": "append"}, {"seq": 1, "type": "user/message"}]
    own = live(log("s1", events), contract=SurfaceContract(surface_types=["note"]))
    assert own.events("s1")["surface"].to_list() == ["current", "log-only"]
    assert code_of(live(log("s1", events)).events, "s1") == "INVALID_SURFACE"
    assert code_of(live(log("s1"), contract=SurfaceContract(surface_types=[])).events, "s1") == "INVALID_SURFACE"


def test_a_contract_without_the_rewrite_rule():
    events = [said(0), said(1), summary(2, 0, 1, [0, 1]) | {"type": "tool/result"}]
    assert code_of(live(log("s1", events)).events, "s1") == "INVALID_SURFACE"
    free = live(log("s1", events), contract=SurfaceContract(tool_result_rewrite=False))
    assert free.surface("s1")["seq"].to_list() == [2]
