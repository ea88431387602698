"""What replaced what, and who cites whom, in the sessions of agents."""
