"""Made-up transcripts of other tools, as large as wanted, in the shapes and proportions of real ones."""
