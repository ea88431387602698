"""PROV-JSON in its shapes: bundles, blank nodes, lists of records, typed values, several declarations."""

import json

import pytest

from lineage_kit import read_prov


def read(folder, *documents):
    for number, one in enumerate(documents):
        (folder / f"{number}.json").write_text(json.dumps(one))
    return read_prov(folder, progress=False)


def rows(imported, *more):
    return (
        imported.relations.select("source_type", "source_id", "relation_kind", "target_type", "target_id", *more)
        .collect()
        .rows()
    )


def test_prefixes_of_a_bundle_go_before_those_of_the_document(tmp_path):
    inner = {"prefix": {"ex": "http://b/"}, "used": {"_:1": {"prov:activity": "ex:a", "prov:entity": "d:e"}}}
    document = {"prefix": {"ex": "http://a/", "d": "http://d/"}, "bundle": {"ex:b": inner}}
    [row] = rows(read(tmp_path, document), "bundle")
    assert row == ("activity", "http://b/a", "depends_on", "entity", "http://d/e", "http://a/b")


def test_blank_nodes_are_of_their_file(tmp_path):
    one = {"used": {"_:1": {"prov:activity": "_:a", "prov:entity": "_:e"}}}
    assert [row[1] for row in rows(read(tmp_path, one, one))] == ["_:a@0.json", "_:a@1.json"]


def test_a_list_of_records_under_one_id_is_all_of_them(tmp_path):
    two = [{"prov:activity": "a", "prov:entity": "e"}, {"prov:activity": "a", "prov:entity": "f"}, 3]
    imported = read(tmp_path, {"used": {"_:1": two}})
    assert [row[4] for row in rows(imported)] == ["e", "f"]
    assert dict(imported.report.select("kind", "count").rows()) == {"bad_record": 1, "undeclared_endpoint": 4}


@pytest.mark.parametrize(
    "spelled", ["prov:Revision", {"$": "prov:Revision", "type": "xsd:QName"}, ["x", "prov:Revision"]]
)
def test_a_revision_supersedes_in_every_spelling(spelled, tmp_path):
    record = {"prov:generatedEntity": "new", "prov:usedEntity": "old", "prov:type": spelled}
    imported = read(tmp_path, {"wasDerivedFrom": {"_:1": record}})
    assert [row[2] for row in rows(imported)] == ["derives_from", "supersedes"]


def test_what_was_declared_as_several_is_what_its_role_asks_for(tmp_path):
    document = {
        "entity": {"x": {}},
        "agent": {"x": {"prov:label": [{"$": "Mara", "lang": "en"}]}},
        "wasAttributedTo": {"_:1": {"prov:entity": "x", "prov:agent": "x"}},
        "wasStartedBy": {"_:2": {"prov:activity": "x", "prov:starter": "x"}},
    }
    imported = read(tmp_path, document)
    assert rows(imported) == [
        ("entity", "x", "attributed_to", "agent", "x"),
        ("entity", "x", "started_by", "entity", "x"),
    ]
    assert imported.items.select("type", "label").collect().rows() == [("agent", "Mara"), ("entity", None)]


def test_of_several_invalidations_the_earliest_ends_the_entity(tmp_path):
    document = {
        "used": {"_:1": {"prov:activity": "a", "prov:entity": "e"}},
        "wasInvalidatedBy": {
            "_:2": {"prov:entity": "e", "prov:time": "2026-03-01T00:00:00Z"},
            "_:3": {"prov:entity": "e", "prov:time": "2026-02-01T00:00:00Z", "prov:activity": "b"},
        },
    }
    imported = read(tmp_path, document)
    ended = (
        imported.relations.filter(relation_kind="depends_on").select("invalid_at", "invalid_reason").collect().row(0)
    )
    assert (ended[0].month, ended[1]) == (2, "invalidated")
    assert [row[2] for row in rows(imported)] == ["depends_on", "invalidated_by"]


def test_what_this_version_does_not_know_is_counted(tmp_path):
    document = {"somethingElse": {}, "used": [], "entity": {"e": 1}, "prefix": {"a": 1}, "wasGeneratedBy": {"_:1": {}}}
    found = dict(read(tmp_path, document).report.select("kind", "count").rows())
    assert found == {"bad_record": 3, "missing_endpoint": 1, "unknown_record": 1}
