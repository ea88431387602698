"""Anything may stand in a file: never a traceback, whole tables of the right columns, and what was left out counted."""

import json
import random
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lineage_kit
from lineage_kit.importers.registry import RELATION_FORMATS
from lineage_kit.importers.relation_pipeline.findings import RELATION_KINDS
from lineage_kit.schema import STATED_ITEMS, STATED_RELATIONS
from support.shared import DATA

FORMATS = tuple(RELATION_FORMATS)
JSON_FORMATS = tuple(name for name in FORMATS if name != "adr")
WORDS = st.sampled_from(
    """id uuid nodes edges events run runId job inputs outputs namespace name facets metadata results depends_on
    unique_id entity used prov:entity prov:activity prefix relation_kind source_type source_id target_type target_id
    fact episodes labels eventTime 2026-01-01T00:00:00Z COMPLETE dataset properties start end packet_version
    boundary""".split()  # noqa: SIM905
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(allow_nan=False), st.text(max_size=5), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(WORDS, st.text(max_size=4)), inner, max_size=5)
    ),
    max_leaves=25,
)


def read(format, name, data):
    """Import one file; the tables are whole, and a report says of every kind what it means."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        imported = getattr(lineage_kit, f"read_{format}")(path, progress=False)
    relations, items = imported.relations.collect(), imported.items.collect()
    importer = RELATION_FORMATS[format]
    assert dict(relations.schema) == STATED_RELATIONS.then(*importer.relation_columns).polars
    assert dict(items.schema) == STATED_ITEMS.then(*importer.item_columns).polars
    for name in ("source_type", "source_id", "target_type", "target_id", "relation_kind"):
        assert relations[name].null_count() == 0
        assert (relations[name].str.len_chars() > 0).all()
    assert set(imported.report["kind"]) <= set(RELATION_KINDS)
    assert relations.filter(pl.col("invalid_at").is_null() & pl.col("invalid_reason").is_not_null()).is_empty()
    assert imported.store().edge_count == relations.height
    return imported


def said(imported):
    return imported.counts["relations"] + imported.counts["items"] + int(imported.report["count"].sum())


@pytest.mark.parametrize("format", JSON_FORMATS)
@settings(max_examples=60, deadline=None)
@given(values=st.lists(VALUES, min_size=1, max_size=4), lines=st.booleans())
def test_any_json(format, values, lines):
    text = "\n".join(map(json.dumps, values)) if lines else json.dumps(values, indent=1)
    read(format, "a.json", text.encode())


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes(format, data):
    imported = read(format, "a.md" if format == "adr" else "a.json", data)
    assert said(imported) > 0 or not data.strip()


def mutated(value, chooser):
    """A JSON value in which something is something else."""
    if chooser.random() < 0.03:
        return chooser.choice([None, 0, -1, 1.5, True, "", "x", "2026", [], {}, [1], {"a": []}, "\u0000", "9" * 50])
    if isinstance(value, dict):
        return {
            key if chooser.random() > 0.01 else key + "x": mutated(inner, chooser)
            for key, inner in value.items()
            if chooser.random() > 0.01
        }
    if isinstance(value, list):
        return [mutated(inner, chooser) for inner in value if chooser.random() > 0.01]
    return value


@pytest.mark.parametrize("format", JSON_FORMATS)
def test_what_is_almost_right(format):
    """Real files in which a value here and there is of another shape: a hundred times each."""
    values = []
    for path in sorted((DATA / "relations" / format).iterdir()):
        text = path.read_text(encoding="utf-8")
        values.append(
            [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
        )
    for seed in range(100):
        chooser = random.Random(seed)
        for part in values:
            lines = "\n".join(json.dumps(mutated(value, chooser)) for value in part)
            assert said(read(format, "a.json", lines.encode())) > 0 or lines in ("[]", '{"edges": []}')


LINES = (
    "# 1. Title",
    "## Status",
    "Accepted",
    "Superseded by [2](0002-b.md)",
    "* Amends ADR-3",
    "---",
    "status: x",
    "```",
    "supersedes: [1, 2",
    "Date: 2026-01-01",
    "> quote",
    "(was accepted)",
    "[a]: b.md",
    "<div>",
    "| a | b |",
    "",
    "Depends on ADR 4, ADR-5 and [six](6.md); see also #7",
    "a: &x [*x]",
    "[](",
    "!![",
    "&nbsp;",
    "*" * 50,
)
MARKDOWN = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(text=st.one_of(MARKDOWN, st.text(max_size=200)))
def test_any_markdown(text):
    imported = read("adr", "0001-a.md", text.encode(errors="replace"))
    assert said(imported) > 0


def test_front_matter_that_names_itself_many_times():
    """Aliases of aliases stand for billions of texts; none of them is written out."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    imported = read("adr", "0001-a.md", "\n".join(["---", *rows, "status: accepted", "---", "# 1. A"]).encode())
    assert imported.items.collect()["state"].to_list() == ["accepted"]
