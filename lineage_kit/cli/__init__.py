"""The command line: ask questions of Parquet files from a terminal or a script."""

from lineage_kit.cli.main import app, main
from lineage_kit.cli.process import run

__all__ = ["app", "main", "run"]
