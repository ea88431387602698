"""The CSR engine: edges sorted by endpoint with offsets (compressed sparse rows)."""
