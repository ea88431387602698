"""Claude Code's session logs."""

from lineage_kit.importers.claude_code.importer import read_claude_code

__all__ = ["read_claude_code"]
