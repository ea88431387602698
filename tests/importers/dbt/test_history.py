"""The manifests of a project, in their order: when a relation began, when it was gone, when it came back."""

import json

from lineage_kit import read_dbt
from lineage_kit.importers.dbt.history import finer_than_micros


def manifest(at, parents, project="shop", **models):
    nodes = {
        f"model.shop.{name}": {"unique_id": f"model.shop.{name}", "resource_type": "model", "name": name, **more}
        for name, more in models.items()
    }
    nodes["model.shop.a"] = {
        "unique_id": "model.shop.a",
        "resource_type": "model",
        "name": "a",
        "depends_on": {"nodes": parents},
    }
    return {"metadata": {"generated_at": at, "project_name": project}, "nodes": nodes}


def read(folder, *manifests):
    for number, one in enumerate(manifests):
        (folder / f"{9 - number}.json").write_text(json.dumps(one))
    return read_dbt(folder, progress=False)


def rows(imported, target="model.shop.b"):
    found = imported.relations.filter(target_id=target).select("created_at", "invalid_at", "invalid_reason").collect()
    return [
        tuple(one if one is None or isinstance(one, str) else one.strftime("%m") for one in row) for row in found.rows()
    ]


def test_a_relation_that_was_gone_and_came_back_has_two_lives(tmp_path):
    parents = ["model.shop.b"]
    imported = read(
        tmp_path,
        manifest("2026-01-01T00:00:00Z", parents, b={}),
        manifest("2026-02-01T00:00:00Z", [], b={}),
        manifest("2026-03-01T00:00:00Z", parents, b={}),
        manifest("2026-04-01T00:00:00Z", parents, b={}),
    )
    assert rows(imported) == [(None, "02", "removed"), ("03", None, None)]


def test_the_order_is_that_of_nine_digits(tmp_path):
    imported = read(
        tmp_path,
        manifest("2026-01-01T00:00:00.123456789Z", ["model.shop.b"], b={}),
        manifest("2026-01-01T00:00:00.123456788Z", [], b={}),
    )
    assert rows(imported) == [("01", None, None)]
    assert finer_than_micros("2026-01-01T00:00:00.1234567Z") == "700"


def test_projects_have_their_own_histories(tmp_path):
    imported = read(
        tmp_path,
        manifest("2026-01-01T00:00:00Z", ["model.shop.b"], b={}),
        manifest("2026-02-01T00:00:00Z", [], project="other", b={}),
    )
    assert rows(imported) == [(None, None, None)]


def test_versions_supersede_up_to_the_latest(tmp_path):
    def version(number, **more):
        return {"package_name": "shop", "name": "m", "version": number, "latest_version": 10, **more}

    imported = read(
        tmp_path,
        manifest(
            "2026-01-01T00:00:00Z",
            [],
            v9=version(9),
            v10=version("10"),
            v2=version(2),
            v11=version(11),
            beta=version("b"),
        ),
    )
    found = imported.relations.filter(relation_kind="supersedes").select("source_id", "target_id").collect().rows()
    assert found == [("model.shop.v10", "model.shop.v9"), ("model.shop.v9", "model.shop.v2")]


def test_an_end_without_a_zone_is_an_end_all_the_same(tmp_path):
    imported = read(
        tmp_path,
        manifest("2026-01-01T00:00:00Z", ["model.shop.b"], b={"deprecation_date": "2026-05-01T12:00:00"}),
    )
    [row] = imported.relations.select("invalid_at", "invalid_reason").collect().rows()
    assert (row[0].year, row[1]) == (1970, "deprecated")
    assert dict(imported.report.select("kind", "count").rows()) == {"naive_time": 1, "untimed_invalidation": 1}
