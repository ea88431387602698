"""The fold: what stands on the surface of a log, what replaced what, who cites whom."""
