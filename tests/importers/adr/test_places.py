"""Links to every kind of place: none is guessed."""

import pytest

from lineage_kit import read_adr


@pytest.fixture
def folder(tmp_path):
    """Three records, of which two have one number."""
    for name, text in (
        ("docs/adr/0001-one.md", "# 1. One\n\n## Status\n\nAccepted\n"),
        ("docs/adr/0002-two.md", "# 2. Two\n\n## Status\n\nAccepted\n"),
        ("docs/adr/0002-other.md", "# 2. Other\n\n## Status\n\nAccepted\n"),
        ("web/adr/0009-else.md", "# 9. Elsewhere\n\n## Status\n\nAccepted\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def links(folder, line):
    (folder / "docs/adr/0007-this.md").write_text(f"# 7. This\n\n* Status: accepted\n\n## Links\n\n* {line}\n")
    imported = read_adr(folder, progress=False)
    rows = imported.relations.filter(source_id="docs/adr/0007-this")
    found = rows.select("relation_kind", "target_id", "confidence").collect().rows()
    return found, dict(imported.report.select("kind", "count").rows())


ONE = "docs/adr/0001-one"


@pytest.mark.parametrize(
    ("line", "rows", "kinds"),
    [
        ("Supersedes [one](0001-one.md)", [("supersedes", ONE, 0.9)], {"one_sided_supersession": 1}),
        ("Amends [one](./0001-one.md#decision)", [("amends", ONE, 0.9)], {}),
        ("Amends [one](0001-one)", [("amends", ONE, 0.9)], {}),
        ("Amends [one](/docs/adr/0001-one.md)", [("amends", ONE, 0.9)], {}),
        ("Amends [one](https://example.org/x/0001-one.md?plain=1)", [("amends", ONE, 0.9)], {}),
        ("Amends [site](https://example.org/page)", [], {}),
        ("Amends [anchor](#decision)", [], {}),
        ("Amends [mail](mailto:a@b.c)", [], {}),
        ("Amends [pull](https://example.org/pull/1)", [("refers_to", ONE, 1.0)], {}),
        ("Amends PR #1", [], {}),
        ("Amends #1", [], {}),
        ("Amends [gone](0001-gone.md)", [("amends", "0001-gone", 0.0)], {"dangling_reference": 1}),
        ("Amends [gone](../old/0099-gone.md)", [("amends", "0099-gone", 0.0)], {"dangling_reference": 1}),
        ("Amends ADR-2", [], {"ambiguous_reference": 1}),
        ("Amends ADR-99", [], {"ambiguous_reference": 1}),
        ("Amends ADR-1", [("amends", ONE, 0.9)], {}),
        ("Amends 0001", [("amends", ONE, 0.9)], {}),
        ("Amends [1](/adr/1)", [("amends", ONE, 0.9)], {}),
        ("Amends [2](/adr/2)", [], {}),
        ("Amends none", [], {}),
        ("Amends `0001-one.md`", [], {}),
        ("See 2026-01-01 and 3.0001", [], {}),
        ("Partly supersedes [one](0001-one.md)", [("amends", ONE, 0.9)], {}),
        ("Will be superseded by [one](0001-one.md)", [], {}),
        ("Supersedes nothing (was: supersedes [one](0001-one.md))", [("refers_to", ONE, 1.0)], {}),
        (
            "Amends [one](0001-one.md), [two](0002-two.md) and ADR-9",
            [("amends", ONE, 0.9), ("amends", "docs/adr/0002-two", 0.9), ("amends", "web/adr/0009-else", 0.9)],
            {},
        ),
    ],
)
def test_a_link(line, rows, kinds, folder):
    found, report = links(folder, line)
    if line.startswith("Will be"):
        imported = read_adr(folder, progress=False)
        told = imported.relations.filter(relation_kind="proposes_to_supersede").select("source_id", "target_id")
        assert told.collect().rows() == [(ONE, "docs/adr/0007-this")]
    assert (found, report) == (rows, kinds)
