"""The logs of deepseek-harness (dsh)."""

from lineage_kit.importers.dsh.importer import read_dsh

__all__ = ["read_dsh"]
