"""What Smeldr knows beyond the canonical columns."""

from __future__ import annotations

from lineage_kit.schema_forms import Column

RELATION_COLUMNS: tuple[Column, ...] = (
    Column("edge_id", "text", "the id of the edge"),
    Column("updated_at", "time", "when the edge was last written"),
    Column("created_by", "text", "who stated it"),
    Column("created_by_job", "text", "the job that stated it"),
    Column("last_confirmed_at", "time", "when it was last confirmed"),
    Column("attributes", "text", "its attributes, as JSON"),
    Column("end_note", "text", "why it was invalidated, in the words of who did it"),
    Column("end_actor_kind", "text", "what sort of actor invalidated it"),
    Column("end_actor", "text", "who invalidated it"),
    Column("sort_order", "integer", "the place among the parts of its parent"),
)
ITEM_COLUMNS: tuple[Column, ...] = (
    Column("human_id", "text", "the id that people use, such as D22"),
    Column("slug", "text", "its short name"),
    Column("commit_hash", "text", "the commit of an amendment"),
)
TIMES = ("created_at", "valid_at", "invalid_at", "updated_at", "last_confirmed_at")
ENDS = ("source_type", "source_id", "target_type", "target_id")
