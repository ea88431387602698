"""OpenLineage events: what runs read and wrote, as relations between datasets, columns and jobs (rules O)."""

from lineage_kit.importers.openlineage.importer import read_openlineage

__all__ = ["read_openlineage"]
