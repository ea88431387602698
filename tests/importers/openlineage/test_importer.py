"""Runs in whatever order, names folded, datasets that are dropped and written anew: life by life."""

import itertools
import json

import pytest

from lineage_kit import read_openlineage


def dataset(name, namespace="s", **facets):
    return {"namespace": namespace, "name": name, "facets": facets}


def event(run, type, at, inputs=(), outputs=(), job="j", **more):
    return {
        "run": {"runId": run, "facets": more},
        "job": {"namespace": "s", "name": job},
        "eventType": type,
        "eventTime": f"2026-01-01T{at}:00Z",
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def read(folder, *events):
    (folder / "e.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))
    return read_openlineage(folder / "e.jsonl", progress=False)


def lives(imported, source, target):
    rows = imported.relations.filter(source_id=source, target_id=target).collect()
    moments = rows.select("created_at", "invalid_at").rows()
    times = [tuple(None if at is None else at.strftime("%H:%M") for at in pair) for pair in moments]
    return [(*pair, *rest) for pair, rest in zip(times, rows.select("invalid_reason", "runs").rows(), strict=True)]


def kinds(imported):
    return dict(imported.report.select("kind", "count").rows())


def change(word, **more):
    return {"lifecycleStateChange": {"lifecycleStateChange": word, **more}}


def test_a_run_is_folded_in_any_order(tmp_path):
    events = [
        event("1", "START", "01:00", [dataset("a")]),
        event("1", "RUNNING", "01:10", [], [dataset("b")]),
        event("1", "COMPLETE", "01:20"),
        event("2", "START", "02:00", [dataset("a")], [dataset("b")]),
        event("2", "FAIL", "02:10"),
    ]
    for order in itertools.permutations(events):
        imported = read(tmp_path, *order)
        assert lives(imported, "s/b", "s/a") == [("01:20", None, None, 1)]
        assert kinds(imported) == {"failed_run": 1}


def test_a_life_ends_with_the_first_overwrite_after_it(tmp_path):
    """What was read while the overwriting run went on is of the new life."""
    imported = read(
        tmp_path,
        event("1", "COMPLETE", "01:00", [dataset("a")], [dataset("b")]),
        event("2", "START", "02:00", [dataset("c")], [dataset("b", **change("OVERWRITE"))]),
        event("2", "COMPLETE", "02:30"),
        event("3", "COMPLETE", "02:10", [dataset("a")], [dataset("b")], job="j"),
        event("4", "COMPLETE", "03:00", [dataset("b")], [dataset("d")], job="k"),
        event("5", "COMPLETE", "04:00", [], [dataset("b", **change("DROP"))], job="d"),
        event("6", "COMPLETE", "05:00", [dataset("b")], [dataset("d")], job="k"),
    )
    assert lives(imported, "s/b", "s/a") == [("01:00", "02:30", "overwritten", 1), ("02:10", "04:00", "dropped", 1)]
    assert lives(imported, "s/b", "s/c") == [("02:30", "04:00", "dropped", 1)]
    assert lives(imported, "s/d", "s/b") == [("03:00", "04:00", "dropped", 1), ("05:00", None, None, 1)]
    assert lives(imported, "s/k", "s/b") == [("03:00", "04:00", "dropped", 1), ("05:00", None, None, 1)]


def test_names_of_one_dataset_are_folded_before_all_else(tmp_path):
    other = {"identifiers": [{"namespace": "hive", "name": "db.t", "type": "TABLE"}]}
    imported = read(
        tmp_path,
        event("1", "COMPLETE", "01:00", [dataset("a")], [dataset("t", symlinks=other)]),
        event("2", "COMPLETE", "02:00", [dataset("db.t", "hive")], [dataset("u")]),
    )
    rows = imported.relations.filter(relation_kind="derives_from").select("source_id", "target_id").collect().rows()
    assert rows == [("hive/db.t", "s/a"), ("s/u", "hive/db.t")]
    assert imported.relations.filter(relation_kind="alias_of").select("source_id", "target_id").collect().rows() == [
        ("s/t", "hive/db.t")
    ]
    assert kinds(imported) == {"folded_alias": 1}
    labels = dict(imported.items.select("id", "label").collect().rows())
    assert (labels["hive/db.t"], labels["s/t"]) == ("db.t", "t")


def test_columns_and_what_all_of_an_output_depends_on(tmp_path):
    def column(name, field, *types):
        listed = [{"type": type} for type in types]
        return {"namespace": "s", "name": name, "field": field, "transformations": listed}

    facet = {
        "fields": {"x": {"inputFields": [column("a", "p", "DIRECT"), column("a", "q", "INDIRECT"), column("a", "r")]}},
        "dataset": [column("a", "w", "INDIRECT")],
    }
    imported = read(tmp_path, event("1", "COMPLETE", "01:00", [dataset("a")], [dataset("b", columnLineage=facet)]))
    rows = imported.relations.filter(target_type="column").select("source_id", "relation_kind", "target_id")
    assert rows.collect().rows() == [
        ("s/b#x", "depends_on", "s/a#q"),
        ("s/b#x", "derives_from", "s/a#p"),
        ("s/b#x", "derives_from", "s/a#r"),
        ("s/b", "uses_column", "s/a#w"),
    ]


def test_one_run_id_of_two_jobs_is_two_runs(tmp_path):
    imported = read(
        tmp_path,
        event("1", "COMPLETE", "01:00", [dataset("a")], [dataset("b")], job="j"),
        event("1", "COMPLETE", "01:00", [dataset("b")], [dataset("c")], job="k"),
        event("1", "COMPLETE", "01:00", [dataset("b")], [dataset("c")], job="k"),
    )
    assert kinds(imported) == {"reused_run_id": 1, "duplicate_record": 1}
    assert lives(imported, "s/c", "s/b") == [("01:00", None, None, 1)]


def test_a_parent_makes_a_child_and_drops_no_one(tmp_path):
    parent = {"run": {"runId": "0"}, "job": {"namespace": "s", "name": "dag"}}
    imported = read(
        tmp_path,
        event("1", "COMPLETE", "01:00", [], [dataset("b")], parent=parent),
        event("2", "COMPLETE", "02:00", [], [dataset("b", **change("TRUNCATE"))], job="t"),
    )
    rows = imported.relations.select("source_id", "relation_kind", "target_id", "invalid_reason").collect().rows()
    assert rows == [("s/b", "produced_by", "s/j", "overwritten"), ("s/j", "child_of", "s/dag", None)]


@pytest.mark.parametrize("word", ["RENAME", "rename"])
def test_a_rename_supersedes(word, tmp_path):
    former = {"previousIdentifier": {"namespace": "s", "name": "old"}}
    imported = read(tmp_path, event("1", "COMPLETE", "01:00", [], [dataset("new", **change(word, **former))]))
    rows = imported.relations.filter(relation_kind="supersedes").select("source_id", "target_id").collect().rows()
    assert rows == [("s/new", "s/old")]


@pytest.mark.parametrize("shape", ["lines", "list", "page", "pretty"])
def test_events_in_every_shape(shape, tmp_path):
    events = [event("1", "START", "01:00", [dataset("a")]), event("1", "COMPLETE", "01:20", [], [dataset("b")])]
    text = {
        "lines": "\n".join(map(json.dumps, events)),
        "list": json.dumps(events),
        "page": json.dumps({"events": events, "totalCount": 2}),
        "pretty": json.dumps(events, indent=2),
    }[shape]
    (tmp_path / "e.json").write_text(text)
    assert lives(read_openlineage(tmp_path, progress=False), "s/b", "s/a") == [("01:20", None, None, 1)]
