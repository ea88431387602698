"""Other tools' logs as canonical tables and live sources, one module a format."""
