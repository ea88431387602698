"""What an import of relations gives: the tables, and what it could not take as it stood."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from lineage_kit.output.folder_manifest import RELATIONS_IMPORT, write_tables_manifest
from lineage_kit.output.generation import new_generation
from lineage_kit.output.parquet import write_frame
from lineage_kit.pictured import Displayed
from lineage_kit.relations.store import RelationStore
from lineage_kit.wording import counted


@dataclass(frozen=True)
class ImportedRelations(Displayed):
    """Relations made of what somebody had already: decision records, manifests, events, a memory, a store.

    Attributes:
        relations: one row a life of a relation. Columns: source_type, source_id, target_type, target_id,
            relation_kind, edge_class (String), confidence (Float64), created_at, valid_at, invalid_at (Datetime us
            UTC), invalid_reason (String: why it ceased to hold), stated_as (String: the format's own word for it),
            file (String: where it was read first), then the format's own. Sorted by source_type, source_id,
            relation_kind, target_type, target_id, created_at, invalid_at (nulls first), then the other columns.
        items: one row a node that is described. Columns: type, id, label, text (String), created_at (Datetime us
            UTC), state (String: what its tool calls it), ended_at (Datetime us UTC), end_reason (String), then the
            format's own. Sorted by type, id.
        report: what could not be taken as it stood, one row a file and kind: file, kind (String), line (Int64: the
            first place), count (Int64), example, meaning (String). Sorted by file, line (nulls first), kind.
        counts: how many relations and items there are, and files that were read.

    The first two are lazy frames.

    Example:
        >>> imported = lineage_kit.read_adr(lineage_kit.data_folder() / "relations" / "adr")
        >>> imported
        ImportedRelations(10 relations, 9 items; 5 findings of 4 kinds)
        >>> imported.store().trace_lineage("adr", "0004-one-schema-per-team").flagged.select("id", "superseded").rows()
        [('0002-postgres-for-everything', True)]
    """

    relations: pl.LazyFrame
    items: pl.LazyFrame
    report: pl.DataFrame
    counts: dict[str, int] = field(default_factory=dict)

    def store(self) -> RelationStore:
        """A store over the relations, in which items have labels.

        Example:
            >>> imported = lineage_kit.read_dbt(lineage_kit.data_folder() / "relations" / "dbt")
            >>> imported.store().check().height
            0
        """
        return RelationStore.open(self.relations.collect(), items=self.items.collect())

    def write_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Write relations, items and report as `<name>.parquet` into a folder, with a manifest, whole or not at all.

        `RelationStore.open` opens it.

        Args:
            folder: where to write: a new folder, an empty one, or one that holds an import of relations and nothing
                else, which is replaced.

        Returns:
            The folder.

        Raises:
            InvalidRequest: something else stands there, which is left alone, or it cannot be written.

        Example:
            >>> import tempfile
            >>> imported = lineage_kit.read_prov(lineage_kit.data_folder() / "relations" / "prov")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     sorted(path.stem for path in imported.write_parquet(folder).iterdir())
            ['items', 'manifest', 'relations', 'report']
        """
        place = Path(folder).expanduser()
        with new_generation(place, RELATIONS_IMPORT) as unfinished:
            write_frame(self.relations.collect(), unfinished / "relations.parquet")
            write_frame(self.items.collect(), unfinished / "items.parquet", long=("label", "text"))
            write_frame(self.report, unfinished / "report.parquet", long=("example",))
            write_tables_manifest(unfinished, RELATIONS_IMPORT)
        return place

    def close(self) -> None:
        """Nothing is to be removed: the tables are in memory. It is here since imports of transcripts have it.

        Example:
            >>> lineage_kit.read_adr(lineage_kit.data_folder() / "relations" / "adr").close()
        """

    def __repr__(self) -> str:
        counts = f"{counted(self.counts['relations'], 'relation')}, {counted(self.counts['items'], 'item')}"
        found, kinds = int(self.report["count"].sum()), self.report["kind"].n_unique()
        return f"ImportedRelations({counts}; {counted(found, 'finding')} of {counted(kinds, 'kind')})"
