"""PROV-JSON, the provenance documents of the W3C (rules P)."""

from lineage_kit.importers.prov.importer import read_prov

__all__ = ["read_prov"]
