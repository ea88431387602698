"""The data sets that come with the package, for the demo, the notebooks and first steps."""

from __future__ import annotations

from pathlib import Path


def data_folder() -> Path:
    """The folder of the data sets: in the installed package, or beside it in a checkout.

    It holds `decisions.parquet`, `items.parquet`, `sessions.parquet` and `events.parquet` (the story of an agent
    team), and `rfc_relations.parquet` and `pep_relations.parquet` (which document replaces, updates or requires
    which). `transcripts/` has small logs as other tools write them, and `relations/` decision records, manifests and
    events, to try the importers on.

    Example:
        >>> (data_folder() / "rfc_relations.parquet").is_file()
        True
    """
    package = Path(__file__).resolve().parent
    inside = package / "_data"
    return inside if inside.is_dir() else package.parent / "data"
