"""The layered engine: a small change over a large graph in arrays, without touching the graph."""
