"""The steps that the formats of relations share: files to JSON values, rows to tables, what ended, and the result."""
