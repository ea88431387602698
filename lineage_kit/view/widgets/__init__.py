"""The live widgets: one graph, and the two explorers."""
