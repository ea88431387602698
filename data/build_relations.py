"""Make the small sources of relations in `data/relations/`: the same shop, as six tools would know it.

The decision records in `relations/adr/` are written by hand. The others are made here from the facts below, so that
`make data` gives the same bytes again.
"""

import json
from pathlib import Path
from uuid import UUID

FOLDER = Path(__file__).parent / "relations"


def write(name: str, text: str) -> None:
    """One file, in UTF-8 with plain newlines."""
    (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


def as_json(value: object) -> str:
    """JSON as people read it."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def as_lines(values: list[dict[str, object]]) -> str:
    """JSON, one value a line."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def uuid(number: int) -> str:
    """An id that looks like those of the tools."""
    return str(UUID(int=(0x5108 << 112) | (4 << 76) | (2 << 62) | number))


# ---- dbt: three manifests of one project, and its latest run


def node(id: str, *parents: str, **more: object) -> dict[str, object]:
    """A node of a manifest."""
    type, package, name = id.split(".")[:3]
    depends = {"macros": [], "nodes": list(parents)}
    return {
        "unique_id": id,
        "resource_type": type,
        "name": name,
        "package_name": package,
        "depends_on": depends,
        **more,
    }


def manifest(day: str, nodes: list[dict[str, object]]) -> dict[str, object]:
    """A manifest as dbt writes it, as far as anybody reads it here."""
    sections: dict[str, dict[str, object]] = {"nodes": {}, "sources": {}, "exposures": {}}
    for one in nodes:
        section = {"source": "sources", "exposure": "exposures"}.get(str(one["resource_type"]), "nodes")
        sections[section][str(one["unique_id"])] = one
    schema = "https://schemas.getdbt.com/dbt/manifest/v12.json"
    head = {"dbt_schema_version": schema, "generated_at": f"{day}T05:00:00Z", "project_name": "shop"}
    parents = {str(one["unique_id"]): one["depends_on"]["nodes"] for one in nodes}  # type: ignore[index]
    return {"metadata": head, **sections, "parent_map": parents}


def version(number: int, *parents: str, **more: object) -> dict[str, object]:
    """A version of the model of the revenue."""
    return node(f"model.shop.fct_revenue.v{number}", *parents, version=number, latest_version=2, **more)


def dbt() -> None:
    """March: one version of the revenue. April: a second, and the first gets an end. May: the CRM is gone."""
    orders = [
        node("source.shop.orders_raw", relation_name="shop.raw.orders"),
        node("model.shop.orders", "source.shop.orders_raw", description="One row an order."),
    ]
    crm = [node("source.shop.crm", relation_name="shop.raw.crm"), node("model.shop.stg_crm", "source.shop.crm")]
    from_crm = node("model.shop.customers", "model.shop.stg_crm", description="One row a customer.")
    from_app = [node("source.shop.app"), node("model.shop.customers", "source.shop.app", "model.shop.orders")]
    mail = node("exposure.shop.churn_mail", "model.shop.customers", description="Mail to customers who left.")
    board = node("exposure.shop.revenue_board", "model.shop.fct_revenue.v1", description="The board of the revenue.")
    first = version(1, "model.shop.orders")
    ending = version(1, "model.shop.orders", deprecation_date="2026-06-30")
    second = version(2, "model.shop.orders", "model.shop.customers")
    write("dbt/2026-03.json", as_json(manifest("2026-03-02", [*orders, *crm, from_crm, first, mail, board])))
    write("dbt/2026-04.json", as_json(manifest("2026-04-06", [*orders, *crm, from_crm, ending, second, mail, board])))
    write("dbt/2026-05.json", as_json(manifest("2026-05-04", [*orders, *from_app, ending, second, mail, board])))
    results = [
        {"unique_id": f"model.shop.{name}", "status": status}
        for name, status in (
            ("orders", "success"),
            ("customers", "error"),
            ("fct_revenue.v1", "success"),
            ("fct_revenue.v2", "skipped"),
        )
    ]
    schema = "https://schemas.getdbt.com/dbt/run-results/v6.json"
    head = {"dbt_schema_version": schema, "generated_at": "2026-05-04T05:20:00Z"}
    write("dbt/run_results.json", as_json({"metadata": head, "results": results}))


# ---- OpenLineage: three nights of four jobs, and a table that is dropped


def dataset(name: str, **facets: object) -> dict[str, object]:
    """A dataset of an event."""
    return {"namespace": "shop", "name": name, **({"facets": facets} if facets else {})}


def column(dataset: str, field: str, way: str) -> dict[str, object]:
    """An input of a column."""
    return {"namespace": "shop", "name": dataset, "field": field, "transformations": [{"type": way}]}


def openlineage() -> None:
    """Orders are loaded and joined each night; on the third the raw orders are dropped, and a report fails."""
    revenue = {
        "fields": {
            "amount": {"inputFields": [column("orders", "amount", "DIRECT")]},
            "country": {"inputFields": [column("customers", "country", "DIRECT"), column("orders", "id", "INDIRECT")]},
        }
    }
    overwritten = {"lifecycleStateChange": "OVERWRITE"}
    jobs = [
        ("load_orders", [dataset("orders_raw")], [dataset("orders", lifecycleStateChange=overwritten)]),
        ("load_customers", [dataset("crm")], [dataset("customers")]),
        ("revenue", [dataset("orders"), dataset("customers")], [dataset("fct_revenue", columnLineage=revenue)]),
        ("board", [dataset("fct_revenue")], [dataset("revenue_board")]),
    ]
    events: list[dict[str, object]] = []
    number = 0

    def run(job: str, at: str, inputs: object, outputs: object, end: str = "COMPLETE") -> None:
        nonlocal number
        number += 1
        for type, minute in (("START", "00"), (end, "05")):
            events.append(
                {
                    "eventType": type,
                    "eventTime": f"{at}:{minute}:00Z",
                    "run": {"runId": uuid(number)},
                    "job": {"namespace": "shop", "name": job},
                    "inputs": inputs,
                    "outputs": outputs,
                    "producer": "https://example.org/shop",
                }
            )

    for day in (1, 2, 3):
        for hour, (job, inputs, outputs) in enumerate(jobs, 1):
            run(job, f"2026-05-0{day}T0{hour}", inputs, outputs)
    dropped = dataset("orders_raw", lifecycleStateChange={"lifecycleStateChange": "DROP"})
    run("clean_up", "2026-05-03T06", [], [dropped])
    run("fraud_report", "2026-05-03T07", [dataset("orders"), dataset("crm")], [dataset("fraud")], "FAIL")
    write("openlineage/events.jsonl", as_lines(events))


# ---- Graphiti: what an assistant has learned about the shop


def graphiti() -> None:
    """Two episodes; the second says that the retry limit has changed."""
    names = ("Tollgate", "retry limit", "Mara")
    entities = [
        {
            "uuid": uuid(100 + place),
            "name": name,
            "group_id": "shop",
            "labels": ["Entity"],
            "created_at": "2026-01-05T08:00:00Z",
            "summary": "",
        }
        for place, name in enumerate(names)
    ]
    episodes = [
        {
            "uuid": uuid(110),
            "name": "stand-up, January",
            "group_id": "shop",
            "created_at": "2026-01-06T09:00:00Z",
            "source": "message",
            "source_description": "stand-up",
            "valid_at": "2026-01-06T09:00:00Z",
            "content": "Mara: Tollgate retries three times.",
            "entity_edges": [uuid(120), uuid(122)],
        },
        {
            "uuid": uuid(111),
            "name": "stand-up, February",
            "group_id": "shop",
            "created_at": "2026-02-06T09:00:00Z",
            "source": "message",
            "source_description": "stand-up",
            "valid_at": "2026-02-06T09:00:00Z",
            "content": "Ops: the retry limit of Tollgate is five now.",
            "entity_edges": [uuid(121)],
        },
    ]
    fact = {"group_id": "shop", "reference_time": None}
    facts = [
        {
            **fact,
            "uuid": uuid(120),
            "source_node_uuid": uuid(100),
            "target_node_uuid": uuid(101),
            "name": "HAS_VALUE",
            "fact": "The retry limit of Tollgate is 3",
            "episodes": [uuid(110)],
            "created_at": "2026-01-06T09:00:02Z",
            "valid_at": "2026-01-06T09:00:00Z",
            "invalid_at": "2026-02-06T09:00:00Z",
            "expired_at": "2026-02-06T09:00:04Z",
        },
        {
            **fact,
            "uuid": uuid(121),
            "source_node_uuid": uuid(100),
            "target_node_uuid": uuid(101),
            "name": "HAS_VALUE",
            "fact": "The retry limit of Tollgate is 5",
            "episodes": [uuid(111)],
            "created_at": "2026-02-06T09:00:03Z",
            "valid_at": "2026-02-06T09:00:00Z",
            "invalid_at": None,
            "expired_at": None,
        },
        {
            **fact,
            "uuid": uuid(122),
            "source_node_uuid": uuid(102),
            "target_node_uuid": uuid(100),
            "name": "LOOKS_AFTER",
            "fact": "Mara looks after Tollgate",
            "episodes": [uuid(110)],
            "created_at": "2026-01-06T09:00:02Z",
            "valid_at": "2026-01-06T09:00:00Z",
            "invalid_at": None,
            "expired_at": None,
        },
    ]
    write("graphiti/memory.jsonl", as_lines([*entities, *episodes, *facts]))


# ---- PROV: how a figure came about


def prov() -> None:
    """A chart made of a table that was corrected; the first table was withdrawn."""
    document = {
        "prefix": {"shop": "https://example.org/shop/"},
        "entity": {
            "shop:sales": {"prov:label": "Sales of May"},
            "shop:sales-2": {"prov:label": "Sales of May, corrected"},
            "shop:chart": {"prov:label": "Chart of the board"},
        },
        "activity": {"shop:plotting": {}},
        "agent": {"shop:mara": {"prov:label": "Mara"}},
        "wasDerivedFrom": {
            "_:d1": {
                "prov:generatedEntity": "shop:sales-2",
                "prov:usedEntity": "shop:sales",
                "prov:type": {"$": "prov:Revision", "type": "xsd:QName"},
            },
        },
        "used": {
            "_:u1": {"prov:activity": "shop:plotting", "prov:entity": "shop:sales", "prov:time": "2026-05-20T10:00:00Z"}
        },
        "wasGeneratedBy": {
            "_:g1": {"prov:entity": "shop:chart", "prov:activity": "shop:plotting", "prov:time": "2026-05-20T10:01:00Z"}
        },
        "wasAssociatedWith": {"_:a1": {"prov:activity": "shop:plotting", "prov:agent": "shop:mara"}},
        "wasAttributedTo": {"_:t1": {"prov:entity": "shop:chart", "prov:agent": "shop:mara"}},
        "wasInvalidatedBy": {
            "_:i1": {"prov:entity": "shop:sales", "prov:activity": "shop:plotting", "prov:time": "2026-05-22T09:00:00Z"}
        },
    }
    write("prov/chart.json", as_json(document))


# ---- Smeldr: an export of its relations


def smeldr() -> None:
    """Three decisions and a goal: one decision was replaced, one relation was withdrawn."""
    when = "2026-02-02T09:15:00.123456789Z"

    def edge(number: int, source: str, kind: str, target: str, **more: object) -> dict[str, object]:
        types = ["Goal" if name.startswith("G") else "Decision" for name in (source, target)]
        return {
            "id": uuid(200 + number),
            "source_type": types[0],
            "source_id": source,
            "target_type": types[1],
            "target_id": target,
            "relation_kind": kind,
            "edge_class": "asserted",
            "created_at": when,
            "updated_at": when,
            "attributes": {},
            **more,
        }

    ended = {"cause": "withdrawn", "reason": "measured again", "actor_kind": "human", "actor_id": "mara"}
    edges = [
        edge(1, "D3", "depends_on", "D2", confidence=0.9),
        edge(2, "D2", "depends_on", "D1"),
        edge(3, "D4", "supersedes", "D2"),
        edge(4, "D3", "derives_from", "G1", invalid_at="2026-04-15T08:30:00Z", ended=ended),
    ]
    write("smeldr/relations.json", as_json({"edges": edges, "total": 4, "count": 4, "limit": 50, "offset": 0}))
    names = {"D1": "one-database", "D2": "three-retries", "D3": "cut-over", "D4": "five-retries"}
    states = {"D2": "superseded"}
    items = [
        {"type": "Decision", "id": id, "slug": slug, "status": states.get(id, "ratified"), "rev": 1, "fields": {}}
        for id, slug in names.items()
    ]
    packet = {
        "packet_version": "1.0",
        "generated_at": when,
        "source": {"name": "shop"},
        "anchor": items[2],
        "boundary": {"method": "relations", "depth": 2},
        "items": [items[0], items[1], items[3]],
        "relations": [],
    }
    write("smeldr/packet.json", as_json(packet))


if __name__ == "__main__":
    for make in (dbt, openlineage, graphiti, prov, smeldr):
        make()
