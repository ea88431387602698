"""Hostile text in every field of every format is data: in the terminal, in pages, in SQL, in the report."""

import json

import pytest

import lineage_kit
from lineage_kit.cli import app, run
from support.shared import DATA

HOSTILE = "</script><script>alert(1)</script>'); drop table items;--\u001b[2J\u202e<img src=x onerror=alert(2)>"
STRUCTURE = {
    "eventType", "eventTime", "runId", "resource_type", "unique_id", "lifecycleStateChange", "type", "prov:time",
    "relation_kind", "created_at", "updated_at", "valid_at", "invalid_at", "expired_at", "uuid", "source_node_uuid",
    "target_node_uuid", "generated_at", "packet_version", "edge_class", "deprecation_date", "labels", "namespace",
}  # fmt: skip


def poisoned(value, key=""):
    """JSON in which every text that is no structure carries the hostile one behind it."""
    if isinstance(value, dict):
        return {name: poisoned(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [poisoned(inner, key) for inner in value]
    return value + HOSTILE if isinstance(value, str) and key not in STRUCTURE else value


def source(format, folder):
    """A copy of the small sources, poisoned."""
    for path in sorted((DATA / "relations" / format).iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            text = "\n".join(json.dumps(poisoned(json.loads(line))) for line in text.splitlines())
        elif path.suffix == ".json":
            text = json.dumps(poisoned(json.loads(text)))
        else:
            text = text.replace("# ", f"# {HOSTILE} ").replace("Accepted", f"Accepted {HOSTILE}")
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("format", ["adr", "dbt", "graphiti", "openlineage", "prov", "smeldr"])
def test_it_stays_inert(format, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    imported = getattr(lineage_kit, f"read_{format}")(source(format, tmp_path / "in"), progress=False)
    store = imported.store()
    edges = imported.relations.collect()
    type, id = edges.filter(edges["relation_kind"].is_in(["depends_on", "derives_from", "supersedes"])).row(0)[:2]
    assert "<script>alert" not in imported._repr_mimebundle_()["text/html"]
    trace = store.trace_lineage(type, id)
    assert trace.anchor_known
    for page in (
        trace.report(format="html"),
        trace.to_html(),
        store.audit([(type, id)], progress=False).report(format="html"),
    ):
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    connection = lineage_kit.connect(store)
    assert connection.sql("select count(*) from relations").fetchall() == [(edges.height,)]
    assert connection.sql("select count(*) from trace_lineage(?, ?)", params=[type, id]).fetchall() == [
        (trace.nodes.height,)
    ]
    out = tmp_path / "out"
    assert run(lambda: app(["import", format, str(tmp_path / "in"), "--out", str(out)], standalone_mode=False)) == 0
    assert run(lambda: app(["trace", type, id, "--data", str(out)], standalone_mode=False)) == 0
    told = capsys.readouterr().out
    assert "\u001b[2J" not in told
    assert "\u202e" not in told
