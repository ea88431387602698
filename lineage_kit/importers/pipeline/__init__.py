"""What every import shares: files into lines, lines into staged rows, rows into the canonical tables."""
