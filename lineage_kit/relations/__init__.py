"""What rests on what: the store, the walk, and the result objects."""
