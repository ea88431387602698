"""Decision records in Markdown: adr-tools, MADR, log4brains, and what people make of them (rules A)."""

from lineage_kit.importers.adr.importer import read_adr

__all__ = ["read_adr"]
