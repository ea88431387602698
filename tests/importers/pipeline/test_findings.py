"""The report: what was found by file and kind, of a closed list."""

import pytest

from lineage_kit.importers.pipeline.findings import KINDS, Findings


def test_a_report_counts_by_file_and_kind_and_names_the_first_place():
    findings = Findings()
    findings.add("broken_parent", "b", 7, "u7")
    findings.add("broken_parent", "b", 3, "u3")
    findings.add("empty_file", "a")
    findings.add("rewind", "b", 5, "u5", count=0)
    rows = findings.frame().drop("meaning").rows()
    assert rows == [("a", "empty_file", None, 1, None), ("b", "broken_parent", 3, 2, "u3")]
    assert (findings.count("broken_parent"), findings.count("broken_parent", "a")) == (2, 0)


def test_the_kinds_are_a_closed_list():
    assert len(KINDS) == 34
    with pytest.raises(AssertionError):
        Findings().add("something else", "a")
