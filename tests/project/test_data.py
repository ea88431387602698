"""The data sets in `data/`: what is committed is what the script makes, and says what the facts say."""

import importlib.util
from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from support.shared import DATA

FILES = ["rfc_relations.parquet", "pep_relations.parquet"]

CANONICAL = {
    "source_type": pl.String,
    "source_id": pl.String,
    "target_type": pl.String,
    "target_id": pl.String,
    "relation_kind": pl.String,
    "edge_class": pl.String,
    "confidence": pl.Float64,
    "created_at": pl.Datetime("us", "UTC"),
    "declared_by": pl.String,
    "source_status": pl.String,
    "target_status": pl.String,
}


def load_script():
    spec = importlib.util.spec_from_file_location("build_rfc_pep", DATA / "build_rfc_pep.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


@pytest.fixture(scope="module")
def rfc():
    return pl.read_parquet(DATA / "rfc_relations.parquet")


@pytest.fixture(scope="module")
def pep():
    return pl.read_parquet(DATA / "pep_relations.parquet")


def row(relations, source, target):
    """The one row between two documents: kind, class, confidence, created_at, declared_by, both states."""
    found = relations.filter(pl.col("source_id") == source, pl.col("target_id") == target)
    columns = ["relation_kind", "edge_class", "confidence", "created_at", "declared_by"]
    return found.select(*columns, "source_status", "target_status").row(0)


def kinds(relations):
    return dict(relations["relation_kind"].value_counts().iter_rows())


def number(column):
    return pl.col(column).str.extract(r"^[A-Z]+(\d+)$").cast(pl.Int64)


@pytest.mark.parametrize("name", FILES)
def test_committed_table_is_what_the_script_makes(name, tmp_path):
    script.build(tmp_path)
    assert_frame_equal(pl.read_parquet(DATA / name), pl.read_parquet(tmp_path / name))


@pytest.mark.parametrize("name", FILES)
def test_script_makes_the_same_bytes_twice(name, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        script.build(folder)
    assert (first / name).read_bytes() == (second / name).read_bytes()


def test_schemas(rfc, pep):
    assert dict(pep.schema) == CANONICAL
    assert dict(rfc.schema) == CANONICAL | {"source_year": pl.Int64, "target_year": pl.Int64}


def test_counts(rfc, pep):
    assert kinds(rfc) == {"supersedes": 1543, "updates": 2154}
    assert kinds(pep) == {"supersedes": 47, "depends_on": 39}
    assert rfc["edge_class"].unique().to_list() == ["asserted"]
    assert dict(pep["edge_class"].value_counts().iter_rows()) == {"asserted": 81, "observed": 5}


@pytest.mark.parametrize("kind", ["rfc", "pep"])
def test_every_fact_is_there_once(kind, rfc, pep):
    relations = {"rfc": rfc, "pep": pep}[kind]
    keys = ["source_type", "source_id", "target_type", "target_id", "relation_kind"]
    facts = pl.read_csv(DATA / "facts" / f"{kind}.csv", infer_schema=False)
    assert facts.height == relations.height
    assert_frame_equal(facts.select(keys), relations.select(keys), check_row_order=False)
    assert relations.select(keys).is_duplicated().sum() == 0


@pytest.mark.parametrize("name", FILES)
def test_tables_are_fit_for_a_store(name):
    relations = pl.read_parquet(DATA / name)
    ids = relations.select(source=number("source_id"), target=number("target_id"))
    assert sum(relations.null_count().row(0)) == 0
    assert sum(ids.null_count().row(0)) == 0
    trust = set(relations.select("edge_class", "confidence").iter_rows())
    assert trust <= {("asserted", 1.0), ("observed", 0.8)}
    order = relations.select(number("source_id"), number("target_id"), "relation_kind").rows()
    assert order == sorted(order)


def test_rfcs_by_hand(rfc):
    def new_year(year):
        return datetime(year, 1, 1, tzinfo=UTC)

    obsoletes = ("supersedes", "asserted", 1.0)
    updates = ("updates", "asserted", 1.0)
    proposed = "PROPOSED STANDARD"

    # TLS 1.3 obsoletes TLS 1.2, and updates the exporters.
    said = (new_year(2018), "Obsoletes+Obsoleted-By", proposed, proposed)
    assert row(rfc, "RFC8446", "RFC5246") == obsoletes + said
    said = (new_year(2018), "Updates+Updated-By", proposed, proposed)
    assert row(rfc, "RFC8446", "RFC5705") == updates + said
    # Mail, in two steps.
    said = (new_year(2001), "Obsoletes+Obsoleted-By", proposed, "INTERNET STANDARD")
    assert row(rfc, "RFC2822", "RFC822") == obsoletes + said
    assert row(rfc, "RFC5322", "RFC2822")[:4] == (*obsoletes, new_year(2008))
    # HTTP: two documents replace RFC 7230.
    of_7230 = rfc.filter(pl.col("target_id") == "RFC7230", pl.col("relation_kind") == "supersedes")
    assert of_7230["source_id"].to_list() == ["RFC9110", "RFC9112"]
    assert of_7230.select("source_year", "target_year").unique().rows() == [(2022, 2014)]
    # What MUST means.
    assert row(rfc, "RFC8174", "RFC2119")[:4] == (*updates, new_year(2017))
    # An older number that updates a newer one.
    assert row(rfc, "RFC3468", "RFC3472")[:4] == (*updates, new_year(2003))


def test_peps_by_hand(pep):
    def day(*parts):
        return datetime(*parts, tzinfo=UTC)

    replaces = ("supersedes", "asserted", 1.0)

    # Both say so.
    said = (day(2020, 9, 12), "Replaces+Superseded-By", "Final", "Superseded")
    assert row(pep, "PEP634", "PEP622") == replaces + said
    # Only the one that replaces says so.
    said = (day(2013, 5, 22), "Replaces", "Final", "Deferred")
    assert row(pep, "PEP443", "PEP3124") == replaces + said
    said = (day(2012, 8, 30), "Requires", "Withdrawn", "Final")
    assert row(pep, "PEP426", "PEP508") == ("depends_on", "asserted", 1.0, *said)
    # Only the one that is replaced says so.
    said = (day(2009, 6, 18), "Superseded-By", "Active", "Superseded")
    assert row(pep, "PEP387", "PEP5") == ("supersedes", "observed", 0.8, *said)
    observed = pep.filter(pl.col("edge_class") == "observed").select("source_id", "target_id")
    assert observed.rows() == [
        ("PEP387", "PEP5"),
        ("PEP566", "PEP426"),
        ("PEP621", "PEP631"),
        ("PEP749", "PEP563"),
        ("PEP750", "PEP501"),
    ]


def rfc_facts(**changed):
    fact = {
        "source_type": "rfc",
        "source_id": "RFC20",
        "target_type": "rfc",
        "target_id": "RFC10",
        "relation_kind": "supersedes",
        "declared_by_source": "1",
        "declared_by_target": "1",
        "source_year": "1990",
        "target_year": "1980",
        "source_status": "UNKNOWN",
        "target_status": "UNKNOWN",
    }
    return pl.DataFrame([fact | changed], schema=dict.fromkeys(fact, pl.String))


def pep_facts(**changed):
    fact = {
        "source_type": "pep",
        "source_id": "PEP20",
        "target_type": "pep",
        "target_id": "PEP10",
        "relation_kind": "supersedes",
        "declared_by": "Replaces",
        "source_created": "22-Aug-2001",
        "source_status": "Final",
        "target_status": "Final",
    }
    return pl.DataFrame([fact | changed], schema=dict.fromkeys(fact, pl.String))


@pytest.mark.parametrize(
    ("kind", "by_source", "by_target", "expected"),
    [
        ("supersedes", "1", "0", ("Obsoletes", "asserted", 1.0)),
        ("supersedes", "0", "1", ("Obsoleted-By", "observed", 0.8)),
        ("updates", "1", "1", ("Updates+Updated-By", "asserted", 1.0)),
        ("updates", "0", "1", ("Updated-By", "observed", 0.8)),
    ],
)
def test_rule_for_rfcs_that_one_side_states(kind, by_source, by_target, expected):
    """The index has no such row today; the rule is there for the day it has one."""
    facts = rfc_facts(relation_kind=kind, declared_by_source=by_source, declared_by_target=by_target)
    got = script.rfc_relations(facts)
    assert got.select("declared_by", "edge_class", "confidence").row(0) == expected


@pytest.mark.parametrize(
    "facts",
    [
        rfc_facts(declared_by_source="0", declared_by_target="0"),
        rfc_facts(declared_by_source="yes"),
        rfc_facts(relation_kind="see_also"),
        rfc_facts(relation_kind=None),
    ],
)
def test_rfc_facts_that_cannot_be_read_are_refused(facts):
    with pytest.raises((ValueError, pl.exceptions.InvalidOperationError)):
        script.rfc_relations(facts)


@pytest.mark.parametrize(
    "facts",
    [
        pep_facts(declared_by="Mentions"),
        pep_facts(declared_by="Replaces+Mentions"),
        pep_facts(declared_by=""),
        pep_facts(declared_by=None),
        pep_facts(relation_kind="updates"),
    ],
)
def test_pep_facts_that_cannot_be_read_are_refused(facts):
    with pytest.raises(ValueError, match=r"not known|is none of"):
        script.pep_relations(facts)


@pytest.mark.parametrize("text", [None, "", "31-Feb-2001", "2001-08-22", "22-Aug-01", "22-Foo-2001", "Aug 2001"])
def test_unreadable_date_is_null(text):
    assert script.pep_relations(pep_facts(source_created=text))["created_at"].to_list() == [None]


@pytest.mark.parametrize("text", [None, "", "199", "19900", "unknown"])
def test_unreadable_year_is_null(text):
    got = script.rfc_relations(rfc_facts(source_year=text))
    assert got.select("source_year", "created_at").row(0) == (None, None)


def test_readme_tells_of_every_column_and_count(rfc, pep):
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for relations in (rfc, pep):
        assert f"| {relations.height:,} |" in readme
        assert not [name for name in relations.columns if f"`{name}`" not in readme]
