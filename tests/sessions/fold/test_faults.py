"""Which violation is the first, of a log and of each rule."""

import numpy as np

from lineage_kit.sessions.fold.faults import Fault, Faults


def test_the_first_of_each_rule_and_of_the_log_by_position():
    faults = Faults(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 0]), {1: Fault(0, None, "shape", "x", "y")})
    faults.add(np.array([], np.int64), "empty", "none", "none")
    faults.add(np.array([1, 2]), "late", str, "one")
    faults.add(np.array([0]), "early", "zero", "one")
    faults.add(np.array([2, 3]), "late", str, "one")
    assert {log: fault.rule for log, fault in faults.first.items()} == {0: "early", 1: "shape"}
    every = faults.every()
    assert [(fault.position, fault.rule, fault.found) for fault in every[0]] == [(0, "early", "zero"), (1, "late", "1")]
    assert [fault.rule for fault in every[1]] == ["shape"]


def test_a_violation_names_the_position_where_there_is_no_seq():
    assert Fault(3, None, "rule", "this", "that").message == "position 3: rule; found this, expected that"
