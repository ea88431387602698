"""Made-up sources of relations of any size: OpenLineage events, and a dbt manifest, in the shapes of real ones.

Five hundred jobs run night after night: each reads two to four datasets, writes one or two, and says for every second
output column by column where it comes from. An event has some 2 kB, half of them facets that nobody reads here. The
manifest has models that depend on one to four others, each with its code, columns and tests, some 4 kB a node.
"""

import json
import random
from pathlib import Path
from typing import Any
from uuid import UUID

JOBS = 500
PRODUCER = "https://example.org/openlineage"
MEGABYTE = 1_000_000


def openlineage(megabytes: int, folder: Path) -> Path:
    """A file of events of this size, made once: a START and a COMPLETE a run."""
    path = folder / f"openlineage-{megabytes}.jsonl"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    chooser = random.Random(11)
    jobs = [_job(number, chooser) for number in range(JOBS)]
    unfinished = path.with_suffix(".part")
    written = run = 0
    with unfinished.open("w", encoding="utf-8", newline="\n") as file:
        while written < megabytes * MEGABYTE:
            job, inputs, outputs = jobs[run % JOBS]
            day, minute = divmod(run // JOBS, 24 * 60)
            for type, second in (("START", 0), ("COMPLETE", 40)):
                hour, rest = divmod(minute, 60)
                at = f"2026-{1 + day // 28 % 12:02}-{1 + day % 28:02}T{hour:02}:{rest:02}:{second:02}.{run % 1000:03}Z"
                line = json.dumps(
                    {
                        "eventType": type,
                        "eventTime": at,
                        "producer": PRODUCER,
                        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
                        "run": {"runId": str(UUID(int=run)), "facets": _run_facets(run)},
                        "job": job,
                        "inputs": inputs,
                        "outputs": outputs if type == "COMPLETE" else [],
                    }
                )
                file.write(line + "\n")
                written += len(line) + 1
            run += 1
    unfinished.rename(path)
    return path


def manifest(megabytes: int, folder: Path) -> Path:
    """A manifest of this size, made once."""
    path = folder / f"manifest-{megabytes}.json"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    chooser = random.Random(13)
    nodes: dict[str, Any] = {}
    written = 0
    while written < megabytes * MEGABYTE:
        number = len(nodes)
        id = f"model.shop.m{number}"
        parents = sorted(
            {f"model.shop.m{chooser.randrange(number)}" for _ in range(chooser.randint(1, 4))} if number else ()
        )
        nodes[id] = {
            "unique_id": id,
            "resource_type": "model",
            "name": f"m{number}",
            "package_name": "shop",
            "original_file_path": f"models/m{number}.sql",
            "relation_name": f'"shop"."main"."m{number}"',
            "depends_on": {"macros": ["macro.dbt.ref"], "nodes": parents},
            "raw_code": "select * from {{ ref('x') }} " * 60,
            "compiled_code": "select * from shop.main.x " * 60,
            "columns": {f"c{column}": {"name": f"c{column}", "description": "A column."} for column in range(12)},
        }
        written += len(json.dumps(nodes[id])) + len(id) + 40
    head = {"generated_at": "2026-05-01T00:00:00Z", "project_name": "shop", "dbt_schema_version": "v12"}
    parent_map = {id: node["depends_on"]["nodes"] for id, node in nodes.items()}
    path.write_text(json.dumps({"metadata": head, "nodes": nodes, "parent_map": parent_map}), encoding="utf-8")
    return path


def _job(number: int, chooser: random.Random) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """A job, what it reads and what it writes."""
    inputs = [_dataset(chooser.randrange(JOBS * 2)) for _ in range(chooser.randint(2, 4))]
    outputs = [_dataset(JOBS * 2 + number * 2 + place) for place in range(chooser.randint(1, 2))]
    if number % 2:
        fields = {
            f"c{column}": {"inputFields": [{**_named(chooser.choice(inputs)), "field": f"c{chooser.randrange(8)}"}]}
            for column in range(8)
        }
        outputs[0]["facets"]["columnLineage"] = {"_producer": PRODUCER, "_schemaURL": PRODUCER, "fields": fields}
    facets = {"jobType": {"_producer": PRODUCER, "_schemaURL": PRODUCER, "integration": "SPARK", "jobType": "JOB"}}
    return {"namespace": "etl", "name": f"job_{number}", "facets": facets}, inputs, outputs


def _dataset(number: int) -> dict[str, Any]:
    schema = [{"name": f"c{column}", "type": "string"} for column in range(8)]
    facets = {"schema": {"_producer": PRODUCER, "_schemaURL": PRODUCER, "fields": schema}}
    return {"namespace": "s3://lake", "name": f"table_{number}", "facets": facets}


def _named(dataset: dict[str, Any]) -> dict[str, Any]:
    return {name: dataset[name] for name in ("namespace", "name")}


def _run_facets(run: int) -> dict[str, Any]:
    parent = {"run": {"runId": str(UUID(int=run // JOBS))}, "job": {"namespace": "etl", "name": "nightly"}}
    return {
        "parent": {"_producer": PRODUCER, "_schemaURL": PRODUCER, **parent},
        "processing_engine": {"_producer": PRODUCER, "_schemaURL": PRODUCER, "name": "spark", "version": "3.5.1"},
    }
