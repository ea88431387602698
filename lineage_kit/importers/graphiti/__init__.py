"""Graphiti's memory of an agent: records as the library dumps them, or as Neo4j exports such a graph (rules G)."""

from lineage_kit.importers.graphiti.importer import read_graphiti

__all__ = ["read_graphiti"]
