"""What an import gives: the canonical tables, and what it could not take as it stood."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lineage_kit.importers.pipeline.parquet import keep_table, write_table
from lineage_kit.output.folder_manifest import IMPORT, write_tables_manifest
from lineage_kit.output.generation import new_generation
from lineage_kit.output.parquet import write_frame
from lineage_kit.pictured import Displayed
from lineage_kit.relations.store import RelationStore
from lineage_kit.schema import IMPORTED_ITEMS
from lineage_kit.sessions.corpus import SessionCorpus
from lineage_kit.sessions.fold.contract import SurfaceContract
from lineage_kit.sessions.session_sources import ParquetSessions
from lineage_kit.wording import counted

TABLES = ("sessions", "events", "relations")
LABEL = 100
"""Characters of a text that are shown as an item's label."""


@dataclass(frozen=True)
class Imported(Displayed):
    """The tables made of other tools' logs.

    Attributes:
        sessions: the sessions table, one row a session. Columns: session_id, parent_session (String), created_at
            (Datetime us UTC), version, cwd, origin, title (String), seed_length, delegation_depth (Int64), file
            (String: where it was read). Sorted by session_id.
        events: the events table, one row an event. Columns: session_id (String), seq (Int64), time (Datetime us UTC),
            type (String), surface_op (Struct), source_event_seqs (List(Int64)), payload, text (String), is_error
            (Boolean), raw_type (String: the record's own type), record_id (String: its uuid or id), file (String),
            line, byte_offset (Int64: where its line begins in the unpacked file), model, tool_name, tool_call_id
            (String), tokens_in, tokens_out (Int64). Sorted by session_id, seq.
        relations: links that the logs state and no lineage walks (`child_of`, `spawned_by`, `forked_from`,
            `resumed_from`, `refers_to`). Columns: source_type, source_id, target_type, target_id, relation_kind,
            edge_class (String), confidence (Float64), created_at (Datetime us UTC). Sorted by the session that states
            them, its own first, then by seq of the event that does, relation_kind, target_type, target_id.
        report: what could not be taken as it stood, one row a file and kind: file, kind (String), line (Int64: the
            first place), count (Int64), example, meaning (String). Sorted by file, line (nulls first), kind.

    The first three are lazy: over frames in memory for small imports, over Parquet in a temporary folder for large
    ones, which is removed when Python ends, or by `close`.

    Example:
        >>> imported = lineage_kit.read_claude_code(lineage_kit.data_folder() / "transcripts/claude_code")
        >>> imported
        Imported(3 sessions, 33 events, 29 relations; 6 findings of 4 kinds)
        >>> imported.report.select("kind", "count").row(0)
        ('missing_time', 3)
    """

    sessions: pl.LazyFrame
    events: pl.LazyFrame
    relations: pl.LazyFrame
    report: pl.DataFrame
    counts: dict[str, int] = field(default_factory=dict)
    """How many sessions, events and relations there are, and files that were read."""
    folder: Path | None = None
    """Where the tables are, if they are large."""

    def corpus(self, contract: SurfaceContract = SurfaceContract()) -> SessionCorpus:  # noqa: B008
        """The sessions as a corpus, to trace in.

        Args:
            contract: which types of events stand on the surface, and in whose place which may come.

        Returns:
            A corpus whose persisted source are these tables, and whose `findings()` tell of the report too.

        Raises:
            SchemaError: a large import that was closed.

        Example:
            >>> imported = lineage_kit.read_dsh(lineage_kit.data_folder() / "transcripts/dsh")
            >>> imported.corpus().sessions().select("created_at", "live", "persisted").row(0)[1:]
            (False, True)
        """
        tables = {name: self._part(name) for name in ("sessions", "events")}
        source = ParquetSessions(**tables, report=self.report)
        return SessionCorpus(persisted=source, contract=contract)

    def store(self) -> RelationStore:
        """The stated links together with those that a corpus walks: citations and replacements.

        Returns:
            A store over both, in which sessions and events have labels.

        Raises:
            SchemaError: a large import that was closed.

        Example:
            >>> imported = lineage_kit.read_dsh(lineage_kit.data_folder() / "transcripts/dsh")
            >>> session = imported.sessions.collect()["session_id"][0]
            >>> imported.store().trace_lineage("event", f"{session}#6").nodes.filter(pl.col("depth") > 0).height
            5
        """
        return RelationStore.open([self._part("relations"), self.corpus().relations()], items=self.items().collect())

    def items(self) -> pl.LazyFrame:
        """What a person calls the sessions (their title) and the events that have a text (how it begins).

        Columns: type, id, label (String), created_at (Datetime us UTC). Sorted by type, id.

        Example:
            >>> imported = lineage_kit.read_codex(lineage_kit.data_folder() / "transcripts/codex")
            >>> imported.items().filter(type="session").collect()["label"].to_list()
            ['Which batch size does the mail contract allow for the nightly run?']
        """
        short = pl.col("text").str.slice(0, LABEL).str.replace_all(r"\s+", " ").str.strip_chars()
        events = self.events.filter(pl.col("text").str.len_bytes() > 0).select(
            type=pl.lit("event"),
            id=pl.format("{}#{}", "session_id", "seq"),
            label=short,
            created_at="time",
        )
        titled = pl.coalesce("title", "session_id")
        sessions = self.sessions.select(type=pl.lit("session"), id="session_id", label=titled, created_at="created_at")
        return pl.concat([events, sessions]).select(IMPORTED_ITEMS.names).sort("type", "id")

    def write_parquet(self, folder: str | os.PathLike[str]) -> Path:
        """Write sessions, events, relations, items and report as `<name>.parquet` into a folder, with a manifest.

        `SessionCorpus.open` and `RelationStore.open` open it. The folder appears, or is exchanged for an older one, as
        a whole: whoever reads it sees the old import or this one.

        Args:
            folder: where to write: a new folder, an empty one, or one that holds an import and nothing else.

        Returns:
            The folder.

        Raises:
            InvalidRequest: something else stands there, which is left alone, or it cannot be written; or a large
                import that was closed.

        Example:
            >>> import tempfile
            >>> imported = lineage_kit.read_dsh(lineage_kit.data_folder() / "transcripts/dsh")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     sorted(path.stem for path in imported.write_parquet(folder).iterdir())
            ['events', 'items', 'manifest', 'relations', 'report', 'sessions']
        """
        place = Path(folder).expanduser()
        with new_generation(place, IMPORT) as unfinished:
            for name in TABLES:
                if self.folder is not None:
                    keep_table(self.folder / f"{name}.parquet", unfinished / f"{name}.parquet")
                else:
                    write_table(getattr(self, name).collect(), unfinished / f"{name}.parquet")
            write_frame(self.items().collect(), unfinished / "items.parquet", long=("label",))
            write_frame(self.report, unfinished / "report.parquet", long=("example",))
            write_tables_manifest(unfinished, IMPORT)
        return place

    def close(self) -> None:
        """Remove the temporary folder of a large import; its frames can be read no more.

        Example:
            >>> imported = lineage_kit.read_dsh(lineage_kit.data_folder() / "transcripts/dsh")
            >>> imported.close()  # of a small import, nothing is to be removed
        """
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _part(self, name: str) -> Any:
        if self.folder is not None:
            return self.folder / f"{name}.parquet"
        return getattr(self, name).collect()

    def __repr__(self) -> str:
        counts = ", ".join(counted(self.counts.get(name, 0), name[:-1]) for name in TABLES)
        found, kinds = int(self.report["count"].sum()), self.report["kind"].n_unique()
        return f"Imported({counts}; {counted(found, 'finding')} of {counted(kinds, 'kind')})"
