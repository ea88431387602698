"""`lineage-kit sql` reads nothing but the data named, writes nothing, and says so in one line."""

import shutil

import polars as pl
import pytest

from support.commands import call
from support.shared import DATA

hidden = pl.DataFrame({"secret": ["s3cret"]})

READS = [
    "from read_parquet('other.parquet')",
    "from 'other.parquet'",
    'from "other.parquet"',
    "from read_parquet('*.parquet')",
    "from read_csv('other.csv')",
    "from 'other.csv'",
    "from read_text('other.csv')",
    "from read_blob('other.csv')",
    "from read_json('other.csv')",
    "from sniff_csv('other.csv')",
    "from glob('*')",
    "from glob('/etc/*')",
    "from parquet_metadata('other.parquet')",
    "from parquet_schema('other.parquet')",
    "from query_table('other.parquet')",
    "from query('from ''other.parquet''')",
    "select * from relations, 'other.parquet'",
    "from relations union all by name from 'other.parquet'",
    "with other as materialized (from 'other.parquet') from other",
    "select (select secret from 'other.parquet')",
    "from 'https://localhost/x.parquet'",
]
WRITES = [
    "copy relations to 'made.csv'",
    "copy (select 1) to 'made.parquet'",
    "copy relations to 'data.parquet'",
    "explain copy relations to 'made.csv'",
    "explain analyze copy relations to 'made.csv'",
    "explain analyze copy (select 1) to 'data.parquet' (use_tmp_file false)",
    "with made as (copy relations to 'made.csv') from made",
    "with made as (copy (select 1) to 'data.parquet' (use_tmp_file false)) from made",
    "from query('copy relations to ''made.csv''')",
    "export database 'made'",
    "import database 'made'",
    "create table made as from relations",
    "create view made as from relations",
    "create macro made() as table select 1",
    "insert into relations from relations",
    "update relations set source_id = 'x'",
    "delete from relations",
    "drop view relations",
    "alter view relations rename to made",
    "vacuum",
    "checkpoint",
]
SETTINGS = [
    "attach 'made.duckdb'",
    "attach ':memory:' as made",
    "detach memory",
    "use memory",
    "install httpfs",
    "load httpfs",
    "load './made.duckdb_extension'",
    "set enable_external_access = true",
    "reset enable_external_access",
    "set variable made = 1",
    "set allowed_paths = ['other.parquet']",
    "pragma enable_profiling",
    "pragma database_list",
    "call enable_logging(storage := 'file', storage_path := 'made')",
    "from enable_logging('QueryLog', storage := 'file', storage_config := {'path': 'made'})",
    "create secret made (type http, bearer_token 'x')",
    "begin transaction",
    "prepare made as select 1",
    "execute made",
]
MALFORMED = [
    "",
    ";",
    "select 1; select 2",
    "select 1; drop view relations",
    "from relations; copy relations to 'made.csv'",
    "selct 1",
    "select 'open",
    "from nowhere",
    "select nothing from relations",
    "select 1 / 'x'",
    "select error('told')",
    "from trace_lineage('pep')",
    "from trace_lineage('pep', '')",
    "from trace_lineage('pep', 'PEP459', max_depth := 99)",
]
VARIABLES = ["from hidden", "from pl", "from arguments", "from capsys", "from text", "from store"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the data that is named, and others that are not."""
    shutil.copy(DATA / "pep_relations.parquet", tmp_path / "data.parquet")
    hidden.write_parquet(tmp_path / "other.parquet")
    hidden.write_csv(tmp_path / "other.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("query", READS + WRITES + SETTINGS + MALFORMED + VARIABLES)
def test_what_is_no_question_about_the_data_is_refused_in_one_line(query, folder, capsys):
    before = contents(folder)
    code, out, err = call(capsys, "sql", query, "--data", "data.parquet", "--format", "csv")
    assert contents(folder) == before
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("lineage-kit: ")
    assert "Traceback" not in err
    assert "s3cret" not in err


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select count(*) from relations", "86"),
        ("select count(*) from 'data.parquet'", "86"),
        ("select count(*) from read_parquet('data.parquet')", "86"),
        ("select count(*) from query('from relations')", "86"),
        ("with peps as (from relations) select count(*) from peps", "86"),
        ("select id from trace_lineage('pep', 'PEP459') where superseded", "PEP426"),
        ("select anchor_known from trace_summary('pep', 'PEP4S9')", "false"),
        ("select count(*) from items", "0"),
        ("select count(*) > 0 from replacements", "true"),
        ("select count(*) from findings", "0"),
        ("select count(*) from reachability('pep', 'PEP426', direction := 'incoming')", "2"),
        ("values (1)", "1"),
        ("/* a comment */ select 1; -- and another", "1"),
    ],
)
def test_questions_about_the_data_are_answered(query, expected, folder, capsys):
    code, out, err = call(capsys, "sql", query, "--data", "data.parquet", "--format", "csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == expected


@pytest.mark.parametrize(
    "query", ["explain from relations", "describe relations", "show tables", "summarize relations"]
)
def test_looking_around_is_a_question_too(query, folder, capsys):
    before = contents(folder)
    code, out, err = call(capsys, "sql", query, "--data", "data.parquet")
    assert (code, err) == (0, "")
    assert out
    assert contents(folder) == before


def test_globs_lists_and_items_named_are_read_and_no_more(folder, capsys):
    whole = pl.read_parquet("data.parquet")
    for number in range(3):
        whole[number * 30 : number * 30 + 30].write_parquet(f"part-{number}.parquet")
    pl.DataFrame({"type": ["pep"], "id": ["PEP426"], "label": ["Metadata"]}).write_parquet("names.parquet")
    named = ["--data", "part-[01].parquet", "--data", "part-2.parquet", "--items", "names.parquet", "--format", "csv"]
    query = "select count(*) as n, (select label from items) as label from relations"
    assert call(capsys, "sql", query, *named) == (0, "n,label\n86,Metadata\n", "")
    code, _, err = call(capsys, "sql", "from 'data.parquet'", *named)
    assert (code, len(err.splitlines())) == (2, 1)


def test_a_file_whose_name_looks_like_a_pattern_is_read_itself(folder, capsys):
    whole = pl.read_parquet("data.parquet")
    whole.head(7).write_parquet("part[1].parquet")
    whole.write_parquet("part1.parquet")
    query = "select count(*) as n from relations"
    assert call(capsys, "sql", query, "--data", "part[1].parquet", "--format", "csv") == (0, "n\n7\n", "")


def test_an_answer_goes_where_the_user_says(folder, capsys):
    query = "select source_id from relations order by all limit 1"
    code, out, _ = call(capsys, "sql", query, "--data", "data.parquet", "--format", "parquet", "--output", "o.parquet")
    assert (code, out) == (0, "")
    assert pl.read_parquet("o.parquet").rows() == [("PEP101",)]
