"""OpenAI Codex's rollouts."""

from lineage_kit.importers.codex.importer import read_codex

__all__ = ["read_codex"]
