"""Smeldr's store of relations: its SQLite database, and what its command line and tools print as JSON (rules S)."""

from lineage_kit.importers.smeldr.importer import read_smeldr

__all__ = ["read_smeldr"]
