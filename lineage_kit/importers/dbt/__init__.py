"""dbt's artifacts: `manifest.json`, one or its history, and `run_results.json` (rules D)."""

from lineage_kit.importers.dbt.importer import read_dbt

__all__ = ["read_dbt"]
