"""One value says how a table is read."""

import pytest

from lineage_kit.door.table_spec import TableSpec

FULL = TableSpec.of({"from": "source_id"}, {"BASED_ON": "depends_on"}, "decision", "evidence", strict=False)


def test_what_is_not_given_is_empty():
    assert TableSpec.of() == TableSpec.of({}, {}) == TableSpec()
    assert TableSpec().given == ()
    assert TableSpec().constants == {}


def test_what_is_given_is_told_by_name():
    assert FULL.given == ("columns", "kinds", "source_type", "target_type")
    assert FULL.constants == {"source_type": "decision", "target_type": "evidence"}


@pytest.mark.parametrize("spec", [TableSpec(), FULL])
def test_a_manifest_gives_it_back(spec):
    assert TableSpec.from_json(spec.json()) == spec


@pytest.mark.parametrize("change", [{"columns": None}, {"kinds": []}, {"more": 1}])
def test_another_shape_is_an_error(change):
    with pytest.raises(TypeError):
        TableSpec.from_json({**FULL.json(), **change})
