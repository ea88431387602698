"""Which of many items still stand: verdicts, findings, and what is new since last time."""
