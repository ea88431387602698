"""Make `rfc_relations.parquet` and `pep_relations.parquet` from the facts in `facts/`.

Run it with `python data/build_rfc_pep.py`. The same facts give the same bytes each time.
"""

from pathlib import Path

import polars as pl

HERE = Path(__file__).parent

COLUMNS = [
    "source_type",
    "source_id",
    "target_type",
    "target_id",
    "relation_kind",
    "edge_class",
    "confidence",
    "created_at",
]

# Which of the two documents states a relation, by the words it uses. The source is the document that
# replaces, updates or requires the target, so it is the one in a position to say so.
STATED_BY_SOURCE = ["Obsoletes", "Updates", "Replaces", "Requires"]
STATED_BY_TARGET = ["Obsoleted-By", "Updated-By", "Superseded-By"]

RFC_WORDS = {"supersedes": ("Obsoletes", "Obsoleted-By"), "updates": ("Updates", "Updated-By")}
PEP_KINDS = ["supersedes", "depends_on"]


def read_facts(path: Path) -> pl.DataFrame:
    """The facts as they stand: every column as text, nothing guessed."""
    return pl.read_csv(path, infer_schema=False)


def rfc_relations(facts: pl.DataFrame) -> pl.DataFrame:
    """One row a statement of the RFC index: the source obsoletes (`supersedes`) or updates the target."""
    require_kinds(facts, list(RFC_WORDS))
    source_word = pl.col("relation_kind").replace_strict({k: by for k, (by, _) in RFC_WORDS.items()})
    target_word = pl.col("relation_kind").replace_strict({k: by for k, (_, by) in RFC_WORDS.items()})
    facts = facts.with_columns(
        declared_by=pl.concat_str(
            pl.when(flag("declared_by_source")).then(source_word),
            pl.when(flag("declared_by_target")).then(target_word),
            separator="+",
            ignore_nulls=True,
        ),
        source_year=year("source_year"),
        target_year=year("target_year"),
    )
    # Only the year of an RFC is known here; its first day stands for it.
    facts = facts.with_columns(created_at=pl.datetime("source_year", 1, 1, time_unit="us", time_zone="UTC"))
    return in_order(
        with_trust(facts).select(
            *COLUMNS, "declared_by", "source_status", "target_status", "source_year", "target_year"
        )
    )


def pep_relations(facts: pl.DataFrame) -> pl.DataFrame:
    """One row a statement of PEP headers: the source replaces (`supersedes`) or requires the target."""
    require_kinds(facts, PEP_KINDS)
    facts = facts.with_columns(created_at=day("source_created"))
    return in_order(with_trust(facts).select(*COLUMNS, "declared_by", "source_status", "target_status"))


def with_trust(facts: pl.DataFrame) -> pl.DataFrame:
    """Add class and confidence: `asserted`, 1.0 where the source says it, else `observed`, 0.8."""
    words = pl.col("declared_by").str.split("+")
    known = words.list.set_difference(STATED_BY_SOURCE + STATED_BY_TARGET).list.len() == 0
    unknown = facts.filter(~(known & (pl.col("declared_by") != "")).fill_null(False))
    if unknown.height:
        raise ValueError(f"who states these relations is not known:\n{unknown}")
    by_source = words.list.set_intersection(STATED_BY_SOURCE).list.len() > 0
    return facts.with_columns(
        edge_class=pl.when(by_source).then(pl.lit("asserted")).otherwise(pl.lit("observed")),
        confidence=pl.when(by_source).then(pl.lit(1.0)).otherwise(pl.lit(0.8)),
    )


def require_kinds(facts: pl.DataFrame, kinds: list[str]) -> None:
    """Refuse facts that hold another kind of relation than the ones we know how to read."""
    unknown = facts.filter(~pl.col("relation_kind").is_in(kinds).fill_null(False))
    if unknown.height:
        raise ValueError(f"relation_kind is none of {', '.join(kinds)}:\n{unknown}")


def flag(column: str) -> pl.Expr:
    """A statement that is there (1) or not (0); anything else is an error."""
    return pl.col(column).replace_strict({"1": True, "0": False}, return_dtype=pl.Boolean)


def year(column: str) -> pl.Expr:
    """A year of four digits; anything else becomes null."""
    return pl.col(column).str.extract(r"^(\d{4})$").cast(pl.Int64)


def day(column: str) -> pl.Expr:
    """A day written like 22-Aug-2001, at midnight UTC; anything else becomes null."""
    text = pl.col(column).str.extract(r"^(\d{2}-[A-Z][a-z]{2}-\d{4})$")
    return text.str.to_datetime("%d-%b-%Y", strict=False, time_unit="us", time_zone="UTC")


def in_order(relations: pl.DataFrame) -> pl.DataFrame:
    """Sort by the number of the source, then of the target, then by kind."""

    def number(column: str) -> pl.Expr:
        return pl.col(column).str.extract(r"(\d+)$").cast(pl.Int64)

    return relations.sort(number("source_id"), number("target_id"), "source_id", "target_id", "relation_kind")


def build(out: Path) -> dict[str, pl.DataFrame]:
    """Write both tables into `out` and return them by file name."""
    tables = {
        "rfc_relations.parquet": rfc_relations(read_facts(HERE / "facts" / "rfc.csv")),
        "pep_relations.parquet": pep_relations(read_facts(HERE / "facts" / "pep.csv")),
    }
    for name, table in tables.items():
        table.write_parquet(out / name, compression="zstd", compression_level=9, statistics=True)
    return tables


if __name__ == "__main__":
    for name, table in build(HERE).items():
        print(f"{name}: {table.height:,} relations")
