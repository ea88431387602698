"""The index engine: CSR arrays mapped from files, how they are built and how they are trusted."""
