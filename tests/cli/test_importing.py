"""`lineage-kit import`, and the folder it writes."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import lineage_kit
from lineage_kit.cli import app, run
from support.shared import DATA

TRANSCRIPTS = DATA / "transcripts"
TABLES = ["events", "items", "relations", "report", "sessions"]


def lineage(*words):
    return run(lambda: app([str(word) for word in words], standalone_mode=False))


def tables(folder):
    return {path.stem: pl.read_parquet(path) for path in sorted(Path(folder).glob("*.parquet"))}


@pytest.mark.parametrize(("origin", "folder"), [("claude-code", "claude_code"), ("codex", "codex"), ("dsh", "dsh")])
def test_a_folder_opens_as_corpus_and_as_store(origin, folder, tmp_path, capsys):
    assert lineage("import", origin, TRANSCRIPTS / folder, "--out", tmp_path / "out") == 0
    assert sorted(tables(tmp_path / "out")) == TABLES
    corpus = lineage_kit.SessionCorpus.open(tmp_path / "out")
    assert corpus.check().rows() == []
    assert corpus.sessions().height == len(list((TRANSCRIPTS / folder).rglob("*.jsonl")))
    store = lineage_kit.RelationStore.open(tmp_path / "out")
    assert store.check().filter(finding="a node depends on itself").rows() == []
    assert f"are in {tmp_path / 'out'}" in capsys.readouterr().out


def test_the_items_beside_the_relations_are_their_labels(tmp_path):
    assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path) == 0
    store = lineage_kit.RelationStore.open(tmp_path)
    [(kind, label)] = store.find("7d1f0c52-3b7e-4c1a-9a55-2f6f5d0e8a11", limit=1).select("type", "label").rows()
    assert (kind, label) == ("session", "Larger batches for the invoice run")
    assert lineage_kit.RelationStore.open(str(tmp_path)).find("nightly invoice run takes").height == 1


def test_the_folder_holds_what_python_reads(tmp_path):
    assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path) == 0
    imported = lineage_kit.read_claude_code(TRANSCRIPTS / "claude_code", progress=False)
    written = tables(tmp_path)
    for name in ("sessions", "events", "relations"):
        assert written[name].equals(getattr(imported, name).collect())
    assert written["report"].equals(imported.report)
    assert written["items"].equals(imported.items().collect())


def test_grown_files_give_what_a_fresh_import_gives(tmp_path):
    logs = tmp_path / "logs"
    shutil.copytree(TRANSCRIPTS / "claude_code", logs)
    [cut] = logs.glob("*/c4a9e6d0*.jsonl")
    whole = cut.read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    assert lineage("import", "claude-code", logs, "--out", tmp_path / "again") == 0
    assert pl.read_parquet(tmp_path / "again" / "report.parquet").filter(kind="torn_tail").height == 1
    cut.write_bytes(whole)
    (logs / "more.jsonl").write_text('{"type": "user", "uuid": "m1", "message": {"content": "more"}}\n')
    assert lineage("import", "claude-code", logs, "--out", tmp_path / "again") == 0
    assert lineage("import", "claude-code", logs, "--out", tmp_path / "fresh") == 0
    again, fresh = tables(tmp_path / "again"), tables(tmp_path / "fresh")
    assert list(again) == list(fresh) == TABLES
    assert all(again[name].equals(fresh[name]) for name in TABLES)
    files = {path.name for path in (tmp_path / "again").iterdir()}
    assert files == {"manifest.json", *(f"{name}.parquet" for name in TABLES)}  # no unfinished part is left


def test_a_file_that_is_gone_is_gone_from_the_folder(tmp_path):
    logs = tmp_path / "logs"
    shutil.copytree(TRANSCRIPTS / "claude_code", logs)
    assert lineage("import", "claude-code", logs, "--out", tmp_path / "out") == 0
    [one] = logs.glob("*/c4a9e6d0*.jsonl")
    one.unlink()
    assert lineage("import", "claude-code", logs, "--out", tmp_path / "out") == 0
    assert lineage_kit.SessionCorpus.open(tmp_path / "out").sessions().height == 2


def test_dropped_text_is_nowhere(tmp_path):
    assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path, "--drop-text") == 0
    written = tables(tmp_path)
    assert written["events"]["text"].null_count() == written["events"].height
    assert written["sessions"]["title"].null_count() == written["sessions"].height
    for path in tmp_path.glob("*.parquet"):
        assert "messages a minute" not in json.dumps(pl.read_parquet(path).to_dicts(), default=str)
    kept = lineage_kit.read_claude_code(TRANSCRIPTS / "claude_code", progress=False)
    what_stays = ["session_id", "seq", "time", "type", "surface_op", "source_event_seqs", "record_id", "line"]
    assert written["events"].select(what_stays).equals(kept.events.select(what_stays).collect())
    assert written["relations"].equals(kept.relations.collect())


def test_since_takes_sessions_with_an_event_at_or_after_it(tmp_path):
    def since(date):
        assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path, "--since", date) == 0
        return sorted(pl.read_parquet(tmp_path / "sessions.parquet")["session_id"].str.slice(0, 8))

    assert since("2026-10-06") == ["7d1f0c52", "7d1f0c52", "c4a9e6d0"]
    assert since("2026-10-07") == ["c4a9e6d0"]
    last = pl.read_parquet(tmp_path / "events.parquet")["time"].max()
    assert since(last.isoformat()) == ["c4a9e6d0"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["{empty}"], "nothing could be imported: no file there looks like a log"),
        (["{data}", "--since", "2030-01-01"], "with an event since 2030-01-01"),
        (["{data}", "--since", "yesterday"], "is not an ISO 8601 date"),
        (["{data}", "--since", "2026-10-06T10:00:00"], "has no time zone"),
        (["{nothing}"], "nothing could be imported: no session in 1 file"),
    ],
)
def test_nothing_to_read_is_exit_code_2_and_writes_nothing(words, told, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing.jsonl").touch()
    places = {"empty": tmp_path / "empty", "data": TRANSCRIPTS / "claude_code", "nothing": tmp_path / "nothing.jsonl"}
    words = [word.format(**places) for word in words]
    assert lineage("import", "claude-code", *words, "--out", tmp_path / "out") == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_unknown_format_is_told(tmp_path, capsys):
    assert lineage("import", "aider", TRANSCRIPTS, "--out", tmp_path / "out") == 2
    told = capsys.readouterr().err
    assert "claude-code" in told
    assert "dsh" in told


def test_an_index_is_not_written_into(tmp_path, capsys):
    source = DATA / "pep_relations.parquet"
    lineage_kit.RelationStore.open(source).build_index(tmp_path / "index")
    before = sorted(path.name for path in (tmp_path / "index").iterdir())
    assert lineage("import", "dsh", TRANSCRIPTS / "dsh", "--out", tmp_path / "index") == 2
    assert "holds an index of relations" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == before


def test_findings_in_sql_show_the_report(tmp_path):
    assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path) == 0
    corpus = lineage_kit.SessionCorpus.open(tmp_path)
    assert corpus.import_report().equals(pl.read_parquet(tmp_path / "report.parquet"))
    connection = lineage_kit.connect(corpus=corpus)
    found = connection.sql(
        "select finding, count, examples from findings where origin = 'import' order by all"
    ).fetchall()
    report = corpus.import_report()
    assert [(kind, count) for kind, count, _ in found] == sorted(
        report.group_by("kind").agg(pl.col("count").sum()).rows()
    )
    assert {kind: examples for kind, _, examples in found}["torn_tail"][0].endswith(".jsonl:9")


def test_tables_of_no_import_have_no_report(tmp_path):
    corpus = lineage_kit.SessionCorpus.open(lineage_kit.data_folder())
    assert corpus.import_report().rows() == []
    assert lineage_kit.SessionCorpus().import_report().rows() == []


def test_the_report_is_a_table_to_read(tmp_path, capsys):
    assert lineage("import", "claude-code", TRANSCRIPTS / "claude_code", "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert "torn_tail" in out
    assert "the last line was cut short" in out
    assert out.splitlines()[-1].startswith("3 sessions, ")


# ---- relations


RELATIONS = DATA / "relations"


@pytest.mark.parametrize("format", ["smeldr", "adr", "openlineage", "dbt", "graphiti", "prov"])
def test_relations_become_a_folder_that_opens(format, tmp_path, capsys):
    assert lineage("import", format, RELATIONS / format, "--out", tmp_path / "out") == 0
    assert sorted(tables(tmp_path / "out")) == ["items", "relations", "report"]
    imported = getattr(lineage_kit, f"read_{format}")(RELATIONS / format, progress=False)
    for name in ("relations", "items"):
        assert tables(tmp_path / "out")[name].equals(getattr(imported, name).collect())
    told = capsys.readouterr().out
    assert told.splitlines()[-1].endswith(f" files are in {tmp_path / 'out'}") or "of 1 file are in" in told
    assert lineage("check", "--data", tmp_path / "out") in (0, 1)


def test_the_report_is_told_first_then_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert lineage("import", "adr", RELATIONS / "adr", "--out", "my_adrs") == 0
    told = capsys.readouterr().out
    assert told.startswith("What was found that needs a word:")
    assert "one_sided_supersession" in told
    assert told.endswith("\n10 relations, 9 items of 11 files are in my_adrs\n")


def test_grown_sources_give_what_a_fresh_import_gives(tmp_path):
    shutil.copytree(RELATIONS / "dbt", tmp_path / "dbt")
    (tmp_path / "dbt" / "2026-05.json").unlink()
    assert lineage("import", "dbt", tmp_path / "dbt", "--out", tmp_path / "out") == 0
    shutil.copy(RELATIONS / "dbt" / "2026-05.json", tmp_path / "dbt")
    assert lineage("import", "dbt", tmp_path / "dbt", "--out", tmp_path / "out") == 0
    assert lineage("import", "dbt", RELATIONS / "dbt", "--out", tmp_path / "fresh") == 0
    for name, table in tables(tmp_path / "fresh").items():
        assert tables(tmp_path / "out")[name].equals(table)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["adr", RELATIONS / "adr", "--since", "2026-01-01"], "--since chooses sessions, and adr has none"),
        (["codex", TRANSCRIPTS / "codex", "--zone", "Europe/Berlin"], "--zone is for relations"),
        (["adr", RELATIONS / "adr", "--zone", "Mars"], "zone 'Mars' is the name of no time zone"),
        (["adr", RELATIONS / "dbt"], "nothing could be imported: no file there looks like adr"),
        (["prov", RELATIONS / "dbt" / "run_results.json"], "nothing could be imported: nothing of prov in 1 file"),
    ],
)
def test_what_cannot_be_imported_is_one_line_and_the_folder_as_it_was(words, told, tmp_path, capsys):
    assert lineage("import", *words, "--out", tmp_path / "out") == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_database_is_opened_by_the_command_line(tmp_path, capsys):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(tmp_path / "smeldr.db")) as connection:
        connection.execute(
            "create table smeldr_relations (id, source_type, source_id, target_type, target_id, relation_kind, "
            "edge_class, confidence, valid_at, invalid_at, attributes, created_at, updated_at)"
        )
        connection.execute(
            "insert into smeldr_relations values ('1', 'Decision', 'd2', 'Decision', 'd1', 'depends_on', 'asserted', "
            "null, null, '2026-03-01 00:00:00 +0000 UTC', '{}', '2026-01-01 00:00:00 +0000 UTC', null)"
        )
        connection.commit()
    assert lineage("trace", "Decision", "d2", "--data", tmp_path / "smeldr.db") == 0
    assert "INVALIDATED" in capsys.readouterr().out
