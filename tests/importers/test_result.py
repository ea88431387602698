"""What an import gives: how it shows itself, its items, and the folder it is written to."""

import json

import pytest

import lineage_kit
from lineage_kit.errors import InvalidRequest
from support.claude_logs import PLAIN, plain_logs


def test_the_repr_counts(tmp_path):
    (tmp_path / "s0.jsonl").write_text(json.dumps({**PLAIN, "uuid": "u"}) + "\n")
    imported = lineage_kit.read_claude_code(tmp_path, progress=False)
    assert repr(imported) == "Imported(1 session, 1 event, 0 relations; 1 finding of 1 kind)"


def test_a_display_tells_what_needs_a_word(tmp_path):
    (tmp_path / "<b>.jsonl").write_text(json.dumps({**PLAIN, "uuid": "u"}) + "\n{torn")
    shown = lineage_kit.read_claude_code(tmp_path, progress=False)._repr_mimebundle_()
    assert shown["text/plain"].startswith("Imported(1 session, 2 events, 0 relations; 2 findings of 2 kinds)\n")
    assert "the last line was cut short" in shown["text/plain"]
    assert "<td" in shown["text/html"]
    assert "&lt;b&gt;.jsonl:2" in shown["text/html"]
    assert "<b>" not in shown["text/html"]


def test_items_are_titles_and_beginnings(tmp_path):
    (tmp_path / "logs").mkdir()
    items = lineage_kit.read_claude_code(plain_logs(tmp_path / "logs", 1), progress=False).items().collect()
    assert items.height == 41
    assert items.select("type", "id", "label").row(0) == ("event", "s0#0", "hello")
    assert items.select("type", "id", "label").row(-1) == ("session", "s0", "hello")


def test_writing_over_a_file_is_refused(tmp_path):
    (tmp_path / "logs").mkdir()
    imported = lineage_kit.read_claude_code(plain_logs(tmp_path / "logs", 1), progress=False)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidRequest, match="is a file"):
        imported.write_parquet(tmp_path / "file")
    with pytest.raises(InvalidRequest, match="inside cannot be written: Not a directory"):
        imported.write_parquet(tmp_path / "file" / "inside")
