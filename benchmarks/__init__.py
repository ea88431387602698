"""How fast the walk is, as ratios against peers that run beside it."""
