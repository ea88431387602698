"""Graphs of results: what they hold, where nodes stand, and the page that draws them."""
