"""The tables and traces as one DuckDB namespace: views to join, and the exact walk as table macros."""

from lineage_kit.sql.connect import connect

__all__ = ["connect"]
